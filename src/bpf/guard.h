// A second wall for callers who may load BPF programs: they hang on the box's cgroup, and go with
// it. Mode proxy and none: nothing leaves but by the box's own loopback. Mode host: allow and deny
// by address and port, bytes counted and bounded. Devices: those of the view alone.
//
// The room bpf owns the programs that the kernel runs for a box's cgroup, and their loader. Uses:
// base nouns text. Begin with guard.bpf.c.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct plan;
struct run;

// An error where this program was built without the guard (then absent.c is all of this room), or
// where its programs cannot be loaded, without a box.
int guard_try(void);
// Names in the message what cannot be enforced: names in mode host, a tier without a group.
int guard_plan(struct plan *plan);
int guard_host(const struct plan *plan, struct run *run);
int guard_undo(const struct plan *plan, struct run *run);

// Bytes of mode host; false where they are not counted.
bool guard_bytes(const struct run *run, uint64_t *ret_sent, uint64_t *ret_received);
