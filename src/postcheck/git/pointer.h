// Where a file .git leads, and which places are right for it.
#pragma once

#include <limits.h>
#include <stdbool.h>

struct plan;

// Whether the .git file `name` leads to a worktree or a submodule that is looked through: either by
// its own guard, or, for a worktree of a repository in the same tree, by the caller. Then
// *ret_worktrees is the open directory that holds it, else -1.
bool pointer_is_right(const struct plan *plan, int directory, const char *name, const char *path,
		      char ret_place[PATH_MAX], int *ret_worktrees);
// How many directories a submodule's file lies below its tree, 0 for any other.
unsigned pointer_depth(const struct plan *plan, const char *path);
// Whether a file is a list of alternates that all are directories of objects of repositories in the
// searched trees.
bool pointer_is_alternates(const struct plan *plan, int directory, const char *name,
			   const char *path);
