// Owns the saved state of the controlling terminal. With one, the box stays in the caller's
// session and process group, so that ^C, ^Z and job control work; typing into it is shut by the
// filter (TIOCSTI, TIOCLINUX). Without one, the command gets a session of its own.
#include "process/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/fd.h"
#include "run.h"

int tty_host(const struct plan *plan, struct run *run)
{
	(void)plan;
	run->terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	run->own_session = run->terminal < 0;
	if (run->terminal < 0)
		return 0;
	run->foreground = tcgetpgrp(run->terminal) == getpgrp() &&
			  tcgetattr(run->terminal, &run->termios) == 0;
	return 0;
}

// The foreground group is ours, or one of the box, which is dead by now. A living one is that of
// the shell, which took the terminal back when we were stopped.
static bool ours_to_restore(int terminal)
{
	pid_t group = tcgetpgrp(terminal);
	return group <= 0 || group == getpgrp() || (kill(-group, 0) < 0 && errno == ESRCH);
}

int tty_undo(const struct plan *plan, struct run *run)
{
	(void)plan;
	if (run->terminal < 0)
		return 0;
	if (run->foreground && ours_to_restore(run->terminal)) {
		// From a background group this stops the caller unless SIGTTOU is ignored.
		signal(SIGTTOU, SIG_IGN);
		tcsetpgrp(run->terminal, getpgrp());
		tcsetattr(run->terminal, TCSADRAIN, &run->termios);
	}
	fd_close(&run->terminal);
	return 0;
}
