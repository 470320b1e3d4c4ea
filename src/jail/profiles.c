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

// The file, and each link on the way to it: with another link the name would be another file's.
static int protect_way(struct wishes *wishes, const char *path)
{
	struct origin from = { .file = "profile", .order = ~0U };
	const char *project = wishes->plan->project;
	struct resolved way;
	TRY(resolve_path(wishes->resolver, path, &way));
	for (unsigned i = 0; i < way.link_count; i++)
		if (path_within(way.links[i].path, project))
			TRY(protect_name(wishes, way.links[i].path, GUARD_ABSENT, from));
	return path_within(way.path, project) ? protect_name(wishes, way.path, GUARD_ABSENT, from) : 0;
}

static int note_one(struct plan *plan, const char **noted, const char *path)
{
	if (!path_within(path, plan->project) || given_has(*noted, path))
		return 0;
	if (!str_printable(path))
		return fail(0, "a profile in a project whose path has control bytes cannot be protected");
	*noted = arena_text(plan->arena, "%s%s\n", *noted, path);
	plan->profiles_noted = *noted;
	return strlen(*noted) < GIVEN_BYTES_MOST ? 0 : fail(0, "too many profiles of this project; remove '%s'", plan->profiles_file);
}

static int note_way(struct wishes *wishes, const char **noted, const char *path)
{
	struct plan *plan = wishes->plan;
	struct resolved way;
	TRY(resolve_path(wishes->resolver, path, &way));
	TRY(note_one(plan, noted, path));
	TRY(note_one(plan, noted, way.path));
	for (unsigned i = 0; i < way.link_count; i++)
		TRY(note_one(plan, noted, way.links[i].path));
	return 0;
}

int profiles_protect(struct wishes *wishes, bool covered)
{
	struct plan *plan = wishes->plan;
	struct arena *arena = wishes->arena;
	const char *noted = given_read(arena, plan->state, plan->project);
	if (!noted)
		return -1;
	plan->profiles_file = given_file(arena, plan->state, plan->project);
	list_each(item, &plan->profile->files)
		TRY(note_way(wishes, &noted, path_join(arena, plan->current ? plan->current : "/", item->text)));
	for (const char *at = noted; *at && !covered; at += *at == '\n') {
		size_t length = strcspn(at, "\n");
		TRY(protect_way(wishes, path_clean(arena, arena_copy(arena, at, length))));
		at += length;
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
