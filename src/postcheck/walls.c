// Owns the protective mounts of a live run. A host program that replaces a file removes the mount
// over it. The keeper, a process in the box's mount namespace, restores it. Then the file is
// checked for writes of the box.
#include "postcheck/postcheck.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "base/testing.h"
#include "plan.h"
#include "postcheck/acts/check.h"
#include "report/findings.h"
#include "run.h"

// The first RESTORE_YIELDS tries yield while the host renames a file, others sleep for 1 ms.
enum { RESTORE_YIELDS = 2000, RESTORE_TRIES = 2050, ANSWERS_A_TURN = 64 };

// The keeper's answers. Other numbers are indices of restored mounts.
enum { KEEPER_LOOKED = -1, KEEPER_FAILED = -2 };

static bool is_mounted(const char *path)
{
	struct sys_statx status;
	if (sys_statx(AT_FDCWD, path, 0, &status) < 0)
		return errno == ENOENT; // removed on the host: nothing to cover
	return (status.attributes & SYS_STATX_MOUNT_ROOT) != 0;
}

// Returns a detached mount. A copy gets a new symlink for each mount.
static int open_cover(const struct mount *mount)
{
	struct mount_attr readonly = { .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
						   MOUNT_ATTR_NODEV };
	char link[64], text[64];
	unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW;
	autoclose int tree = -1;
	if (mount->kind == MOUNT_COPY) {
		snprintf(link, sizeof(link), COPIES_DIRECTORY "/%u/.link-%d", mount->copy,
			 (int)getpid());
		snprintf(text, sizeof(text), COPIES_DIRECTORY "/%u/config", mount->copy);
		unlink(link);
		tree = symlink(text, link) < 0 ? -1 : sys_open_tree(AT_FDCWD, link, flags);
	} else if (mount->kind == MOUNT_MASK) {
		tree = sys_open_tree(AT_FDCWD, "/dev/null", flags);
	} else {
		tree = sys_open_tree(AT_FDCWD, mount->target, flags | AT_RECURSIVE);
	}
	return tree < 0 || sys_mount_setattr(tree, AT_RECURSIVE, &readonly) < 0 ? -1 : take(&tree);
}

// Mounts over the file in the box's mount namespace. Directories above are mounts, which the box
// cannot move. `ready`: a prepared cover, or -1.
static int mount_again(const struct mount *mount, int *ready)
{
	struct stat status;
	autoclose int target = sys_openat2(AT_FDCWD, mount->target, O_PATH | O_NOFOLLOW | O_CLOEXEC,
					   RESOLVE_NO_SYMLINKS);
	if (target < 0)
		return errno == ENOENT ? 0 : -1;
	// The host is replacing the file: restore() tries again.
	if (fstat(target, &status) < 0 || status.st_nlink == 0)
		return -1;
	if (*ready < 0)
		*ready = open_cover(mount);
	if (*ready < 0 || sys_move_mount(*ready, "", target, "",
					 MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
		return -1;
	fd_close(ready);
	return 0;
}

// Returns 0: was mounted; 1: restored; -1.
static int restore(const struct mount *mount, int *ready)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	for (int tries = 0;; tries++) {
		if (is_mounted(mount->target))
			return tries > 0;
		if (tries == RESTORE_TRIES)
			return -1;
		if (mount_again(mount, ready) == 0)
			continue;
		if (mount->kind != MOUNT_COPY)
			fd_close(ready);
		if (tries < RESTORE_YIELDS)
			sched_yield();
		else
			nanosleep(&pause, NULL);
	}
}

// Begins with git's configurations, by which the host may run something at once.
static int restore_all(const struct plan *plan, int covers[COPIES_MAX], int socket)
{
	for (int pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < plan->mount_count; i++) {
			const struct mount *mount = &plan->mounts[i];
			bool copy = mount->kind == MOUNT_COPY;
			int none = -1, index = (int)i;
			if (!watch_is_wall(mount) || copy != (pass == 0))
				continue;
			int restored = restore(mount, copy ? &covers[mount->copy] : &none);
			fd_close(&none);
			if (restored < 0)
				return -1;
			if (restored > 0)
				send(socket, &index, sizeof(index), MSG_NOSIGNAL);
			if (copy && covers[mount->copy] < 0)
				covers[mount->copy] = open_cover(mount);
		}
	return 0;
}

// Requests a short time slice, which Linux 6.12 runs sooner.
static void be_first(void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} wanted = { .size = 48, .nice = getpriority(PRIO_PROCESS, 0), .runtime = 100000 };
	syscall(SYS_sched_setattr, 0, &wanted, 0);
}

// Runs the keeper. It ends with the supervisor, which has the socket's only other end.
static _Noreturn void keep(const struct plan *plan, const struct run *run, int mounts, int socket)
{
	const int kept[] = { mounts, socket, run->user, run->view };
	int covers[COPIES_MAX], word = KEEPER_LOOKED;
	struct pollfd events[] = { { .fd = mounts, .events = POLLPRI },
				   { .fd = socket, .events = POLLIN } };
	memset(covers, -1, sizeof(covers));
	if (fd_close_except(kept, 4, 0) < 0 || setns(run->user, CLONE_NEWUSER) < 0 ||
	    setns(run->view, CLONE_NEWNS) < 0 || close(run->user) < 0 || close(run->view) < 0)
		_exit(2);
	for (int i = 0; i < 3; i++)
		close(i);
	be_first();
	struct timespec late = { .tv_nsec = testing_skips("keeper-haste") ? 300000000 : 0 };
	while (restore_all(plan, covers, socket) == 0) {
		if (events[1].revents & POLLIN)
			send(socket, &word, sizeof(word), MSG_NOSIGNAL);
		while (poll(events, 2, -1) < 0)
			;
		if (events[1].revents & ~POLLIN ||
		    (events[1].revents && recv(socket, &word, sizeof(word), 0) <= 0))
			_exit(0);
		word = KEEPER_LOOKED;
		if (late.tv_nsec)
			nanosleep(&late, NULL);
	}
	word = KEEPER_FAILED;
	send(socket, &word, sizeof(word), MSG_NOSIGNAL);
	_exit(2);
}

static struct wall_state wall_seen(const struct mount *mount)
{
	struct stat status;
	if (lstat(mount->target, &status) < 0)
		return (struct wall_state){ .inode = 0 };
	return (struct wall_state){ status.st_ino, status.st_dev, status.st_ctim, false };
}

static bool is_changed(const struct wall_state *now, const struct wall_state *known)
{
	return now->inode != known->inode || now->device != known->device ||
	       times_from(&now->changed) != times_from(&known->changed);
}

static void lose(struct watch *watch, struct findings *found)
{
	findings_add(found, FINDING_PROTECTION_LOST, "", "", "");
	sys_pidfd_send_signal(watch->pidfd, SIGKILL, NULL);
	fd_close(&watch->mounts);
}

// Whether the box ends: opening its mountinfo then fails with EINVAL.
static bool has_ended(int pidfd)
{
	enum { LONGEST_MILLISECONDS = 2000 };
	struct pollfd ended = { .fd = pidfd, .events = POLLIN };
	return poll(&ended, 1, LONGEST_MILLISECONDS) == 1;
}

static bool begin(struct watch *watch, const struct plan *plan, const struct run *run)
{
	char path[PATH_MAX];
	int ends[2] = { -1, -1 };
	snprintf(path, sizeof(path), "/proc/%d/mountinfo", (int)run->init);
	autoclose int mounts = open(path, O_RDONLY | O_CLOEXEC);
	watch->keeper = -1;
	watch->walls = calloc(plan->mount_count + 1, sizeof(*watch->walls));
	if (!watch->walls)
		abort();
	if (mounts < 0 && has_ended(run->pidfd))
		return true;
	if (mounts >= 0 && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 &&
	    !testing_skips("keeper"))
		watch->keeper = fork();
	if (watch->keeper == 0)
		keep(plan, run, mounts, ends[1]);
	fd_close(&ends[1]);
	watch->mounts = ends[0];
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (watch_is_wall(&plan->mounts[i]))
			watch->walls[i] = wall_seen(&plan->mounts[i]);
	return watch->keeper > 0;
}

void walls_end(struct watch *watch)
{
	watch_end(watch);
	fd_close(&watch->mounts);
	while (watch->keeper > 0 && waitpid(watch->keeper, NULL, 0) < 0 && errno == EINTR)
		;
	watch->keeper = 0;
	free(watch->walls);
	watch->walls = NULL;
}

// Wakes the keeper: the kernel does not report a mount lost when the host replaces its file.
static void look_all(const struct watch *watch, const struct plan *plan)
{
	const int word = KEEPER_LOOKED;
	bool changed = false;
	for (unsigned i = 0; i < plan->mount_count && !changed; i++) {
		if (!watch_is_wall(&plan->mounts[i]))
			continue;
		struct wall_state now = wall_seen(&plan->mounts[i]);
		changed = is_changed(&now, &watch->walls[i]);
	}
	if (changed)
		send(watch->mounts, &word, sizeof(word), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void walls_names(struct watch *watch, const struct plan *plan, const struct run *run,
		 struct findings *found)
{
	FORGIVING;
	struct check check = { .plan = plan,
			       .found = found,
			       .budget = ENTRIES_OF_CHECK,
			       .start = clock_start(plan),
			       .living = &watch->living };
	int64_t began = steady_now();
	if (!watch_is_time(watch))
		return;
	look_all(watch, plan);
	places_watch(&check, watch);
	watch_sweep(watch, &check, run);
	apart_reap();
	watch_rest(watch, began);
}

void walls_begin(struct watch *watch, const struct plan *plan, const struct run *run,
		 struct findings *found)
{
	bool kept = begin(watch, plan, run);
	watch_begin(watch, plan, run);
	if (!kept)
		lose(watch, found);
	walls_names(watch, plan, run, found);
}

// Checks a file that lost its mount: the box could write to it, and may have a descriptor.
static void look_at(struct watch *watch, struct check *check, unsigned index)
{
	const struct mount *mount = &check->plan->mounts[index];
	struct wall_state *wall = &watch->walls[index], now = wall_seen(mount);
	bool first = now.inode != wall->inode;
	// Unchanged, or the keeper has not reported it yet.
	if (!is_changed(&now, wall) || (first && !wall->replaced))
		return;
	now.replaced = wall->replaced;
	*wall = now;
	if (!now.replaced) // still mounted: the host wrote in place
		return;
	watch_writes(watch, mount->target);
	if (now.inode == 0)
		return;
	if (mount->kind != MOUNT_COPY)
		check_replaced(check, mount);
	else if (copy_look(check, &check->plan->copies[mount->copy]))
		watch_count(watch, check, mount->target);
	apart_reap();
}

void walls_answer(struct watch *watch, const struct plan *plan, struct findings *found)
{
	FORGIVING;
	struct check check = { .plan = plan, .found = found, .start = clock_start(plan) };
	int word = KEEPER_LOOKED;
	ssize_t got = sizeof(word);
	for (int i = 0; i < ANSWERS_A_TURN && got > 0; i++) {
		got = recv(watch->mounts, &word, sizeof(word), MSG_DONTWAIT);
		if (got > 0 && word >= 0 && (unsigned)word < plan->mount_count) {
			findings_add(found, FINDING_PROTECTED_AGAIN, "", "", "");
			watch->walls[word] = (struct wall_state){ .replaced = true };
		}
	}
	if (got == 0 || word == KEEPER_FAILED || (got < 0 && errno != EAGAIN))
		lose(watch, found);
	for (unsigned i = 0; i < plan->mount_count; i++)
		look_at(watch, &check, i);
}
