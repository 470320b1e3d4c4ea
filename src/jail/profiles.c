// Owns the protection of profiles in a project, and the noting of new ones.
#include "jail/profiles.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/given.h"
#include "base/out.h"
#include "base/owned.h"
#include "base/path.h"
#include "base/str.h"
#include "jail/protect.h"
#include "jail/wishes.h"

// Its directory is real; the file itself may be a link, then both are protected.
static int protect_file(struct wishes *wishes, const char *path)
{
	struct origin from = { .file = "profile", .order = ~0U };
	const char *project = wishes->plan->project, *real = resolve_real(wishes->resolver, path);
	TRY(protect_name(wishes, path, GUARD_ABSENT, from));
	return str_equal(real, path) || !path_within(real, project) ? 0 : protect_name(wishes, real, GUARD_ABSENT, from);
}

int profiles_protect(struct wishes *wishes, bool covered)
{
	struct plan *plan = wishes->plan;
	struct arena *arena = wishes->arena;
	const char *noted = given_read(arena, plan->state, plan->project);
	if (!noted)
		return -1;
	plan->profiles_file = given_file(arena, plan->state, plan->project);
	list_each(item, &plan->profile->files) {
		const char *path = path_join(arena, plan->current ? plan->current : "/", item->text);
		path = path_below(arena, resolve_real(wishes->resolver, path_parent(arena, path)), path_name(path));
		if (!path_within(path, plan->project) || !str_printable(path) || given_has(noted, path))
			continue;
		noted = arena_text(arena, "%s%s\n", noted, path);
		if (strlen(noted) >= GIVEN_BYTES_MOST)
			return fail(0, "too many profiles of this project; remove '%s'", plan->profiles_file);
		plan->profiles_noted = noted;
	}
	for (const char *at = noted; *at && !covered; at += *at == '\n') {
		const char *path = arena_copy(arena, at, strcspn(at, "\n"));
		at += strcspn(at, "\n");
		if (path_within(path, plan->project) && str_equal(path_clean(arena, path), path))
			TRY(protect_file(wishes, path));
	}
	return 0;
}

void profiles_remember(const struct plan *plan, struct out *told)
{
	char directory[PATH_MAX];
	if (!plan->profiles_noted)
		return;
	snprintf(directory, sizeof(directory), "%.*s", (int)(path_name(plan->profiles_file) - plan->profiles_file - 1),
		 plan->profiles_file);
	autoclose int fd = owned_directory(directory);
	if (fd < 0 || owned_replace(plan->profiles_file, plan->profiles_noted, 0600) < 0)
		out_text(told, "sbx: the profile in this project could not be noted (%s): other runs can change it\n", err_text());
	err_clear();
}
