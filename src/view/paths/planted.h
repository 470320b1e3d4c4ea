// Symlinks that lead a named path out of where boxes write (CVE-2024-42472 in another sandbox).
#pragma once

#include <stdbool.h>

struct resolved;
struct wishes;

// Whether a link on the way stands where a box could have made it, and leads out of there.
bool planted_is(const struct wishes *wishes, const struct resolved *resolved);

// A command that could write there may have replaced a named directory by a link to any file of the
// caller's. -1 with the error said where such a link leads to a path that the box would see: a link
// in the project, or in a writable directory, that leads out of it.
int planted_refuse(const struct wishes *wishes);
