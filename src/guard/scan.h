// Repositories that a run made anywhere in the project.
#pragma once

#include <stdint.h>

struct check;

// Walks the project for a small part of the milliseconds that the run took. New hooks are taken
// away, new configurations cut to what is harmless.
void scan_project(struct check *check, int64_t ran);
