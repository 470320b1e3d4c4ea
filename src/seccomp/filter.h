// Groups and names of system calls -> a program of classic BPF. Pure.
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>

struct filter_choice {
	uint32_t groups;        // bit per syscall_groups row; GROUP_BASE.. _CHECKED are always on
	const unsigned *denied; // numbers refused with EPERM whatever the groups say
	unsigned denied_count;
	uint32_t uid, gid; // of the caller, for rules that name them
};

// Instructions of struct sock_filter; FILTER_MAX is more than any choice needs.
enum { FILTER_MAX = 2048, FILTER_INSTRUCTION = 8 };

// Writes the program into `room`, for FILTER_MAX instructions.
// A range tree in place of libseccomp's linear or bucket code: its kernel load time, which each
// run pays, was 34 us against 138 us (libseccomp's binary tree) and 286 us (linear).
struct sock_fprog filter_compile(const struct filter_choice *choice, void *room);

// What such a program answers to a call of this machine whose arguments are all 0: SECCOMP_RET_*.
// True in `ret_arguments` when it reads one of them, so that others may have another answer.
uint32_t filter_answer(const void *code, unsigned count, unsigned number, bool *ret_arguments);
