// Owns the terminal while a question is open.
#include "ask/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/ask.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/steady.h"
#include "base/str.h"
#include "base/sys.h"
#include "net/host/questions.h"
#include "notify/foreground.h"
#include "plan.h"
#include "run.h"

enum {
	LEAST_MILLISECONDS = 3000, // that a person has to answer: what has less is no
	STOP_MILLISECONDS = 2000,  // for the box to stop
	SETTLE_MILLISECONDS = 2,   // for those that run on another processor
	LOOK_MILLISECONDS = 250,   // between looks whether we are in front
	WRITE_MILLISECONDS = 20,   // between tries where the terminal takes nothing
};

int terminal_plan(const struct plan *plan)
{
	autoclose int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (terminal < 0)
		return fail(
			0,
			"--ask needs a terminal; for a program that answers: --ask-program PROG");
	if (plan->tier == TIER_LANDLOCK)
		return fail(0, "--ask cannot stop a box of tier landlock; for a program that "
			       "answers: --ask-program PROG");
	return 0;
}

// --- the terminal --------------------------------------------------------------------------------

// SIGTTOU is blocked: this also works from behind.
static bool take_terminal(struct run *run)
{
	struct ask_terminal *terminal = &run->ask->terminal;
	terminal->group = tcgetpgrp(run->terminal);
	int flags = fcntl(run->terminal, F_GETFL);
	if (!foreground_is_ours(terminal->group, run->caller_group, run->init) ||
	    tcgetattr(run->terminal, &terminal->before) < 0 || flags < 0 ||
	    fcntl(run->terminal, F_SETFL, flags | O_NONBLOCK) < 0 ||
	    tcsetpgrp(run->terminal, run->caller_group) < 0)
		return false;
	struct termios own = terminal->before;
	own.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL | ISIG | IEXTEN);
	own.c_iflag &= ~(tcflag_t)(IXON | IXOFF | IXANY | INLCR | IGNCR | ISTRIP | INPCK);
	own.c_oflag |= OPOST | ONLCR;
	own.c_cc[VMIN] = 1;
	own.c_cc[VTIME] = 0;
	if (tcsetattr(run->terminal, TCSANOW, &own) == 0)
		return true;
	tcsetpgrp(run->terminal, terminal->group);
	return false;
}

static void give_terminal(struct run *run)
{
	struct ask_terminal *terminal = &run->ask->terminal;
	const tcflag_t line = ICANON;
	tcflush(run->terminal, TCIFLUSH);
	tcsetattr(run->terminal, TCSANOW, &terminal->before);
	tcsetpgrp(run->terminal, terminal->group);
	if (!(terminal->before.c_lflag & line)) // what draws, draws again
		kill(-terminal->group, SIGWINCH);
}

static bool holds_terminal(const struct ask_terminal *terminal)
{
	return terminal->state > TERMINAL_STOPS;
}

void terminal_leave(struct run *run)
{
	struct ask_terminal *terminal = &run->ask->terminal;
	static const char end[] = "\r\n";
	if (holds_terminal(terminal)) {
		if (write(run->terminal, end, sizeof(end) - 1) < 0)
			errno = 0; // it is gone, or full
		give_terminal(run);
		// Before the shell above it, which would take it for a job that was stopped.
		kill(-terminal->group, SIGCONT);
	}
	if (terminal->state != TERMINAL_FREE)
		fd_order(run->from_box, run->pidfd, SIGNAL_ORDER, SIGNAL_RESUME);
	terminal->state = TERMINAL_FREE;
	terminal->again = 0;
	terminal->rest.used = 0;
}

// --- the question --------------------------------------------------------------------------------

static int conclude(const struct plan *plan, struct run *run, enum answered answer,
		    enum hold_answer why)
{
	struct ask_terminal *terminal = &run->ask->terminal;
	terminal_leave(run);
	for (unsigned i = 0; i < terminal->count; i++)
		TRY(ask_give(plan, run->proxy, terminal->asked[i], answer, why, &run->ask->unkept));
	terminal->count = 0;
	return 0;
}

static void remember(struct ask_terminal *terminal, int64_t now)
{
	memmove(terminal->recent, terminal->recent + 1,
		(RECENT_MAX - 1) * sizeof(terminal->recent[0]));
	terminal->recent[RECENT_MAX - 1] = now;
}

// All that waits, when there are too many for one after the other; else the one that waits longest.
static void choose(const struct plan *plan, struct run *run, struct ask_terminal *terminal)
{
	terminal->count =
		questions_list(run->proxy, terminal->asked,
			       terminal->count > 1 || questions_waiting(run->proxy) > RECENT_MAX
				       ? QUESTION_LIST_MAX
				       : 1);
	bool project = terminal->count == 1 && plan->toplevel;
	terminal->letters = project ? "orpn" : "orn";
	terminal->end = terminal->count ? terminal->asked[0]->since + QUESTION_MILLISECONDS : 0;
}

static void show(struct run *run, int64_t now)
{
	struct ask_terminal *terminal = &run->ask->terminal;
	const char *kind = getenv("TERM");
	int64_t left = terminal->end - now;
	question_text((const struct host_question *const *)terminal->asked, terminal->count,
		      terminal->letters, (unsigned)(left > 0 ? left / 1000 : 0),
		      kind && *kind && !str_equal(kind, "dumb"), &terminal->rest);
	terminal->line = (struct answer_line){ 0 };
	terminal->state = TERMINAL_SHOWS;
}

// Whether all was taken.
static bool write_rest(struct run *run)
{
	struct out *rest = &run->ask->terminal.rest;
	ssize_t got = rest->used ? write(run->terminal, rest->text, rest->used) : 0;
	if (got > 0) {
		rest->used -= (size_t)got;
		memmove(rest->text, rest->text + got, rest->used);
	}
	return rest->used == 0;
}

// --- states --------------------------------------------------------------------------------------

static int begin(struct run *run, int64_t now)
{
	struct ask_terminal *terminal = &run->ask->terminal;
	const struct host_question *next = questions_next(run->proxy);
	terminal->again = 0;
	if (!next)
		return 0;
	// More than five in ten seconds are collected, and become one.
	if (terminal->recent[0] && now - terminal->recent[0] < RECENT_MILLISECONDS) {
		terminal->again = terminal->recent[0] + RECENT_MILLISECONDS;
		terminal->count = QUESTION_LIST_MAX;
		return 0;
	}
	if (!foreground_is_ours(tcgetpgrp(run->terminal), run->caller_group, run->init)) {
		terminal->again = now + LOOK_MILLISECONDS;
		return 0;
	}
	remember(terminal, now);
	terminal->stopped = false;
	terminal->state = TERMINAL_STOPS;
	terminal->again = now + STOP_MILLISECONDS;
	fd_order(run->from_box, run->pidfd, SIGNAL_ORDER, SIGNAL_PAUSE);
	return 0;
}

static int stopped(const struct plan *plan, struct run *run, int64_t now)
{
	struct ask_terminal *terminal = &run->ask->terminal;
	if (!terminal->stopped && now < terminal->again)
		return 0;
	choose(plan, run, terminal);
	usleep(SETTLE_MILLISECONDS * 1000);
	if (!terminal->stopped || terminal->count == 0 || !take_terminal(run))
		return conclude(plan, run, ANSWERED_NO, HOLD_UNANSWERED);
	tcflush(run->terminal, TCIFLUSH);
	show(run, now);
	return 1;
}

static int shown(struct run *run, int64_t now)
{
	struct ask_terminal *terminal = &run->ask->terminal;
	terminal->again = now + WRITE_MILLISECONDS;
	if (!write_rest(run))
		return 0;
	terminal->again = now + SILENCE_MILLISECONDS;
	terminal->state = TERMINAL_SILENCE;
	return 1;
}

// What was typed before, and what the terminal itself answers to the box's last words. Many that
// came meanwhile make it a list.
static int be_silent(const struct plan *plan, struct run *run, int64_t now)
{
	struct ask_terminal *terminal = &run->ask->terminal;
	char bytes[256];
	ssize_t got = read(run->terminal, bytes, sizeof(bytes));
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		return conclude(plan, run, ANSWERED_NO, HOLD_UNANSWERED);
	if (got > 0)
		terminal->again = now + SILENCE_MILLISECONDS;
	if (terminal->count == 1 && questions_waiting(run->proxy) > RECENT_MAX) {
		choose(plan, run, terminal);
		show(run, now);
		return 1;
	}
	if (now < terminal->again)
		return 0;
	terminal->state = TERMINAL_READS;
	terminal->again = 0;
	return 1;
}

static int take_byte(const struct plan *plan, struct run *run, unsigned char byte)
{
	static const char once_more[] = "\nsbx: not an answer; a letter and Enter: ";
	struct ask_terminal *terminal = &run->ask->terminal;
	enum answered answer = ANSWERED_NO;
	switch (answer_byte(&terminal->line, byte, terminal->letters, &answer)) {
	case ANSWER_MORE:
		if (terminal->line.letter && terminal->line.length == 1)
			out_bytes(&terminal->rest, &terminal->line.letter, 1);
		return 0;
	case ANSWER_AGAIN:
		out_bytes(&terminal->rest, once_more, sizeof(once_more) - 1);
		return 0;
	case ANSWER_GIVEN:
		TRY(conclude(plan, run, answer, HOLD_REFUSED));
		return 1;
	case ANSWER_LEFT:
		TRY(conclude(plan, run, ANSWERED_NO, HOLD_REFUSED));
		return 1;
	}
	return 0;
}

static int read_answer(const struct plan *plan, struct run *run, int64_t now)
{
	struct ask_terminal *terminal = &run->ask->terminal;
	unsigned char bytes[64];
	ssize_t got = read(run->terminal, bytes, sizeof(bytes));
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		return conclude(plan, run, ANSWERED_NO, HOLD_UNANSWERED);
	for (ssize_t i = 0; i < got; i++) {
		int done = take_byte(plan, run, bytes[i]);
		TRY(done);
		if (done)
			return 1;
	}
	terminal->again = write_rest(run) ? 0 : now + WRITE_MILLISECONDS;
	return 0;
}

// 1: the next state has something to do at once.
static int step(const struct plan *plan, struct run *run, int64_t now)
{
	const struct ask_terminal *terminal = &run->ask->terminal;
	switch (terminal->state) {
	case TERMINAL_FREE:
		return begin(run, now);
	case TERMINAL_STOPS:
		return stopped(plan, run, now);
	case TERMINAL_SHOWS:
		return shown(run, now);
	case TERMINAL_SILENCE:
		return be_silent(plan, run, now);
	case TERMINAL_READS:
		return read_answer(plan, run, now);
	}
	return 0;
}

// Nobody is asked in time, or any more.
static int expire(const struct plan *plan, struct run *run, int64_t now)
{
	struct host_question *next;
	while ((next = questions_next(run->proxy)) != NULL &&
	       (run->ask->terminal.over ||
		now >= next->since + QUESTION_MILLISECONDS - LEAST_MILLISECONDS))
		TRY(ask_give(plan, run->proxy, next, ANSWERED_NO, HOLD_UNANSWERED,
			     &run->ask->unkept));
	return 0;
}

int terminal_turn(const struct plan *plan, struct run *run)
{
	struct ask_terminal *terminal = &run->ask->terminal;
	int64_t now = steady_now();
	int more = 1;
	if (terminal->over)
		terminal_leave(run);
	if (holds_terminal(terminal) && now >= terminal->end)
		TRY(conclude(plan, run, ANSWERED_NO, HOLD_UNANSWERED));
	if (terminal->state == TERMINAL_FREE)
		TRY(expire(plan, run, now));
	while (more > 0)
		more = step(plan, run, now);
	return more;
}

int terminal_waiting(const struct run *run)
{
	enum ask_terminal_state state = run->ask->terminal.state;
	return state == TERMINAL_SILENCE || state == TERMINAL_READS ? run->terminal : -1;
}

int terminal_wait(const struct ask_terminal *terminal, int milliseconds)
{
	int64_t until = terminal->again;
	if (holds_terminal(terminal) && (!until || terminal->end < until))
		until = terminal->end;
	if (!until)
		return milliseconds;
	int64_t left = until - steady_now();
	left = left < 0 ? 0 : left;
	return milliseconds < 0 || left < milliseconds ? (int)left : milliseconds;
}
