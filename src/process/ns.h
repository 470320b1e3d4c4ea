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

// Returns 1 in the new pid 1. Linux 5.9 (clone3 with pidfd).
int ns_clone(const struct plan *plan, struct run *run);
int ns_undo(const struct plan *plan, struct run *run);

int ns_child_lifeline(const struct plan *plan, struct run *run);
int ns_child_ids(const struct plan *plan, struct run *run);
int ns_child_lock(const struct plan *plan, struct run *run);
int ns_child_hostname(const struct plan *plan, struct run *run);

// Privilege: all five capability sets empty, securebits locked, no_new_privs, not dumpable.

// Before the clone, by libcap, in a tier without a user namespace. A new user namespace begins with
// full sets (user_namespaces(7)).
int caps_host(const struct plan *plan, struct run *run);
int caps_child(const struct plan *plan, struct run *run);

// Tier landlock, for machines without namespaces. The command stays among the host's processes,
// behind Landlock, a second filter and the supervisor's answers.

int domain_plan(struct plan *plan);

int domain_filter(struct plan *plan);

int domain_host(const struct plan *plan, struct run *run);
int domain_undo(const struct plan *plan, struct run *run);

// domain_child() adopts orphans.
int domain_child(const struct plan *plan, struct run *run);
int domain_rules(const struct plan *plan, int ruleset);
void domain_end(void);

// pid 1 of the box: starts the command, reaps, forwards signals, ends with the command.

int init_child(const struct plan *plan, struct run *run);

// Landlock over the same plan: a second wall should a mount or a descriptor be wrong.

int landlock_plan(const struct probe *probe, struct plan *plan);
int landlock_child(const struct plan *plan, struct run *run);
// Tier landlock: the command can then neither signal nor trace pid 1. -1 with errno.
int landlock_below(void);

int landlock_abi(void);

// One rule of Landlock for a descriptor (landlock(7), Linux 5.13).

uint64_t landlock_handled(int abi);

int landlock_add_rights(const struct plan *plan, int ruleset, int fd, uint64_t rights);

int landlock_add(const struct plan *plan, int ruleset, int fd, enum access access, bool directory);

// Regular files that a command leaves in the private home, which go with the box.

void left_begin(const struct plan *plan);

// In pid 1, at the end. Makes no call unless the tmpfs has more inodes (`used`) than run->made.
// Writes paths below the home into run->message.text, each with NUL. "..." stands for the rest.
void left_look(struct run *run, uint64_t used);

// Memory pages of this process.

// Frees the stack below the caller's frame, in a process that only waits now.
void pages_release_stack(void);

// Resource limits of the processes in the box.

// sbx's limit also bounds the user's descriptors in flight over sockets.
int rlimits_host(const struct plan *plan, struct run *run);
int rlimits_child(const struct plan *plan, struct run *run);

struct rlimit rlimits_files(const struct plan *plan, const struct run *run);

// Saves the caller's terminal, and restores it on every way out.

int tty_host(const struct plan *plan, struct run *run);
int tty_undo(const struct plan *plan, struct run *run);
// The shell has resumed sbx in the foreground.
void tty_lend(struct run *run);
