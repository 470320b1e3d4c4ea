// Repositories that a session has made: git of the host would run what their settings name.
#pragma once

#include <stdbool.h>

struct change;
struct merged;
struct stat;

// Whether git would take the directory `name` for a repository once all is applied, and does not
// now. `host` is the host's directory, -1 for none.
bool repository_is_new(const struct merged *merged, const char *name, int host);
// Whether git would take a directory, of which the session has changed something, for a repository
// wherever it is copied to.
bool repository_is_shown(const struct merged *merged, int host);
// Of such a root: guards a change of what git reads there.
void repository_guard(struct change *change);
// Whether git has no repositories of submodules and worktrees at `path`, in a .git of it or not:
// those are known by their parts.
bool repository_is_elsewhere(const char *path);
// Whether a .git without what lies at `path` is no repository: git then looks elsewhere.
bool repository_loses(const char *path);
// Whether one is none with what the session has at `name` of `directory`, which is `path`: of such
// a mode nobody enters it, HEAD says nothing that git knows, or it is neither a file nor a
// directory in a .git.
bool repository_breaks(int directory, const char *name, const char *path, const struct stat *is);
