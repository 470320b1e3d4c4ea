// A directory that is a git directory itself, without a .git (gitrepository-layout(5): "bare").
#pragma once

#include "plan.h"

struct wishes;

// Protects the parts of git's where `root` is one; elsewhere notes in the plan that it is none, so
// that a box cannot make it one: git looks there where it finds no valid .git.
int bare_protect(struct wishes *wishes, const char *root, struct origin from);
