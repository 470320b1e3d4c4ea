// Owns the move of caches from the names of version 0.1.0, which were by a hash of the project's
// path.
#include "mount/caches.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/owned.h"
#include "base/path.h"
#include "plan.h"

static bool is_older(const struct statx_timestamp *left, const struct statx_timestamp *right)
{
	return left->tv_sec < right->tv_sec ||
	       (left->tv_sec == right->tv_sec && left->tv_nsec < right->tv_nsec);
}

// Two paths could share a hash, and one could be made for it. So a project takes over only caches
// that are younger than its own directory; birth times are nobody's to set.
static bool is_of(const char *project, const char *caches)
{
	struct statx first = { 0 }, second = { 0 };
	unsigned birth = STATX_BTIME;
	return statx(AT_FDCWD, project, AT_SYMLINK_NOFOLLOW, birth, &first) == 0 &&
	       statx(AT_FDCWD, caches, AT_SYMLINK_NOFOLLOW, birth, &second) == 0 &&
	       (first.stx_mask & second.stx_mask & birth) &&
	       is_older(&first.stx_btime, &second.stx_btime);
}

void caches_adopt(const struct plan *plan)
{
	if (faccessat(AT_FDCWD, plan->caches, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
		return;
	struct arena *arena = arena_new();
	const char *old = path_kept_before(arena, plan->state, "cache",
					   plan->project ? plan->project : "none");
	if (!plan->project || is_of(plan->project, old)) {
		autoclose int above = ATTEMPT(owned_directory(path_parent(arena, plan->caches)));
		// Another run may have done it; what cannot be moved is a cache that begins empty.
		if (above >= 0)
			fd_rename_new(AT_FDCWD, old, above, path_name(plan->caches));
	}
	arena_free(arena);
}
