// Owns the targets of mounts.
#include "mount/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "plan.h"
#include "run.h"

enum { MOVE_FLAGS = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH, TEXT_MAX = 4096 };

const char *target_inside(const char *target)
{
	return target[1] ? target + 1 : ".";
}

bool target_is_same(int fd, const struct identity *identity)
{
	struct stat status;
	return fstat(fd, &status) == 0 && status.st_dev == identity->device &&
	       status.st_ino == identity->inode && (status.st_mode & S_IFMT) == identity->type;
}

int target_mount(const struct plan *plan, const struct run *run, const char *path)
{
	for (unsigned i = plan->mount_count; i-- > 0;)
		if (str_equal(plan->mounts[i].target, path))
			return run->mounts[i];
	return -1;
}

int target_open(const struct plan *plan, struct run *run, unsigned index)
{
	const struct mount *mount = &plan->mounts[index];
	autoclose int fd =
		sys_openat2(run->root, target_inside(mount->target),
			    O_PATH | O_NOFOLLOW | O_CLOEXEC, RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS);
	if (fd < 0)
		return fail(errno, "'%s'", mount->target);
	if (mount->on_host && !target_is_same(fd, &mount->identity))
		return fail(ERR_CHANGED, "'%s' changed while the plan was made", mount->target);
	return take(&fd);
}

// Opens without symlinks: an earlier command of the session may have made one.
static int open_parent(struct run *run, const struct mount *mount)
{
	char parent[TEXT_MAX];
	size_t length = (size_t)(path_name(mount->target) - mount->target);
	if (length >= sizeof(parent))
		return fail(ENAMETOOLONG, "'%s'", mount->target);
	memcpy(parent, mount->target, length);
	parent[length] = '\0';
	int fd = sys_openat2(run->root, target_inside(parent), O_PATH | O_DIRECTORY | O_CLOEXEC,
			     RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS);
	return fd < 0 ? fail(errno, "the directory of '%s' in the session", mount->target) : fd;
}

static int make_at(int directory, const char *path, mode_t type)
{
	return S_ISDIR(type) ? mkdirat(directory, path, type & 07777)
			     : mknodat(directory, path, S_IFREG, 0);
}

// Clears what an earlier box left: removes a link or file, opens a closed directory, moves away a
// directory at the target of a file.
static int clear(int parent, const char *name, mode_t type)
{
	char aside[NAME_MAX + 1];
	struct stat status;
	struct timespec now;
	if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (S_ISDIR(type) && S_ISDIR(status.st_mode) && (status.st_mode & S_IRWXU) != S_IRWXU) {
		autoclose int fd =
			openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		return fd < 0 ? -1 : fchmod(fd, (status.st_mode & 07777) | S_IRWXU);
	}
	if (S_ISDIR(type) ? S_ISDIR(status.st_mode) : S_ISREG(status.st_mode))
		return 0;
	if (!S_ISDIR(status.st_mode))
		return unlinkat(parent, name, 0);
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(aside, sizeof(aside), ".sbx-%lx-%lx", (unsigned long)now.tv_sec,
		 (unsigned long)now.tv_nsec);
	return renameat(parent, name, parent, aside);
}

int target_make(struct run *run, const struct mount *mount, mode_t type)
{
	if (mount->on_host)
		return 0;
	autoclose int parent = -1;
	if (mount->unknown)
		TRY(parent = open_parent(run, mount));
	if (mount->in_cache && clear(parent, path_name(mount->target), type) < 0)
		return fail(errno, "clear the place of '%s'", mount->target);
	int made = mount->unknown ? make_at(parent, path_name(mount->target), type)
				  : make_at(run->root, target_inside(mount->target), type);
	run->made += made == 0 && !mount->unknown;
	return made < 0 && errno != EEXIST ? fail(errno, "make '%s'", mount->target) : 0;
}

int target_link(struct run *run, const struct mount *mount)
{
	char text[TEXT_MAX];
	autoclose int parent = -1;
	run->made += !mount->unknown;
	if (!mount->unknown)
		return symlinkat(mount->source, run->root, target_inside(mount->target)) < 0
			       ? fail(errno, "link '%s'", mount->target)
			       : 0;
	TRY(parent = open_parent(run, mount));
	const char *name = path_name(mount->target);
	ssize_t length = readlinkat(parent, name, text, sizeof(text));
	if (length == (ssize_t)strlen(mount->source) &&
	    memcmp(text, mount->source, (size_t)length) == 0)
		return 0;
	if (mount->in_cache && clear(parent, name, S_IFREG) < 0)
		return fail(errno, "clear the place of '%s'", mount->target);
	if ((unlinkat(parent, name, 0) < 0 && errno != ENOENT) ||
	    symlinkat(mount->source, parent, name) < 0)
		return fail(errno, "link '%s'", mount->target);
	return 0;
}

// Mounts by name on the box's tmpfs, where sbx made all names. Opens other targets, and compares
// them with the plan.
int target_attach(const struct plan *plan, struct run *run, unsigned index, int tree)
{
	const struct mount *mount = &plan->mounts[index];
	autoclose int target = -1;
	bool open = mount->on_host || mount->unknown;
	if (open)
		TRY(target = target_open(plan, run, index));
	int moved = open ? sys_move_mount(tree, "", target, "", MOVE_FLAGS)
			 : sys_move_mount(tree, "", run->root, target_inside(mount->target),
					  MOVE_MOUNT_F_EMPTY_PATH);
	if (moved < 0)
		return fail(errno, "mount '%s'", mount->target);
	run->mounts[index] = tree;
	return 0;
}
