// What a run in the background prints: a file of bounded size, which holds the newest bytes of all.
// Bytes are counted from the run's begin, so that a reader who returns misses none that are there.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RING_MAGIC UINT64_C(0x3330676e69726273) // and its version
enum { RING_BYTES = 8 << 20, RING_CHUNK = 64 << 10, RING_MARKS = 1021 };

struct ring_head {
	uint64_t magic;
	uint64_t total;          // bytes until now: the offset of the next
	uint64_t lost;           // bytes that could not be written, as on a full disk
	uint64_t mark_count;     // how many there are
	int64_t last_mark_begun; // when the last of them began
};

// Behind the head: the bytes from `offset` to that of the next one were written until `last`
// (milliseconds of the clock). Of older ones two become one when there is no room.
struct ring_mark {
	int64_t last;
	uint64_t offset;
};

// A fresh file in the record of a run. -1 with the error said.
int ring_make(int record, struct ring_head *ret_head);
// Adds the bytes. What the disk does not take is counted, and never waited for.
void ring_write(int file, struct ring_head *head, const char *bytes, size_t length);

// False where it is none of ours.
bool ring_look(int file, struct ring_head *ret_head);
// The first byte that was written at this time or later, or just before.
uint64_t ring_since(int file, int64_t time);
// Bytes from *offset on, which moves on to the first that is there. 0: none yet.
ssize_t ring_read(int file, uint64_t *offset, char *buffer, size_t size);
