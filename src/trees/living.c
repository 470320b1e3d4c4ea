// Owns the look at the locks of runs.
#include "trees/git_list.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"

int living_open(const char *directory)
{
	autoclose int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 || fd_lock(fd, LOCK_EX) < 0 ? -1 : take(&fd);
}

int living_take(int directory, const char *name, bool *ret_lives)
{
	struct stat status;
	autoclose int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	*ret_lives = false;
	if (fd < 0)
		return -1;
	if (fd_lock(fd, LOCK_EX | LOCK_NB) < 0) {
		*ret_lives = errno == EWOULDBLOCK;
		return -1;
	}
	// Its owner may have removed it meanwhile.
	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 0 ? take(&fd)
											 : -1;
}

static bool has_box(const char *runs)
{
	bool lives = false;
	autoclose int directory = living_open(runs);
	entries_each (entry, directory) {
		autoclose int fd = living_take(directory, entry->name, &lives);
		if (lives)
			break;
	}
	return lives;
}

bool living_reaches(struct arena *arena, const char *state, const char *path)
{
	while (path[1]) {
		if (has_box(path_kept(arena, state, "runs", path)))
			return true;
		path = path_parent(arena, path);
	}
	return false;
}
