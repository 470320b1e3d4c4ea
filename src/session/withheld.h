// What of a session's changes the host would run or trust: applied only when it is named.
#pragma once

#include <stdbool.h>

#include "base/gitnamed.h"

struct session;
struct store;

struct withheld {
	struct arena *arena;
	const char *profiles;  // that runs were given
	struct gitnamed named; // by git's configuration
	struct list homes;     // what the home's programs run or trust, and what links lead to
};

// Reads sbx's own list and git's configuration of the host; -1 with the error said.
int withheld_begin(const struct store *store, const struct session *session,
		   struct withheld *ret_withheld);

// A root's place from ".git" on, NULL for one that is not git's own.
const char *withheld_repository(const char *root);

// Whether `path` in a root is.
bool withheld_has(const struct withheld *withheld, const char *root, const char *path);
