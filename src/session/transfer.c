// Owns the copying between the host and a session's layers. What a session shows at a path is its
// layers' and, where nothing hides it, the host's.
#include "session/transfer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/owned.h"
#include "base/path.h"
#include "base/place.h"
#include "base/str.h"
#include "base/sys.h"
#include "session/copy.h"
#include "session/merged.h"

enum { DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, DEPTH_MOST = 256 };

// A directory as the session shows it.
struct shown {
	struct merged layers;
	int host; // -1: none, or hidden
};

static void close_shown(struct shown *shown)
{
	merged_close(&shown->layers);
	fd_close(&shown->host);
}

static int fail_at(const char *what, const char *name)
{
	return fail(errno, "%s '%s'", what, str_shown(name));
}

// What stands at a name: 1 and where it is (a directory's descriptor), 0 nothing, -1.
static int look(const struct shown *shown, const char *name, struct stat *ret_status,
		int *ret_where)
{
	for (unsigned i = 0; i < shown->layers.count; i++) {
		if (fstatat(shown->layers.fds[i], name, ret_status, AT_SYMLINK_NOFOLLOW) < 0) {
			if (errno != ENOENT)
				return fail_at("look at", name);
			continue;
		}
		*ret_where = shown->layers.fds[i];
		return is_whiteout(ret_status) ? 0 : 1;
	}
	if (shown->host < 0 || shown->layers.opaque ||
	    fstatat(shown->host, name, ret_status, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	*ret_where = shown->host;
	return 1;
}

static int enter(const struct shown *shown, const char *name, struct shown *ret_below)
{
	struct shown below = { .host = -1 };
	TRY(merged_below(&shown->layers, name, &below.layers));
	if (shown->host >= 0 && !below.layers.opaque)
		below.host = openat(shown->host, name, DIRECTORY_FLAGS);
	*ret_below = below;
	return 0;
}

static int open_root(const struct store *store, const struct session *session, unsigned root,
		     struct shown *ret_shown)
{
	struct shown shown = { .host = -1 };
	TRY(merged_open(store, session, session->top, CHAIN_MOST, root, &shown.layers));
	if (!session->roots[root].own)
		shown.host = sys_openat2(AT_FDCWD, session->roots[root].path,
					 O_RDONLY | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	*ret_shown = shown;
	return 0;
}

// The deepest of the session's directories that holds the path; *ret_rest is relative to it.
static int find_root(struct store *store, const struct held *held, const char *path,
		     unsigned *ret_root, char **ret_rest)
{
	const struct session *session = &held->session;
	const char *whole = path_join(store->arena, session->project, path);
	size_t longest = 0;
	for (unsigned i = 0; i < session->root_count; i++) {
		const char *root = session->roots[i].path;
		if (!path_within(whole, root) || strlen(root) < longest)
			continue;
		longest = strlen(root);
		*ret_root = i;
	}
	if (longest == 0)
		return fail(0,
			    "'%s' lies in no directory that session '%s' keeps (sbx session show "
			    "%s; after its first command)",
			    path, held->name, held->name);
	whole += longest + (whole[longest] == '/');
	*ret_rest = arena_copy(store->arena, whole, strlen(whole));
	return 0;
}

static int copy_shown(struct arena *arena, const struct shown *from, const char *name, int to,
		      const char *target, int depth);

static int copy_inside(struct arena *arena, const struct shown *below, int to, int depth)
{
	struct entry *entries;
	char **names;
	int count = merged_list(arena, &below->layers, &entries), all = 0;
	TRY(count);
	for (int i = 0; i < count; i++)
		if (!is_whiteout(&entries[i].status))
			TRY(copy_shown(arena, below, entries[i].name, to, entries[i].name, depth));
	if (below->host >= 0)
		TRY(all = names_in(arena, below->host, &names));
	for (int i = 0, at = 0; i < all; i++) {
		while (at < count && strcmp(entries[at].name, names[i]) < 0)
			at++;
		if (at == count || !str_equal(entries[at].name, names[i]))
			TRY(copy_shown(arena, below, names[i], to, names[i], depth));
	}
	return 0;
}

static int copy_shown(struct arena *arena, const struct shown *from, const char *name, int to,
		      const char *target, int depth)
{
	struct stat status;
	struct shown below;
	int where, found = look(from, name, &status, &where);
	TRY(found);
	if (!found)
		return fail(0, "'%s' is not there", str_shown(name));
	if (depth > DEPTH_MOST)
		return fail(ELOOP, "more than %d directories deep", DEPTH_MOST);
	int kind = copy_one(where, name, &status, to, target);
	if (kind != 0 || !S_ISDIR(status.st_mode))
		return kind < 0 ? -1 : 0; // sockets and devices stay behind
	autoclose int made = openat(to, target, DIRECTORY_FLAGS);
	if (made < 0)
		return fail_at("open", target);
	TRY(enter(from, name, &below));
	int result = copy_inside(arena, &below, made, depth + 1);
	close_shown(&below);
	return result < 0 ? -1 : copy_finish(to, target, &status);
}

// Goes down to the directory that holds `rest`, in what the session shows and, where `top` is not
// negative, in the layer that is written, where missing directories are made as they are below.
static int descend(struct shown *shown, int *top, char *rest, const char **ret_name)
{
	struct stat status;
	struct shown below;
	int where;
	for (char *slash = strchr(rest, '/'); slash; slash = strchr(rest, '/')) {
		*slash = '\0';
		int found = look(shown, rest, &status, &where);
		TRY(found);
		if (!found || !S_ISDIR(status.st_mode))
			return fail(0, "'%s' is no directory in the session", str_shown(rest));
		TRY(enter(shown, rest, &below));
		if (*top >= 0) {
			if (mkdirat(*top, rest, 0700) == 0)
				TRY(copy_finish(*top, rest, &status));
			int next = openat(*top, rest, DIRECTORY_FLAGS);
			fd_close(top);
			*top = next;
			if (next < 0) {
				close_shown(&below);
				return fail_at("open", rest);
			}
		}
		close_shown(shown);
		*shown = below;
		rest = slash + 1;
	}
	*ret_name = rest;
	return 0;
}

static int copy_host(struct arena *arena, int from, const char *name, int to, const char *target,
		     int depth)
{
	struct stat status;
	char **names;
	if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return fail_at("look at", name);
	if (depth > DEPTH_MOST)
		return fail(ELOOP, "more than %d directories deep", DEPTH_MOST);
	int kind = copy_one(from, name, &status, to, target);
	if (kind != 0 || !S_ISDIR(status.st_mode))
		return kind < 0 ? -1 : 0;
	autoclose int in = openat(from, name, DIRECTORY_FLAGS);
	autoclose int out = openat(to, target, DIRECTORY_FLAGS);
	if (in < 0 || out < 0)
		return fail_at("open", name);
	int count = names_in(arena, in, &names);
	TRY(count);
	for (int i = 0; i < count; i++)
		TRY(copy_host(arena, in, names[i], out, names[i], depth + 1));
	return copy_finish(to, target, &status);
}

// Made beside, then renamed: a name of the layer shows the whole thing or what was there.
static int place(struct arena *arena, int from, const char *source, int top, const char *name)
{
	static const char fresh[] = ".sbx-cp";
	TRY(owned_remove_tree(top, fresh));
	int result = copy_host(arena, from, source, top, fresh, 0);
	autoclose int made = result < 0 ? -1 : openat(top, fresh, DIRECTORY_FLAGS);
	if (made >= 0 && fsetxattr(made, OPAQUE_XATTR, "y", 1, 0) < 0)
		result = fail_at("mark", name);
	// What is there may be a directory with something in it, or a whiteout.
	if (result == 0 && renameat(top, fresh, top, name) < 0) {
		result = owned_remove_tree(top, name);
		if (result == 0 && renameat(top, fresh, top, name) < 0)
			result = fail_at("put", name);
	}
	if (result < 0)
		owned_remove_tree(top, fresh);
	return result;
}

static int put_in(struct arena *arena, struct shown *shown, int *top, char *rest,
		  const char *source)
{
	struct stat status;
	const char *name = rest, *given = path_name(source);
	int where;
	autoclose int from =
		sys_openat2(AT_FDCWD, path_parent(arena, source), DIRECTORY_FLAGS & ~O_NOFOLLOW, 0);
	if (from < 0)
		return fail_at("open the directory of", source);
	if (rest[0]) {
		TRY(descend(shown, top, rest, &name));
		int found = look(shown, name, &status, &where);
		TRY(found);
		if (!found || !S_ISDIR(status.st_mode))
			return place(arena, from, given, *top, name);
	}
	// Into a directory, by its own name.
	char *inner = arena_text(arena, "%s/%s", name, given);
	if (name[0])
		TRY(descend(shown, top, inner, &name));
	return place(arena, from, given, *top, given);
}

int transfer_in(struct store *store, struct held *held, const char *source, const char *path)
{
	struct shown shown;
	char place_name[PLACE_MOST], *rest, current[PATH_MAX];
	unsigned root;
	const char *whole = getcwd(current, sizeof(current))
				    ? path_join(store->arena, current, source)
				    : path_clean(store->arena, source);
	TRY(find_root(store, held, path, &root, &rest));
	place_of_root(place_name, held->session.layers[held->session.top].id,
		      held->session.roots[root].own, root);
	autoclose int top = openat(store->layers, place_name, DIRECTORY_FLAGS);
	if (top < 0)
		return fail(errno, "layer '%s/%s'", store->layers_path, place_name);
	TRY(open_root(store, &held->session, root, &shown));
	int result = put_in(store->arena, &shown, &top, rest, whole);
	close_shown(&shown);
	return result;
}

static int take_out(struct arena *arena, struct shown *shown, char *rest, const char *path,
		    const char *target)
{
	struct stat status;
	const char *name;
	int none = -1;
	TRY(descend(shown, &none, rest, &name));
	bool inside = stat(target, &status) == 0 && S_ISDIR(status.st_mode);
	const char *directory = inside ? target : path_parent(arena, target),
		   *last = path_name(inside ? path : target);
	const char *fresh = arena_text(arena, ".sbx-cp-%d", (int)getpid());
	autoclose int to = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (to < 0)
		return fail_at("open", directory);
	int result = copy_shown(arena, shown, name, to, fresh, 0);
	if (result == 0 && fd_rename_new(to, fresh, to, last) < 0)
		result = fail_at("make", last);
	if (result < 0)
		owned_remove_tree(to, fresh);
	return result;
}

int transfer_out(struct store *store, const struct held *held, const char *path, const char *target)
{
	struct shown shown;
	char *rest, current[PATH_MAX];
	unsigned root;
	const char *whole = getcwd(current, sizeof(current))
				    ? path_join(store->arena, current, target)
				    : path_clean(store->arena, target);
	TRY(find_root(store, held, path, &root, &rest));
	if (!rest[0])
		return fail(0,
			    "'%s' is the whole of a directory that the session keeps; name "
			    "something in it",
			    path);
	TRY(open_root(store, &held->session, root, &shown));
	int result = take_out(store->arena, &shown, rest,
			      path_clean(store->arena, path_join(store->arena, "/", path)), whole);
	close_shown(&shown);
	return result;
}
