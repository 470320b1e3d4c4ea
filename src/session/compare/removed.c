// Owns the walk over what a session has removed of the host's.
#include "session/compare/compare_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"

// All that lies in a directory of the host that the session has removed. Returns 1 when some of it
// is too far down to be looked at.
static int walk_removed(struct compare_walk *walk, const char *path, int host);

// The directory itself is noted already.
static int note_inside(struct compare_walk *walk, const char *path, const char *name, int host)
{
	unsigned own = walk->changes->count - 1;
	autoclose int fd = openat(host, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fail(errno, "read the removed directory '%s'", str_shown(path));
	struct compare_walk above = *walk;
	walk_enter(walk, path, fd);
	walk->covered = true;
	walk->changes->list[own].conflict = walk->same != SAME_YES;
	int result = walk_removed(walk, path, fd);
	*walk = above;
	return result;
}

static int note_removed(struct compare_walk *walk, const char *path, const char *name, int host,
			const struct stat *was)
{
	struct change *change = walk_add(walk, CHANGE_REMOVED, path);
	change->was = *was;
	if (S_ISDIR(was->st_mode))
		return note_inside(walk, path, name, host);
	change->conflict =
		walk->same != SAME_YES || !same_file(walk->changes, walk->root, path, was);
	return 0;
}

static int removed_one(struct compare_walk *walk, const char *path, const char *name, int host)
{
	struct stat status;
	if (fstatat(host, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : fail(errno, "read a removed file");
	return note_removed(walk, path, name, host, &status);
}

static int walk_removed(struct compare_walk *walk, const char *path, int host)
{
	char **names;
	int count = names_in(walk->store->arena, host, &names), far = 0;
	TRY(count);
	if (walk_is_too_far(walk, path))
		return 1;
	for (int i = 0; i < count; i++) {
		int result = removed_one(walk, walk_below(walk, path, names[i]), names[i], host);
		TRY(result);
		far |= result;
	}
	return far;
}

// What lies too far down is noted of the uppermost directory.
static int note_far(struct compare_walk *walk, unsigned own, int result)
{
	walk->changes->list[own].far = result > 0;
	return result < 0 ? -1 : 0;
}

int removed_note_inside(struct compare_walk *walk, const char *path, const char *name, int host)
{
	unsigned own = walk->changes->count - 1;
	return note_far(walk, own, note_inside(walk, path, name, host));
}

int removed_note(struct compare_walk *walk, const char *path, const char *name, int host,
		 const struct stat *was)
{
	unsigned own = walk->changes->count;
	return note_far(walk, own, note_removed(walk, path, name, host, was));
}
