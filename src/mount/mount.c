// Owns the box's mounts. A source is opened without symlinks, compared with the plan, and cloned
// from its descriptor. A source that was swapped is an error.
#include "mount/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "base/testing.h"
#include "plan.h"
#include "run.h"

// The new root is mounted here until pivot_root(2). No plan has it as a source.
static const char waiting_place[] = "/proc";
static const char empty_file[] = ".empty-file", empty_directory[] = ".empty-directory";
// Target of the symlink that masks a hidden file. No file can be made there.
static const char dangling_link[] = ".absent", dangling_text[] = "/proc/hidden in this box";

enum {
	CLONE_FLAGS = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW,
	MOVE_FLAGS = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH,
};

int mount_child_root(const struct plan *plan, struct run *run)
{
	if (plan->session)
		TRY(layers_child_begin(run));
	TRY(run->root = filesystem_tmpfs(plan->profile->limits.tmp, 0755,
					 MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
	if (sys_move_mount(run->root, "", AT_FDCWD, waiting_place, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return fail(errno, "mount the new root");
	run->made = 1;
	return 0;
}

// Makes a dangling link. Its access time is zero until followed.
static int make_absent(struct run *run)
{
	static const struct timespec never[2] = { { 0 }, { 0 } };
	if (symlinkat(dangling_text, run->root, dangling_link) < 0 ||
	    utimensat(run->root, dangling_link, never, AT_SYMLINK_NOFOLLOW) < 0)
		return fail(errno, "make a link to nowhere");
	run->made++;
	run->dangling_link = openat(run->root, dangling_link, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return run->dangling_link < 0 ? fail(errno, "open a link to nowhere") : 0;
}

static int clone_restricted(const struct mount *mount, int directory, const char *path,
			    unsigned flags)
{
	struct mount_attr attributes = mount_attributes(mount->access);
	return sys_open_tree_attr(directory, path, CLONE_FLAGS | flags, &attributes);
}

static int clone_source(const struct mount *mount, const struct identity *wanted)
{
	autoclose int source = sys_openat2(AT_FDCWD, mount->source, O_PATH | O_NOFOLLOW | O_CLOEXEC,
					   RESOLVE_NO_SYMLINKS);
	if (source < 0 && errno != ELOOP)
		return fail(errno, "'%s'", mount->source);
	// A symlink is new in the path (ELOOP), or the inode is not the plan's.
	if (source < 0 || !target_is_same(source, wanted))
		return fail(ERR_CHANGED, "'%s' changed while the plan was made", mount->source);
	int tree = clone_restricted(mount, source, "", AT_RECURSIVE | AT_EMPTY_PATH);
	return tree < 0 ? fail(errno, "'%s'", mount->source) : tree;
}

static int mount_bind(const struct plan *plan, struct run *run, unsigned index)
{
	const struct mount *mount = &plan->mounts[index];
	const struct identity *wanted = mount->cache ? &mount->kept : &mount->identity;
	struct mount_attr attributes = mount_attributes(mount->access);
	autoclose int tree = prepare_take(run, mount);
	if (tree < 0 && (tree = settings_take(mount)) >= 0 &&
	    sys_mount_setattr(tree, AT_RECURSIVE, &attributes) < 0)
		return fail(errno, "restrict '%s'", mount->target);
	if (tree < 0)
		TRY(tree = clone_source(mount, wanted));
	TRY(target_make(run, mount, wanted->type | 0755));
	return target_attach(plan, run, index, take(&tree));
}

static mode_t tmpfs_mode(const struct plan *plan, const struct mount *mount)
{
	if (mount->mode)
		return (mode_t)mount->mode;
	return str_equal(mount->target, plan->real_home) ? 0755 : 01777;
}

static int own_tmpfs(const struct plan *plan, const struct mount *mount)
{
	uint64_t limit = plan->profile->limits.tmp;
	return filesystem_tmpfs(mount->size && mount->size < limit ? mount->size : limit,
				mount->mode ? (mode_t)mount->mode : 0755,
				MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
}

// Uses a directory of the root's tmpfs, bound over itself: a quarter of a new tmpfs's time. Makes
// a new tmpfs over host directories, and for a size or mode.
static int mount_tmpfs(const struct plan *plan, struct run *run, unsigned index)
{
	const struct mount *mount = &plan->mounts[index];
	TRY(target_make(run, mount, S_IFDIR | tmpfs_mode(plan, mount)));
	autoclose int tree =
		mount->on_host || mount->unknown || mount->size || mount->mode
			? own_tmpfs(plan, mount)
			: sys_open_tree(run->root, target_inside(mount->target), CLONE_FLAGS);
	if (tree < 0)
		return fail(errno, "tmpfs '%s'", mount->target);
	if (mount->source)
		TRY(fill_child(plan, mount, tree));
	return target_attach(plan, run, index, take(&tree));
}

// Makes a path read-only. Ignores a missing one.
static int mount_self(const struct plan *plan, struct run *run, unsigned index)
{
	const struct mount *mount = &plan->mounts[index];
	autoclose int tree = clone_restricted(mount, run->root, target_inside(mount->target), 0);
	if (tree < 0 && errno == ENOENT)
		return 0;
	if (tree < 0)
		return fail(errno, "'%s'", mount->target);
	if (sys_move_mount(tree, "", run->root, target_inside(mount->target),
			   MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return fail(errno, "mount over '%s'", mount->target);
	return 0;
}

static int mount_mask(const struct plan *plan, struct run *run, unsigned index)
{
	const struct mount *mount = &plan->mounts[index];
	const char *path = target_inside(mount->target);
	struct stat status = { .st_mode = mount->identity.type };
	autoclose int target = -1;
	bool open = mount->on_host || mount->unknown;
	if (open && (target = target_open(plan, run, index)) < 0)
		return (mount->optional || mount->unknown) && err_forgive(ENOENT) ? 0 : -1;
	if (!mount->on_host && (open ? fstat(target, &status)
				     : fstatat(run->root, path, &status, AT_SYMLINK_NOFOLLOW)) < 0)
		return mount->optional && errno == ENOENT ? 0 : fail(errno, "'%s'", mount->target);
	if (testing_skips("masks") && str_starts(mount->target, "/proc/"))
		return 0;
	bool directory = S_ISDIR(status.st_mode), dangling = mount->dangling && !directory;
	const char *empty = directory ? empty_directory : dangling ? dangling_link : empty_file;
	if (!dangling && !run->masked[directory]) {
		if ((directory ? mkdirat(run->root, empty, 0)
			       : mknodat(run->root, empty, S_IFREG, 0)) < 0)
			return fail(errno, "make an empty file");
		run->made++;
		run->masked[directory] = true;
	}
	// A link has no content to protect. Its access time must change, which a read-only mount
	// prevents.
	autoclose int tree = dangling ? sys_open_tree(run->root, empty, CLONE_FLAGS)
				      : clone_restricted(mount, run->root, empty, 0);
	if (tree < 0)
		return fail(errno, "'%s'", mount->target);
	if ((open ? sys_move_mount(tree, "", target, "", MOVE_FLAGS)
		  : sys_move_mount(tree, "", run->root, path, MOVE_MOUNT_F_EMPTY_PATH)) < 0)
		return fail(errno, "mount over '%s'", mount->target);
	return 0;
}

// Writes the text below /proc of the tmpfs, which the mount of /proc covers.
static int write_text(struct run *run, const struct mount *mount, unsigned index)
{
	char name[32];
	snprintf(name, sizeof(name), "proc/.text-%u", index);
	int made = mkdirat(run->root, "proc", 0755);
	if (made < 0 && errno != EEXIST)
		return fail(errno, "make '/proc'");
	run->made += made == 0 ? 2U : 1U;
	autoclose int fd = openat(run->root, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
				  mount->mode ? (mode_t)mount->mode : 0644);
	if (fd < 0 || fd_write_all(fd, mount->source, strlen(mount->source)) < 0)
		return fail(errno, "write '%s'", mount->target);
	int tree = clone_restricted(mount, run->root, name, 0);
	return tree < 0 ? fail(errno, "'%s'", mount->target) : tree;
}

static int mount_text(const struct plan *plan, struct run *run, unsigned index)
{
	const struct mount *mount = &plan->mounts[index];
	autoclose int tree = run->mounts[index];
	run->mounts[index] = -1;
	TRY(target_make(run, mount, S_IFREG));
	return target_attach(plan, run, index, take(&tree));
}

static int mount_new(const struct plan *plan, struct run *run, unsigned index)
{
	const struct mount *mount = &plan->mounts[index];
	autoclose int tree = prepare_take(run, mount);
	if (tree < 0)
		TRY(tree = filesystem_new(mount->kind));
	TRY(target_make(run, mount, S_IFDIR | 0755));
	return target_attach(plan, run, index, take(&tree));
}

static int mount_one(const struct plan *plan, struct run *run, unsigned index)
{
	const struct mount *mount = &plan->mounts[index];
	if (index == 0)
		return 0;
	switch (mount->kind) {
	case MOUNT_DIRECTORY:
		return target_make(run, mount, S_IFDIR | 0755);
	case MOUNT_LINK:
		return target_link(run, mount);
	case MOUNT_BIND:
		return mount_bind(plan, run, index);
	case MOUNT_TMPFS:
		return mount_tmpfs(plan, run, index);
	case MOUNT_SCRATCH:
		return scratch_child(plan, run, index);
	case MOUNT_LAYERS:
		return layers_child(plan, run, index);
	case MOUNT_SELF:
		return mount_self(plan, run, index);
	case MOUNT_MASK:
		return mount_mask(plan, run, index);
	case MOUNT_TEXT:
		return mount_text(plan, run, index);
	case MOUNT_COPY:
		return mount_copy_child(plan, run, index);
	case MOUNT_PROC:
	case MOUNT_PTS:
		return mount_new(plan, run, index);
	}
	return fail(0, "'%s' is not a known kind of mount", mount->target);
}

int mount_child_view(const struct plan *plan, struct run *run)
{
	mode_t mask = umask(0);
	if (plan->dangling)
		TRY(make_absent(run));
	for (unsigned i = 0; i < plan->mount_count; i++)
		run->mounts[i] = -1;
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (plan->mounts[i].kind == MOUNT_TEXT)
			TRY(run->mounts[i] = write_text(run, &plan->mounts[i], i));
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (plan->mounts[i].kind != MOUNT_SELF && plan->mounts[i].kind != MOUNT_COPY)
			TRY(mount_one(plan, run, i));
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (plan->mounts[i].kind == MOUNT_COPY)
			TRY(mount_one(plan, run, i));
	umask(mask);
	return 0;
}

static void open_again(const struct run *run, const struct node *node)
{
	bool terminal = str_starts(node->path, "/dev/console");
	int flags = fcntl(node->fd, F_GETFL) & ~O_ASYNC;
	// Without O_NONBLOCK a serial line would wait for its carrier.
	autoclose int fd = openat(run->root, target_inside(node->path),
				  flags | (terminal ? O_NONBLOCK : 0) | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && target_is_same(fd, &node->identity) &&
	    (!terminal || (flags & O_NONBLOCK) || fcntl(fd, F_SETFL, flags) == 0))
		dup3(fd, node->fd, 0);
}

int mount_child_nodes(const struct plan *plan, struct run *run)
{
	for (unsigned i = 0; i < plan->node_count; i++)
		if (plan->nodes[i].path)
			open_again(run, &plan->nodes[i]);
	return 0;
}

int mount_child_proc(const struct plan *plan, struct run *run)
{
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (plan->mounts[i].kind == MOUNT_SELF)
			TRY(mount_self(plan, run, i));
	return 0;
}

int mount_child_pivot(const struct plan *plan, struct run *run)
{
	struct mount_attr readonly = { .attr_set = MOUNT_ATTR_RDONLY };
	if ((run->masked[true] && unlinkat(run->root, empty_directory, AT_REMOVEDIR) < 0) ||
	    (run->masked[false] && unlinkat(run->root, empty_file, 0) < 0) ||
	    (plan->dangling && unlinkat(run->root, dangling_link, 0) < 0))
		return fail(errno, "remove an empty file");
	if (sys_mount_setattr(run->root, 0, &readonly) < 0)
		return fail(errno, "make the root read-only");
	if (fchdir(run->root) < 0 || sys_pivot_root(".", ".") < 0)
		return fail(errno, "pivot_root");
	return 0;
}

// A slow step: umount2(2) waits for all processors (RCU).
int mount_child_detach(const struct plan *plan, struct run *run)
{
	(void)plan;
	(void)run;
	return sys_detach("/") < 0 ? fail(errno, "detach the host's root") : 0;
}

int mount_child_directory(const struct plan *plan, struct run *run)
{
	(void)run;
	autoclose int fd = sys_openat2(AT_FDCWD, plan->directory, O_PATH | O_DIRECTORY | O_CLOEXEC,
				       RESOLVE_NO_SYMLINKS);
	if (fd < 0)
		return fail(errno, "change to '%s'", plan->directory);
	if (plan->directory_identity.type && !target_is_same(fd, &plan->directory_identity))
		return fail(ERR_CHANGED, "'%s' changed while the plan was made", plan->directory);
	return fchdir(fd) < 0 ? fail(errno, "change to '%s'", plan->directory) : 0;
}

// Repairs a mode that a box has set: 0777 or 0 would keep later runs out.
static int open_cache(const char *source)
{
	struct stat status;
	int fd = ATTEMPT(owned_directory(source));
	if (fd >= 0)
		return fd;
	if (lstat(source, &status) < 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
		return owned_directory(source);
	return chmod(source, 0700) < 0 ? fail(errno, "'%s'", source) : owned_directory(source);
}

int mount_host(struct plan *plan, struct run *run)
{
	for (unsigned i = 0; i < plan->mount_count; i++) {
		struct mount *mount = &plan->mounts[i];
		struct stat status;
		if (!mount->cache)
			continue;
		autoclose int fd = open_cache(mount->source);
		// On a full disk the cache is an empty tmpfs.
		if (fd < 0 && (err_forgive(ENOSPC) || err_forgive(EDQUOT))) {
			mount->kind = MOUNT_TMPFS;
			mount->cache = false;
			mount->source = NULL;
			run->cache_disk_full = true;
			continue;
		}
		TRY(fd);
		if (fstat(fd, &status) < 0 ||
		    ((status.st_mode & 0700) != 0700 && fchmod(fd, 0700) < 0))
			return fail(errno, "'%s'", mount->source);
		mount->kept = (struct identity){ status.st_dev, status.st_ino, S_IFDIR };
	}
	return 0;
}
