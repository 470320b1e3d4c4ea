// Catches connections to every port on kernels without nf_tables: a BPF program chooses the socket
// (sk_lookup, Linux 5.9). Needs the guard (bpf/guard.h).
#pragma once

#include <stdbool.h>

struct plan;
struct run;

// Lets `listener` get all TCP connections of the box's network but those to its loopback. Returns
// false on failure: then only a list of ports is caught.
bool catch_all(const struct plan *plan, struct run *run, int listener);
