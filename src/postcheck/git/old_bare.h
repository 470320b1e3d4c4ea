// Whether a git directory without .git was there before the boxes.
#pragma once

#include <stdbool.h>

struct check;

// In a directory that was there before each of the parts must have been, too. A push into it writes
// below objects and refs: then it must have its place and its HEAD of before. `tree`: the root.
bool old_bare(const struct check *check, const char *tree, int directory, const char *path);
