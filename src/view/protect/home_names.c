// Owns the protection of the home's names by absolute path, and the refusal of projects there.
#include "view/protect/protect.h"

#include <string.h>

#include "base/base.h"
#include "names/names.h"
#include "view/paths/wishes.h"

static bool lacks(const void *resolver, const char *path)
{
	return resolver_lacks(resolver, path);
}

static const struct homes *homes_of(struct wishes *wishes)
{
	struct homes *homes = &wishes->homes;
	if (!homes->home) {
		*homes = (struct homes){ .home = wishes->plan->real_home,
					 .environment = wishes->places.environment,
					 .lacks = lacks,
					 .with = wishes->resolver };
		homes_name(wishes->plan->scratch, homes);
	}
	return homes;
}

// Returns the real path of a row "~/x" or "$X/x". NULL: the variable is not set.
static const char *row_path(const struct wishes *wishes, const char *name)
{
	struct item item = { .text = arena_text(wishes->arena, "?%s", name) };
	const char *path;
	if (name[0] == '~')
		return path_below(wishes->arena, wishes->plan->real_home, name + 2);
	return resolve_expand(wishes->arena, &wishes->places, &item, &path) == 1 ? path : NULL;
}

static const char *place_of(const struct wishes *wishes, const char *path)
{
	trusted_each (row, TRUSTED_PLACE) {
		const char *place = row_path(wishes, trusted_name(row));
		if (place && str_equal(path, place))
			return trusted_text + row->who;
	}
	return NULL;
}

enum name_side { WITHIN_ROW, AROUND_ROW };

// True if `path` is below a row's path or a parent of one, by `side`. `names` (or NULL) gets the
// rows. home_protect() handles the home itself.
static bool is_row_of(struct wishes *wishes, const char *path, enum name_side side,
		      struct list *names)
{
	const struct homes *homes = homes_of(wishes);
	bool found = false, home = str_equal(path, homes->home);
	list_each (row, &homes->names) {
		bool inside = path_within(path, row->text), around = path_within(row->text, path);
		if (row->from.line != HOMES_NAME || (home && around) ||
		    !(side == WITHIN_ROW ? inside : around && !inside))
			continue;
		found = true;
		if (names)
			list_add(names, wishes->arena,
				 arena_copy(wishes->arena, row->text, strlen(row->text)),
				 (struct origin){ 0 });
	}
	return found;
}

// Returns why no project may be there (its files are run, trusted or secret), or NULL.
static const char *inside_of(struct wishes *wishes, const char *path)
{
	if (is_row_of(wishes, path, WITHIN_ROW, NULL))
		return "programs, or settings of programs, that run outside of boxes";
	list_each (item, &wishes->plan->profile->secret) {
		const char *text = item->text + (item->text[0] == '?');
		if (str_starts(text, "~/.") &&
		    path_within(path, path_below(wishes->arena, wishes->plan->real_home, text + 2)))
			return "keys, tokens, passwords or mail";
	}
	return NULL;
}

int homes_refuse(struct wishes *wishes)
{
	const struct plan *plan = wishes->plan;
	const char *project = plan->project, *why = NULL;
	if (project && !plan->given)
		why = place_of(wishes, project);
	if (project && !plan->given && !why)
		why = inside_of(wishes, project);
	if (why)
		return fail(0,
			    "'%s' cannot be the project: it contains %s; change to another "
			    "directory, use --project none, or, if you mean it, --project-dir .",
			    project, why);
	for (unsigned i = 0; i < wishes->count; i++) {
		const struct mount *mount = &wishes->list[i].mount;
		if (mount->kind != MOUNT_BIND || mount->access != ACCESS_WRITE || mount->cache ||
		    mount->from.line > 0 || mount->from.order < ORDER_FLAGS)
			continue;
		why = place_of(wishes, mount->target);
		if (why)
			return fail(0,
				    "%s'%s' cannot be writable as a whole: it contains %s; name "
				    "what you need in it, or, if you mean it, write the line "
				    "'write = %s' into a profile",
				    origin_text(wishes->arena, mount->from), mount->target, why,
				    mount->target);
	}
	return 0;
}

static bool is_asked_for(const struct wishes *wishes, const char *path)
{
	for (unsigned i = 0; i < wishes->count; i++)
		if (!wishes->list[i].wall && wishes->list[i].mount.access == ACCESS_WRITE &&
		    str_equal(wishes->list[i].mount.target, path))
			return true;
	return false;
}

static int protect_path(struct wishes *wishes, const char *path, enum homes_kind kind)
{
	struct origin from = { .file = "protect", .order = ORDER_PROJECT };
	if (!wishes_is_reached(wishes, path) || is_asked_for(wishes, path))
		return 0;
	const char *root = tree_in(wishes->plan, path);
	if (kind == HOMES_PROGRAM)
		return root ? 0 : protect_guard(wishes, path, ACT_REPORT);
	if (!root)
		return protect_name(wishes, path, ACT_QUARANTINE, from);
	if (kind == HOMES_NAME && !wishes->plan->given && wishes->plan->project &&
	    str_equal(root, wishes->plan->project))
		return fail(0,
			    "'%s' cannot be the project: a link of your home leads there, and your "
			    "own programs run or trust files in it; change to another directory, "
			    "or, if you mean it, use --project-dir .",
			    root);
	list_add(
		&wishes->plan->notes, wishes->arena,
		arena_text(wishes->arena,
			   "your own programs run or trust files in '%s', and the box can write it",
			   root),
		from);
	return 0;
}

static int protect_named(struct wishes *wishes, const char *path, const void *with)
{
	(void)with;
	return protect_path(wishes, path, HOMES_NAME);
}

static int protect_below(struct wishes *wishes, const char *root)
{
	struct list names = { 0 };
	is_row_of(wishes, root, AROUND_ROW, &names);
	list_each (item, &names)
		TRY(protect_way(wishes, item->text, NULL, protect_named));
	return 0;
}

int homes_protect(struct wishes *wishes)
{
	struct plan *plan = wishes->plan;
	const struct homes *homes = homes_of(wishes);
	struct list targets = { 0 };
	if (plan->tree_count == 0)
		return 0;
	for (unsigned i = 0; i < plan->tree_count; i++)
		TRY(protect_below(wishes, plan->trees[i].path));
	TRY(programs_protect(wishes, homes));
	homes_follow(plan->scratch, homes, &targets);
	list_each (item, &targets)
		if (wishes_is_reached(wishes, item->text))
			TRY(protect_path(wishes,
					 arena_copy(wishes->arena, item->text, strlen(item->text)),
					 (enum homes_kind)item->from.line));
	return 0;
}

static int protect_in_home(struct wishes *wishes, const char *path, const void *from)
{
	const char *home = wishes->plan->real_home;
	return path_within(path, home) && !str_equal(path, home) && wishes_is_reached(wishes, path)
		       ? protect_name(wishes, path, ACT_QUARANTINE, *(const struct origin *)from)
		       : 0;
}

static int protect_row(struct wishes *wishes, const struct trusted_row *row, struct origin from)
{
	const char *name = trusted_name(row);
	if (!str_starts(name, "~/"))
		return 0;
	return protect_way(wishes, path_below(wishes->arena, wishes->plan->real_home, name + 2),
			   &from, protect_in_home);
}

static int protect_items(struct wishes *wishes, const struct list *items, struct origin from)
{
	list_each (item, items) {
		const char *path;
		int expanded = resolve_expand(wishes->arena, &wishes->places, item, &path);
		if (expanded < 0)
			return -1;
		if (expanded > 0)
			TRY(protect_way(wishes, path, &from, protect_in_home));
	}
	return 0;
}

int home_protect(struct wishes *wishes, struct origin from)
{
	const struct profile *profile = wishes->plan->profile;
	trusted_each (row, TRUSTED_WHOLE)
		TRY(protect_row(wishes, row, from));
	trusted_each (row, TRUSTED_HOME)
		TRY(protect_row(wishes, row, from));
	trusted_each (row, TRUSTED_PATH)
		TRY(protect_row(wishes, row, from));
	TRY(protect_items(wishes, &profile->read, from));
	TRY(protect_items(wishes, &profile->secret, from));
	return protect_items(wishes, &profile->cache, from);
}
