// Which keys of git's configuration a box may change, and to which values. Pure.
#pragma once

#include <stdbool.h>

#include "git/gitconfig.h"

struct arena;

// What the decision depends on.
struct gitform_look {
	struct arena *arena;
	const struct gitconfig *before, *after, *now; // see gitconfig_merge()
	struct gitconfig_case how;
};

// Whether all values that `after` has of a key, or that it has none any more, may be taken over.
bool gitform_allows(const struct gitform_look *look, const char *name);

// One that was not there.
bool gitform_is_new_branch(const struct gitform_look *look, const char *branch);
