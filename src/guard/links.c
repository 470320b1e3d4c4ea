// Owns the question where a new symlink leads.
#include "guard/links.h"

#include <limits.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/out.h"
#include "base/path.h"
#include "base/str.h"
#include "guard/vet.h"
#include "jail/judge.h"

enum { TOLD_MOST = 8 };

// Something of the caller's home, which the box had not, or another one in its place; a cache of
// the box's own is none of the host's secrets. Of /proc each process sees another one.
static bool is_out_of_sight(const struct plan *plan, const char *place)
{
	const char *homes[] = { plan->home, plan->real_home };
	bool of_home = false;
	if (path_within(place, "/proc"))
		return true;
	for (size_t i = 0; i < sizeof(homes) / sizeof(*homes); i++)
		of_home = of_home || path_within(place, homes[i]) || path_within(homes[i], place);
	const struct mount *by = judge_path(plan, place).by;
	return of_home && (!by || by->kind == MOUNT_DIRECTORY || by->kind == MOUNT_TMPFS ||
			   by->kind == MOUNT_MASK);
}

void links_look(struct links *links, struct check *check, int directory, const char *name,
		const char *path)
{
	char text[PATH_MAX], place[PATH_MAX];
	if (!vet_is_changed(check, directory, name))
		return;
	ssize_t length = readlinkat(directory, name, text, sizeof(text) - 1);
	if (length <= 0)
		return;
	text[length] = '\0';
	if (path_of_link(path, text, place, sizeof(place)) && !is_out_of_sight(check->plan, place))
		return;
	if (links->count++ < TOLD_MOST)
		out_text(check->told,
			 "sbx: %s is a new symlink to '%s', out of the box's sight: look before "
			 "you use it\n",
			 vet_short_path(check->plan, path),
			 str_printable(text) ? text : "(a path with control bytes)");
}

void links_end(const struct links *links, struct check *check)
{
	if (links->count > TOLD_MOST)
		out_text(check->told, "sbx: and %u more such symlink%s\n", links->count - TOLD_MOST,
			 links->count == TOLD_MOST + 1 ? "" : "s");
}
