// The front of a command with --json, or in the background: a process beside the supervisor that
// reads the command's output. Writers do not wait for a slow reader, and the front outlives a
// killed supervisor. It is forked before the box exists. Of the caller's descriptors it only has
// the stdout for the JSON answer.
#pragma once

#include <stdbool.h>

#include "base/base.h"
#include "boxes/record.h"
#include "report/output_ring.h"

enum { STREAMS_CAPTURED = 2 }; // stdout and stderr

struct patience;

struct front {
	// The record of a run in the background. -1: the run makes its own record, and the output
	// is captured for the answer.
	int boxes, record, lock;
	char name[RECORD_NAME];
	int stored[STREAMS_CAPTURED]; // memfds; first: the output file in the background
				      // (report/output_ring.h)
	struct ring_head head;
	int answer;               // the caller's stdout
	int ready;                // closed when both processes have ended
	int socket;               // between the two
	const char *id, *session; // for the answer if the supervisor is killed
};
#define FRONT_NONE { .record = -1, .lock = -1, .stored = { -1, -1 }, .answer = -1, .ready = -1 }

// Forks the front and captures stdout and stderr of this process. -1 with the error said.
int front_begin(struct front *front);
// Puts the members stdout, stderr and truncated, ends the object and prints it by live_say(). Ends
// the capture.
int front_print(struct front *front, struct out *out, struct patience *patience);

// Puts any bytes as a member. `text` has room for a NUL.
void captured_text(struct out *out, const char *key, char *text, size_t length);

// How a command ended: the object of sbx run, exec, wait and code (sbx-json(5), result).
struct result {
	const char *end; // exit, signal, limit, failed or box
	int status;      // of sbx
	bool ended;      // has a wait status
	int wait_status; // as of wait(2)
	bool timed_out;
	const char *id;      // of the run, or NULL
	const char *session; // or NULL
	const char *error;   // why sbx failed, or who killed the box; or NULL
	unsigned long long wall, memory;
	const struct hit *hits;
	int hit_count;
	const struct denials *denials;   // or NULL
	const struct findings *found[2]; // or NULL
};
// Begins the object: all members but stdout, stderr and truncated.
void result_put(const struct result *result, struct out *out);
// Prints the object for the recorded error, where no run began. Returns 125.
int result_failed(void);
