// A second wall for callers who may load BPF programs, on the box's cgroup. Modes proxy and none:
// only the box's loopback. Mode host: allow and deny by address and port, bytes counted and
// bounded. Devices: only the view's.
//
// The room bpf owns the programs that the kernel runs for a box's cgroup, and their loader. Uses:
// base nouns text. Begin with guard.bpf.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct plan;
struct run;

// Loads the programs without a box. Fails in a build without the guard (absent.c), and where they
// cannot be loaded.
int guard_try(void);
// Fails for what cannot be enforced: names in mode host, a tier without a group.
int guard_plan(struct plan *plan);
int guard_host(const struct plan *plan, struct run *run);
int guard_undo(const struct plan *plan, struct run *run);

bool guard_bytes(const struct run *run, uint64_t *ret_sent, uint64_t *ret_received);
