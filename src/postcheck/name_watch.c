// Owns the notices of changed directories, the mount guard and its helper. By fcntl(2)'s F_NOTIFY:
// an inotify is one of few that a user has in all, of which other programs need theirs.
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

// After TAKEN_MAX none is reported by itself, and moving them away takes a part of the time alone,
// as short as it is: a box must neither keep the host busy nor a name for long.
enum {
	TAKEN_MAX = 32,
	PAUSE_LEAST = 5, // milliseconds
	PAUSE_PARTS = 10,
	RESTORE_TRIES = 50,
	EVENTS_A_TURN = 4,
	TAKES_A_TURN = 4,
	SAMPLES_MAX = 4096,
	LOOK_MILLISECONDS = 20 // how often is looked where the kernel gives no notice
};

static void look_again(struct watch *watch, int64_t when)
{
	if (!watch->again || when < watch->again)
		watch->again = when;
}

static bool is_watched(const struct watch *watch, const struct stat *status)
{
	for (unsigned i = 0; i < watch->directory_count; i++)
		if (watch->directories[i].inode == status->st_ino &&
		    watch->directories[i].device == status->st_dev)
			return true;
	return false;
}

// A directory without notices: then all names are checked every few milliseconds.
static void watch_directory(struct watch *watch, int directory)
{
	struct stat status;
	if (watch->polls || fstat(directory, &status) < 0 || is_watched(watch, &status))
		return;
	autoclose int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	watch->polls = fd < 0 || watch->directory_count == WATCHES_MAX ||
		       fcntl(fd, F_NOTIFY, DN_CREATE | DN_DELETE | DN_RENAME | DN_MULTISHOT) < 0;
	if (watch->polls)
		return;
	watch->directories[watch->directory_count++] =
		(struct watched_name){ status.st_ino, status.st_dev, take(&fd) };
	// What came right before.
	look_again(watch, steady_now());
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

// A name that comes again and again takes a part of the time alone, together with others like it;
// it does not hold up the rest.
static int64_t rest_of(const struct watch *watch, const struct plan *plan, int64_t begin)
{
	int64_t now = steady_now(), pause = (now - begin) * PAUSE_PARTS, resting = 1;
	if (watch->taken <= TAKEN_MAX)
		return 0;
	for (unsigned i = 0; i < plan->guard_count; i++)
		resting += watch->rest[i] > now;
	return now + (pause < PAUSE_LEAST ? PAUSE_LEAST : pause) * resting;
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
static bool take_if_there(struct watch *watch, struct check *check, unsigned index)
{
	const struct guard *guard = &check->plan->guards[index];
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
	int64_t now = steady_now();
	if (now < watch->rest[index]) {
		look_again(watch, watch->rest[index]);
		return false;
	}
	watch->taken++;
	quarantine_take(check->plan->state, below < 0 ? directory : below, path_name(path), path,
			"appeared, and your own programs would run or trust it", check->found);
	watch->rest[index] = rest_of(watch, check->plan, now);
	return true;
}

void watch_end(struct watch *watch)
{
	for (unsigned i = 0; i < watch->directory_count; i++)
		fd_close(&watch->directories[i].fd);
	free(watch->walls);
	free(watch->rest);
	fd_close(&watch->names);
	fd_close(&watch->mounts);
}

// A mount is lost when the host removes what it lies on, or puts another over it, and nothing tells
// but the file itself. A fresh one can have the number of the old: its time of change is another.
static bool moved_walls(const struct watch *watch, const struct plan *plan)
{
	bool moved = false;
	for (unsigned i = 0; i < plan->mount_count; i++) {
		struct stat status;
		if (!watch_is_wall(&plan->mounts[i]))
			continue;
		if (lstat(plan->mounts[i].target, &status) < 0)
			status = (struct stat){ 0 };
		struct wall now = { status.st_ino, status.st_dev, status.st_ctim };
		struct wall *known = &watch->walls[i];
		moved = moved || now.inode != known->inode || now.device != known->device ||
			now.changed.tv_sec != known->changed.tv_sec ||
			now.changed.tv_nsec != known->changed.tv_nsec;
		*known = now;
	}
	return moved;
}

// Notices only say that it is time to look. What is left over comes first in the next turn.
void watch_names(struct watch *watch, const struct plan *plan, const struct run *run,
		 struct findings *found)
{
	FORGIVING;
	struct signalfd_siginfo notice;
	unsigned taken = 0, first = watch->first;
	struct check check = { .plan = plan, .found = found, .start = clock_start(plan) };
	for (int i = 0; i < EVENTS_A_TURN && read(watch->names, &notice, sizeof(notice)) > 0; i++)
		;
	watch->again = watch->polls ? steady_now() + LOOK_MILLISECONDS : 0;
	if (moved_walls(watch, plan))
		watch_mounts(plan, run, found);
	for (unsigned i = 0; i < plan->guard_count; i++) {
		unsigned index = (first + i) % plan->guard_count;
		if (!is_taken(plan->guards[index].kind) || !take_if_there(watch, &check, index) ||
		    ++taken < TAKES_A_TURN)
			continue;
		watch->first = index + 1;
		look_again(watch, steady_now());
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

void watch_begin(struct watch *watch, const struct plan *plan, const struct run *run,
		 struct findings *found)
{
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "/proc/%d/mountinfo", (int)run->init);
	watch->mounts = open(path, O_RDONLY | O_CLOEXEC);
	watch->names = open_notices(run);
	watch->walls = calloc(plan->mount_count + 1, sizeof(*watch->walls));
	watch->rest = calloc(plan->guard_count + 1, sizeof(*watch->rest));
	if (!watch->walls || !watch->rest)
		abort();
	watch->polls = testing_skips("notices");
	for (unsigned i = 0; i < plan->mount_count && !watch->polls; i++)
		if (watch_is_wall(&plan->mounts[i]))
			close(open_watched(watch, plan->mounts[i].target));
	watch_names(watch, plan, run, found); // what appeared, and what happened, before
}

static bool is_mounted(const char *path)
{
	struct sys_statx status;
	if (sys_statx(AT_FDCWD, path, 0, &status) < 0)
		return errno == ENOENT; // removed on the host: nothing to stand on
	return (status.attributes & SYS_STATX_MOUNT_ROOT) != 0;
}

// A box's link and an unreadable file were thrown away when they had been mounted.
static int open_cover(const struct mount *mount)
{
	char link[64], text[64];
	unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW;
	if (mount->kind == MOUNT_MASK)
		return sys_open_tree(AT_FDCWD, "/dev/null", flags);
	if (mount->kind != MOUNT_COPY)
		return sys_open_tree(AT_FDCWD, mount->target, flags | AT_RECURSIVE);
	snprintf(link, sizeof(link), COPIES_DIRECTORY "/%u/.link-%d", mount->copy, (int)getpid());
	snprintf(text, sizeof(text), COPIES_DIRECTORY "/%u/config", mount->copy);
	unlink(link); // of the try before
	return symlink(text, link) < 0 ? -1 : sys_open_tree(AT_FDCWD, link, flags);
}

// In the box's view: over the file that is there now. The directories above are mounts of their
// own, so the box cannot have moved them.
static int mount_again(const struct mount *mount)
{
	struct mount_attr readonly = { .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
						   MOUNT_ATTR_NODEV };
	autoclose int target = sys_openat2(AT_FDCWD, mount->target, O_PATH | O_NOFOLLOW | O_CLOEXEC,
					   RESOLVE_NO_SYMLINKS);
	if (target < 0)
		return errno == ENOENT ? 0 : -1;
	autoclose int tree = open_cover(mount);
	if (tree < 0 || sys_mount_setattr(tree, AT_RECURSIVE, &readonly) < 0)
		return -1;
	return sys_move_mount(tree, "", target, "",
			      MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

// The host may be at it again in that very moment: then once more, while there are tries left. 0 it
// stood, 1 it stands again.
static int restore(const struct mount *mount, int *tries)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	for (bool missing = false;; missing = true) {
		if (is_mounted(mount->target))
			return missing;
		if (--*tries < 0)
			return -1;
		if (mount_again(mount) < 0)
			nanosleep(&pause, NULL);
	}
}

// Exit status: 0 nothing was missing, 1 mounted again, 2 that failed.
static _Noreturn void helper(const struct plan *plan, const struct run *run)
{
	int result = 0, tries = RESTORE_TRIES + (int)plan->mount_count;
	if (setns(run->user, CLONE_NEWUSER) < 0 || setns(run->view, CLONE_NEWNS) < 0)
		_exit(2);
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *mount = &plan->mounts[i];
		int restored = watch_is_wall(mount) ? restore(mount, &tries) : 0;
		result = result == 2 || restored < 0 ? 2 : result | restored;
	}
	_exit(result);
}

void watch_mounts(const struct plan *plan, const struct run *run, struct findings *found)
{
	int status = 0;
	pid_t pid = fork();
	if (pid == 0)
		helper(plan, run);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	int result = pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 2;
	if (result == 1)
		findings_add(found, FINDING_PROTECTED_AGAIN, "", "", "");
	if (result == 2) {
		findings_add(found, FINDING_PROTECTION_LOST, "", "", "");
		sys_pidfd_send_signal(run->pidfd, SIGKILL, NULL);
	}
}
