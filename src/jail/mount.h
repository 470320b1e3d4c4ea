// The mount view: made by descriptors inside the box's own mount namespace.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct identity;
struct mount;
struct plan;
struct run;

// Host side, before the plan is sealed: makes the cache directories (0700, owner checked) and
// notes the identity of each in the plan.
int mount_host(const struct plan *plan, struct run *run);

// Box side: root, then each mount of the plan, then the change of root. After pivot nothing of
// the host is reachable but what was mounted.
int mount_child_root(const struct plan *plan, struct run *run);
int mount_child_view(const struct plan *plan, struct run *run);
// The parts of /proc that are read-only over themselves; the last writes to them come before.
int mount_child_proc(const struct plan *plan, struct run *run);
int mount_child_pivot(const struct plan *plan, struct run *run);
int mount_child_detach(const struct plan *plan, struct run *run);
int mount_child_directory(const struct plan *plan, struct run *run);

// For kinds of mounts that have a room of their own. A detached tmpfs; whether a descriptor is
// what the plan saw; the place for a mount on our own tmpfs; and the mounting itself, which keeps
// the descriptor in run->mounts.
int mount_make_tmpfs(uint64_t bytes, unsigned attributes);
bool mount_is_same(int fd, const struct identity *identity);
int mount_make_target(struct run *run, const struct mount *mount, mode_t type);
int mount_attach(const struct plan *plan, struct run *run, unsigned index, int tree);
