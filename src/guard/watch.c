// Owns inotify, the mount guard and its helper.
#include "guard/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/path.h"
#include "base/steady.h"
#include "base/str.h"
#include "base/sys.h"
#include "guard/quarantine.h"
#include "plan.h"
#include "run.h"

// After so many there is a pause before each, and none is told by itself: a box must not keep the
// host busy.
enum { TAKEN_MOST = 32, PAUSE_MILLISECONDS = 5000, WATCHES_MOST = 256, RESTORE_TRIES = 50 };

static bool watch_parent(const struct watch *watch, const char *name)
{
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%.*s/", (int)(path_name(name) - name - 1), name);
	unsigned events = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_ONLYDIR;
	return inotify_add_watch(watch->names, path, events) >= 0;
}

bool watch_is_wall(const struct mount *mount)
{
	return mount->on_host && (mount->kind == MOUNT_COPY || mount->access == ACCESS_READ ||
				  mount->kind == MOUNT_MASK);
}

static void take_if_there(struct watch *watch, const struct plan *plan, const struct guard *guard,
			  struct out *told)
{
	char parent[PATH_MAX];
	struct stat status;
	snprintf(parent, sizeof(parent), "%.*s/", (int)(path_name(guard->path) - guard->path - 1),
		 guard->path);
	autoclose int directory = sys_openat2(AT_FDCWD, parent, O_PATH | O_DIRECTORY | O_CLOEXEC,
					      RESOLVE_NO_SYMLINKS);
	if (directory < 0 ||
	    fstatat(directory, path_name(guard->path), &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	int64_t now = steady_now();
	if (now < watch->rest) {
		watch->again = watch->rest;
		return;
	}
	struct out nobody = { 0 };
	bool tells = watch->taken++ < TAKEN_MOST;
	quarantine_take(plan->state, directory, path_name(guard->path), guard->path,
			"appeared, and your own programs would run or trust it",
			tells ? told : &nobody);
	out_free(&nobody);
	watch->rest = tells ? 0 : now + PAUSE_MILLISECONDS;
}

void watch_end(struct watch *watch, bool reaped, struct out *told)
{
	struct timespec pause = { .tv_nsec = 2000000 };
	if (watch->taken > TAKEN_MOST)
		out_text(told, "sbx: and %u more such name%s, see: sbx quarantine list\n",
			 watch->taken - TAKEN_MOST, watch->taken == TAKEN_MOST + 1 ? "" : "s");
	if (watch->names < 0)
		return;
	if (reaped && fork() == 0) {
		sys_close_range(0, (unsigned)watch->names - 1, 0);
		sys_close_range((unsigned)watch->names + 1, ~0U, 0);
		nanosleep(&pause, NULL); // be the last to close it
		_exit(0);
	}
	fd_close(&watch->names);
	fd_close(&watch->mounts);
}

static bool names_wall(const struct plan *plan, const char *name)
{
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (watch_is_wall(&plan->mounts[i]) &&
		    str_equal(path_name(plan->mounts[i].target), name))
			return true;
	return false;
}

// A mount goes along when the host moves its directory, and nothing but this tells.
static bool read_events(const struct watch *watch, const struct plan *plan)
{
	char events[4096] __attribute__((aligned(8)));
	bool moved = false;
	ssize_t size;
	while ((size = read(watch->names, events, sizeof(events))) > 0) {
		for (char *at = events; at < events + size;) {
			const struct inotify_event *event = (const void *)at;
			moved = moved || (event->len > 0 && names_wall(plan, event->name)) ||
				(event->mask & IN_Q_OVERFLOW);
			at += sizeof(*event) + event->len;
		}
	}
	return moved;
}

// Events only say that it is time to look.
void watch_names(struct watch *watch, const struct plan *plan, const struct run *run,
		 struct out *told)
{
	watch->again = 0;
	if (read_events(watch, plan))
		watch_mounts(plan, run, told);
	for (unsigned i = 0; i < plan->guard_count; i++)
		if (plan->guards[i].kind == GUARD_ABSENT)
			take_if_there(watch, plan, &plan->guards[i], told);
	err_clear();
}

void watch_begin(struct watch *watch, const struct plan *plan, const struct run *run,
		 struct out *told)
{
	char path[PATH_MAX];
	unsigned watches = 0;
	snprintf(path, sizeof(path), "/proc/%d/mountinfo", (int)run->init);
	watch->mounts = open(path, O_RDONLY | O_CLOEXEC);
	watch_mounts(plan, run, told); // what happened before we looked
	watch->names = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	for (unsigned i = 0; i < plan->guard_count && watches < WATCHES_MOST; i++)
		if (plan->guards[i].kind == GUARD_ABSENT)
			watches += watch_parent(watch, plan->guards[i].path);
	for (unsigned i = 0; i < plan->mount_count && watches < WATCHES_MOST; i++)
		if (watch_is_wall(&plan->mounts[i]))
			watches += watch_parent(watch, plan->mounts[i].target);
	watch_names(watch, plan, run, told); // what appeared before
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

// The host may be at it again in that very moment: then once more. 0 it stood, 1 it stands again.
static int restore(const struct mount *mount)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	for (int i = 0; i < RESTORE_TRIES; i++) {
		if (is_mounted(mount->target))
			return i > 0;
		if (mount_again(mount) < 0)
			nanosleep(&pause, NULL);
	}
	return -1;
}

// Exit status: 0 nothing was missing, 1 mounted again, 2 that failed.
static _Noreturn void helper(const struct plan *plan, const struct run *run)
{
	int result = 0;
	if (setns(run->user, CLONE_NEWUSER) < 0 || setns(run->view, CLONE_NEWNS) < 0)
		_exit(2);
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *mount = &plan->mounts[i];
		int restored = watch_is_wall(mount) ? restore(mount) : 0;
		result = result == 2 || restored < 0 ? 2 : result | restored;
	}
	_exit(result);
}

void watch_mounts(const struct plan *plan, const struct run *run, struct out *told)
{
	int status = 0;
	pid_t pid = fork();
	if (pid == 0)
		helper(plan, run);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	int result = pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 2;
	if (result == 1)
		out_text(told,
			 "sbx: a protected file was replaced on the host while the box ran; it is "
			 "protected again\n");
	if (result == 2) {
		out_text(
			told,
			"sbx: a protected file was replaced on the host and could not be protected "
			"again; the run was ended\n");
		sys_pidfd_send_signal(run->pidfd, SIGKILL, NULL);
	}
}
