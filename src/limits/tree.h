// All processes below one, by /proc.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tree {
	uint64_t processes, threads;
	uint64_t running; // neither stopped nor dead nor in the kernel
	uint64_t cpu;     // microseconds, with those that have ended
	uint64_t memory;  // bytes; shared pages count for each process
};

// Walks from `pid` itself; bounded. What ends meanwhile is left out. In steps of half a
// millisecond: true when it was the last.
void tree_begin(pid_t pid);
bool tree_step(struct tree *ret_tree);
void tree_count(pid_t pid, struct tree *ret_tree); // at once

// Bytes of the processes of the last walk with shared pages divided by who shares them: at least,
// and at most. To say it of one process is slow, and remembered while its size stays the same.
struct resident {
	uint64_t least, most, shared; // `shared`: of `least`, in a tmpfs, a memfd or a segment
};
struct resident tree_resident(void);
// Asks of the largest one that is not known. False when all are.
bool tree_refine(void);
// Microseconds of the processor that the last walk took, and tree_refine() since.
uint64_t tree_spent(void);

// Bytes that belong to no process: memfds, private files in memory, and what sockets and pipes may
// keep; in a separate network namespace also sockets in flight. Bounded in time.
uint64_t tree_held(pid_t pid, bool own_network);
