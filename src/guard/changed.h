// Names that a run changed and that the host runs or trusts, where that is told and nothing is
// done.
#pragma once

#include <stdbool.h>

struct check;

struct deeper {
	unsigned count;
};

// One that is known to have changed.
void changed_add(const struct check *check, const char *path);
// Whether this run changed `name` or, of a directory, something right in it.
bool changed_has(const struct check *check, int directory, const char *name);
// Adds `name` in `directory`, at `path`, to check->changed when this run changed it or, of a
// directory, something right in it.
void changed_tell(const struct check *check, int directory, const char *name, const char *path);

// The same of a name that the walk has met below the top of what can be written, when it is one of
// base/trusted.h: a package or a worktree that somebody opens by itself. What lies in installed
// packages nobody does.
void changed_tell_deeper(struct deeper *deeper, const struct check *check, int directory,
			 const char *name, const char *path);
// How many more there were than were told.
void changed_end(const struct deeper *deeper, const struct check *check);
