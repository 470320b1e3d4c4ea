// Owns the comparison of an old bare repository, part by part, with the times of boxes.
#include "postcheck/git/old_bare.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/str.h"
#include "git/recognise.h"
#include "postcheck/finding/finding.h"

// Nothing came to another place between the tree's root and `directory` since the boxes began: each
// directory above has its old ctime, which no box can set back.
static bool is_in_place(const struct check *check, const char *tree, int directory,
			const char *path)
{
	autoclose int above = -1;
	for (const char *rest = path + check->root; *rest; rest = strchrnul(rest + 1, '/')) {
		int next = openat(above < 0 ? directory : above, "..",
				  O_PATH | O_DIRECTORY | O_CLOEXEC);
		fd_close(&above);
		above = next;
		if (next < 0 || !finding_is_own(check, next, ".", tree, OWN_ALL))
			return false;
	}
	return true;
}

bool old_bare(const struct check *check, const char *tree, int directory, const char *path)
{
	char below[PATH_MAX];
	struct stat status;
	bool whole = finding_is_own(check, directory, ".", path, OWN_ALL);
	if (!whole && !finding_is_between(check, directory, ".") &&
	    !is_in_place(check, tree, directory, path))
		return false;
	for (enum git_part part = GIT_HEAD; part < GIT_PARTS; part++) {
		const char *name = git_part_names[part];
		if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (!str_put(below, sizeof(below), "%s/%s", path, name))
			return false;
		bool grows = (part == GIT_OBJECTS || part == GIT_REFS) && !whole &&
			     S_ISDIR(status.st_mode) &&
			     (!finding_is_made(check, directory, name) ||
			      finding_is_between(check, directory, name));
		if (!grows && !finding_is_own(check, directory, name, below, OWN_ALL))
			return false;
	}
	return true;
}
