// A third way to catch connections to every port, for kernels without nf_tables: a program chooses
// the socket (sk_lookup, Linux 5.9). Only with a guard, for callers who may load programs.
#pragma once

#include <stdbool.h>

struct plan;
struct run;

// From now on `listener` gets all TCP of the box's network that is not for its loopback. False:
// impossible; then a list of ports is caught.
bool catch_all(const struct plan *plan, struct run *run, int listener);
