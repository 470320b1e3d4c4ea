// Owns the way in which a box sees its copies of git's configuration. Box side: raw system calls,
// no memory.
#include "mount/mount_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/sys.h"
#include "mount/target.h"
#include "plan.h"
#include "run.h"

enum { CLONE_FLAGS = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW };

static int fill_copy(int directory, const struct copy *copy)
{
	autoclose int fd = openat(directory, "config", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
				  copy->mode | 0600);
	if (fd < 0 || fd_write_all(fd, copy->text, copy->length) < 0)
		return fail(errno, "copy '%s'", copy->path);
	return 0;
}

// Over the host's file a symlink to the box's copy. A link, because git locks and replaces the
// file that it leads to; the mounted name itself can be neither removed nor replaced. Where boxes
// of others are to start inside, it is the copy itself: they mount each mount anew by its path
// (bubblewrap), and a link leads them elsewhere. None starts in a box of uid 0
// (view/paths/outer.c).
int mount_copy_child(const struct plan *plan, struct run *run, unsigned index)
{
	static const char link_name[] = ".copy";
	const struct mount *mount = &plan->mounts[index];
	char place[64];
	snprintf(place, sizeof(place), COPIES_DIRECTORY "/%u", mount->copy);
	if (mkdirat(run->root, target_inside(place), 0700) < 0)
		return fail(errno, "make '%s'", place);
	autoclose int directory =
		openat(run->root, target_inside(place), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return fail(errno, "'%s'", place);
	TRY(fill_copy(directory, &plan->copies[mount->copy]));
	snprintf(place, sizeof(place), COPIES_DIRECTORY "/%u/config", mount->copy);
	if (plan->nested && plan->uid != 0) {
		int file = sys_open_tree(run->root, target_inside(place), CLONE_FLAGS);
		return file < 0 ? fail(errno, "'%s'", place)
				: target_attach(plan, run, index, file);
	}
	if (symlinkat(place, run->root, link_name) < 0)
		return fail(errno, "link to '%s'", place);
	autoclose int tree = sys_open_tree(run->root, link_name, CLONE_FLAGS);
	if (tree < 0)
		return fail(errno, "link to '%s'", place);
	TRY(target_attach(plan, run, index, take(&tree)));
	// Only now: what has no name any more cannot be mounted.
	return unlinkat(run->root, link_name, 0) < 0 ? fail(errno, "'%s'", place) : 0;
}
