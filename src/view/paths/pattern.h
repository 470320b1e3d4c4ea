// Lines of a profile that name a path or, in the project, a pattern.
#pragma once

struct item;
struct wishes;

// "**/NAME" anywhere in the project, "./dir/NAME" in one directory; NAME may have '*'. Calls
// `found` for each path that matches now. The project is walked once, for all lines of the profile.
// Directories that are too deep, or cannot be listed, match as a whole. Other texts are one path,
// by resolve_expand().
int pattern_each(struct wishes *wishes, const struct item *item,
		 int (*found)(struct wishes *wishes, const struct item *item, const char *path));
