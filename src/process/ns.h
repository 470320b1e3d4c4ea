// Namespaces: the clone that makes them, ids one to one, host name.
//
// The room process owns the processes of a box and their privileges. Uses: base env mount nouns
// report seccomp view/paths. Begin with ns.c, then init.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "plan.h"

struct probe;
struct run;

int ns_plan(struct plan *plan);

// Returns 0 on the host side, 1 in the new pid 1. Linux 5.9 (clone3 with pidfd).
int ns_clone(const struct plan *plan, struct run *run);
// Kills the box, if any, and waits for it.
int ns_undo(const struct plan *plan, struct run *run);

int ns_child_lifeline(const struct plan *plan, struct run *run);
int ns_child_ids(const struct plan *plan, struct run *run);
// The filter also refuses a user namespace below this one.
int ns_child_lock(const struct plan *plan, struct run *run);
int ns_child_hostname(const struct plan *plan, struct run *run);

// Privilege: all five capability sets empty, securebits locked, no_new_privs, not dumpable.

// Before the clone, by libcap, in a tier without a user namespace: empties the bounding,
// inheritable and ambient sets. A new user namespace begins with full sets (user_namespaces(7)).
int caps_host(const struct plan *plan, struct run *run);
// After the clone, by raw system calls: empties all five.
int caps_child(const struct plan *plan, struct run *run);

// Tier landlock, for machines without namespaces. The command stays among the host's processes and
// files, behind Landlock, a second filter and the supervisor's answers.

// After the view: refuses what the tier cannot enforce, notes the lost walls, makes the second
// filter.
int domain_plan(struct plan *plan);

// Only the second filter, for the profile's network mode.
int domain_filter(struct plan *plan);

// The directory for temporary files.
int domain_host(const struct plan *plan, struct run *run);
int domain_undo(const struct plan *plan, struct run *run);

// domain_child() adopts orphans. domain_rules() adds the plan's paths to a ruleset.
int domain_child(const struct plan *plan, struct run *run);
int domain_rules(const struct plan *plan, int ruleset);
// Kills and reaps every process below this one.
void domain_end(void);

// pid 1 of the box: starts the command, reaps, forwards signals, ends with the command.

// Returns only on failure. A failed exec becomes MESSAGE_NO_EXEC.
int init_child(const struct plan *plan, struct run *run);

// Landlock over the same plan: a second wall should a mount or a descriptor be wrong.

int landlock_plan(const struct probe *probe, struct plan *plan);
int landlock_child(const struct plan *plan, struct run *run);
// Tier landlock: the command enters a lower domain than pid 1, which it then can neither signal nor
// trace. -1 with errno.
int landlock_below(void);

// 0: without Landlock.
int landlock_abi(void);

// One rule of Landlock for a descriptor (landlock(7), Linux 5.13).

// The file rights of this ABI.
uint64_t landlock_handled(int abi);

// Cut to the plan's ABI.
int landlock_add_rights(const struct plan *plan, int ruleset, int fd, uint64_t rights);

// `directory`: the descriptor is one.
int landlock_add(const struct plan *plan, int ruleset, int fd, enum access access, bool directory);

// Regular files that a command leaves in the private home, which go with the box.

// In pid 1, before the plan is unmapped.
void left_begin(const struct plan *plan);

// In pid 1, at the end. Makes no call unless the tmpfs has more inodes (`used`) than run->made.
// Writes paths below the home into run->message.text, each with NUL, then an empty one. "..."
// stands for the rest.
void left_look(struct run *run, uint64_t used);

// Memory pages of this process.

// Frees the stack below the caller's frame, in a process that only waits from now on.
void pages_release_stack(void);

// Resource limits of the processes in the box.

// Raises sbx's descriptor limit: it also bounds how many of the user's descriptors may be in flight
// over sockets.
int rlimits_host(const struct plan *plan, struct run *run);
int rlimits_child(const struct plan *plan, struct run *run);

// Of the command.
struct rlimit rlimits_files(const struct plan *plan, const struct run *run);

// Saves the caller's terminal, and restores it on every way out.

int tty_host(const struct plan *plan, struct run *run);
int tty_undo(const struct plan *plan, struct run *run);
// The shell has resumed sbx in the foreground: so the box is.
void tty_lend(struct run *run);
