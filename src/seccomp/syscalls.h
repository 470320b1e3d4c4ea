// The system calls that a box may make, by name. src/gen/sbx-gen.c compiles them to numbers.
//
// The room seccomp owns the table of system calls, and the two filters made of it. Uses: base
// nouns. Begin with syscalls.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum syscall_verdict { VERDICT_ALLOW, VERDICT_REFUSE, VERDICT_CHECK, VERDICT_PRETEND };

// The first three are always on, others by `[syscalls] allow`.
struct syscall_group {
	const char *name;
	enum syscall_verdict verdict;
	const char *why;
	const char *calls; // name:number for calls newer than libseccomp
};
extern const struct syscall_group syscall_groups[];
extern const unsigned syscall_group_count;

enum { GROUP_BASE, GROUP_REFUSED, GROUP_CHECKED, GROUP_FIRST_OPTIONAL };

// A rule holds if (argument & mask) == value in 32 bits. The first that holds decides, else
// `otherwise`.
struct syscall_rule {
	uint32_t mask, value;
	uint32_t answer;
};
struct syscall_check {
	const char *call;
	unsigned argument;
	struct syscall_rule rules[16];
	unsigned rule_count;
	uint32_t otherwise;
	bool whole;
	bool guarded;
	unsigned guard_argument;
	uint32_t guard_value;
};
#define CHECK_NEXT 0U // SECCOMP_RET_KILL_THREAD, which no row uses
#define OWN_UID    0xfffffff0U
#define OWN_GID    0xfffffff1U
extern const struct syscall_check syscall_checks[]; // rows of a call are adjacent
extern const unsigned syscall_check_count;

int syscall_group_find(const char *name);
bool syscall_listed(const char *calls, const char *name);

// Generated, sorted by number. Has no pointers: each start would relocate them.
struct syscall_number {
	char name[26];
	unsigned short number, group;
	unsigned short check;
};
extern const struct syscall_number syscall_numbers[];
extern const unsigned syscall_number_count;
extern const char syscall_others[];
