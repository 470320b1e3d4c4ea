// Repositories that a run made anywhere in what was writable as a whole.
#pragma once

struct check;
struct run;

// Walks what the plan names. New hooks are taken away, new configurations cut to what is harmless.
void scan_trees(struct check *check, const struct run *run);
