// Owns the protection of one git directory's parts, by git/layout.c.
#include "view/protect/protect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "view/paths/wishes.h"

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
	case LAYOUT_ADDRESS:
		return protect_guard(wishes, path, GUARD_ADDRESSES);
	case LAYOUT_NESTED:
	case LAYOUT_LOCK:
	case LAYOUT_DATA:
		return 0;
	}
	return 0;
}

// Other files are of no interest later.
static bool is_noted(const struct item *item)
{
	const struct layout_row *row = layout_find(item->text);
	return item->from.line != DT_REG || (row && row->kind == LAYOUT_LOCK) ||
	       str_starts(item->text, "sharedindex.");
}

// Why a part below the top cannot be covered at its path: 0 when it can. ELOOP: the user has a link
// in the place of a directory on the way, and no mount is made through it.
static int look(const struct wishes *wishes, const char *path)
{
	if (names_lack(&wishes->names, path))
		return ENOENT;
	autoclose int fd =
		sys_openat2(AT_FDCWD, path, O_PATH | O_NOFOLLOW | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	return fd < 0 ? errno : 0;
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
		if (row->kind <= LAYOUT_LOCK || !(row->place & place))
			continue;
		const char *path = path_below(wishes->arena, directory, row->path);
		int problem = strchr(row->path, '/') ? look(wishes, path) : 0;
		bool behind = problem == ELOOP;
		if (behind)
			path = path_below(
				wishes->arena,
				resolve_real(wishes->resolver, path_parent(wishes->arena, path)),
				path_name(path));
		// A wall is around it already.
		if (strchr(row->path, '/') && !wishes_is_reached(wishes, path)) {
			if (!behind) // the box can put a directory in the link's place
				list_add(known, wishes->arena, row->path, from);
			continue;
		}
		TRY(problem == ENOENT && !opened_has(wishes, path)
			    ? protect_guard(wishes, path, GUARD_ABSENT)
			    : protect_part(wishes, row, path, top, from));
		if (!strchr(row->path, '/'))
			continue;
		if (plan->guard_count == count) { // it exists
			if (!behind)
				list_add(known, wishes->arena, row->path, from);
			if (str_ends(row->path, "/alternates"))
				beyond_alternates(wishes, path);
		} else if (row->kind == LAYOUT_POINTER && !behind) // GUARD_PARTS finds it
			plan->guard_count--;
	}
	return 0;
}
