// Owns the removal of locks that a box left, and the check of refs' names.
#include "postcheck/git/vet.h"

#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/process_stat.h"
#include "postcheck/acts/check.h"
#include "report/findings.h"

enum { TRIES = 20, TRY_NANOSECONDS = 10000000 };
#define CLOCK_SLACK 0.05 // process starts have ticks of 10 ms, file times of 4 ms

bool leftover_is_plain(const char *ref)
{
	for (const char *at = ref; *at; at++)
		if (!isalnum((unsigned char)*at) && (unsigned char)*at < 0x80 &&
		    !strchr("._/-+@=,#%", *at))
			return false;
	return path_name(ref)[0] != '-';
}

static double seconds_since(clockid_t clock, double then)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9 - then;
}

// Whether an older git process of the lock's owner may have made the lock. The check's user
// namespace cannot read the processes' current directories.
static bool git_runs(const struct stat *lock)
{
	char name[64];
	struct stat owner;
	struct process_stat process;
	double written = (double)lock->st_mtim.tv_sec + (double)lock->st_mtim.tv_nsec / 1e9;
	double age = seconds_since(CLOCK_REALTIME, written);
	autoclose int all = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool runs = all < 0;
	entries_each (entry, all)
		runs = runs ||
		       (isdigit((unsigned char)entry->name[0]) &&
			fstatat(all, entry->name, &owner, 0) == 0 && owner.st_uid == lock->st_uid &&
			str_put(name, sizeof(name), "%s/stat", entry->name) &&
			process_stat_at(all, name, &process) &&
			(str_equal(process.name, "git") || str_starts(process.name, "git-")) &&
			seconds_since(CLOCK_BOOTTIME,
				      (double)process.start / (double)sysconf(_SC_CLK_TCK)) >
				age - CLOCK_SLACK);
	return runs;
}

// Waits for the first lock only: meanwhile others are released, too.
void leftover_take_lock(const struct check *check, int directory, const char *name,
			const char *path)
{
	const struct timespec pause = { .tv_nsec = TRY_NANOSECONDS };
	struct stat before, now;
	const char *shown = finding_path(check->plan, path);
	unsigned *said = check->found->counts;
	if (check->living || fstatat(directory, name, &before, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	for (int i = 0; i < TRIES && said[FINDING_GIT_LOCK] + said[FINDING_GIT_LOCKED] == 0; i++) {
		nanosleep(&pause, NULL);
		if (fstatat(directory, name, &now, AT_SYMLINK_NOFOLLOW) < 0 ||
		    now.st_ino != before.st_ino)
			return;
	}
	if (said[FINDING_GIT_LOCKED] > 0 || git_runs(&before) || unlinkat(directory, name, 0) < 0)
		findings_add(check->found, FINDING_GIT_LOCKED, shown, "", "");
	else
		findings_add(check->found, FINDING_GIT_LOCK, shown, "", "");
}
