// The profiles in a project that runs were given by a path: noted in sbx's own state, one a line.
#pragma once

#include <stdbool.h>

struct arena;

enum { GIVEN_BYTES_MOST = 16384 };

const char *given_file(struct arena *arena, const char *state, const char *project);

// The text, "" when there is none; NULL with the error said. And whether a path is in it.
const char *given_read(struct arena *arena, const char *state, const char *project);
bool given_has(const char *given, const char *path);
