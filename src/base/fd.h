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

// Wakes a process that waits for signals alone, and has an order for it in the socket. -1 where
// either failed.
int fd_order(int socket, int process, int number, int order);

// One message over a SOCK_SEQPACKET socket, with up to FD_PASSED descriptors. fd_receive returns
// the bytes read, 0 at the end, and -1 in `fds` where none came.
enum { FD_PASSED = 4 };
int fd_send(int socket, void *message, size_t size, const int *fds, unsigned count);
// -1 with EAGAIN where the other side does not read.
int fd_send_now(int socket, void *message, size_t size, const int *fds, unsigned count);
ssize_t fd_receive(int socket, void *message, size_t size, int fds[FD_PASSED]);
// -1 with EAGAIN where no message is there.
ssize_t fd_receive_now(int socket, void *message, size_t size, int fds[FD_PASSED]);

// Closes all descriptors from 3 on but those listed, or marks them close-on-exec when `flags` is
// CLOSE_RANGE_CLOEXEC.
int fd_close_except(const int *keep, unsigned count, unsigned flags);

// Writes a short text to an existing file such as /proc/self/uid_map. Returns 0 or -errno.
int fd_write_file(int directory, const char *path, const char *text);

// A file without a name that can be sealed (memfd_create(2)). The kernel asks for one of these by
// vm.memfd_noexec.
enum memory { MEMORY_PLAIN = 8 /* MFD_NOEXEC_SEAL */, MEMORY_PROGRAM = 16 /* MFD_EXEC */ };
int fd_memory(const char *name, enum memory kind);

// Makes sure that 0, 1 and 2 are open, so that no later open() lands there. Rule 13.
int fd_fill_standard(void);

// Renames and replaces nothing (renameat2(2), RENAME_NOREPLACE); where the file system does not
// know that, as NFS, 9p and some of FUSE, after a look, so that only a name which came in between
// is replaced. -1 with errno.
int fd_rename_new(int from, const char *name, int to, const char *fresh);

// The state of a file, to see whether it was written or replaced.

// What changes when a file is written or replaced. All 0: none. `changed` is its ctime in
// nanoseconds, which no program can set.
struct file_state {
	uint64_t inode, size;
	int64_t changed;
};
struct file_state file_state(const struct stat *status);
bool file_state_equal(const struct file_state *left, const struct file_state *right);

// Small files, whole: each is read by one of these. None waits (a FIFO, a device), follows a link
// at the end of the name or reads other than a regular file, unless a flag says so. Each opens and
// closes its own descriptor and leaves the text to the caller, with a NUL behind it that `length`
// (bytes) does not count.
//
// Results: 1 it was read; 0 there is no such file (ENOENT, ENOTDIR), the text is ""; -1 with errno:
// EINVAL it is no regular file, EFBIG it is larger than `most` bytes, ELOOP or EXDEV a link is in
// the way, or as open(2) and read(2) say. Nothing is recorded as the error of the process but by
// file_failed().

enum file_flags {
	FILE_LINK = 1 << 0,    // a link at the end of the name is followed
	FILE_BENEATH = 1 << 1, // no link on the whole way, nothing above `directory`
	FILE_PART = 1 << 2,    // a file that is too large is cut, not refused
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

// The entries of a directory but "." and "..", without memory of malloc.

struct entry_stream {
	int fd;
	long size, at, left;
	_Alignas(struct sys_entry) char bytes[4096];
};

// NULL at the end, and where there is no directory.
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

// `directory` is read from where it is, once; -1 has no entries. The first `most`, or all.
#define entries_some(entry, directory, most)                                                       \
	for (struct entry_stream entries_ = { .fd = (directory), .left = (most) };                 \
	     entries_.fd > -2; entries_.fd = -2)                                                   \
		for (const struct sys_entry *entry; (entry = entries_next(&entries_));)
#define entries_each(entry, directory) entries_some (entry, directory, LONG_MAX)

// Opens a directory for reading that is no link. -1 with errno.
int fd_directory(int above, const char *name);

// The names in a directory, sorted. Returns how many, or -1.
int names_in(struct arena *arena, int directory, char ***ret_names);

// Directories of sbx's state: below ~/.local/state/sbx, made when they are needed. Rule 20.

// Makes the missing directories of an absolute path, each 0700, and opens the last (O_RDONLY),
// checked to be the caller's own and writable by nobody else. -1 with the error said.
int owned_directory(const char *path);

// The state directory itself: its content says whom the caller trusts. -1 with the error said
// when it is there and not the caller's alone.
int owned_check(const char *state);

// Writes a whole file of the caller's by a rename: the old text or the new, never a part, also when
// others write it at the same time. A link there is replaced. `mode` is that of a file that is not
// there yet; another keeps its own. -1 with the error said.
int owned_replace(int directory, const char *name, const char *text, unsigned mode);
// The same of any bytes in a directory of sbx's; the disk is not waited for.
int owned_write(int directory, const char *name, const char *bytes, size_t length);
// The same of a file of sbx's state, whose directory is made. Nothing is reported: what it says is
// found again. `durable`: after a power loss, too; the disk is waited for.
bool owned_keep(const char *file, const char *text, bool durable);

// A name that no other process has, on this machine or another one: `prefix` and 16 hexadecimal
// digits. A pid is none: other pid namespaces have the same. -1 with the error said.
enum { OWNED_FRESH = 64 };
int owned_fresh(char name[OWNED_FRESH], const char *prefix);

// Where the links at the end of a path lead, to a file that is there or not.
int owned_follow(struct arena *arena, const char *path, const char **ret_path);

// From here on this process may read all files of the caller's and search all directories, or
// change them as well, whatever their mode: a box closes some. By a user namespace with
// CAP_DAC_READ_SEARCH, or CAP_DAC_OVERRIDE too, alone (user_namespaces(7)); what it executes has no
// more than before. Where there are no such namespaces nothing changes. -1 with the error said:
// half of it was done.
enum rights_over { OVER_READING, OVER_ALL };
int owned_override(enum rights_over rights);

// fd_rename_new() by such a process when the caller's own modes forbid it.
// -1 with errno.
int owned_rename(int from, const char *name, int to, const char *fresh);

// Removes a file or a whole tree that may be hostile, of any depth; follows nothing.
// A directory of /tmp for a run, locked (flock) as long as the descriptor that is returned is open.
// Those of the same name but for what follows its last '-' that nobody has locked are of killed
// runs, and removed.
int owned_temporary(const char *path);
// The caller's own directory without its owner's rights: its name for a shell, or DIR. Else NULL.
const char *owned_closed(struct arena *arena, const char *path);
int owned_remove_tree(int directory, const char *name);

// Bytes on the disk of all that lies below a directory that may be hostile; follows nothing. What
// cannot be walked, because it is too deep or has no right to read, makes it OWNED_SIZE_UNKNOWN.
#define OWNED_SIZE_UNKNOWN ((uint64_t)1 << 62)
uint64_t owned_size(int directory);

// Capabilities of this process, by libcap: it allocates memory, so no child of the box's clone may
// call these (process/caps.c has its own).

// Keeps `count` capabilities (linux/capability.h) permitted and effective, and no other; the
// inheritable set is emptied, and by the kernel's rule the ambient one with it. -1 with errno.
int privileges_keep(const int *kept, unsigned count);

// Nothing that this process or a child of it executes gets a capability: empties the inheritable
// set, with it the ambient one, and, for who may (CAP_SETPCAP), the bounding set. The permitted
// and the effective one stay. -1 with errno.
int privileges_pass_none(void);

// The effective set has it; false when that cannot be found out.
bool privileges_have(int capability);

// As cap_to_text(3) writes them, "none" when there are none; NULL with errno.
const char *privileges_text(struct arena *arena);

// For parsers of what a box wrote. Forks; the child calls `work` with no system call left but the
// one that ends it. An arena that is shared carries the result. 0 when it ended well, -1 with the
// reason said.
int locked_run(void (*work)(void *), void *argument);
