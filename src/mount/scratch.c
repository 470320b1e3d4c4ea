// Owns the overlays: the host's directory below, and above it a tmpfs that nobody else can name.
// Both are handed over by the current directory, as "." and as relative names, while each option
// is set (the file system resolves it at once since Linux 6.5).
#include "mount/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/sys.h"
#include "mount/filesystem.h"
#include "mount/target.h"
#include "plan.h"
#include "run.h"

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
