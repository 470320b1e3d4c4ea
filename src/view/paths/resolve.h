// A path as the user wrote it -> a real path of the host, and the symlinks met on the way.
#pragma once

#include <stdbool.h>

#include "plan.h"

struct arena;

// Where '~', './' and bare names point, and the caller's variables.
struct places {
	const char *home, *project, *current;
	char *const *environment;
};

// 1: resolved, `ret_path` absolute and clean. 0: not to be had and not demanded ('?').
// Expands '?', '~', '$VAR', './'. Says file:line in its errors.
int resolve_expand(struct arena *arena, const struct places *places, const struct item *item,
		   const char **ret_path);

struct link {
	const char *path, *text;
};
enum { LINKS_MAX = 40 };
struct resolved {
	const char *path; // without symlinks; of what does not exist, as far as it does
	struct identity identity;
	struct link links[LINKS_MAX]; // the symlinks on the way, outermost first
	unsigned link_count;
};

// What is known of each directory entry that was looked at: one lstat() per name and plan.
struct resolver;
// Paths that it finds are in the first arena, what it knows in the second.
struct resolver *resolver_new(struct arena *arena, struct arena *scratch);

// Learns all names of directories of the home: asked for many names that are not there, one listing
// is cheaper than a look at each.
// Nearly all that a profile names or hides in the home is looked for in these, and is not there.
void resolver_list_home(struct resolver *resolver, struct arena *arena, const char *home);

// True when a listing says that nothing is there: no look, no memory. False when it may be.
bool resolver_lacks(const struct resolver *resolver, const char *path);

// The real path of something that need not exist: that of its nearest parent that does, and the
// names below it.
const char *resolve_real(struct resolver *resolver, const char *path);

// 1 resolved, 0 does not exist, -1 error: then the path is where the way ends, and the links those
// before it. Opens nothing. The answer may be stale at once: the
// mount compares the identity again.
int resolve_path(struct resolver *resolver, const char *path, struct resolved *ret_resolved);
