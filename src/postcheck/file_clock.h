// A run's start by the clock that files are stamped with.
#pragma once

#include <time.h>

// When the command of a plan began; zero where nobody knows.
struct plan;
struct timespec clock_start(const struct plan *plan);
// Waits until no file can be stamped with a time before plan->start any more: what was stamped
// before the command began and what it stamps differ, however short the time between. `fd`: a file
// of sbx, for an exact time, or -1.
void clock_pass(struct plan *plan, int fd);
