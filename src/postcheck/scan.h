// Repositories that a run made anywhere in what was writable as a whole.
#pragma once

#include <stdbool.h>

struct check;
struct plan;
struct run;

// While the box has work: the directories of git's index as it was when the command began.
void scan_prepare(const struct plan *plan, struct run *run);
// Whether nothing that is checked has changed, so that a sweep would find nothing.
bool scan_is_quiet(struct check *check, const struct run *run);
// Walks what the plan names. New hooks are taken away, new configurations cut to what is harmless.
void scan_trees(struct check *check, const struct run *run);
