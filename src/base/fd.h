// Descriptors are close-on-exec, close when they go out of scope, and are handed over by take().
#pragma once

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/base.h"
#include "base/sys.h"

struct arena;
struct stat;

void fd_close(int *fd);
#define autoclose __attribute__((cleanup(fd_close), unused))

static inline int take(int *fd)
{
	int taken = *fd;
	*fd = -1;
	return taken;
}

// Calls flock(2), again after EINTR.
int fd_lock(int fd, int operation);

// Both continue after short counts and EINTR. fd_read_all() returns less than `size` only at EOF.
ssize_t fd_read_all(int fd, void *buffer, size_t size);
int fd_write_all(int fd, const void *buffer, size_t size);

int fd_order(int socket, int process, int number, int order);

// These use SOCK_SEQPACKET. fd_receive() returns 0 at EOF. It sets `fds` that did not come to -1.
enum { FD_PASSED = 4 };
int fd_send(int socket, void *message, size_t size, const int *fds, unsigned count);
int fd_send_now(int socket, void *message, size_t size, const int *fds, unsigned count);
ssize_t fd_receive(int socket, void *message, size_t size, int fds[FD_PASSED]);
ssize_t fd_receive_now(int socket, void *message, size_t size, int fds[FD_PASSED]);

// Closes descriptors from 3 on. CLOSE_RANGE_CLOEXEC only marks them.
int fd_close_except(const int *keep, unsigned count, unsigned flags);

// Writes a short text to an existing file such as /proc/self/uid_map. Returns 0 or -errno.
int fd_write_file(int directory, const char *path, const char *text);

// Makes a memfd that can be sealed (memfd_create(2)). Kernels with vm.memfd_noexec want one of
// these flags.
enum memory { MEMORY_PLAIN = 8 /* MFD_NOEXEC_SEAL */, MEMORY_PROGRAM = 16 /* MFD_EXEC */ };
int fd_memory(const char *name, enum memory kind);

// Opens missing descriptors 0 to 2: later files would get their numbers.
int fd_fill_standard(void);

// Renames with RENAME_NOREPLACE. NFS, 9p and some of FUSE lack it: there a check comes first.
int fd_rename_new(int from, const char *name, int to, const char *fresh);

// All is 0 if there is no file. `changed` is the ctime in nanoseconds, which no program can set.
struct file_state {
	uint64_t device, inode, size;
	int64_t modified, changed;
};
struct file_state file_state(const struct stat *status);
bool file_state_equal(const struct file_state *left, const struct file_state *right);

// These read a small file whole. They never wait for a FIFO or device. A link at the end needs
// FILE_LINK. Returns 1 if read, with a NUL that `length` does not count; 0 and "" if there is no
// file; -1 and errno: EINVAL (not regular), EFBIG (over `most`), ELOOP or EXDEV (a link). Only
// file_failed() records a failure.

enum file_flags {
	FILE_LINK = 1 << 0,
	FILE_BENEATH = 1 << 1, // no link in the whole path, no place above `directory`
	FILE_PART = 1 << 2,
};

// Reads into the arena. A file without a size (/proc) may have FILE_UNSIZED bytes.
enum { FILE_UNSIZED = 64 * 1024 };
int file_read(int directory, const char *name, unsigned flags, size_t most, struct arena *arena,
	      const char **ret_text, size_t *ret_length);

// Allocates no memory: works in the box and behind a filter.
int file_read_into(int directory, const char *name, unsigned flags, char *buffer, size_t size,
		   size_t *ret_length);

// Reads a file of the kernel (/proc, /sys), at most size - 1 bytes.
size_t file_kernel(int directory, const char *name, char *buffer, size_t size);

int file_open(int directory, const char *name, unsigned flags, struct stat *ret_status);
int file_read_open(int fd, const struct stat *status, size_t most, struct arena *arena,
		   const char **ret_text, size_t *ret_length);

// True if errno is ENOENT or ENOTDIR.
bool file_missing(void);

// Records errno as the reason why a file was not read. Returns -1.
int file_failed(const char *name, size_t most);

struct entry_stream {
	int fd;
	long size, at, left;
	_Alignas(struct sys_entry) char bytes[4096];
};

static inline const struct sys_entry *entries_next(struct entry_stream *entries)
{
	while (entries->left > 0) {
		if (entries->at >= entries->size) {
			entries->at = 0;
			entries->size = entries->fd < 0 ? 0
							: sys_getdents(entries->fd, entries->bytes,
								       sizeof(entries->bytes));
		}
		if (entries->size <= 0)
			return NULL;
		const struct sys_entry *entry = (const void *)(entries->bytes + entries->at);
		entries->at += entry->size;
		if (str_equal(entry->name, ".") || str_equal(entry->name, ".."))
			continue;
		entries->left--;
		return entry;
	}
	return NULL;
}

// Loops over at most `most` entries. Evaluates `directory` once.
#define entries_some(entry, directory, most)                                                       \
	for (struct entry_stream entries_ = { .fd = (directory), .left = (most) };                 \
	     entries_.fd > -2; entries_.fd = -2)                                                   \
		for (const struct sys_entry *entry; (entry = entries_next(&entries_));)
#define entries_each(entry, directory) entries_some (entry, directory, LONG_MAX)

// Opens a directory, but no link to one.
int fd_directory(int above, const char *name);

int names_in(struct arena *arena, int directory, char ***ret_names);

// Files of the state directory, ~/.local/state/sbx.

// Makes missing directories with mode 0700. Opens the last if it is the caller's and nobody else
// can write it.
int owned_directory(const char *path);
int owned_lock(const char *path);

// Fails if `state` exists, and another user owns it or can write it.
int owned_check(const char *state);

// Replaces a file or link by a rename: readers see the old or the new text. `mode` is for a new
// file.
int owned_replace(int directory, const char *name, const char *text, unsigned mode);
// Like owned_replace(), without fsync().
int owned_write(int directory, const char *name, const char *bytes, size_t length);
// `durable`: the file survives a power loss.
bool owned_keep(const char *file, const char *bytes, size_t length, bool durable);

// Writes `prefix` and 16 random hexadecimal digits. A pid is not unique among pid namespaces.
enum { OWNED_FRESH = 64 };
int owned_fresh(char name[OWNED_FRESH], const char *prefix);

// Follows the links at the end of `path`. The file need not exist.
int owned_follow(struct arena *arena, const char *path, const char **ret_path);

// Enters a user namespace, if possible, with CAP_DAC_READ_SEARCH or CAP_DAC_OVERRIDE
// (user_namespaces(7)): a box may have removed the caller's rights to files.
enum rights_over { OVER_READING, OVER_ALL };
int owned_override(enum rights_over rights);

// Renames, also where a mode denies it to the owner.
int owned_rename(int from, const char *name, int to, const char *fresh);

// Makes a directory and locks it (flock(2)) while the returned descriptor is open. Removes unlocked
// directories of the same name, which killed runs left.
int owned_temporary(const char *path);
// If the mode of a directory of the caller denies the owner, returns `path`, quoted for a shell, or
// "DIR" where no quotes help. Else returns NULL.
const char *owned_closed(struct arena *arena, const char *path);
int owned_remove_tree(int directory, const char *name);

// Follows no link. OWNED_SIZE_UNKNOWN: too deep, or not readable.
#define OWNED_SIZE_UNKNOWN ((uint64_t)1 << 62)
uint64_t owned_size(int directory);

// These use libcap, which allocates memory. No child of the box's clone may call them.

// Keeps those of `kept` that are permitted, and makes them effective. Empties the inheritable and
// ambient sets.
int privileges_keep(const int *kept, unsigned count);

// Before an exec: empties the inheritable, ambient and, with CAP_SETPCAP, the bounding set.
int privileges_pass_none(void);

bool privileges_have(int capability);

// Returns text like cap_to_text(3), or "none".
const char *privileges_text(struct arena *arena);
