// Symlinks that lead a named path out of where boxes write (CVE-2024-42472 in another sandbox).
#pragma once

#include <stdbool.h>

struct resolved;
struct wishes;

// Whether a link on the way stands where a box could have made it, and leads out of there.
bool planted_is(const struct wishes *wishes, const struct resolved *resolved);

// A line that names `data` means the directory of that time; a command that could write there may
// have made it a link to anything of the caller's. -1 with the error said when a path that is shown
// from the host was reached so: by a link in the project, or in what is writable now, that leads
// out of it.
int planted_refuse(const struct wishes *wishes);
