// Owns the reading of small files, and the words for its failures.
#include "base/fd.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/sys.h"

bool file_missing(void)
{
	return errno == ENOENT || errno == ENOTDIR;
}

int file_open(int directory, const char *name, unsigned flags, struct stat *ret_status)
{
	int how =
		O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (flags & FILE_LINK ? 0 : O_NOFOLLOW);
	autoclose int fd = flags & FILE_BENEATH ? sys_openat2(directory, name, (unsigned)how,
							      RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS)
						: openat(directory, name, how);
	if (fd < 0 || fstat(fd, ret_status) < 0)
		return -1;
	if (!S_ISREG(ret_status->st_mode)) {
		errno = EINVAL;
		return -1;
	}
	return take(&fd);
}

static int fill(int fd, const struct stat *status, unsigned flags, char *buffer, size_t size,
		size_t *ret_length)
{
	char more;
	size_t stated = (size_t)status->st_size, want = size - 1;
	bool large = stated > want;
	buffer[0] = '\0';
	*ret_length = 0;
	if (stated > 0 && stated < want)
		want = stated;
	ssize_t got = large && !(flags & FILE_PART) ? 0 : fd_read_all(fd, buffer, want);
	if (got < 0)
		return -1;
	if (stated == 0 && (size_t)got == want)
		large = fd_read_all(fd, &more, 1) > 0;
	if (large && !(flags & FILE_PART)) {
		buffer[0] = '\0';
		errno = EFBIG;
		return -1;
	}
	buffer[got] = '\0';
	*ret_length = (size_t)got;
	return 1;
}

int file_read_into(int directory, const char *name, unsigned flags, char *buffer, size_t size,
		   size_t *ret_length)
{
	struct stat status;
	autoclose int fd = file_open(directory, name, flags, &status);
	*ret_length = 0;
	buffer[0] = '\0';
	if (fd < 0)
		return file_missing() ? 0 : -1;
	return fill(fd, &status, flags, buffer, size, ret_length);
}

size_t file_kernel(int directory, const char *name, char *buffer, size_t size)
{
	autoclose int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : fd_read_all(fd, buffer, size - 1);
	buffer[got < 0 ? 0 : got] = '\0';
	return got < 0 ? 0 : (size_t)got;
}

// noinline keeps the large buffer out of the caller's stack.
static __attribute__((noinline)) int read_unsized(int fd, const struct stat *status, size_t most,
						  struct arena *arena, const char **ret_text,
						  size_t *ret_length)
{
	char text[FILE_UNSIZED + 1] __attribute__((uninitialized));
	size_t size = most < FILE_UNSIZED ? most + 1 : sizeof(text);
	int result = fill(fd, status, 0, text, size, ret_length);
	if (*ret_length > 0)
		*ret_text = arena_copy(arena, text, *ret_length);
	return result;
}

int file_read_open(int fd, const struct stat *status, size_t most, struct arena *arena,
		   const char **ret_text, size_t *ret_length)
{
	*ret_text = "";
	*ret_length = 0;
	if ((size_t)status->st_size > most) {
		errno = EFBIG;
		return -1;
	}
	if (status->st_size <= 0)
		return read_unsized(fd, status, most, arena, ret_text, ret_length);
	size_t size = (size_t)status->st_size + 1;
	char *text = arena_take(arena, size);
	*ret_text = text;
	return fill(fd, status, 0, text, size, ret_length);
}

int file_read(int directory, const char *name, unsigned flags, size_t most, struct arena *arena,
	      const char **ret_text, size_t *ret_length)
{
	struct stat status;
	autoclose int fd = file_open(directory, name, flags, &status);
	*ret_text = "";
	*ret_length = 0;
	if (fd < 0)
		return file_missing() ? 0 : -1;
	return file_read_open(fd, &status, most, arena, ret_text, ret_length);
}

int file_failed(const char *name, size_t most)
{
	if (errno == EINVAL)
		return fail(0, "%s: is not a regular file", name);
	if (errno == EFBIG)
		return fail(0, "%s: is larger than %zu KiB", name, most / 1024);
	if (errno == ELOOP)
		return fail(0, "%s: is a symlink that is not followed; use a regular file", name);
	return fail(errno, "%s: cannot be read", name);
}

struct file_state file_state(const struct stat *status)
{
	return (struct file_state){ .device = status->st_dev,
				    .inode = status->st_ino,
				    .size = (uint64_t)status->st_size,
				    .modified = times_from(&status->st_mtim),
				    .changed = times_from(&status->st_ctim) };
}

bool file_state_equal(const struct file_state *left, const struct file_state *right)
{
	return memcmp(left, right, sizeof(*left)) == 0;
}

int names_in(struct arena *arena, int directory, char ***ret_names)
{
	autoclose int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	unsigned count = 0, size = 0;
	char **names = NULL;
	if (fd < 0) {
		char link[32], path[PATH_MAX];
		int problem = errno;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", directory);
		ssize_t length = readlink(link, path, sizeof(path) - 1);
		path[length > 0 ? length : 0] = '\0';
		return fail(problem, "list '%s'", path);
	}
	entries_each (entry, fd) {
		names = arena_grow(arena, names, count, &size, sizeof(*names));
		names[count++] = arena_copy(arena, entry->name, strlen(entry->name));
	}
	if (count > 0)
		qsort(names, count, sizeof(*names), str_compare);
	*ret_names = names;
	return (int)count;
}

// Reads /etc/passwd: name services (NSS) would load libraries into a static program.
const char *passwd_home(struct arena *arena, const char *user, size_t length)
{
	const char *home = NULL;
	FILE *file = fopen("/etc/passwd", "re");
	if (!file)
		return NULL;
	for (const struct passwd *entry = fgetpwent(file); entry && !home; entry = fgetpwent(file))
		if (entry->pw_dir[0] == '/' && entry->pw_dir[1] &&
		    (user ? strlen(entry->pw_name) == length &&
				     memcmp(entry->pw_name, user, length) == 0
			  : entry->pw_uid == geteuid()))
			home = path_clean(arena, entry->pw_dir);
	fclose(file);
	return home;
}
