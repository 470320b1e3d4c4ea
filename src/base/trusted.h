// Names in a project that the user's own programs run or trust, where a box must not plant them.
#pragma once

#include <stdbool.h>

// NULL-terminated. Those of the first are kept from the box, those of the second are told.
extern const char *const trusted_names[];
extern const char *const reported_names[];
// Of a home that is the project, as well.
extern const char *const home_names[];

// Of a path relative to the project, or to any directory in it: whether it is such a name, or lies
// in one; of what git has in its directory, what it runs or is configured by.
bool trusted_is_protected(const char *path);
// Whether one of the first is, or lies in, something called `name`, in whatever case.
bool trusted_begins(const char *trusted, const char *name);
// Whether there is a file system for which the component that begins at `path` is ".git": one that
// folds case, one that skips characters, or one of Windows.
bool trusted_is_git(const char *path);
bool trusted_is_reported(const char *path);
