// Owns the protection of a git directory's parts, by the table of git/layout.c.
#include "view/protect/protect.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "view/paths/wishes.h"

// Protects an existing part: the check after the run finds parts that appear later. copies_add()
// handles configurations, even absent ones.
static int protect_at_top(struct wishes *wishes, const struct place *place,
			  const struct layout_row *row, const char *top, struct origin from)
{
	const char *name = place_stands(place, row->path);
	if (row->kind == LAYOUT_CONFIG)
		return copies_add(wishes,
				  path_below(wishes->arena, place->path, name ? name : row->path),
				  top, from);
	const char *path = name ? path_below(wishes->arena, place->path, name) : NULL;
	return path && (row->kind == LAYOUT_RUN || row->kind == LAYOUT_POINTER) &&
			       !opened_has(wishes, path)
		       ? protect_name(wishes, path, ACT_QUARANTINE, from)
		       : 0;
}

// Returns 0, or why no mount can cover a deeper part. ELOOP: a directory on the way is a link.
static int look(const char *path)
{
	autoclose int fd =
		sys_openat2(AT_FDCWD, path, O_PATH | O_NOFOLLOW | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	return fd < 0 ? errno : 0;
}

static int protect_deeper(struct wishes *wishes, const struct place *place,
			  const struct layout_row *row, struct origin from)
{
	const char *path = path_below(wishes->arena, place->path, row->path);
	int problem = place_stands(place, row->path) ? look(path) : ENOENT;
	// Guards the path after the run: a box may replace the user's link by a directory.
	if (problem == ELOOP && wishes_is_reached(wishes, path))
		TRY(protect_guard(wishes, path, ACT_QUARANTINE));
	if (problem == ELOOP)
		path = path_below(wishes->arena,
				  resolve_real(wishes->resolver, path_parent(wishes->arena, path)),
				  path_name(path));
	if (!wishes_is_reached(wishes, path) || opened_has(wishes, path))
		return 0;
	if (problem == ENOENT)
		return protect_guard(wishes, path, ACT_QUARANTINE);
	TRY(protect_name(wishes, path, ACT_QUARANTINE, from));
	if (str_ends(row->path, "/alternates"))
		beyond_alternates(wishes, path);
	return 0;
}

int git_parts_protect(struct wishes *wishes, const char *directory, const char *top,
		      struct origin from, enum layout_place where, struct place *ret_place)
{
	const struct place *listed = place_add(
		wishes->plan, where == LAYOUT_SHARED ? PLACE_GIT : PLACE_WORKTREE, directory, "");
	if (!listed)
		return -1;
	*ret_place = *listed;
	list_add(&wishes->tops, wishes->plan->scratch, directory, from);
	layout_each(row) if (row->kind > LAYOUT_LOCK && (row->place & where))
		TRY(strchr(row->path, '/') ? protect_deeper(wishes, ret_place, row, from)
					   : protect_at_top(wishes, ret_place, row, top, from));
	return 0;
}
