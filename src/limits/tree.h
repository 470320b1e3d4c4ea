// All processes below one, by /proc.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tree {
	uint64_t processes, threads;
	uint64_t cpu;    // microseconds, with those that have ended
	uint64_t memory; // bytes; shared pages count for each process
};

// Walks from `pid` itself; bounded. What ends meanwhile is left out.
void tree_count(pid_t pid, struct tree *ret_tree);

// Bytes with shared pages divided by who shares them; slower by far.
struct resident {
	uint64_t all, shared; // of it what lies in a tmpfs, a memfd or a segment
};
struct resident tree_memory(pid_t pid);

// Bytes that belong to no process: memfds, private files in memory, and what sockets and pipes may
// keep; with a network of their own also sockets on their way between processes. Bounded in time.
uint64_t tree_held(pid_t pid, bool own_network);
