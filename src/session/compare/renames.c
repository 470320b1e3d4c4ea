// Owns the detection of renamed files, by their bytes.
#include "session/compare/compare_walk.h"

#include <fcntl.h>

#include "base/err.h"
#include "base/fd.h"
#include "session/compare/changes.h"
#include "session/compare/thing.h"
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
