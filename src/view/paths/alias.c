// Owns the question whether a hidden file has another name that no mount covers.
#include "view/paths/wishes.h"

#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/base.h"
#include "plan.h"

enum { XFS_MAGIC = 0x58465342 };

bool alias_kernel_compares(const char *path)
{
	struct statfs status;
	if (statfs(path, &status) < 0)
		return false;
	switch ((unsigned)status.f_type) {
	case EXT4_SUPER_MAGIC:
	case BTRFS_SUPER_MAGIC:
	case XFS_MAGIC:
	case F2FS_SUPER_MAGIC:
	case TMPFS_MAGIC:
	case MSDOS_SUPER_MAGIC:
	case EXFAT_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

static bool is_sound(struct aliases *aliases, const char *path, dev_t device)
{
	for (unsigned i = 0; i < aliases->count; i++)
		if (aliases->sound[i] == device)
			return true;
	if (!alias_kernel_compares(path))
		return false;
	if (aliases->count < sizeof(aliases->sound) / sizeof(*aliases->sound))
		aliases->sound[aliases->count++] = device;
	return true;
}

// Compares more than inode numbers: a server without them gives each spelling another number.
static bool same_file(const struct stat *left, const struct stat *right)
{
	return left->st_dev == right->st_dev &&
	       (left->st_ino == right->st_ino ||
		(left->st_mode == right->st_mode && left->st_size == right->st_size &&
		 times_from(&left->st_mtim) == times_from(&right->st_mtim) &&
		 times_from(&left->st_ctim) == times_from(&right->st_ctim)));
}

static bool swap_case(char *text)
{
	enum { CASE = 'a' ^ 'A' };
	bool swapped = false;
	for (; *text; text++)
		if ((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z')) {
			*text = (char)(*text ^ CASE);
			swapped = true;
		}
	return swapped;
}

int alias_refuse(struct aliases *aliases, const struct plan *plan, const struct mount *mount,
		 const struct mount *above)
{
	struct stat status, other;
	if (mount->identity.type && is_sound(aliases, mount->target, mount->identity.device))
		return 0;
	char *spelling = arena_copy(plan->arena, mount->target, strlen(mount->target));
	if (lstat(mount->target, &status) < 0 || is_sound(aliases, mount->target, status.st_dev) ||
	    !swap_case(spelling + strlen(above->target)) || lstat(spelling, &other) < 0 ||
	    !same_file(&status, &other))
		return 0;
	return fail(0,
		    "%s'%s' cannot be hidden or protected: its file system also finds it as '%s'; "
		    "move it to a Linux file system%s",
		    origin_text(plan->arena, mount->from), str_shown(mount->target),
		    str_shown(spelling), mount->kind == MOUNT_MASK ? "" : ", or use --no-protect");
}

void alias_tell(struct plan *plan, const struct mount *mount, const struct mount *above)
{
	struct stat status;
	bool kept = mount->kind == MOUNT_MASK || mount->kind == MOUNT_COPY ||
		    (mount->access == ACCESS_READ && above->access == ACCESS_WRITE);
	if (mount->identity.type != S_IFREG || !kept || lstat(mount->target, &status) < 0 ||
	    status.st_nlink < 2)
		return;
	list_add(
		&plan->warnings, plan->arena,
		arena_text(
			plan->arena,
			"'%s' is %s, but the file has %lu more name%s (hard links) that may not be",
			str_shown(mount->target),
			mount->kind == MOUNT_MASK ? "hidden" : "protected",
			(unsigned long)status.st_nlink - 1, status.st_nlink == 2 ? "" : "s"),
		mount->from);
}

int alias_refuse_routes(const struct wishes *wishes)
{
	for (unsigned i = 0; i < wishes->count; i++) {
		const struct mount *way = &wishes->list[i].mount;
		if (way->kind != MOUNT_BIND || way->access != ACCESS_WRITE || way->cache)
			continue;
		for (unsigned j = 0; j < wishes->count; j++) {
			const struct wish *other = &wishes->list[j];
			if (!other->pinned && other->mount.access != ACCESS_WRITE)
				continue;
			if (other->mount.kind == MOUNT_BIND &&
			    way->identity.inode == other->mount.identity.inode &&
			    way->identity.device == other->mount.identity.device &&
			    !str_equal(way->target, other->mount.target))
				return fail(0,
					    "'%s' and '%s' are one directory; a file that is "
					    "protected by one name would be writable by the other",
					    way->target, other->mount.target);
		}
	}
	return 0;
}
