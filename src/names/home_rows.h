// The rows of profiles/names.txt that are of the home, and PATH, as paths; for names/home_links.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "names/home_links.h"

struct origin homes_origin(enum homes_kind kind);

// Of the caller's variables; NULL: not set.
const char *homes_value(char *const *environment, const char *name, size_t length);

// Whether a name is a directory of programs.
bool homes_is_of_path(const char *name, const struct homes *homes);
