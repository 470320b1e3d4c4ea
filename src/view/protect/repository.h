// Git's own directories: where they are, and what in them the host runs or trusts.
#pragma once

#include "plan.h"

struct wishes;

// `root` holds the .git, or will. Follows .git files (worktrees, submodules) only where the
// directory they name points back at `root`.
int repository_protect(struct wishes *wishes, const char *root, struct origin from);

// The repository of a worktree or submodule alone, which lies elsewhere, and the places of other
// worktrees: for a session, where nothing is protected.
int repository_follow(struct wishes *wishes, const char *root, struct origin from);

// The parts of a git directory itself, which the wishes show already.
int repository_protect_bare(struct wishes *wishes, const char *directory, struct origin from);
