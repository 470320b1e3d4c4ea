// Owns the list of names that the user opened.
#include "view/paths/opened.h"

#include "base/path.h"
#include "base/str.h"
#include "view/paths/wishes.h"

bool opened_note(struct wishes *wishes, const struct item *item, const char *path)
{
	const struct plan *plan = wishes->plan;
	const char *text = item->text + (item->text[0] == '?');
	const char *parent = resolve_real(wishes->resolver, path_parent(wishes->arena, path));
	const char *name = path_below(wishes->arena, parent, path_name(path));
	if (!plan->project || plan->profile->project != PROJECT_WRITE ||
	    (item->from.line != 0 && !str_starts(text, "./")) ||
	    !path_within(name, plan->project) || str_equal(name, plan->project))
		return false;
	list_add(&wishes->opened, wishes->arena, name, item->from);
	return true;
}

bool opened_has(const struct wishes *wishes, const char *path)
{
	return list_has(&wishes->opened, path);
}
