// Owns the state of one check and the common acts on what it finds.
#include "postcheck/finding/finding.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/sys.h"
#include "report/findings.h"
#include "trees/git_list.h"

enum { NANOSECONDS = 1000000000 };

void finding_take(struct check *check, int directory, const char *name, const char *path,
		  const char *why)
{
	quarantine_take(check->plan, directory, name, path, why, check->found);
}

void finding_remove(struct check *check, int directory, const char *name, const char *path)
{
	char why[256];
	if (unlinkat(directory, name, 0) == 0 || errno == ENOENT)
		return;
	snprintf(why, sizeof(why), "could not be removed (%s)", strerror(errno));
	findings_add(check->found, FINDING_NOT_MOVED, finding_path(check->plan, path), why, "");
}

static bool is_since(int64_t seconds, int64_t nanoseconds, const struct timespec *start)
{
	return seconds > start->tv_sec ||
	       (seconds == start->tv_sec && nanoseconds >= start->tv_nsec);
}

bool finding_is_late(const struct check *check, const struct stat *status)
{
	return is_since(status->st_ctim.tv_sec, status->st_ctim.tv_nsec, &check->start);
}

bool finding_is_changed(const struct check *check, int directory, const char *name)
{
	struct stat status;
	int flags = AT_SYMLINK_NOFOLLOW | (name[0] ? 0 : AT_EMPTY_PATH);
	return fstatat(directory, name, &status, flags) == 0 && finding_is_late(check, &status);
}

int64_t finding_birth(int directory, const char *name)
{
	struct sys_statx status;
	if (sys_statx(directory, name, SYS_STATX_BIRTH, &status) < 0 ||
	    !(status.mask & SYS_STATX_BIRTH))
		return 0;
	return status.birth_seconds * (int64_t)NANOSECONDS + status.birth_nanoseconds;
}

bool finding_is_made(const struct check *check, int directory, const char *name)
{
	int64_t birth = finding_birth(directory, name);
	return birth && is_since(birth / NANOSECONDS, birth % NANOSECONDS, &check->start);
}

bool finding_is_in_run(const struct check *check, const struct stat *status)
{
	return check->timeless || finding_is_late(check, status);
}

bool finding_is_own(const struct check *check, int directory, const char *name, const char *path,
		    enum own_part part)
{
	struct stat status;
	if (!check->known)
		return false;
	const struct listed_row *row = strlen(path) > check->root
					       ? listed_find(check->known, path + check->root + 1)
					       : NULL;
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	int64_t changed = status.st_ctim.tv_sec * (int64_t)NANOSECONDS + status.st_ctim.tv_nsec;
	// A repository born in the run may have been listed by another run that began meanwhile.
	return (row && !finding_is_made(check, directory, name) &&
		listed_is(check->known, row, &status, check->root_device) &&
		(part == OWN_DIRECTORY || row->changed == changed)) ||
	       !finding_is_in_run(check, &status);
}

const char *finding_path(const struct plan *plan, const char *path)
{
	if (plan->project && path_within(path, plan->project) && !str_equal(path, plan->project))
		path += strlen(plan->project) + 1;
	return path;
}
