// Small files, whole: each is read by one of these. None waits (a FIFO, a device), follows a link
// at the end of the name or reads what is no regular file, unless a flag says so. Each opens and
// closes its own descriptor and leaves the text to the caller, with a NUL behind it that `length`
// (bytes) does not count.
//
// Results: 1 it was read; 0 there is no such file (ENOENT, ENOTDIR), the text is ""; -1 with errno:
// EINVAL it is no regular file, EFBIG it is larger than `most` bytes, ELOOP or EXDEV a link is in
// the way, or as open(2) and read(2) say. Nothing is recorded as the error of the process but by
// file_failed().
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/fd.h"

struct arena;

enum file_flags {
	FILE_LINK = 1 << 0,    // a link at the end of the name is followed
	FILE_BENEATH = 1 << 1, // no link on the whole way, nothing above `directory`
	FILE_PART = 1 << 2,    // what is too large is cut, not refused
};

// Into the arena. A file that states no size, as those of /proc, has at most FILE_UNSIZED bytes.
enum { FILE_UNSIZED = 64 * 1024 };
int file_read(int directory, const char *name, unsigned flags, size_t most, struct arena *arena,
	      const char **ret_text, size_t *ret_length);

// Into a buffer of `size` bytes, one for the NUL. No memory is taken: for the box's side and for
// processes under a filter, too.
int file_read_into(int directory, const char *name, unsigned flags, char *buffer, size_t size,
		   size_t *ret_length);

// A file that the kernel writes (/proc, /sys, cgroups), whose size and kind say nothing: its bytes,
// cut at size - 1; 0 when it cannot be read.
size_t file_kernel(int directory, const char *name, char *buffer, size_t size);

// The two halves of file_read(), for who looks at owner, mode or identity in between: a descriptor
// of the caller's and its status, or -1 with errno; then 1 or -1.
int file_open(int directory, const char *name, unsigned flags, struct stat *ret_status);
int file_read_open(int fd, const struct stat *status, size_t most, struct arena *arena,
		   const char **ret_text, size_t *ret_length);

// No such file, from errno.
bool file_missing(void);

// Records why a file of that name was not read, from errno, as everywhere: -1.
int file_failed(const char *name, size_t most);
