// Owns the rules for what may appear in a repository.
#include "postcheck/git/vet.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "base/sys.h"
#include "git/git.h"
#include "names/names.h"
#include "postcheck/acts/check.h"
#include "report/findings.h"
#include "view/paths/wishes.h"

enum { DEPTH_MAX = 4, ENTRIES_MAX = 4096 };

static const char untrusted[] = "appeared, and your own programs would run or trust it";

void vet_absent(struct check *check, int directory, const char *name, const char *path)
{
	static const char named[] = "appeared, and your own programs would run or trust it (to "
				    "let a command make it: --write PATH)";
	bool can = trusted_is_protected(finding_path(check->plan, path));
	finding_take(check, directory, name, path, can ? named : untrusted);
}

void vet_way(struct check *check, const char *path)
{
	char way[PATH_MAX], above[PATH_MAX];
	struct stat status;
	for (int length = (int)(path_name(path) - path) - 1;
	     length > 0 && str_put(way, sizeof(way), "%.*s", length, path);
	     length = (int)strlen(above) - 1) {
		str_put(above, sizeof(above), "%.*s", (int)(path_name(way) - way), way);
		autoclose int parent = sys_openat2(
			AT_FDCWD, above, O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
		if (parent < 0)
			continue;
		if (fstatat(parent, path_name(way), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISLNK(status.st_mode) && finding_is_changed(check, parent, path_name(way)))
			vet_absent(check, parent, path_name(way), way);
		return;
	}
}

static bool exists(int directory, const char *name)
{
	struct stat status;
	return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

// Opens a directory, or returns -1. Quarantines a file in its place.
static int open_entries(struct check *check, int directory, const char *name, const char *path)
{
	int fd = fd_directory(directory, name);
	if (fd < 0 && exists(directory, name))
		finding_take(check, directory, name, path, untrusted);
	return fd;
}

static bool has_budget(struct check *check)
{
	return check->budget > 0 && check->budget-- > 0;
}

static bool join(char path[PATH_MAX], const char *directory, const char *name)
{
	return snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX;
}

static void take_entries(struct check *check, int directory, const char *name, const char *path,
			 bool samples)
{
	char below[PATH_MAX];
	autoclose int fd = open_entries(check, directory, name, path);
	bool own = finding_stood(check, directory, name);
	if (fd < 0)
		return;
	entries_some (entry, fd, check->budget)
		if (has_budget(check) && !(samples && str_ends(entry->name, ".sample")) &&
		    join(below, path, entry->name) &&
		    !(own && finding_is_own(check, fd, entry->name)))
			finding_take(check, fd, entry->name, below, untrusted);
	if (check->budget == 0)
		finding_take(check, directory, name, path,
			     "appeared with too many entries to check");
}

void vet_addresses(struct check *check, int directory, const char *name, const char *path)
{
	char below[PATH_MAX];
	autoclose int fd = fd_directory(directory, name);
	// Quarantines changed entries of a changed directory, even of the user's.
	bool came = fd >= 0 && check->start.tv_sec != 0 && finding_is_changed(check, fd, "");
	bool tell = fd < 0 && finding_is_changed(check, directory, name);
	entries_some (entry, fd, came ? check->budget : ENTRIES_MAX) {
		bool changed = finding_is_changed(check, fd, entry->name);
		if (came && has_budget(check) && changed && join(below, path, entry->name))
			finding_take(check, fd, entry->name, below, untrusted);
		tell = tell || (changed && !came);
	}
	if (came && check->budget == 0)
		finding_take(check, directory, name, path,
			     "appeared with too many entries to check");
	else if (tell)
		changed_add(check, path);
}

// Returns the configuration at the start; a newer repository had none. False: a user's repository
// whose start is unknown.
static bool start_of(const struct check *check, int directory, const char *path,
		     struct start *ret_start)
{
	const struct plan *plan = check->plan;
	*ret_start = (struct start){ .text = "" };
	for (unsigned i = 0; i < plan->start_count && check->known; i++)
		if (str_equal(plan->starts[i].path, path)) {
			*ret_start = plan->starts[i];
			return true;
		}
	return !check->known || check->made || finding_is_made(check, directory, "");
}

static void cut_config(struct check *check, int directory, const char *name, const char *path,
		       bool made)
{
	struct stat status;
	struct start start;
	bool knows = start_of(check, directory, path, &start);
	struct merge merge = { .check = check,
			       .kind = check->living ? MERGE_HOST : MERGE_FILTER,
			       .directory = directory,
			       .name = name,
			       .path = finding_path(check->plan, path),
			       .before = start.text,
			       .before_length = start.length,
			       .after = "",
			       .made = made,
			       .lock = -1 };
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (!knows) {
		finding_take(
			check, directory, name, path,
			"changed, and its text before the run is unknown: your own git would run "
			"what it names");
		return;
	}
	merge.mode = status.st_mode & 0666;
	merge.depth = pointer_depth(check->plan, path);
	if (finding_waits(check) || finding_is_vetted(check, &status))
		return;
	int written = S_ISREG(status.st_mode) ? merge_config(&merge) : -1;
	if (written < 0 && S_ISREG(status.st_mode) && finding_is_fresh(check, &status))
		check->living->takes(check->living, check,
				     path); // counted: endless renewal ends the run
	else if (written < 0)
		finding_take(check, directory, name, path, untrusted);
	else if (written == 0)
		finding_vetted(check, &status);
}

void vet_config(struct check *check, int directory, const char *name, const char *path)
{
	cut_config(check, directory, name, path, false);
}

// Reports a worktree lost with the box's private directories. `file`: its .git.
static void tell_lost(struct check *check, const char *file)
{
	char path[GIT_POINTER_MAX];
	str_put(path, sizeof(path), "%s", file);
	if (judge_path(check->plan, path).verdict != PATH_PRIVATE)
		return;
	if (str_ends(path, "/.git"))
		path[strlen(path) - strlen("/.git")] = '\0';
	findings_add(check->found, FINDING_WORKTREE_LOST, path, "", "");
}

static bool is_looked_at(const struct check *check, int directory, const char *name,
			 const char *path, char below[PATH_MAX])
{
	return exists(directory, name) && join(below, path, name) &&
	       !finding_is_own(check, directory, name);
}

// A new worktree must have its shared directory two levels up.
static void vet_worktree(struct check *check, int directory, const char *name, const char *path)
{
	char text[GIT_POINTER_MAX], below[PATH_MAX];
	autoclose int fd = fd_directory(directory, name);
	const char *shared = fd < 0 ? NULL : git_read_pointer(fd, "commondir", "", text);
	bool stood = finding_stood(check, directory, name);
	if (check->living && !shared && fd >= 0 && git_directory(fd) == GIT_NONE)
		return; // git is making it
	if (!stood && (!shared || !str_equal(shared, "../.."))) {
		finding_take(check, directory, name, path, untrusted);
		return;
	}
	if (is_looked_at(check, fd, "config.worktree", path, below))
		vet_config(check, fd, "config.worktree", below);
	parts_look(check, fd, path, NULL, true);
	layout_each(row) if (row->kind == LAYOUT_ORDER &&
			     is_looked_at(check, fd, row->path, path, below))
		changed_add(check, below);
	const char *tree = stood || check->living ? NULL : git_read_pointer(fd, "gitdir", "", text);
	if (tree)
		tell_lost(check, tree);
}

static void vet_parts(struct check *check, int directory, const char *path, int depth);

// A submodule's name may have slashes: a directory without HEAD has more below.
static void vet_module(struct check *check, int directory, const char *name, const char *path,
		       int depth)
{
	char below[PATH_MAX];
	if (depth == DEPTH_MAX) {
		finding_take(check, directory, name, path, "appeared too deep to be checked");
		return;
	}
	// Git writes a new submodule's templates before its HEAD.
	autoclose int fd = check->living ? fd_directory(directory, name)
					 : open_entries(check, directory, name, path);
	if (fd >= 0 && (exists(fd, "HEAD") || exists(fd, "config")))
		vet_parts(check, fd, path, depth + 1);
	else
		entries_some (entry, fd, check->budget)
			if (has_budget(check) && join(below, path, entry->name))
				vet_module(check, fd, entry->name, below, depth + 1);
}

static void vet_entry(struct check *check, int directory, const char *name, const char *path,
		      enum act act, int depth)
{
	if (check->budget == 0)
		finding_take(check, directory, name, path, "appeared as one of too many");
	else if (act == ACT_WORKTREES)
		vet_worktree(check, directory, name, path);
	else
		vet_module(check, directory, name, path, depth);
	check->budget -= check->budget > 0;
}

static void vet_below(struct check *check, int directory, const char *name, const char *path,
		      enum act act, const struct place *known, int depth)
{
	char below[PATH_MAX];
	autoclose int fd = open_entries(check, directory, name, path);
	entries_each (entry, fd) {
		if ((known && place_had(known, entry->name)) || !join(below, path, entry->name))
			continue;
		if (known && str_equal(entry->name, "HEAD")) // it makes the directory a repository
			vet_absent(check, fd, entry->name, below);
		else
			vet_entry(check, fd, entry->name, below, act, depth);
	}
}

void vet_entries(struct check *check, int directory, const char *name, const char *path,
		 enum act act, const struct place *known)
{
	vet_below(check, directory, name, path, act, known, 0);
}

static void vet_part(struct check *check, const struct layout_row *row, int directory,
		     const char *path, int depth)
{
	bool submodules = str_equal(row->path, "modules");
	char below[PATH_MAX];
	if (strchr(row->path, '/') || !join(below, path, row->path))
		return; // parts_look() finds deeper ones
	if (row->kind == LAYOUT_RUN || row->kind == LAYOUT_ADDRESS)
		take_entries(check, directory, row->path, below, row->kind == LAYOUT_RUN);
	else if (row->kind == LAYOUT_NESTED && (!submodules || depth < DEPTH_MAX))
		vet_below(check, directory, row->path, below,
			  submodules ? ACT_MODULES : ACT_WORKTREES, NULL, depth);
	if (row->kind == LAYOUT_RUN || row->kind >= LAYOUT_ADDRESS ||
	    !is_looked_at(check, directory, row->path, path, below))
		return;
	if (row->kind == LAYOUT_CONFIG)
		cut_config(check, directory, row->path, below, !check->known || check->made);
	else if (row->kind == LAYOUT_POINTER)
		vet_absent(check, directory, row->path, below);
	else
		changed_add(check, below);
}

// Without check->known the repository is new: all of it is checked.
static void vet_parts(struct check *check, int directory, const char *path, int depth)
{
	parts_look(check, directory, path, NULL, true);
	layout_each(row) if (row->kind > LAYOUT_LOCK && (row->place & LAYOUT_SHARED))
		vet_part(check, row, directory, path, depth);
}

// Whether the .git file leads to no repository yet: git makes it later.
static bool leads_nowhere(const struct plan *plan, int directory, const char *name,
			  const char *path)
{
	char text[GIT_POINTER_MAX], place[PATH_MAX];
	struct stat status;
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || status.st_size == 0)
		return true;
	const char *leads = git_read_pointer(directory, name, GIT_FILE_PREFIX, text),
		   *around = tree_around(plan, path);
	if (!leads || !around || !path_of_link(path, leads, place, sizeof(place)) ||
	    !path_within(place, around) || str_equal(place, around))
		return false;
	autoclose int top = open(around, O_PATH | O_DIRECTORY | O_CLOEXEC);
	autoclose int fd =
		sys_openat2(top, place + strlen(around) + 1, O_PATH | O_DIRECTORY | O_CLOEXEC,
			    RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
	return fd < 0 ? errno == ENOENT : git_directory(fd) == GIT_NONE;
}

// Quarantines a .git file that leads elsewhere than to a searched worktree or submodule.
static void vet_pointer(struct check *check, int directory, const char *name, const char *path)
{
	char place[PATH_MAX];
	autoclose int worktrees = -1;
	if (check->living && leads_nowhere(check->plan, directory, name, path))
		return;
	if (!pointer_is_right(check->plan, directory, name, path, place, &worktrees))
		finding_take(check, directory, name, path,
			     "appeared with a text that leads your own git elsewhere");
	else if (worktrees >= 0)
		vet_worktree(check, worktrees, path_name(place), place);
}

void vet_git(struct check *check, int directory, const char *name, const char *path)
{
	struct stat status;
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (!S_ISDIR(status.st_mode) && finding_is_own(check, directory, name))
		return;
	if (S_ISREG(status.st_mode)) {
		vet_pointer(check, directory, name, path);
		return;
	}
	autoclose int fd = S_ISDIR(status.st_mode) ? fd_directory(directory, name) : -1;
	if (fd < 0)
		finding_take(check, directory, name, path, untrusted);
	else
		vet_parts(check, fd, path, 0);
}
