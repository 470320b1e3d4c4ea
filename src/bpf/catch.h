// A third way to catch connections to every port, where the kernel has no nf_tables: a program that
// chooses the socket (sk_lookup, Linux 5.9). Only with a guard, for callers who may load programs.
#pragma once

#include <stdbool.h>

struct plan;
struct run;

// From now on all TCP that the box's network would hand to nobody, or to another, but by its
// loopback, goes to `listener`. False where that cannot be: then ports of a list are caught.
bool catch_all(const struct plan *plan, struct run *run, int listener);
