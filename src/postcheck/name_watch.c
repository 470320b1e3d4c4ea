// Owns the notices of changed directories (fcntl(2), F_NOTIFY): a user has few inotify instances,
// which other programs need.
#include "postcheck/postcheck.h"

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
#include "postcheck/acts/check.h"
#include "postcheck/git/vet.h"
#include "report/findings.h"
#include "run.h"
#include "view/paths/wishes.h"

enum { EVENTS_A_TURN = 4, TAKES_A_TURN = 16, ENTRIES_A_TURN = 65536, TURN_MILLISECONDS = 100 };
enum { TIMES_LONGER = 3, REST_MILLISECONDS = 1000, GIT_WATCHES_MAX = WATCHES_MAX / 2 };
enum { TRACKED_WATCHES_MAX = WATCHES_MAX / 4 };
#define HOLDS   UINT64_MAX // in place of an inode: a repository of the box is there
#define NOTICES (DN_CREATE | DN_DELETE | DN_RENAME | DN_MULTISHOT)

static struct watched_name *watched(struct watch *watch, const struct stat *status)
{
	for (unsigned i = 0; i < watch->directory_count; i++)
		if (watch->directories[i].inode == status->st_ino &&
		    watch->directories[i].device == status->st_dev)
			return &watch->directories[i];
	return NULL;
}

// Watches a directory. If the kernel refuses notices, compares all at intervals.
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

void watch_count(struct watch *watch, const struct check *check, const char *path)
{
	enum { RETURNS = 8, WITHIN_MILLISECONDS = 10000 };
	struct taken_name *oldest = watch->taken, now = { str_hash(path), steady_now() };
	unsigned recent = 0, same = 0;
	for (unsigned i = 0; i < TAKEN_MAX; i++) {
		const struct taken_name *taken = &watch->taken[i];
		bool counts = taken->when && now.when - taken->when < WITHIN_MILLISECONDS;
		recent += counts;
		same += counts && taken->name == now.name && !watch->swept.on;
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

// Sets when to check next: checks take a quarter of the time at most. One each second finds writes
// without notices (mmap).
void watch_rest(struct watch *watch, int64_t began)
{
	int64_t now = steady_now(), next = now + TIMES_LONGER * (now - began);
	watch->next = watch->next > next ? watch->next : next;
	if (watch->takes > TAKES_A_TURN || watch->living.waits)
		watch->again = watch->next;
	if (watch->again == 0)
		watch->again = watch->next + REST_MILLISECONDS;
	if (watch->swept.next > watch->next && watch->swept.next < watch->again)
		watch->again = watch->swept.next;
	watch->living.first = false;
}

static void sweep_end(struct swept *swept)
{
	if (swept->arena)
		arena_free(swept->arena);
	free(swept->seen);
	*swept = (struct swept){ .at = 0 };
}

// Rereads a changed index: it may have other directories.
static void read_share(struct swept *swept, const struct plan *plan, const struct run *run)
{
	static const struct share none;
	const struct share *first = run->share ? run->share : &none;
	struct share share = { 0 };
	struct stat status;
	struct file_state now = { 0 };
	if (plan->index && stat(plan->index, &status) == 0)
		now = file_state(&status);
	// Never within a sweep: a box could change the index in each turn.
	bool whole = swept->at == 0 && swept->since != times_from(&plan->start);
	if (swept->seen && (!whole || file_state_equal(&now, &swept->share.index)))
		return;
	sweep_end(swept);
	swept->arena = arena_new_of(SHARE_BYTES);
	if (now.inode && !file_state_equal(&now, &first->index) &&
	    !share_read(swept->arena, plan->index, &now, NULL, &share))
		share = (struct share){ 0 };
	share_add(swept->arena, &share, first, scan_directory(plan, plan->project));
	share.index = now;
	swept->share = share;
	swept->seen = calloc(share.count + 1, sizeof(*swept->seen));
	if (!swept->seen)
		abort();
	swept->at = 0;
	swept->next = 0;
	swept->since = times_from(&plan->start);
}

// A renamed parent brings a directory with an old ctime: its inode is another.
static void look_at_tracked(struct watch *watch, struct check *check, int top, const char *inside,
			    uint64_t *seen)
{
	char path[PATH_MAX], git[PATH_MAX];
	struct stat status;
	const struct swept *swept = &watch->swept;
	bool first = swept->since == times_from(&check->start);
	bool watches = watch->directory_count < TRACKED_WATCHES_MAX;
	if (fstatat(top, inside, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(status.st_mode))
		return;
	if ((*seen == status.st_ino || (*seen == 0 && first)) &&
	    times_from(&status.st_ctim) < swept->since && !(first && watches)) {
		*seen = status.st_ino;
		return;
	}
	autoclose int fd = sys_openat2(top, inside, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				       RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH);
	if (fd < 0 || !str_put(path, sizeof(path), "%s/%s", check->plan->project, inside) ||
	    !str_put(git, sizeof(git), "%s/.git", path))
		return;
	if (watches)
		watch_directory(watch, fd);
	*seen = status.st_ino;
	if (finding_is_changed(check, fd, ".git") && !place_is_git(check->plan, git)) {
		*seen = HOLDS;
		check->known = !finding_is_made(check, fd, ".git");
		vet_repository(check, fd, ".git", git);
		check->known = false;
	}
	if ((finding_is_made(check, fd, "HEAD") ||
	     (finding_is_changed(check, fd, "HEAD") && finding_is_changed(check, fd, "refs"))) &&
	    !place_is_git(check->plan, path)) {
		*seen = HOLDS;
		bare_look(check, fd, path);
	}
}

// Whole sweeps take a RARELYth of the time. Other turns check watched directories, and those with a
// box's repository.
void watch_sweep(struct watch *watch, struct check *check, const struct run *run)
{
	enum {
		RARELY = 300,
		REST_MAX = 3 * REST_MILLISECONDS,
		NANOSECONDS_A_MILLISECOND = 1000000
	};
	struct swept *swept = &watch->swept;
	if (!check->plan->project || check->start.tv_sec == 0)
		return;
	read_share(swept, check->plan, run);
	autoclose int top =
		open(check->plan->project, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (swept->at == 0) {
		swept->began = times_now();
		swept->processor = processor_now();
		swept->all = steady_now() >= swept->next;
	}
	check->living->until = steady_now() + TURN_MILLISECONDS;
	swept->on = true;
	for (; top >= 0 && swept->at < swept->share.count && !finding_waits(check); swept->at++) {
		const char *inside = swept->share.tracked[swept->at].path;
		uint64_t *seen = &swept->seen[swept->at];
		if (inside[0] && (swept->all || *seen == HOLDS || swept->at < TRACKED_WATCHES_MAX))
			look_at_tracked(watch, check, top, inside, seen);
	}
	swept->on = false;
	if (swept->at < swept->share.count)
		return;
	swept->at = 0;
	if (!swept->all)
		return;
	const int64_t rest =
		(processor_now() - swept->processor) * RARELY / NANOSECONDS_A_MILLISECOND;
	swept->since = swept->began - TIMES_TICK;
	swept->next = steady_now() + (rest < REST_MILLISECONDS ? REST_MILLISECONDS
				      : rest < REST_MAX        ? rest
							       : REST_MAX);
}

void watch_end(struct watch *watch)
{
	sweep_end(&watch->swept);
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
