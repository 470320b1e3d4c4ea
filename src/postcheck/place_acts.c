// Owns the comparison of protected directories (struct place) with their listing of the start.
#include "postcheck/postcheck.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "plan.h"
#include "postcheck/acts/check.h"
#include "postcheck/git/vet.h"
#include "report/findings.h"
#include "view/paths/wishes.h"

enum { ENTRIES_MAX = 4096 };

struct looking {
	struct check *check;
	struct watch *watch; // NULL: the run has ended
	const struct place *place;
	bool deeper; // check subdirectories, too
};

static bool is_link(int directory, const char *name)
{
	struct stat status;
	return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISLNK(status.st_mode);
}

static void meet(struct looking *look, int directory, const struct sys_entry *entry);

static bool look_in(struct looking *look, int directory, long most)
{
	if (look->watch)
		watch_directory(look->watch, directory);
	entries_some (entry, directory, most) {
		meet(look, directory, entry);
		most--;
	}
	return most > 0;
}

static void take_hooks(struct looking *look, int directory, const char *name, const char *path)
{
	const struct place hooks = { .role = PLACE_HOOKS,
				     .part = place_had(look->place, name) != NULL,
				     .path = path };
	struct looking deeper = { look->check, look->watch, &hooks, false };
	autoclose int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	look->deeper = true;
	if ((fd < 0 || !look_in(&deeper, fd, ENTRIES_MAX)) && !hooks.part)
		vet_absent(look->check, directory, name, path);
}

// Looks in a subdirectory. With ACT_QUARANTINE quarantines a link: it could lead to the box's
// names.
static void look_below(struct looking *look, int directory, const char *name, const char *path,
		       enum act below)
{
	char above[PATH_MAX];
	const struct place place = {
		.role = PLACE_TABLE, .part = look->place->part, .path = path, .above = above
	};
	struct looking deeper = { look->check, look->watch, &place, false };
	if (below == ACT_QUARANTINE && is_link(directory, name)) {
		vet_absent(look->check, directory, name, path);
		return;
	}
	autoclose int fd = sys_openat2(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				       RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS);
	if (fd < 0 || !str_put(above, sizeof(above), "%s%s/", look->place->above, name))
		return;
	look->deeper = true;
	look_in(&deeper, fd, look->watch ? ENTRIES_MAX : LONG_MAX);
}

static bool is_at_once(enum act act)
{
	return act >= ACT_QUARANTINE && act < ACT_OPENED && act != ACT_CONFIG;
}

static void act_on(struct looking *look, enum act act, int directory, const char *name,
		   const char *path)
{
	struct check *check = look->check;
	char top[PATH_MAX];
	if (look->watch && !is_at_once(act))
		return;
	switch (act) {
	case ACT_NONE:
	case ACT_OPENED:
	case ACT_FOLLOW:
		return;
	case ACT_REPORT:
		if (!changed_is_other(directory, name))
			changed_add(check, path);
		return;
	case ACT_QUARANTINE:
		if (!pointer_is_alternates(check->plan, directory, name, path))
			vet_absent(look->check, directory, name, path);
		return;
	case ACT_HOOKS:
		take_hooks(look, directory, name, path);
		return;
	case ACT_ADDRESSES:
		vet_addresses(check, directory, name, path);
		return;
	case ACT_CONFIG:
		vet_config(check, directory, name, path);
		return;
	case ACT_WORKTREES:
	case ACT_MODULES:
		look->deeper = true;
		vet_entries(check, directory, name, path, act, NULL);
		return;
	case ACT_REPOSITORY:
		vet_repository(check, directory, name, path);
		return;
	case ACT_BARE:
		if (str_put(top, sizeof(top), "%.*s", (int)(path_name(path) - path - 1), path))
			bare_look(check, directory, top);
		return;
	}
}

static bool is_opened(const struct plan *plan, const char *path)
{
	for (unsigned i = 0; i < plan->place_count; i++) {
		size_t length = strlen(plan->places[i].path);
		list_each (item, &plan->places[i].names)
			if (item->from.line == ACT_OPENED &&
			    path_within(path, plan->places[i].path) && path[length] &&
			    str_equal(path + length + 1, item->text))
				return true;
	}
	return false;
}

// Whether the entry is of the start: then a directory, or of the same type and no link, or
// unchanged.
static bool is_known(const struct looking *look, int directory, const struct sys_entry *entry)
{
	const struct stood *stood = place_had(look->place, entry->name);
	return stood &&
	       (stood->type == DT_DIR || (stood->type == entry->type && stood->type != DT_LNK) ||
		!finding_is_changed(look->check, directory, entry->name));
}

static void meet(struct looking *look, int directory, const struct sys_entry *entry)
{
	char path[PATH_MAX];
	const struct place *place = look->place;
	const char *name = entry->name;
	if (is_known(look, directory, entry))
		return;
	enum act below, act = place_act(place, name, &below);
	if (place_had(place, name))
		act = ACT_NONE;
	if ((act == ACT_NONE && below == ACT_NONE) ||
	    (place->part && !finding_is_changed(look->check, directory, name)) ||
	    !str_put(path, sizeof(path), "%s/%s", place->path, name) ||
	    is_opened(look->check->plan, path))
		return;
	// The listing of the start is incomplete: this name may be the user's.
	if (act == ACT_QUARANTINE && place->part)
		act = ACT_REPORT;
	act_on(look, act, directory, name, path);
	if (act != ACT_QUARANTINE && below != ACT_NONE)
		look_below(look, directory, name, path, below);
}

// Acts on a known name that changed or is gone: without .npmrc an install runs scripts again.
static void look_at_known(struct looking *look, int directory, const struct stood *stood)
{
	char path[PATH_MAX];
	struct stat status;
	enum act below, act = place_act(look->place, stood->name, &below);
	if ((act != ACT_REPORT && act != ACT_ADDRESSES && below == ACT_NONE) ||
	    !str_put(path, sizeof(path), "%s/%s", look->place->path, stood->name))
		return;
	if (fstatat(directory, stood->name, &status, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno == ENOENT && look->place->role == PLACE_TABLE &&
		    (stood->type != DT_DIR || !changed_in_other_case(stood->name)))
			changed_add(look->check, path);
	} else if (act == ACT_ADDRESSES) {
		vet_addresses(look->check, directory, stood->name, path);
	} else if (act == ACT_REPORT) {
		changed_tell(look->check, directory, stood->name, path);
	}
}

// Reports new names in an old hooks directory: the host's git may have written them.
static void look_at_hooks(struct looking *look, int directory)
{
	char path[PATH_MAX];
	const struct stood *stood = place_had(look->place, "hooks");
	if (look->place->role == PLACE_GIT && stood && stood->type == DT_DIR &&
	    finding_is_changed(look->check, directory, stood->name) &&
	    str_put(path, sizeof(path), "%s/%s", look->place->path, stood->name))
		take_hooks(look, directory, stood->name, path);
}

// Checks a listed name. In git directories, parts_look() checks links on the way.
static void look_at_name(struct looking *look, int directory, const struct item *item)
{
	char path[PATH_MAX];
	struct stat status;
	const enum act act = (enum act)item->from.line;
	const char *inside = item->text, *at = look->place->path;
	bool quick = !strchr(inside, '/') || look->place->role == PLACE_GIT ||
		     look->place->role == PLACE_WORKTREE;
	if (act == ACT_OPENED || (look->watch && !is_at_once(act)) ||
	    !str_put(path, sizeof(path), "%s/%s", at[1] ? at : "", inside))
		return;
	if (act == ACT_FOLLOW) {
		changed_follow(look->check, directory, item, path);
		return;
	}
	if (look->check->absent && act >= ACT_QUARANTINE && strchr(inside, '/'))
		return;
	if (!look->watch && quick && fstatat(directory, inside, &status, AT_SYMLINK_NOFOLLOW) < 0 &&
	    errno == ENOENT)
		return;
	autoclose int above = look->watch ? watch_open(look->watch, path) : places_above(path);
	if (above < 0 && (errno == ELOOP || errno == ENOTDIR))
		vet_way(look->check, path);
	else if ((above < 0 || fstatat(above, path_name(path), &status, AT_SYMLINK_NOFOLLOW) < 0) &&
		 errno != ENOENT && !look->watch)
		findings_add(look->check->found, FINDING_UNREADABLE,
			     finding_path(look->check->plan, path), strerror(errno), "");
	if (above < 0 || fstatat(above, path_name(path), &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (act == ACT_REPORT)
		changed_tell(look->check, above, path_name(path), path);
	else
		act_on(look, act, above, path_name(path), path);
}

int places_above(const char *path)
{
	char above[PATH_MAX];
	if (!str_put(above, sizeof(above), "%.*s", (int)(path_name(path) - path), path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return sys_openat2(AT_FDCWD, above, O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
}

// Opens the directory. Quarantines a new link on the way.
static int open_place(struct looking *look, struct stat *ret_status)
{
	char name[PATH_MAX];
	const char *path = look->place->path;
	unsigned reads = look->place->role == PLACE_NAMED ? O_PATH : O_RDONLY;
	autoclose int fd =
		sys_openat2(AT_FDCWD, path, reads | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	if (fd >= 0 && fstat(fd, ret_status) == 0)
		return take(&fd);
	if ((errno == ELOOP || errno == ENOTDIR) && str_put(name, sizeof(name), "%s/.", path))
		vet_way(look->check, name);
	else if (errno != ENOENT && !look->watch)
		findings_add(look->check->found, FINDING_UNREADABLE,
			     finding_path(look->check->plan, path), strerror(errno), "");
	return -1;
}

static bool is_same(const struct timespec *one, const struct timespec *other)
{
	return one->tv_sec != 0 && times_from(one) == times_from(other);
}

static void look_at_entries(struct looking *look)
{
	const struct place *place = look->place;
	autoclose int above = places_above(place->path);
	if (above >= 0)
		vet_entries(look->check, above, path_name(place->path), place->path,
			    place->role == PLACE_WORKTREES ? ACT_WORKTREES : ACT_MODULES, place);
}

static void look_at_place(struct looking *look)
{
	const struct place *place = look->place;
	struct stat status;
	autoclose int fd = open_place(look, &status);
	if (fd < 0)
		return;
	bool changed = status.st_ino != place->inode || !is_same(&place->changed, &status.st_ctim);
	list_each (item, &place->names)
		look_at_name(look, fd, item);
	if (place->role == PLACE_PROGRAMS)
		changed_programs(look->check, fd, place);
	else if (place->role == PLACE_GIT || place->role == PLACE_WORKTREE)
		parts_look(look->check, fd, place->path, place, changed);
	if (place->role == PLACE_GIT && changed)
		bare_tell_headless(look->check, fd, place->path);
	if (place->role == PLACE_WORKTREES || place->role == PLACE_MODULES) {
		if (changed)
			look_at_entries(look);
		return;
	}
	if (changed && place->role != PLACE_PROGRAMS && place->role != PLACE_NAMED)
		look_in(look, fd, LONG_MAX);
	look_at_hooks(look, fd);
	for (unsigned i = 0; i < place->count; i++)
		look_at_known(look, fd, &place->before[i]);
}

void places_look(struct check *check)
{
	for (unsigned i = 0; i < check->plan->place_count; i++) {
		struct looking look = { check, NULL, &check->plan->places[i], false };
		look_at_place(&look);
	}
}

static void watch_place(struct looking *look, struct watched_place *seen)
{
	const struct place *place = look->place;
	struct stat status;
	autoclose int fd = open_place(look, &status);
	if (fd < 0)
		return;
	if (place->role == PLACE_WORKTREES || place->role == PLACE_MODULES) {
		seen->deeper |= !is_same(&seen->changed, &status.st_ctim);
		if (seen->deeper)
			look_at_entries(look);
		return;
	}
	if (place->role != PLACE_NAMED &&
	    (seen->deeper || !is_same(&seen->changed, &status.st_ctim))) {
		bool settled = place_is_settled(&status);
		look_in(look, fd, ENTRIES_MAX);
		*seen = (struct watched_place){ settled ? status.st_ctim : (struct timespec){ 0 },
						look->deeper };
		if (!settled)
			look->watch->again = steady_now() + LOOK_MILLISECONDS;
	}
	list_each (item, &place->names)
		look_at_name(look, fd, item);
	if (place->role != PLACE_GIT && place->role != PLACE_WORKTREE)
		return;
	look_at_hooks(look, fd);
	parts_look(look->check, fd, place->path, place, true);
}

void places_watch(struct check *check, struct watch *watch)
{
	for (unsigned i = 0; i < check->plan->place_count; i++) {
		struct looking look = { check, watch, &check->plan->places[i], false };
		if (look.place->role <= PLACE_MODULES)
			watch_place(&look, &watch->places[i]);
	}
}

bool places_are_shut(const struct plan *plan)
{
	char path[PATH_MAX];
	struct stat status;
	bool shut = false;
	for (unsigned i = 0; i < plan->place_count && !shut; i++) {
		const struct place *place = &plan->places[i];
		shut = faccessat(AT_FDCWD, place->path, R_OK | W_OK | X_OK, AT_EACCESS) < 0 &&
		       errno == EACCES;
		for (const struct item *item = place->names.first; item && !shut; item = item->next)
			shut = item->from.line >= ACT_QUARANTINE && strchr(item->text, '/') &&
			       str_put(path, sizeof(path), "%s/%s", place->path, item->text) &&
			       (lstat(path, &status) == 0 || errno == EACCES);
	}
	return shut;
}
