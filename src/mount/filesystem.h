// New file systems that are not mounted anywhere yet (fsmount(2), Linux 5.2).
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "plan.h"

struct run;

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
