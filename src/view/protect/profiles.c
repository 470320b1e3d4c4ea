// Owns the protection of profiles that were given by a path, and the noting of new ones.
#include "view/protect/protect.h"

#include <string.h>

#include "base/base.h"
#include "names/names.h"
#include "report/findings.h"
#include "view/paths/wishes.h"

static int protect_one(struct wishes *wishes, const char *path, const void *with)
{
	struct origin from = { .file = "profile", .order = ~0U };
	(void)with;
	return wishes_is_reached(wishes, path) ? protect_name(wishes, path, ACT_QUARANTINE, from)
					       : 0;
}

static int note_one(struct wishes *wishes, const char *path, const void *noted)
{
	struct plan *plan = wishes->plan;
	if (given_has(noted, path))
		return 0;
	if (!str_printable(path))
		return fail(0, "a profile whose path has control bytes cannot be protected from "
			       "later runs");
	plan->profiles_noted = arena_text(plan->arena, "%s%s\n",
					  plan->profiles_noted ? plan->profiles_noted : "", path);
	return 0;
}

int profiles_protect(struct wishes *wishes)
{
	struct plan *plan = wishes->plan;
	struct arena *arena = wishes->arena;
	const char *noted = given_read(arena, plan->state);
	if (!noted)
		list_add(&plan->warnings, arena,
			 arena_text(
				 arena,
				 "%s: profiles that its runs were given by path are not protected "
				 "here; to continue without it: rm the file",
				 err_taken()),
			 (struct origin){ .file = "protect" });
	noted = noted ? noted : "";
	list_each (item, &plan->profile->files) {
		const char *path = item->text[0] == '/'
					   ? item->text
					   : path_below(arena, plan->current ? plan->current : "/",
							item->text);
		TRY(protect_way(wishes, path, noted, note_one));
		TRY(protect_way(wishes, path, NULL, protect_one));
	}
	for (const char *at = noted; *at; at += *at == '\n') {
		size_t length = strcspn(at, "\n");
		const char *path = arena_copy(arena, at, length);
		if (wishes_is_reached(wishes, path))
			TRY(protect_way(wishes, path, NULL, protect_one));
		at += length;
	}
	return 0;
}

void profiles_remember(const struct plan *plan, struct findings *found)
{
	if (plan->profiles_noted && given_add(plan->state, plan->profiles_noted) < 0)
		findings_add(found, FINDING_PROFILE_NOT_NOTED, "", err_taken(), "");
}
