// Owns the identity of files: for a directory its inode and entries, else inode, mode, size and
// times. Each write, chmod or link changes one of these.
#include "session/compare/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"

enum { TREE_DEPTH_MAX = 300 };

bool same_time(const struct timespec *left, const struct timespec *right)
{
	return left->tv_sec == right->tv_sec && left->tv_nsec == right->tv_nsec;
}

bool same_is_later(const struct timespec *time, const struct timespec *than)
{
	return time->tv_sec > than->tv_sec ||
	       (time->tv_sec == than->tv_sec && time->tv_nsec > than->tv_nsec);
}

static uint64_t mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15U;
	return sum ^ sum >> 32;
}

struct thing thing_of(const struct stat *status)
{
	return (struct thing){ .inode = status->st_ino,
			       .size = (uint64_t)status->st_size,
			       .mode = status->st_mode,
			       .links = (unsigned)status->st_nlink,
			       .modified = status->st_mtim,
			       .changed = status->st_ctim };
}

uint64_t thing_part(const char *path, const struct stat *status)
{
	struct thing thing = thing_of(status);
	uint64_t hash = mix(mix(str_hash(path), thing.inode), thing.mode & S_IFMT);
	if (S_ISDIR(status->st_mode))
		return hash;
	const struct timespec *time = thing.links > 1 ? &thing.modified : &thing.changed;
	hash = mix(mix(mix(hash, thing.mode), thing.size), thing.links > 1);
	return mix(mix(hash, (uint64_t)time->tv_sec), (uint64_t)time->tv_nsec);
}

static int sum_below(int directory, const char *name, const char *above, int depth, uint64_t *sum)
{
	struct stat status;
	char path[PATH_MAX];
	autoclose int fd = fd_directory(directory, name);
	if (fd < 0 || depth > TREE_DEPTH_MAX)
		return -1;
	entries_each (each, fd) {
		if (!str_put(path, sizeof(path), "%s%s%s", above, above[0] ? "/" : "",
			     each->name) ||
		    fstatat(fd, each->name, &status, AT_SYMLINK_NOFOLLOW) < 0)
			return -1;
		*sum += thing_part(path, &status);
		if (S_ISDIR(status.st_mode))
			TRY(sum_below(fd, each->name, path, depth + 1, sum));
	}
	return 0;
}

int thing_look(int directory, const char *name, struct thing *ret_thing)
{
	struct stat status;
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	struct thing thing = thing_of(&status);
	if (S_ISDIR(status.st_mode) && sum_below(directory, name, "", 0, &thing.tree) < 0)
		return -1;
	*ret_thing = thing;
	return 0;
}

// Whether a process has the file open for writing: a read lease then fails with EAGAIN. The lease's
// SIGIO is blocked (fcntl(2)).
static bool is_written(int directory, const char *name)
{
	autoclose int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fcntl(fd, F_SETLEASE, F_RDLCK) == 0)
		return false;
	return errno == EAGAIN;
}

bool thing_can_be_asked(int directory)
{
	static const char name[] = "lease";
	autoclose int fd = openat(directory, name, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool can = fd >= 0 && fcntl(fd, F_SETLEASE, F_RDLCK) == 0;
	unlinkat(directory, name, 0);
	return can;
}

static bool is_open(int directory, const char *name, int depth)
{
	struct stat status;
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	if (!S_ISDIR(status.st_mode))
		return S_ISREG(status.st_mode) && is_written(directory, name);
	autoclose int fd = fd_directory(directory, name);
	entries_each (each, depth > TREE_DEPTH_MAX ? -1 : fd)
		if (is_open(fd, each->name, depth + 1))
			return true;
	return false;
}

bool thing_is_open(int directory, const char *name)
{
	return is_open(directory, name, 0);
}

static bool is_same(const struct thing *thing, const struct thing *now)
{
	if (thing->inode != now->inode || ((thing->mode ^ now->mode) & S_IFMT))
		return false;
	return S_ISDIR(thing->mode) || (thing->mode == now->mode && thing->size == now->size &&
					same_time(&thing->modified, &now->modified));
}

bool thing_is(const struct thing *thing, const struct thing *now)
{
	return is_same(thing, now) && thing->tree == now->tree &&
	       (S_ISDIR(thing->mode) || thing->links > 1 ||
		same_time(&thing->changed, &now->changed));
}

bool thing_is_same(const struct thing *thing, const struct stat *status)
{
	struct thing now = thing_of(status);
	now.tree = thing->tree;
	return thing_is(thing, &now);
}

bool thing_moved(const struct thing *thing, int directory, const char *name)
{
	struct thing now;
	return thing_look(directory, name, &now) == 0 && is_same(thing, &now) &&
	       (!S_ISDIR(thing->mode) || thing->tree == now.tree);
}

// A later ctime means a write, move or link. New entries also change a directory's ctime: for
// directories, inode and birth time are compared.

static bool is_seen(const struct seen_directory *saw, int fd, const struct stat *status)
{
	struct timespec born = seen_birth(fd);
	return saw && saw->inode == status->st_ino && same_time(&saw->born, &born);
}

// Whether the file is the noted one: one that was born later has reused the inode.
static bool is_own(const struct known_file *known, int fd, const struct stat *status)
{
	struct timespec birth = seen_birth(fd);
	return known && known->inode == status->st_ino && !same_is_later(&birth, &known->changed);
}

enum same same_directory(const struct changes *changes, const struct seen *seen, unsigned root,
			 const char *path, int fd)
{
	struct stat status;
	const struct seen_directory *saw = seen_find(seen, path);
	if (fstat(fd, &status) < 0)
		return SAME_OTHER;
	if (is_seen(saw, fd, &status) ||
	    is_own(known_find(changes->known, root, path), fd, &status))
		return SAME_YES;
	if (saw)
		return SAME_OTHER;
	if (!same_is_later(&status.st_ctim, &changes->base))
		return SAME_YES;
	return seen->whole ? SAME_NEW : SAME_OTHER;
}

bool same_is_applied(const struct known_file *known, const struct stat *is, const struct stat *was)
{
	return known && known->inode == was->st_ino &&
	       (S_ISDIR(was->st_mode) || same_time(&known->changed, &was->st_ctim)) &&
	       !same_is_later(&is->st_ctim, &known->changed);
}

bool same_file(const struct known_file *known, const struct timespec *base,
	       const struct stat *status)
{
	if (known && known->inode == status->st_ino && same_time(&known->changed, &status->st_ctim))
		return true;
	return !same_is_later(&status->st_ctim, base);
}

bool same_entries(const struct known *known, const struct known_file *applied,
		  const struct seen_directory *saw, const char *path, uint64_t sum)
{
	char name[PATH_MAX];
	if (!applied)
		return saw && seen_has(saw, seen_index(name, sum));
	str_put(name, sizeof(name), "%s/" KNOWN_ENTRIES, path);
	applied = known_find(known, applied->root, name);
	return applied && applied->inode == sum;
}

int same_root(const struct held *held, unsigned root, int fd, const struct seen *seen)
{
	struct stat status;
	const struct session *session = &held->session;
	const char *path = session->roots[root].path;
	const struct seen_directory *saw = seen_find(seen, "");
	if (fstat(fd, &status) < 0)
		return fail(errno, "'%s'", str_shown(path));
	if (is_seen(saw, fd, &status))
		return 0;
	struct timespec birth = seen_birth(fd);
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
