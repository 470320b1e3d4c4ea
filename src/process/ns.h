// Makes the box's namespaces: the clone, ids, host name.
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

// Returns 1 in the box's pid 1. Needs Linux 5.9 (clone3(), pidfds).
int ns_clone(const struct plan *plan, struct run *run);
int ns_undo(const struct plan *plan, struct run *run);

int ns_child_lifeline(const struct plan *plan, struct run *run);
int ns_child_ids(const struct plan *plan, struct run *run);
int ns_child_lock(const struct plan *plan, struct run *run);
int ns_child_hostname(const struct plan *plan, struct run *run);

// The box has empty capability sets, locked securebits and no_new_privs.

// Drops capabilities in tier landlock. Elsewhere a new user namespace begins with full sets
// (user_namespaces(7)), which caps_child() drops.
int caps_host(const struct plan *plan, struct run *run);
int caps_child(const struct plan *plan, struct run *run);

// Tier landlock: a box without namespaces.

int domain_plan(struct plan *plan);

int domain_filter(struct plan *plan);

int domain_host(const struct plan *plan, struct run *run);
int domain_undo(const struct plan *plan, struct run *run);

// Makes pid 1 adopt orphans.
int domain_child(const struct plan *plan, struct run *run);
int domain_rules(const struct plan *plan, int ruleset);
void domain_end(void);

// Runs as pid 1: starts the command, reaps, forwards signals, ends with the command.

int init_child(const struct plan *plan, struct run *run);

int landlock_plan(const struct probe *probe, struct plan *plan);
int landlock_child(const struct plan *plan, struct run *run);
// Enters a lower domain, which can neither signal nor trace pid 1. Returns -1 and sets errno.
int landlock_below(void);

int landlock_abi(void);

// Landlock needs Linux 5.13 (landlock(7)).

uint64_t landlock_handled(int abi);

int landlock_add_rights(const struct plan *plan, int ruleset, int fd, uint64_t rights);

int landlock_add(const struct plan *plan, int ruleset, int fd, enum access access, bool directory);

void left_begin(const struct plan *plan);

// Searches only if `used`, the inodes of the tmpfs, exceeds run->made. Writes paths with NUL into
// run->message.left.
void left_look(struct run *run, uint64_t used);

// Frees the unused stack of a process that only waits.
void pages_release_stack(void);

// Raises sbx's RLIMIT_NOFILE, which also bounds the user's descriptors in flight (unix(7)).
int rlimits_host(const struct plan *plan, struct run *run);
int rlimits_child(const struct plan *plan, struct run *run);

struct rlimit rlimits_files(const struct plan *plan, const struct run *run);

int tty_host(const struct plan *plan, struct run *run);
int tty_undo(const struct plan *plan, struct run *run);
// Call this when the shell resumes sbx in the foreground.
void tty_lend(struct run *run);
