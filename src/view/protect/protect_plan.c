// Owns the plan of protection: names of the table (names/trusted.c) in each writable place, and a
// profile's paths.
#include "view/protect/protect.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "names/names.h"
#include "view/paths/wishes.h"

static int protect_table(struct wishes *wishes, const char *directory, const char *above,
			 struct origin from);

static int protect_below(struct wishes *wishes, const char *path, const char *above,
			 struct origin from)
{
	struct resolved resolved;
	if (ATTEMPT(resolve_path(wishes->resolver, path, &resolved)) != 1 ||
	    resolved.identity.type != S_IFDIR || !wishes_is_reached(wishes, resolved.path))
		return 0;
	return protect_table(wishes, resolved.path, above, from);
}

// Protects names of the table. Names without room in the plan are only reported when they change.
static int protect_table(struct wishes *wishes, const char *directory, const char *above,
			 struct origin from)
{
	struct arena *arena = wishes->arena;
	const struct place *listed = place_add(wishes->plan, PLACE_TABLE, directory, above);
	if (!listed)
		return -1;
	const ptrdiff_t number = listed - wishes->plan->places;
	const struct place place = *listed;
	for (unsigned i = 0; i < place.count; i++) {
		enum act below, act = place_act(&place, place.before[i].name, &below);
		const char *path = path_below(arena, directory, place.before[i].name);
		if (opened_has(wishes, path))
			continue;
		if (act == ACT_QUARANTINE && protect_has_room(wishes))
			TRY(protect_name(wishes, path, ACT_QUARANTINE, from));
		else if (act == ACT_QUARANTINE)
			wishes->plan->places[number].part = 1;
		else if (below != ACT_NONE && protect_has_room(wishes))
			TRY(protect_below(wishes, path,
					  arena_text(arena, "%s%s/", above, place.before[i].name),
					  from));
	}
	return 0;
}

// Looks up each name: a file server may find names that it does not list.
static int protect_unlisted(struct wishes *wishes, const char *root, struct origin from)
{
	if (alias_kernel_compares(root))
		return 0;
	trusted_each (row, TRUSTED_WALL) {
		const char *path = path_below(wishes->arena, root, trusted_name(row));
		if (!row->pattern && !opened_has(wishes, path))
			TRY(protect_name(wishes, path, ACT_QUARANTINE, from));
	}
	return 0;
}

// Gives the box a copy of .husky/_, which husky writes at each 'npm install'. If the host has none,
// a variable disables husky.
static int protect_husky(struct wishes *wishes, const char *root, struct origin from)
{
	struct mount own = { .kind = MOUNT_TMPFS, .access = ACCESS_WRITE, .from = from };
	struct stat status;
	const char *directory = path_below(wishes->arena, root, ".husky");
	own.target = own.source = path_below(wishes->arena, directory, "_");
	const struct mount *seen = wishes_seen(wishes, own.target);
	if (!seen || !str_equal(seen->target, directory) || seen->access != ACCESS_READ)
		return 0;
	if (lstat(own.target, &status) < 0) {
		wishes->plan->without_husky = errno == ENOENT;
		return 0;
	}
	own.identity = (struct identity){ status.st_dev, status.st_ino, status.st_mode & S_IFMT };
	return S_ISDIR(status.st_mode) ? wishes_add_wall(wishes, &own) : 0;
}

static int protect_root(struct wishes *wishes, const char *root)
{
	struct origin from = { .file = "protect", .order = ORDER_PROJECT };
	if (wishes_is_scratch(wishes, root))
		return wishes->plan->session ? repository_follow(wishes, root, from) : 0;
	TRY(protect_table(wishes, root, "", from));
	TRY(protect_unlisted(wishes, root, from));
	TRY(repository_protect(wishes, root, from));
	TRY(repository_protect_top(wishes, root, from));
	if (wishes->plan->home_given && str_equal(root, wishes->plan->real_home))
		TRY(home_protect(wishes, from));
	return wishes->plan->tier == TIER_FULL ? protect_husky(wishes, root, from) : 0;
}

static int add_project(struct wishes *wishes, enum access access)
{
	struct origin from = { .file = "project", .order = ORDER_PROJECT };
	const struct mount *seen = wishes_seen(wishes, wishes->plan->project);
	if (seen && seen->kind == MOUNT_SCRATCH && str_equal(seen->target, wishes->plan->project))
		return 0;
	if (wishes_add_path(wishes, wishes->plan->project, from, access) != 1)
		return fail(0, "the project '%s' cannot be read", wishes->plan->project);
	return 0;
}

static void keep_from_writing(struct wishes *wishes, const char *path)
{
	for (unsigned i = 0; i < wishes->count; i++) {
		struct mount *mount = &wishes->list[i].mount;
		if (mount->kind == MOUNT_BIND && mount->access == ACCESS_WRITE && !mount->cache &&
		    path_within(mount->target, path))
			mount->access = ACCESS_READ;
	}
}

// Protects a path of the profile. `hide` lines win: protection makes no file readable.
static int protect_path(struct wishes *wishes, const struct item *item, const char *path)
{
	struct stat status;
	struct origin from = item->from;
	from.order = ~0U;
	const char *parent = resolve_real(wishes->resolver, path_parent(wishes->arena, path));
	const char *link = path_below(wishes->arena, parent, path_name(path));
	const char *ways[] = { link, resolve_real(wishes->resolver, link) };
	for (unsigned i = 0; i < (str_equal(ways[0], ways[1]) ? 1 : 2); i++) {
		path = ways[i];
		if (wishes_is_reached(wishes, path) ||
		    (wishes_is_lasting(wishes, path) && lstat(path, &status) == 0))
			TRY(protect_name(wishes, path, ACT_QUARANTINE, from));
		keep_from_writing(wishes, path);
		list_add(&wishes->plan->kept, wishes->arena, path, item->from);
	}
	return 0;
}

static int protect_searched(struct wishes *wishes, const char *path)
{
	struct plan *plan = wishes->plan;
	plan->trees[plan->tree_count++] =
		(struct tree){ .path = path,
			       .runs = path_kept(wishes->arena, plan->state, "trees", path),
			       .list = path_kept(wishes->arena, plan->state, "known", path) };
	return protect_root(wishes, path);
}

// Protects all writable directories, roots first: masks below depend on them.
static int protect_roots(struct wishes *wishes)
{
	struct origin from = { .file = "protect", .order = ORDER_PROJECT };
	struct plan *plan = wishes->plan;
	unsigned count = wishes->count, nested = 0;
	const char *project = plan->project;
	bool whole = project && wishes_is_reached(wishes, project);
	plan->trees = arena_take(wishes->arena, (count + 1) * sizeof(*plan->trees));
	if (whole)
		TRY(protect_searched(wishes, project));
	else if (project && wishes_is_scratch(wishes, project))
		TRY(protect_root(wishes, project));
	for (unsigned i = 0; i < count; i++) {
		const struct mount *mount = &wishes->list[i].mount;
		if (mount->kind != MOUNT_BIND || mount->access != ACCESS_WRITE || mount->cache ||
		    mount->identity.type != S_IFDIR ||
		    (whole && path_within(mount->target, project)) ||
		    !wishes_is_reached(wishes, mount->target) || tree_is(plan, mount->target))
			continue;
		TRY(protect_searched(wishes, mount->target));
		if (str_equal(path_name(mount->target), ".git"))
			TRY(repository_protect(wishes, path_parent(wishes->arena, mount->target),
					       from));
	}
	for (unsigned i = 0; i < plan->tree_count; i++)
		TRY(nested_protect(wishes, &plan->trees[i], &nested));
	TRY(configured_protect(wishes));
	TRY(homes_protect(wishes));
	list_each (item, &wishes->opened)
		if (plan->place_count > 0)
			TRY(place_name(plan, item->text, ACT_OPENED));
	return profiles_protect(wishes);
}

static void *kept(const struct plan *plan, const void *from, size_t size)
{
	return size > 0 ? memcpy(arena_take(plan->arena, size), from, size) : NULL;
}

int protect_plan(struct wishes *wishes)
{
	struct plan *plan = wishes->plan;
	wishes->named.whose = wishes_whose;
	wishes->named.with = wishes;
	enum access access = plan->profile->project == PROJECT_WRITE ? ACCESS_WRITE : ACCESS_READ;
	plan->copies = arena_take(plan->scratch, COPIES_MAX * sizeof(*plan->copies));
	clock_gettime(CLOCK_REALTIME, &plan->start);
	clock_gettime(CLOCK_MONOTONIC, &plan->start_steady);
	if (plan->project)
		TRY(add_project(wishes, access));
	TRY(homes_refuse(wishes));
	if (!plan->unprotected)
		TRY(protect_roots(wishes));
	list_each (item, &plan->profile->protect)
		TRY(pattern_each(wishes, item, protect_path));
	TRY(indirect_protect(wishes));
	if (plan->copy_count > 0) {
		struct mount copies = { .kind = MOUNT_TMPFS,
					.access = ACCESS_WRITE,
					.target = COPIES_DIRECTORY,
					.from = { .file = "protect" } };
		TRY(wishes_add(wishes, &copies, false));
	}
	plan->configured = arena_take(plan->scratch, sizeof(*plan->configured));
	*plan->configured = wishes->named;
	for (const struct gitnamed_text *one = wishes->named.first; one; one = one->next)
		gitnamed_known(plan->arena, &one->rows, &plan->git_names);
	// Trims the list, which lives as long as the box.
	plan->copies = kept(plan, plan->copies, plan->copy_count * sizeof(*plan->copies));
	return alias_refuse_routes(wishes);
}
