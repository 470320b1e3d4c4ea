// Owns the state of one check, and the common acts on its findings.
#include "postcheck/acts/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "report/findings.h"

enum { NANOSECONDS = 1000000000 };

void finding_take(struct check *check, int directory, const char *name, const char *path,
		  const char *why)
{
	if (!check->living || check->living->takes(check->living, check, path))
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

bool finding_is_late(const struct check *check, const struct stat *status)
{
	return times_from(&status->st_ctim) >= times_from(&check->start);
}

bool finding_is_vetted(const struct check *check, const struct stat *status)
{
	const struct file_state now = file_state(status);
	bool vetted = false;
	for (unsigned i = 0; check->living && i < VETTED_MAX; i++)
		vetted = vetted || file_state_equal(&now, &check->living->vetted[i]);
	return vetted;
}

// Whether another write now could leave the file's times as they are.
bool finding_is_fresh(const struct check *check, const struct stat *status)
{
	bool fresh = check->living && times_now() - times_from(&status->st_ctim) <= TIMES_TICK;
	if (fresh)
		check->living->waits = true;
	return fresh;
}

bool finding_waits(const struct check *check)
{
	bool over = check->living && steady_now() > check->living->until;
	if (over)
		check->living->waits = true;
	return over;
}

void finding_vetted(const struct check *check, const struct stat *status)
{
	struct living *living = check->living;
	if (living && !finding_is_fresh(check, status))
		living->vetted[living->last++ % VETTED_MAX] = file_state(status);
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
	return birth && birth >= times_from(&check->start);
}

bool finding_is_own(const struct check *check, int directory, const char *name)
{
	struct stat status;
	return check->known &&
	       (check->timeless || (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
				    !finding_is_late(check, &status)));
}

bool finding_stood(const struct check *check, int directory, const char *name)
{
	return check->known && (check->timeless || (finding_birth(directory, name) &&
						    !finding_is_made(check, directory, name)));
}

const char *finding_path(const struct plan *plan, const char *path)
{
	if (plan->project && path_within(path, plan->project) && !str_equal(path, plan->project))
		path += strlen(plan->project) + 1;
	return path;
}
