// Owns the programs and their way into the kernel (bpf(2); cgroup programs are called with a
// socket's address, a packet or a device, and answer 1 to let it pass).
#include "bpf/guard.h"

#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/destination.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/sys.h"
#include "base/testing.h"
#include "bpf/assemble.h"
#include "plan.h"
#include "run.h"

enum { DENY = 0, PASS = 1, LOOPBACK_INDEX = 1, WORDS = 4 };
enum counter { COUNTER_SENT, COUNTER_RECEIVED, COUNTERS };

static bool is_host(const struct plan *plan)
{
	return plan->profile->network == NETWORK_HOST;
}

static int check_rules(const struct plan *plan, const struct list *words)
{
	list_each (item, words) {
		struct destination destination;
		if (!destination_parse(item->text, &destination) ||
		    destination.kind != DESTINATION_NETWORK)
			return fail(0,
				    "%s'%s' is no address: in mode host a guard keeps addresses "
				    "and ports alone",
				    origin_text(plan->arena, item->from), item->text);
	}
	return 0;
}

int guard_plan(struct plan *plan)
{
	if (plan->profile->guard == ANSWER_NO)
		return 0;
	if (plan->tier == TIER_LANDLOCK)
		return fail(0, "guard: not in tier landlock, whose connections are the host's own");
	if (!is_host(plan))
		return 0;
	TRY(check_rules(plan, &plan->profile->allow));
	return check_rules(plan, &plan->profile->deny);
}

static uint32_t word_of(const uint8_t *bytes)
{
	uint32_t word;
	memcpy(&word, bytes,
	       sizeof(word)); // as the kernel hands it out: in the order of the network
	return word;
}

static uint32_t mask_of(unsigned prefix, int word)
{
	uint8_t bytes[4] = { 0 };
	for (unsigned i = 0; i < 32; i++)
		if ((unsigned)word * 32 + i < prefix)
			bytes[i / 8] |= (uint8_t)(0x80 >> i % 8);
	return word_of(bytes);
}

// A socket of IPv6 connects to addresses of IPv4 as ::ffff:0:0/96, which no rule for IPv6 means.
static void emit_unless_v6(struct program *program, struct jumps *other)
{
	struct jumps v6 = { .count = 0 };
	for (int i = 0; i < WORDS - 1; i++) {
		emit_load(program, BPF_REG_2, BPF_REG_6,
			  offsetof(struct bpf_sock_addr, user_ip6) + (size_t)i * 4);
		if (i < WORDS - 2)
			emit_unless_equal(program, &v6, BPF_REG_2, 0);
		else
			emit_if_equal(program, other, BPF_REG_2, __builtin_bswap32(0xffff));
	}
	emit_target(program, &v6);
}

// One rule: goes on behind it when address or port is another. False when nothing else is reached,
// and the kernel would refuse a program that goes on.
static bool emit_rule(struct program *program, const struct destination *rule, bool v4, int verdict)
{
	struct jumps next = { .count = 0 }, match = { .count = 0 };
	bool of_v4 = address_is_v4(&rule->network);
	if (v4 && !of_v4)
		return true;
	if (!v4 && !of_v4)
		emit_unless_v6(program, &next);
	for (int i = v4 ? WORDS - 1 : 0; i < WORDS; i++) {
		uint32_t mask = mask_of(rule->prefix, i);
		if (mask == 0)
			continue;
		emit_load(program, BPF_REG_2, BPF_REG_6,
			  v4 ? offsetof(struct bpf_sock_addr, user_ip4)
			     : offsetof(struct bpf_sock_addr, user_ip6) + (size_t)i * 4);
		emit_mask(program, BPF_REG_2, mask);
		emit_unless_equal(program, &next, BPF_REG_2,
				  word_of(rule->network.bytes + 4 * i) & mask);
	}
	if (rule->port_count > 0) {
		emit_load(program, BPF_REG_2, BPF_REG_6, offsetof(struct bpf_sock_addr, user_port));
		for (unsigned i = 0; i < rule->port_count; i++)
			emit_if_equal(program, &match, BPF_REG_2,
				      __builtin_bswap16(rule->ports[i]));
		emit_jump(program, &next);
		emit_target(program, &match);
	}
	bool goes_on = next.count > 0;
	emit_return(program, verdict);
	emit_target(program, &next);
	return goes_on;
}

static bool emit_rules(struct program *program, const struct list *words, bool v4, int verdict)
{
	list_each (item, words) {
		struct destination destination;
		if (destination_parse(item->text, &destination) && // checked in the plan
		    !emit_rule(program, &destination, v4, verdict))
			return false;
	}
	return true;
}

static uint64_t own_cookie(void)
{
	enum { SO_COOKIE_OF_NETWORK = 71 }; // SO_NETNS_COOKIE, Linux 5.14
	uint64_t cookie = 0;
	socklen_t size = sizeof(cookie);
	autoclose int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_COOKIE_OF_NETWORK, &cookie, &size) < 0)
		return 0;
	return cookie;
}

// Called by connect() and by sendto() with an address.
static void make_address(const struct plan *plan, struct program *program, bool v4)
{
	struct jumps outside = { .count = 0 };
	emit_move(program, BPF_REG_6, BPF_REG_1);
	if (is_host(plan)) {
		if (emit_rules(program, &plan->profile->deny, v4, DENY) &&
		    emit_rules(program, &plan->profile->allow, v4, PASS))
			emit_return(program, DENY);
		return;
	}
	// Whoever got out of the box's network into ours connects to nobody.
	emit_call(program, BPF_FUNC_get_netns_cookie);
	emit_constant(program, BPF_REG_2, own_cookie());
	emit_if_same(program, &outside, BPF_REG_0, BPF_REG_2);
	emit_return(program, PASS);
	emit_target(program, &outside);
	emit_return(program, DENY);
}

// Called by socket(): the programs above see TCP and UDP, so that there is nothing else.
static void make_socket(struct program *program)
{
	struct jumps known = { .count = 0 };
	emit_load(program, BPF_REG_2, BPF_REG_1, offsetof(struct bpf_sock, protocol));
	emit_if_equal(program, &known, BPF_REG_2, IPPROTO_TCP);
	emit_if_equal(program, &known, BPF_REG_2, IPPROTO_UDP);
	emit_return(program, DENY);
	emit_target(program, &known);
	emit_return(program, PASS);
}

static uint64_t budget_of(const struct plan *plan, enum counter counter)
{
	const struct list *words =
		counter == COUNTER_SENT ? &plan->profile->upload : &plan->profile->download;
	uint64_t most = UNLIMITED;
	list_each (item, words) {
		struct destination destination;
		bool for_all;
		uint64_t bytes;
		if (destination_budget(item->text, &destination, &for_all, &bytes) && for_all)
			most = bytes;
	}
	return most;
}

// Called with every packet.
static void make_packet(const struct plan *plan, struct program *program, int map,
			enum counter counter)
{
	struct jumps loopback = { .count = 0 }, over = { .count = 0 };
	uint64_t budget = budget_of(plan, counter);
	emit_load(program, BPF_REG_2, BPF_REG_1, offsetof(struct __sk_buff, ifindex));
	emit_if_equal(program, &loopback, BPF_REG_2, LOOPBACK_INDEX);
	if (!is_host(plan)) {
		emit_return(program, DENY);
	} else {
		emit_load(program, BPF_REG_2, BPF_REG_1, offsetof(struct __sk_buff, len));
		emit_map_value(program, BPF_REG_3, map);
		emit_add_shared(program, BPF_REG_3, counter * sizeof(uint64_t), BPF_REG_2);
		emit_load_long(program, BPF_REG_4, BPF_REG_3, counter * sizeof(uint64_t));
		emit_constant(program, BPF_REG_5, budget);
		emit_if_above(program, &over, BPF_REG_4, BPF_REG_5);
	}
	emit_target(program, &loopback);
	emit_return(program, PASS);
	if (over.count) {
		emit_target(program, &over);
		emit_return(program, DENY);
	}
}

static void emit_device(struct program *program, unsigned major_number, unsigned minor_number,
			bool any_minor)
{
	struct jumps next = { .count = 0 };
	emit_unless_equal(program, &next, BPF_REG_3, major_number);
	if (!any_minor)
		emit_unless_equal(program, &next, BPF_REG_4, minor_number);
	emit_return(program, PASS);
	emit_target(program, &next);
}

// A device of the view, or a directory of them: then all of their kinds.
static void emit_devices_of(struct program *program, const char *path)
{
	struct stat status = { 0 };
	if (stat(path, &status) == 0 && S_ISCHR(status.st_mode))
		emit_device(program, major(status.st_rdev), minor(status.st_rdev), false);
	DIR *stream = S_ISDIR(status.st_mode) ? opendir(path) : NULL;
	for (struct dirent *each = stream ? readdir(stream) : NULL; each; each = readdir(stream))
		if (fstatat(dirfd(stream), each->d_name, &status, 0) == 0 &&
		    S_ISCHR(status.st_mode))
			emit_device(program, major(status.st_rdev), minor(status.st_rdev), true);
	if (stream)
		closedir(stream);
}

// Called when a device is opened or its node is made; the latter nobody may.
static void make_device(const struct plan *plan, struct program *program)
{
	enum {
		TYPE_MASK = 0xffff,
		ACCESS_SHIFT = 16,
		PTY_FIRST = 136,
		PTY_LAST = 143,
		CONTROL = 5,
		TTY = 0,
		PTMX = 2
	};
	struct jumps other = { .count = 0 };
	emit_load(program, BPF_REG_2, BPF_REG_1, offsetof(struct bpf_cgroup_dev_ctx, access_type));
	emit_move(program, BPF_REG_5, BPF_REG_2);
	emit_shift_right(program, BPF_REG_5, ACCESS_SHIFT);
	emit_mask(program, BPF_REG_5, BPF_DEVCG_ACC_MKNOD);
	emit_unless_equal(program, &other, BPF_REG_5, 0);
	emit_mask(program, BPF_REG_2, TYPE_MASK);
	emit_unless_equal(program, &other, BPF_REG_2, BPF_DEVCG_DEV_CHAR);
	emit_load(program, BPF_REG_3, BPF_REG_1, offsetof(struct bpf_cgroup_dev_ctx, major));
	emit_load(program, BPF_REG_4, BPF_REG_1, offsetof(struct bpf_cgroup_dev_ctx, minor));
	for (unsigned pty = PTY_FIRST; pty <= PTY_LAST; pty++)
		emit_device(program, pty, 0, true);
	emit_device(program, CONTROL, TTY, false);
	emit_device(program, CONTROL, PTMX, false);
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (plan->mounts[i].kind == MOUNT_BIND && plan->mounts[i].access == ACCESS_DEVICE)
			emit_devices_of(program, plan->mounts[i].source);
	emit_target(program, &other);
	emit_return(program, DENY);
}

static int attach(const struct run *run, const struct program *program, enum bpf_prog_type type,
		  enum bpf_attach_type where, const char *what)
{
	if (testing_skips(what))
		return 0;
	autoclose int fd = program_load(program, type, where);
	if (fd < 0 && errno == E2BIG)
		return fail(0, "guard: too many rules for one program");
	if (fd < 0)
		return fail(errno, "guard: load the program for %s", what);
	union bpf_attr place = {
		.target_fd = (unsigned)run->cgroup,
		.attach_bpf_fd = (unsigned)fd,
		.attach_type = where,
		.attach_flags = BPF_F_ALLOW_MULTI,
	};
	return sys_bpf(BPF_PROG_ATTACH, &place, sizeof(place)) < 0
		       ? fail(errno, "guard: attach the program for %s", what)
		       : 0;
}

static int make_map(void)
{
	union bpf_attr attributes = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = sizeof(uint32_t),
		.value_size = COUNTERS * sizeof(uint64_t),
		.max_entries = 1,
	};
	return sys_bpf(BPF_MAP_CREATE, &attributes, sizeof(attributes));
}

static struct program *fresh(void)
{
	static struct program program; // large, and needed one at a time
	program.used = 0;
	program.full = false;
	return &program;
}

static int attach_addresses(const struct plan *plan, const struct run *run)
{
	static const struct {
		enum bpf_attach_type where;
		bool v4;
	} rows[] = {
		{ BPF_CGROUP_INET4_CONNECT, true },
		{ BPF_CGROUP_INET6_CONNECT, false },
		{ BPF_CGROUP_UDP4_SENDMSG, true },
		{ BPF_CGROUP_UDP6_SENDMSG, false },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct program *program = fresh();
		make_address(plan, program, rows[i].v4);
		TRY(attach(run, program, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, rows[i].where,
			   "addresses"));
	}
	return 0;
}

// When the plan is whole and before the command may start: the box is in its group already.
int guard_host(const struct plan *plan, struct run *run)
{
	struct program *program;
	if (plan->profile->guard == ANSWER_NO)
		return 0;
	run->counters = make_map();
	if (run->counters < 0)
		return fail(errno, "guard: BPF programs need root, or CAP_BPF and CAP_NET_ADMIN");
	if (own_cookie() == 0)
		return fail(errno, "guard: this kernel does not number its networks (Linux 5.14)");
	TRY(attach_addresses(plan, run));
	program = fresh();
	make_socket(program);
	TRY(attach(run, program, BPF_PROG_TYPE_CGROUP_SOCK, BPF_CGROUP_INET_SOCK_CREATE,
		   "sockets"));
	program = fresh();
	make_packet(plan, program, run->counters, COUNTER_SENT);
	TRY(attach(run, program, BPF_PROG_TYPE_CGROUP_SKB, BPF_CGROUP_INET_EGRESS, "packets-out"));
	program = fresh();
	make_packet(plan, program, run->counters, COUNTER_RECEIVED);
	TRY(attach(run, program, BPF_PROG_TYPE_CGROUP_SKB, BPF_CGROUP_INET_INGRESS, "packets-in"));
	program = fresh();
	make_device(plan, program);
	return attach(run, program, BPF_PROG_TYPE_CGROUP_DEVICE, BPF_CGROUP_DEVICE, "devices");
}

int guard_undo(const struct plan *plan, struct run *run)
{
	(void)plan;
	fd_close(&run->counters);
	fd_close(&run->catcher);
	return 0;
}

bool guard_bytes(const struct run *run, uint64_t *ret_sent, uint64_t *ret_received)
{
	uint64_t values[COUNTERS] = { 0 };
	uint32_t key = 0;
	union bpf_attr attributes = {
		.map_fd = (unsigned)run->counters,
		.key = (uint64_t)(uintptr_t)&key,
		.value = (uint64_t)(uintptr_t)values,
	};
	if (run->counters < 0 || sys_bpf(BPF_MAP_LOOKUP_ELEM, &attributes, sizeof(attributes)) < 0)
		return false;
	*ret_sent = values[COUNTER_SENT];
	*ret_received = values[COUNTER_RECEIVED];
	return true;
}
