// Patterns for hidden files in the project.
#pragma once

#include <stdbool.h>

struct item;
struct wishes;

bool pattern_is(const char *text);

// "**/NAME" anywhere in the project, "./dir/NAME" in one directory; NAME may have '*'. Calls
// `found` for each path that matches now. The project is walked once, for all lines of the profile.
// Directories that are too deep, or cannot be listed, match as a whole.
int pattern_walk(struct wishes *wishes, const struct item *item,
		 int (*found)(struct wishes *wishes, const struct item *item, const char *path));
