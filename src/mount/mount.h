// The room mount owns the making of the view in the box, by raw system calls and descriptors; it
// allocates no memory. Uses: base, nouns, session/store, view/paths. Begin with mount.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/sys.h"
#include "plan.h"

struct run;

// Makes cache directories and notes their identities, before the plan is sealed.
int mount_host(struct plan *plan, struct run *run);

// After pivot_root(2) only the plan's mounts are reachable.
int mount_child_root(const struct plan *plan, struct run *run);
int mount_child_view(const struct plan *plan, struct run *run);
int mount_child_nodes(const struct plan *plan, struct run *run);
// Makes files of /proc read-only, after the last step that writes to them.
int mount_child_proc(const struct plan *plan, struct run *run);
int mount_child_pivot(const struct plan *plan, struct run *run);
int mount_child_detach(const struct plan *plan, struct run *run);
int mount_child_directory(const struct plan *plan, struct run *run);

// New file systems, by fsmount(2), Linux 5.2.

// UNLIMITED `bytes` set no size.
int filesystem_tmpfs(uint64_t bytes, mode_t mode, unsigned attributes);

int filesystem_new(enum mount_kind kind);

int scratch_child(const struct plan *plan, struct run *run, unsigned index);

// Copies regular files of mount->source into a detached mount, without hidden, large or unreadable
// ones.
enum { FILL_FILES_MAX = 64, FILL_BYTES_MAX = 65536 };
int fill_child(const struct plan *plan, const struct mount *mount, int tree);

int mount_copy_child(const struct plan *plan, struct run *run, unsigned index);

bool hold_reports(const struct plan *plan);

int hold_child(const struct plan *plan, struct run *run);
int handover_child(const struct plan *plan, struct run *run);

// Mounts for a caller of uid 0: root's files in them belong to nobody (mount_setattr(2), Linux
// 5.12).

// Runs before the box has its user namespace, which could not make the mounts.
int settings_host(const struct plan *plan, struct run *run);
int settings_undo(const struct plan *plan, struct run *run);

bool settings_maps(const struct plan *plan, const struct mount *mount);

void settings_plan(struct plan *plan);

// Returns the id-mapped mount, or -1 if there is none for `mount`.
int settings_take(const struct mount *mount);

// Call it before pivot_root(2): opens the host's /proc/self/fd.
int layers_child_begin(struct run *run);

// Mounts the overlay of another run of the session, or a new one.
int layers_child(const struct plan *plan, struct run *run, unsigned index);

// Detached mounts that the box makes while the host side plans.

// Ignores failures: mount_child_view() makes the mount again, and reports.
int prepare_child(const struct plan *plan, struct run *run);

// Returns the prepared mount of the inode that the plan names, or -1.
int prepare_take(struct run *run, const struct mount *mount);

struct mount_attr mount_attributes(enum access access);

const char *target_inside(const char *target);

bool target_is_same(int fd, const struct identity *identity);

// Returns a descriptor of the mount at `path`, or -1.
int target_mount(const struct plan *plan, const struct run *run, const char *path);

// Returns the target as O_PATH descriptor. Compares a host directory above it with the plan.
int target_open(const struct plan *plan, struct run *run, unsigned index);

// Makes the target, except below a host directory.
int target_make(struct run *run, const struct mount *mount, mode_t type);

// Makes the symlink. Replaces another link in a session's layer.
int target_link(struct run *run, const struct mount *mount);

int target_attach(const struct plan *plan, struct run *run, unsigned index, int tree);
