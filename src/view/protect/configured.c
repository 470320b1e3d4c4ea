// Owns the protection of hooks and configuration that git's configuration names.
#include "view/protect/protect.h"

#include <stdbool.h>

#include "base/base.h"
#include "view/paths/wishes.h"

// Protects the path, its target, and the links on the way.
static int protect_path(struct wishes *wishes, const char *named, enum act otherwise)
{
	struct origin from = { .file = "protect", .order = ORDER_PROJECT };
	struct resolved way;
	(void)ATTEMPT(resolve_path(wishes->resolver, path_parent(wishes->arena, named), &way));
	TRY(wishes_keep_links(wishes, &way, 0, from));
	const char *parent = resolve_real(wishes->resolver, path_parent(wishes->arena, named));
	const char *link = path_below(wishes->arena, parent, path_name(named));
	const char *ways[] = { link, resolve_real(wishes->resolver, link) };
	for (unsigned i = 0; i < (str_equal(ways[0], ways[1]) ? 1 : 2); i++) {
		if (!wishes_is_reached(wishes, ways[i]))
			continue;
		if (!protect_holds_root(wishes, ways[i]))
			TRY(protect_name(wishes, ways[i], otherwise, from));
		else
			list_add(&wishes->plan->notes, wishes->arena,
				 arena_text(wishes->arena,
					    "git's configuration names '%s' for hooks, which the "
					    "box can write: git runs these hooks outside; set "
					    "core.hooksPath to a directory with hooks only",
					    ways[i]),
				 from);
	}
	return 0;
}

static int protect_all(struct wishes *wishes, const struct list *named, enum act otherwise)
{
	list_each (item, named)
		TRY(protect_path(wishes, item->text, otherwise));
	return 0;
}

static int protect_below(struct wishes *wishes, const char *top, const char *value)
{
	const char *path = path_join(wishes->plan->scratch, top, value);
	if (list_has(&wishes->named.hooks, path) || !protect_has_room(wishes))
		return 0;
	list_add(&wishes->named.hooks, wishes->plan->scratch, path,
		 (struct origin){ .file = "git" });
	return protect_path(wishes, path, ACT_HOOKS);
}

int configured_protect(struct wishes *wishes)
{
	struct plan *plan = wishes->plan;
	if (!wishes->tops.first)
		return 0;
	TRY(gitnamed_global(plan->scratch, plan->home, path_parent(plan->scratch, plan->config),
			    &wishes->named));
	wishes->named_all = true;
	TRY(protect_all(wishes, &wishes->named.hooks, ACT_HOOKS));
	TRY(protect_all(wishes, &wishes->named.files, ACT_QUARANTINE));
	list_each (value, &wishes->named.everywhere)
		list_each (top, &wishes->tops)
			TRY(protect_below(wishes, top->text, value->text));
	list_each (file, &wishes->named.unclear)
		list_add(&plan->notes, wishes->arena,
			 arena_text(wishes->arena,
				    "git's configuration '%s' cannot be read here: hooks and files "
				    "that it names are not "
				    "protected; name them with --protect",
				    str_shown(file->text)),
			 (struct origin){ .file = "protect" });
	return 0;
}
