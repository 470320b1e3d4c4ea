// Owns the protection of one name: an existing name becomes read-only, an absent one is checked
// after the run.
#include "view/protect/protect.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "view/paths/wishes.h"

int protect_guard(struct wishes *wishes, const char *path, enum act act)
{
	return place_name(wishes->plan, path, act);
}

static int add_mask(struct wishes *wishes, const char *path, const struct identity *identity,
		    struct origin from)
{
	struct mount mask = { .kind = MOUNT_BIND, .access = ACCESS_READ, .from = from };
	mask.source = mask.target = path;
	mask.identity = *identity;
	return wishes_add_wall(wishes, &mask);
}

// Makes the link irreplaceable, and protects its target where the box could write it.
static int protect_link(struct wishes *wishes, const char *path, const struct identity *identity,
			enum act otherwise, struct origin from)
{
	struct resolved resolved;
	TRY(add_mask(wishes, path, identity, from));
	int found = ATTEMPT(resolve_path(wishes->resolver, path, &resolved));
	TRY(wishes_keep_links(wishes, &resolved, 1, from));
	if (found < 0 || !wishes_is_reached(wishes, resolved.path))
		return 0;
	if (!found)
		return protect_guard(wishes, resolved.path, otherwise);
	if (path_within(path, resolved.path))
		return fail(0,
			    "'%s' is a symlink to a directory around it, which cannot be "
			    "protected; remove it: rm %s",
			    path, quote_word(wishes->arena, path));
	return add_mask(wishes, resolved.path, &resolved.identity, from);
}

int protect_failed(struct wishes *wishes, const char *path)
{
	int problem = errno;
	const char *shut = NULL;
	for (const char *at = path; problem == EACCES && !str_equal(at, "/");
	     at = path_parent(wishes->arena, at))
		if (faccessat(AT_FDCWD, at, R_OK | X_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) < 0 &&
		    errno == EACCES)
			shut = at;
	if (!shut)
		return fail(problem, "'%s'", path);
	if (!wishes->plan->unprotected &&
	    wishes_is_reached(wishes, path_parent(wishes->arena, shut)))
		wishes->plan->unreadable = shut;
	return fail(0,
		    "'%s' is unreadable, and protected names in it cannot be checked; open it: "
		    "chmod u+rwx %s",
		    shut, quote_word(wishes->arena, shut));
}

int protect_name(struct wishes *wishes, const char *path, enum act otherwise, struct origin from)
{
	struct stat status;
	if (lstat(path, &status) < 0) {
		if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
			return protect_guard(wishes, path, otherwise);
		return protect_failed(wishes, path);
	}
	struct identity identity = { status.st_dev, status.st_ino, status.st_mode & S_IFMT };
	if (S_ISLNK(status.st_mode))
		return protect_link(wishes, path, &identity, otherwise, from);
	return add_mask(wishes, path, &identity, from);
}

bool protect_has_room(const struct wishes *wishes)
{
	return wishes->count < WISHES_MAX / 2 && wishes->plan->place_count < PLAN_PLACES_MAX / 2;
}

bool protect_holds_root(const struct wishes *wishes, const char *path)
{
	if (tree_in(wishes->plan, path))
		return true;
	for (unsigned i = 0; i < wishes->count; i++)
		if (wishes->list[i].wall && wishes->list[i].mount.access == ACCESS_WRITE &&
		    str_equal(wishes->list[i].mount.target, path))
			return true;
	return false;
}

int protect_way(struct wishes *wishes, const char *path, const void *with,
		int (*each)(struct wishes *wishes, const char *path, const void *with))
{
	struct resolved way;
	if (resolve_path(wishes->resolver, path, &way) < 0) {
		if (err_forgive(EACCES))
			way.path = path_parent(wishes->arena, way.path);
		else if (!err_forgive(ELOOP))
			return -1;
	}
	for (unsigned i = 0; i < way.link_count; i++)
		TRY(each(wishes, way.links[i].path, with));
	return each(wishes, way.path, with);
}
