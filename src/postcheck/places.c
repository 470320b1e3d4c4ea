// Owns the descriptors of the directories, and the question whether a name came or went in one.
#include "postcheck/check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/fd.h"
#include "base/base.h"
#include "base/sys.h"
#include "plan.h"
#include "postcheck/finding/finding.h"

// A mount of the box's own: the directory is the one that the plan saw.
static bool is_held(const struct plan *plan, const char *path, size_t length)
{
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const char *target = plan->mounts[i].target;
		if (strncmp(target, path, length - 1) == 0 && target[length - 1] == '\0')
			return plan->mounts[i].kind == MOUNT_BIND;
	}
	return false;
}

// Whether a name may have come or gone. With a margin larger than what clock_start() lets pass: a
// clock that was set back a little must not make what is new look old.
static bool has_new_names(const struct check *check, int directory)
{
	enum { MARGIN_SECONDS = 1 };
	struct check earlier = *check;
	earlier.start.tv_sec -= earlier.start.tv_sec > 0 ? MARGIN_SECONDS : 0;
	return finding_is_changed(&earlier, directory, "");
}

static void open_place(const struct check *check, struct place *place, const char *path,
		       size_t length)
{
	char text[PATH_MAX] __attribute__((uninitialized));
	snprintf(text, sizeof(text), "%.*s", (int)length, path);
	*place = (struct place){ .path = path, .length = length, .fd = -1 };
	place->problem = ENAMETOOLONG;
	if (length < sizeof(text)) {
		place->fd = sys_openat2(AT_FDCWD, text, O_PATH | O_DIRECTORY | O_CLOEXEC,
					RESOLVE_NO_SYMLINKS);
		place->problem = errno;
	}
	place->changed = place->fd < 0 || !is_held(check->plan, path, length) ||
			 has_new_names(check, place->fd);
}

struct place *places_find(const struct check *check, struct check_places *places, const char *path,
			  size_t length)
{
	struct place *place = NULL;
	for (unsigned i = 0; i < places->count && !place; i++)
		if (places->list[i].length == length &&
		    memcmp(places->list[i].path, path, length) == 0)
			place = &places->list[i];
	if (!place) {
		bool full = places->count == PLACES_MAX;
		place = &places->list[full ? places->next : places->count++];
		places->next = full ? (places->next + 1) % PLACES_MAX : 0;
		if (full)
			fd_close(&place->fd);
		open_place(check, place, path, length);
	}
	errno = place->problem;
	return place;
}

struct place *places_parent(const struct check *check, struct check_places *places,
			    const char *path)
{
	return places_find(check, places, path, (size_t)(path_name(path) - path));
}

void places_close(struct check_places *places)
{
	for (unsigned i = 0; i < places->count; i++)
		fd_close(&places->list[i].fd);
	places->count = places->next = 0;
}
