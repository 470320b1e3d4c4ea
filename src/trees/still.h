// The question whether no directory of a tree has changed. A large tree is looked at by several
// threads: nothing else in a run takes as long.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct dirs;

// Whether all directories of the list are as they were, without a name that is checked each time,
// and have not changed since that time. By at most so many more threads.
enum { STILL_HELPERS_MAX = 7 };
bool still_all(const struct dirs *seen, const char *root, int64_t since, unsigned helpers);
