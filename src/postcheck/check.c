// Owns the order of the final look. Every name is reached by a descriptor of its directory, which
// is opened without following a link.
#include "postcheck/check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "git/gitconfig.h"
#include "plan.h"
#include "postcheck/finding/finding.h"
#include "postcheck/git/vet.h"
#include "report/findings.h"
#include "run.h"
#include "trees/git_list.h"

enum { BUDGET = 4096 };

// Nothing led there at the start, and no name has come since where it would begin.
static bool is_absent_still(const struct check *check, struct check_places *places,
			    const struct guard *guard)
{
	return guard->lacking > 0 &&
	       !places_find(check, places, guard->path, guard->lacking + 1U)->changed;
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
	if (finding_is_changed(check, directory, path_name(path)))
		return true;
	while (top && path_within(path, top) && length > strlen(top)) {
		if (!str_put(above, sizeof(above), "%.*s", (int)length, path) ||
		    finding_is_changed(check, AT_FDCWD, above))
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
		str_put(top, sizeof(top), "%.*s", (int)(name - guard->path - 1), guard->path);
		bare_look(check, directory, top);
		return;
	case GUARD_HOOKS:
		vet_hooks(check, directory, name, guard->path);
		return;
	case GUARD_ADDRESSES:
		vet_addresses(check, directory, name, guard->path);
		return;
	case GUARD_CONFIG:
		vet_config(check, directory, name, guard->path);
		return;
	case GUARD_WORKTREES:
	case GUARD_MODULES:
		vet_entries(check, directory, name, guard);
		return;
	case GUARD_PARTS: // by check_parts()
		return;
	case GUARD_REPORTED:
		changed_tell(check, directory, name, guard->path);
		return;
	case GUARD_LISTED:
	case GUARD_LISTED_PART:
		listed_look(check, directory, guard);
		return;
	case GUARD_PROGRAMS:
	case GUARD_PROGRAMS_TOP:
		changed_programs(check, directory, guard);
		return;
	}
}

static void check_parts(struct check *check, const struct guard *guard, const struct place *place)
{
	char top[PATH_MAX];
	if (str_put(top, sizeof(top), "%.*s", (int)place->length - 1, guard->path))
		parts_look(check, place->fd, top, &guard->known, place->changed);
}

// Kinds whose names may have been there at the start.
static bool looks_inside(const struct guard *guard)
{
	enum guarded kind = guard->kind;
	return guard->many || kind >= GUARD_PROGRAMS || kind == GUARD_REPORTED ||
	       kind == GUARD_ADDRESSES || kind == GUARD_PARTS || kind == GUARD_WORKTREES ||
	       kind == GUARD_MODULES || kind == GUARD_HEADLESS || kind == GUARD_BARE;
}

static void tell_unseen(const struct check *check, struct place *place, const char *path)
{
	if (!place->reported)
		findings_add(check->found, FINDING_UNREADABLE, finding_path(check->plan, path),
			     strerror(errno), "");
	place->reported = true;
}

static void check_guards(struct check *check, struct check_places *places)
{
	struct stat status;
	for (unsigned i = 0; i < check->plan->guard_count; i++) {
		const struct guard *guard = &check->plan->guards[i];
		if (is_absent_still(check, places, guard))
			continue;
		struct place *place = places_parent(check, places, guard->path);
		// What was absent is absent still where no name came; reported files may have
		// changed.
		if (place->fd >= 0 && !place->changed && !looks_inside(guard))
			continue;
		if (place->fd >= 0 && place->changed)
			bare_tell_headless(check, place->fd, guard);
		if (place->fd >= 0 && guard->kind == GUARD_PARTS)
			check_parts(check, guard, place);
		else if (place->fd >= 0 && fstatat(place->fd, path_name(guard->path), &status,
						   AT_SYMLINK_NOFOLLOW) == 0)
			check_guard(check, guard, place->fd, &status);
		else if (place->fd < 0 && (errno == ELOOP || errno == ENOTDIR))
			vet_way(check, guard->path);
		else if (errno != ENOENT)
			tell_unseen(check, place, guard->path);
	}
}

// The box's copy, read into `text`: false when there is none, as a box removes it. What cannot be
// read is reported.
static bool read_copy(const struct merge *merge, int copies, unsigned number, char *text,
		      size_t *ret_length)
{
	char name[32];
	snprintf(name, sizeof(name), "%u/config", number);
	int read = copies < 0 ? 0
			      : file_read_into(copies, name, FILE_BENEATH, text,
					       GITCONFIG_BYTES_MAX + 1, ret_length);
	if (read < 0 && file_failed("the box's copy", GITCONFIG_BYTES_MAX) < 0)
		findings_add(merge->check->found, FINDING_CONFIG_FAILED, merge->path, err_taken(),
			     "");
	return read > 0;
}

static struct merge merge_of(const struct check *check, const struct copy *copy, int directory)
{
	return (struct merge){ .check = check,
			       .kind = MERGE_HOST,
			       .directory = directory,
			       .name = path_name(copy->path),
			       .path = finding_path(check->plan, copy->path),
			       .mode = copy->mode,
			       .lock = copy->lock,
			       .depth = pointer_depth(check->plan, copy->path),
			       .before = copy->text,
			       .before_length = copy->length,
			       .after = "" };
}

// Whether somebody can write to it by a descriptor, or by another name.
static bool is_open(int fd, const struct stat *status)
{
	bool free = fcntl(fd, F_SETLEASE, F_RDLCK) == 0 || errno != EAGAIN;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return !free || status->st_nlink > 1;
}

bool copy_look(struct check *check, const struct copy *copy)
{
	char above[PATH_MAX];
	struct stat status;
	str_put(above, sizeof(above), "%.*s", (int)(path_name(copy->path) - copy->path),
		copy->path);
	autoclose int directory = sys_openat2(AT_FDCWD, above, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
					      RESOLVE_NO_SYMLINKS);
	struct merge merge = merge_of(check, copy, directory);
	autoclose int fd = directory < 0 ? -1 : file_open(directory, merge.name, 0, &status);
	if (directory < 0 || (fd < 0 && errno == ENOENT))
		return false;
	if (fd < 0)
		finding_take(check, directory, merge.name, copy->path, "is not a file any more");
	merge.fresh = fd < 0 || is_open(fd, &status);
	int written = merge_config(&merge);
	if (copy->lock >= 0) // the merge may have it alone
		flock(copy->lock, LOCK_SH | LOCK_NB);
	return written != 0;
}

static void check_copy(struct check *check, const struct run *run, unsigned number,
		       struct check_places *places)
{
	static char text[GITCONFIG_BYTES_MAX + 1];
	const struct copy *copy = &check->plan->copies[number];
	struct stat status;
	int directory = places_parent(check, places, copy->path)->fd;
	struct merge merge = merge_of(check, copy, directory);
	if (directory < 0) {
		findings_add(check->found, FINDING_UNREADABLE_FILE, merge.path, strerror(errno),
			     "");
		return;
	}
	// The host has replaced it, and the box could write to it meanwhile.
	if (fstatat(directory, merge.name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	    (status.st_ino != copy->identity.inode ||
	     finding_is_made(check, directory, merge.name)))
		copy_look(check, copy);
	merge.kind = MERGE_CHANGES;
	merge.after = text;
	if (read_copy(&merge, run->copies, number, text, &merge.after_length) &&
	    (merge.after_length != copy->length || memcmp(text, copy->text, copy->length) != 0))
		merge_config(&merge);
}

void check_replaced(const struct check *check, const struct mount *mount)
{
	const char *name = finding_path(check->plan, mount->target);
	if (!findings_has(check->found, FINDING_REPLACED, name))
		findings_add(check->found, FINDING_REPLACED, name, "", "");
}

// What was mounted over must still be what the plan saw: else the host has replaced it, and for a
// moment the box may have written the new one. The box keeps the number of what was there from any
// other file.
static void check_walls(struct check *check, struct check_places *places)
{
	const struct plan *plan = check->plan;
	struct stat status;
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *mount = &plan->mounts[i];
		if (!watch_is_wall(mount) || mount->kind != MOUNT_BIND)
			continue;
		int directory = places_parent(check, places, mount->target)->fd;
		const char *name = path_name(mount->target);
		if (directory < 0 || fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
		    (status.st_ino == mount->identity.inode &&
		     status.st_dev == mount->identity.device))
			continue;
		check_replaced(check, mount);
	}
}

struct check_look {
	struct check check;
	const struct run *run;
	bool quiet; // no directory was changed
	struct check_places places;
};

static void look_at_all(void *argument)
{
	FORGIVING; // each part reports for itself what it could not do
	struct check_look *look = argument;
	struct check *check = &look->check;
	struct check_places *places = &look->places;
	unsigned before = findings_count(check->found);
	if (check->plan->repository) // it holds the index
		bare_tell_broken(check, places_parent(check, places, check->plan->index)->fd,
				 check->found);
	if (check->plan->indexed.inode && faccessat(AT_FDCWD, check->plan->index, F_OK, 0) < 0 &&
	    errno == ENOENT)
		findings_add(check->found, FINDING_INDEX_GONE,
			     finding_path(check->plan, check->plan->index), "", "");
	for (unsigned i = 0; i < check->plan->copy_count; i++)
		check_copy(check, look->run, i, places);
	check_walls(check, places);
	check_guards(check, places);
	places_close(places);
	commands_tell(check);
	if (!look->quiet)
		scan_trees(check, look->run);
	changed_end(check);
	if (findings_count(check->found) > before && journal_beside(check->plan, look->run))
		findings_add(check->found, FINDING_OTHER_BOX, "", "", "");
}

// Whether a directory of the names keeps its owner out: then they are not seen, or not taken away.
static bool is_shut(struct check_look *look)
{
	const struct plan *plan = look->check.plan;
	char parent[PATH_MAX] __attribute__((uninitialized));
	bool shut = false;
	parent[0] = '\0';
	for (unsigned i = 0; i < plan->guard_count && !shut; i++) {
		const char *path = plan->guards[i].path;
		if (is_absent_still(&look->check, &look->places, &plan->guards[i]))
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
	if (shut) // the process apart may open what this one may not
		places_close(&look->places);
	return shut;
}

void check_prepare(const struct plan *plan, struct run *run)
{
	scan_prepare(plan, run);
}

void check_host(const struct plan *plan, struct run *run, struct findings *found)
{
	struct changed_rows rows = { 0 };
	struct check_look look = {
		.check = { .plan = plan,
			   .found = found,
			   .rows = &rows,
			   .budget = BUDGET,
			   .start = clock_start(plan) },
		.run = run,
	};
	// What reads files of a box's is locked, and a nested repository may lie in a directory
	// that keeps its owner out: a walk is always done apart.
	look.quiet = plan->guard_count == 0 || scan_is_quiet(&look.check, run);
	bool done = look.quiet && !plan->due && !is_shut(&look);
	if (done)
		look_at_all(&look);
	else
		done = apart_run(plan, run, look_at_all, &look, found);
	if (done)
		journal_end(plan, run); // else the next run checks it as one that was killed
	else
		findings_add(found, FINDING_CHECK_CUT, "", "", "");
}

// Whether a word, or the text of one for a shell, is git and a command of it that writes the work
// tree.
static bool writes_tree(char *const *words)
{
	static const char *const commands[] = { "merge",   "pull",     "rebase", "stash",
						"reset",   "checkout", "switch", "restore",
						"revert",  "am",       "apply",  "cherry-pick",
						"worktree" };
	bool git = false, writes = false;
	for (; *words; words++) {
		git = git || str_equal(path_name(*words), "git") || str_has_word(*words, "git", 3);
		for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
			writes = writes || str_has_word(*words, commands[i], strlen(commands[i]));
	}
	return git && writes;
}

void check_refused(const struct plan *plan, struct findings *found)
{
	struct check check = { .plan = plan, .found = found, .start = clock_start(plan) };
	if (plan->project && found->counts[FINDING_TRACKED] == 0 && writes_tree(plan->command))
		index_tell_tracked(&check);
}

void check_begin(struct plan *plan, struct run *run)
{
	struct stat index;
	if (plan->index && stat(plan->index, &index) == 0)
		plan->indexed = file_state(&index);
	unshown_begin(plan);
	journal_begin(plan, run);
	clock_pass(plan, run->journal_count ? run->journals[0] : -1);
}
