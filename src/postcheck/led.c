// Owns the way from a symlink to a directory of the same tree, whichever links are on it.
#include "postcheck/led.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "base/sys.h"
#include "trees/share.h"

enum { LINKS_MAX = 40, LED_MAX = 1024, INSIDE = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };

// A name below the tree for an absolute one; NULL: it lies elsewhere.
static const char *below(const char *tree, const char *path)
{
	size_t length = strlen(tree);
	if (!path_within(path, tree))
		return NULL;
	return path[length] ? path + length + 1 : ".";
}

// Puts the text of the link at the first `length` bytes in its place. False: it leads out.
static bool put_text(char *path, size_t length, const char *tree, const char *text)
{
	char link[PATH_MAX], place[PATH_MAX], rest[PATH_MAX];
	int above = (int)length;
	while (above > 0 && path[above - 1] != '/')
		above--;
	if (!str_put(link, sizeof(link), "%s/%.*s", tree, (int)length, path) ||
	    !str_put(rest, sizeof(rest), "%s", path + length))
		return false;
	if (path_of_link(link, text, place, sizeof(place))) {
		const char *inside = below(tree, place);
		return inside && str_put(path, PATH_MAX, "%s%s", inside, rest);
	}
	return text[0] != '/' && str_put(link, sizeof(link), "%.*s%s%s", above, path, text, rest) &&
	       str_put(path, PATH_MAX, "%s", link);
}

// One link less on the way.
static bool step(char *path, int root, const char *tree)
{
	char part[PATH_MAX], text[PATH_MAX];
	struct stat status;
	for (size_t length = strcspn(path, "/"); length > 0;) {
		str_put(part, sizeof(part), "%.*s", (int)length, path);
		autoclose int fd = sys_openat2(root, part, O_PATH | O_NOFOLLOW | O_CLOEXEC, INSIDE);
		if (fd < 0 || fstat(fd, &status) < 0)
			return false;
		if (S_ISLNK(status.st_mode)) {
			ssize_t size = readlinkat(fd, "", text, sizeof(text) - 1);
			if (size <= 0)
				return false;
			text[size] = '\0';
			return put_text(path, length, tree, text);
		}
		length = path[length] ? length + 1 + strcspn(path + length + 1, "/") : 0;
	}
	return false;
}

static void add(struct led *led, const struct share *share, const char *path)
{
	if (str_equal(path, ".") || share_is_centre(share, path) || led->count == LED_MAX)
		return;
	for (unsigned i = 0; i < led->count; i++)
		if (str_equal(led->paths[i], path))
			return;
	led->paths =
		arena_grow(led->arena, led->paths, led->count, &led->room, sizeof(*led->paths));
	led->paths[led->count++] = arena_copy(led->arena, path, strlen(path));
}

void led_follow(struct led *led, const struct share *share, int root, const char *tree,
		const char *path)
{
	char way[PATH_MAX], name[64], place[PATH_MAX];
	if (!str_put(way, sizeof(way), "%s", path))
		return;
	for (unsigned links = 0; links < LINKS_MAX; links++) {
		autoclose int fd = sys_openat2(root, way, O_PATH | O_DIRECTORY | O_CLOEXEC, INSIDE);
		if (fd < 0 && errno == EXDEV && step(way, root, tree))
			continue;
		if (fd < 0)
			return;
		str_put(name, sizeof(name), "/proc/self/fd/%d", fd);
		ssize_t size = readlink(name, place, sizeof(place) - 1);
		place[size > 0 ? size : 0] = '\0';
		const char *inside = below(tree, place);
		if (inside)
			add(led, share, inside);
		return;
	}
}
