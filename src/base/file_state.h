// The state of a file, to see whether it was written or replaced.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct stat;

// What changes when a file is written or replaced. All 0: none. `changed` is its ctime in
// nanoseconds, which no program can set.
struct file_state {
	uint64_t inode, size;
	int64_t changed;
};
struct file_state file_state(const struct stat *status);
bool file_state_equal(const struct file_state *left, const struct file_state *right);
