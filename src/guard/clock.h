// The clock that files are stamped with.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

// Nanoseconds.
int64_t clock_of_files(void);
// Whether the file system at `path` has this kernel's clock: that of a network or of a program has
// another.
bool clock_is_ours(const char *path);

// When the command of a plan began; zero where nobody knows.
struct plan;
struct timespec clock_start(const struct plan *plan);
// Waits until no file can be stamped with a time before plan->start any more: what was stamped
// before the command began and what it stamps differ, however short the time between. `fd`: a file
// of sbx's own, for an exact time, or -1.
void clock_pass(struct plan *plan, int fd);
