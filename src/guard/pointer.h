// Where a file .git leads, and which places are right for it.
#pragma once

struct check;
struct plan;

// A .git file may lead only to a worktree or a submodule that is looked through itself; another one
// is taken away.
void pointer_vet(struct check *check, int directory, const char *name, const char *path);
// How many directories a submodule's file lies below its tree, 0 for any other.
unsigned pointer_depth(const struct plan *plan, const char *path);
