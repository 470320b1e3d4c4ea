// sbx attach: connects to the terminal of a background run. Output comes from the file of `sbx
// logs`: every attached terminal shows all of it.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "cli/boxes.h"
#include "cli/live/passing.h"
#include "cli/live/raw_terminal.h"
#include "cli/verbs.h"
#include "net/host/control_socket.h"
#include "report/output_ring.h"
#include "report/summary.h"
#include "run/run_command.h"

enum { CTRL_P = 'P' & 0x1f, CTRL_Q = 'Q' & 0x1f, TYPED_MAX = 512, AGAIN_MILLISECONDS = 1000 };
enum { HISTORY_MAX = 4096 };

struct attached {
	struct record record;
	int master, file, changes, signals;
	uint64_t offset;    // next byte of the output
	uint64_t joined_at; // end of the output when attach began
	bool escaping;      // the last byte was ^P
	bool detached, ended;
	struct raw_terminal terminal;
	struct passing_stream keys, shown;
};

static void begin_at(struct attached *attached, uint64_t total)
{
	char *bytes = attached->shown.bytes;
	uint64_t from = total > HISTORY_MAX ? total - HISTORY_MAX : 0;
	attached->offset = from;
	attached->joined_at = total;
	ssize_t got = ring_read(attached->file, &from, bytes, HISTORY_MAX);
	const char *line = got > 0 ? memchr(bytes, '\n', (size_t)got) : NULL;
	if (total > HISTORY_MAX && line) // skips a partial escape sequence
		attached->offset = from + (uint64_t)(line + 1 - bytes);
}

// Returns the length of an escape sequence (ECMA-48), which begins with ESC.
static size_t escape_sequence_length(const char *at)
{
	size_t length = 1;
	if (at[1] && strchr("]P_^X", at[1])) // up to the string's terminator
		length += strcspn(at + 1, "\a\033");
	else if (at[1] == '[')
		length += 1 + strspn(at + 2, "0123456789:;<=>?");
	length += strspn(at + length, " !\"#$%&'()*+,-./");
	return length + (at[length] && at[length] != '\033');
}

// Drops queries from the history: a terminal would answer them, and the command would get the
// answers as keys.
static size_t keep_text_and_colours(char *bytes, size_t length)
{
	size_t used = 0, step;
	char shown[STR_SHOWN_MAX];
	bytes[length] = '\0';
	for (size_t i = 0; i < length; i += step) {
		bool acts = bytes[i] == '\033';
		step = acts ? escape_sequence_length(bytes + i) : str_next(bytes + i, shown);
		bool colours = acts && bytes[i + 1] == '[' &&
			       bytes[i + 2 + strspn(bytes + i + 2, "0123456789:;")] == 'm';
		if (colours || (!acts && (!shown[0] || memchr("\b\t\n\r", bytes[i], 4)))) {
			memmove(bytes + used, bytes + i, step);
			used += step;
		}
	}
	return used;
}

// Returns 1 if there may be more output.
static int read_output(struct attached *attached)
{
	bool history = attached->offset < attached->joined_at;
	struct passing_stream *shown = &attached->shown;
	if (stream_is_full(shown))
		return 1;
	ssize_t got = ring_read(attached->file, &attached->offset, shown->bytes,
				history ? (size_t)(attached->joined_at - attached->offset)
					: sizeof(shown->bytes));
	if (got < 0)
		return fail(0, "the file of the output cannot be read");
	attached->offset += (uint64_t)got;
	shown->at = 0;
	shown->used = history ? keep_text_and_colours(shown->bytes, (size_t)got) : (size_t)got;
	return got > 0;
}

static void keep_key(struct passing_stream *typed, char key)
{
	if (typed->used < sizeof(typed->bytes))
		typed->bytes[typed->used++] = key;
}

// Always reads the keyboard, for ^P^Q. Keys without room are dropped, as terminals do.
static void type(struct attached *attached)
{
	char bytes[TYPED_MAX];
	ssize_t got = read(STDIN_FILENO, bytes, sizeof(bytes));
	struct passing_stream *typed = &attached->keys;
	typed->used -= typed->at;
	memmove(typed->bytes, typed->bytes + typed->at, typed->used);
	typed->at = 0;
	attached->detached = got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
	for (ssize_t i = 0; i < got && !attached->detached; i++) {
		if (attached->escaping && bytes[i] == CTRL_Q) {
			attached->detached = true;
			break;
		}
		if (attached->escaping)
			keep_key(typed, CTRL_P);
		attached->escaping = bytes[i] == CTRL_P;
		if (!attached->escaping)
			keep_key(typed, bytes[i]);
	}
}

// Signals that would end this process detach it.
static void take_signal(struct attached *attached)
{
	struct signalfd_siginfo info;
	if (read(attached->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	if (info.ssi_signo == SIGCONT)
		raw_terminal_begin(&attached->terminal);
	else if (info.ssi_signo != SIGWINCH)
		attached->detached = true;
	raw_terminal_copy_size(attached->master);
}

static int turn(struct attached *attached)
{
	char notes[4096];
	bool lives = record_lives(attached->record.lock); // checked before the last read
	int more = read_output(attached);
	TRY(more);
	attached->ended = !lives && !more;
	bool shown = stream_is_full(&attached->shown);
	struct pollfd events[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = stream_is_full(&attached->keys) ? attached->keys.to : -1,
		  .events = POLLOUT },
		{ .fd = shown ? attached->shown.to : -1, .events = POLLOUT },
		{ .fd = attached->changes, .events = POLLIN },
		{ .fd = attached->signals, .events = POLLIN },
	};
	if (attached->ended || poll(events, sizeof(events) / sizeof(*events),
				    more && !shown ? 0 : AGAIN_MILLISECONDS) <= 0)
		return 0;
	if (events[0].revents)
		type(attached);
	if (events[1].revents)
		stream_empty(&attached->keys);
	if (events[2].revents)
		stream_empty(&attached->shown);
	if (events[3].revents)
		(void)!read(attached->changes, notes, sizeof(notes));
	if (events[4].revents)
		take_signal(attached);
	return attached->shown.to < 0 ? fail(0, "the terminal takes no output") : 0;
}

static const int ended[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH, SIGCONT };

static int begin(const char *id, struct attached *attached, const struct live_box **ret_live)
{
	struct arena *arena = arena_new_of(BOXES_BYTES);
	struct ring_head head;
	struct held_box held;
	char path[64];
	if (!isatty(STDIN_FILENO))
		return fail(0, "attach: stdin is not a terminal; to see the output: sbx logs -f %s",
			    id);
	const struct live_box *live = boxes_live(arena, id, &held);
	if (!live)
		return -1;
	attached->record = held.record;
	TRY(attached->master = control_socket_attach(held.record.directory, live->run));
	if (!raw_terminal_is_master(attached->master))
		return fail(0, "run %s has no terminal", live->id);
	TRY(attached->file = boxes_output(&attached->record, live->id));
	if (!ring_read_head(attached->file, &head))
		return fail(0, "the file of the output cannot be read");
	begin_at(attached, head.total);
	stream_init(&attached->shown, STDOUT_FILENO);
	stream_init(&attached->keys, STDIN_FILENO);
	attached->keys.to = attached->master;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", attached->file);
	attached->changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	attached->signals = signals_held(ended, sizeof(ended) / sizeof(*ended));
	if (attached->changes < 0 || attached->signals < 0 ||
	    inotify_add_watch(attached->changes, path, IN_MODIFY | IN_CLOSE_WRITE) < 0)
		return fail(errno, "watch the output");
	*ret_live = live;
	return 0;
}

// Resets the terminal, and waits only for a while: the box may have left any mode, and a full
// buffer.
static void say_last(struct out *out)
{
	static struct passing_stream words;
	stream_init(&words, STDERR_FILENO);
	struct pollfd event = { .fd = words.to, .events = POLLOUT };
	words.used = out->used;
	memcpy(words.bytes, out->text, out->used);
	out_free(out);
	poll(&event, 1, AGAIN_MILLISECONDS);
	terminal_lines_reset_terminal();
	while (stream_is_full(&words) && poll(&event, 1, AGAIN_MILLISECONDS) > 0)
		stream_empty(&words);
}

static int attach(const char *id)
{
	static struct attached attached = { .changes = -1, .signals = -1 };
	const struct live_box *live;
	struct out out = { 0 };
	int result = 0, status = STATUS_FAILURE;
	TRY(begin(id, &attached, &live));
	out_text(&out, "sbx: attached to run %s; ^P^Q detaches\n", live->id);
	out_flush(&out, STDERR_FILENO);
	raw_terminal_begin(&attached.terminal);
	raw_terminal_copy_size(attached.master);
	while (result == 0 && !attached.ended && !attached.detached)
		result = turn(&attached);
	if (stream_is_full(&attached.keys))
		stream_empty(&attached.keys);
	raw_terminal_end(&attached.terminal);
	if (result < 0)
		terminal_lines_reset_terminal();
	TRY(result);
	if (attached.ended) {
		record_status(attached.record.lock, &status);
		return status;
	}
	out_text(&out, "\nsbx: detached from run %s, which continues; to return: sbx attach %s\n",
		 live->id, live->id);
	say_last(&out);
	return STATUS_OK;
}

int verb_attach(char **words)
{
	struct box *box = box_new();
	if (box_read(box, VERB_ATTACH, words) < 0)
		return box_failed();
	char **rest = box->arguments.rest;
	int result = rest[0] && !rest[1] ? attach(rest[0]) : fail(0, "usage: sbx attach ID");
	return result < 0 ? box_failed() : result;
}
