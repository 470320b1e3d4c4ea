// Owns no descriptor. Safe between clone and exec: system calls only.
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/sys.h"

void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

ssize_t fd_read_all(int fd, void *buffer, size_t size)
{
	size_t done = 0;
	while (done < size) {
		ssize_t got = read(fd, (char *)buffer + done, size - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

int fd_write_all(int fd, const void *buffer, size_t size)
{
	size_t done = 0;
	while (done < size) {
		ssize_t put = write(fd, (const char *)buffer + done, size - done);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		done += (size_t)put;
	}
	return 0;
}

union control {
	struct cmsghdr header;
	char space[CMSG_SPACE(FD_PASSED * sizeof(int))];
};

static int send_message(int socket, void *message, size_t size, const int *fds, unsigned count,
			int flags)
{
	union control control = { .header = { .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	struct iovec part = { message, size };
	struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };
	if (count > 0) {
		control.header.cmsg_len = (socklen_t)CMSG_LEN(count * sizeof(*fds));
		memcpy(CMSG_DATA(&control.header), fds, count * sizeof(*fds));
		header.msg_control = &control;
		header.msg_controllen = (socklen_t)CMSG_SPACE(count * sizeof(*fds));
	}
	ssize_t sent;
	do
		sent = sendmsg(socket, &header, MSG_NOSIGNAL | flags);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)size ? 0 : -1;
}

int fd_send(int socket, void *message, size_t size, const int *fds, unsigned count)
{
	return send_message(socket, message, size, fds, count, 0);
}

int fd_send_now(int socket, void *message, size_t size, const int *fds, unsigned count)
{
	return send_message(socket, message, size, fds, count, MSG_DONTWAIT);
}

int fd_lock(int fd, int operation)
{
	int result;
	do
		result = flock(fd, operation);
	while (result < 0 && errno == EINTR);
	return result;
}

int fd_order(int socket, int process, int number, int order)
{
	bool sent = send(socket, &order, sizeof(order), MSG_DONTWAIT | MSG_NOSIGNAL) ==
		    (ssize_t)sizeof(order);
	return sent && sys_pidfd_send_signal(process, number, NULL) == 0 ? 0 : -1;
}

static ssize_t receive(int socket, void *message, size_t size, int fds[FD_PASSED], int flags)
{
	union control control;
	struct iovec part = { message, size };
	struct msghdr header = { .msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = fds ? &control : NULL,
				 .msg_controllen = fds ? sizeof(control) : 0 };
	for (int i = 0; i < FD_PASSED && fds; i++)
		fds[i] = -1;
	ssize_t got;
	do
		got = recvmsg(socket, &header, MSG_CMSG_CLOEXEC | flags);
	while (got < 0 && errno == EINTR);
	struct cmsghdr *passed = got > 0 ? CMSG_FIRSTHDR(&header) : NULL;
	if (passed && passed->cmsg_level == SOL_SOCKET && passed->cmsg_type == SCM_RIGHTS)
		memcpy(fds, CMSG_DATA(passed), passed->cmsg_len - CMSG_LEN(0));
	return got;
}

ssize_t fd_receive(int socket, void *message, size_t size, int fds[FD_PASSED])
{
	return receive(socket, message, size, fds, 0);
}

ssize_t fd_receive_now(int socket, void *message, size_t size, int fds[FD_PASSED])
{
	return receive(socket, message, size, fds, MSG_DONTWAIT);
}

int fd_close_except(const int *keep, unsigned count, unsigned flags)
{
	unsigned from = 3;
	while (from < (unsigned)INT_MAX) {
		unsigned next = (unsigned)INT_MAX;
		for (unsigned i = 0; i < count; i++)
			if (keep[i] >= 0 && (unsigned)keep[i] >= from && (unsigned)keep[i] < next)
				next = (unsigned)keep[i];
		if (next > from &&
		    sys_close_range(from, next == INT_MAX ? ~0U : next - 1, flags) < 0)
			return -1;
		from = next == INT_MAX ? next : next + 1;
	}
	return 0;
}

int fd_write_file(int directory, const char *path, const char *text)
{
	autoclose int fd = openat(directory, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t length = (ssize_t)strlen(text);
	ssize_t put = write(fd, text, (size_t)length);
	if (put < 0)
		return -errno;
	return put == length ? 0 : -EIO;
}

int fd_memory(const char *name, enum memory kind)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | (unsigned)kind);
	if (fd < 0 && errno == EINVAL) // Linux before 6.3 lacks these flags
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd;
}

int fd_fill_standard(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		if (open("/dev/null", O_RDWR) != fd)
			return fail(errno, "open /dev/null in place of closed descriptor %d", fd);
	}
	return 0;
}

int fd_directory(int above, const char *name)
{
	return openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int fd_rename_new(int from, const char *name, int to, const char *fresh)
{
	struct stat status;
	if (sys_renameat2(from, name, to, fresh, SYS_RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL)
		return -1;
	if (fstatat(to, fresh, &status, AT_SYMLINK_NOFOLLOW) == 0)
		errno = EEXIST;
	return errno == ENOENT ? renameat(from, name, to, fresh) : -1;
}
