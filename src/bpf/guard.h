// A second wall for callers who may load BPF programs: they hang on the box's cgroup, and go with
// it. Mode proxy and none: nothing leaves but by the box's own loopback. Mode host: allow and deny
// by address and port, bytes counted and bounded. Devices: those of the view alone.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct plan;
struct program;
struct run;

// Says what cannot be kept: names in mode host, a tier without a group.
int guard_plan(struct plan *plan);
int guard_host(const struct plan *plan, struct run *run);
int guard_undo(const struct plan *plan, struct run *run);

// Bytes of mode host; false where they are not counted.
bool guard_bytes(const struct run *run, uint64_t *ret_sent, uint64_t *ret_received);
