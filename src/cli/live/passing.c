// Owns the streams and denials between a command of sbx exec and its caller.
#include "cli/live/passing.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "report/summary.h"

void stream_init(struct passing_stream *stream, int number)
{
	stream->input = number == STDIN_FILENO;
	stream->most = SIZE_MAX;
	stream->from = -1;
	int own = stream->input ? -1 : terminal_lines_reopen_terminal(number);
	stream->to = own < 0 && !stream->input ? number : own;
}

int stream_pipe(struct passing_stream *stream)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail(errno, "pipe");
	fcntl(ends[stream->input], F_SETFL, O_NONBLOCK);
	*(stream->input ? &stream->to : &stream->from) = ends[stream->input];
	stream->from = stream->input ? STDIN_FILENO : stream->from;
	return ends[!stream->input];
}

void stream_end(struct passing_stream *stream)
{
	fd_close(stream->input ? &stream->to : &stream->from);
	stream->from = stream->to = -1;
	stream->at = stream->used = 0;
}

void stream_fill(struct passing_stream *stream)
{
	size_t most = sizeof(stream->bytes) < stream->most ? sizeof(stream->bytes) : stream->most;
	ssize_t got = read(stream->from, stream->bytes, most);
	stream->at = 0;
	stream->used = got > 0 ? (size_t)got : 0;
	stream->most -= stream->used;
	stream->last = steady_now();
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		stream_end(stream);
}

// Writes at most what a pipe takes at once: a slow reader does not delay the other streams.
void stream_empty(struct passing_stream *stream)
{
	size_t left = stream->used - stream->at;
	ssize_t put =
		write(stream->to, stream->bytes + stream->at, left < PIPE_BUF ? left : PIPE_BUF);
	if (put > 0)
		stream->at += (size_t)put;
	else if (errno != EAGAIN && errno != EINTR)
		stream_end(stream);
}

int signals_held(const int *numbers, size_t count)
{
	sigset_t set;
	struct sigaction action;
	sigemptyset(&set);
	for (size_t i = 0; i < count; i++)
		sigaddset(&set, numbers[i]);
	if (sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
		sigdelset(&set, SIGHUP);
	signal(SIGPIPE, SIG_IGN); // SIGPIPE would leave the terminal raw
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int stdin_is_given(void)
{
	struct stat status;
	if (fstat(STDIN_FILENO, &status) < 0)
		return fail(errno, "stdin");
	if (S_ISDIR(status.st_mode))
		return fail(0,
			    "descriptor %d is a directory, which would lead out of the box; "
			    "give it another: %d</dev/null",
			    STDIN_FILENO, STDIN_FILENO);
	return S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode) || S_ISSOCK(status.st_mode);
}

static void say(struct command_denials *heard, bool raw, struct out *out)
{
	for (; heard->reported < heard->denials.count; heard->reported++) {
		struct denial *denial = &heard->denials.all[heard->reported];
		if (denial->on_failure)
			continue;
		out_text(out, raw && out->used == 0 ? "\r\n" : "");
		denied_line(NULL, heard->run, denial, out);
		out_text(out, raw ? "\r" : "");
		denial->shown = denial->count;
	}
	out_flush(out, STDERR_FILENO);
}

void heard_take(struct command_denials *heard, const struct exec_denied *denied, bool quiet,
		int master)
{
	struct out out = { 0 };
	struct termios modes;
	bool drawn = master >= 0 && (tcgetattr(master, &modes) < 0 || !(modes.c_lflag & ICANON));
	heard->denials.lost += denied->lost[0] + denied->lost[1];
	heard->denials.lost_writes += denied->lost[1];
	struct denial one = denied->denial;
	one.count = 1; // the line counts only this command's denials
	denials_add_copy(&heard->denials, &one);
	if (!quiet && !drawn)
		say(heard, master >= 0, &out);
}

void heard_end(struct command_denials *heard, bool quiet, bool succeeded)
{
	struct out out = { 0 };
	denials_close(&heard->denials, succeeded);
	if (!quiet)
		denied_text(NULL, heard->run, &heard->denials, READER_PERSON, &out);
	out_flush(&out, STDERR_FILENO);
}
