// Owns the detection of a box around this one. Variables, names and links prove nothing, as any
// process can set them. The kernel's refusals do.
#include "view/paths/wishes.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"

enum { STATUS_BYTES = 8192, LINK_BYTES = 64 };

static bool is_locked(void)
{
	static const char *const lines[] = {
		"\nNoNewPrivs:\t1\n",
		"\nSeccomp:\t2\n",
		"\nCapInh:\t0000000000000000\n",
		"\nCapPrm:\t0000000000000000\n",
		"\nCapBnd:\t0000000000000000\n",
		"\nCapAmb:\t0000000000000000\n",
	};
	char text[STATUS_BYTES];
	file_kernel(AT_FDCWD, "/proc/self/status", text, sizeof(text));
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (!strstr(text, lines[i]))
			return false;
	return true;
}

// Whether the user namespace maps one uid. The host's maps all.
static bool is_one_user(void)
{
	char text[LINK_BYTES * 2];
	char *end = text;
	if (file_kernel(AT_FDCWD, "/proc/self/uid_map", text, sizeof(text)) == 0)
		return false;
	unsigned long inside = strtoul(end, &end, 10);
	strtoul(end, &end, 10);
	unsigned long count = strtoul(end, &end, 10);
	return inside == geteuid() && count == 1 && *end == '\n' && end[1] == '\0';
}

bool outer_is_box(void)
{
	struct statfs root;
	return getenv("SBX") && statfs("/", &root) == 0 && root.f_type == TMPFS_MAGIC &&
	       (root.f_flags & ST_RDONLY) && is_one_user() && is_locked();
}

bool outer_gives_namespaces(void)
{
	char text[LINK_BYTES];
	// The kernel maps uid 0 only for a process with CAP_SETFCAP (user_namespaces(7)). No box
	// has it.
	if (geteuid() == 0)
		return false;
	return file_kernel(AT_FDCWD, "/proc/sys/user/max_user_namespaces", text, sizeof(text)) ==
		       0 ||
	       strtol(text, NULL, 10) > 0;
}

static const struct mounted *mount_of(const struct mounts *mounts, const char *path, bool *ret_root)
{
	struct sys_statx status;
	if (sys_statx(AT_FDCWD, path, SYS_STATX_MOUNT_ID, &status) < 0 ||
	    !(status.mask & SYS_STATX_MOUNT_ID))
		return NULL;
	*ret_root = status.attributes & SYS_STATX_MOUNT_ROOT;
	return mounted_find(mounts, status.mount_id);
}

// True if rename(2) and unlink(2) fail: for a mount point (EBUSY), or in a read-only mount.
static bool is_fixed(struct arena *arena, const struct mounts *mounts, const char *path)
{
	bool root;
	const struct mounted *own = mount_of(mounts, path, &root);
	if (own && root)
		return str_equal(own->point, path);
	const struct mounted *above = mount_of(mounts, path_parent(arena, path), &root);
	return own && above && !above->writable;
}

// True if a writable mount shows the file, or its directory, at another path.
static bool is_shown_elsewhere(struct arena *arena, const struct mounts *mounts, const char *path,
			       const struct mounted *own)
{
	bool root;
	const char *parent = path_parent(arena, path);
	const struct mounted *above = mount_of(mounts, parent, &root);
	return !above || mounted_elsewhere(mounts, above->id, parent) ||
	       (own && mounted_elsewhere(mounts, own->id, path));
}

bool outer_keeps(const struct plan *plan, const struct mount *wall, struct mounts *mounts)
{
	bool root, link = wall->identity.type == S_IFLNK; // a symlink's text is never writable
	if (!mounts->list && mounted_read(plan->arena, mounts) < 0)
		return false;
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *pin = &plan->mounts[i];
		if (pin->on_host && path_within(wall->target, pin->target) &&
		    !is_fixed(plan->arena, mounts, pin->target))
			return false;
	}
	const struct mounted *own = mount_of(mounts, wall->target, &root);
	return own && (link || !own->writable) && !mounted_opens(mounts, wall->target) &&
	       !is_shown_elsewhere(plan->arena, mounts, wall->target, link ? NULL : own);
}

static bool is_copy_name(const char *text)
{
	static const char above[] = COPIES_DIRECTORY "/", name[] = "/config";
	if (!str_starts(text, above))
		return false;
	const char *number = text + strlen(above);
	size_t digits = strspn(number, "0123456789");
	return digits > 0 && str_equal(number + digits, name);
}

// True if the file is on the outer box's tmpfs: a write reaches no file of the host.
static bool is_own_file(const char *path, const struct stat *link)
{
	struct stat status;
	struct statfs system;
	autoclose int fd =
		sys_openat2(AT_FDCWD, path, O_PATH | O_NOFOLLOW | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	return fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	       status.st_dev == link->st_dev && fstatfs(fd, &system) == 0 &&
	       system.f_type == TMPFS_MAGIC;
}

bool outer_copy(struct arena *arena, const char *path, struct identity *ret_link,
		const char **ret_copy)
{
	char text[LINK_BYTES];
	struct stat link, above;
	struct sys_statx mounted;
	autoclose int fd =
		sys_openat2(AT_FDCWD, path, O_PATH | O_NOFOLLOW | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	if (fd < 0 || fstat(fd, &link) < 0 || !S_ISLNK(link.st_mode) ||
	    sys_statx(fd, "", 0, &mounted) < 0 || !(mounted.attributes & SYS_STATX_MOUNT_ROOT))
		return false;
	ssize_t length = readlinkat(fd, "", text, sizeof(text) - 1);
	if (length <= 0 || lstat(path_parent(arena, path), &above) < 0 ||
	    above.st_dev == link.st_dev)
		return false;
	text[length] = '\0';
	if (!is_copy_name(text) || !is_own_file(text, &link))
		return false;
	*ret_link = (struct identity){ link.st_dev, link.st_ino, S_IFLNK };
	*ret_copy = arena_copy(arena, text, (size_t)length);
	return true;
}
