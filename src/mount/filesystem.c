// Owns the making of new file systems as detached mounts (tmpfs, proc, devpts), a tmpfs's content,
// --scratch and copies.
#include "mount/mount.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "plan.h"
#include "run.h"

int filesystem_tmpfs(uint64_t bytes, mode_t mode, unsigned attributes)
{
	enum { FILE_BYTES = 4096, FILES_LEAST = 16384 };
	char size[32];
	autoclose int fs = sys_fsopen("tmpfs");
	if (fs < 0)
		return fail(errno, "tmpfs");
	snprintf(size, sizeof(size), "%04o", (unsigned)mode);
	if (sys_fsconfig(fs, FSCONFIG_SET_STRING, "mode", size) < 0)
		return fail(errno, "tmpfs of mode %s", size);
	if (bytes != UNLIMITED) {
		snprintf(size, sizeof(size), "%llu", (unsigned long long)bytes);
		if (sys_fsconfig(fs, FSCONFIG_SET_STRING, "size", size) < 0)
			return fail(errno, "tmpfs of %s bytes", size);
		// Limits inodes, too: each takes a kilobyte of kernel memory that `size` does not
		// count.
		snprintf(size, sizeof(size), "%llu",
			 (unsigned long long)(bytes / FILE_BYTES < FILES_LEAST
						      ? FILES_LEAST
						      : bytes / FILE_BYTES));
		if (sys_fsconfig(fs, FSCONFIG_SET_STRING, "nr_inodes", size) < 0)
			return fail(errno, "tmpfs of %s files", size);
	}
	if (sys_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) < 0)
		return fail(errno, "make a tmpfs");
	int mount = sys_fsmount(fs, attributes);
	return mount < 0 ? fail(errno, "mount a tmpfs") : mount;
}

static int make(const char *type, const char *key, const char *value)
{
	autoclose int fs = sys_fsopen(type);
	if (fs < 0)
		return fail(errno, "%s", type);
	if (key && sys_fsconfig(fs, FSCONFIG_SET_STRING, key, value) < 0)
		return fail(errno, "%s: %s=%s", type, key, value);
	if (sys_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) < 0)
		return fail(errno, "make a new %s", type);
	int mount = sys_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC |
					    (str_equal(type, "proc") ? MOUNT_ATTR_NODEV : 0));
	return mount < 0 ? fail(errno, "mount a new %s", type) : mount;
}

int filesystem_new(enum mount_kind kind)
{
	return kind == MOUNT_PROC ? make("proc", NULL, NULL) : make("devpts", "ptmxmode", "0666");
}

static int make_upper(const struct plan *plan, mode_t mode)
{
	autoclose int upper = filesystem_tmpfs(plan->profile->limits.tmp, 0755,
					       MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	TRY(upper);
	if (fchdir(upper) < 0 || mkdir("upper", mode) < 0 || mkdir("work", 0700) < 0)
		return fail(errno, "make the upper directory of an overlay");
	if (setxattr("upper", "user.sbx", "", 0, 0) < 0)
		return fail(errno,
			    "this kernel's tmpfs has no extended attributes, which scratch needs "
			    "(Linux 6.6)");
	removexattr("upper", "user.sbx");
	return take(&upper);
}

static int set(int fs, const char *key, const char *value)
{
	return sys_fsconfig(fs, FSCONFIG_SET_STRING, key, value) < 0
		       ? fail(errno, "overlay: %s", key)
		       : 0;
}

// Sets options relative to different current directories: Linux 6.5 resolves each when it is set.
int scratch_child(const struct plan *plan, struct run *run, unsigned index)
{
	const struct mount *mount = &plan->mounts[index];
	struct stat status;
	autoclose int lower = sys_openat2(AT_FDCWD, mount->source, O_PATH | O_DIRECTORY | O_CLOEXEC,
					  RESOLVE_NO_SYMLINKS);
	if (lower < 0 || !target_is_same(lower, &mount->identity) || fstat(lower, &status) < 0)
		return fail(ERR_CHANGED, "'%s' changed while the plan was made", mount->source);
	autoclose int fs = sys_fsopen("overlay");
	if (fs < 0)
		return fail(errno, "this kernel has no overlay file system, which scratch needs");
	autoclose int upper = make_upper(plan, status.st_mode & 07777);
	TRY(upper);
	TRY(set(fs, "upperdir", "upper"));
	TRY(set(fs, "workdir", "work"));
	if (fchdir(lower) < 0)
		return fail(errno, "'%s'", mount->source);
	TRY(set(fs, "lowerdir", "."));
	if (sys_fsconfig(fs, FSCONFIG_SET_FLAG, "userxattr", NULL) < 0 ||
	    sys_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) < 0)
		return fail(
			errno,
			"an overlay over '%s' (a directory with other file systems below cannot be "
			"scratch)",
			mount->source);
	autoclose int tree = sys_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	if (tree < 0)
		return fail(errno, "mount an overlay over '%s'", mount->source);
	TRY(target_make(run, mount, S_IFDIR | 0755));
	return target_attach(plan, run, index, take(&tree));
}

static bool is_hidden(const struct plan *plan, const char *directory, const char *name)
{
	size_t length = strlen(directory);
	list_each (item, &plan->hidden)
		if (strncmp(item->text, directory, length) == 0 && item->text[length] == '/' &&
		    str_equal(item->text + length + 1, name))
			return true;
	return false;
}

static int copy_file(int from, int to, const char *name)
{
	struct stat status;
	autoclose int source =
		openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (source < 0 || fstat(source, &status) < 0 || !S_ISREG(status.st_mode) ||
	    status.st_size > FILL_BYTES_MAX)
		return 0;
	autoclose int target =
		openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0777);
	if (target < 0)
		return fail(errno, "copy '%s'", name);
	for (off_t left = status.st_size; left > 0;) {
		ssize_t copied = sendfile(target, source, NULL, (size_t)left);
		if (copied < 0)
			return fail(errno, "copy '%s'", name);
		left = copied == 0 ? 0 : left - copied;
	}
	return 0;
}

int fill_child(const struct plan *plan, const struct mount *mount, int tree)
{
	_Alignas(struct sys_entry) char entries[4096] __attribute__((uninitialized));
	unsigned count = 0;
	long size;
	autoclose int source = sys_openat2(AT_FDCWD, mount->source,
					   O_RDONLY | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	if (source < 0 || !target_is_same(source, &mount->identity))
		return fail(ERR_CHANGED, "'%s' changed while the plan was made", mount->source);
	while ((size = sys_getdents(source, entries, sizeof(entries))) > 0)
		for (long at = 0; at < size;) {
			const struct sys_entry *entry = (const void *)(entries + at);
			at += entry->size;
			if ((entry->type != DT_REG && entry->type != DT_UNKNOWN) ||
			    is_hidden(plan, mount->source, entry->name))
				continue;
			if (count++ == FILL_FILES_MAX)
				return 0;
			TRY(copy_file(source, tree, entry->name));
		}
	return size < 0 ? fail(errno, "'%s'", mount->source) : 0;
}

enum { CLONE_FLAGS = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW };

static int fill_copy(int root, const char *path, const struct copy *copy)
{
	autoclose int fd =
		openat(root, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, copy->mode | 0600);
	if (fd < 0 || fd_write_all(fd, copy->text, copy->length) < 0)
		return fail(errno, "copy '%s'", copy->path);
	return 0;
}

// Mounts a symlink to the copy: git replaces a link's target, but cannot replace a mounted file.
// Mounts the copy itself if other sandboxes may start in the box, as bubblewrap remounts each mount
// by its path. In a box of uid 0 none starts (view/paths/outer.c).
int mount_copy_child(const struct plan *plan, struct run *run, unsigned index)
{
	static const char link_name[] = ".copy";
	const struct mount *mount = &plan->mounts[index];
	char place[64];
	snprintf(place, sizeof(place), COPIES_DIRECTORY "/%u", mount->copy);
	if (mkdirat(run->root, target_inside(place), 0700) < 0)
		return fail(errno, "make '%s'", place);
	run->made += 2;
	snprintf(place, sizeof(place), COPIES_DIRECTORY "/%u/config", mount->copy);
	TRY(fill_copy(run->root, target_inside(place), &plan->copies[mount->copy]));
	if (plan->nested && plan->uid != 0) {
		int file = sys_open_tree(run->root, target_inside(place), CLONE_FLAGS);
		return file < 0 ? fail(errno, "'%s'", place)
				: target_attach(plan, run, index, file);
	}
	if (symlinkat(place, run->root, link_name) < 0)
		return fail(errno, "link to '%s'", place);
	run->made++;
	autoclose int tree = sys_open_tree(run->root, link_name, CLONE_FLAGS);
	if (tree < 0)
		return fail(errno, "link to '%s'", place);
	TRY(target_attach(plan, run, index, take(&tree)));
	// Removes the link after the mount: an unlinked file cannot be mounted.
	return unlinkat(run->root, link_name, 0) < 0 ? fail(errno, "'%s'", place) : 0;
}
