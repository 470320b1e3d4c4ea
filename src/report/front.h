// The front is a process beside the supervisor that reads the command's output. Writers do not wait
// for a slow reader. The front outlives a killed supervisor.
#pragma once

#include <stdbool.h>

#include "base/base.h"
#include "boxes/record.h"
#include "report/output_ring.h"

enum { STREAMS_CAPTURED = 2 };

struct patience;

struct front {
	// Record of a background run. If it is -1, the output is captured for the answer.
	int boxes, record, lock;
	char name[RECORD_NAME];
	int stored[STREAMS_CAPTURED]; // memfds; in a background run the first is the output file
	struct ring_head head;
	int answer;
	int ready; // closed when front and supervisor have ended
	int socket;
	const char *id, *session;
};
#define FRONT_NONE { .record = -1, .lock = -1, .stored = { -1, -1 }, .answer = -1, .ready = -1 }

// Captures stdout and stderr of this process.
int front_begin(struct front *front);
// Puts the members stdout, stderr and truncated, and prints the object by terminal_lines_say().
int front_print(struct front *front, struct out *out, struct patience *patience);

void captured_text(struct out *out, const char *key, char *text, size_t length);

// The JSON object of sbx run, exec, wait and code (sbx-json(5), result).
struct result {
	const char *end; // exit, signal, limit, failed or box
	int status;
	bool ended;
	int wait_status;
	bool timed_out;
	const char *id;
	const char *session;
	const char *error; // why sbx failed, or who killed the box; or NULL
	unsigned long long wall, memory;
	const struct hit *hits;
	int hit_count;
	const struct denials *denials;
	const struct findings *found[2];
};
void result_put(const struct result *result, struct out *out);
// Prints the object for a run that did not begin, with the recorded error. Returns 125.
int result_failed(void);
