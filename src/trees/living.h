// The directory of a tree's runs: a file for each, which its supervisor holds by flock(2) as long
// as it lives. One that nobody holds is that of a run that was killed.
#pragma once

#include <stdbool.h>

struct arena;

// Opens the directory, and waits until nobody else begins a run there or looks at them: until it is
// closed. -1 with errno.
int living_open(const char *directory);
// A run's file by its name, held by the caller, where no run holds it; else -1. `ret_lives`: a run
// holds it.
int living_take(int directory, const char *name, bool *ret_lives);
// Whether a box lives whose tree is `path` or lies around it. `state`: ~/.local/state/sbx.
bool living_reaches(struct arena *arena, const char *state, const char *path);
