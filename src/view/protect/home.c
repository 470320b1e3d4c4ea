// Owns the walls of a home that is the project: what the caller's shells, desktop and tools read at
// start, and what the profile shows, caches or hides of the home. What exists is mounted read-only
// or hidden, what does not goes to quarantine when it appears.
#include "view/protect/home.h"

#include "base/err.h"
#include "base/path.h"
#include "base/str.h"
#include "names/trusted.h"
#include "view/paths/resolve.h"
#include "view/paths/wishes.h"
#include "view/protect/protect.h"

// By its name in the home. A link on the way is protected by itself: with another one the name
// would be another file's.
static int protect_path(struct wishes *wishes, const char *path, struct origin from)
{
	struct resolved way;
	const char *home = wishes->plan->real_home;
	TRY(protect_reach(wishes, path, &way));
	for (unsigned i = 0; i < way.link_count; i++)
		if (path_within(way.links[i].path, home) &&
		    wishes_is_reached(wishes, way.links[i].path))
			TRY(protect_name(wishes, way.links[i].path, GUARD_ABSENT, from));
	return path_within(way.path, home) && !str_equal(way.path, home) &&
			       wishes_is_reached(wishes, way.path)
		       ? protect_name(wishes, way.path, GUARD_ABSENT, from)
		       : 0;
}

// Those that a variable names are not of the home.
static int protect_row(struct wishes *wishes, const struct trusted_row *row, struct origin from)
{
	const char *name = trusted_name(row);
	if (!str_starts(name, "~/"))
		return 0;
	return protect_path(wishes, path_below(wishes->arena, wishes->plan->real_home, name + 2),
			    from);
}

static int protect_items(struct wishes *wishes, const struct list *items, struct origin from)
{
	list_each (item, items) {
		const char *path;
		int expanded = resolve_expand(wishes->arena, &wishes->places, item, &path);
		if (expanded < 0)
			return -1;
		if (expanded > 0)
			TRY(protect_path(wishes, path, from));
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
