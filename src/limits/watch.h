// What the supervisor checks itself: disks, and without a cgroup memory and pids.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "limits/floor.h"
#include "limits/usage.h"

struct plan;
struct run;

enum { DISKS_MAX = 16 };

struct watch_limits {
	// When to look, in milliseconds of the steady clock: at the processes, -1 never, and at
	// disks
	int64_t next, disk_next;
	enum watch_walk { WALK_NONE, WALK_BEGUN, WALK_DONE } walk; // a look that takes some turns
	int64_t walked;                                            // when it was done
	int64_t unclear; // since when it is not known whether the memory is over its limit; 0: it
			 // is
	struct disk {
		int fd;
		uint64_t space, files; // free at the start
	} disks[DISKS_MAX];
	int disk_count;
	uint64_t pids;      // the most that were seen
	struct floor floor; // where no cgroup bounds the box's memory
	uint64_t shared; // bytes in tmpfs, memfds and segments of the whole machine, at the start
};

// When the box has just been let go.
void watch_limits_begin(const struct plan *plan, struct run *run, int64_t now);

// Looks when it is time. Returns the milliseconds until the next look, -1 for never, and says why
// the run has to end.
int watch_limits_look(const struct plan *plan, struct run *run, int64_t now, enum stop *ret_stop);

// At the end: whether a disk has lost about as much space as the limit allows.
bool watch_limits_grew(const struct plan *plan, const struct run *run);

void watch_limits_end(struct run *run);
