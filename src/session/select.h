// Which changes are meant.
#pragma once

#include "session/changes.h"

// `words` (NULL-terminated) are paths, absolute or relative to the current directory, or, outside
// of the project, to the project. None at all: every change but guarded ones, which have to be
// named themselves. -1 when nothing has changed at one of them.
int select_changes(struct store *store, const struct held *held, const struct changes *changes,
		   char *const *words, bool **ret_selected);
