// Owns one walk: where it is, and the changes that it has met.
#include "session/compare/changes.h"

#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "text/words.h"

struct change *walk_add(struct compare_walk *walk, enum change_kind kind, const char *path)
{
	struct changes *changes = walk->changes;
	changes->list = arena_grow(walk->store->arena, changes->list, changes->count,
				   &changes->size, sizeof(*changes->list));
	struct change *change = &changes->list[changes->count++];
	*change = (struct change){ .kind = kind,
				   .root = walk->root,
				   .path = path,
				   .layer = -1,
				   .covered = walk->covered,
				   .parent = walk->parent };
	change->inside = walk->inside;
	change->guarded = walk->guarded || withheld_has(&walk->names, walk->root, path);
	if (kind != CHANGE_MODE && component_is_git(path_name(path)))
		change->guarded = true;
	if ((kind == CHANGE_REMOVED || kind == CHANGE_TYPE) &&
	    repository_loses(walk_whole(walk, path)))
		change->guarded = true;
	return change;
}

const char *walk_below(struct compare_walk *walk, const char *path, const char *name)
{
	return path[0] ? arena_text(walk->store->arena, "%s/%s", path, name) : name;
}

const char *walk_whole(struct compare_walk *walk, const char *path)
{
	return walk->repository ? path_below(walk->store->arena, walk->repository, path) : path;
}

bool walk_is_too_far(const struct compare_walk *walk, const char *path)
{
	return walk->depth >= DEPTH_MAX || strlen(path) > PATH_BYTES_MAX;
}

void walk_enter(struct compare_walk *walk, const char *path, int host)
{
	struct stat status;
	enum same same =
		host < 0 ? SAME_YES
			 : same_directory(walk->changes, &walk->seen, walk->root, path, host);
	walk->depth++;
	walk->same = same > walk->same ? same : walk->same;
	walk->above = seen_find(&walk->seen, path);
	walk->parent = host >= 0 && fstat(host, &status) == 0 ? status.st_ino : 0;
}
