// Owns the signals of the supervisor, and which of them the box gets.
#include "run/signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/sys.h"
#include "plan.h"
#include "run.h"
#include "limits/clock.h"

enum { SIGNALS_A_TURN = 32 };

int signals_host(const struct plan *plan, struct run *run)
{
	(void)plan;
	struct sigaction action, standard = { .sa_handler = SIG_DFL };
	sigset_t all;
	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, &run->callers_mask) < 0)
		return fail(errno, "sigprocmask");
	// With SIGCHLD ignored the kernel would throw exit statuses away.
	if (sigaction(SIGCHLD, &standard, &action) < 0)
		return fail(errno, "sigaction");
	run->child_ignored = action.sa_handler == SIG_IGN;
	run->signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	return run->signals < 0 ? fail(errno, "signalfd") : 0;
}

// Its descriptor, not PR_SET_PDEATHSIG alone: that comes when the thread ends that started us, and
// is lost at an exec of a privileged file. It serves to wake a supervisor that is stopped.
int signals_parent_host(const struct plan *plan, struct run *run)
{
	if (plan->parent == 0)
		return 0;
	if (plan->parent < 0)
		return fail(0, "--die-with-parent: the process that started sbx is in another pid "
			       "namespace, and cannot be watched");
	run->parent = sys_pidfd_open(plan->parent);
	if (run->parent < 0 && errno != ESRCH)
		return fail(errno, "--die-with-parent: pidfd_open");
	if (prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0) < 0)
		return fail(errno, "PR_SET_PDEATHSIG");
	// Who has another parent now lost the one it had; the number may be another process's.
	if (run->parent < 0 || getppid() != plan->parent)
		return fail(0, "--die-with-parent: the process that started sbx has ended");
	return 0;
}

int signals_parent_undo(const struct plan *plan, struct run *run)
{
	(void)plan;
	fd_close(&run->parent);
	return 0;
}

void signals_again(const struct run *run)
{
	close(run->signals);
	signal(SIGCHLD, run->child_ignored ? SIG_IGN : SIG_DFL);
	sigprocmask(SIG_SETMASK, &run->callers_mask, NULL);
}

// A terminal sends its signals to the whole group, the command included; those of other
// programs reach only us and are handed on.
void signals_handle(const struct run *run)
{
	struct signalfd_siginfo info;
	for (int i = 0;
	     i < SIGNALS_A_TURN && read(run->signals, &info, sizeof(info)) == sizeof(info); i++) {
		int number = (int)info.ssi_signo;
		bool terminal = info.ssi_code == SI_KERNEL && !run->own_session;
		if (number != SIGCHLD && number != SIGPIPE && !terminal)
			clock_signal(run, number);
	}
}
