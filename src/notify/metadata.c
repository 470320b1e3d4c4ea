// Owns the calls that change metadata. Opens a file once, judges the descriptor's path, and changes
// the file by this descriptor, with copied arguments.
#include "notify/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "base/fd.h"
#include "base/base.h"
#include "base/sys.h"
#include "seccomp/asking.h"

enum { NONE = 9, KNOWN_FLAGS = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH };

struct metadata_target {
	const struct question *question;
	int fd;
	bool direct; // by a descriptor of the asker, without a path
	const uint64_t *values;
};

static bool copy(const struct metadata_target *target, unsigned value, void *buffer, size_t size)
{
	return asking_memory(target->question->asked->pid, target->values[value], buffer, size);
}

static int result_of(int result)
{
	return result < 0 ? -errno : 0;
}

static int set_mode(const struct metadata_target *target)
{
	mode_t mode = (mode_t)target->values[0] & 07777;
	return result_of(target->direct ? fchmod(target->fd, mode)
					: sys_change_mode(target->fd, mode));
}

static int set_owner(const struct metadata_target *target)
{
	uid_t uid = (uid_t)target->values[0];
	gid_t gid = (gid_t)target->values[1];
	return result_of(target->direct ? fchown(target->fd, uid, gid)
					: fchownat(target->fd, "", uid, gid, AT_EMPTY_PATH));
}

static int apply_times(const struct metadata_target *target, const struct timespec *times)
{
	return result_of(target->direct ? sys_change_times(target->fd, NULL, times, 0)
					: sys_change_times(target->fd, "", times, AT_EMPTY_PATH));
}

static int set_times(const struct metadata_target *target)
{
	struct timespec times[2];
	if (target->values[0] && !copy(target, 0, times, sizeof(times)))
		return -EFAULT;
	return apply_times(target, target->values[0] ? times : NULL);
}

static int set_times_of_day(const struct metadata_target *target)
{
	struct timeval given[2];
	struct timespec times[2];
	if (target->values[0] && !copy(target, 0, given, sizeof(given)))
		return -EFAULT;
	for (int i = 0; target->values[0] && i < 2; i++) {
		if (given[i].tv_usec < 0 || given[i].tv_usec >= 1000000)
			return -EINVAL;
		times[i] = (struct timespec){ given[i].tv_sec, given[i].tv_usec * 1000 };
	}
	return apply_times(target, target->values[0] ? times : NULL);
}

static int set_seconds(const struct metadata_target *target)
{
	struct utimbuf given;
	if (target->values[0] && !copy(target, 0, &given, sizeof(given)))
		return -EFAULT;
	struct timespec times[2] = { { .tv_sec = given.actime }, { .tv_sec = given.modtime } };
	return apply_times(target, target->values[0] ? times : NULL);
}

// Indices of arguments, or NONE.
static const struct metadata_change {
	const char *call;
	uint8_t directory, path, flags, values;
	unsigned fixed;
	int (*apply)(const struct metadata_target *target);
} changes[] = {
	{ "chmod", NONE, 0, NONE, 1, 0, set_mode },
	{ "fchmod", 0, NONE, NONE, 1, 0, set_mode },
	{ "fchmodat", 0, 1, NONE, 2, 0, set_mode },
	{ "fchmodat2", 0, 1, 3, 2, 0, set_mode },
	{ "chown", NONE, 0, NONE, 1, 0, set_owner },
	{ "lchown", NONE, 0, NONE, 1, AT_SYMLINK_NOFOLLOW, set_owner },
	{ "fchown", 0, NONE, NONE, 1, 0, set_owner },
	{ "fchownat", 0, 1, 4, 2, 0, set_owner },
	{ "utime", NONE, 0, NONE, 1, 0, set_seconds },
	{ "utimes", NONE, 0, NONE, 1, 0, set_times_of_day },
	{ "futimesat", 0, 1, NONE, 2, 0, set_times_of_day },
	{ "utimensat", 0, 1, 3, 2, 0, set_times },
};

static int open_target(const struct question *question, const struct metadata_change *change,
		       struct metadata_target *target)
{
	const uint64_t *arguments = (const uint64_t *)question->asked->data.args;
	char path[PATH_MAX] = "";
	int directory = change->directory == NONE ? AT_FDCWD : (int)arguments[change->directory];
	unsigned flags = change->flags == NONE ? change->fixed : (unsigned)arguments[change->flags];
	uint64_t address = change->path == NONE ? 0 : arguments[change->path];
	// utimensat(2): a NULL path means the descriptor itself.
	target->direct = change->path == NONE ||
			 (!address && !flags && directory != AT_FDCWD &&
			  (change->apply == set_times || change->apply == set_times_of_day));
	if (target->direct)
		return asker_file(question, directory);
	if (flags & ~(unsigned)KNOWN_FLAGS)
		return -EINVAL;
	if ((address || !(flags & AT_EMPTY_PATH)) &&
	    !asking_path(question->asked->pid, address, path))
		return -EFAULT;
	if (path[0])
		return asker_open(question, directory, path,
				  flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0);
	if (!(flags & AT_EMPTY_PATH))
		return -ENOENT;
	return directory == AT_FDCWD ? asker_open(question, AT_FDCWD, ".", 0)
				     : asker_file(question, directory);
}

int metadata_answer(const struct question *question, const char *call)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		const struct metadata_change *change = &changes[i];
		struct metadata_target target = {
			.question = question,
			.values = (const uint64_t *)question->asked->data.args + change->values
		};
		if (!str_equal(change->call, call))
			continue;
		autoclose int fd = open_target(question, change, &target);
		if (fd < 0)
			return fd;
		if (!asker_may_change(question->plan, fd))
			return -EPERM;
		target.fd = fd;
		target.direct = target.direct && !(fcntl(fd, F_GETFL) & O_PATH);
		return change->apply(&target);
	}
	return 1;
}
