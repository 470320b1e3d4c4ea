// Owns the reports of symlinks whose targets the box does not see.
#include "postcheck/postcheck.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "plan.h"
#include "postcheck/acts/check.h"
#include "report/findings.h"
#include "view/paths/wishes.h"

// Whether `place` is in /proc, or in or above the home and hidden from the box.
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

enum { LOOKED_MAX = 32, TEXTS_BYTES = 1 << 20 };

static bool is_old_link(const struct plan *plan, int directory, const char *name)
{
	struct stat status;
	return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISLNK(status.st_mode) && times_from(&status.st_ctim) < times_from(&plan->start);
}

// Whether `path` is hidden, or below a dot name in the home, as most secrets.
static bool is_private(const struct plan *plan, const char *path)
{
	return (path_within(path, plan->real_home) &&
		strstr(path + strlen(plan->real_home), "/.")) ||
	       judge_path(plan, path).verdict == PATH_HIDDEN || judge_final(plan, path, false);
}

// Returns the link's target outside the box, if possible as written, or NULL.
static const char *leads_out(const struct plan *plan, struct arena *arena, const char *path)
{
	char text[PATH_MAX], real[PATH_MAX], named[PATH_MAX];
	ssize_t size = readlink(path, text, sizeof(text));
	if (size <= 0 || !realpath(path, real) || judge_shows(plan, real) ||
	    project_refusal(plan, real) || is_private(plan, real))
		return NULL;
	const char *leads =
		path_join(arena, path_parent(arena, path), arena_copy(arena, text, (size_t)size));
	return realpath(leads, named) && str_equal(named, real)
		       ? leads
		       : arena_copy(arena, real, strlen(real));
}

static void find_links(const struct plan *plan, const char *place, struct findings *found)
{
	autoclose int fd = open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	unsigned looked = 0;
	entries_each (entry, fd) {
		if ((entry->type != DT_LNK && entry->type != DT_UNKNOWN) || looked == LOOKED_MAX ||
		    !is_old_link(plan, fd, entry->name))
			continue;
		struct arena *arena = arena_new_of(TEXTS_BYTES);
		const char *path = path_below(arena, place, entry->name);
		const char *leads = leads_out(plan, arena, path);
		// No suggestion for '$': path options expand it.
		const char *word = leads && !strchr(leads, '$') ? quote_fix(arena, leads) : NULL;
		looked++;
		if (leads)
			findings_add(found, FINDING_LINK, path + strlen(plan->project) + 1, leads,
				     word ? word : "");
		arena_free(arena);
	}
}

void links_out(const struct plan *plan, struct findings *found)
{
	if (!plan->project)
		return;
	find_links(plan, plan->project, found);
	if (plan->current && path_within(plan->current, plan->project) &&
	    !str_equal(plan->current, plan->project))
		find_links(plan, plan->current, found);
}
