// The names that git gives to a file's content. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "text/sha.h"

struct arena;

// Of it as it is, and with the line ends that a checkout may have changed: who knows one of the two
// knows the content.
struct gitblob {
	unsigned char names[2][SHA256_BYTES];
	unsigned bytes; // of a name
};
void gitblob_name(struct arena *arena, const char *text, size_t length, unsigned bytes,
		  struct gitblob *ret_blob);
bool gitblob_is(const struct gitblob *blob, const unsigned char *name);
