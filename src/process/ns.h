// Namespaces: the clone that makes them, ids one to one, host name.
//
// The room process owns the processes of a box and their privileges. Uses: base env mount nouns
// seccomp view/paths. Begin with ns.c, then init.c.
#pragma once

struct plan;
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
