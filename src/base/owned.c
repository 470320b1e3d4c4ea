// Owns the making of directories that belong to the caller alone.
#include "base/owned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"

enum { TREE_DEPTH_MOST = 128 };

// Opens or makes a directory that only the caller may use.
static int private_directory(int above, const char *name, const char *whole)
{
	struct stat status;
	if (mkdirat(above, name, 0700) < 0 && errno != EEXIST)
		return fail(errno, "make '%s' in '%s'", name, whole);
	autoclose int fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return fail(errno, "open '%s' in '%s'", name, whole);
	if (status.st_uid != geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)))
		return fail(0, "'%s' in '%s' must belong to you and be writable by nobody else", name,
			    whole);
	return take(&fd);
}

int owned_directory(const char *path)
{
	autoclose int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char name[256];
	for (const char *at = path + 1; *at;) {
		size_t length = strcspn(at, "/");
		if (length >= sizeof(name))
			return fail(ENAMETOOLONG, "'%s'", path);
		memcpy(name, at, length);
		name[length] = '\0';
		at += length + (at[length] == '/');
		int next = openat(fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		bool last = *at == '\0';
		if (next < 0 || last) {
			fd_close(&next);
			TRY(next = private_directory(fd, name, path));
		}
		fd_close(&fd);
		fd = next;
	}
	return take(&fd);
}

// Whatever the box made of it: directories without rights are opened again by their owner.
int owned_remove_tree(int directory, const char *name, int depth)
{
	if (unlinkat(directory, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (depth == TREE_DEPTH_MOST)
		return fail(ELOOP, "more than %d directories deep", TREE_DEPTH_MOST);
	int below = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (below < 0 && errno == EACCES && fchmodat(directory, name, 0700, 0) == 0)
		below = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *stream = below < 0 ? NULL : fdopendir(below);
	if (!stream)
		return fail(errno, "remove '%s'", str_printable(name) ? name : "(control bytes)");
	int result = fchmod(below, 0700);
	for (struct dirent *each = readdir(stream); each && result == 0; each = readdir(stream))
		if (!str_equal(each->d_name, ".") && !str_equal(each->d_name, ".."))
			result = owned_remove_tree(below, each->d_name, depth + 1);
	closedir(stream);
	if (result == 0 && unlinkat(directory, name, AT_REMOVEDIR) < 0)
		result = fail(errno, "remove a directory");
	return result;
}
