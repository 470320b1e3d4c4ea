// Repositories below the top of what is writable: those that earlier looks have found are protected
// as the top's, and the first look of all comes before the first command.
#pragma once

#include "plan.h"

struct wishes;

bool nested_is_tree(const struct plan *plan, const char *path);
// `count`: how many are protected so far.
int nested_protect(struct wishes *wishes, struct searched *tree, unsigned *count);
