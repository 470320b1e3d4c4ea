// Owns the detached mounts of jail/fixed.h until the view takes them. Box side: raw system calls.
#include "jail/prepare.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "base/sys.h"
#include "jail/fixed.h"
#include "jail/filesystem.h"
#include "plan.h"

enum { PREPARED_MOST = 16 };

static struct prepared {
	const struct fixed *row;
	struct identity identity; // of a source
	int tree;
} prepared[PREPARED_MOST];
static unsigned prepared_count;

static int clone_device(const char *path, struct identity *ret_identity)
{
	struct stat status;
	autoclose int source =
		sys_openat2(AT_FDCWD, path, O_PATH | O_NOFOLLOW | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	if (source < 0 || fstat(source, &status) < 0)
		return -1;
	*ret_identity = (struct identity){ status.st_dev, status.st_ino, status.st_mode & S_IFMT };
	return sys_open_tree(source, "",
			     OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW |
				     AT_EMPTY_PATH);
}

int prepare_child(const struct plan *plan, struct run *run)
{
	(void)plan;
	(void)run;
	for (unsigned i = 0; i < fixed_device_count && prepared_count < PREPARED_MOST; i++) {
		struct prepared one = { .row = &fixed_devices[i] };
		if (one.row->kind == MOUNT_LINK)
			continue;
		one.tree = one.row->kind == MOUNT_BIND
				   ? clone_device(one.row->source, &one.identity)
				   : filesystem_new(one.row->kind);
		if (one.tree >= 0)
			prepared[prepared_count++] = one;
		err_clear();
	}
	return 0;
}

static bool fits(const struct prepared *one, const struct mount *mount)
{
	if (one->tree < 0 || one->row->kind != mount->kind || mount->access != one->row->access)
		return false;
	return mount->kind != MOUNT_BIND || (str_equal(one->row->source, mount->source) &&
					     one->identity.device == mount->identity.device &&
					     one->identity.inode == mount->identity.inode &&
					     one->identity.type == mount->identity.type);
}

int prepare_take(const struct mount *mount)
{
	for (unsigned i = 0; i < prepared_count; i++)
		if (fits(&prepared[i], mount))
			return take(&prepared[i].tree);
	return -1;
}
