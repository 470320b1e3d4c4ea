// Descriptors: always close-on-exec, closed when they go out of scope, handed over by take().
#pragma once

#include <stddef.h>
#include <sys/types.h>

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

// Makes sure that 0, 1 and 2 are open, so that no later open() lands there. Rule 13.
int fd_fill_standard(void);

// Renames and replaces nothing (renameat2(2), RENAME_NOREPLACE); where the file system does not
// know that, as NFS, 9p and some of FUSE, after a look, so that only a name which came in between
// is replaced. -1 with errno.
int fd_rename_new(int from, const char *name, int to, const char *fresh);
