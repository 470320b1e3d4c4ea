// The profiles that runs were given by a path: noted in sbx's own state, one a line. No command may
// make them say more, in whichever run it can write there.
#pragma once

#include <stdbool.h>

struct arena;

enum { GIVEN_BYTES_MAX = 32768 };

// The text, "" when there is none; NULL with the error said. And whether a path is in it.
const char *given_read(struct arena *arena, const char *state);
bool given_has(const char *given, const char *path);

// Adds the lines that are missing. Where they have no room what is no more is forgotten. -1 with
// the error said.
int given_add(const char *state, const char *lines);
