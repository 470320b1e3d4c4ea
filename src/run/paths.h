// Directories where the caller finds programs and a box does not.
#pragma once

struct out;
struct plan;

// Appends those of `list`, a value of PATH, that lie in the home, exist, and are not in the box,
// each after a blank, and "and more" after the third. Returns how many there are; `list` may be
// NULL.
unsigned paths_unseen(const struct plan *plan, const char *list, struct out *out);
