// What a box of sbx around this process keeps already, found out by effect.
#pragma once

#include <stdbool.h>

#include "plan.h"

struct mounts;

// Whether this process stands in a box of sbx, in tier full.
bool outer_is_box(void);

// Whether such a box lets a further one make namespaces.
bool outer_gives_namespaces(void);

// Whether the command can neither write, exchange nor remove the wall, nor carry it away with a
// directory above: by mounts that a process without a namespace cannot take away.
// `mounts` is read when it is empty.
bool outer_keeps(const struct plan *plan, const struct mount *wall, struct mounts *mounts);

// Whether a link to a copy of git's configuration is mounted at `path`, as a box does it; a link of
// a project's own is none. `ret_copy` is the copy.
bool outer_copy(struct arena *arena, const char *path, struct identity *ret_link,
		const char **ret_copy);
