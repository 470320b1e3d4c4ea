// What must not come back to a box is replaced in bytes that pass.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct needle {
	const char *from, *to; // of the same length
	size_t length;
};

// Replaces every needle in `bytes`, in place. Returns how many bytes may pass: what comes behind
// them is the beginning of a needle, and is given again with what follows. `last`: nothing follows.
// Where two needles begin at one byte the earlier row is taken: the longer ones come first.
size_t scrub(const struct needle *needles, unsigned count, char *bytes, size_t length, bool last);
