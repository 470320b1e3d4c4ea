// Owns the id-mapped mounts of the system's settings, until the view takes them.
#include "mount/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "plan.h"

static struct idmap_settings {
	const char *path;
	struct identity identity;
	int tree;
	bool kept;
} all[] = { { .path = "/etc" }, { .path = "/opt" } };
enum { COUNT = sizeof(all) / sizeof(*all) };
static bool tried;

static int write_map(pid_t pid, const char *name)
{
	char path[64];
	str_put(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	// uid 0 becomes nobody; others stay.
	int result = fd_write_file(AT_FDCWD, path, "0 65534 1\n1 1 65533\n");
	return result < 0 ? fail(-result, "%s", path) : 0;
}

static int open_map(pid_t pid)
{
	char path[64];
	TRY(write_map(pid, "uid_map"));
	TRY(write_map(pid, "gid_map"));
	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? fail(errno, "%s", path) : fd;
}

static int wait_to_be_killed(void *parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != *(pid_t *)parent)
		return 1;
	while (pause() < 0)
		;
	return 0;
}

// Returns a user namespace, which needs a process. This process shares sbx's memory.
static int make_map(void)
{
	static _Alignas(4096) char stack[16384];
	int pidfd = -1;
	siginfo_t info;
	pid_t self = getpid(), pid = clone(wait_to_be_killed, stack + sizeof(stack),
					   CLONE_NEWUSER | CLONE_VM | CLONE_PIDFD | SIGCHLD, &self,
					   &pidfd, NULL, NULL);
	if (pid < 0)
		return fail(errno, "a user namespace for /etc");
	int fd = open_map(pid);
	sys_pidfd_send_signal(pidfd, SIGKILL, NULL);
	fd_close(&pidfd);
	while (waitid(P_PID, (id_t)pid, &info, WEXITED) < 0 && errno == EINTR)
		;
	madvise(stack, sizeof(stack), MADV_DONTNEED);
	return fd;
}

// True: the machine lacks id-mapped mounts or user namespaces; only a note results.
static bool is_unable(int number)
{
	return number == EINVAL || number == EPERM || number == EACCES || number == EOPNOTSUPP ||
	       number == ENOSYS || number == ENOSPC || number == EUSERS;
}

static int make_copy(struct idmap_settings *one, int map)
{
	struct stat status;
	struct mount_attr attributes = { .attr_set = MOUNT_ATTR_IDMAP, .userns_fd = (unsigned)map };
	autoclose int source = sys_openat2(AT_FDCWD, one->path, O_PATH | O_NOFOLLOW | O_CLOEXEC,
					   RESOLVE_NO_SYMLINKS);
	if (source < 0 || fstat(source, &status) < 0 || !S_ISDIR(status.st_mode)) {
		one->kept = true;
		return 0;
	}
	one->identity = (struct identity){ status.st_dev, status.st_ino, S_IFDIR };
	autoclose int tree = sys_open_tree(
		source, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_EMPTY_PATH);
	if (tree < 0)
		return is_unable(errno) ? 0 : fail(errno, "'%s'", one->path);
	if (sys_mount_setattr(tree, AT_RECURSIVE, &attributes) < 0)
		return is_unable(errno) ? 0 : fail(errno, "map the ids of '%s'", one->path);
	one->kept = true;
	one->tree = take(&tree);
	return 0;
}

static bool wanted(const struct plan *plan)
{
	return plan->uid == 0 && plan->tier == TIER_FULL && !plan->as_root;
}

static int make_all(void)
{
	tried = true;
	autoclose int map = make_map();
	if (map < 0)
		return err_tolerated(is_unable(err_number())) ? 0 : -1;
	for (unsigned i = 0; i < COUNT; i++)
		TRY(make_copy(&all[i], map));
	return 0;
}

bool settings_maps(const struct plan *plan, const struct mount *mount)
{
	for (unsigned i = 0; i < COUNT && wanted(plan); i++)
		if (mount->kind == MOUNT_BIND && mount->access == ACCESS_READ &&
		    str_equal(all[i].path, mount->source))
			return true;
	return false;
}

int settings_host(const struct plan *plan, struct run *run)
{
	(void)run;
	return wanted(plan) ? make_all() : 0;
}

int settings_undo(const struct plan *plan, struct run *run)
{
	(void)plan;
	(void)run;
	for (unsigned i = 0; i < COUNT; i++)
		if (all[i].tree > 0)
			fd_close(&all[i].tree);
	return 0;
}

void settings_plan(struct plan *plan)
{
	if (plan->uid != 0 || plan->as_root)
		return;
	if (wanted(plan) && !tried)
		(void)ATTEMPT(make_all());
	for (unsigned i = 0; i < COUNT; i++)
		if (!all[i].kept)
			list_add(&plan->notes, plan->arena,
				 arena_text(
					 plan->arena,
					 "%s has no id-mapped mounts here: the box can read files "
					 "in it that only root may read; hide them with --hide",
					 all[i].path),
				 (struct origin){ .file = "settings" });
}

int settings_take(const struct mount *mount)
{
	for (unsigned i = 0; i < COUNT; i++)
		if (all[i].tree > 0 && mount->kind == MOUNT_BIND && mount->access == ACCESS_READ &&
		    str_equal(all[i].path, mount->source) &&
		    all[i].identity.device == mount->identity.device &&
		    all[i].identity.inode == mount->identity.inode &&
		    mount->identity.type == S_IFDIR)
			return take(&all[i].tree);
	return -1;
}
