// Descriptors: always close-on-exec, closed when they go out of scope, handed over by take().
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

// flock(2), also where signals arrive meanwhile. -1 with errno.
int fd_lock(int fd, int operation);

// Whole transfers: short counts and EINTR are handled. read returns the bytes read before EOF.
ssize_t fd_read_all(int fd, void *buffer, size_t size);
int fd_write_all(int fd, const void *buffer, size_t size);

int fd_order(int socket, int process, int number, int order);

// By SOCK_SEQPACKET. 0 at the end; -1 in `fds`: none came.
enum { FD_PASSED = 4 };
int fd_send(int socket, void *message, size_t size, const int *fds, unsigned count);
// EAGAIN: the other side does not read.
int fd_send_now(int socket, void *message, size_t size, const int *fds, unsigned count);
ssize_t fd_receive(int socket, void *message, size_t size, int fds[FD_PASSED]);
// EAGAIN: no message.
ssize_t fd_receive_now(int socket, void *message, size_t size, int fds[FD_PASSED]);

// From 3 on; CLOSE_RANGE_CLOEXEC marks them.
int fd_close_except(const int *keep, unsigned count, unsigned flags);

// Writes a short text to an existing file such as /proc/self/uid_map. Returns 0 or -errno.
int fd_write_file(int directory, const char *path, const char *text);

// A file without a name that can be sealed (memfd_create(2)). The kernel asks for one of these by
// vm.memfd_noexec.
enum memory { MEMORY_PLAIN = 8 /* MFD_NOEXEC_SEAL */, MEMORY_PROGRAM = 16 /* MFD_EXEC */ };
int fd_memory(const char *name, enum memory kind);

// Keeps later descriptors off these numbers.
int fd_fill_standard(void);

// RENAME_NOREPLACE; NFS, 9p and some of FUSE lack it: there a check comes first.
int fd_rename_new(int from, const char *name, int to, const char *fresh);

// 0: no file. `changed`: ctime in nanoseconds, which no program can set.
struct file_state {
	uint64_t device, inode, size;
	int64_t modified, changed;
};
struct file_state file_state(const struct stat *status);
bool file_state_equal(const struct file_state *left, const struct file_state *right);

// Small files, whole, never waiting (FIFO, device) nor following a link at the end, unless a flag
// says so. 1: read, with a NUL behind the text that `length` does not count; 0: none (ENOENT,
// ENOTDIR), ""; -1 with errno: EINVAL not a regular file, EFBIG over `most`, ELOOP or EXDEV a link
// is in the way. Only file_failed() records an error.

enum file_flags {
	FILE_LINK = 1 << 0,
	FILE_BENEATH = 1 << 1, // no link on the whole way, nothing above `directory`
	FILE_PART = 1 << 2,
};

// Into the arena. A file without a size (/proc) has at most FILE_UNSIZED bytes.
enum { FILE_UNSIZED = 64 * 1024 };
int file_read(int directory, const char *name, unsigned flags, size_t most, struct arena *arena,
	      const char **ret_text, size_t *ret_length);

// Takes no memory: for the box's side and processes under a filter, too.
int file_read_into(int directory, const char *name, unsigned flags, char *buffer, size_t size,
		   size_t *ret_length);

// Of the kernel (/proc, /sys, cgroups): cut at size - 1; 0 when it cannot be read.
size_t file_kernel(int directory, const char *name, char *buffer, size_t size);

// The halves of file_read().
int file_open(int directory, const char *name, unsigned flags, struct stat *ret_status);
int file_read_open(int fd, const struct stat *status, size_t most, struct arena *arena,
		   const char **ret_text, size_t *ret_length);

// By errno.
bool file_missing(void);

// Records by errno why the file was not read: -1.
int file_failed(const char *name, size_t most);

struct entry_stream {
	int fd;
	long size, at, left;
	_Alignas(struct sys_entry) char bytes[4096];
};

// NULL at the end, and without a directory.
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

// `directory` is read once; -1: empty.
#define entries_some(entry, directory, most)                                                       \
	for (struct entry_stream entries_ = { .fd = (directory), .left = (most) };                 \
	     entries_.fd > -2; entries_.fd = -2)                                                   \
		for (const struct sys_entry *entry; (entry = entries_next(&entries_));)
#define entries_each(entry, directory) entries_some (entry, directory, LONG_MAX)

// Opens a directory for reading that is no link. -1 with errno.
int fd_directory(int above, const char *name);

// Sorted.
int names_in(struct arena *arena, int directory, char ***ret_names);

// Of sbx's state, below ~/.local/state/sbx.

// Makes missing directories, 0700, and opens the last, checked to be the caller's own and writable
// by nobody else.
int owned_directory(const char *path);
int owned_lock(const char *path);

// -1 when it is there and not the caller's alone.
int owned_check(const char *state);

// By a rename: readers see the old or the new text. Replaces a link. `mode`: of a new file.
int owned_replace(int directory, const char *name, const char *text, unsigned mode);
// Does not wait for the disk.
int owned_write(int directory, const char *name, const char *bytes, size_t length);
// Of sbx's state. `durable`: survives a power loss.
bool owned_keep(const char *file, const char *bytes, size_t length, bool durable);

// `prefix` and 16 hexadecimal digits: unique on every machine, as a pid is not (pid namespaces).
enum { OWNED_FRESH = 64 };
int owned_fresh(char name[OWNED_FRESH], const char *prefix);

// Where the links at the end of a path lead, to a file that is there or not.
int owned_follow(struct arena *arena, const char *path, const char **ret_path);

// Lets this process read (or also change) all files of the caller's whatever their mode, by a user
// namespace with CAP_DAC_READ_SEARCH (CAP_DAC_OVERRIDE): a box may have removed rights. Without
// user namespaces it does nothing. user_namespaces(7).
enum rights_over { OVER_READING, OVER_ALL };
int owned_override(enum rights_over rights);

// For files that the caller's own modes deny.
int owned_rename(int from, const char *name, int to, const char *fresh);

// Of any depth; follows nothing. A temporary directory is locked (flock) while the returned
// descriptor is open; unlocked ones of the same name are of killed runs, and removed.
int owned_temporary(const char *path);
// The caller's own directory without its owner's rights, quoted for a shell, or DIR. Else NULL.
const char *owned_closed(struct arena *arena, const char *path);
int owned_remove_tree(int directory, const char *name);

// Follows nothing. OWNED_SIZE_UNKNOWN: too deep, or not readable.
#define OWNED_SIZE_UNKNOWN ((uint64_t)1 << 62)
uint64_t owned_size(int directory);

// By libcap, which allocates memory: never in a child of the box's clone (process/caps.c).

// Permitted and effective. The inheritable and ambient sets become empty.
int privileges_keep(const int *kept, unsigned count);

// Before an exec: empties the inheritable, ambient and, with CAP_SETPCAP, the bounding set.
int privileges_pass_none(void);

// False: unknown, too.
bool privileges_have(int capability);

// As cap_to_text(3), or "none". NULL with errno.
const char *privileges_text(struct arena *arena);
