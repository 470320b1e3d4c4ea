// Owns the decision what is mounted where. Two passes: gather wishes for paths, then, sorted so
// that parents come first, keep those that change something and make the directories between.
#include "jail/view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "base/str.h"
#include "jail/project.h"
#include "jail/resolve.h"
#include "plan.h"

enum { WISHES_MOST = 1024, DEPTH_MOST = 256 };

struct wish {
	struct mount mount;
	bool pinned; // made even when it changes nothing: a mount point cannot be renamed
};

struct builder {
	struct plan *plan;
	struct arena *arena;
	struct places places;
	struct resolver *resolver;
	struct wish *wishes, **sorted;
	unsigned wish_count;
	const char **hidden; // sorted is not needed: there are few
	unsigned hidden_count;
	const struct mount *stack[DEPTH_MOST]; // the mounts above the current path
	unsigned depth;
};

struct fixed {
	enum mount_kind kind;
	enum access access;
	const char *target, *source;
	enum { EVERYBODY, ROOT } for_whom;
};

// The parts of /dev that programs expect. Everything else there does not exist.
static const struct fixed devices[] = {
	{ MOUNT_BIND, ACCESS_DEVICE, "/dev/null", "/dev/null", EVERYBODY },
	{ MOUNT_BIND, ACCESS_DEVICE, "/dev/zero", "/dev/zero", EVERYBODY },
	{ MOUNT_BIND, ACCESS_DEVICE, "/dev/full", "/dev/full", EVERYBODY },
	{ MOUNT_BIND, ACCESS_DEVICE, "/dev/random", "/dev/random", EVERYBODY },
	{ MOUNT_BIND, ACCESS_DEVICE, "/dev/urandom", "/dev/urandom", EVERYBODY },
	{ MOUNT_BIND, ACCESS_DEVICE, "/dev/tty", "/dev/tty", EVERYBODY },
	{ MOUNT_LINK, ACCESS_READ, "/dev/fd", "/proc/self/fd", EVERYBODY },
	{ MOUNT_LINK, ACCESS_READ, "/dev/stdin", "/proc/self/fd/0", EVERYBODY },
	{ MOUNT_LINK, ACCESS_READ, "/dev/stdout", "/proc/self/fd/1", EVERYBODY },
	{ MOUNT_LINK, ACCESS_READ, "/dev/stderr", "/proc/self/fd/2", EVERYBODY },
	{ MOUNT_LINK, ACCESS_READ, "/dev/ptmx", "pts/ptmx", EVERYBODY },
	{ MOUNT_PTS, ACCESS_DEVICE, "/dev/pts", NULL, EVERYBODY },
	{ MOUNT_PROC, ACCESS_WRITE, "/proc", NULL, EVERYBODY },
};

// The parts of a fresh /proc that reach out of the box. Most belong to uid 0 and are shut to
// anybody else without capabilities; a root caller owns them, so there they are mounted over.
static const struct fixed proc_walls[] = {
	{ MOUNT_SELF, ACCESS_READ, "/proc/sys", NULL, ROOT },
	{ MOUNT_SELF, ACCESS_READ, "/proc/sysrq-trigger", NULL, ROOT },
	{ MOUNT_SELF, ACCESS_READ, "/proc/irq", NULL, ROOT },
	{ MOUNT_SELF, ACCESS_READ, "/proc/bus", NULL, ROOT },
	{ MOUNT_SELF, ACCESS_READ, "/proc/fs", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/acpi", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/scsi", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/kcore", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/keys", NULL, EVERYBODY },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/key-users", NULL, EVERYBODY },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/timer_list", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/sched_debug", NULL, ROOT },
	{ MOUNT_MASK, ACCESS_NOTHING, "/proc/latency_stats", NULL, ROOT },
};

// '/' sorts before every other byte, so that all below a directory follows it at once.
static int compare_paths(const char *left, const char *right)
{
	for (; *left && *left == *right; left++, right++)
		;
	int a = *left == '/' ? 1 : (unsigned char)*left + (*left != '\0');
	int b = *right == '/' ? 1 : (unsigned char)*right + (*right != '\0');
	return a - b;
}

// By path; of two wishes for one path a hidden one first, then the later written.
static int compare_wishes(const void *left, const void *right)
{
	const struct wish *a = *(struct wish *const *)left, *b = *(struct wish *const *)right;
	int order = compare_paths(a->mount.target, b->mount.target);
	if (order)
		return order;
	if ((a->mount.kind == MOUNT_MASK) != (b->mount.kind == MOUNT_MASK))
		return a->mount.kind == MOUNT_MASK ? -1 : 1;
	return a->mount.from.order < b->mount.from.order ? 1 : -1;
}

static int add_wish(struct builder *builder, const struct mount *mount, bool pinned)
{
	if (builder->wish_count == WISHES_MOST)
		return fail(0, "more than %d paths in one plan", WISHES_MOST);
	struct wish *wish = &builder->wishes[builder->wish_count];
	*wish = (struct wish){ *mount, pinned };
	builder->sorted[builder->wish_count++] = wish;
	return 0;
}

static int add_links(struct builder *builder, const struct resolved *resolved, struct origin from)
{
	for (unsigned i = 0; i < resolved->link_count; i++) {
		struct mount link = { .kind = MOUNT_LINK, .access = ACCESS_READ, .from = from };
		link.target = resolved->links[i].path;
		link.source = resolved->links[i].text;
		TRY(add_wish(builder, &link, false));
	}
	return 0;
}

static int refuse_writable(struct builder *builder, const struct item *item, const char *path)
{
	const char *why = project_refusal(builder->plan, path);
	if (!why)
		return 0;
	return fail(0, "%s'%s' %s and cannot be writable in a box",
		    origin_text(builder->arena, item->from), path, why);
}

static int add_bind(struct builder *builder, const struct item *item, enum access access)
{
	const char *path;
	struct resolved resolved;
	int expanded = resolve_expand(builder->arena, &builder->places, item, &path);
	if (expanded <= 0)
		return expanded;
	int found = resolve_path(builder->resolver, path, &resolved);
	if (found < 0)
		return -1;
	if (!found && item->text[0] == '?')
		return 0;
	if (!found)
		return fail(0, "%s'%s' does not exist; prefix it with '?' if it may be missing",
			    origin_text(builder->arena, item->from), path);
	if (str_equal(resolved.path, "/"))
		return fail(0, "%s'/' is the whole machine; name directories instead",
			    origin_text(builder->arena, item->from));
	if (access == ACCESS_WRITE)
		TRY(refuse_writable(builder, item, resolved.path));
	TRY(add_links(builder, &resolved, item->from));
	struct mount bind = { .kind = MOUNT_BIND, .access = access, .from = item->from };
	bind.target = bind.source = resolved.path;
	bind.identity = resolved.identity;
	return add_wish(builder, &bind, false);
}

// The real path of something that need not exist: its nearest existing parent is resolved.
static int resolve_new(struct builder *builder, const char *path, struct origin from,
		       const char **ret_path, struct identity *ret_identity)
{
	struct resolved resolved;
	int found = resolve_path(builder->resolver, path, &resolved);
	if (found < 0)
		return -1;
	if (found) {
		*ret_path = resolved.path;
		*ret_identity = resolved.identity;
		return add_links(builder, &resolved, from);
	}
	const char *parent;
	struct identity identity;
	if (str_equal(path, "/"))
		return fail(0, "the root directory cannot be read");
	TRY(resolve_new(builder, path_parent(builder->arena, path), from, &parent, &identity));
	*ret_path = path_join(builder->arena, parent, path_name(path));
	*ret_identity = (struct identity){ 0 };
	return 0;
}

static int add_tmpfs(struct builder *builder, const struct item *item)
{
	struct mount tmpfs = { .kind = MOUNT_TMPFS, .access = ACCESS_WRITE, .from = item->from };
	const char *path;
	int expanded = resolve_expand(builder->arena, &builder->places, item, &path);
	if (expanded <= 0)
		return expanded;
	TRY(resolve_new(builder, path, item->from, &tmpfs.target, &tmpfs.identity));
	if (str_equal(tmpfs.target, "/"))
		return fail(0, "%s'/' cannot be a tmpfs", origin_text(builder->arena, item->from));
	if (tmpfs.identity.type && tmpfs.identity.type != S_IFDIR)
		return fail(0, "%s'%s' is not a directory", origin_text(builder->arena, item->from), path);
	return add_wish(builder, &tmpfs, false);
}

// ".cargo/registry" -> ".cargo-registry"; a '-' of the name is doubled.
static const char *cache_name(struct builder *builder, const char *path)
{
	const char *home = builder->plan->home;
	if (path_within(path, home) && !str_equal(path, home))
		path += strlen(home) + !str_equal(home, "/");
	char *name = arena_take(builder->arena, strlen(path) * 2 + 1), *end = name;
	for (; *path; path++) {
		if (*path == '-')
			*end++ = '-';
		*end++ = *path == '/' ? '-' : *path;
	}
	return name;
}

static int add_cache(struct builder *builder, const struct item *item)
{
	struct mount cache = { .kind = MOUNT_BIND, .access = ACCESS_WRITE, .from = item->from };
	const char *path;
	int expanded = resolve_expand(builder->arena, &builder->places, item, &path);
	if (expanded <= 0)
		return expanded;
	TRY(resolve_new(builder, path, item->from, &cache.target, &cache.identity));
	if (!cache.identity.type && item->text[0] == '?')
		return 0;
	if (cache.identity.type && cache.identity.type != S_IFDIR)
		return fail(0, "%s'%s' is not a directory", origin_text(builder->arena, item->from), path);
	cache.cache = true;
	cache.source = path_join(builder->arena, builder->plan->caches,
				 cache_name(builder, cache.target));
	return add_wish(builder, &cache, false);
}

// Shut to the caller outside, and no capability inside opens it: no mask is needed.
static bool shut_already(const struct plan *plan, const struct mount *mask)
{
	const char *path = mask->target;
	bool unreadable = plan->uid != 0 && faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0 &&
			  errno == EACCES;
	return unreadable && (mask->identity.type != S_IFDIR ||
			      faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0);
}

static int add_hidden(struct builder *builder, const struct item *item)
{
	const char *path;
	struct mount mask = { .kind = MOUNT_MASK, .access = ACCESS_NOTHING, .from = item->from };
	int expanded = resolve_expand(builder->arena, &builder->places, item, &path);
	if (expanded <= 0)
		return expanded;
	TRY(resolve_new(builder, path, item->from, &mask.target, &mask.identity));
	if (builder->hidden_count == WISHES_MOST)
		return fail(0, "more than %d hidden paths in one plan", WISHES_MOST);
	builder->hidden[builder->hidden_count++] = mask.target;
	if (!mask.identity.type)
		return 0; // what appears later is not hidden; a directory above it can be
	if (shut_already(builder->plan, &mask))
		return 0;
	return add_wish(builder, &mask, false);
}

// Until git is handled in full: what the host runs later is read-only, and .git is pinned, so
// that it cannot be moved away with its mounts (rule 3).
static int add_project(struct builder *builder)
{
	static const char *const kept[] = { "?./.git/hooks", "?./.git/config" };
	const struct plan *plan = builder->plan;
	enum access access = plan->profile->project == PROJECT_WRITE ? ACCESS_WRITE : ACCESS_READ;
	struct origin from = { .file = "project", .order = ORDER_PROJECT };
	if (!plan->project)
		return 0;
	TRY(add_bind(builder, &(struct item){ .text = plan->project, .from = from }, access));
	if (access == ACCESS_READ)
		return 0;
	from.line = 1; // './' is the project
	unsigned before = builder->wish_count;
	TRY(add_bind(builder, &(struct item){ .text = "?./.git", .from = from }, access));
	if (builder->wish_count == before)
		return 0;
	builder->wishes[builder->wish_count - 1].pinned = true;
	for (unsigned i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		TRY(add_bind(builder, &(struct item){ .text = kept[i], .from = from }, ACCESS_READ));
	return 0;
}

// A directory that was entered by way of a symlink has the same name inside.
static int add_logical_directory(struct builder *builder)
{
	struct resolved resolved;
	const char *logical = NULL;
	for (char *const *entry = builder->places.environment; *entry; entry++)
		if (str_starts(*entry, "PWD=/"))
			logical = path_clean(builder->arena, *entry + 4);
	if (!logical || !builder->plan->current || str_equal(logical, builder->plan->current))
		return 0;
	if (resolve_path(builder->resolver, logical, &resolved) <= 0 ||
	    !str_equal(resolved.path, builder->plan->current)) {
		err_clear();
		return 0;
	}
	return add_links(builder, &resolved, (struct origin){ .file = "PWD" });
}

static int add_fixed(struct builder *builder, const struct fixed *table, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct mount mount = { .kind = table[i].kind, .access = table[i].access };
		struct resolved resolved;
		if (table[i].for_whom == ROOT && builder->plan->uid != 0)
			continue;
		// A nested sandbox can mount a /proc of its own only where this one is whole.
		if (builder->plan->nested && builder->plan->uid != 0 && table == proc_walls)
			continue;
		mount.target = table[i].target;
		mount.source = table[i].source;
		mount.from.file = "sbx";
		mount.optional = true;
		if (mount.kind == MOUNT_BIND) {
			int found = resolve_path(builder->resolver, mount.source, &resolved);
			if (found < 0)
				return -1;
			if (!found)
				continue;
			mount.identity = resolved.identity;
		}
		TRY(add_wish(builder, &mount, false));
	}
	return 0;
}

// So that ttyname() finds the caller's terminal: glibc looks through /dev for its number.
static int add_console(struct builder *builder)
{
	struct resolved resolved;
	struct stat status;
	for (int fd = 0; fd <= 2; fd++) {
		char *name = isatty(fd) ? ttyname(fd) : NULL;
		if (!name || fstat(fd, &status) < 0)
			continue;
		const char *source = arena_copy(builder->arena, name, strlen(name));
		if (resolve_path(builder->resolver, source, &resolved) != 1)
			continue;
		struct mount console = { .kind = MOUNT_BIND, .access = ACCESS_DEVICE };
		console.target = "/dev/console";
		console.source = source;
		console.identity = resolved.identity;
		console.from.file = "terminal";
		return add_wish(builder, &console, false);
	}
	err_clear();
	return 0;
}

static int gather(struct builder *builder)
{
	const struct profile *profile = builder->plan->profile;
	struct item resolver = { .text = "?/etc/resolv.conf", .from = { .file = "network" } };
	list_each(item, &profile->read)
		TRY(add_bind(builder, item, ACCESS_READ));
	list_each(item, &profile->write)
		TRY(add_bind(builder, item, ACCESS_WRITE));
	list_each(item, &profile->cache)
		TRY(add_cache(builder, item));
	list_each(item, &profile->tmpfs)
		TRY(add_tmpfs(builder, item));
	TRY(add_project(builder));
	if (profile->network == NETWORK_HOST)
		TRY(add_bind(builder, &resolver, ACCESS_READ));
	TRY(add_fixed(builder, devices, sizeof(devices) / sizeof(*devices)));
	TRY(add_console(builder));
	TRY(add_fixed(builder, proc_walls, sizeof(proc_walls) / sizeof(*proc_walls)));
	list_each(item, &profile->hide)
		TRY(add_hidden(builder, item));
	return add_logical_directory(builder);
}

static struct mount *emit(struct builder *builder, const struct mount *mount)
{
	struct plan *plan = builder->plan;
	plan->mounts[plan->mount_count] = *mount;
	builder->stack[builder->depth++] = &plan->mounts[plan->mount_count];
	return &plan->mounts[plan->mount_count++];
}

static bool ours(const struct mount *mount)
{
	return mount->kind == MOUNT_DIRECTORY || mount->kind == MOUNT_TMPFS;
}

// Makes the directories between the nearest mount above and the target.
static int emit_parents(struct builder *builder, const char *target, struct origin from)
{
	const char *above = builder->stack[builder->depth - 1]->target;
	size_t start = str_equal(above, "/") ? 0 : strlen(above);
	for (const char *slash = strchr(target + start + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		if (builder->depth >= DEPTH_MOST - 1)
			return fail(0, "'%s' is more than %d directories deep", target, DEPTH_MOST);
		struct mount made = { .kind = MOUNT_DIRECTORY, .access = ACCESS_READ, .from = from };
		made.target = arena_copy(builder->arena, target, (size_t)(slash - target));
		emit(builder, &made);
	}
	return 0;
}

static bool is_hidden(const struct builder *builder, const char *path)
{
	for (unsigned i = 0; i < builder->hidden_count; i++)
		if (path_within(path, builder->hidden[i]))
			return true;
	return false;
}

// A wish that the mount above it fulfils already.
static bool redundant(const struct wish *wish, const struct mount *above)
{
	const struct mount *mount = &wish->mount;
	if (mount->kind == MOUNT_LINK)
		return !ours(above);
	if (mount->kind == MOUNT_MASK && !mount->optional)
		return ours(above) || above->kind == MOUNT_MASK;
	return mount->kind == MOUNT_BIND && !mount->cache && !wish->pinned &&
	       above->kind == MOUNT_BIND && !above->cache && above->access == mount->access;
}

static int place(struct builder *builder, const struct wish *wish)
{
	const struct mount *mount = &wish->mount;
	while (!path_within(mount->target, builder->stack[builder->depth - 1]->target))
		builder->depth--;
	const struct mount *above = builder->stack[builder->depth - 1];
	// Only a directory can be above, and two wishes for one path were made one before.
	if (redundant(wish, above) || above->kind == MOUNT_MASK)
		return 0;
	if (mount->kind != MOUNT_MASK && is_hidden(builder, mount->target))
		return 0;
	if (ours(above)) {
		TRY(emit_parents(builder, mount->target, mount->from));
		emit(builder, mount);
		return 0;
	}
	if (above->kind == MOUNT_PROC || above->kind == MOUNT_SELF) {
		emit(builder, mount);
		return 0;
	}
	if (!mount->identity.type || above->cache)
		return fail(0, "%s'%s' does not exist, and nothing is created in '%s'",
			    origin_text(builder->arena, mount->from), mount->target, above->target);
	emit(builder, mount)->on_host = true;
	return 0;
}

static bool same_target(const struct wish *left, const struct wish *right)
{
	return str_equal(left->mount.target, right->mount.target);
}

// A pin holds for the path, whoever else speaks of it.
static void join_pins(struct builder *builder)
{
	for (unsigned i = builder->wish_count; i-- > 1;)
		if (builder->sorted[i]->pinned && same_target(builder->sorted[i - 1], builder->sorted[i]))
			builder->sorted[i - 1]->pinned = true;
}

static int place_all(struct builder *builder)
{
	struct plan *plan = builder->plan;
	static const struct mount root = { .kind = MOUNT_TMPFS, .target = "/", .access = ACCESS_READ };
	plan->mounts = arena_take(builder->arena, MOUNTS_MOST * sizeof(*plan->mounts));
	join_pins(builder);
	emit(builder, &root);
	for (unsigned i = 0; i < builder->wish_count; i++) {
		const struct wish *wish = builder->sorted[i];
		bool repeated = i > 0 && same_target(builder->sorted[i - 1], wish);
		if (plan->mount_count + DEPTH_MOST > MOUNTS_MOST)
			return fail(0, "too many directories between the paths of the plan");
		if (!repeated)
			TRY(place(builder, wish));
	}
	return 0;
}

int view_plan(struct plan *plan, char *const *environment)
{
	struct builder builder = { .plan = plan, .arena = plan->arena };
	builder.places = (struct places){ plan->home, plan->project, plan->current, environment };
	builder.resolver = resolver_new(plan->arena);
	builder.wishes = arena_take(plan->arena, WISHES_MOST * sizeof(*builder.wishes));
	builder.sorted = arena_take(plan->arena, WISHES_MOST * sizeof(*builder.sorted));
	builder.hidden = arena_take(plan->arena, WISHES_MOST * sizeof(*builder.hidden));
	TRY(gather(&builder));
	qsort(builder.sorted, builder.wish_count, sizeof(*builder.sorted), compare_wishes);
	return place_all(&builder);
}
