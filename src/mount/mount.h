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

// New file systems that are not mounted anywhere yet (fsmount(2), Linux 5.2).

// A tmpfs of at most so many bytes, or UNLIMITED, whose directory has this mode. Returns its
// descriptor, or -1 with an error.
int filesystem_tmpfs(uint64_t bytes, mode_t mode, unsigned attributes);

// A fresh MOUNT_PROC or MOUNT_PTS, likewise.
int filesystem_new(enum mount_kind kind);

// Box side: mounts plan->mounts[index].
int scratch_child(const struct plan *plan, struct run *run, unsigned index);

// Box side: copies the regular files of mount->source, which is as the plan saw it, into a mount
// that is not attached yet. Hidden files are left out, and large or unreadable ones, and
// all that is more than FILL_FILES_MAX.
enum { FILL_FILES_MAX = 64, FILL_BYTES_MAX = 65536 };
int fill_child(const struct plan *plan, const struct mount *mount, int tree);

// The mount of this index of the plan. Box side.
int mount_copy_child(const struct plan *plan, struct run *run, unsigned index);

// What the host side needs to look after the project.

// Whether it does so in this run: the message says that the box stands.
bool hold_reports(const struct plan *plan);

// Sees every wall over a file of the host in its place.
int hold_child(const struct plan *plan, struct run *run);
// Sends the host side the box's copies and namespaces.
int handover_child(const struct plan *plan, struct run *run);

// The system's settings, as a root caller's box sees them: root's files there are nobody's, so
// that a box reads what anybody may read and no more (rule 26). By id-mapped mounts,
// mount_setattr(2), Linux 5.12.

// Host side, before there is a user namespace that could not: for a root caller, /etc and /opt.
int settings_host(const struct plan *plan, struct run *run);
int settings_undo(const struct plan *plan, struct run *run);

// Whether a row of the plan is one of them: a name in it is no more of the same.
bool settings_maps(const struct plan *plan, const struct mount *mount);

// Notes what cannot be kept here.
void settings_plan(struct plan *plan);

// Box side: the detached mount for a row of the plan, now the caller's; -1 when it needs none.
int settings_take(const struct mount *mount);

// The overlays of a session: the layer that is written on top of the frozen ones.

// Keeps the way to our own descriptors, while the host's /proc is in sight.
int layers_child_begin(struct run *run);

// Mounts a MOUNT_LAYERS: the very mount of another command of the session, or a new one.
int layers_child(const struct plan *plan, struct run *run, unsigned index);

// Mounts that every view has, made while the host side still plans: detached, so that they are
// nowhere until the plan names them.

// Box side. What cannot be made is left to the view, which says why.
int prepare_child(const struct plan *plan, struct run *run);

// The detached mount for a row of the plan, now the caller's; -1 when there is none. One of a
// source is of the very object that the plan saw.
int prepare_take(struct run *run, const struct mount *mount);

// Of what the box sees of something of the host, or of a mask.
struct mount_attr mount_attributes(enum access access);

// Where a mount is put: in a directory of our own tmpfs, of the host, or of a session's layers.

// "/a/b" relative to the new root.
const char *target_inside(const char *target);

bool target_is_same(int fd, const struct identity *identity);

// The descriptor of the last mount at this very path, which `run` owns; -1: none, or none is kept.
int target_mount(const struct plan *plan, const struct run *run, const char *path);

// O_PATH, nothing followed, a directory of the host compared with what the plan saw.
int target_open(const struct plan *plan, struct run *run, unsigned index);

// Makes the file or directory to mount on, but for one of the host.
int target_make(struct run *run, const struct mount *mount, mode_t type);

// Makes MOUNT_LINK. In a session's layer one that leads elsewhere is replaced.
int target_link(struct run *run, const struct mount *mount);

// Moves a detached mount to its target and keeps it in run->mounts.
int target_attach(const struct plan *plan, struct run *run, unsigned index, int tree);
