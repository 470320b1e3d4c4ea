// Owns the rules for .git files (read_gitfile_gently() in git's setup.c: git takes any directory).
#include "postcheck/git/vet.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/base.h"
#include "base/sys.h"
#include "git/git.h"
#include "plan.h"
#include "view/paths/wishes.h"

unsigned pointer_depth(const struct plan *plan, const char *path)
{
	unsigned depth = 0;
	const char *around = tree_around(plan, path);
	if (!around || str_equal(around, path) || !strstr(path, "/modules/"))
		return 0;
	for (path += strlen(around) + 1; *path; path++)
		depth += *path == '/';
	return depth;
}

static int open_part(const char *path, size_t length)
{
	char part[PATH_MAX];
	str_put(part, sizeof(part), "%.*s", (int)length, path);
	return sys_openat2(AT_FDCWD, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
}

// Whether the directory is directly in `parent`: git searches no deeper.
static bool is_entry_of(const char *directory, const char *parent)
{
	size_t length = strlen(parent);
	return path_within(directory, parent) && directory[length] &&
	       path_name(directory) == directory + length + 1 && path_name(directory)[0] != '.';
}

// Whether the directory is in `worktrees` of a protected git directory.
static bool is_of_guarded(const struct plan *plan, const char *directory)
{
	char worktrees[PATH_MAX];
	for (unsigned i = 0; i < plan->place_count; i++)
		if (plan->places[i].role == PLACE_GIT &&
		    path_within(directory, plan->places[i].path) &&
		    str_put(worktrees, sizeof(worktrees), "%s/worktrees", plan->places[i].path) &&
		    is_entry_of(directory, worktrees))
			return true;
	return false;
}

// Opens `worktrees` of a repository in the searched tree, or returns -1. The search skips
// repositories in a .git.
static int open_worktrees(const char *directory, const char *around)
{
	static const char worktrees[] = "/worktrees";
	size_t length = (size_t)(path_name(directory) - directory) - 1;
	size_t above = length - (sizeof(worktrees) - 1);
	const char *inside = directory + strlen(around),
		   *git = path_within(directory, around) ? strstr(inside, "/.git/") : NULL;
	if (length < strlen(around) + sizeof(worktrees) ||
	    strncmp(directory + above, worktrees, sizeof(worktrees) - 1) != 0 ||
	    path_name(directory)[0] == '.' || (git && git + strlen("/.git") != directory + above))
		return -1;
	autoclose int repository = open_part(directory, above);
	if (repository < 0 || git_directory(repository) != GIT_WHOLE)
		return -1;
	return open_part(directory, length);
}

// Submodules' names may have slashes. Each submodule may have submodules and worktrees.
static bool is_module(const char *path, size_t length)
{
	struct stat status;
	const char *end = path + length;
	while (*end) {
		end += 1 + strcspn(end + 1, "/");
		autoclose int fd = open_part(path, (size_t)(end - path));
		if (fd < 0)
			return false;
		if (fstatat(fd, "HEAD", &status, AT_SYMLINK_NOFOLLOW) < 0 &&
		    fstatat(fd, "config", &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (!*end)
			return true;
		if (str_starts(end, "/worktrees/"))
			return end[strlen("/worktrees/")] != '.' &&
			       !strchr(end + strlen("/worktrees/"), '/');
		if (!str_starts(end, "/modules/"))
			return false;
		end += strlen("/modules");
	}
	return false;
}

static bool is_of_tree(const char *directory, const char *around, const char *file)
{
	static const char middle[] = "/.git/modules";
	const char *modules = strstr(directory, middle);
	return path_within(directory, around) && modules && modules[sizeof(middle) - 1] == '/' &&
	       strncmp(file, directory, (size_t)(modules - directory) + 1) == 0 &&
	       is_module(directory, (size_t)(modules - directory) + sizeof(middle) - 1);
}

bool pointer_is_right(const struct plan *plan, int directory, const char *name, const char *path,
		      char ret_place[PATH_MAX], int *ret_worktrees)
{
	char text[GIT_POINTER_MAX];
	const char *around = tree_around(plan, path),
		   *leads = git_read_pointer(directory, name, GIT_FILE_PREFIX, text);
	*ret_worktrees = -1;
	if (!around || !leads || !str_printable(leads) ||
	    !path_of_link(path, leads, ret_place, PATH_MAX))
		return false;
	if (is_of_guarded(plan, ret_place) || is_of_tree(ret_place, around, path))
		return true;
	*ret_worktrees = open_worktrees(ret_place, around);
	return *ret_worktrees >= 0;
}

// Whether `line`, relative to the parent of `info`, names searched objects. A quoted line, which
// git unescapes, does not.
static bool is_objects(const struct plan *plan, const char *info, const char *line)
{
	static const char objects[] = "/objects";
	char place[PATH_MAX];
	if (line[0] == '"' || !str_printable(line) ||
	    !path_of_link(info, line, place, sizeof(place)) || !str_ends(place, objects) ||
	    !tree_around(plan, place))
		return false;
	autoclose int whole = open_part(place, strlen(place)),
		      fd = open_part(place, strlen(place) - strlen(objects));
	return whole >= 0 && fd >= 0 && git_directory(fd) == GIT_WHOLE;
}

bool pointer_is_alternates(const struct plan *plan, int directory, const char *name,
			   const char *path)
{
	char text[GIT_POINTER_MAX + 1], info[PATH_MAX], *rest = text;
	size_t length;
	if (!str_ends(path, "/objects/info/alternates") ||
	    !str_put(info, sizeof(info), "%.*s", (int)(path_name(path) - path - 1), path) ||
	    file_read_into(directory, name, 0, text, sizeof(text), &length) <= 0 ||
	    memchr(text, '\0', length))
		return false;
	for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
		if (line[0] && line[0] != '#' && !is_objects(plan, info, line))
			return false;
	return true;
}
