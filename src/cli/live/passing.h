// What passes between a command of sbx exec and its caller.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/further_clients.h"

enum { STREAM_BYTES = 64 << 10 };

struct passing_stream {
	int from, to; // -1: it has ended
	bool input;   // its end is passed on by a close; else the caller's stays open
	size_t at, used;
	size_t most;  // bytes yet to be read
	int64_t last; // when something was read, in milliseconds of the steady clock
	char bytes[STREAM_BYTES];
};

// Between the caller's descriptor of that number and what follows: nothing yet.
void stream_init(struct passing_stream *stream, int number);
// By a pipe: returns the end that the command gets, or -1 with the error said.
int stream_pipe(struct passing_stream *stream);
void stream_end(struct passing_stream *stream);
void stream_fill(struct passing_stream *stream);
void stream_empty(struct passing_stream *stream);
static inline bool stream_is_full(const struct passing_stream *stream)
{
	return stream->at < stream->used;
}

// Blocks these signals, and SIGPIPE; they are read from the descriptor. Not a SIGHUP that the
// caller ignores (nohup(1)): one that is blocked would come. -1 with errno.
int signals_held(const int *numbers, size_t count);

// Whether the caller's stdin goes to the command itself, so that it reads what it needs and no
// more: not a terminal, and no device, which is no file of the box. -1 with the error said.
int stdin_is_given(void);

// What a command was denied, as its run says it.
struct command_denials {
	struct denials denials;
	unsigned reported; // of them
};

// Says it at once, unless `quiet`; on a terminal (its master, or -1) that a program draws on at the
// end.
void heard_take(struct command_denials *heard, const struct further_denied *denied, bool quiet,
		int master);
void heard_end(struct command_denials *heard, bool quiet, bool succeeded);
