// Owns the check whether a directory became a git repository, or ceased to be one.
#include "postcheck/git/vet.h"

#include <fcntl.h>
#include <limits.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "base/sys.h"
#include "git/git.h"
#include "postcheck/acts/check.h"
#include "report/findings.h"

static bool is_absent_or_made(const struct check *check, int directory, const char *name)
{
	struct stat status;
	return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	       finding_is_made(check, directory, name);
}

// Whether the run made all parts. With an unknown start they count as the user's.
static bool is_of_run(const struct check *check, int directory)
{
	char name[NAME_MAX + 1];
	bool made = check->start.tv_sec != 0 && is_absent_or_made(check, directory, "HEAD");
	layout_each(row)
	{
		str_put(name, sizeof(name), "%.*s", (int)strcspn(row->path, "/"), row->path);
		if (row->kind > LAYOUT_LOCK && !is_absent_or_made(check, directory, name))
			made = false;
	}
	return made;
}

void bare_look(struct check *check, int directory, const char *path)
{
	if (git_directory(directory) == GIT_NONE)
		return;
	if (is_of_run(check, directory))
		vet_repository(check, directory, ".", path);
	else
		parts_undo(check, directory, path);
}

bool bare_is_old(const struct check *check, int directory)
{
	for (enum git_part part = GIT_HEAD + 1; part < GIT_PARTS; part++)
		if (finding_is_made(check, directory, git_part_names[part]))
			return false;
	return finding_is_own(check, directory, "HEAD");
}

// Whether the part is there, and its owner may use it.
static bool has_mode(int directory, const char *name, mode_t needed)
{
	struct stat status;
	return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       (S_ISLNK(status.st_mode) || (status.st_mode & needed) == needed);
}

static bool is_valid(int directory)
{
	enum git_directory is = directory < 0 ? GIT_NONE : git_directory(directory);
	struct git_parts parts = { .has = { [GIT_HEAD] = true } };
	// A worktree's shared parts are two levels up.
	autoclose int shared = is == GIT_NONE ? -1
					      : openat(directory, is == GIT_SHARED ? "../.." : ".",
						       O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (shared < 0 || !has_mode(directory, "HEAD", S_IRUSR) ||
	    !has_mode(shared, "objects", S_IXUSR) || !has_mode(shared, "refs", S_IXUSR))
		return false;
	git_look(shared, GIT_OBJECTS, &parts);
	git_look(shared, GIT_REFS, &parts);
	return git_decide(&parts) == GIT_WHOLE;
}

// A quick check: the names have their types, and HEAD is unchanged.
static bool is_untouched(const struct check *check, int directory)
{
	struct stat status;
	return fstatat(directory, "HEAD", &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       !finding_is_late(check, &status) &&
	       (S_ISLNK(status.st_mode) || (status.st_mode & S_IRUSR)) &&
	       has_mode(directory, "objects", S_IXUSR) && has_mode(directory, "refs", S_IXUSR);
}

// Whether the run changed a part: a repository broken before is not reported.
static bool is_touched(const struct check *check, int directory)
{
	if (directory < 0 || finding_is_changed(check, directory, ""))
		return true;
	for (enum git_part part = GIT_HEAD; part < GIT_PARTS; part++)
		if (finding_is_changed(check, directory, git_part_names[part]))
			return true;
	return false;
}

void bare_tell_broken(const struct check *check, int directory, struct findings *found)
{
	if ((directory < 0 || !is_untouched(check, directory)) && !is_valid(directory) &&
	    is_touched(check, directory))
		findings_add(found, FINDING_BROKEN_REPOSITORY,
			     finding_path(check->plan, check->plan->repository), "", "");
}

void bare_tell_headless(const struct check *check, int directory, const char *path)
{
	struct stat status;
	const char *own = check->plan->project;
	bool nested =
		own && path_within(path, own) && !str_starts(path + strlen(own), "/.git/worktrees");
	if (fstatat(directory, "HEAD", &status, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
		findings_add(check->found, FINDING_HEADLESS, finding_path(check->plan, path),
			     nested ? "the next run can" : "remove it outside of a box", "");
}
