// Owns the words about a directory that is in the way of a protection.
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

int obstacle_failed(struct wishes *wishes, const char *path)
{
	int problem = errno;
	const char *shut = NULL;
	// The first on the way from the root that keeps its owner out.
	for (const char *at = path; problem == EACCES && !str_equal(at, "/");
	     at = path_parent(wishes->arena, at))
		if (faccessat(AT_FDCWD, at, R_OK | X_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) < 0 &&
		    errno == EACCES)
			shut = at;
	if (!shut)
		return fail(problem, "'%s'", path);
	if (!wishes->plan->unprotected &&
	    wishes_is_reached(wishes, path_parent(wishes->arena, shut)))
		wishes->plan->shut = shut;
	return fail(0,
		    "'%s' is unreadable, and protected names in it cannot be checked; open it: "
		    "chmod u+rwx %s",
		    shut, quote_word(wishes->arena, shut));
}
