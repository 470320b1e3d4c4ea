// The front of a command with --json, or in the background: a process beside its sbx that reads
// what the command prints, so that none that prints is held up, and that is there when the
// sbx is killed. It is forked before there is a box, and has no descriptor of the caller's
// but the stdout that the answer in JSON goes to.
#pragma once

#include <stdbool.h>

#include "base/base.h"
#include "boxes/record.h"
#include "report/output_ring.h"

enum { STREAMS_CAPTURED = 2 }; // stdout and stderr

struct patience;

struct front {
	// The record that a run in the background is given. -1: the run makes its own, and the
	// output is captured for an answer.
	int boxes, record, lock;
	char name[RECORD_NAME];
	int stored[STREAMS_CAPTURED]; // memory that has the bytes; the first: the file of the
				      // output (report/output_ring.h)
	struct ring_head head;
	int answer;               // the caller's stdout
	int ready;                // ends with both processes
	int socket;               // between the two
	const char *id, *session; // for the answer where the other process is killed
};
#define FRONT_NONE { .record = -1, .lock = -1, .stored = { -1, -1 }, .answer = -1, .ready = -1 }

// From here on its stdout and stderr are captured. -1
// with the error said.
int front_begin(struct front *front);
// The members stdout, stderr and truncated, and the end: prints the answer as live_say() does.
// Nothing more is captured.
int front_print(struct front *front, struct out *out, struct patience *patience);

// A member of any text; `text` has room for a NUL.
void captured_text(struct out *out, const char *key, char *text, size_t length);

// How a command ended: the one object of sbx run, exec, wait and code (sbx-json(5), result).
struct result {
	const char *end; // exit, signal, limit, failed or box
	int status;      // of sbx
	bool ended;      // by itself, or by a signal:
	int wait_status; // as of wait(2)
	bool timed_out;
	const char *id;      // of the run; NULL: there was none
	const char *session; // or NULL
	const char *error;   // why sbx failed, or who killed the box; or NULL
	unsigned long long wall, memory;
	const struct hit *hits;
	int hit_count;
	const struct denials *denials;   // or NULL
	const struct findings *found[2]; // or NULL
};
// Begins the object, with all members but stdout, stderr and truncated.
void result_put(const struct result *result, struct out *out);
// Prints the object of an error before there was a run: that which is recorded. Returns 125.
int result_failed(void);
