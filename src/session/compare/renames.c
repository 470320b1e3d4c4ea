// Owns what a removed name takes with it, and the detection of renamed files, by their bytes.
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/base.h"
#include "base/fd.h"
#include "session/compare/changes.h"
#include "session/store/store.h"

enum { COMPARED_MAX = 2000 };

// A removed file with the same bytes as an added one.
static struct change *find_origin(struct store *store, const struct session *session,
				  struct changes *changes, const struct change *added,
				  unsigned *compared)
{
	for (unsigned j = 0; j < changes->count && *compared < COMPARED_MAX; j++) {
		struct change *removed = &changes->list[j];
		const char *name;
		if (removed->kind != CHANGE_REMOVED || !S_ISREG(removed->was.st_mode) ||
		    removed->was.st_size != added->is.st_size || removed->root != added->root)
			continue;
		++*compared;
		autoclose int file = sides_open(store, session, added);
		autoclose int parent =
			sides_host_parent(session, removed->root, removed->path, &name);
		autoclose int other =
			parent < 0 ? -1
				   : openat(parent, name,
					    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (file >= 0 && other >= 0 && copy_is_same(file, other))
			return removed;
	}
	return NULL;
}

// A file that was moved carries the mark of its origin along, and leaves a whiteout behind, or what
// was made in its place. Where there are not as many, the host has removed one that the session has
// changed.
static void find_lost(struct changes *changes)
{
	unsigned marked = 0, left = changes->whiteouts;
	for (unsigned i = 0; i < changes->count; i++) {
		marked += changes->list[i].marked;
		left += changes->list[i].was.st_mode != 0;
	}
	for (unsigned i = 0; marked > left && i < changes->count; i++)
		if (changes->list[i].marked)
			changes->list[i].conflict = true;
}

void renames_find(struct store *store, const struct held *held, struct changes *changes)
{
	FORGIVING;
	unsigned removed = 0, compared = 0;
	find_lost(changes);
	for (unsigned i = 0; i < changes->count; i++)
		removed += changes->list[i].kind == CHANGE_REMOVED &&
			   S_ISREG(changes->list[i].was.st_mode);
	for (unsigned i = 0; removed > 0 && i < changes->count; i++) {
		struct change *added = &changes->list[i];
		if (added->kind != CHANGE_ADDED || !S_ISREG(added->is.st_mode) ||
		    added->is.st_size == 0)
			continue;
		struct change *origin =
			find_origin(store, &held->session, changes, added, &compared);
		added->renamed = origin ? origin->path : NULL;
		if (origin && added->guarded && !origin->guarded) {
			origin->guarded = true;
			origin->moved_to = added->path;
		}
	}
}

// All that lies in a directory of the host that the session has removed. Returns 1 when some of it
// is too far down to be compared.
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

// Names that are too far down are noted of the uppermost directory.
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
