// Owns the opening of a change's two sides: its layer and the host's directory.
#include "session/compare/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "session/store/store.h"

static int open_parent(int from, const char *top, const char *path, const char **ret_name)
{
	char place[PATH_MAX];
	*ret_name = path_name(path);
	if (!str_put(place, sizeof(place), "%s/%.*s", top, (int)(*ret_name - path), path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return sys_openat2(from, place, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
			   RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
}

int sides_parent(const struct held *held, const struct change *change, const char **ret_name)
{
	const struct session *session = &held->session;
	char root[PLACE_MAX];
	place_of_root(root, session->layers[change->layer].id, session->roots[change->root].own,
		      change->root);
	int fd = open_parent(held->store->layers, root, change->path, ret_name);
	return fd < 0 ? fail(errno, "the directory of '%s' in a layer", str_shown(change->path))
		      : fd;
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
	int fd = open_parent(root, ".", path, ret_name);
	return fd < 0 ? fail(errno, "the directory of '%s' on the host", str_shown(path)) : fd;
}

int sides_host_parent(const struct session *session, unsigned root, const char *path,
		      const char **ret_name)
{
	autoclose int top = sides_host_root(session, root);
	return top < 0 ? -1 : sides_host_below(top, path, ret_name);
}

static bool same_link(int left, int right, const char *name)
{
	char a[PATH_MAX], b[PATH_MAX];
	ssize_t length = readlinkat(left, name, a, sizeof(a)),
		other = readlinkat(right, name, b, sizeof(b));
	return length >= 0 && length == other && memcmp(a, b, (size_t)length) == 0;
}

bool sides_are_same(int layer, int host, const char *name, const struct stat *is,
		    const struct stat *was)
{
	if (S_ISREG(is->st_mode))
		return is->st_size == was->st_size && copy_is_same(layer, name, host, name);
	return S_ISLNK(is->st_mode) ? same_link(layer, host, name) : true;
}

static bool is_seen(const struct session *session, const char *place)
{
	bool seen = false;
	for (unsigned i = 0; i < session->root_count; i++)
		seen = seen ||
		       (!session->roots[i].own && path_within(place, session->roots[i].path));
	return seen;
}

bool sides_leads_out(const struct held *held, const struct change *change, char ret_text[PATH_MAX])
{
	FORGIVING;
	const struct session *session = &held->session;
	const char *name, *root = session->roots[change->root].path;
	static const char system[] = "usr bin sbin lib lib32 lib64 libx32 etc opt nix dev";
	char places[2][PATH_MAX];
	ret_text[0] = '\0';
	if (!S_ISLNK(change->is.st_mode))
		return false;
	autoclose int parent = sides_parent(held, change, &name);
	ssize_t length = parent < 0 ? -1 : readlinkat(parent, name, ret_text, PATH_MAX - 1);
	ret_text[length < 0 ? 0 : length] = '\0';
	if (length <= 0 || !path_of_link(path_below(held->store->arena, root, change->path),
					 ret_text, places[0], PATH_MAX))
		return true;
	bool out = false;
	for (int i = 0; i < 2; i++) {
		const char *top = places[i] + 1;
		if (i == 1 && !realpath(places[0], places[1]))
			break;
		out = out || (!is_seen(session, places[i]) &&
			      (path_within(places[i], held->store->home) ||
			       !str_has_word(system, top, strcspn(top, "/"))));
	}
	return out;
}
