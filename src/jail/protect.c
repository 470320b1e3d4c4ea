// Owns the means by which names that the host later runs or trusts (base/trusted.c) are kept from
// the box: what exists is mounted read-only, git's configuration is copied, what does not
// exist is looked for at the end. Nothing is created in the user's tree.
#include "jail/protect.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "base/str.h"
#include "base/trusted.h"
#include "jail/alias.h"
#include "jail/bare.h"
#include "jail/configured.h"
#include "jail/home.h"
#include "jail/homes.h"
#include "jail/listed.h"
#include "jail/nested.h"
#include "jail/obstacle.h"
#include "jail/opened.h"
#include "jail/pattern.h"
#include "jail/profiles.h"
#include "jail/repository.h"
#include "jail/wishes.h"

int protect_guard(struct wishes *wishes, const char *path, enum guarded kind)
{
	struct plan *plan = wishes->plan;
	if (plan->guard_count == GUARDS_MOST)
		return fail(0, "more than %d protected names in one plan", GUARDS_MOST);
	plan->guards[plan->guard_count++] = (struct guard){
		.kind = kind,
		.path = path,
		.lacking = names_lack(&wishes->names, path)
				   ? (unsigned short)strlen(wishes->names.directory)
				   : 0,
	};
	return 0;
}

// What the box will see there, by the wishes so far; NULL: nothing of anybody's.
static const struct mount *seen_at(const struct wishes *wishes, const char *path)
{
	const struct mount *deepest = NULL;
	for (unsigned i = 0; i < wishes->count; i++) {
		const struct mount *mount = &wishes->list[i].mount;
		if (mount->kind == MOUNT_LINK || mount->kind == MOUNT_COPY ||
		    !path_within(path, mount->target) ||
		    (deepest && !path_within(mount->target, deepest->target)))
			continue;
		if (!deepest || !str_equal(mount->target, deepest->target) ||
		    mount->from.order >= deepest->from.order)
			deepest = mount;
	}
	return deepest;
}

bool protect_is_reached(const struct wishes *wishes, const char *path)
{
	const struct mount *seen = seen_at(wishes, path);
	return seen && seen->kind == MOUNT_BIND && seen->access == ACCESS_WRITE && !seen->cache;
}

bool protect_is_seen(const struct wishes *wishes, const char *path)
{
	const struct mount *seen = seen_at(wishes, path);
	return seen && !seen->cache &&
	       (seen->kind == MOUNT_BIND || seen->kind == MOUNT_SCRATCH ||
		(seen->kind == MOUNT_LAYERS && seen->source));
}

static bool is_lasting(const struct wishes *wishes, const char *path)
{
	const struct mount *seen = seen_at(wishes, path);
	return seen && seen->kind == MOUNT_LAYERS && seen->source;
}

// Under an overlay the host's files cannot be changed.
static bool is_scratch(const struct wishes *wishes, const char *path)
{
	const struct mount *seen = seen_at(wishes, path);
	return is_lasting(wishes, path) || (seen && seen->kind == MOUNT_SCRATCH);
}

bool protect_stood(const struct plan *plan, const char *path)
{
	for (const char *line = plan->due; line && *line; line = strchr(line, '\n') + 1) {
		size_t length = strcspn(line, "\n");
		const char *name = line + 2;
		if (length > 2 && strncmp(path, name, length - 2) == 0 &&
		    (path[length - 2] == '\0' || (line[0] == 'r' && path[length - 2] == '/')))
			return true;
		if (!line[length])
			break;
	}
	return !plan->due;
}

static int add_mask(struct wishes *wishes, const char *path, const struct identity *identity,
		    struct origin from)
{
	struct mount mask = { .kind = MOUNT_BIND, .access = ACCESS_READ, .from = from };
	mask.source = mask.target = path;
	mask.identity = *identity;
	return wishes_add_wall(wishes, &mask);
}

// A protected name that is a symlink: the link itself cannot be replaced, and what it leads to is
// protected where the box could write it.
static int protect_link(struct wishes *wishes, const char *path, const struct identity *identity,
			enum guarded absent, struct origin from)
{
	struct resolved resolved;
	TRY(add_mask(wishes, path, identity, from));
	int found = resolve_path(wishes->resolver, path, &resolved);
	if (found < 0) {
		err_clear();
		return obstacle_note(wishes, path, "is a symlink that nobody can follow");
	}
	if (!protect_is_reached(wishes, resolved.path))
		return 0;
	if (!found)
		return protect_guard(wishes, resolved.path, absent);
	if (path_within(path, resolved.path))
		return obstacle_note(wishes, path,
				     "is a symlink to a directory around it, which "
				     "cannot be protected");
	return add_mask(wishes, resolved.path, &resolved.identity, from);
}

int protect_name(struct wishes *wishes, const char *path, enum guarded absent, struct origin from)
{
	struct stat status;
	if (names_lack(&wishes->names, path))
		return protect_guard(wishes, path, absent);
	if (lstat(path, &status) < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return protect_guard(wishes, path, absent);
		return obstacle_failed(wishes, path);
	}
	if (!protect_stood(wishes->plan, path))
		return protect_guard(wishes, path, absent);
	struct identity identity = { status.st_dev, status.st_ino, status.st_mode & S_IFMT };
	if (S_ISLNK(status.st_mode))
		return protect_link(wishes, path, &identity, absent, from);
	return add_mask(wishes, path, &identity, from);
}

// A name below a directory that is a link: what it leads to, and the name, should the box put a
// directory there.
static int protect_behind(struct wishes *wishes, const char *path, struct origin from)
{
	const char *parent = path_parent(wishes->arena, path),
		   *real = resolve_real(wishes->resolver, parent);
	const char *behind = path_below(wishes->arena, real, path_name(path));
	if (!str_equal(real, parent) && protect_is_reached(wishes, behind))
		TRY(protect_name(wishes, behind, GUARD_ABSENT, from));
	return protect_guard(wishes, path, GUARD_ABSENT);
}

// What stands there: S_IFDIR also when that cannot be told, 0 for nothing.
static mode_t type_of(const char *path)
{
	struct stat status;
	if (lstat(path, &status) == 0)
		return status.st_mode & S_IFMT;
	return errno == ENOENT || errno == ENOTDIR ? 0 : S_IFDIR;
}

// Names below one directory stand together in the table: it is looked at once.
static int protect_trusted(struct wishes *wishes, const char *root, struct origin from)
{
	const char *above = "";
	size_t above_length = 0;
	mode_t type = S_IFDIR;
	trusted_each (row, TRUSTED_PROTECT) {
		const char *name = trusted_name(row), *path = path_below(wishes->arena, root, name);
		size_t length = (size_t)(path_name(name) - name);
		if (row->pattern || opened_has(wishes, path)) // jail/listed.c has patterns
			continue;
		if (names_lack(&wishes->names, path)) {
			TRY(protect_guard(wishes, path, GUARD_ABSENT));
			continue;
		}
		if (length != above_length || strncmp(name, above, length) != 0)
			type = length > 0 ? type_of(path_parent(wishes->arena, path)) : S_IFDIR;
		above = name;
		above_length = length;
		if (type == 0)
			TRY(protect_guard(wishes, path, GUARD_ABSENT));
		else
			TRY(type == S_IFLNK ? protect_behind(wishes, path, from)
					    : protect_name(wishes, path, GUARD_ABSENT, from));
	}
	return 0;
}

// husky's own part of .husky, which each 'npm install' makes anew: it goes on in the box with a
// copy. Where there is none yet nothing can be put, and husky is told to let it be, as the host has
// no such hooks either.
static int protect_husky(struct wishes *wishes, const char *root, struct origin from)
{
	struct mount own = { .kind = MOUNT_TMPFS, .access = ACCESS_WRITE, .from = from };
	struct stat status;
	const char *directory = path_below(wishes->arena, root, ".husky");
	own.target = own.source = path_below(wishes->arena, directory, "_");
	const struct mount *seen = seen_at(wishes, own.target);
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
	if (is_scratch(wishes, root))
		return wishes->plan->session ? repository_follow(wishes, root, from) : 0;
	struct names_found found = { .arena = wishes->arena };
	names_read(&wishes->names, root, &found);
	if (!alias_kernel_compares(root))
		wishes->names = (struct names){ 0 };
	TRY(repository_protect(wishes, root, from));
	TRY(bare_protect(wishes, root, from));
	TRY(protect_trusted(wishes, root, from));
	if (wishes->plan->home_given && str_equal(root, wishes->plan->real_home))
		TRY(home_protect(wishes, from));
	if (wishes->plan->tier == TIER_FULL)
		TRY(protect_husky(wishes, root, from));
	return listed_protect(wishes, root, &found, from);
}

// Where it is named as scratch, that is what it is.
static int add_project(struct wishes *wishes, enum access access)
{
	struct origin from = { .file = "project", .order = ORDER_PROJECT };
	const struct mount *seen = seen_at(wishes, wishes->plan->project);
	if (seen && seen->kind == MOUNT_SCRATCH && str_equal(seen->target, wishes->plan->project))
		return 0;
	if (wishes_add_path(wishes, wishes->plan->project, from, access) != 1)
		return fail(0, "the project '%s' cannot be looked at", wishes->plan->project);
	return 0;
}

// Whoever else names what lies below it: it is not changed.
static void keep_from_writing(struct wishes *wishes, const char *path)
{
	for (unsigned i = 0; i < wishes->count; i++) {
		struct mount *mount = &wishes->list[i].mount;
		if (mount->kind == MOUNT_BIND && mount->access == ACCESS_WRITE && !mount->cache &&
		    path_within(mount->target, path))
			mount->access = ACCESS_READ;
	}
}

// A path of a profile's list: deny wins. What is not in the box stays out of it: nobody's file
// becomes readable by its protection.
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
		if (protect_is_reached(wishes, path) ||
		    (is_lasting(wishes, path) && lstat(path, &status) == 0))
			TRY(protect_name(wishes, path, GUARD_ABSENT, from));
		keep_from_writing(wishes, path);
		list_add(&wishes->plan->kept, wishes->arena, path, item->from);
	}
	return 0;
}

static int protect_item(struct wishes *wishes, const struct item *item)
{
	const char *path;
	if (pattern_is(item->text))
		return pattern_walk(wishes, item, protect_path);
	int expanded = resolve_expand(wishes->arena, &wishes->places, item, &path);
	return expanded <= 0 ? expanded : protect_path(wishes, item, path);
}

static int protect_searched(struct wishes *wishes, const char *path)
{
	struct plan *plan = wishes->plan;
	plan->searched[plan->searched_count++] = (struct searched){
		.path = path,
		.journal = path_kept(wishes->arena, plan->state, "journal", path),
		.list = path_kept(wishes->arena, plan->state, "known", path),
		.directories = path_kept(wishes->arena, plan->state, "directories", path)
	};
	return protect_root(wishes, path);
}

// What is writable, by whichever key: the project, directories beside it and, where it is not
// writable as a whole, in it. The roots first: what is masked below one depends on where the box
// may write.
static int protect_roots(struct wishes *wishes)
{
	struct origin from = { .file = "protect", .order = ORDER_PROJECT };
	struct plan *plan = wishes->plan;
	unsigned count = wishes->count, nested = 0;
	const char *project = plan->project;
	bool whole = project && protect_is_reached(wishes, project);
	plan->searched = arena_take(wishes->arena, (count + 1) * sizeof(*plan->searched));
	if (whole)
		TRY(protect_searched(wishes, project));
	else if (project && is_scratch(wishes, project))
		TRY(protect_root(wishes, project));
	for (unsigned i = 0; i < count; i++) {
		const struct mount *mount = &wishes->list[i].mount;
		if (mount->kind != MOUNT_BIND || mount->access != ACCESS_WRITE || mount->cache ||
		    mount->identity.type != S_IFDIR ||
		    (whole && path_within(mount->target, project)) ||
		    !protect_is_reached(wishes, mount->target) ||
		    nested_is_tree(plan, mount->target))
			continue;
		TRY(protect_searched(wishes, mount->target));
		if (str_equal(path_name(mount->target), ".git"))
			TRY(repository_protect(wishes, path_parent(wishes->arena, mount->target),
					       from));
	}
	for (unsigned i = 0; i < plan->searched_count; i++)
		TRY(nested_protect(wishes, &plan->searched[i], &nested));
	TRY(configured_protect(wishes));
	TRY(homes_protect(wishes));
	return profiles_protect(wishes);
}

static void *kept(const struct plan *plan, const void *from, size_t size)
{
	return size > 0 ? memcpy(arena_take(plan->arena, size), from, size) : NULL;
}

int protect_plan(struct wishes *wishes)
{
	struct plan *plan = wishes->plan;
	enum access access = plan->profile->project == PROJECT_WRITE ? ACCESS_WRITE : ACCESS_READ;
	plan->guards = arena_take(plan->scratch, GUARDS_MOST * sizeof(*plan->guards));
	plan->copies = arena_take(plan->scratch, COPIES_MOST * sizeof(*plan->copies));
	clock_gettime(CLOCK_REALTIME, &plan->start);
	clock_gettime(CLOCK_MONOTONIC, &plan->start_steady);
	if (plan->project)
		TRY(add_project(wishes, access));
	TRY(homes_refuse(wishes));
	if (!plan->unprotected)
		TRY(protect_roots(wishes));
	list_each (item, &plan->profile->protect)
		TRY(protect_item(wishes, item));
	if (plan->copy_count > 0) {
		struct mount copies = { .kind = MOUNT_TMPFS,
					.access = ACCESS_WRITE,
					.target = COPIES_DIRECTORY,
					.from = { .file = "protect" } };
		TRY(wishes_add(wishes, &copies, false));
	}
	plan->configured = arena_take(plan->scratch, sizeof(*plan->configured));
	*plan->configured = wishes->named;
	// As long as they are: an idle box keeps the pages.
	plan->guards = kept(plan, plan->guards, plan->guard_count * sizeof(*plan->guards));
	plan->copies = kept(plan, plan->copies, plan->copy_count * sizeof(*plan->copies));
	return alias_refuse_routes(wishes);
}
