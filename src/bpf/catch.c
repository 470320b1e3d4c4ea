// Owns the program in the box's network namespace; it goes with run->catcher.
#include "bpf/catch.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/sys.h"
#include "bpf/assemble.h"
#include "plan.h"
#include "run.h"

enum { PASS = 1, DNS_PORT = 53, KEY_AT = -4 };

// 127/8 and ::1 are the box's own, as is what answers for names.
static void emit_own(struct program *program, struct jumps *own)
{
	struct jumps v6 = { .count = 0 }, other = { .count = 0 };
	const uint32_t first = htonl(0xff000000), loopback = htonl(0x7f000000), one = htonl(1);
	emit_load(program, BPF_REG_2, BPF_REG_6, offsetof(struct bpf_sk_lookup, local_port));
	emit_if_equal(program, own, BPF_REG_2, DNS_PORT);
	emit_load(program, BPF_REG_2, BPF_REG_6, offsetof(struct bpf_sk_lookup, family));
	emit_unless_equal(program, &v6, BPF_REG_2, AF_INET);
	emit_load(program, BPF_REG_2, BPF_REG_6, offsetof(struct bpf_sk_lookup, local_ip4));
	emit_mask(program, BPF_REG_2, first);
	emit_if_equal(program, own, BPF_REG_2, loopback);
	emit_jump(program, &other);
	emit_target(program, &v6);
	for (size_t word = 0; word < 4; word++) {
		emit_load(program, BPF_REG_2, BPF_REG_6,
			  offsetof(struct bpf_sk_lookup, local_ip6) + word * 4);
		emit_unless_equal(program, &other, BPF_REG_2, word == 3 ? one : 0);
	}
	emit_jump(program, own);
	emit_target(program, &other);
}

static void make_lookup(struct program *program, int map)
{
	struct jumps own = { .count = 0 };
	emit_move(program, BPF_REG_6, BPF_REG_1);
	emit_load(program, BPF_REG_2, BPF_REG_6, offsetof(struct bpf_sk_lookup, protocol));
	emit_unless_equal(program, &own, BPF_REG_2, IPPROTO_TCP);
	emit_own(program, &own);
	emit_zero(program, BPF_REG_10, KEY_AT);
	emit_map(program, BPF_REG_1, map);
	emit_move(program, BPF_REG_2, BPF_REG_10);
	emit_add(program, BPF_REG_2, KEY_AT);
	emit_call(program, BPF_FUNC_map_lookup_elem);
	emit_if_null(program, &own, BPF_REG_0);
	emit_move(program, BPF_REG_7, BPF_REG_0);
	emit_move(program, BPF_REG_1, BPF_REG_6);
	emit_move(program, BPF_REG_2, BPF_REG_7);
	emit_number(program, BPF_REG_3, 0);
	emit_call(program, BPF_FUNC_sk_assign);
	emit_move(program, BPF_REG_1, BPF_REG_7);
	emit_call(program, BPF_FUNC_sk_release);
	emit_target(program, &own);
	emit_return(program, PASS);
}

static int make_map(int listener)
{
	uint32_t key = 0, value = (uint32_t)listener;
	union bpf_attr attributes = {
		.map_type = BPF_MAP_TYPE_SOCKMAP,
		.key_size = sizeof(key),
		.value_size = sizeof(value),
		.max_entries = 1,
	};
	autoclose int map = sys_bpf(BPF_MAP_CREATE, &attributes, sizeof(attributes));
	union bpf_attr element = {
		.map_fd = (unsigned)map,
		.key = (uint64_t)(uintptr_t)&key,
		.value = (uint64_t)(uintptr_t)&value,
	};
	if (map < 0 || sys_bpf(BPF_MAP_UPDATE_ELEM, &element, sizeof(element)) < 0)
		return -1;
	return take(&map);
}

bool catch_all(const struct plan *plan, struct run *run, int listener)
{
	static struct program program;
	char path[64];
	if (plan->profile->guard == ANSWER_NO)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)run->init);
	autoclose int network = open(path, O_RDONLY | O_CLOEXEC);
	autoclose int map = make_map(listener);
	if (network < 0 || map < 0)
		return false;
	make_lookup(&program, map);
	autoclose int loaded = program_load(&program, BPF_PROG_TYPE_SK_LOOKUP, BPF_SK_LOOKUP);
	union bpf_attr link = {
		.link_create = { .prog_fd = (unsigned)loaded,
				 .target_fd = (unsigned)network,
				 .attach_type = BPF_SK_LOOKUP },
	};
	if (loaded >= 0)
		run->catcher = sys_bpf(BPF_LINK_CREATE, &link, sizeof(link));
	return run->catcher >= 0;
}
