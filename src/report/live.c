// Owns the lines on the terminal, while a run lasts and at its end.
#include "report/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "plan.h"
#include "report/findings.h"

enum { SECOND = 1000, AGAIN_MILLISECONDS = 500 };

void live_begin(struct live *live)
{
	*live = (struct live){ .fd = -1 };
}

void live_end(struct live *live)
{
	fd_close(&live->fd);
	out_free(&live->rest);
}

// For whom, and how, is an option; a model reads the report of the end.
static bool is_for_person(const struct plan *plan)
{
	enum telling level = plan->profile->report;
	return level == TELL_FULL || (level == TELL_SHORT && !plan->terse);
}

static bool open_terminal(struct live *live)
{
	struct termios modes;
	if (tcgetattr(STDERR_FILENO, &modes) < 0)
		return false;
	live->fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return live->fd >= 0;
}

// As a shell leaves it to a command. Who has asked that background jobs keep quiet is heard.
static bool is_line_by_line(int fd)
{
	const tcflag_t local = ICANON | ECHO, output = OPOST | ONLCR;
	struct termios modes;
	return tcgetattr(fd, &modes) == 0 && (modes.c_lflag & local) == local &&
	       (modes.c_oflag & output) == output &&
	       (!(modes.c_lflag & TOSTOP) || tcgetpgrp(fd) == getpgrp());
}

// Brings the cursor to an empty line, wherever it is: blanks for a whole line, of which the
// terminal breaks those that do not fit, and a carriage return. Where that is not known, a line
// feed.
static void begin_line(unsigned columns, bool plain, struct out *out)
{
	enum { COLUMNS_MAX = 500 };
	if (plain || columns == 0 || columns > COLUMNS_MAX)
		out_text(out, "\r\n");
	else
		out_text(out, "%*s\r", (int)columns, "");
}

// False when the terminal does not take it now: stopped by ^S, or slow.
static bool send_rest(struct live *live)
{
	ssize_t got = live->rest.used ? write(live->fd, live->rest.text, live->rest.used) : 0;
	if (got < 0 && errno != EAGAIN && errno != EINTR)
		got = (ssize_t)live->rest.used; // it is gone
	if (got > 0) {
		live->rest.used -= (size_t)got;
		memmove(live->rest.text, live->rest.text + got, live->rest.used);
	}
	return live->rest.used == 0;
}

static void put_lines(struct live *live, const struct out *lines)
{
	struct winsize size = { 0 };
	const char *kind = getenv("TERM");
	bool plain = !kind || str_equal(kind, "dumb") || ioctl(live->fd, TIOCGWINSZ, &size) < 0;
	begin_line(size.ws_col, plain, &live->rest);
	out_visible(&live->rest, lines->text, lines->used);
	send_rest(live);
}

// At most `room` lines: each denial its own, or where they are too many a last line that counts.
static void show(struct live *live, struct denials *denials, unsigned room)
{
	struct out lines = { 0 };
	unsigned waiting = denials->count - live->next;
	unsigned single = waiting <= room ? waiting : room - 1;
	for (unsigned i = 0; i < single; i++) {
		struct denial *denial = &denials->all[live->next++];
		if (denial->update_check) // the end says whether the command failed
			continue;
		denied_line(denial, &lines);
		denial->shown = denial->count;
	}
	if (waiting > single)
		out_text(&lines, "sbx: %u more refusals; the report at the end counts them\n",
			 waiting - single);
	live->next = denials->count;
	live->lines += single + (waiting > single);
	live->all += single + (waiting > single);
	if (lines.used > 0)
		put_lines(live, &lines);
	out_free(&lines);
}

// What was taken away may be the user's own: at most `room` lines.
static void show_findings(struct live *live, const struct findings *found, unsigned room)
{
	struct out lines = { 0 };
	struct reported one;
	while (room > 0 && findings_next(found, &live->seen, &one)) {
		struct findings alone = { 0 };
		if (finding_rows[one.kind].severity < SEVERITY_WARNING)
			continue;
		findings_add(&alone, one.kind, one.path, one.detail, one.fix);
		findings_text(&alone, READER_PERSON, &lines);
		findings_free(&alone);
		room--;
		live->lines++;
		live->all++;
	}
	if (lines.used > 0)
		put_lines(live, &lines);
	out_free(&lines);
}

static void look(struct live *live, const struct plan *plan, struct denials *denials,
		 const struct findings *found, int64_t now)
{
	if (live->state == LIVE_UNASKED)
		live->state = is_for_person(plan) && open_terminal(live) ? LIVE_ON : LIVE_OFF;
	live->again = 0;
	if (live->state == LIVE_OFF)
		return;
	if (!is_line_by_line(live->fd) || !send_rest(live)) {
		live->again = now + AGAIN_MILLISECONDS;
		return;
	}
	if (now - live->second >= SECOND)
		live->second = now, live->lines = 0;
	unsigned waiting = denials->count - live->next;
	show_findings(live, found, LIVE_LINES_A_SECOND - live->lines);
	unsigned room = LIVE_LINES_A_SECOND - live->lines;
	if (live->seen < found->records.used)
		live->again = live->second + SECOND;
	if (waiting == 0)
		return;
	if (live->lines > 0 && waiting > room)
		live->again = live->second + SECOND;
	else if (live->all + LIVE_LINES_A_SECOND > LIVE_LINES_MAX)
		live->state = LIVE_OFF;
	else
		show(live, denials, room);
	if (live->rest.used)
		live->again = now + AGAIN_MILLISECONDS;
}

bool live_wants(const struct live *live)
{
	return live->state != LIVE_OFF;
}

void live_turn(struct live *live, const struct plan *plan, struct denials *denials,
	       const struct findings *found)
{
	if (!live_wants(live) ||
	    (live->next == denials->count && !live->rest.used && live->seen == found->records.used))
		return;
	int64_t now = steady_now();
	if (now >= live->again)
		look(live, plan, denials, found, now);
}

int live_wait(const struct live *live, int milliseconds)
{
	int64_t left = live->again ? live->again - steady_now() : -1;
	if (!live->again)
		return milliseconds;
	left = left < 0 ? 0 : left;
	return milliseconds < 0 || left < milliseconds ? (int)left : milliseconds;
}

// Ends what a box may have begun on a terminal and what would hide our lines, by xterm's ctlseqs: a
// string, VT52 mode, output to a printer, an update that is held back, the other screen; margins
// and origin mode, with the cursor as it is; character sets, attributes; inserted and cut lines,
// and a hidden cursor. ?1049l and DECSTR are not used: these move the cursor, or reset what a user
// set.
static const char plain_terminal[] = "\030\033\\\033<\033[4i\033[?2026l\033[?1047l"
				     "\0337\033[?69l\033[?6l\033[r\0338"
				     "\033(B\017\033[m\033[4l\033[?7h\033[?25h";

// A terminal that a box has stopped, or whose other end is not read, holds nothing up for longer.
void live_report(struct out *out)
{
	enum { PATIENCE_MILLISECONDS = 1000 };
	struct out shown = { 0 };
	struct termios modes;
	bool terminal = out->used > 0 && tcgetattr(STDERR_FILENO, &modes) == 0;
	autoclose int fd =
		terminal ? open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
			 : -1;
	struct pollfd event = { .fd = fd, .events = POLLOUT };
	if (fd < 0) {
		out_flush(out, STDERR_FILENO);
		return;
	}
	out_text(&shown, "%s", plain_terminal);
	out_visible(&shown, out->text, out->used);
	int64_t end = steady_now() + PATIENCE_MILLISECONDS, left;
	for (size_t sent = 0; sent < shown.used && (left = end - steady_now()) > 0;) {
		ssize_t got = write(fd, shown.text + sent, shown.used - sent);
		sent += got > 0 ? (size_t)got : 0;
		if (got < 0 && (errno != EAGAIN || poll(&event, 1, (int)left) < 0))
			break;
	}
	out_free(&shown);
}
