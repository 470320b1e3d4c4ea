// A look through what appeared under a name of git's: what the host would run is taken away, and
// the rest stays. Nothing is followed, nothing is parsed but in a locked process.
//
// The room postcheck/git owns the check of git's directories. Uses: base git nouns
// postcheck/finding report text trees view/paths. Begin with vet.c.
#pragma once

#include "plan.h"

struct check;

// `directory` is open and `name` lies in it, at `path`.
void vet_absent(struct check *check, int directory, const char *name, const char *path);
// A link in the place of a directory on the way to `path` is taken away, but not one that was
// there.
void vet_way(struct check *check, const char *path);
void vet_hooks(struct check *check, int directory, const char *name, const char *path);
// Remotes in files: those in a directory to which nothing came are only reported.
void vet_addresses(struct check *check, int directory, const char *name, const char *path);
void vet_config(struct check *check, int directory, const char *name, const char *path);
// A git directory that is open: all parts of it. `depth` is that of a submodule in others.
void vet_parts(struct check *check, int directory, const char *path, int depth);
// A new .git, as directory or file, in the project.
void vet_repository(struct check *check, int directory, const char *name, const char *path);
// One whose parts are as the tree's list has them: what the list does not have, as pipes and links
// at names of data, in its submodules and worktrees, too.
void vet_data(struct check *check, int directory, const char *name, const char *path);
// The entries of worktrees and modules that are not in guard->known.
void vet_entries(struct check *check, int directory, const char *name, const struct guard *guard);
