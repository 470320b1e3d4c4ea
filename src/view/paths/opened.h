// Names in the project that the user opened by --write: nobody protects them.
#pragma once

#include <stdbool.h>

struct item;
struct wishes;

// A name in the project that the user opens himself, by a flag or a line with './': it is neither
// protected nor taken away, and need not be there. True where the box can make it.
bool opened_note(struct wishes *wishes, const struct item *item, const char *path);
bool opened_has(const struct wishes *wishes, const char *path);
