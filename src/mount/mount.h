// The mount view: made by descriptors inside the box's own mount namespace.
//
// The room mount owns the making of the view in the box: raw system calls, no memory is allocated.
// Uses: base nouns session/store view/paths. Begin with mount.c.
#pragma once

#include "base/sys.h"
#include "plan.h"

struct run;

// Host side, before the plan is sealed: makes the cache directories (0700, owner checked) and
// notes the identity of each in the plan.
int mount_host(struct plan *plan, struct run *run);

// Box side: root, then each mount of the plan, then the change of root. After pivot nothing of
// the host is reachable but what was mounted.
int mount_child_root(const struct plan *plan, struct run *run);
int mount_child_view(const struct plan *plan, struct run *run);
// Devices that were handed over, opened again at their mounts in the box.
int mount_child_nodes(const struct plan *plan, struct run *run);
// The parts of /proc that are read-only over themselves; the last writes to them come before.
int mount_child_proc(const struct plan *plan, struct run *run);
int mount_child_pivot(const struct plan *plan, struct run *run);
int mount_child_detach(const struct plan *plan, struct run *run);
int mount_child_directory(const struct plan *plan, struct run *run);
