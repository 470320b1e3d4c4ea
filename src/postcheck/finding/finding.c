// Owns the state of one check and the common acts on what it finds.
#include "postcheck/finding/finding.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/str.h"
#include "base/sys.h"
#include "postcheck/finding/quarantine.h"
#include "trees/git_list.h"

enum { NANOSECONDS = 1000000000 };

void finding_take(struct check *check, int directory, const char *name, const char *path,
		  const char *why)
{
	quarantine_take(check->plan->state, directory, name, path, why, check->found);
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

// False as well where the file system does not know.
bool finding_is_made(const struct check *check, int directory, const char *name)
{
	struct sys_statx status;
	return sys_statx(directory, name, SYS_STATX_BIRTH, &status) == 0 &&
	       (status.mask & SYS_STATX_BIRTH) &&
	       is_since(status.birth_seconds, status.birth_nanoseconds, &check->start);
}

// When it was made and changed last; false where the file system does not know.
static bool has_times(const struct check *check, int directory, const char *name, int64_t *ret_born,
		      int64_t *ret_changed)
{
	struct sys_statx status;
	if (check->timeless ||
	    sys_statx(directory, name, SYS_STATX_BIRTH | SYS_STATX_CHANGED, &status) < 0 ||
	    !(status.mask & SYS_STATX_BIRTH))
		return false;
	*ret_born = status.birth_seconds * (int64_t)NANOSECONDS + status.birth_nanoseconds;
	*ret_changed = status.changed_seconds * NANOSECONDS + status.changed_nanoseconds;
	return true;
}

// Made and changed last in one stretch of time in which no box lived.
static bool is_old(const struct check *check, int directory, const char *name)
{
	int64_t born, changed;
	if (check->spans.count == 0 || !has_times(check, directory, name, &born, &changed))
		return false;
	for (unsigned i = 0; i < check->spans.count; i++)
		if (changed >= check->spans.list[i].from && born <= check->spans.list[i].to)
			return false;
	return born <= changed;
}

static bool is_in_span(const struct check *check, int64_t time)
{
	for (unsigned i = 0; i < check->spans.count; i++)
		if (time >= check->spans.list[i].from && time <= check->spans.list[i].to)
			return true;
	return false;
}

bool finding_is_in_run(const struct check *check, const struct stat *status)
{
	return check->timeless || is_in_span(check, status->st_ctim.tv_sec * (int64_t)NANOSECONDS +
							    status->st_ctim.tv_nsec);
}

bool finding_is_between(const struct check *check, int directory, const char *name)
{
	int64_t born, changed;
	return has_times(check, directory, name, &born, &changed) && !is_in_span(check, born) &&
	       !is_in_span(check, changed);
}

// By this run's box, or another; where the file system does not know, by none that is alone.
bool finding_is_of_boxes(const struct check *check, int directory, const char *name)
{
	int64_t born, changed;
	return check->spans.count > 1 &&
	       (!has_times(check, directory, name, &born, &changed) || is_in_span(check, born));
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
	return (row && listed_is(check->known, row, &status, check->root_device) &&
		(part == OWN_DIRECTORY || row->changed == changed)) ||
	       is_old(check, directory, name);
}

const char *finding_path(const struct plan *plan, const char *path)
{
	if (plan->project && path_within(path, plan->project) && !str_equal(path, plan->project))
		path += strlen(plan->project) + 1;
	return path;
}
