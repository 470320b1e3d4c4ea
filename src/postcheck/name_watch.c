// Owns the notices of changed directories (fcntl(2), F_NOTIFY): a user has few inotify instances,
// which other programs need.
#include "postcheck/check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include "plan.h"
#include "postcheck/finding/finding.h"
#include "report/findings.h"
#include "run.h"

enum { EVENTS_A_TURN = 4, TAKES_A_TURN = 16, ENTRIES_A_TURN = 65536, TURN_MILLISECONDS = 100 };
enum { TIMES_LONGER = 3, REST_MILLISECONDS = 1000, GIT_WATCHES_MAX = WATCHES_MAX / 2 };
#define NOTICES (DN_CREATE | DN_DELETE | DN_RENAME | DN_MULTISHOT)

static struct watched_name *watched(struct watch *watch, const struct stat *status)
{
	for (unsigned i = 0; i < watch->directory_count; i++)
		if (watch->directories[i].inode == status->st_ino &&
		    watch->directories[i].device == status->st_dev)
			return &watch->directories[i];
	return NULL;
}

// Without notices all places are compared at intervals.
void watch_directory(struct watch *watch, int directory)
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
	watch->again = watch->next;
}

static void meets(struct living *living, int directory)
{
	struct watch *watch = (struct watch *)living;
	if (watch->directory_count < GIT_WATCHES_MAX)
		watch_directory(watch, directory);
}

int watch_open(struct watch *watch, const char *name)
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
	autoclose int directory = watch_open(watch, path);
	struct watched_name *name =
		directory < 0 || fstat(directory, &status) < 0 ? NULL : watched(watch, &status);
	if (name)
		fcntl(name->fd, F_NOTIFY, NOTICES | DN_MODIFY);
}

// Ends a run that keeps the host busy or restores a name again and again. A user's occasional save
// does not count.
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

static bool takes(struct living *living, const struct check *check, const char *path)
{
	struct watch *watch = (struct watch *)living;
	if (++watch->takes > TAKES_A_TURN)
		return false;
	watch_count(watch, check, path);
	return true;
}

// Checks take a quarter of the time. Changes without a notice, such as writes to mapped memory,
// are seen within a second.
void watch_rest(struct watch *watch, int64_t began)
{
	int64_t now = steady_now(), next = now + TIMES_LONGER * (now - began);
	watch->next = watch->next > next ? watch->next : next;
	if (watch->takes > TAKES_A_TURN || watch->living.waits)
		watch->again = watch->next;
	if (watch->again == 0)
		watch->again = watch->next + REST_MILLISECONDS;
	watch->living.first = false;
}

void watch_end(struct watch *watch)
{
	for (unsigned i = 0; i < watch->directory_count; i++)
		fd_close(&watch->directories[i].fd);
	fd_close(&watch->names);
	free(watch->places);
	watch->places = NULL;
}

int watch_waiting(const struct watch *watch)
{
	return watch->again == 0 || steady_now() >= watch->next ? watch->names : -1;
}

bool watch_is_time(struct watch *watch)
{
	struct signalfd_siginfo notice;
	if (steady_now() < watch->next) {
		watch->again = watch->next;
		return false;
	}
	for (int i = 0; i < EVENTS_A_TURN && read(watch->names, &notice, sizeof(notice)) > 0; i++)
		;
	watch->next = steady_now() + LOOK_MILLISECONDS;
	watch->again = watch->polls ? watch->next : 0;
	watch->takes = 0;
	watch->living.waits = false;
	watch->living.entries = ENTRIES_A_TURN;
	watch->living.until = steady_now() + TURN_MILLISECONDS;
	return true;
}

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
	char path[PATH_MAX];
	watch->pidfd = run->pidfd;
	watch->names = open_notices(run);
	watch->polls = testing_skips("notices");
	watch->living = (struct living){ .meets = meets, .takes = takes, .first = true };
	watch->places = calloc(plan->place_count + 1, sizeof(*watch->places));
	if (!watch->places)
		abort();
	for (unsigned i = 0; i < plan->mount_count && !watch->polls; i++)
		if (watch_is_wall(&plan->mounts[i]))
			close(watch_open(watch, plan->mounts[i].target));
	for (unsigned i = 0; i < plan->place_count; i++) {
		watch->places[i].changed = plan->places[i].changed;
		if (!str_put(path, sizeof(path), "%s/.", plan->places[i].path) || watch->polls)
			continue;
		if (plan->places[i].role == PLACE_GIT || plan->places[i].role == PLACE_WORKTREE)
			watch_writes(watch, path);
		else
			close(watch_open(watch, path));
	}
}
