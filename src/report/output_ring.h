// A file of bounded size with the newest output of a background run. Offsets count from the begin
// of the run.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RING_MAGIC UINT64_C(0x3330676e69726273) // the last digits are the version
enum { RING_BYTES = 8 << 20, RING_CHUNK = 64 << 10, RING_MARKS = 1021 };

struct ring_head {
	uint64_t magic;
	uint64_t total;
	uint64_t lost; // bytes lost to a full disk
	uint64_t mark_count;
	int64_t last_mark_begun; // wall clock, milliseconds
};

// The bytes from `offset` to the next mark were written no later than `last`.
struct ring_mark {
	int64_t last;
	uint64_t offset;
};

int ring_make(int record, struct ring_head *ret_head);
// A full disk is no error.
void ring_write(int file, struct ring_head *head, const char *bytes, size_t length);

// Returns false if the file has another format.
bool ring_read_head(int file, struct ring_head *ret_head);
// Returns the offset of the first byte written at `time` or shortly before.
uint64_t ring_since(int file, int64_t time);
// Moves *offset to the first stored byte if necessary. Returns 0 if there are no new bytes.
ssize_t ring_read(int file, uint64_t *offset, char *buffer, size_t size);
