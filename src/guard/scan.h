// Repositories that a run made anywhere in what was writable as a whole.
#pragma once

#include <stdint.h>

struct check;
struct run;

// Walks what the plan names for a small part of the milliseconds that the run took. New hooks are
// taken away, new configurations cut to what is harmless.
void scan_trees(struct check *check, const struct run *run, int64_t ran);
// Leaves it to a later run.
void scan_later(const struct check *check, const struct run *run);
