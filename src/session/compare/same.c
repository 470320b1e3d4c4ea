// Owns the test of identity. A file that was written, moved or linked has a newer ctime than the
// session; so has a directory that was moved, but also one that got an entry: it is known by its
// number and its time of birth.
#include "session/compare/changes.h"

#include <errno.h>

#include "base/base.h"
#include "session/store/store.h"

bool same_time(const struct timespec *left, const struct timespec *right)
{
	return left->tv_sec == right->tv_sec && left->tv_nsec == right->tv_nsec;
}

bool same_is_later(const struct timespec *time, const struct timespec *than)
{
	return time->tv_sec > than->tv_sec ||
	       (time->tv_sec == than->tv_sec && time->tv_nsec > than->tv_nsec);
}

static struct timespec time_of(const struct birth *born)
{
	return (struct timespec){ (time_t)born->seconds, (long)born->nanoseconds };
}

// An apply has put it there: born before it was noted, so that its number was not given anew.
static bool is_own(const struct known_file *known, int fd, const struct stat *status)
{
	struct birth born = seen_birth(fd);
	struct timespec birth = time_of(&born);
	return known && known->inode == status->st_ino && !same_is_later(&birth, &known->changed);
}

enum same same_directory(const struct changes *changes, const struct seen *seen, unsigned root,
			 const char *path, int fd)
{
	struct stat status;
	const struct seen_directory *saw = seen_find(seen, path);
	if (fstat(fd, &status) < 0)
		return SAME_OTHER;
	if ((saw && seen_is(saw, fd, &status)) ||
	    is_own(known_find(changes->known, root, path), fd, &status))
		return SAME_YES;
	if (saw)
		return SAME_OTHER;
	// Who moves a directory changes its ctime.
	if (!same_is_later(&status.st_ctim, &changes->base))
		return SAME_YES;
	return seen->whole ? SAME_NEW : SAME_OTHER;
}

bool same_is_applied(const struct changes *changes, unsigned root, const char *path,
		     const struct stat *is, const struct stat *was)
{
	const struct known_file *known = known_find(changes->known, root, path);
	return known && known->inode == was->st_ino &&
	       (S_ISDIR(was->st_mode) || same_time(&known->changed, &was->st_ctim)) &&
	       !same_is_later(&is->st_ctim, &known->changed);
}

bool same_file(const struct changes *changes, unsigned root, const char *path,
	       const struct stat *status)
{
	const struct known_file *known = known_find(changes->known, root, path);
	if (known && known->inode == status->st_ino && same_time(&known->changed, &status->st_ctim))
		return true;
	return !same_is_later(&status->st_ctim, &changes->base);
}

bool same_is_lost(const struct changes *changes, const struct seen *seen,
		  const struct seen_directory *above, unsigned root, const char *path)
{
	const struct known_file *known = known_find(changes->known, root, path);
	if (known)
		return known->inode != KNOWN_REMOVED;
	return above && seen_has(seen, above, path_name(path));
}

int same_root(const struct held *held, unsigned root, int fd, const struct seen *seen)
{
	struct stat status;
	const struct session *session = &held->session;
	const char *path = session->roots[root].path;
	const struct seen_directory *saw = seen_find(seen, "");
	if (fstat(fd, &status) < 0)
		return fail(errno, "'%s'", str_shown(path));
	if (saw && seen_is(saw, fd, &status))
		return 0;
	struct birth born = seen_birth(fd);
	struct timespec birth = time_of(&born);
	bool project = str_equal(path, session->project);
	bool same = status.st_dev == session->identity.device &&
		    status.st_ino == session->identity.inode &&
		    !same_is_later(&birth, &session->base);
	if (!saw && (!project || same))
		return 0;
	return fail(
		0, "'%s' is not the directory that session '%s' was made over; nothing was changed",
		str_shown(path), held->name);
}
