// Owns the look at the locks of journals.
#include "trees/living.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"

static bool has_box(struct arena *arena, const char *state, const char *tree)
{
	struct flock range = { .l_type = F_WRLCK, .l_start = 1, .l_len = (off_t)(LIVING_LOOK - 1) };
	autoclose int fd = open(path_kept(arena, state, "journal", tree),
				O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return fd >= 0 && fcntl(fd, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

bool living_reaches(struct arena *arena, const char *state, const char *path)
{
	while (path[1]) {
		if (has_box(arena, state, path))
			return true;
		path = path_parent(arena, path);
	}
	return false;
}
