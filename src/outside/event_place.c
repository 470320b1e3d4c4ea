// Owns the check where events may be written: not where a box could read or forge them.
#include "outside/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "plan.h"

static int check_directory(const struct plan *plan, int directory, const char *shown)
{
	const char *place;
	enum outside outside = outside_look(plan, directory, &place);
	if (outside == OUTSIDE_UNKNOWN)
		return fail(0, "'%s': %s", shown, strerror(errno));
	if (outside == OUTSIDE_BOXES)
		return fail(0,
			    "'%s' is in '%s', where boxes write; a report is written where they "
			    "may not",
			    shown, str_shown(place));
	if (outside == OUTSIDE_BOX)
		return fail(0,
			    "'%s' is in '%s', which the box may write; a report is written "
			    "where it may not",
			    shown, str_shown(place));
	return 0;
}

// Refuses a file that the command also gets as a descriptor, and could write.
static int check_apart(const struct plan *plan, const struct stat *status)
{
	for (unsigned i = 0; i <= STDERR_FILENO + plan->keep_count; i++) {
		struct stat other;
		int theirs = i <= STDERR_FILENO ? (int)i : plan->keep[i - STDERR_FILENO - 1];
		if (fstat(theirs, &other) == 0 && other.st_dev == status->st_dev &&
		    other.st_ino == status->st_ino)
			return fail(0,
				    "the report would go where descriptor %d of the command goes; "
				    "give it another pipe or file",
				    theirs);
	}
	return 0;
}

static int check_file(const struct plan *plan, const struct stat *status, const char *shown)
{
	if (outside_written(plan, status))
		return fail(0, "'%s' is a file that the box may write; give another one", shown);
	if (status->st_nlink > 1)
		return fail(0,
			    "'%s' has another name, by which a box may reach it; give another one",
			    shown);
	if (status->st_uid != plan->uid)
		return fail(0, "'%s' is another user's; give another one", shown);
	return 0;
}

static int check_named(const struct plan *plan, int fd, const struct stat *status)
{
	char path[PATH_MAX];
	struct stat named;
	if (outside_path(fd, path) < 0)
		return fail(errno, "--%s: descriptor %d", plan->event_option, fd);
	if (path[0] != '/' || status->st_nlink == 0)
		return 0;
	const char *shown = str_shown(path);
	autoclose int directory =
		sys_openat2(AT_FDCWD, path_parent(plan->arena, path),
			    O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	if (directory < 0 || fstatat(directory, path_name(path), &named, AT_SYMLINK_NOFOLLOW) < 0 ||
	    named.st_dev != status->st_dev || named.st_ino != status->st_ino)
		return fail(0, "--%s: '%s' is not where its name says", plan->event_option, shown);
	TRY(check_directory(plan, directory, shown));
	return check_file(plan, status, shown);
}

// Opens a pipe again: O_NONBLOCK must not change the caller's open file description.
static int open_again(const struct plan *plan, int fd)
{
	char link[64];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	int again = open(link, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	return again < 0 ? fail(errno, "--%s: descriptor %d", plan->event_option, fd) : again;
}

int event_place(const struct plan *plan, int *ret_fd, bool *ret_socket)
{
	struct stat status;
	int fd = plan->event_fd;
	if (!fd)
		return 0;
	if (fstat(fd, &status) < 0)
		return fail(errno, "--%s: descriptor %d", plan->event_option, fd);
	TRY(check_apart(plan, &status));
	bool pipe = S_ISFIFO(status.st_mode), file = S_ISREG(status.st_mode);
	bool socket = S_ISSOCK(status.st_mode);
	if (!pipe && !file && !socket)
		return fail(0, "--%s: descriptor %d is not a pipe, socket or regular file",
			    plan->event_option, fd);
	if (!socket)
		TRY(check_named(plan, fd, &status));
	*ret_socket = socket;
	*ret_fd = pipe ? open_again(plan, fd) : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return *ret_fd < 0 ? fail(errno, "--%s: descriptor %d", plan->event_option, fd) : 0;
}
