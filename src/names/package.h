// What a package.json says besides its dependencies, as a number. Pure.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { PACKAGE_BYTES_MAX = 128 << 10 };

// The same for texts that differ in blanks and in dependencies alone. 0: it is no JSON.
// text[length] is NUL.
uint64_t package_hash(const char *text, size_t length);
