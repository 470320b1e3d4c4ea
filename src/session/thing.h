// What a file or a tree is, so that it is known again after it was moved.
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "session/journal.h"

// Of the status alone: a directory's tree is 0.
struct thing thing_of(const struct stat *status);

// With what lies in it, when it is a directory. -1 with errno.
int thing_look(int directory, const char *name, struct thing *ret_thing);

// The sum of a tree, of each thing in it by its path from there ("a/b"), in any order.
uint64_t thing_part(const char *path, const struct stat *status);
uint64_t thing_sum(uint64_t sum, uint64_t part);

// At its place, by a look at the status; or anywhere, as a whole.
bool thing_stands(const struct thing *thing, const struct stat *status);
bool thing_moved(const struct thing *thing, int directory, const char *name);
