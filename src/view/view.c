// Owns the order of mounts: sorts wishes (wanted paths) with parents first, omits those without
// effect, adds directories between.
#include "view/view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "mount/mount.h"
#include "view/paths/wishes.h"

enum { DEPTH_MAX = 256 };

struct view_builder {
	struct wishes wishes;
	const struct mount *stack[DEPTH_MAX];
	unsigned depth;
	struct aliases aliases;
};

// '/' sorts before all other bytes: a directory's content follows it.
static int compare_paths(const char *left, const char *right)
{
	for (; *left && *left == *right; left++, right++)
		;
	int a = *left == '/' ? 1 : (unsigned char)*left + (*left != '\0');
	int b = *right == '/' ? 1 : (unsigned char)*right + (*right != '\0');
	return a - b;
}

// True if the wish shows nothing of the host: a mask, or sbx's protective text.
static bool conceals(const struct wish *wish)
{
	return wish->mount.kind == MOUNT_MASK || (wish->mount.kind == MOUNT_TEXT && wish->wall);
}

// Sorts by path. For one path concealing wishes come first, then those of later profile lines.
static int compare_wishes(const void *left, const void *right)
{
	const struct wish *a = *(struct wish *const *)left, *b = *(struct wish *const *)right;
	int order = compare_paths(a->mount.target, b->mount.target);
	if (order)
		return order;
	if (conceals(a) != conceals(b))
		return conceals(a) ? -1 : 1;
	return a->mount.from.order < b->mount.from.order ? 1 : -1;
}

static struct mount *emit(struct view_builder *builder, const struct mount *mount)
{
	struct plan *plan = builder->wishes.plan;
	const struct mount *above = builder->depth > 0 ? builder->stack[builder->depth - 1] : NULL;
	plan->mounts[plan->mount_count] = *mount;
	bool made = above && above->kind == MOUNT_DIRECTORY;
	plan->mounts[plan->mount_count].in_cache =
		above && (above->cache || (made && above->in_cache));
	plan->mounts[plan->mount_count].unknown =
		above && (above->kind == MOUNT_LAYERS || above->kind == MOUNT_SCRATCH ||
			  above->cache || (made && above->unknown));
	builder->stack[builder->depth++] = &plan->mounts[plan->mount_count];
	return &plan->mounts[plan->mount_count++];
}

static bool ours(const struct mount *mount)
{
	return mount->kind == MOUNT_DIRECTORY || mount->kind == MOUNT_TMPFS || mount->cache ||
	       mount->kind == MOUNT_SCRATCH || (mount->kind == MOUNT_LAYERS && !mount->source);
}

static int emit_parents(struct view_builder *builder, const char *target, struct origin from)
{
	const char *above = builder->stack[builder->depth - 1]->target;
	size_t start = str_equal(above, "/") ? 0 : strlen(above);
	for (const char *slash = strchr(target + start + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		if (builder->depth >= DEPTH_MAX - 1)
			return fail(0, "'%s' is more than %d directories deep", target, DEPTH_MAX);
		struct mount made = { .kind = MOUNT_DIRECTORY,
				      .access = ACCESS_READ,
				      .from = from };
		made.target = arena_copy(builder->wishes.arena, target, (size_t)(slash - target));
		emit(builder, &made);
	}
	return 0;
}

// Binds over themselves the directories between a writable mount and a read-only one below: a
// rename would free the mount's name.
static int emit_pins(struct view_builder *builder, const struct mount *above,
		     const struct mount *mount)
{
	size_t start = strlen(above->target);
	struct resolved resolved;
	if (above->access != ACCESS_WRITE)
		return 0;
	for (const char *slash = strchr(mount->target + start + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		if (builder->depth >= DEPTH_MAX - 1)
			return fail(0, "'%s' is more than %d directories deep", mount->target,
				    DEPTH_MAX);
		struct mount pin = { .kind = MOUNT_BIND, .access = above->access, .on_host = true };
		pin.from = mount->from;
		pin.target = pin.source = arena_copy(builder->wishes.arena, mount->target,
						     (size_t)(slash - mount->target));
		if (resolve_path(builder->wishes.resolver, pin.target, &resolved) != 1 ||
		    !str_equal(resolved.path, pin.target))
			return fail(ERR_CHANGED, "'%s' changed while the plan was made",
				    pin.target);
		pin.identity = resolved.identity;
		emit(builder, &pin);
	}
	return 0;
}

static bool shows_host(const struct wish *wish, const struct mount *above)
{
	(void)wish;
	return above->source != NULL;
}

static bool both_show_host(const struct wish *wish, const struct mount *above)
{
	return wish->mount.source && above->source;
}

static bool must_be_there(const struct wish *wish, const struct mount *above)
{
	(void)above;
	return !wish->mount.optional;
}

static bool not_in_cache(const struct wish *wish, const struct mount *above)
{
	(void)wish;
	return !above->cache;
}

static bool covers_nothing(const struct wish *wish, const struct mount *above)
{
	return !wish->mount.optional &&
	       (above->cache || (above->kind == MOUNT_LAYERS && !above->source));
}

static bool is_read_only(const struct wish *wish, const struct mount *above)
{
	(void)wish;
	return above->access != ACCESS_WRITE;
}

// True if the layers show the path: the box then writes the layer's copy only.
static bool layer_has_it(const struct wish *wish, const struct mount *above)
{
	const struct mount *mount = &wish->mount;
	return above->source && !mount->cache && mount->access != ACCESS_DEVICE &&
	       mount->identity.type != S_IFSOCK;
}

static bool same_bind(const struct wish *wish, const struct mount *above)
{
	return !wish->mount.cache && !wish->pinned && !above->cache &&
	       above->access == wish->mount.access;
}

// Whether the mount above fulfills a wish: the first row with both kinds decides. Without a row the
// wish is mounted.
#define OVER(kind) (1U << (kind))
static const struct {
	enum mount_kind wish;
	unsigned above;
	bool (*fulfilled)(const struct wish *wish, const struct mount *above);
} precedence[] = {
	{ MOUNT_LINK, OVER(MOUNT_LAYERS), shows_host },
	{ MOUNT_LINK, ~(OVER(MOUNT_DIRECTORY) | OVER(MOUNT_TMPFS)), not_in_cache },
	{ MOUNT_LAYERS, OVER(MOUNT_LAYERS), both_show_host },
	{ MOUNT_MASK, OVER(MOUNT_DIRECTORY) | OVER(MOUNT_TMPFS) | OVER(MOUNT_MASK), must_be_there },
	{ MOUNT_MASK, ~0U, covers_nothing },
	{ MOUNT_COPY, ~0U, is_read_only },
	{ MOUNT_BIND, OVER(MOUNT_LAYERS), layer_has_it },
	{ MOUNT_BIND, OVER(MOUNT_BIND), same_bind },
};

static bool redundant(const struct plan *plan, const struct wish *wish, const struct mount *above)
{
	// A root caller's line shows a path in the system settings without their id mapping.
	if (wish->mount.kind == MOUNT_BIND && above->kind == MOUNT_BIND &&
	    settings_maps(plan, above) && wish->mount.from.order > above->from.order)
		return false;
	for (size_t i = 0; i < sizeof(precedence) / sizeof(*precedence); i++)
		if (precedence[i].wish == wish->mount.kind &&
		    precedence[i].above & OVER(above->kind))
			return precedence[i].fulfilled(wish, above);
	return false;
}

// Omits, with a note, a cache or an optional text whose path the host lacks.
static bool leave_out(struct plan *plan, const struct mount *mount, const struct mount *above)
{
	bool text = mount->kind == MOUNT_TEXT && mount->optional;
	if (mount->identity.type || !(mount->cache || text))
		return false;
	list_add(&plan->notes, plan->arena,
		 arena_text(plan->arena,
			    "no %s '%s': it does not exist, and nothing is created in '%s'%s",
			    text ? "own" : "cache at", mount->target, above->target,
			    text ? "; names are asked of the box's DNS alone" : ""),
		 mount->from);
	return true;
}

static int place(struct view_builder *builder, const struct wish *wish)
{
	const struct mount *mount = &wish->mount;
	while (!path_within(mount->target, builder->stack[builder->depth - 1]->target))
		builder->depth--;
	const struct mount *above = builder->stack[builder->depth - 1];
	if (redundant(builder->wishes.plan, wish, above) || above->kind == MOUNT_MASK)
		return 0;
	if (!conceals(wish) && wishes_is_hidden(&builder->wishes, mount->target))
		return 0;
	// Masks even a missing path: an overlay's content is unknown.
	bool overlay = above->kind == MOUNT_SCRATCH || above->kind == MOUNT_LAYERS;
	if (overlay && mount->kind == MOUNT_MASK) {
		emit(builder, mount);
		return 0;
	}
	if (ours(above)) {
		TRY(emit_parents(builder, mount->target, mount->from));
		emit(builder, mount);
		return 0;
	}
	if (above->kind == MOUNT_PROC || above->kind == MOUNT_SELF) {
		emit(builder, mount);
		return 0;
	}
	if (builder->wishes.plan->tier == TIER_FULL) // Landlock identifies a file by inode, in any
						     // spelling
		TRY(alias_refuse(&builder->aliases, builder->wishes.plan, mount, above));
	alias_tell(builder->wishes.plan, mount, above);
	if (above->kind == MOUNT_LAYERS && mount->identity.type) {
		emit(builder, mount);
		return 0;
	}
	if (leave_out(builder->wishes.plan, mount, above))
		return 0;
	if (!mount->identity.type)
		return fail(0, "%s'%s' does not exist, and nothing is created in '%s'",
			    origin_text(builder->wishes.arena, mount->from), mount->target,
			    above->target);
	TRY(emit_pins(builder, above, mount));
	emit(builder, mount)->on_host = true;
	return 0;
}

static bool same_target(const struct wish *left, const struct wish *right)
{
	return str_equal(left->mount.target, right->mount.target);
}

static void join_pins(struct view_builder *builder)
{
	for (unsigned i = builder->wishes.count; i-- > 1;)
		if (builder->wishes.sorted[i]->pinned &&
		    same_target(builder->wishes.sorted[i - 1], builder->wishes.sorted[i]))
			builder->wishes.sorted[i - 1]->pinned = true;
}

static int place_all(struct view_builder *builder)
{
	struct plan *plan = builder->wishes.plan;
	static const struct mount root = { .kind = MOUNT_TMPFS,
					   .target = "/",
					   .access = ACCESS_READ };
	plan->mounts = arena_take(builder->wishes.arena, MOUNTS_MAX * sizeof(*plan->mounts));
	join_pins(builder);
	emit(builder, &root);
	const struct wish *last = NULL;
	for (unsigned i = 0; i < builder->wishes.count; i++) {
		const struct wish *wish = builder->wishes.sorted[i];
		if (plan->mount_count + DEPTH_MAX > MOUNTS_MAX)
			return fail(0, "too many directories between the paths of the plan");
		if (wish->covered || (last && same_target(last, wish)))
			continue;
		TRY(place(builder, wish));
		last = wish;
	}
	return 0;
}

int view_plan(struct plan *plan, char *const *environment)
{
	struct arena *scratch = plan->scratch;
	struct view_builder builder = { .wishes = { .plan = plan, .arena = plan->arena } };
	struct wishes *wishes = &builder.wishes;
	wishes->places = (struct places){ plan->home, plan->project, plan->current, environment };
	wishes->resolver = plan->resolver;
	wishes->list = arena_take(scratch, WISHES_MAX * sizeof(*wishes->list));
	wishes->sorted = arena_take(scratch, WISHES_MAX * sizeof(*wishes->sorted));
	wishes->hidden = arena_take(scratch, WISHES_MAX * sizeof(*wishes->hidden));
	TRY(gather_wishes(wishes));
	qsort(wishes->sorted, wishes->count, sizeof(*wishes->sorted), compare_wishes);
	return place_all(&builder);
}
