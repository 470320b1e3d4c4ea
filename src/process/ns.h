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

// Returns 0 on the host side, and 1 in the new pid 1. Kernel 5.9 (clone3 with pidfd).
int ns_clone(const struct plan *plan, struct run *run);
// Kills the box and waits for it. Harmless when there is none.
int ns_undo(const struct plan *plan, struct run *run);

int ns_child_lifeline(const struct plan *plan, struct run *run);
int ns_child_ids(const struct plan *plan, struct run *run);
// A second lock beside the filter's: no user namespace below this one.
int ns_child_lock(const struct plan *plan, struct run *run);
int ns_child_hostname(const struct plan *plan, struct run *run);

// Privilege: all five capability sets empty, securebits locked, no_new_privs, not dumpable.

// Before the clone, by libcap, where the box gets no user namespace: empties the
// bounding, inheritable and ambient sets, which the box's first process then begins with. In a new
// user namespace the kernel gives it full ones in their place (user_namespaces(7)): only it can
// drop them.
int caps_host(const struct plan *plan, struct run *run);
// After the clone, by raw system calls: empties all five.
int caps_child(const struct plan *plan, struct run *run);

// Tier landlock: the box without namespaces, for machines that give none. The command stays among
// the host's processes and files; Landlock, a second filter and the supervisor's answers are all.

// After the view: refuses what this tier cannot keep, notes the lost parts, makes the second
// filter.
int domain_plan(struct plan *plan);

// Of it the second filter alone, for the profile's network mode.
int domain_filter(struct plan *plan);

// Host side: makes and removes the directory for temporary files.
int domain_host(const struct plan *plan, struct run *run);
int domain_undo(const struct plan *plan, struct run *run);

// Box side. `domain_child`: adopts orphans, so that none is left behind. `domain_rules` adds the
// plan's paths to a Landlock ruleset.
int domain_child(const struct plan *plan, struct run *run);
int domain_rules(const struct plan *plan, int ruleset);
// Kills and reaps every process below this one.
void domain_end(void);

// pid 1 of the box: starts the command, reaps, forwards signals, ends with the command.

// Never returns on success. A failed exec is reported as MESSAGE_NO_EXEC.
int init_child(const struct plan *plan, struct run *run);

// Landlock over the same plan: a second line should a mount or a descriptor be wrong.

int landlock_plan(const struct probe *probe, struct plan *plan);
int landlock_child(const struct plan *plan, struct run *run);
// In the command's own process of tier landlock: a domain below that of pid 1, which it can then
// neither signal nor trace. 0, or -1 with errno.
int landlock_below(void);

// The ABI of this kernel, 0 without Landlock.
int landlock_abi(void);

// One rule of Landlock for a descriptor (landlock(7), Linux 5.13).

// The rights for files that this ABI knows.
uint64_t landlock_handled(int abi);

// A rule with these rights, cut to what the plan's ABI knows.
int landlock_add_rights(const struct plan *plan, int ruleset, int fd, uint64_t rights);

// A rule with the rights of this kind of access. `directory` says whether the descriptor is one.
int landlock_add(const struct plan *plan, int ruleset, int fd, enum access access, bool directory);

// What a command leaves in the private home: regular files, which are gone with the box.

// In pid 1, while it has the plan. Notes where the private home is, if there is one.
void left_begin(const struct plan *plan);

// In pid 1, at the end: where the box's tmpfs has more inodes than the `made` of `run`, as `used`
// says, writes names of such files into run->message.text: paths below the home, each with its NUL,
// and an empty one. "..." stands for all that are too many. Makes no call otherwise.
void left_look(struct run *run, uint64_t used);

// Pages of this process that the kernel had better have back.

// Gives the pages below the caller's frame back to the kernel, in a process that has done its work
// and waits from now on; they come back empty when needed.
void pages_release_stack(void);

// Resource limits of the processes in the box.

// Raises sbx's own limit of descriptors. Of those that are being passed by sockets the kernel
// counts all of a user's, and allows a sender as many as its limit.
int rlimits_host(const struct plan *plan, struct run *run);
int rlimits_child(const struct plan *plan, struct run *run);

// The command's own limit of descriptors.
struct rlimit rlimits_files(const struct plan *plan, const struct run *run);

// The caller's terminal: given back as it was, on every way out.

int tty_host(const struct plan *plan, struct run *run);
int tty_undo(const struct plan *plan, struct run *run);
// The shell has put us in front again: so is the box.
void tty_lend(struct run *run);
