// What a run in the background prints: a file of bounded size, which holds the newest bytes of all.
// Bytes are counted from the run's begin, so that a reader who returns misses none that are there.
//
// The file is locked (flock) as long as somebody writes it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RING_DIRECTORY "output"                     // below the state directory
#define RING_MAGIC     UINT64_C(0x3130676e69726273) // and its version
enum { RING_BYTES = 8 << 20, RING_CHUNK = 64 << 10, RING_SESSION = 128, RING_NAME = 64 };

struct ring_head {
	uint64_t magic;
	uint64_t total; // bytes until now: the offset of the next
	uint64_t lost;  // bytes that could not be written, as on a full disk
	uint32_t ended; // 1: `status` is what sbx run returned
	int32_t status;
	char session[RING_SESSION]; // "": none
};

// A fresh file for a run of this session (or NULL), locked, with the name `name`. Removes those
// that nobody writes and that are older than 7 days, or more than 100. -1 with the error said.
int ring_make(int directory, const char *name, const char *session, struct ring_head *ret_head);
// Adds the bytes. What the disk does not take is counted, and never waited for.
void ring_write(int file, struct ring_head *head, const char *bytes, size_t length);
void ring_end(int file, struct ring_head *head, int status);

// Behind the ring: what another file has, of RING_NOTE bytes at most. A longer one is left out.
enum { RING_NOTE = 8 << 20 };
void ring_note(int file, int from);
// Its length; 0: there is none.
size_t ring_noted(int file, char text[RING_NOTE]);

// The file of the newest run with this id, or session: its descriptor and, in `name`, its name. -1
// where there is none.
int ring_find(int directory, const char *id, char name[RING_NAME]);
// False where it is none of ours. *ret_lives: somebody writes it yet.
bool ring_look(int file, struct ring_head *ret_head, bool *ret_lives);
// Bytes from *offset on, which moves on to the first that is there. 0: none yet.
ssize_t ring_read(int file, uint64_t *offset, char *buffer, size_t size);
