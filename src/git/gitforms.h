// The form that each value of a key must have. Pure.
#pragma once

#include <stdbool.h>

struct arena;
struct gitconfig;
struct gitkey;

// What the forms depend on.
struct gitform_look {
	struct arena *arena;
	const struct gitconfig *before, *after;
	unsigned depth;              // see gitconfig_merge()
	bool made, private;          // a repository that was made in the run; config.worktree
	const char *const *branches; // that were there, with and without settings
	unsigned branch_count;
};

// All values that `after` has; one of before passes.
bool gitform_has(const struct gitform_look *look, const struct gitkey *key, const char *name);

// One that was not there.
bool gitform_is_new_branch(const struct gitform_look *look, const char *branch);
