// Owns the report of what other runs of the project quarantined during a run.
#include "postcheck/acts/check.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "plan.h"
#include "report/findings.h"

static bool is_since(const struct stat *status, int64_t since)
{
	return status->st_mtim.tv_sec * 1000 + status->st_mtim.tv_nsec / 1000000 >= since;
}

// Returns the pid in an ID, DATE-TIME-PID-NUMBER.
static pid_t run_of(const char *id)
{
	const char *number = strrchr(id, '-');
	while (number && number > id && number[-1] != '-')
		number--;
	return number ? (pid_t)strtol(number, NULL, 10) : 0;
}

void quarantine_others(const struct plan *plan, int64_t since, struct findings *found)
{
	char store[PATH_MAX], path[PATH_MAX], place[NAME_MAX + sizeof("/path")], run[32];
	struct stat status;
	str_put(store, sizeof(store), "%s/quarantine", plan->state);
	autoclose int all = open(store, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (all < 0 || fstat(all, &status) < 0 || !is_since(&status, since))
		return;
	entries_each (entry, all) {
		pid_t other = entry->name[0] == '.' ? 0 : run_of(entry->name);
		if (other <= 0 || other == plan->run ||
		    !str_put(place, sizeof(place), "%s/path", entry->name) ||
		    fstatat(all, place, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !is_since(&status, since) || !file_kernel(all, place, path, sizeof(path)) ||
		    !path_within(path, plan->project) || findings_has(found, FINDING_MOVED, path))
			continue;
		snprintf(run, sizeof(run), "%d", (int)other);
		findings_add(found, FINDING_TAKEN, path, run, entry->name);
	}
}
