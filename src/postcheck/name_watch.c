// Owns the notices of changed directories. By fcntl(2)'s F_NOTIFY: an inotify is one of few that a
// user has in all, of which other programs need theirs.
#include "postcheck/check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "base/testing.h"
#include "git/recognise.h"
#include "plan.h"
#include "postcheck/finding/finding.h"
#include "postcheck/git/vet.h"
#include "report/findings.h"
#include "run.h"

enum {
	EVENTS_A_TURN = 4,
	TAKES_A_TURN = 4,
	SAMPLES_MAX = 4096,
	LOOK_MILLISECONDS = 20, // how often is looked where the kernel gives no notice
};
#define NOTICES (DN_CREATE | DN_DELETE | DN_RENAME | DN_MULTISHOT)

static struct watched_name *watched(struct watch *watch, const struct stat *status)
{
	for (unsigned i = 0; i < watch->directory_count; i++)
		if (watch->directories[i].inode == status->st_ino &&
		    watch->directories[i].device == status->st_dev)
			return &watch->directories[i];
	return NULL;
}

// A directory without notices: then all names are checked every few milliseconds.
static void watch_directory(struct watch *watch, int directory)
{
	struct stat status;
	if (watch->polls || fstat(directory, &status) < 0 || watched(watch, &status))
		return;
	autoclose int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	watch->polls =
		fd < 0 || watch->directory_count == WATCHES_MAX || fcntl(fd, F_NOTIFY, NOTICES) < 0;
	if (watch->polls)
		return;
	watch->directories[watch->directory_count++] =
		(struct watched_name){ status.st_ino, status.st_dev, take(&fd) };
	watch->again = steady_now(); // what came right before
}

// The directory of a name, or -1 with errno: then the last one on the way that is there gives
// notice.
static int open_watched(struct watch *watch, const char *name)
{
	char path[PATH_MAX];
	int problem = 0;
	for (int length = (int)(path_name(name) - name); length > 0;
	     length = (int)(path_name(path) - path)) {
		str_put(path, sizeof(path), "%.*s", length, name);
		autoclose int fd = sys_openat2(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC,
					       RESOLVE_NO_SYMLINKS);
		problem = problem || fd >= 0 ? problem : errno;
		path[length - 1] = '\0';
		if (fd < 0)
			continue;
		watch_directory(watch, fd);
		errno = problem;
		return problem ? -1 : take(&fd);
	}
	errno = problem;
	return -1;
}

bool watch_is_wall(const struct mount *mount)
{
	return mount->on_host && (mount->kind == MOUNT_COPY || mount->access == ACCESS_READ ||
				  mount->kind == MOUNT_MASK);
}

void watch_writes(struct watch *watch, const char *path)
{
	struct stat status;
	autoclose int directory = open_watched(watch, path);
	struct watched_name *name =
		directory < 0 || fstat(directory, &status) < 0 ? NULL : watched(watch, &status);
	if (name)
		fcntl(name->fd, F_NOTIFY, NOTICES | DN_MODIFY);
}

// An entry of a new directory of hooks, or the directory where there is no other way. Writes its
// path, and opens the directory that it lies in.
static bool hook_came(struct watch *watch, int directory, char path[PATH_MAX], int *ret_below)
{
	unsigned count = 0;
	autoclose int hooks =
		openat(directory, path_name(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (hooks < 0)
		return true;
	watch_directory(watch, hooks);
	entries_each (entry, hooks) {
		bool sample = str_ends(entry->name, ".sample");
		if (sample && ++count <= SAMPLES_MAX)
			continue;
		if (!sample &&
		    str_put(path + strlen(path), PATH_MAX - strlen(path), "/%s", entry->name))
			*ret_below = take(&hooks);
		return true;
	}
	return false;
}

// A file in a git directory that was there, by which git finds other objects.
static bool pointer_came(struct watch *watch, struct check *check, const struct guard *guard,
			 char path[PATH_MAX], int *ret_below)
{
	struct stat status;
	layout_each(row)
	{
		if (row->kind != LAYOUT_POINTER || !strchr(row->path, '/') ||
		    list_has(&guard->known, row->path) ||
		    !str_put(path, PATH_MAX, "%.*s%s", (int)strlen(guard->path) - 1, guard->path,
			     row->path))
			continue;
		autoclose int below = open_watched(watch, path);
		if (below < 0)
			vet_way(check, path);
		else if (fstatat(below, path_name(path), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
			 !pointer_is_alternates(check->plan, below, path_name(path), path)) {
			*ret_below = take(&below);
			return true;
		}
	}
	return false;
}

static bool came(struct watch *watch, struct check *check, const struct guard *guard, int directory,
		 char path[PATH_MAX], int *ret_below)
{
	size_t length = (size_t)(path_name(path) - path);
	if (guard->kind == GUARD_LISTED)
		return listed_came(directory, guard, path + length, PATH_MAX - length);
	if (guard->kind == GUARD_HOOKS)
		return hook_came(watch, directory, path, ret_below);
	return guard->kind != GUARD_PARTS || pointer_came(watch, check, guard, path, ret_below);
}

static bool is_taken(enum guarded kind)
{
	return kind == GUARD_ABSENT || kind == GUARD_LISTED || kind == GUARD_HOOKS ||
	       kind == GUARD_PARTS;
}

// Whether it was moved away.
static bool take_if_there(struct watch *watch, struct check *check, const struct guard *guard)
{
	char path[PATH_MAX];
	struct stat status;
	autoclose int below = -1, directory = open_watched(watch, guard->path);
	str_put(path, sizeof(path), "%s", guard->path);
	if (directory < 0 && (errno == ELOOP || errno == ENOTDIR))
		vet_way(check, guard->path);
	if (directory < 0 || !came(watch, check, guard, directory, path, &below) ||
	    fstatat(below < 0 ? directory : below, path_name(path), &status, AT_SYMLINK_NOFOLLOW) <
		    0)
		return false;
	quarantine_take(check->plan->state, below < 0 ? directory : below, path_name(path), path,
			"appeared, and your own programs would run or trust it", check->found);
	watch_count(watch, check, path);
	return true;
}

// Against a box that makes the host busy, and one that has a name there for most of the time. What
// its user saves there now and then ends nothing.
void watch_count(struct watch *watch, const struct check *check, const char *path)
{
	enum { RETURNS = 8, WITHIN_MILLISECONDS = 10000 };
	struct taken_name *oldest = watch->taken, now = { str_hash(path), steady_now() };
	unsigned recent = 0, same = 0;
	for (unsigned i = 0; i < TAKEN_MAX; i++) {
		const struct taken_name *taken = &watch->taken[i];
		bool counts = taken->when && now.when - taken->when < WITHIN_MILLISECONDS;
		recent += counts;
		same += counts && taken->name == now.name;
		oldest = taken->when < oldest->when ? &watch->taken[i] : oldest;
	}
	*oldest = now;
	if (same + 1 < RETURNS && recent + 1 < TAKEN_MAX)
		return;
	if (!findings_has(check->found, FINDING_RETURNS, finding_path(check->plan, path)))
		findings_add(check->found, FINDING_RETURNS, finding_path(check->plan, path), "",
			     "");
	sys_pidfd_send_signal(watch->pidfd, SIGKILL, NULL);
}

void watch_end(struct watch *watch)
{
	for (unsigned i = 0; i < watch->directory_count; i++)
		fd_close(&watch->directories[i].fd);
	fd_close(&watch->names);
}

// Notices only say that it is time to look. What is left over comes first in the next turn.
void watch_names(struct watch *watch, const struct plan *plan, struct findings *found)
{
	FORGIVING;
	struct signalfd_siginfo notice;
	unsigned taken = 0, first = watch->first;
	struct check check = { .plan = plan, .found = found, .start = clock_start(plan) };
	for (int i = 0; i < EVENTS_A_TURN && read(watch->names, &notice, sizeof(notice)) > 0; i++)
		;
	watch->again = watch->polls ? steady_now() + LOOK_MILLISECONDS : 0;
	for (unsigned i = 0; i < plan->guard_count; i++) {
		unsigned index = (first + i) % plan->guard_count;
		const struct guard *guard = &plan->guards[index];
		if (!is_taken(guard->kind) || !take_if_there(watch, &check, guard) ||
		    ++taken < TAKES_A_TURN)
			continue;
		watch->first = index + 1;
		watch->again = steady_now();
		break;
	}
}

// Notices are a signal that nobody waits for but us: the loop's own descriptor leaves it.
static int open_notices(const struct run *run)
{
	sigset_t notices, others;
	sigemptyset(&notices);
	sigaddset(&notices, SIGIO);
	sigfillset(&others);
	sigdelset(&others, SIGIO);
	signalfd(run->signals, &others, 0);
	return signalfd(-1, &notices, SFD_CLOEXEC | SFD_NONBLOCK);
}

void watch_begin(struct watch *watch, const struct plan *plan, const struct run *run)
{
	watch->pidfd = run->pidfd;
	watch->names = open_notices(run);
	watch->polls = testing_skips("notices");
	for (unsigned i = 0; i < plan->mount_count && !watch->polls; i++)
		if (watch_is_wall(&plan->mounts[i]))
			close(open_watched(watch, plan->mounts[i].target));
}
