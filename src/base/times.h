// The times that files are stamped with.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

// Nanoseconds.
int64_t times_now(void);
struct timespec times_of(int64_t nanoseconds);
// Whether the file system at `path` has this kernel's clock: that of a network or of a program has
// another.
bool times_are_ours(const char *path);
