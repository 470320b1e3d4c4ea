// Whether boxes live that can write a tree, by the locks that they hold on its journal.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arena;

// Of a journal byte 0 is locked by who writes, byte ID by who lives, byte LIVING_LOOK by who looks.
#define LIVING_LOOK ((uint64_t)1 << 62)

// Whether a box lives whose tree is `path` or lies around it. `state`: ~/.local/state/sbx.
bool living_reaches(struct arena *arena, const char *state, const char *path);
