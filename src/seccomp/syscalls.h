// Which system calls a box may make, as words. Compiled to numbers by src/gen/sbx-gen.c.
//
// The room seccomp owns the table of system calls, and the two filters made of it. Uses: base
// nouns. Begin with syscalls.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum syscall_verdict {
	VERDICT_ALLOW,
	VERDICT_REFUSE,
	VERDICT_CHECK,
	VERDICT_PRETEND
}; // unlisted: ENOSYS

// One named set. The first group is always on, those after it by `[syscalls] allow`.
struct syscall_group {
	const char *name;
	enum syscall_verdict verdict;
	const char *why;   // help text, also in the man page
	const char *calls; // names, or name:number for calls newer than the build machine's library
};
extern const struct syscall_group syscall_groups[];
extern const unsigned syscall_group_count;

// Groups by number, for readers of the table.
enum { GROUP_BASE, GROUP_REFUSED, GROUP_CHECKED, GROUP_FIRST_OPTIONAL };

// A call whose arguments decide. A rule matches when (argument & mask) == value on 32 bits; the
// first match decides, else `otherwise`.
struct syscall_rule {
	uint32_t mask, value;
	uint32_t answer; // SECCOMP_RET_*
};
struct syscall_check {
	const char *call;
	unsigned argument;
	struct syscall_rule rules[16];
	unsigned rule_count;
	uint32_t otherwise; // or CHECK_NEXT: the next row of this call decides
	bool whole;         // no rule matches unless the upper half is 0
	// A second condition on another argument: the rules count only when it holds.
	bool guarded;
	unsigned guard_argument;
	uint32_t guard_value;
};
#define CHECK_NEXT 0U // SECCOMP_RET_KILL_THREAD, which is no answer of ours
// Values that stand for the caller's own ids: none of the kernel's have them.
#define OWN_UID 0xfffffff0U
#define OWN_GID 0xfffffff1U
extern const struct syscall_check syscall_checks[]; // those of one call stand together
extern const unsigned syscall_check_count;

// The number of a group, or -1.
int syscall_group_find(const char *name);
// Whether a name is among words that a space separates.
bool syscall_listed(const char *calls, const char *name);

// Made at build time: every name this build knows, its number and group, sorted by number. No
// pointers: those of a table are relocated at each start.
struct syscall_number {
	char name[26];
	unsigned short number, group;
	unsigned short check; // of a group whose arguments decide: its first row of syscall_checks
};
extern const struct syscall_number syscall_numbers[];
extern const unsigned syscall_number_count;
// The other names, of calls that are older or of other machines: here they get ENOSYS.
extern const char syscall_others[];
