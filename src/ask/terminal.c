// Owns the terminal while a question is open.
#include "ask/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "net/host/questions.h"
#include "notify/notify.h"
#include "plan.h"
#include "run.h"

enum {
	LEAST_MILLISECONDS = 3000, // that a person has to answer: what has less is no
	STOP_MILLISECONDS = 2000,  // for the box to stop
	SETTLE_MILLISECONDS = 2,   // for those that run on another processor
	LOOK_MILLISECONDS = 250,   // between looks whether we are in front
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
	if (!foreground_is_ours(terminal->group, run->caller_group, run->init) ||
	    tcgetattr(run->terminal, &terminal->before) < 0 ||
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

void terminal_leave(struct run *run)
{
	struct ask_terminal *terminal = &run->ask->terminal;
	static const char end[] = "\r\n";
	if (terminal->state == TERMINAL_ASKS) {
		ask_child_end(&run->ask->child);
		struct pollfd room = { .fd = run->terminal, .events = POLLOUT };
		if (poll(&room, 1, 0) > 0 && write(run->terminal, end, sizeof(end) - 1) < 0)
			errno = 0; // it is gone
		give_terminal(run);
		// Before the shell above it, which would take it for a job that was stopped.
		kill(-terminal->group, SIGCONT);
	}
	if (terminal->state != TERMINAL_FREE)
		fd_order(run->from_box, run->pidfd, SIGNAL_ORDER, SIGNAL_RESUME);
	terminal->state = TERMINAL_FREE;
	terminal->again = 0;
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

// In a process that has the terminal until it gives an answer, or is killed: the supervisor waits
// for no terminal. Earlier input, and what the terminal itself answers to the box's last
// words, is thrown away.
static _Noreturn void put_question(int fd, const struct out *text, const char *letters, int said,
				   pid_t supervisor)
{
	static const char once_more[] = "\nsbx: not an answer; a letter and Enter: ";
	struct pollfd typed = { .fd = fd, .events = POLLIN };
	struct answer_line line = { 0 };
	enum answer_step step = ANSWER_MORE;
	enum answered answer = ANSWERED_NO;
	char bytes[256];
	unsigned char byte;
	sigset_t end;
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	signal(SIGTERM, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &end, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != supervisor || fd_write_all(fd, text->text, text->used) < 0)
		_exit(1);
	while (poll(&typed, 1, SILENCE_MILLISECONDS) > 0)
		if (read(fd, bytes, sizeof(bytes)) <= 0)
			_exit(1);
	while (step < ANSWER_GIVEN && read(fd, &byte, 1) == 1) {
		step = answer_byte(&line, byte, letters, &answer);
		if (step == ANSWER_AGAIN)
			fd_write_all(fd, once_more, sizeof(once_more) - 1);
		else if (step == ANSWER_MORE && line.letter && line.length == 1)
			fd_write_all(fd, &line.letter, 1);
	}
	if (step < ANSWER_GIVEN)
		_exit(1);
	snprintf(bytes, sizeof(bytes), "{\"answer\":\"%s\"}\n",
		 answer_words[step == ANSWER_GIVEN ? answer : ANSWERED_NO]);
	_exit(fd_write_all(said, bytes, strlen(bytes)) < 0);
}

static int start(struct run *run, int64_t now)
{
	struct ask_terminal *terminal = &run->ask->terminal;
	struct ask_child *child = &run->ask->child;
	const char *kind = getenv("TERM");
	int64_t left = terminal->end - now;
	struct out text = { 0 };
	int ways[2];
	*child = (struct ask_child){ .pidfd = -1,
				     .answer = -1,
				     .project = strchr(terminal->letters, 'p') != NULL };
	if (pipe2(ways, O_CLOEXEC | O_NONBLOCK) < 0)
		return -1;
	question_text((const struct host_question *const *)terminal->asked, terminal->count,
		      terminal->letters, (unsigned)(left > 0 ? left / 1000 : 0),
		      kind && *kind && !str_equal(kind, "dumb"), &text);
	pid_t supervisor = getpid();
	child->pid = sys_clone(0, &child->pidfd);
	if (child->pid == 0)
		put_question(run->terminal, &text, terminal->letters, ways[1], supervisor);
	out_free(&text);
	close(ways[1]);
	child->answer = ways[0];
	terminal->again = now + SILENCE_MILLISECONDS;
	if (child->pid < 0)
		fd_close(&child->answer);
	return child->pid < 0 ? -1 : 0;
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
	terminal->state = TERMINAL_ASKS;
	tcflush(run->terminal, TCIFLUSH);
	return start(run, now) < 0 ? conclude(plan, run, ANSWERED_NO, HOLD_UNANSWERED) : 0;
}

// Many that came with the first one make it a list.
static int asks(const struct plan *plan, struct run *run, int64_t now)
{
	struct ask_terminal *terminal = &run->ask->terminal;
	enum answered answer = ANSWERED_NO;
	enum ask_end end = ask_child_read(&run->ask->child, &answer);
	bool early = terminal->count == 1 && now < terminal->again;
	if (end == ASK_PENDING && now >= terminal->end)
		end = ASK_SILENT;
	if (end == ASK_PENDING && early && questions_waiting(run->proxy) > RECENT_MAX) {
		ask_child_end(&run->ask->child);
		choose(plan, run, terminal);
		end = start(run, now) < 0 ? ASK_NOT_STARTED : end;
	}
	if (end == ASK_PENDING)
		return 0;
	return conclude(plan, run, end == ASK_ANSWERED ? answer : ANSWERED_NO,
			end == ASK_ANSWERED ? HOLD_REFUSED : HOLD_UNANSWERED);
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
	if (terminal->over)
		terminal_leave(run);
	if (terminal->state == TERMINAL_STOPS)
		TRY(stopped(plan, run, now));
	if (terminal->state == TERMINAL_ASKS)
		TRY(asks(plan, run, now));
	if (terminal->state != TERMINAL_FREE)
		return 0;
	TRY(expire(plan, run, now));
	return begin(run, now);
}

int terminal_wait(const struct ask_terminal *terminal, int milliseconds)
{
	int64_t until = terminal->state == TERMINAL_ASKS ? terminal->end : terminal->again;
	if (!until)
		return milliseconds;
	int64_t left = until - steady_now();
	left = left < 0 ? 0 : left;
	return milliseconds < 0 || left < milliseconds ? (int)left : milliseconds;
}
