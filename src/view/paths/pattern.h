// Patterns for hidden files in the project.
#pragma once

#include <stdbool.h>

struct item;
struct wishes;

bool pattern_is(const char *text);

// "**/NAME" anywhere in the project, "./dir/NAME" in one directory; NAME may have '*'. Calls
// `found` for each path that matches now. The walk is bounded; a cut one is a warning of the plan.
int pattern_walk(struct wishes *wishes, const struct item *item,
		 int (*found)(struct wishes *wishes, const struct item *item, const char *path));
