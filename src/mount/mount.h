// The mount view: made by descriptors inside the box's own mount namespace.
//
// The room mount owns the making of the view in the box: raw system calls, no memory is allocated.
// Uses: base nouns session/store view/paths. Begin with mount.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/sys.h"
#include "plan.h"

struct run;

// Before the plan is sealed: makes cache directories and notes their identities.
int mount_host(struct plan *plan, struct run *run);

// After pivot only the mounts of the plan are reachable.
int mount_child_root(const struct plan *plan, struct run *run);
int mount_child_view(const struct plan *plan, struct run *run);
int mount_child_nodes(const struct plan *plan, struct run *run);
// The last writes to /proc come before.
int mount_child_proc(const struct plan *plan, struct run *run);
int mount_child_pivot(const struct plan *plan, struct run *run);
int mount_child_detach(const struct plan *plan, struct run *run);
int mount_child_directory(const struct plan *plan, struct run *run);

// fsmount(2), Linux 5.2.

// UNLIMITED: no limit.
int filesystem_tmpfs(uint64_t bytes, mode_t mode, unsigned attributes);

int filesystem_new(enum mount_kind kind);

int scratch_child(const struct plan *plan, struct run *run, unsigned index);

// Regular files of mount->source into a mount that is not attached; not hidden, large, unreadable
// ones.
enum { FILL_FILES_MAX = 64, FILL_BYTES_MAX = 65536 };
int fill_child(const struct plan *plan, const struct mount *mount, int tree);

int mount_copy_child(const struct plan *plan, struct run *run, unsigned index);

bool hold_reports(const struct plan *plan);

int hold_child(const struct plan *plan, struct run *run);
int handover_child(const struct plan *plan, struct run *run);

// A root caller's box: root's files are nobody's. mount_setattr(2), Linux 5.12. Rule 26.

// Before there is a user namespace that could not.
int settings_host(const struct plan *plan, struct run *run);
int settings_undo(const struct plan *plan, struct run *run);

bool settings_maps(const struct plan *plan, const struct mount *mount);

void settings_plan(struct plan *plan);

// -1: the row needs none.
int settings_take(const struct mount *mount);

// While the host's /proc is in sight.
int layers_child_begin(struct run *run);

// Another command's very mount, or a new one.
int layers_child(const struct plan *plan, struct run *run, unsigned index);

// Made while the host side plans; detached.

// What fails is left to the view, which says why.
int prepare_child(const struct plan *plan, struct run *run);

// -1: none. Of the very object that the plan saw.
int prepare_take(struct run *run, const struct mount *mount);

struct mount_attr mount_attributes(enum access access);

const char *target_inside(const char *target);

bool target_is_same(int fd, const struct identity *identity);

// -1: none.
int target_mount(const struct plan *plan, const struct run *run, const char *path);

// O_PATH; a directory of the host is compared with the plan.
int target_open(const struct plan *plan, struct run *run, unsigned index);

// But for one of the host.
int target_make(struct run *run, const struct mount *mount, mode_t type);

// In a session's layer another link is replaced.
int target_link(struct run *run, const struct mount *mount);

int target_attach(const struct plan *plan, struct run *run, unsigned index, int tree);
