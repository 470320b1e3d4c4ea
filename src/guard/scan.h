// Repositories that a run made anywhere in what was writable as a whole.
#pragma once

#include <stdint.h>

struct check;

// Walks what the plan names for a small part of the milliseconds that the run took. New hooks are
// taken away, new configurations cut to what is harmless.
void scan_trees(struct check *check, int64_t ran);
