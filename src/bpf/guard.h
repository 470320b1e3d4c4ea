// BPF programs on the box's cgroup, a second protection for callers who may load them. In modes
// proxy and none they permit only the box's loopback. In mode host they check addresses, ports and
// bytes. They permit only devices that the box sees.
//
// The room bpf owns the programs that the kernel runs for a box's cgroup, and their loader. Uses:
// base nouns text. Begin with guard.bpf.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct plan;
struct run;

// Tests whether the programs can be loaded. Fails in a build without the guard (absent.c).
int guard_try(void);
// Fails for rules that cannot be enforced: names in mode host, all in tier landlock.
int guard_plan(struct plan *plan);
int guard_host(const struct plan *plan, struct run *run);
int guard_undo(const struct plan *plan, struct run *run);

bool guard_bytes(const struct run *run, uint64_t *ret_sent, uint64_t *ret_received);
