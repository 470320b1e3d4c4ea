// Names that only a listing shows: those of patterns, and of the many that are reported, the few
// that stand there.
#pragma once

#include "plan.h"
#include "view/paths/dirindex.h"

struct wishes;

// Protects the names below `root` that match patterns, and notes those that are reported. `found`
// is of the root's listing.
int listed_protect(struct wishes *wishes, const char *root, struct names_found *found,
		   struct origin from);
