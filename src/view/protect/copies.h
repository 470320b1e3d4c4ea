// The box's copies of git's configuration.
#pragma once

#include "plan.h"

struct wishes;

// The box gets a copy of the configuration at `path`; what it changes there is merged afterwards.
// Inside another box of tier landlock: what that box shows there is read-only. `top` is the tree's,
// which relative names in the text are of; NULL: as the text says.
int copies_add(struct wishes *wishes, const char *path, const char *top, struct origin from);
