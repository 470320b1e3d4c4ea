// Owns the state of the controlling terminal. A box with a terminal stays in the caller's session:
// ^C, ^Z and job control work. Under a shell with job control the command gets a process group and
// the terminal. A box without a terminal gets a new session.
#include "process/ns.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "run.h"

static const char autogroup[] = "/proc/self/autogroup";

static int session_nice(void)
{
	char text[64] = "";
	const char *word = file_kernel(AT_FDCWD, autogroup, text, sizeof(text)) > 0
				   ? strstr(text, " nice ")
				   : NULL;
	return word ? atoi(word + strlen(" nice ")) : 0;
}

static void restore_nice(int nice)
{
	enum { TRIES = 12, WAIT_MICROSECONDS = 100000 };
	char text[16];
	snprintf(text, sizeof(text), "%d", nice);
	for (int i = 0; i < TRIES && session_nice() != nice; i++)
		if (fd_write_file(AT_FDCWD, autogroup, text) == -EAGAIN)
			usleep(WAIT_MICROSECONDS);
}

static bool has_terminal(const struct plan *plan)
{
	bool found = isatty(STDIN_FILENO) || isatty(STDOUT_FILENO) || isatty(STDERR_FILENO);
	for (unsigned i = 0; i < plan->keep_count && !found; i++)
		found = isatty(plan->keep[i]);
	return found;
}

int tty_host(const struct plan *plan, struct run *run)
{
	run->terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	run->own_session = run->terminal < 0;
	run->lent_group = run->front = run->caller_group = 0;
	run->job_control = run->lent = run->background = false;
	if (run->terminal < 0)
		return 0;
	pid_t group = run->caller_group = getpgrp(), caller = getppid();
	pid_t front = tcgetpgrp(run->terminal);
	// With stdout in a pipe, a pager such as less owns the terminal's modes.
	bool shown = tcgetpgrp(STDOUT_FILENO) == front;
	run->foreground = front == group && shown && tcgetattr(run->terminal, &run->termios) == 0;
	run->session_nice = session_nice();
	run->job_control = caller > 0 && getsid(caller) == getsid(0) && getpgid(caller) != group;
	run->background = front != group && has_terminal(plan);
	run->own_session = front != group && !run->background;
	run->lent = run->job_control && shown && getpid() == group &&
		    tcgetpgrp(STDIN_FILENO) == front && tcgetpgrp(STDERR_FILENO) == front;
	return 0;
}

void tty_lend(struct run *run)
{
	if (run->lent_group > 0 && tcgetpgrp(run->terminal) == run->caller_group)
		tcsetpgrp(run->terminal, run->lent_group);
}

// False if another living group, the shell's, is in the foreground.
static bool ours_to_restore(const struct run *run)
{
	pid_t group = tcgetpgrp(run->terminal);
	return group <= 0 || group == run->caller_group || (kill(-group, 0) < 0 && errno == ESRCH);
}

// Restores modes, at first without IXON: this resumes output after ^S.
static void give_back(const struct run *run)
{
	struct termios modes = run->termios;
	modes.c_iflag &= ~(tcflag_t)IXON;
	tcsetattr(run->terminal, TCSANOW, &modes);
	tcsetattr(run->terminal, TCSANOW, &run->termios);
}

int tty_undo(const struct plan *plan, struct run *run)
{
	(void)plan;
	if (run->terminal < 0)
		return 0;
	restore_nice(run->session_nice);
	if (ours_to_restore(run)) {
		// In a background group tcsetpgrp() raises SIGTTOU, which would stop the caller.
		signal(SIGTTOU, SIG_IGN);
		tcsetpgrp(run->terminal, run->caller_group);
		tcflow(run->terminal, TCOON); // resumes output that the box stopped
		if (run->foreground)
			give_back(run);
	}
	fd_close(&run->terminal);
	return 0;
}
