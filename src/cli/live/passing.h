// Streams and denials between a command of sbx exec and its caller.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/exec_clients.h"

enum { STREAM_BYTES = 64 << 10 };

struct passing_stream {
	int from, to; // -1: ended
	bool input;   // at EOF closes `to`, the command's stdin
	size_t at, used;
	size_t most;  // bytes still to read; SIZE_MAX: no bound
	int64_t last; // last read, milliseconds of the steady clock
	char bytes[STREAM_BYTES];
};

// `number`: 0, 1 or 2, the caller's side.
void stream_init(struct passing_stream *stream, int number);
// Returns the command's end of a pipe, or -1.
int stream_pipe(struct passing_stream *stream);
void stream_end(struct passing_stream *stream);
void stream_fill(struct passing_stream *stream);
void stream_empty(struct passing_stream *stream);
static inline bool stream_is_full(const struct passing_stream *stream)
{
	return stream->at < stream->used;
}

// Blocks these signals and SIGPIPE. Returns a signalfd, or -1. An ignored SIGHUP (nohup(1)) stays
// unblocked.
int signals_held(const int *numbers, size_t count);

// Returns 1 for a pipe, a file or a socket, which the command inherits, 0 for a device, -1 for a
// directory, which leads out of the box.
int stdin_is_given(void);

struct command_denials {
	struct denials denials;
	unsigned reported;
	pid_t run;
};

// Prints a denial at once, unless `quiet`. If a program draws on the terminal of `master`, prints
// it at the end.
void heard_take(struct command_denials *heard, const struct exec_denied *denied, bool quiet,
		int master);
void heard_end(struct command_denials *heard, bool quiet, bool succeeded);
