// Copies of files with all that belongs to them.
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

// One file, symlink, FIFO or empty directory, as `name` in the directory `to`, which has none of
// that name. Kept: bytes, holes, mode (but setuid and setgid), times, user's attributes, owner
// where we may. A directory gets 0700 until copy_finish(). An ACL is not copied: the mode is then
// one that gives nobody more, and rights_copy() does the rest. -1: failed.
enum copied { COPIED, COPIED_NO_ACL, COPIED_NOT }; // not: a socket or a device
int copy_one(int from, const char *source, const struct stat *status, int to, const char *name);

// An empty FIFO with exactly this mode and these times (utimensat(2)); -1 with errno.
int copy_make_fifo(int to, const char *name, mode_t mode, const struct timespec times[2]);

// Mode and times of a directory whose content is complete.
int copy_finish(int to, const char *name, const struct stat *status);

// Attributes of the user's own, without those of overlayfs. 1: there is an ACL, too.
int copy_attributes(int from, int to);

// Whether two files hold the same bytes, from where they are read.
bool copy_is_same(int left, int right);
