// What must not come back to a box is replaced in bytes that pass: a key as it is, in hexadecimal
// and in base64 (anywhere in a longer text, in both alphabets, in lines), and each of these in
// UTF-16 or with any of its characters escaped as in addresses (%67), JSON (\u0067), C (\x67), mail
// (=67) and HTML (&#103;). Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "open/keyring.h"

struct needle {
	const char *from, *to; // of the same length
	size_t length;
};

struct scrubber {
	struct needle whole;                // found as it is alone; length 0: none
	struct needle needles[SECRETS_MAX]; // the longest first
	unsigned count;
	bool first[256];     // bytes that one can begin with
	uint8_t pairs[8192]; // bits: two bytes that can stand within the first ones of one
};

// Makes it of these secrets, without `whole`.
void scrub_begin(struct scrubber *scrubber, const struct keyring *ring);
void scrub_whole(struct scrubber *scrubber, const struct needle *needle);

// Replaces every needle in `bytes`, in place. Returns how many bytes may pass: what comes behind
// them is the beginning of a needle, and is given again with what follows. `last`: nothing follows.
size_t scrub(const struct scrubber *scrubber, char *bytes, size_t length, bool last);
