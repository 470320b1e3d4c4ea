// Owns the protection of one git directory's parts, by git/layout.c.
#include "view/protect/git_parts.h"

#include <dirent.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "base/str.h"
#include "view/paths/alias.h"
#include "view/paths/opened.h"
#include "view/paths/wishes.h"
#include "view/protect/beyond.h"
#include "view/protect/copies.h"
#include "view/protect/protect.h"

void git_parts_read(struct wishes *wishes, const char *directory, struct names_found *found)
{
	const char *around = wishes->names.directory;
	bool same = around && str_equal(path_parent(wishes->arena, directory), around);
	names_read(&wishes->names, directory, found);
	if (!same && !alias_kernel_compares(directory))
		wishes->names = (struct names){ 0 };
}

static int protect_part(struct wishes *wishes, const struct layout_row *row, const char *path,
			const char *top, struct origin from)
{
	switch (row->kind) {
	case LAYOUT_RUN:
	case LAYOUT_POINTER:
		if (opened_has(wishes, path))
			return 0;
		return protect_name(wishes, path,
				    row->type == LAYOUT_DIRECTORY ? GUARD_HOOKS : GUARD_ABSENT,
				    from);
	case LAYOUT_CONFIG:
		return copies_add(wishes, path, top, from);
	case LAYOUT_ORDER: // a change is reported
		return protect_guard(wishes, path, GUARD_REPORTED);
	case LAYOUT_NESTED:
	case LAYOUT_VIEW:
	case LAYOUT_DATA:
		return 0;
	}
	return 0;
}

// Other files are of no interest later.
static bool is_noted(const struct item *item)
{
	const struct layout_row *row = layout_find(item->text);
	return item->from.line != DT_REG || !row || row->kind == LAYOUT_VIEW;
}

// No mount is made through a link that the user has in the place of a directory.
static bool lies_behind_link(const struct layout_row *row, const struct names_found *found)
{
	list_each (item, &found->list)
		if (item->from.line != DT_DIR && layout_begins(row, item->text))
			return true;
	return false;
}

int git_parts_protect(struct wishes *wishes, const char *directory, const char *top,
		      const struct names_found *found, struct origin from, enum layout_place place)
{
	struct plan *plan = wishes->plan;
	unsigned number = plan->guard_count;
	TRY(protect_guard(wishes, arena_text(wishes->arena, "%s/.", directory), GUARD_PARTS));
	plan->guards[number].lacking = 0;
	struct list *known = &plan->guards[number].known;
	list_each (item, &found->list)
		if (is_noted(item) &&
		    protect_stood(plan, path_below(wishes->arena, directory, item->text)))
			list_add(known, wishes->arena, item->text, item->from);
	layout_each(row)
	{
		unsigned count = plan->guard_count;
		if (row->kind <= LAYOUT_VIEW || !(row->place & place))
			continue;
		const char *path = path_below(wishes->arena, directory, row->path);
		if (strchr(row->path, '/') && lies_behind_link(row, found))
			path = path_below(
				wishes->arena,
				resolve_real(wishes->resolver, path_parent(wishes->arena, path)),
				path_name(path));
		// A wall is around it already.
		if (strchr(row->path, '/') && !wishes_is_reached(wishes, path)) {
			list_add(known, wishes->arena, row->path, from);
			continue;
		}
		TRY(protect_part(wishes, row, path, top, from));
		if (!strchr(row->path, '/'))
			continue;
		if (plan->guard_count == count) { // it exists
			list_add(known, wishes->arena, row->path, from);
			if (str_ends(row->path, "/alternates"))
				TRY(beyond_alternates(wishes, path, from));
		} else if (row->kind == LAYOUT_POINTER) // GUARD_PARTS finds it
			plan->guard_count--;
	}
	return 0;
}
