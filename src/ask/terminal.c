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

#include "ask/typed.h"
#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "net/host/destinations.h"
#include "notify/notify.h"
#include "plan.h"
#include "run.h"

enum {
	LEAST_MILLISECONDS = 3000, // with less time left the answer is no
	STOP_MILLISECONDS = 2000,  // for the box to stop
	SETTLE_MILLISECONDS = 2,   // for processes on other processors to stop
	LOOK_MILLISECONDS = 250,   // between checks of the foreground group
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

static bool take_terminal(struct run *run)
{
	struct ask_terminal *terminal = &run->ask->terminal;
	terminal->group = tcgetpgrp(run->terminal);
	if (!foreground_is_ours(terminal->group, run->caller_group, run->init) ||
	    tcsetpgrp(run->terminal, run->caller_group) < 0)
		return false;
	if (typed_begin(run->terminal, 0, &terminal->before) == 0)
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
	if (!(terminal->before.c_lflag & line)) // full-screen programs redraw
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
			errno = 0;
		give_terminal(run);
		// Resumes the group before its parent shell, which would see a stopped job.
		kill(-terminal->group, SIGCONT);
	}
	if (terminal->state != TERMINAL_FREE)
		fd_order(run->from_box, run->pidfd, SIGNAL_ORDER, SIGNAL_RESUME);
	terminal->state = TERMINAL_FREE;
	terminal->again = 0;
}

static void remember(struct ask_terminal *terminal, int64_t now)
{
	memmove(terminal->recent, terminal->recent + 1,
		(RECENT_MAX - 1) * sizeof(terminal->recent[0]));
	terminal->recent[RECENT_MAX - 1] = now;
}

// Asks about all open questions if they are many, else the oldest.
static void choose(const struct plan *plan, struct run *run)
{
	struct ask *ask = run->ask;
	ask->count = questions_list(run->proxy, ask->asked, QUESTION_LIST_MAX);
	if (!ask->terminal.list && ask->count > 0 && ask->count <= RECENT_MAX)
		ask->count = 1;
	ask->terminal.letters = ask->count == 1 && plan->toplevel ? "orpn" : "orn";
	ask->terminal.list = false;
}

// Runs in a separate process: the supervisor never waits for the terminal.
static _Noreturn void put_question(const struct typed *typed, int said, pid_t supervisor)
{
	char text[32];
	sigset_t end;
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	signal(SIGTERM, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &end, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != supervisor)
		_exit(1);
	const char letter = typed_answer(typed, SILENCE_FIRST);
	const char *place = letter ? strchr(reply_letters, letter) : reply_letters;
	snprintf(text, sizeof(text), "{\"answer\":\"%s\"}\n", reply_words[place - reply_letters]);
	_exit(fd_write_all(said, text, strlen(text)) < 0);
}

static int start(struct run *run, int64_t now)
{
	const struct ask *ask = run->ask;
	struct ask_terminal *terminal = &run->ask->terminal;
	struct ask_child *child = &run->ask->child;
	int64_t left = ask_deadline(ask) - now;
	struct out text = { 0 };
	int ways[2];
	*child = (struct ask_child){ .pidfd = -1,
				     .answer = -1,
				     .project = strchr(terminal->letters, 'p') != NULL };
	if (pipe2(ways, O_CLOEXEC | O_NONBLOCK) < 0)
		return -1;
	out_text(&text, "%s", typed_reset());
	question_text((const struct host_question *const *)ask->asked, ask->count,
		      terminal->letters, (unsigned)(left > 0 ? left / 1000 : 0), &text);
	const struct typed typed = { run->terminal,
				     -1,
				     terminal->letters,
				     text.text,
				     "sbx: a letter and Enter: ",
				     child->project
					     ? "sbx: not an answer: o once, r in this run, p "
					       "in this project's runs with --ask, n no\n"
					     : "sbx: not an answer: o once, r in this run, "
					       "n no\n" };
	pid_t supervisor = getpid();
	child->pid = sys_clone(0, &child->pidfd);
	if (child->pid == 0)
		put_question(&typed, ways[1], supervisor);
	out_free(&text);
	close(ways[1]);
	child->answer = ways[0];
	terminal->again = now + SILENCE_MILLISECONDS;
	if (child->pid < 0)
		fd_close(&child->answer);
	return child->pid < 0 ? -1 : 0;
}

static int conclude(const struct plan *plan, struct run *run, enum ask_end end, enum reply answer)
{
	terminal_leave(run);
	return ask_conclude(plan, run, end, answer);
}

static int begin(struct run *run, int64_t now)
{
	struct ask_terminal *terminal = &run->ask->terminal;
	terminal->again = 0;
	if (!questions_next(run->proxy))
		return 0;
	// Further questions become one list.
	if (terminal->recent[0] && now - terminal->recent[0] < RECENT_MILLISECONDS) {
		terminal->again = terminal->recent[0] + RECENT_MILLISECONDS;
		terminal->list = true;
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
	choose(plan, run);
	usleep(SETTLE_MILLISECONDS * 1000);
	if (!terminal->stopped || run->ask->count == 0 || !take_terminal(run))
		return conclude(plan, run, ASK_NOT_STARTED, REPLY_NO);
	terminal->state = TERMINAL_ASKS;
	return start(run, now) < 0 ? conclude(plan, run, ASK_NOT_STARTED, REPLY_NO) : 0;
}

static int asks(const struct plan *plan, struct run *run, int64_t now)
{
	struct ask *ask = run->ask;
	enum reply answer = REPLY_NO;
	enum ask_end end = ask_read(ask, &answer);
	struct host_question *many[RECENT_MAX + 1];
	bool early = ask->count == 1 && now < ask->terminal.again;
	if (end == ASK_PENDING && early &&
	    questions_list(run->proxy, many, RECENT_MAX + 1) > RECENT_MAX) {
		ask_child_end(&ask->child);
		choose(plan, run);
		end = start(run, now) < 0 ? ASK_NOT_STARTED : end;
	}
	return end == ASK_PENDING ? 0 : conclude(plan, run, end, answer);
}

static int expire(const struct plan *plan, struct run *run, int64_t now)
{
	struct host_question *next;
	while ((next = questions_next(run->proxy)) != NULL &&
	       (run->ask->terminal.over ||
		now >= next->since + QUESTION_MILLISECONDS - LEAST_MILLISECONDS))
		TRY(ask_give(plan, run->proxy, next, REPLY_NO, HOLD_UNANSWERED, &run->ask->unkept));
	return 0;
}

int terminal_turn(const struct plan *plan, struct run *run)
{
	struct ask_terminal *terminal = &run->ask->terminal;
	int64_t now = steady_now();
	if (terminal->over) {
		terminal_leave(run);
		run->ask->count = 0;
	}
	if (terminal->state == TERMINAL_STOPS)
		TRY(stopped(plan, run, now));
	if (terminal->state == TERMINAL_ASKS)
		TRY(asks(plan, run, now));
	if (terminal->state != TERMINAL_FREE)
		return 0;
	TRY(expire(plan, run, now));
	return begin(run, now);
}
