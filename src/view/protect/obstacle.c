// Owns the words about a path that prevents a protection.
#include "view/protect/obstacle.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "base/quote.h"
#include "base/str.h"
#include "view/paths/wishes.h"

static int obstacle_say(struct wishes *wishes, const char *path, const char *words)
{
	const char *parent = path_parent(wishes->arena, path);
	if (!wishes->plan->unprotected && wishes_is_reached(wishes, parent))
		wishes->plan->obstacle = path;
	return fail(0, "%s", words);
}

int obstacle_note(struct wishes *wishes, const char *path, const char *why)
{
	return obstacle_say(wishes, path,
			    arena_text(wishes->arena, "'%s' %s; remove it: rm -r %s", path, why,
				       quote_word(wishes->arena, path)));
}

// The last on the way from the root that is there: what comes after it is found by it.
static const char *loop_in(const struct wishes *wishes, const char *path)
{
	struct stat status;
	status.st_mode = 0;
	while (!str_equal(path, "/") && lstat(path, &status) < 0)
		path = path_parent(wishes->arena, path);
	return S_ISLNK(status.st_mode) ? path : NULL;
}

int obstacle_failed(struct wishes *wishes, const char *path)
{
	int problem = errno;
	const char *loop = problem == ELOOP ? loop_in(wishes, path) : NULL;
	if (loop)
		return obstacle_note(wishes, loop, "is a symlink that nobody can follow");
	const char *shut = NULL;
	// The first on the way from the root that keeps its owner out.
	for (const char *at = path; problem == EACCES && !str_equal(at, "/");
	     at = path_parent(wishes->arena, at))
		if (faccessat(AT_FDCWD, at, R_OK | X_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) < 0 &&
		    errno == EACCES)
			shut = at;
	if (!shut)
		return fail(problem, "'%s'", path);
	wishes->plan->obstacle_shut = true;
	return obstacle_say(wishes, shut,
			    arena_text(wishes->arena,
				       "'%s' is unreadable, and protected names in it cannot be "
				       "checked; open it: chmod u+rwx %s",
				       shut, quote_word(wishes->arena, shut)));
}
