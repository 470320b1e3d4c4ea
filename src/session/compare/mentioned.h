// Files of a session's directories that the host's own settings name in commands which start by
// themselves, as postcheck/commands.h has them for a run.
#pragma once

#include <stdbool.h>

#include "base/list.h"

struct changes;
struct session;
struct store;

struct mentioned {
	struct list files, programs; // whole paths; of the second all that is in them
};

// Reads the settings of the host, before anything is applied: those of each root, and of the
// repositories around a change.
void mentioned_find(struct store *store, const struct session *session,
		    const struct changes *changes, struct mentioned *ret_mentioned);

// The settings of one more repository, at `path` in a root.
void mentioned_add(struct store *store, const char *root, const char *path,
		   struct mentioned *mentioned);

// Whether `path` in a root is one, lies in one, or holds one.
bool mentioned_has(const struct store *store, const struct mentioned *mentioned, const char *root,
		   const char *path);
