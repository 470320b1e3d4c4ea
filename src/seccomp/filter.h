// Compiles groups and names of system calls to classic BPF.
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>

struct filter_choice {
	uint32_t groups; // GROUP_BASE to GROUP_CHECKED are always on
	const unsigned *denied;
	unsigned denied_count;
	uint32_t uid, gid;
};

enum { FILTER_MAX = 2048, FILTER_INSTRUCTION = 8 };

// `room` is for FILTER_MAX instructions. The kernel loads these in 34 us, libseccomp's tree in 138.
struct sock_fprog filter_compile(const struct filter_choice *choice, void *room);

uint32_t filter_answer(const void *code, unsigned count, unsigned number, bool *ret_arguments);
