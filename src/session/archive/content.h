// The bytes of an archive that is read, and the files that they become.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct arena;
struct tar_entry;

// All of them, or -1 with the error said.
int content_bytes(int archive, void *bytes, size_t length);

// What belongs to an entry of that size, with its padding.
int content_skip(int archive, uint64_t size);

// Into an empty file that is open for writing. Blocks of zeros become holes.
int content_copy(struct arena *arena, int archive, int to, const struct tar_entry *entry);
