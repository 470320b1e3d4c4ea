// Owns the loading of guard.bpf.c, and the content of its maps.
#include "bpf/guard.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "base/testing.h"
#include "bpf/map_keys.h"
#include "bpf/skeletons.h"
#include "plan.h"
#include "run.h"

static bool is_host(const struct plan *plan)
{
	return plan->profile->network == NETWORK_HOST;
}

static int count_key(void *context, const struct guard_rule *key)
{
	unsigned *count = context;
	(void)key;
	if (++*count > GUARD_RULES_MAX)
		return fail(0, "guard: more than %d addresses and ports", GUARD_RULES_MAX);
	return 0;
}

int guard_plan(struct plan *plan)
{
	unsigned count = 0;
	if (plan->profile->guard == TOGGLE_NO)
		return 0;
	if (plan->tier == TIER_LANDLOCK)
		return fail(0, "guard: not in tier landlock, whose connections are the host's own");
	return is_host(plan) ? keys_each(plan, count_key, &count) : 0;
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

static uint64_t budget_of(const struct list *words)
{
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

static void drop(struct guard_bpf **programs)
{
	guard_bpf__destroy(*programs);
}

static int load(struct guard_bpf *programs, const struct profile *profile)
{
	uint64_t cookie = own_cookie();
	if (cookie == 0)
		return fail(errno, "guard: Linux 5.14 or later is needed");
	if (!programs)
		return fail(ENOMEM, "guard: open the programs");
	programs->rodata->own_network = cookie;
	if (profile) {
		programs->rodata->of_host = profile->network == NETWORK_HOST;
		programs->rodata->most[GUARD_SENT] = budget_of(&profile->upload);
		programs->rodata->most[GUARD_RECEIVED] = budget_of(&profile->download);
	}
	errno = 0;
	if (guard_bpf__load(programs) == 0)
		return 0;
	if (errno == EPERM || errno == EINVAL) // EINVAL: without CAP_PERFMON
		return fail(errno, "guard: BPF programs need root, or CAP_BPF, CAP_PERFMON and "
				   "CAP_NET_ADMIN");
	return fail(errno, "guard: load the programs");
}

int guard_try(void)
{
	__attribute__((cleanup(drop))) struct guard_bpf *programs = guard_bpf__open();
	return load(programs, NULL);
}

static int add_rule(void *context, const struct guard_rule *key)
{
	const struct guard_bpf *programs = context;
	const uint8_t value = 1;
	if (skel_map_update_elem(programs->maps.rules.map_fd, key, &value, BPF_ANY) < 0)
		return fail(errno, "guard: add a rule (at most %d)", GUARD_RULES_MAX);
	return 0;
}

static int add_device(const struct guard_bpf *programs, dev_t number, bool every_minor)
{
	const uint8_t value = 1;
	const struct guard_device key = {
		major(number),
		every_minor ? GUARD_EVERY_MINOR : minor(number),
	};
	if (skel_map_update_elem(programs->maps.devices.map_fd, &key, &value, BPF_ANY) < 0)
		return fail(errno, "guard: add a device (at most %d)", GUARD_DEVICES_MAX);
	return 0;
}

static int add_directory(const struct guard_bpf *programs, DIR *stream)
{
	struct stat status;
	for (struct dirent *each = readdir(stream); each; each = readdir(stream))
		if (fstatat(dirfd(stream), each->d_name, &status, 0) == 0 &&
		    S_ISCHR(status.st_mode))
			TRY(add_device(programs, status.st_rdev, true));
	return 0;
}

static int add_devices_of(const struct guard_bpf *programs, const char *path)
{
	struct stat status;
	if (stat(path, &status) < 0)
		return 0;
	if (S_ISCHR(status.st_mode))
		return add_device(programs, status.st_rdev, false);
	DIR *stream = S_ISDIR(status.st_mode) ? opendir(path) : NULL;
	if (!stream)
		return 0;
	int result = add_directory(programs, stream);
	closedir(stream);
	return result;
}

static int fill(struct guard_bpf *programs, const struct plan *plan)
{
	if (is_host(plan))
		TRY(keys_each(plan, add_rule, programs));
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (plan->mounts[i].kind == MOUNT_BIND && plan->mounts[i].access == ACCESS_DEVICE)
			TRY(add_devices_of(programs, plan->mounts[i].source));
	return 0;
}

static int attach(const struct guard_bpf *programs, const struct run *run)
{
	const struct {
		int program;
		enum bpf_attach_type where;
		const char *what;
	} rows[] = {
		{ programs->progs.connect_v4.prog_fd, BPF_CGROUP_INET4_CONNECT, "addresses" },
		{ programs->progs.connect_v6.prog_fd, BPF_CGROUP_INET6_CONNECT, "addresses" },
		{ programs->progs.send_v4.prog_fd, BPF_CGROUP_UDP4_SENDMSG, "addresses" },
		{ programs->progs.send_v6.prog_fd, BPF_CGROUP_UDP6_SENDMSG, "addresses" },
		{ programs->progs.create_socket.prog_fd, BPF_CGROUP_INET_SOCK_CREATE, "sockets" },
		{ programs->progs.send_packet.prog_fd, BPF_CGROUP_INET_EGRESS, "packets-out" },
		{ programs->progs.receive_packet.prog_fd, BPF_CGROUP_INET_INGRESS, "packets-in" },
		{ programs->progs.open_device.prog_fd, BPF_CGROUP_DEVICE, "devices" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		union bpf_attr place = {
			.target_fd = (unsigned)run->cgroup,
			.attach_bpf_fd = (unsigned)rows[i].program,
			.attach_type = rows[i].where,
			.attach_flags = BPF_F_ALLOW_MULTI,
		};
		if (!testing_skips(rows[i].what) &&
		    sys_bpf(BPF_PROG_ATTACH, &place, sizeof(place)) < 0)
			return fail(errno, "guard: attach the program for %s", rows[i].what);
	}
	return 0;
}

int guard_host(const struct plan *plan, struct run *run)
{
	if (plan->profile->guard == TOGGLE_NO)
		return 0;
	__attribute__((cleanup(drop))) struct guard_bpf *programs = guard_bpf__open();
	TRY(load(programs, plan->profile));
	TRY(fill(programs, plan));
	TRY(attach(programs, run));
	run->counters = programs->maps.bss.map_fd;
	programs->maps.bss.map_fd = 0;
	return 0;
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
	uint64_t values[GUARD_COUNTERS] = { 0 };
	uint32_t key = 0;
	union bpf_attr attributes = {
		.map_fd = (unsigned)run->counters,
		.key = (uint64_t)(uintptr_t)&key,
		.value = (uint64_t)(uintptr_t)values,
	};
	if (run->counters < 0 || sys_bpf(BPF_MAP_LOOKUP_ELEM, &attributes, sizeof(attributes)) < 0)
		return false;
	*ret_sent = values[GUARD_SENT];
	*ret_received = values[GUARD_RECEIVED];
	return true;
}
