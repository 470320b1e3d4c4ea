// The output of a command, for an answer in JSON. A process reads stdout and stderr from pipes, and
// stores the first bytes of each: no command that prints is held up.
#pragma once

#include <stdbool.h>

#include "base/base.h"

struct patience;

struct capture {
	int output;    // the caller's stdout
	int done;      // a byte of it ends the reader
	int ended;     // whose end that of this one is
	int stored[2]; // memory that has the bytes
};

// From here on stdout and stderr of this process are captured. -1 with the error said.
int capture_begin(struct capture *capture);
// The members stdout, stderr and truncated. Nothing more is captured.
void capture_end(struct capture *capture, struct out *out);
// The same of another text.
void capture_put(struct out *out, const char *key, char *text, size_t length);
// Prints the answer to the caller's stdout, as live_say() does.
int capture_print(const struct capture *capture, struct out *out, struct patience *patience);

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
