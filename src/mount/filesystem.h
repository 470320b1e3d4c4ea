// New file systems that are not mounted anywhere yet (fsmount(2), Linux 5.2).
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "plan.h"

// A tmpfs of at most so many bytes, or UNLIMITED, whose directory has this mode. Returns its
// descriptor, or -1 with an error.
int filesystem_tmpfs(uint64_t bytes, mode_t mode, unsigned attributes);

// A fresh MOUNT_PROC or MOUNT_PTS, likewise.
int filesystem_new(enum mount_kind kind);
