// Owns the supervisor's signals, and the process that a shell with job control waits for after a
// stop.
#include "run/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "limits/group.h"
#include "mount/mount.h"
#include "notify/notify.h"
#include "plan.h"
#include "process/ns.h"
#include "run.h"

enum { SIGNALS_A_TURN = 32 };

int signals_host(const struct plan *plan, struct run *run)
{
	(void)plan;
	struct sigaction action, standard = { .sa_handler = SIG_DFL };
	sigset_t all;
	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, &run->callers_mask) < 0)
		return fail(errno, "sigprocmask");
	// With SIGCHLD ignored the kernel would discard exit statuses.
	if (sigaction(SIGCHLD, &standard, &action) < 0)
		return fail(errno, "sigaction");
	run->child_ignored = action.sa_handler == SIG_IGN;
	run->signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	return run->signals < 0 ? fail(errno, "signalfd") : 0;
}

// Watches the parent by a pidfd. PR_SET_PDEATHSIG already comes when the parent's thread ends, and
// an exec of a privileged file resets it. Here the signal only wakes a stopped supervisor.
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

void signals_restore(const struct run *run)
{
	close(run->signals);
	signal(SIGCHLD, run->child_ignored ? SIG_IGN : SIG_DFL);
	sigprocmask(SIG_SETMASK, &run->callers_mask, NULL);
}

// Forwards signals, except those that a terminal sent to the whole process group.
void signals_handle(const struct run *run)
{
	struct signalfd_siginfo info;
	for (int i = 0;
	     i < SIGNALS_A_TURN && read(run->signals, &info, sizeof(info)) == sizeof(info); i++) {
		int number = (int)info.ssi_signo;
		bool terminal = info.ssi_code == SI_KERNEL ? !run->own_session && !run->lent
							   : info.ssi_pid == (uint32_t)getpid();
		if (number != SIGCHLD && number != SIGPIPE && !terminal)
			clock_signal(run, number);
	}
}

void signals_die(int number)
{
	sigset_t only;
	prctl(PR_SET_DUMPABLE,
	      0); // RLIMIT_CORE 0 does not stop a core_pattern program
	signal(number, SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, number);
	kill(getpid(), number);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
}

static void end_like(pid_t watcher)
{
	int status;
	if (waitpid(watcher, &status, WNOHANG | __WALL) != watcher)
		return;
	if (WIFSIGNALED(status))
		signals_die(WTERMSIG(status));
	_exit(WEXITSTATUS(status));
}

// Returns the group of pid 1's oldest child, the command.
static pid_t command_group(const struct run *run)
{
	char path[64], children[32];
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", run->init, run->init);
	long command = file_kernel(AT_FDCWD, path, children, sizeof(children))
			       ? strtol(children, NULL, 10)
			       : 0;
	return command > 0 ? getpgid((pid_t)command) : 0;
}

// Notes the terminal's group: a shell in the box may have changed it.
static void note_lent(struct run *run)
{
	pid_t group = run->lent ? tcgetpgrp(run->terminal) : 0;
	if (group > 0 && group != run->caller_group &&
	    foreground_is_ours(group, run->caller_group, run->init))
		run->lent_group = group;
	else if (run->lent && run->lent_group == 0)
		run->lent_group = command_group(run);
}

// Stops and ends for the shell. The supervisor (`watcher`) sends SIGCONT when it ends. All signals
// are blocked.
static _Noreturn void be_front(struct run *run, pid_t watcher)
{
	sigset_t all;
	siginfo_t info = { .si_pid = watcher };
	int number = SIGNAL_STOP;
	sigfillset(&all);
	// Closing any descriptor of a file loses its fcntl(2) locks. With a seccomp listener, a
	// thread of this process needs all descriptors.
	const int kept[] = { run->terminal, run->record_lock, run->session_user,
			     run->session_view };
	if (run->listener < 0)
		fd_close_except(kept, sizeof(kept) / sizeof(*kept), 0);
	for (;; number = sigwaitinfo(&all, &info)) {
		end_like(watcher);
		bool terminal = info.si_code == SI_KERNEL && !run->lent;
		if (number == SIGNAL_STOP && info.si_pid == watcher) {
			note_lent(run);
			kill(getpid(), SIGSTOP);
			continue;
		}
		if (number == SIGCONT)
			tty_lend(run);
		if (number > 0 && number != SIGCHLD && number != SIGPIPE && !terminal)
			kill(watcher, number);
	}
}

int signals_stop(struct run *run)
{
	if (!run->job_control)
		return 0;
	if (run->front > 0)
		return kill(run->front, SIGNAL_STOP);
	pid_t front = getpid(), watcher = sys_fork(SIGCONT);
	if (watcher < 0)
		return fail(errno, "fork");
	if (watcher > 0) {
		setpgid(watcher, watcher);
		be_front(run, watcher);
	}
	setpgid(0, 0); // the shell signals only the front, which forwards once
	run->front = front;
	return 0;
}
