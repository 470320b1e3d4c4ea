// Owns the copying from the host to a session's layers.
#include "session/apply/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/owned.h"
#include "base/path.h"
#include "base/sys.h"
#include "session/compare/changes.h"
#include "session/store/store.h"
#include "session/store/merged.h"
#include "session/store/place.h"
#include "session/store/rights.h"

enum { DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, DEPTH_MAX = 256 };

static int copy_host(const struct store *store, int from, const char *name, int to,
		     const char *target, int depth)
{
	struct stat status;
	char **names;
	if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return shown_failed("read", name);
	if (depth > DEPTH_MAX)
		return fail(ELOOP, "more than %d directories deep", DEPTH_MAX);
	int kind = copy_one(from, name, &status, to, target);
	TRY(kind);
	bool directory = S_ISDIR(status.st_mode);
	if (!directory && !S_ISREG(status.st_mode))
		return 0;
	int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (directory ? O_DIRECTORY : 0);
	autoclose int in = openat(from, name, flags), out = openat(to, target, flags);
	if (in < 0 || out < 0)
		return shown_failed("open", name);
	if (!directory)
		return rights_copy(store, out, in);
	TRY(rights_drop_given(out));
	int count = names_in(store->arena, in, &names);
	TRY(count);
	for (int i = 0; i < count; i++)
		TRY(copy_host(store, in, names[i], out, names[i], depth + 1));
	status.st_mode = rights_without_acl(in, status.st_mode);
	TRY(copy_finish(to, target, &status));
	return rights_copy(store, out, in);
}

// Made beside, then renamed: a name of the layer shows the whole thing or what was there.
static int place(const struct store *store, int from, const char *source, int top, const char *name)
{
	static const char fresh[] = ".sbx-cp";
	TRY(owned_remove_tree(top, fresh));
	int result = copy_host(store, from, source, top, fresh, 0);
	autoclose int made = result < 0 ? -1 : openat(top, fresh, DIRECTORY_FLAGS);
	if (made >= 0 && fsetxattr(made, OPAQUE_XATTR, "y", 1, 0) < 0)
		result = shown_failed("mark", name);
	// What is there may be a directory with something in it, or a whiteout.
	if (result == 0 && renameat(top, fresh, top, name) < 0) {
		result = owned_remove_tree(top, name);
		if (result == 0 && renameat(top, fresh, top, name) < 0)
			result = shown_failed("put", name);
	}
	if (result < 0)
		owned_remove_tree(top, fresh);
	return result;
}

static int put_in(const struct store *store, struct shown *shown, int *top, char *rest,
		  const char *source)
{
	struct arena *arena = store->arena;
	struct stat status;
	const char *name = rest, *given = path_name(source);
	int where;
	autoclose int from =
		sys_openat2(AT_FDCWD, path_parent(arena, source), DIRECTORY_FLAGS & ~O_NOFOLLOW, 0);
	if (from < 0)
		return shown_failed("open the directory of", source);
	if (rest[0]) {
		TRY(shown_descend(shown, top, rest, &name));
		int found = shown_look(shown, name, &status, &where);
		TRY(found);
		if (!found || !S_ISDIR(status.st_mode))
			return place(store, from, given, *top, name);
	}
	// Into a directory, by its own name.
	char *inner = arena_text(arena, "%s/%s", name, given);
	if (name[0])
		TRY(shown_descend(shown, top, inner, &name));
	return place(store, from, given, *top, given);
}

int transfer_in(struct store *store, struct held *held, const char *source, const char *path)
{
	struct shown shown;
	char place_name[PLACE_MAX], *rest, current[PATH_MAX];
	unsigned root;
	const char *whole = getcwd(current, sizeof(current))
				    ? path_join(store->arena, current, source)
				    : path_clean(store->arena, source);
	TRY(shown_find(store, held, path, &root, &rest));
	place_of_root(place_name, held->session.layers[held->session.top].id,
		      held->session.roots[root].own, root);
	autoclose int top = openat(store->layers, place_name, DIRECTORY_FLAGS);
	if (top < 0)
		return fail(errno, "layer '%s/%s'", store->layers_path, place_name);
	TRY(shown_open(store, &held->session, root, &shown));
	int result = put_in(store, &shown, &top, rest, whole);
	shown_close(&shown);
	return result;
}
