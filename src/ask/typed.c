// Owns the wait for a person's answer on a terminal.
#include "ask/typed.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "net/parse/parse.h"

enum { ALONE_MILLISECONDS = 50, END_OF_TEXT = 3 };

int typed_begin(int terminal, tcflag_t signals, struct termios *ret_before)
{
	struct termios before;
	if (tcgetattr(terminal, &before) < 0)
		return -1;
	struct termios own = before;
	own.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL | ISIG | IEXTEN);
	own.c_lflag |= signals;
	own.c_iflag &= ~(tcflag_t)(IXON | IXOFF | IXANY | INLCR | IGNCR | ISTRIP | INPCK);
	own.c_oflag |= OPOST | ONLCR;
	own.c_cc[VMIN] = 1;
	own.c_cc[VTIME] = 0;
	if (tcsetattr(terminal, TCSANOW, &own) < 0)
		return -1;
	*ret_before = before;
	return 0;
}

// Ends an escape sequence (CAN, ST). Resets colours, palette, character set and scrolling region.
const char *typed_reset(void)
{
	const char *kind = getenv("TERM");
	return kind && *kind && !str_equal(kind, "dumb")
		       ? "\030\033\\\017\033(B\033[0m\033[4l\033[?7h\033[?25h"
			 "\033]104\033\\\033]110\033\\\033]111\033\\\0337\033[r\0338"
		       : "";
}

static int say(const struct typed *typed, const char *text)
{
	return fd_write_all(typed->terminal, text, strlen(text));
}

// Returns 0 after `milliseconds` without input, -1 if none can come.
static ssize_t take_bytes(const struct typed *typed, int milliseconds, char *bytes, size_t size)
{
	struct pollfd both[] = { { .fd = typed->interrupt, .events = POLLIN },
				 { .fd = typed->terminal, .events = POLLIN } };
	int ready;
	do
		ready = poll(both, 2, milliseconds);
	while (ready < 0 && errno == EINTR);
	if (ready <= 0)
		return ready;
	ssize_t got = both[0].revents ? -1 : read(typed->terminal, bytes, size);
	return got > 0 ? got : -1;
}

static int throw_away(const struct typed *typed, int milliseconds)
{
	char bytes[4096];
	ssize_t got;
	int some = 0;
	while ((got = take_bytes(typed, milliseconds, bytes, sizeof(bytes))) > 0) {
		if (memchr(bytes, END_OF_TEXT, (size_t)got))
			return -1;
		some = 1;
	}
	return got < 0 ? -1 : some;
}

static enum reply_step read_line(const struct typed *typed, char *ret_letter)
{
	struct reply_line line = { 0 };
	enum reply_step step = REPLY_MORE;
	char byte;
	while (step == REPLY_MORE) {
		if (take_bytes(typed, -1, &byte, 1) < 0)
			return REPLY_LEFT;
		step = reply_byte(&line, (unsigned char)byte, typed->letters, ret_letter);
		if (step == REPLY_MORE && line.letter && line.length == 1 &&
		    fd_write_all(typed->terminal, &line.letter, 1) < 0)
			return REPLY_LEFT;
	}
	return step;
}

char typed_answer(const struct typed *typed, enum typed_silence silence)
{
	static const char thrown[] = "\nsbx: what was typed before was discarded\n";
	char letter;
	if (say(typed, typed->question) < 0)
		return '\0';
	int some = silence == SILENCE_FIRST ? throw_away(typed, SILENCE_MILLISECONDS) : 0;
	while (some >= 0) {
		if (some > 0 && (say(typed, thrown) < 0 || say(typed, typed->again) < 0))
			return '\0';
		enum reply_step step = read_line(typed, &letter);
		if (step == REPLY_LEFT)
			return '\0';
		some = throw_away(typed, ALONE_MILLISECONDS);
		if (some == 0 && step == REPLY_GIVEN)
			return letter;
		if (some == 0 && (say(typed, "\n") < 0 || say(typed, typed->help) < 0 ||
				  say(typed, typed->again) < 0))
			return '\0';
		int more = some < 0 ? -1 : throw_away(typed, SILENCE_MILLISECONDS);
		some = more < 0 ? -1 : some | more;
	}
	return '\0';
}
