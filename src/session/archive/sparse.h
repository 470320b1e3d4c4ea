// Files with holes in archives: version 1.0 of GNU tar's form for pax, a list of the parts that are
// not holes in front of their bytes. See "Storing Sparse Files" in tar's manual.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct out;

struct sparse_part {
	uint64_t at, size;
};

struct sparse {
	struct sparse_part *list;
	unsigned count, size;
	uint64_t bytes; // of all parts
	// While a list is read:
	uint64_t number, wanted, numbers; // wanted: parts; numbers: how many were read
	bool digits;
};

// The parts of an open file, at multiples of a block of tar's; all but the last end at one.
void sparse_find(struct arena *arena, int fd, uint64_t size, struct sparse *ret_sparse);

// The list as text, padded to blocks.
void sparse_put(struct out *out, const struct sparse *sparse);

// The next block of a list, for a file of `size` bytes: 1 when the list is complete, 0 when it goes
// on. -1: damaged. Pure, hostile input.
int sparse_feed(struct arena *arena, struct sparse *sparse, const char *block, uint64_t size);
