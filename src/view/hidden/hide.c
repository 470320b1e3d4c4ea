// Owns which paths are hidden: by path, by pattern, and sbx's own files.
#include "view/hidden/hide.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/base.h"
#include "view/paths/wishes.h"

// Whether the file needs no mask: the caller can neither read it nor chmod(2) it.
static bool shut_already(const struct plan *plan, const struct mount *mask)
{
	struct stat status;
	struct statvfs mounted;
	const char *path = mask->target;
	bool unreadable = plan->uid != 0 && faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0 &&
			  errno == EACCES;
	if (!unreadable || lstat(path, &status) < 0 ||
	    (status.st_uid == plan->uid &&
	     (statvfs(path, &mounted) < 0 || !(mounted.f_flag & ST_RDONLY))))
		return false;
	return mask->identity.type != S_IFDIR || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0;
}

static int hide_resolved(struct wishes *wishes, const struct mount *mask)
{
	if (wishes->hidden_count == WISHES_MAX)
		return fail(0, "more than %d hidden paths in one plan", WISHES_MAX);
	wishes->hidden[wishes->hidden_count++] =
		(struct hidden){ mask->target, strlen(mask->target) };
	if (!mask->identity.type)
		return 0; // absent, unreachable or a link: no mount can cover it
	if (shut_already(wishes->plan, mask))
		return 0;
	return wishes_add(wishes, mask, false);
}

// Makes the mask of a path, or of the caller's own directory around it that has no x bit. Other
// unreachable paths need none.
static int make_mask(struct wishes *wishes, const struct item *item, const char *path,
		     struct mount *ret_mask)
{
	struct resolved resolved;
	struct stat status;
	*ret_mask =
		(struct mount){ .kind = MOUNT_MASK, .access = ACCESS_NOTHING, .from = item->from };
	if (resolve_path(wishes->resolver, path, &resolved) < 0) {
		bool shut = err_forgive(EACCES);
		if (!shut && !err_forgive(ELOOP))
			return -1;
		const char *directory = path_parent(wishes->arena, resolved.path);
		resolved.identity = (struct identity){ 0 };
		if (shut && lstat(directory, &status) == 0 && status.st_uid == wishes->plan->uid) {
			resolved.path = directory;
			resolved.identity = (struct identity){ status.st_dev, status.st_ino,
							       status.st_mode & S_IFMT };
		}
	}
	// A link to a device, as "~/.bash_history -> /dev/null": hides the link, not the device.
	if (resolved.link_count > 0 && resolved.identity.type == S_IFCHR) {
		resolved.path = resolved.links[0].path;
		resolved.identity = (struct identity){ 0 };
	}
	ret_mask->target = resolved.path;
	ret_mask->identity = resolved.identity;
	return 0;
}

// Fails if the hidden path is "/", by a link or by '.'.
static int refuse_root(struct wishes *wishes, const struct item *item, const struct mount *mask)
{
	return !str_equal(mask->target, "/")
		       ? 0
		       : fail(0,
			      "%s'%s' is the root, which would hide all; start from a profile "
			      "without read lines",
			      origin_text(wishes->arena, item->from), item->text);
}

static int hide_path(struct wishes *wishes, const struct item *item, const char *path)
{
	struct mount mask;
	TRY(make_mask(wishes, item, path, &mask));
	TRY(refuse_root(wishes, item, &mask));
	list_add(&wishes->plan->hidden, wishes->arena, mask.target, item->from);
	return hide_resolved(wishes, &mask);
}

// True if a later line names a path that an earlier one made secret.
static bool names(const struct wish *wish, const struct mount *secret)
{
	const struct mount *mount = &wish->mount;
	bool given = mount->kind == MOUNT_BIND || mount->kind == MOUNT_SCRATCH ||
		     mount->kind == MOUNT_TMPFS || mount->kind == MOUNT_TEXT ||
		     (mount->kind == MOUNT_LAYERS && mount->source);
	return given && !wish->wall && !mount->cache && mount->from.order > secret->from.order;
}

enum naming { NOT_NAMED, NAMED_INSIDE, NAMED };
static enum naming find_naming(const struct wishes *wishes, const struct mount *secret)
{
	enum naming naming = NOT_NAMED;
	for (unsigned i = 0; i < wishes->count; i++) {
		const char *target = wishes->list[i].mount.target;
		if (!path_within(target, secret->target) || !names(&wishes->list[i], secret))
			continue;
		if (str_equal(target, secret->target))
			return NAMED;
		naming = NAMED_INSIDE;
	}
	return naming;
}

static bool is_named(const struct wishes *wishes, const struct mount *secret, const char *path)
{
	for (unsigned i = 0; i < wishes->count; i++)
		if (path_within(path, wishes->list[i].mount.target) &&
		    path_within(wishes->list[i].mount.target, secret->target) &&
		    names(&wishes->list[i], secret))
			return true;
	return false;
}

// Removes earlier wishes below the path, and their protection.
static void cover(struct wishes *wishes, const struct mount *secret)
{
	for (unsigned i = 0; i < wishes->count; i++) {
		struct wish *wish = &wishes->list[i];
		if (wish->mount.kind != MOUNT_MASK &&
		    path_within(wish->mount.target, secret->target) &&
		    (wish->pinned || wish->mount.from.order <= secret->from.order) &&
		    !is_named(wishes, secret, wish->mount.target))
			wish->covered = true;
	}
}

static int hide_secret(struct wishes *wishes, const struct item *item, const char *path)
{
	struct mount mask;
	TRY(make_mask(wishes, item, path, &mask));
	if (item->text)
		TRY(refuse_root(wishes, item, &mask));
	switch (find_naming(wishes, &mask)) {
	case NAMED:
		return 0;
	case NAMED_INSIDE:
		cover(wishes, &mask);
		mask.kind = MOUNT_TMPFS;
		mask.access = ACCESS_WRITE;
		mask.mode = 0700; // gpg and ssh accept no other mode
		return wishes_add(wishes, &mask, false);
	case NOT_NAMED:
		break;
	}
	return hide_resolved(wishes, &mask);
}

static int add_secret(struct wishes *wishes, const struct item *item)
{
	return wishes_lack(wishes, item->text) ? 0 : pattern_each(wishes, item, hide_secret);
}

int hide_plan(struct wishes *wishes)
{
	struct item own = { .from = { .file = "sbx" } };
	TRY(hide_secret(wishes, &own,
			wishes->plan->config)); // the box must not see its policy
	TRY(hide_secret(wishes, &own, wishes->plan->state));
	list_each (item, &wishes->plan->profile->hide)
		TRY(pattern_each(wishes, item, hide_path));
	list_each (item, &wishes->secrets)
		TRY(add_secret(wishes, item));
	list_each (item, &wishes->plan->profile->secret)
		TRY(add_secret(wishes, item));
	return 0;
}
