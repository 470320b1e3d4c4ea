// What a run took, and which limits it met.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct plan;
struct run;

struct usage {
	uint64_t wall;   // milliseconds
	uint64_t cpu;    // microseconds of processors
	uint64_t memory; // bytes at the most; of the largest process where there is no cgroup
	uint64_t pids;   // at the most; 0: not known
	uint64_t read, written;  // bytes from and to disks
	uint64_t kills;          // by the limit on memory
	uint64_t refused;        // forks, by the limit on processes
	uint64_t throttled;      // microseconds that processes waited for their share of processors
	uint64_t sent, received; // bytes of the network in mode host, as the guard counted them
	bool tmp_full, disk_grew;
};

// Reads what the group says, while it is there. What it does not say is pid 1's own count.
void usage_read(const struct plan *plan, struct run *run);

// Why a run was ended from outside.
enum stop {
	STOP_NONE,
	STOP_TIME,
	STOP_MEMORY,
	STOP_PIDS,
	STOP_DISK,
	STOP_FULL,
	STOP_MACHINE,
	STOP_PARENT
};

// A limit that was met.
struct hit {
	const char *key; // also the flag
	uint64_t limit;
	const char *what; // "the box was killed", ...
	bool of_machine;  // no limit of the box's: there is none to raise
};
enum { HITS_MAX = 8 };

// Fills `hits` and returns how many. `status` is the command's wait status.
int usage_hits(const struct plan *plan, const struct usage *usage, enum stop stop, int status,
	       struct hit hits[HITS_MAX]);
