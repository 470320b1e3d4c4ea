// Owns the order of the final look. Every name is reached by a descriptor of its directory, which
// is opened without following a link.
#include "guard/check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/gitconfig.h"
#include "base/out.h"
#include "base/path.h"
#include "base/str.h"
#include "base/sys.h"
#include "guard/apart.h"
#include "guard/bare.h"
#include "guard/changed.h"
#include "guard/clock.h"
#include "guard/commands.h"
#include "guard/listed.h"
#include "guard/merge.h"
#include "guard/pointer.h"
#include "guard/quiet.h"
#include "guard/scan.h"
#include "guard/stale.h"
#include "guard/tracked.h"
#include "guard/vet.h"
#include "guard/watch.h"
#include "plan.h"
#include "run.h"

enum { BUDGET = 4096 };

// The directory of the name before: most names share one.
struct place {
	char path[PATH_MAX];
	int fd, problem;
	bool changed; // a name came, went or was replaced in it
	bool told;    // that nothing in it could be looked at
};

// A mount of the box's own: the directory is the one that the plan saw.
static bool is_held(const struct plan *plan, const char *path, size_t length)
{
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const char *target = plan->mounts[i].target;
		if (strncmp(target, path, length - 1) == 0 && target[length - 1] == '\0')
			return plan->mounts[i].kind == MOUNT_BIND;
	}
	return false;
}

// Whether a name may have come or gone. With a margin larger than what clock_start() lets pass: a
// clock that was set back a little must not make what is new look old.
static bool has_new_names(const struct check *check, int directory)
{
	enum { MARGIN_SECONDS = 1 };
	struct check earlier = *check;
	earlier.start.tv_sec -= earlier.start.tv_sec > 0 ? MARGIN_SECONDS : 0;
	return vet_is_changed(&earlier, directory, "");
}

// `length` bytes of the path, with the slash at the end.
static int open_directory(const struct check *check, struct place *place, const char *path,
			  size_t length)
{
	if (length < sizeof(place->path) && (place->path[length] != '\0' || length == 0 ||
					     memcmp(place->path, path, length) != 0)) {
		fd_close(&place->fd);
		memcpy(place->path, path, length);
		place->path[length] = '\0';
		place->fd = sys_openat2(AT_FDCWD, place->path, O_PATH | O_DIRECTORY | O_CLOEXEC,
					RESOLVE_NO_SYMLINKS);
		place->problem = errno;
		place->told = false;
		place->changed = place->fd < 0 || !is_held(check->plan, place->path, length) ||
				 has_new_names(check, place->fd);
	}
	errno = place->problem;
	return place->fd;
}

static int open_parent(const struct check *check, struct place *place, const char *path)
{
	return open_directory(check, place, path, (size_t)(path_name(path) - path));
}

// Nothing led there at the start, and no name has come since where it would begin.
static bool is_absent_still(const struct check *check, struct place *top, const struct guard *guard)
{
	return guard->lacking > 0 &&
	       open_directory(check, top, guard->path, guard->lacking + 1) >= 0 && !top->changed;
}

// A directory on the way was replaced by a link: that is taken away, but not one that was there.
static void check_broken_way(struct check *check, const char *path)
{
	char way[PATH_MAX];
	struct stat status;
	snprintf(way, sizeof(way), "%.*s", (int)(path_name(path) - path - 1), path);
	autoclose int parent = -1;
	char above[PATH_MAX];
	snprintf(above, sizeof(above), "%.*s/", (int)(path_name(way) - way - 1), way);
	parent =
		sys_openat2(AT_FDCWD, above, O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	if (parent >= 0 && fstatat(parent, path_name(way), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISLNK(status.st_mode) && vet_is_changed(check, parent, path_name(way)))
		vet_absent(check, parent, path_name(way), way);
}

static bool has_head(int directory, const char *name)
{
	struct stat status;
	autoclose int fd = openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 &&
	       (fstatat(fd, "HEAD", &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT);
}

// Itself, or with a directory above it that was moved there: then it has its old times.
static bool came_since(const struct check *check, int directory, const char *path)
{
	char above[PATH_MAX];
	const char *top = check->plan->project;
	size_t length = (size_t)(path_name(path) - path) - 1;
	if (vet_is_changed(check, directory, path_name(path)))
		return true;
	while (top && path_within(path, top) && length > strlen(top)) {
		snprintf(above, sizeof(above), "%.*s", (int)length, path);
		if (vet_is_changed(check, AT_FDCWD, above))
			return true;
		length = (size_t)(path_name(above) - above) - 1;
	}
	return false;
}

static void check_guard(struct check *check, const struct guard *guard, int directory,
			const struct stat *status)
{
	char top[PATH_MAX];
	const char *name = path_name(guard->path);
	switch (guard->kind) {
	case GUARD_ABSENT:
		if (!check->plan->due || came_since(check, directory, guard->path))
			vet_absent(check, directory, name, guard->path);
		return;
	case GUARD_REPOSITORY:
		vet_repository(check, directory, name, guard->path);
		return;
	case GUARD_HEADLESS:
		if (!S_ISDIR(status->st_mode) || has_head(directory, name))
			vet_repository(check, directory, name, guard->path);
		return;
	case GUARD_BARE:
		snprintf(top, sizeof(top), "%.*s", (int)(name - guard->path - 1), guard->path);
		bare_look(check, directory, top);
		return;
	case GUARD_HOOKS:
		vet_hooks(check, directory, name, guard->path);
		return;
	case GUARD_CONFIG:
		vet_config(check, directory, name, guard->path);
		return;
	case GUARD_WORKTREES:
	case GUARD_MODULES:
		vet_entries(check, directory, name, guard);
		return;
	case GUARD_REPORTED:
		changed_tell(check, directory, name, guard->path);
		return;
	case GUARD_LISTED:
	case GUARD_LISTED_PART:
		listed_look(check, directory, guard);
		return;
	}
}

// Kinds whose names may have been there at the start.
static bool looks_inside(enum guarded kind)
{
	return kind == GUARD_REPORTED || kind == GUARD_WORKTREES || kind == GUARD_MODULES ||
	       kind == GUARD_HEADLESS || kind == GUARD_BARE;
}

static void tell_unseen(const struct check *check, struct place *place, const char *path)
{
	if (!place->told)
		out_text(check->told,
			 "sbx: %s and what lies beside it could not be looked at (%s): look "
			 "yourself\n",
			 vet_short_path(check->plan, path), strerror(errno));
	place->told = true;
}

static void check_guards(struct check *check)
{
	struct place place = { .fd = -1 }, top = { .fd = -1 };
	struct stat status;
	for (unsigned i = 0; i < check->plan->guard_count; i++) {
		const struct guard *guard = &check->plan->guards[i];
		if (is_absent_still(check, &top, guard))
			continue;
		int directory = open_parent(check, &place, guard->path);
		// What was absent is absent still where no name came; files to be told may have
		// changed.
		if (directory >= 0 && !place.changed && !looks_inside(guard->kind))
			continue;
		if (directory >= 0 && place.changed)
			bare_tell_headless(check, directory, guard);
		if (directory >= 0 &&
		    fstatat(directory, path_name(guard->path), &status, AT_SYMLINK_NOFOLLOW) == 0)
			check_guard(check, guard, directory, &status);
		else if (directory < 0 && (errno == ELOOP || errno == ENOTDIR))
			check_broken_way(check, guard->path);
		else if (errno != ENOENT)
			tell_unseen(check, &place, guard->path);
	}
	fd_close(&place.fd);
	fd_close(&top.fd);
}

// The box's copy, read into `text`: its length, or -1 when it is gone, or not what git writes.
static ssize_t read_copy(const struct run *run, unsigned number, char *text)
{
	char name[32];
	size_t length;
	snprintf(name, sizeof(name), "%u/config", number);
	return file_read_into(run->copies, name, FILE_BENEATH, text, GITCONFIG_BYTES_MOST + 1,
			      &length) <= 0
		       ? -1
		       : (ssize_t)length;
}

static void check_copy(struct check *check, const struct run *run, unsigned number,
		       struct place *place)
{
	static char text[GITCONFIG_BYTES_MOST + 1];
	const struct copy *copy = &check->plan->copies[number];
	struct stat status;
	ssize_t length = run->copies < 0 ? -1 : read_copy(run, number, text);
	int directory = open_parent(check, place, copy->path);
	struct merge merge = { .kind = MERGE_CHANGES,
			       .directory = directory,
			       .name = path_name(copy->path),
			       .mode = copy->mode,
			       .lock = copy->lock,
			       .before = copy->text,
			       .before_length = copy->length,
			       .after = text };
	merge.path = vet_short_path(check->plan, copy->path);
	merge.depth = pointer_depth(check->plan, copy->path);
	if (directory < 0) {
		out_text(check->told, "sbx: %s could not be looked at (%s): look yourself\n",
			 merge.path, strerror(errno));
		return;
	}
	// Somebody on the host wrote it meanwhile, or the box while its link was away.
	if (fstatat(directory, merge.name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	    (status.st_ino != copy->identity.inode ||
	     status.st_ctim.tv_sec != copy->changed.tv_sec ||
	     status.st_ctim.tv_nsec != copy->changed.tv_nsec)) {
		merge.kind = MERGE_LOOK;
		merge_config(&merge, check->told);
	}
	if (length < 0 ||
	    ((size_t)length == copy->length && memcmp(text, copy->text, copy->length) == 0))
		return;
	merge.kind = MERGE_CHANGES;
	merge.after_length = (size_t)length;
	merge_config(&merge, check->told);
}

// What was mounted over must still be what the plan saw: else the host has replaced it, and for a
// moment the box may have written the new one.
static void check_walls(struct check *check)
{
	const struct plan *plan = check->plan;
	struct place place = { .fd = -1 };
	struct stat status;
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *mount = &plan->mounts[i];
		if (!watch_is_wall(mount) || mount->kind != MOUNT_BIND)
			continue;
		int directory = open_parent(check, &place, mount->target);
		const char *name = path_name(mount->target);
		if (directory < 0 || fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
		    (status.st_ino == mount->identity.inode &&
		     status.st_dev == mount->identity.device))
			continue;
		out_text(check->told,
			 "sbx: %s was replaced on the host while the box ran: look whether it is "
			 "what you meant\n",
			 vet_short_path(plan, mount->target));
	}
	fd_close(&place.fd);
}

struct look {
	struct check check;
	const struct run *run;
	bool quiet; // no directory was changed
	enum command_end end;
	struct out first; // what is told before all else
};

static void look_at_all(void *argument)
{
	struct look *look = argument;
	struct check *check = &look->check;
	struct place place = { .fd = -1 };
	bare_tell_broken(check, &look->first);
	for (unsigned i = 0; i < check->plan->copy_count; i++)
		check_copy(check, look->run, i, &place);
	fd_close(&place.fd);
	check_walls(check);
	check_guards(check);
	commands_tell(check);
	tracked_check(check, look->end);
	stale_tell(check);
	if (!look->quiet)
		scan_trees(check, look->run);
	vet_end(check);
	err_clear();
}

// Whether a directory of the names keeps its owner out: then they are not seen, or not taken away.
static bool is_shut(const struct check *check)
{
	const struct plan *plan = check->plan;
	char parent[PATH_MAX] = "";
	struct place top = { .fd = -1 };
	bool shut = false;
	for (unsigned i = 0; i < plan->guard_count && !shut; i++) {
		const char *path = plan->guards[i].path;
		if (is_absent_still(check, &top, &plan->guards[i]))
			continue;
		size_t length = (size_t)(path_name(path) - path);
		if (length >= sizeof(parent) ||
		    (strncmp(parent, path, length) == 0 && parent[length] == '\0'))
			continue;
		memcpy(parent, path, length);
		parent[length] = '\0';
		shut = faccessat(AT_FDCWD, parent, R_OK | W_OK | X_OK, AT_EACCESS) < 0 &&
		       errno == EACCES;
	}
	fd_close(&top.fd);
	return shut;
}

void check_host(const struct plan *plan, const struct run *run, enum command_end end,
		struct out *told, struct out *changed)
{
	struct look look = {
		.check = { .plan = plan,
			   .told = told,
			   .changed = changed,
			   .budget = BUDGET,
			   .start = clock_start(plan) },
		.run = run,
		.end = end,
	};
	struct out *texts[] = { &look.first, told, changed };
	// A nested repository may lie in a directory that is shut: a walk is always done apart.
	look.quiet = plan->guard_count == 0 || quiet_trees(&look.check, run);
	if (geteuid() == 0 || (look.quiet && !is_shut(&look.check)))
		look_at_all(&look);
	else if (!apart_run(look_at_all, &look, texts, 3))
		out_text(told, "sbx: the look at what the command changed did not come to its end: "
			       "look yourself\n");
	if (look.first.used > 0) {
		out_text(&look.first, "%s", told->used ? told->text : "");
		out_free(told);
		*told = look.first;
	}
}
