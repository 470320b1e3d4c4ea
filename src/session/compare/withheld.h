// What of a session's changes the host would run or trust: applied only when it is named.
#pragma once

#include <stdbool.h>

#include "session/compare/pathset.h"
#include "session/store/store.h"

struct withheld {
	struct arena *arena;
	struct withheld_root {
		const char *repository; // its place from ".git" on, NULL for one that is not git's
		bool whole;             // all of it is
		struct pathset paths;   // relative to it
		const char *place;      // NULL: not compared
	} roots[ROOTS_MAX];
	const char *looked; // the directory that was looked through last for links
};

// Reads the list of the profiles that runs were given, what git's configuration names, and what
// the home's programs run or trust; -1 with the error said.
int withheld_begin(const struct store *store, const struct session *session,
		   struct withheld *ret_withheld);

// A root's place from ".git" on, NULL for one that is not git's own.
const char *withheld_repository(const char *root);

// Whether `path` in a root of the session's is. Paths are asked for in the order of the tree.
bool withheld_has(struct withheld *withheld, unsigned root, const char *path);
