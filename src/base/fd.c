// Owns no descriptor. Safe between clone and exec: system calls only.
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

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

int fd_fill_standard(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		// The lowest free number is this one: those below are open by now.
		if (open("/dev/null", O_RDWR) != fd)
			return fail(errno, "open /dev/null in place of closed descriptor %d", fd);
	}
	return 0;
}
