// Owns the comparison of things. Of a directory the number counts and what is in it; of all others
// number, mode, size and times: a write, a chmod or a link changes one of them.
#include "session/compare/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"

enum { TREE_DEPTH_MAX = 300 };
#define POSITIVE ((uint64_t)INT64_MAX) // numbers of a journal

static uint64_t mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15U;
	return sum ^ sum >> 32;
}

static uint64_t hash_name(uint64_t above, const char *name, size_t length)
{
	uint64_t hash = mix(above, length);
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * 1099511628211U;
	return hash;
}

static struct timespec positive(struct timespec time)
{
	return (struct timespec){ (time_t)((uint64_t)time.tv_sec & POSITIVE), time.tv_nsec };
}

struct thing thing_of(const struct stat *status)
{
	struct thing thing = { .inode = status->st_ino & POSITIVE,
			       .size = (uint64_t)status->st_size,
			       .mode = status->st_mode,
			       .links = (unsigned)status->st_nlink };
	thing.modified = positive(status->st_mtim);
	thing.changed = positive(status->st_ctim);
	return thing;
}

// A name that another operation moves changes the ctime of all names of the file.
static uint64_t part_of(uint64_t hash, const struct stat *status)
{
	struct thing thing = thing_of(status);
	hash = mix(mix(hash, thing.inode), thing.mode & S_IFMT);
	if (S_ISDIR(status->st_mode))
		return hash & POSITIVE;
	const struct timespec *time = thing.links > 1 ? &thing.modified : &thing.changed;
	hash = mix(mix(mix(hash, thing.mode), thing.size), thing.links > 1);
	return mix(mix(hash, (uint64_t)time->tv_sec), (uint64_t)time->tv_nsec) & POSITIVE;
}

uint64_t thing_part(const char *path, const struct stat *status)
{
	uint64_t hash = 1;
	for (size_t length = strcspn(path, "/");; length = strcspn(path, "/")) {
		hash = hash_name(hash, path, length);
		if (!path[length])
			return part_of(hash, status);
		path += length + 1;
	}
}

uint64_t thing_sum(uint64_t sum, uint64_t part)
{
	return (sum + part) & POSITIVE;
}

static int sum_below(int directory, const char *name, uint64_t above, int depth, uint64_t *sum);

static int sum_entry(int directory, const char *name, uint64_t above, int depth, uint64_t *sum)
{
	struct stat status;
	uint64_t hash = hash_name(above, name, strlen(name));
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	*sum = thing_sum(*sum, part_of(hash, &status));
	return S_ISDIR(status.st_mode) ? sum_below(directory, name, hash, depth, sum) : 0;
}

static int sum_below(int directory, const char *name, uint64_t above, int depth, uint64_t *sum)
{
	autoclose int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || depth > TREE_DEPTH_MAX)
		return -1;
	entries_each (each, fd)
		TRY(sum_entry(fd, each->name, above, depth + 1, sum));
	return 0;
}

int thing_look(int directory, const char *name, struct thing *ret_thing)
{
	struct stat status;
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	struct thing thing = thing_of(&status);
	if (S_ISDIR(status.st_mode) && sum_below(directory, name, 1, 0, &thing.tree) < 0)
		return -1;
	*ret_thing = thing;
	return 0;
}

// Of a file of another owner, or of one that cannot be read, nothing is known. Who opens it while
// the lease stands waits, and SIGIO comes (fcntl(2)): an apply runs with all signals blocked.
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

static bool is_open(int directory, const char *name, int depth);

static bool has_open(int directory, const char *name, int depth)
{
	autoclose int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	entries_each (each, depth > TREE_DEPTH_MAX ? -1 : fd)
		if (is_open(fd, each->name, depth + 1))
			return true;
	return false;
}

static bool is_open(int directory, const char *name, int depth)
{
	struct stat status;
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	return S_ISDIR(status.st_mode)   ? has_open(directory, name, depth)
	       : S_ISREG(status.st_mode) ? is_written(directory, name)
					 : false;
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
