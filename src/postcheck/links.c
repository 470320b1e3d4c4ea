// Owns the question where a new symlink leads.
#include "postcheck/links.h"

#include <limits.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/path.h"
#include "postcheck/finding/finding.h"
#include "report/findings.h"
#include "view/paths/judge.h"

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

void links_look(const struct check *check, int directory, const char *name, const char *path)
{
	char text[PATH_MAX], place[PATH_MAX];
	if (!finding_is_changed(check, directory, name))
		return;
	ssize_t length = readlinkat(directory, name, text, sizeof(text) - 1);
	if (length <= 0)
		return;
	text[length] = '\0';
	if (path_of_link(path, text, place, sizeof(place)) && !is_out_of_sight(check->plan, place))
		return;
	findings_add(check->found, FINDING_SYMLINK, finding_path(check->plan, path), text, "");
}
