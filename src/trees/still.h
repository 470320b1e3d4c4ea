// The question whether no directory of a tree has changed. A large tree is looked at by several
// threads: nothing else in a run takes as long.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct dirs;

// Whether all of the tree is as it was, without a name that is looked at each time, and has not
// changed since that time. By at most so many threads besides this one.
enum { STILL_HELPERS_MAX = 7 };
bool still_all(const struct dirs *seen, const char *root, int64_t since, unsigned helpers);
