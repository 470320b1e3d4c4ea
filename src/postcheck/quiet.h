// The look after a run in whose trees no directory was changed.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct check;
struct run;
struct spans;

// Whether all trees are as an earlier look saw them. False says nothing.
bool quiet_trees(struct check *check, const struct run *run);
// When the run began, and when the first of those began that a look is for: nanoseconds.
int64_t quiet_start(const struct check *check);
int64_t quiet_since(const struct check *check, const struct spans *spans);
