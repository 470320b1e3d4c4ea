// Data in the form of zlib (RFC 1950, RFC 1951). Pure.
#pragma once

#include <stddef.h>

// Writes the unpacked bytes, `most` bytes at most. 0; 1 when it is more; -1 when it is no such
// data. The sum at its end is not compared.
int inflate_all(const void *bytes, size_t length, unsigned char *buffer, size_t most,
		size_t *ret_length);
