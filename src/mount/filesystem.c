// Owns the making of new file systems: tmpfs, proc and devpts, each detached. Box side: raw system
// calls, no memory.
#include "mount/filesystem.h"

#include <errno.h>
#include <stdio.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/str.h"
#include "base/sys.h"

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
		// Each takes a kilobyte of the kernel's memory, which the size does not count.
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
