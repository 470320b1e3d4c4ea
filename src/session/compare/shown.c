// Owns the look at what a session shows at a path: its layers' and, where nothing hides it, the
// host's.
#include "session/compare/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "base/sys.h"
#include "session/store/store.h"

enum { DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

int shown_failed(const char *what, const char *name)
{
	return fail(errno, "%s '%s'", what, str_shown(name));
}

void shown_close(struct shown *shown)
{
	merged_close(&shown->layers);
	fd_close(&shown->host);
}

int shown_look(const struct shown *shown, const char *name, struct stat *ret_status, int *ret_where)
{
	for (unsigned i = 0; i < shown->layers.count; i++) {
		if (fstatat(shown->layers.fds[i], name, ret_status, AT_SYMLINK_NOFOLLOW) < 0) {
			if (errno != ENOENT)
				return shown_failed("read", name);
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

int shown_enter(const struct shown *shown, const char *name, struct shown *ret_below)
{
	struct shown below = { .host = -1 };
	TRY(merged_below(&shown->layers, name, &below.layers));
	if (shown->host >= 0 && !below.layers.opaque)
		below.host = openat(shown->host, name, DIRECTORY_FLAGS);
	*ret_below = below;
	return 0;
}

int shown_open(const struct store *store, const struct session *session, unsigned root,
	       struct shown *ret_shown)
{
	struct shown shown = { .host = -1 };
	TRY(merged_open(store, session, session->top, CHAIN_MAX, root, &shown.layers));
	if (!session->roots[root].own)
		shown.host = sys_openat2(AT_FDCWD, session->roots[root].path,
					 O_RDONLY | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	*ret_shown = shown;
	return 0;
}

int shown_find(struct store *store, const struct held *held, const char *path, unsigned *ret_root,
	       char **ret_rest)
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
			    "'%s' is not in a directory of session '%s'; to list these after its "
			    "first command: sbx session show %s",
			    path, held->name, held->name);
	whole += longest + (whole[longest] == '/');
	*ret_rest = arena_copy(store->arena, whole, strlen(whole));
	return 0;
}

int shown_descend(struct shown *shown, int *top, char *rest, const char **ret_name)
{
	struct stat status;
	struct shown below;
	int where;
	for (char *slash = strchr(rest, '/'); slash; slash = strchr(rest, '/')) {
		*slash = '\0';
		int found = shown_look(shown, rest, &status, &where);
		TRY(found);
		if (!found || !S_ISDIR(status.st_mode))
			return fail(0, "'%s' is not a directory in the session", str_shown(rest));
		TRY(shown_enter(shown, rest, &below));
		if (*top >= 0) {
			bool made = mkdirat(*top, rest, 0700) == 0;
			if (made)
				TRY(copy_finish(*top, rest, &status));
			int next = openat(*top, rest, DIRECTORY_FLAGS);
			// As overlayfs marks a copy of the host's.
			if (made && next >= 0 && where == shown->host)
				fsetxattr(next, ORIGIN_XATTR, "", 0, 0);
			fd_close(top);
			*top = next;
			if (next < 0) {
				shown_close(&below);
				return shown_failed("open", rest);
			}
		}
		shown_close(shown);
		*shown = below;
		rest = slash + 1;
	}
	*ret_name = rest;
	return 0;
}
