// Repositories that a run made anywhere in what was writable as a whole.
#pragma once

struct check;
struct run;

// Walks what the plan names. New hooks are taken away, new configurations cut to what is harmless.
// With check->all, before a command begins: those of which a part is owed a check.
void scan_trees(struct check *check, const struct run *run);
