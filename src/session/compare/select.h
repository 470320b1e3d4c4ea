// Which changes are meant.
#pragma once

#include <stdbool.h>

#include "session/compare/changes.h"

// For each change. Of one that was asked for and is not selected the user wants to know why.
struct selection {
	bool *selected, *asked;
};

// `words` (NULL-terminated) are paths, absolute or relative to the current directory, or, outside
// of the project, to the project. None at all: every change but guarded ones, which have to be
// named themselves. -1 when nothing has changed at one of them.
int select_changes(struct store *store, const struct held *held, const struct changes *changes,
		   char *const *words, struct selection *ret_selection);
