// Owns the lines on the terminal during a run, and the writing of the report.
#include "report/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "plan.h"
#include "report/findings.h"

enum { SECOND = 1000, AGAIN_MILLISECONDS = 500 };

void terminal_lines_begin(struct terminal_lines *live)
{
	*live = (struct terminal_lines){ .fd = -1 };
}

void terminal_lines_end(struct terminal_lines *live)
{
	fd_close(&live->fd);
	out_free(&live->unsent);
}

static bool is_for_person(const struct plan *plan)
{
	enum telling level = plan->profile->report;
	return level == TELL_FULL || (level == TELL_SHORT && !plan->terse);
}

// Tries /dev/tty, too: below su(1) the terminal's file belongs to another user.
int terminal_lines_reopen_terminal(int fd)
{
	char path[64];
	unsigned device, ours = 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const char *const names[] = { path, "/dev/tty" };
	for (size_t i = 0; ioctl(fd, TIOCGDEV, &device) == 0 && i < 2; i++) {
		autoclose int own = open(names[i], O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (own >= 0 && ioctl(own, TIOCGDEV, &ours) == 0 && ours == device)
			return take(&own);
	}
	return -1;
}

// Whether a line disturbs nobody. With TOSTOP writing would stop a background job.
static bool is_in_line_mode(int fd)
{
	const tcflag_t local = ICANON | ECHO, output = OPOST | ONLCR;
	struct termios modes;
	return tcgetattr(fd, &modes) == 0 && (modes.c_lflag & local) == local &&
	       (modes.c_oflag & output) == output &&
	       (!(modes.c_lflag & TOSTOP) || tcgetpgrp(fd) == getpgrp());
}

// Overwrites a line with blanks, or begins another if the width is unknown.
static void begin_empty_line(unsigned columns, bool plain, struct out *out)
{
	enum { COLUMNS_MAX = 500 };
	if (plain || columns == 0 || columns > COLUMNS_MAX)
		out_text(out, "\r\n");
	else
		out_text(out, "%*s\r", (int)columns, "");
}

// For each kind of descriptor offer() uses a system call that never waits: a box can clear
// O_NONBLOCK of a shared description.
struct sink {
	int fd, memory; // `memory`: memfd with the text, for splice()
	mode_t kind;
};

static ssize_t offer(const struct sink *sink, const struct out *out, size_t sent)
{
	struct iovec part = { out->text + sent, out->used - sent };
	loff_t at = (loff_t)sent;
	if (S_ISFIFO(sink->kind) && sink->memory < 0) // no descriptor was free for a memfd
		return pwritev2(sink->fd, &part, 1, -1, RWF_NOWAIT);
	if (S_ISFIFO(sink->kind)) // a named pipe refuses RWF_NOWAIT
		return splice(sink->memory, &at, sink->fd, NULL, part.iov_len, SPLICE_F_NONBLOCK);
	if (S_ISSOCK(sink->kind)) { // a datagram socket takes a line at a time
		const char *end = memchr(part.iov_base, '\n', part.iov_len);
		return send(sink->fd, part.iov_base,
			    end ? (size_t)(end + 1 - (const char *)part.iov_base) : part.iov_len,
			    MSG_DONTWAIT | MSG_NOSIGNAL);
	}
	// The command may have moved the file's offset.
	return S_ISREG(sink->kind) ? pwritev2(sink->fd, &part, 1, -1, RWF_APPEND)
				   : write(sink->fd, part.iov_base, part.iov_len);
}

static bool send_unsent(struct terminal_lines *live)
{
	struct stat status = { 0 };
	if (live->unsent.used == 0)
		return true;
	fstat(live->fd, &status);
	ssize_t got = offer(&(struct sink){ live->fd, -1, status.st_mode }, &live->unsent, 0);
	if (got < 0 && errno != EAGAIN && errno != EINTR && errno != ENOBUFS)
		got = (ssize_t)live->unsent.used;
	if (got > 0) {
		live->unsent.used -= (size_t)got;
		memmove(live->unsent.text, live->unsent.text + got, live->unsent.used);
	}
	return live->unsent.used == 0;
}

static void put_lines(struct terminal_lines *live, const struct out *lines)
{
	struct winsize size = { 0 };
	const char *kind = getenv("TERM");
	bool plain = !kind || str_equal(kind, "dumb") || ioctl(live->fd, TIOCGWINSZ, &size) < 0;
	if (!live->log)
		begin_empty_line(size.ws_col, plain, &live->unsent);
	out_visible(&live->unsent, lines->text, lines->used);
	send_unsent(live);
}

static bool is_shown(const struct denial *denial)
{
	return !denial->update_check && !denial->on_failure;
}

static unsigned count_waiting(const struct terminal_lines *live, const struct denials *denials)
{
	unsigned waiting = 0;
	for (unsigned i = live->next; i < denials->count; i++)
		waiting += is_shown(&denials->all[i]);
	return waiting;
}

static void show(struct terminal_lines *live, const struct plan *plan, struct denials *denials,
		 unsigned waiting, unsigned room)
{
	struct out lines = { 0 };
	unsigned single = waiting <= room ? waiting : room - 1;
	for (unsigned left = single; left > 0; live->next++) {
		struct denial *denial = &denials->all[live->next];
		if (!is_shown(denial))
			continue;
		denied_line(plan, plan->ready > 0 ? getpid() : 0, denial, &lines);
		denial->shown = denial->count;
		left--;
	}
	if (waiting > single)
		out_text(&lines, "sbx: %u more refusals; the report at the end counts them\n",
			 waiting - single);
	live->next = denials->count;
	live->lines += single + (waiting > single);
	live->lines_of_run += single + (waiting > single);
	if (lines.used > 0)
		put_lines(live, &lines);
	out_free(&lines);
}

static void show_findings(struct terminal_lines *live, const struct findings *found, unsigned room)
{
	struct out lines = { 0 };
	struct reported one;
	while (room > 0 && findings_next(found, &live->findings_shown, &one)) {
		struct findings alone = { 0 };
		if (finding_rows[one.kind].severity < SEVERITY_WARNING)
			continue;
		findings_add(&alone, one.kind, one.path, one.detail, one.fix);
		findings_text(&alone, READER_PERSON, &lines);
		findings_free(&alone);
		room--;
		live->lines++;
		live->lines_of_run++;
	}
	if (lines.used > 0)
		put_lines(live, &lines);
	out_free(&lines);
}

static void look(struct terminal_lines *live, const struct plan *plan, struct denials *denials,
		 const struct findings *found, int64_t now)
{
	if (live->state == TERMINAL_UNASKED) {
		live->fd = is_for_person(plan) ? terminal_lines_reopen_terminal(STDERR_FILENO) : -1;
		live->log =
			live->fd < 0 && is_for_person(plan) && (plan->ready > 0 || plan->logged);
		if (live->log)
			live->fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
		live->state = live->fd >= 0 ? TERMINAL_ON : TERMINAL_OFF;
	}
	live->next_try = 0;
	if (live->state == TERMINAL_OFF)
		return;
	if ((!live->log && !is_in_line_mode(live->fd)) || !send_unsent(live)) {
		live->next_try = now + AGAIN_MILLISECONDS;
		return;
	}
	if (now - live->second_began >= SECOND)
		live->second_began = now, live->lines = 0;
	unsigned waiting = count_waiting(live, denials);
	show_findings(live, found, TERMINAL_LINES_A_SECOND - live->lines);
	unsigned room = TERMINAL_LINES_A_SECOND - live->lines;
	if (live->findings_shown < found->records.used)
		live->next_try = live->second_began + SECOND;
	if (waiting == 0)
		live->next = denials->count;
	else if (live->lines > 0 && waiting > room)
		live->next_try = live->second_began + SECOND;
	else if (live->lines_of_run + TERMINAL_LINES_A_SECOND > TERMINAL_LINES_MAX)
		live->state = TERMINAL_OFF;
	else
		show(live, plan, denials, waiting, room);
	if (live->unsent.used)
		live->next_try = now + AGAIN_MILLISECONDS;
}

bool terminal_lines_wants(const struct terminal_lines *live)
{
	return live->state != TERMINAL_OFF;
}

void terminal_lines_turn(struct terminal_lines *live, const struct plan *plan,
			 struct denials *denials, const struct findings *found)
{
	if (!terminal_lines_wants(live) || (live->next == denials->count && !live->unsent.used &&
					    live->findings_shown == found->records.used))
		return;
	int64_t now = steady_now();
	if (now >= live->next_try)
		look(live, plan, denials, found, now);
}

int terminal_lines_wait(const struct terminal_lines *live, int milliseconds)
{
	return times_left(live->next_try, milliseconds);
}

// Ends states of the terminal that a box may have begun (xterm's ctlseqs), such as VT52 mode,
// alternate screen, margins and mouse reports. ?1049l and DECSTR would also move the cursor or
// reset the user's modes.
static const char plain_terminal[] = "\030\033\\\033<\033[4i\033[?2026l\033[?1047l"
				     "\0337\033[?69l\033[?6l\033[r\0338"
				     "\033(B\017\033[m\033[4l\033[?7h\033[?25h"
				     "\033[?1000l\033[?1002l\033[?1003l\033[?1004l\033[?2004l";

void terminal_lines_reset_terminal(void)
{
	autoclose int fd = terminal_lines_reopen_terminal(STDERR_FILENO);
	(void)!write(fd, plain_terminal, sizeof(plain_terminal) - 1);
}

static void grow_pipe(const struct sink *sink, size_t left)
{
	enum { ROOM_MAX = 1 << 20, PAGE = 4096 };
	int room = ROOM_MAX, size = fcntl(sink->fd, F_GETPIPE_SZ);
	if (S_ISSOCK(sink->kind))
		setsockopt(sink->fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	if (left < ROOM_MAX - PAGE && size < ROOM_MAX - PAGE - (int)left)
		room = size + (int)left + PAGE;
	for (; size > 0 && room > size; room /= 2)
		if (fcntl(sink->fd, F_SETPIPE_SZ, room) >= 0)
			return;
}

// Returns false if the time is over, or a signal came that ends programs.
static bool wait_more(struct patience *patience)
{
	enum { PAUSE_MILLISECONDS = 10 };
	struct signalfd_siginfo info;
	struct pollfd event = { .fd = patience->signals, .events = POLLIN };
	if (steady_now() >= patience->until)
		return false;
	poll(&event, 1, PAUSE_MILLISECONDS);
	while (read(patience->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo == SIGINT || info.ssi_signo == SIGTERM ||
		    info.ssi_signo == SIGHUP || info.ssi_signo == SIGQUIT)
			patience->until = 0;
	return true;
}

static int put_all(const struct sink *sink, const struct out *out, struct patience *patience)
{
	bool grown = false;
	for (size_t sent = 0; sent < out->used;) {
		ssize_t put = offer(sink, out, sent);
		if (put > 0)
			sent += (size_t)put;
		else if (put < 0 && errno == EPIPE && S_ISFIFO(sink->kind))
			return 0; // the reader has ended, like head(1)
		else if (put < 0 && errno != EAGAIN && errno != EINTR && errno != ENOBUFS)
			return -1;
		else if (!grown)
			grown = true, grow_pipe(sink, out->used - sent);
		else if (!wait_more(patience))
			return errno = EAGAIN, -1;
	}
	return 0;
}

int terminal_lines_say(struct out *out, int fd, struct patience *patience)
{
	struct patience some = { steady_now() + PATIENCE_MILLISECONDS, -1 };
	struct out shown = { 0 };
	struct stat status = { 0 };
	bool terminal = out->used > 0 && isatty(fd);
	autoclose int own = terminal ? terminal_lines_reopen_terminal(fd) : -1, memory = -1;
	fstat(fd, &status);
	if (terminal && patience && fd == STDERR_FILENO) {
		tcflow(fd, TCOON);
		out_text(&shown, "%s", plain_terminal);
	}
	out_visible(&shown, out->used ? out->text : "", out->used);
	out_free(out);
	if (S_ISFIFO(status.st_mode) && shown.used > 0)
		memory = fd_memory("sbx", MEMORY_PLAIN);
	int result = memory < 0 ? 0 : fd_write_all(memory, shown.text, shown.used);
	// The box is dead: O_NONBLOCK on a device's shared description disturbs none of its
	// processes.
	int flags = S_ISCHR(status.st_mode) && own < 0 ? fcntl(fd, F_GETFL) : -1;
	if (flags >= 0)
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	if (result == 0)
		result = put_all(&(struct sink){ own < 0 ? fd : own, memory, status.st_mode },
				 &shown, patience ? patience : &some);
	int problem = errno;
	if (flags >= 0)
		fcntl(fd, F_SETFL, flags);
	out_free(&shown);
	errno = problem;
	return result;
}
