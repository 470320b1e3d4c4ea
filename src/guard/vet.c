// Owns the rules for what may appear in a repository.
#include "guard/vet.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/out.h"
#include "base/path.h"
#include "base/str.h"
#include "base/sys.h"
#include "guard/merge.h"
#include "guard/quarantine.h"
#include "jail/judge.h"

enum { DEPTH_MOST = 4, POINTER_MOST = 4096, LOST_TOLD = 4 };

static const char untrusted[] = "appeared, and your own programs would run or trust it";

static void take_away(struct check *check, int directory, const char *name, const char *path,
		      const char *why)
{
	quarantine_take(check->plan->state, directory, name, path, why, check->told);
}

void vet_absent(struct check *check, int directory, const char *name, const char *path)
{
	take_away(check, directory, name, path, untrusted);
}

static bool is_since(int64_t seconds, int64_t nanoseconds, const struct timespec *start)
{
	return seconds > start->tv_sec ||
	       (seconds == start->tv_sec && nanoseconds >= start->tv_nsec);
}

bool vet_is_changed(const struct check *check, int directory, const char *name)
{
	struct stat status;
	int flags = AT_SYMLINK_NOFOLLOW | (name[0] ? 0 : AT_EMPTY_PATH);
	return fstatat(directory, name, &status, flags) == 0 &&
	       is_since(status.st_ctim.tv_sec, status.st_ctim.tv_nsec, &check->start);
}

// False as well where the file system does not know.
bool vet_is_made(const struct check *check, int directory, const char *name)
{
	struct sys_statx status;
	return sys_statx(directory, name, SYS_STATX_BIRTH, &status) == 0 &&
	       (status.mask & SYS_STATX_BIRTH) &&
	       is_since(status.birth_seconds, status.birth_nanoseconds, &check->start);
}

static bool exists(int directory, const char *name)
{
	struct stat status;
	return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

// Opens a directory to be read; anything else under that name is taken away. NULL then, and when
// there is nothing.
static DIR *open_entries(struct check *check, int directory, const char *name, const char *path)
{
	int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		return fdopendir(fd);
	if (exists(directory, name))
		take_away(check, directory, name, path, untrusted);
	return NULL;
}

// The next entry but "." and "..", as long as the budget lasts.
static struct dirent *next_entry(struct check *check, DIR *stream)
{
	struct dirent *entry;
	do
		entry = check->budget > 0 ? readdir(stream) : NULL;
	while (entry && (str_equal(entry->d_name, ".") || str_equal(entry->d_name, "..")));
	check->budget -= entry != NULL;
	return entry;
}

static bool join(char path[PATH_MAX], const char *directory, const char *name)
{
	return snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX;
}

void vet_hooks(struct check *check, int directory, const char *name, const char *path)
{
	char below[PATH_MAX];
	DIR *stream = open_entries(check, directory, name, path);
	if (!stream)
		return;
	for (struct dirent *entry = next_entry(check, stream); entry;
	     entry = next_entry(check, stream))
		if (!str_ends(entry->d_name, ".sample") && join(below, path, entry->d_name) &&
		    (!check->changed_only || vet_is_changed(check, dirfd(stream), entry->d_name)))
			take_away(check, dirfd(stream), entry->d_name, below, untrusted);
	closedir(stream);
	if (check->budget == 0)
		take_away(check, directory, name, path,
			  "appeared with too many entries to look through");
}

const char *vet_short_path(const struct plan *plan, const char *path)
{
	if (plan->project && path_within(path, plan->project) && !str_equal(path, plan->project))
		path += strlen(plan->project) + 1;
	return str_printable(path) ? path : "(a path with control bytes)";
}

// The one that the path lies in, of two the deeper; NULL when it is none.
static const char *tree_around(const struct plan *plan, const char *path)
{
	const char *around = NULL;
	for (unsigned i = 0; i < plan->searched_count; i++)
		if (path_within(path, plan->searched[i].path) &&
		    (!around || path_within(plan->searched[i].path, around)))
			around = plan->searched[i].path;
	return around;
}

unsigned vet_depth(const struct plan *plan, const char *path)
{
	unsigned depth = 0;
	const char *around = tree_around(plan, path);
	if (!around || str_equal(around, path) || !strstr(path, "/modules/"))
		return 0;
	for (path += strlen(around) + 1; *path; path++)
		depth += *path == '/';
	return depth;
}

void vet_config(struct check *check, int directory, const char *name, const char *path)
{
	struct stat status;
	struct merge merge = { .kind = MERGE_FILTER,
			       .directory = directory,
			       .name = name,
			       .path = path,
			       .before = "",
			       .after = "",
			       .lock = -1 };
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	merge.mode = status.st_mode & 0666;
	merge.depth = vet_depth(check->plan, path);
	if (!S_ISREG(status.st_mode) || merge_config(&merge, check->told) < 0)
		take_away(check, directory, name, path, untrusted);
}

// What a pointer file says, without its newline; "" when it says nothing good.
static void read_pointer(int directory, const char *name, char text[POINTER_MOST])
{
	struct stat status;
	autoclose int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t length = -1;
	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		length = fd_read_all(fd, text, POINTER_MOST - 1);
	if (length > 0 && text[length - 1] == '\n')
		length--;
	if (length < 0 || memchr(text, '\n', (size_t)length) || memchr(text, '\0', (size_t)length))
		length = 0;
	text[length] = '\0';
}

// `path` is the .git of a worktree. One in what the box had for itself went with it; git in there
// saw it made.
static void tell_lost(struct check *check, char *path)
{
	if (judge_path(check->plan, path).verdict != PATH_PRIVATE || check->lost++ >= LOST_TOLD)
		return;
	if (str_ends(path, "/.git"))
		path[strlen(path) - strlen("/.git")] = '\0';
	out_text(check->told,
		 "sbx: worktree %s was made in the box's own files and is gone with them (git "
		 "worktree prune forgets it); "
		 "below the project, or in a directory of --write, one stays\n",
		 str_shown(path));
}

// A worktree's directory says where the shared one is: two levels above, as git writes it.
static void vet_worktree(struct check *check, int directory, const char *name, const char *path)
{
	char text[POINTER_MOST], below[PATH_MAX];
	autoclose int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		read_pointer(fd, "commondir", text);
	if (fd < 0 || !str_equal(text, "../..")) {
		take_away(check, directory, name, path, untrusted);
		return;
	}
	if (join(below, path, "config.worktree"))
		vet_config(check, fd, "config.worktree", below);
	read_pointer(fd, "gitdir", text);
	tell_lost(check, text);
}

static void vet_directory(struct check *check, int directory, const char *path, int depth);

// A submodule's name may hold slashes: what has no HEAD is a directory of more.
static void vet_module(struct check *check, int directory, const char *name, const char *path,
		       int depth)
{
	char below[PATH_MAX];
	DIR *stream;
	if (depth == DEPTH_MOST) {
		take_away(check, directory, name, path, "appeared too deep to be looked through");
		return;
	}
	stream = open_entries(check, directory, name, path);
	if (!stream)
		return;
	if (exists(dirfd(stream), "HEAD") || exists(dirfd(stream), "config")) {
		vet_directory(check, dirfd(stream), path, depth + 1);
	} else {
		for (struct dirent *entry = next_entry(check, stream); entry;
		     entry = next_entry(check, stream))
			if (join(below, path, entry->d_name))
				vet_module(check, dirfd(stream), entry->d_name, below, depth + 1);
	}
	closedir(stream);
}

static bool is_known(const struct list *known, const char *name)
{
	list_each (item, known)
		if (str_equal(item->text, name))
			return true;
	return false;
}

static void vet_below(struct check *check, int directory, const char *name, const char *path,
		      enum guarded kind, const struct list *known, int depth)
{
	char below[PATH_MAX];
	DIR *stream = open_entries(check, directory, name, path);
	if (!stream)
		return;
	for (struct dirent *entry = next_entry(check, stream); entry;
	     entry = next_entry(check, stream)) {
		if (is_known(known, entry->d_name) || !join(below, path, entry->d_name))
			continue;
		if (kind == GUARD_WORKTREES)
			vet_worktree(check, dirfd(stream), entry->d_name, below);
		else
			vet_module(check, dirfd(stream), entry->d_name, below, depth);
	}
	closedir(stream);
	if (check->budget == 0)
		take_away(check, directory, name, path, "holds too many entries to look through");
}

void vet_entries(struct check *check, int directory, const char *name, const struct guard *guard)
{
	vet_below(check, directory, name, guard->path, guard->kind, &guard->known, 0);
}

// A repository that nobody knew before: all of it is looked at.
static void vet_directory(struct check *check, int directory, const char *path, int depth)
{
	static const struct list none = { 0 };
	char below[PATH_MAX];
	if (join(below, path, "hooks"))
		vet_hooks(check, directory, "hooks", below);
	if (join(below, path, "config"))
		vet_config(check, directory, "config", below);
	if (join(below, path, "config.worktree"))
		vet_config(check, directory, "config.worktree", below);
	if (exists(directory, "commondir") && join(below, path, "commondir"))
		vet_absent(check, directory, "commondir", below);
	autoclose int info =
		openat(directory, "info", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (info < 0 && exists(directory, "info") && join(below, path, "info"))
		vet_absent(check, directory, "info", below);
	if (info >= 0 && exists(info, "attributes") && join(below, path, "info/attributes"))
		vet_absent(check, info, "attributes", below);
	if (join(below, path, "worktrees"))
		vet_below(check, directory, "worktrees", below, GUARD_WORKTREES, &none, depth);
	if (depth < DEPTH_MOST && join(below, path, "modules"))
		vet_below(check, directory, "modules", below, GUARD_MODULES, &none, depth);
}

// Whether a git directory is an entry, or will be one, of worktrees that are looked through,
// wherever its tree lies.
static bool is_of_guarded(const struct plan *plan, const char *directory)
{
	for (unsigned i = 0; i < plan->guard_count; i++) {
		const struct guard *guard = &plan->guards[i];
		if (guard->kind == GUARD_WORKTREES && path_within(directory, guard->path) &&
		    directory[strlen(guard->path)] &&
		    path_name(directory) == directory + strlen(guard->path) + 1 &&
		    path_name(directory)[0] != '.')
			return true;
	}
	return false;
}

// Of the tree around: its worktrees, and submodules of a repository that the file lies in.
static bool is_of_tree(const char *directory, const char *around, const char *file)
{
	const char *modules = strstr(directory, "/.git/modules/");
	if (!path_within(directory, around))
		return false;
	return str_starts(directory + strlen(around), "/.git/worktrees/") ||
	       (modules && strncmp(file, directory, (size_t)(modules - directory) + 1) == 0);
}

// A .git file may lead only to a worktree or submodule of the repository around it, or to a
// worktree of one that was protected, which has been looked through itself.
static void vet_file(struct check *check, int directory, const char *name, const char *path)
{
	static const char prefix[] = "gitdir: ";
	char text[POINTER_MOST], place[PATH_MAX];
	const char *around = tree_around(check->plan, path);
	read_pointer(directory, name, text);
	if (!around || !str_starts(text, prefix) || !str_printable(text) ||
	    !path_of_link(path, text + sizeof(prefix) - 1, place, sizeof(place)) ||
	    (!is_of_tree(place, around, path) && !is_of_guarded(check->plan, place)))
		take_away(check, directory, name, path, untrusted);
}

void vet_known_repository(struct check *check, int directory, const char *name, const char *path)
{
	char below[PATH_MAX];
	autoclose int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct merge look = { .kind = MERGE_LOOK,
			      .directory = fd,
			      .name = "config",
			      .path = below,
			      .before = "",
			      .after = "",
			      .lock = -1 };
	if (fd < 0)
		return;
	check->changed_only = true;
	if (join(below, path, "hooks"))
		vet_hooks(check, fd, "hooks", below);
	check->changed_only = false;
	if (join(below, path, "config") && vet_is_changed(check, fd, "config"))
		merge_config(&look, check->told);
}

void vet_repository(struct check *check, int directory, const char *name, const char *path)
{
	struct stat status;
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (S_ISREG(status.st_mode)) {
		vet_file(check, directory, name, path);
		return;
	}
	autoclose int fd =
		S_ISDIR(status.st_mode)
			? openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
			: -1;
	if (fd < 0)
		take_away(check, directory, name, path, untrusted);
	else
		vet_directory(check, fd, path, 0);
}
