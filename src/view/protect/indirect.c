// Owns the protection of files to which links in protected directories lead.
#include "view/protect/protect.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/gitindex.h"
#include "names/names.h"
#include "view/paths/wishes.h"

enum { INDEX_MAX = 32 << 20 };

// True if git tracks a file in the directory, or does not answer.
static bool is_tracked(const struct plan *plan, const char *directory)
{
	const char *name = directory + strlen(plan->project) + 1;
	struct rows rows;
	return ATTEMPT(git_ask_index(plan->scratch, plan->index, INDEX_MAX, &name, 1, &rows)) < 0 ||
	       rows.count > 0;
}

// True if installs and builds write the path: they would fail if it were protected.
static bool is_made_anew(struct wishes *wishes, const char *path, bool directory)
{
	const struct plan *plan = wishes->plan;
	const char *holder = directory ? path : path_parent(wishes->arena, path);
	if (trusted_is_installed(path))
		return true;
	if (!plan->repository || !path_within(holder, plan->project) ||
	    str_equal(holder, plan->project) || path_within(holder, plan->repository))
		return false;
	return !is_tracked(plan, holder);
}

static void follow(struct plan *plan, const char *path)
{
	if (plan->project && path_within(path, plan->project) && !str_equal(path, plan->project))
		(void)ATTEMPT(place_name(plan, path, ACT_FOLLOW));
}

static int report(struct wishes *wishes, const char *directory, const char *path, const char *why)
{
	struct plan *plan = wishes->plan;
	struct origin from = { .file = "protect" };
	follow(plan, path);
	list_add(
		&plan->notes, plan->arena,
		arena_text(plan->arena,
			   "a link in '%s' leads to '%s', which %s: not protected, and a change is "
			   "reported",
			   directory, path, why),
		from);
	return 0;
}

// Asks for a report of changes to a hard-linked file, which each of its names can change.
static void report_names(struct wishes *wishes, const char *path)
{
	struct plan *plan = wishes->plan;
	struct stat status;
	struct origin from = { .file = "protect" };
	if (lstat(path, &status) < 0 || !S_ISREG(status.st_mode) || status.st_nlink < 2)
		return;
	follow(plan, path);
	list_add(&plan->notes, plan->arena,
		 arena_text(plan->arena,
			    "'%s' has other names (hard links): a change by one is reported", path),
		 from);
}

static int protect_target(struct wishes *wishes, const struct mount *wall, const char *path)
{
	struct stat status;
	if (path_within(path, wall->target))
		report_names(wishes, path);
	if (!wishes_is_reached(wishes, path) || opened_has(wishes, path))
		return 0;
	bool known = lstat(path, &status) == 0;
	if (protect_holds_root(wishes, path))
		return report(wishes, wall->target, path, "the box writes as a whole");
	if (!known && errno != ENOENT && errno != ENOTDIR)
		return report(wishes, wall->target, path, "cannot be read");
	if (!protect_has_room(wishes))
		return report(wishes, wall->target, path, "is one of too many");
	if (is_made_anew(wishes, path, known && S_ISDIR(status.st_mode)))
		return report(wishes, wall->target, path, "installs and builds write");
	return protect_name(wishes, path, ACT_QUARANTINE, wall->from);
}

// Git's list of worktrees or submodules, which is read-only when it is long.
static bool is_list(const struct mount *wall)
{
	const char *name = path_name(wall->target);
	return strstr(wall->target, "/.git/") &&
	       (str_equal(name, "worktrees") || str_equal(name, "modules"));
}

int indirect_protect(struct wishes *wishes)
{
	unsigned directories = 0;
	for (unsigned i = 0; i < wishes->count; i++) {
		const struct mount wall = wishes->list[i].mount;
		struct list targets;
		bool files;
		if (!wishes->list[i].wall || wall.kind != MOUNT_BIND ||
		    wall.access != ACCESS_READ || wall.identity.type != S_IFDIR || is_list(&wall))
			continue;
		bool whole = homes_inside(wishes->plan->scratch, wall.target, &directories,
					  &targets, &files);
		wishes->list[i].mount.plain = !files;
		list_each (item, &targets)
			TRY(protect_target(
				wishes, &wall,
				arena_copy(wishes->arena, item->text, strlen(item->text))));
		if (!whole)
			list_add(&wishes->plan->warnings, wishes->arena,
				 arena_text(wishes->arena,
					    "'%s' has more links, names or directories than are "
					    "read: what other links in it lead to is not protected",
					    wall.target),
				 wall.from);
	}
	return 0;
}
