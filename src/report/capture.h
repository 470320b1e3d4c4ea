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
// How it ended, by a status as of wait(2); `ended` false: it did not end by itself.
void capture_status(struct out *out, bool ended, int wait_status, int status);
// Prints the answer to the caller's stdout, as live_say() does.
int capture_print(const struct capture *capture, struct out *out, struct patience *patience);
