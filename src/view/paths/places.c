// Owns the list of places: directories with names that the host acts on, and what the check after
// the run does with each name.
#include "view/paths/wishes.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "names/names.h"
#include "text/words.h"

enum { ENTRIES_MAX = 32768 };

bool place_is_settled(const struct stat *status)
{
	const int64_t of_fat =
		2000000000; // nanoseconds; also for other file systems with whole seconds
	return times_now() - times_from(&status->st_ctim) >
	       (status->st_ctim.tv_nsec == 0 ? of_fat : 0) + TIMES_TICK;
}

static bool counts(const struct place *place, const char *name)
{
	return place->role != PLACE_TABLE || place->above[0] || trusted_may_begin(name);
}

static unsigned type_of(int directory, const struct sys_entry *entry)
{
	struct stat status;
	if (entry->type != DT_UNKNOWN ||
	    fstatat(directory, entry->name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return entry->type;
	return IFTODT(status.st_mode);
}

static void read_names(struct arena *arena, struct place *place)
{
	struct stat status;
	struct stood *before = NULL;
	unsigned room = 0, left = ENTRIES_MAX;
	autoclose int fd = open(place->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	place->part = fd < 0 || fstat(fd, &status) < 0;
	if (place->part)
		return;
	place->inode = status.st_ino;
	if (place_is_settled(&status))
		place->changed = status.st_ctim;
	entries_some (entry, fd, ENTRIES_MAX) {
		left--;
		if (!counts(place, entry->name))
			continue;
		before = arena_grow(arena, before, place->count, &room, sizeof(*before));
		before[place->count++] =
			(struct stood){ arena_copy(arena, entry->name, strlen(entry->name)),
					type_of(fd, entry), (unsigned)entry->inode };
	}
	place->part = left == 0;
	if (before)
		qsort(before, place->count, sizeof(*before), str_compare);
	place->before = before;
}

struct place *place_add(struct plan *plan, enum place_role role, const char *path,
			const char *above)
{
	struct place *place = NULL;
	for (unsigned i = 0; i < plan->place_count && !place; i++)
		if (plan->places[i].role == PLACE_NAMED && str_equal(plan->places[i].path, path))
			place = &plan->places[i];
	if (!place && plan->place_count == PLAN_PLACES_MAX) {
		fail(0, "more than %d protected directories in one plan", PLAN_PLACES_MAX);
		return NULL;
	}
	if (!place) {
		plan->places = arena_grow(plan->arena, plan->places, plan->place_count,
					  &plan->place_room, sizeof(*plan->places));
		place = &plan->places[plan->place_count++];
		*place = (struct place){ .path = path };
	}
	place->role = role;
	place->above = above;
	if (role != PLACE_NAMED && role != PLACE_PROGRAMS)
		read_names(plan->arena, place);
	return place;
}

const char *tree_around(const struct plan *plan, const char *path)
{
	const char *around = NULL;
	for (unsigned i = 0; i < plan->tree_count; i++)
		if (path_within(path, plan->trees[i].path) &&
		    (!around || path_within(plan->trees[i].path, around)))
			around = plan->trees[i].path;
	return around;
}

const char *tree_in(const struct plan *plan, const char *path)
{
	for (unsigned i = 0; i < plan->tree_count; i++)
		if (path_within(plan->trees[i].path, path))
			return plan->trees[i].path;
	return NULL;
}

bool tree_is(const struct plan *plan, const char *path)
{
	const char *around = tree_around(plan, path);
	return around && str_equal(around, path);
}

bool place_is_git(const struct plan *plan, const char *path)
{
	for (unsigned i = 0; i < plan->place_count; i++) {
		const struct place *place = &plan->places[i];
		size_t length = strlen(place->path);
		if ((place->role == PLACE_GIT || place->role == PLACE_WORKTREE) &&
		    path_within(path, place->path) &&
		    (!path[length] || layout_is_nested(path + length + 1)))
			return true;
	}
	return false;
}

static struct place *place_around(struct plan *plan, const char *path)
{
	struct place *around = NULL;
	for (unsigned i = 0; i < plan->place_count; i++)
		if (path_within(path, plan->places[i].path) &&
		    !str_equal(path, plan->places[i].path) &&
		    (!around || path_within(plan->places[i].path, around->path)))
			around = &plan->places[i];
	return around;
}

int place_name(struct plan *plan, const char *path, enum act act)
{
	struct stat status;
	struct place *place = place_around(plan, path);
	const char *parent = path_parent(plan->arena, path);
	while (!place && parent[1] && (lstat(parent, &status) < 0 || !S_ISDIR(status.st_mode)))
		parent = path_parent(plan->arena, parent);
	if (!place)
		place = place_add(plan, PLACE_NAMED, parent, "");
	if (!place)
		return -1;
	size_t length = strlen(place->path);
	struct origin origin = { .line = act };
	if (act == ACT_FOLLOW && stat(path, &status) == 0)
		origin.order = (unsigned)status.st_ino;
	list_add(&place->names, plan->arena, path + length + (length > 1), origin);
	return 0;
}

const struct stood *place_had(const struct place *place, const char *name)
{
	return place->count == 0 ? NULL
				 : bsearch(&name, place->before, place->count,
					   sizeof(*place->before), str_compare);
}

const char *place_stands(const struct place *place, const char *path)
{
	char folded[COMPONENT_MAX];
	for (unsigned i = 0; i < place->count; i++)
		if (component_fold(place->before[i].name, folded) &&
		    component_matches(folded, path))
			return place->before[i].name;
	return NULL;
}

static enum act act_of_row(const struct trusted_row *row)
{
	return !row ? ACT_NONE : row->answer == TRUSTED_WALL ? ACT_QUARANTINE : ACT_REPORT;
}

static enum act act_of_part(const struct layout_row *row)
{
	switch (row->kind) {
	case LAYOUT_RUN:
		return ACT_HOOKS;
	case LAYOUT_POINTER:
		return ACT_QUARANTINE;
	case LAYOUT_ORDER:
		return ACT_REPORT;
	case LAYOUT_ADDRESS:
		return ACT_ADDRESSES;
	case LAYOUT_NESTED:
		return str_equal(row->path, "modules") ? ACT_MODULES : ACT_WORKTREES;
	case LAYOUT_CONFIG:
	case LAYOUT_LOCK:
	case LAYOUT_DATA:
		break;
	}
	return ACT_NONE;
}

enum act place_act(const struct place *place, const char *name, enum act *ret_below)
{
	char path[PATH_MAX];
	const struct layout_row *row;
	*ret_below = ACT_NONE;
	switch (place->role) {
	case PLACE_TABLE:
		if (!str_put(path, sizeof(path), "%s%s", place->above, name))
			return ACT_NONE;
		struct trusted_fit fit = trusted_fit(path);
		*ret_below = act_of_row(fit.below);
		return act_of_row(fit.row);
	case PLACE_GIT:
	case PLACE_WORKTREE:
		row = layout_find(name);
		if (!row || strchr(row->path, '/') ||
		    !(row->place & (place->role == PLACE_GIT ? LAYOUT_SHARED : LAYOUT_WORKTREE)))
			return ACT_NONE;
		return act_of_part(row);
	case PLACE_HOOKS:
		return str_ends(name, ".sample") ? ACT_NONE : ACT_QUARANTINE;
	case PLACE_NAMED:
	case PLACE_WORKTREES:
	case PLACE_MODULES:
	case PLACE_PROGRAMS:
		break;
	}
	return ACT_NONE;
}
