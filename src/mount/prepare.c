// Owns the prepared mounts of fixed devices (view/paths/wishes.h) until the view takes them.
#include "mount/mount.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "base/testing.h"
#include "plan.h"
#include "run.h"
#include "view/paths/wishes.h"

struct mount_attr mount_attributes(enum access access)
{
	struct mount_attr attributes = { .attr_set = MOUNT_ATTR_NOSUID, .propagation = MS_PRIVATE };
	if (access != ACCESS_DEVICE)
		attributes.attr_set |= MOUNT_ATTR_NODEV;
	if (access != ACCESS_WRITE)
		attributes.attr_set |= MOUNT_ATTR_RDONLY;
	if (access == ACCESS_NOTHING)
		attributes.attr_set |= MOUNT_ATTR_NOEXEC;
	if (access == ACCESS_DEVICE && testing_skips("device-mounts"))
		return (struct mount_attr){ 0 };
	return attributes;
}

static int clone_device(const char *path, struct identity *ret_identity)
{
	struct stat status;
	struct mount_attr attributes = mount_attributes(ACCESS_DEVICE);
	autoclose int tree = sys_open_tree_attr(
		AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW,
		&attributes);
	if (tree < 0 || fstat(tree, &status) < 0)
		return -1;
	*ret_identity = (struct identity){ status.st_dev, status.st_ino, status.st_mode & S_IFMT };
	return take(&tree);
}

int prepare_child(const struct plan *plan, struct run *run)
{
	(void)plan;
	for (unsigned i = 0; i < fixed_device_count && i < PREPARED_MAX; i++) {
		const struct fixed *row = &fixed_devices[i];
		if (row->kind == MOUNT_BIND)
			run->prepared[i] = ATTEMPT(clone_device(row->source, &run->prepared_of[i]));
		else if (row->kind != MOUNT_LINK)
			run->prepared[i] = ATTEMPT(filesystem_new(row->kind));
	}
	return 0;
}

static bool fits(const struct fixed *row, const struct identity *identity,
		 const struct mount *mount)
{
	if (row->kind != mount->kind || mount->access != row->access)
		return false;
	return mount->kind != MOUNT_BIND ||
	       (str_equal(row->source, mount->source) &&
		identity->device == mount->identity.device &&
		identity->inode == mount->identity.inode && identity->type == mount->identity.type);
}

int prepare_take(struct run *run, const struct mount *mount)
{
	for (unsigned i = 0; i < fixed_device_count && i < PREPARED_MAX; i++)
		if (run->prepared[i] >= 0 && fits(&fixed_devices[i], &run->prepared_of[i], mount))
			return take(&run->prepared[i]);
	return -1;
}
