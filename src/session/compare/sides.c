// Owns the way to the two sides of a change: its layer and the host's directory.
#include "session/compare/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "session/store/store.h"

int sides_parent(const struct store *store, const struct session *session,
		 const struct change *change, const char **ret_name)
{
	char place[PATH_MAX], root[PLACE_MAX];
	const char *name = path_name(change->path);
	place_of_root(root, session->layers[change->layer].id, session->roots[change->root].own,
		      change->root);
	int length = snprintf(place, sizeof(place), "%s/%.*s", root, (int)(name - change->path),
			      change->path);
	if (length >= (int)sizeof(place))
		return fail(ENAMETOOLONG, "a path of a layer");
	*ret_name = name;
	int fd = sys_openat2(store->layers, place, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
			     RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	return fd < 0 ? fail(errno, "'%s' in a layer", str_shown(place)) : fd;
}

int sides_open(const struct store *store, const struct session *session,
	       const struct change *change)
{
	const char *name;
	autoclose int parent = sides_parent(store, session, change, &name);
	TRY(parent);
	int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? fail(errno, "'%s' in a layer", str_shown(name)) : fd;
}

int sides_host_root(const struct session *session, unsigned root)
{
	const char *path = session->roots[root].path;
	int fd = sys_openat2(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
			     RESOLVE_NO_SYMLINKS);
	return fd < 0 ? fail(errno, "'%s'", str_shown(path)) : fd;
}

int sides_host_below(int root, const char *path, const char **ret_name)
{
	char place[PATH_MAX];
	const char *name = path_name(path);
	int length = snprintf(place, sizeof(place), "./%.*s", (int)(name - path), path);
	if (length >= (int)sizeof(place))
		return fail(ENAMETOOLONG, "a path of the project");
	*ret_name = name;
	int fd = sys_openat2(root, place, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
			     RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	return fd < 0 ? fail(errno, "the directory of '%s' on the host", str_shown(path)) : fd;
}

int sides_host_parent(const struct session *session, unsigned root, const char *path,
		      const char **ret_name)
{
	autoclose int top = sides_host_root(session, root);
	return top < 0 ? -1 : sides_host_below(top, path, ret_name);
}
