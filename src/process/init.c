// Owns the box's pid 1. It blocks all signals and reads them one by one. Raw calls, no heap.
#include "process/ns.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "base/testing.h"
#include "plan.h"
#include "process/exec.h"
#include "process/pty.h"
#include "run.h"

static void tell(struct run *run)
{
	fd_send(run->to_host, &run->message, sizeof(run->message), NULL, 0);
}

// Closes descriptors, or marks them close-on-exec, except 0, 1, 2, plan->keep and `spared`.
static int close_others(const struct plan *plan, int spared, unsigned flags)
{
	enum { KEPT_MAX = 1024 };
	int keep[KEPT_MAX + 1];
	unsigned count = plan->keep_count < KEPT_MAX ? plan->keep_count : KEPT_MAX;
	memcpy(keep, plan->keep, count * sizeof(*keep));
	keep[count] = spared;
	return fd_close_except(keep, count + 1, flags);
}

static void take_terminal(int peer, volatile int *problem)
{
	bool done = setsid() >= 0;
	for (int i = 0; i <= STDERR_FILENO; i++)
		done = done && dup2(peer, i) == i;
	if (done && pty_take() == 0)
		return;
	*problem = errno;
	_exit(1);
}

// The vfork child shares memory with pid 1 until its exec. It writes only `*problem`.
static _Noreturn void become_command(const struct plan *plan, const struct run *run, int peer,
				     volatile int *problem)
{
	if (peer >= 0)
		take_terminal(peer, problem);
	else if (run->own_session && !run->job_control)
		setsid();
	else if ((run->own_session || run->lent) && setpgid(0, 0) == 0 && !run->background)
		tcsetpgrp(STDIN_FILENO, getpgrp());
	if (run->child_ignored)
		signal(SIGCHLD, SIG_IGN);
	if (sys_prlimit(RLIMIT_NOFILE, &run->exec->files, NULL) < 0 ||
	    (run->tier_landlock && landlock_below() < 0) ||
	    close_others(plan, -1, CLOSE_RANGE_CLOEXEC) < 0) {
		*problem = errno;
		_exit(1);
	}
	sigprocmask(SIG_SETMASK, &run->callers_mask, NULL);
	*problem = exec_execute(&(struct exec_words){ plan->command, plan->environment });
	_exit(1);
}

static void tell_stop(struct run *run, int status)
{
	run->message.kind = MESSAGE_STOPPED;
	run->message.status = WSTOPSIG(status);
	tell(run);
}

static void count_use(struct run *run)
{
	enum { BLOCK = 512, FULL_PART = 64 };
	struct message *message = &run->message;
	struct rusage usage;
	struct statfs root;
	if (getrusage(RUSAGE_CHILDREN, &usage) == 0) {
		message->cpu = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
			       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
		message->memory = (uint64_t)usage.ru_maxrss * 1024;
		message->read = (uint64_t)usage.ru_inblock * BLOCK;
		message->written = (uint64_t)usage.ru_oublock * BLOCK;
	}
	if (run->tier_landlock || statfs("/", &root) < 0)
		return;
	message->tmp_full =
		root.f_bavail < root.f_blocks / FULL_PART || (root.f_files && root.f_ffree == 0);
	left_look(run, root.f_files - root.f_ffree);
}

static _Noreturn void tell_end(struct run *run, int status)
{
	enum { LONGEST_MILLISECONDS = 100 };
	bool domain = run->tier_landlock;
	struct pollfd supervisor = { .fd = run->to_host };
	run->message.kind = MESSAGE_ENDED;
	run->message.status = status;
	while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
		;
	if (domain)
		domain_end();
	run->message.alone = waitpid(-1, NULL, WNOHANG | __WALL) < 0 && errno == ECHILD;
	count_use(run);
	tell(run);
	while (run->grouped) // the supervisor reads the cgroup, then kills pid 1
		pause();
	// Waits until the supervisor has released the namespaces.
	poll(&supervisor, 1, LONGEST_MILLISECONDS);
	_exit(0);
}

static void reap_one(struct run *run, pid_t command, pid_t pid, int status)
{
	if (pid != command)
		exec_reaped(run, EXEC_EXECUTED, pid, status);
	else if (!WIFSTOPPED(status))
		tell_end(run, status);
	else if (!run->paused) // a pause by sbx is not reported
		tell_stop(run, status);
}

static void reap(struct run *run, pid_t command)
{
	int status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED | (int)__WCLONE)) > 0)
		exec_reaped(run, EXEC_MADE, pid, status);
	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0)
		reap_one(run, command, pid, status);
}

static void give_sockets(struct run *run)
{
	enum { BATCHES = 5 };
	for (int i = 0; i < BATCHES; i++) {
		int fds[FD_PASSED], count = 0;
		while (count < FD_PASSED) {
			fds[count] =
				socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
			if (fds[count] < 0)
				break;
			count++;
		}
		run->message.kind = MESSAGE_SOCKETS;
		if (count > 0)
			fd_send(run->to_host, &run->message, sizeof(run->message), fds,
				(unsigned)count);
		while (count > 0)
			close(fds[--count]);
	}
}

static void pause_all(struct run *run, int number)
{
	run->paused = number == SIGNAL_PAUSE;
	kill(-1, run->paused ? SIGSTOP : SIGCONT);
	run->message.kind = MESSAGE_PAUSED;
	if (run->paused)
		tell(run);
}

// Reads orders from the socket. SIGNAL_ORDER just wakes: the box can send it.
static void take_orders(struct run *run, pid_t command)
{
	union {
		int order;
		struct exec_order exec;
	} got;
	int fds[FD_PASSED];
	ssize_t size;
	while ((size = fd_receive_now(run->to_host, &got, sizeof(got), fds)) > 0) {
		int order = got.order;
		if (size == (ssize_t)sizeof(got.exec)) {
			exec_take(run, &got.exec, fds);
			continue;
		}
		if (order == ORDER_SOCKETS)
			give_sockets(run);
		else if (run->pausable && (order == SIGNAL_PAUSE || order == SIGNAL_RESUME))
			pause_all(run, order);
		else
			kill(run->own_session || run->lent ? -command : command, order);
	}
}

// Ends all on SIGNAL_END, which the box, in a lower Landlock domain, cannot send.
static _Noreturn void end_processes(void)
{
	domain_end();
	_exit(0);
}

static _Noreturn void serve(struct run *run, pid_t command)
{
	sigset_t all;
	sigfillset(&all);
	pages_release_stack();
	reap(run, command);
	for (;;) {
		int number = sigwaitinfo(&all, NULL);
		if (number == SIGCHLD)
			reap(run, command);
		else if (number == SIGNAL_END && run->tier_landlock)
			end_processes();
		else if (number == SIGNAL_ORDER) {
			take_orders(run, command);
			reap(run, command); // a child that ends before its exec sends SIGNAL_ORDER
		}
	}
}

// Clears sbx's command line: the box could read its policy there.
static void forget_arguments(const struct run *run)
{
	for (char *const *word = run->arguments; *word; word++)
		memset(*word, 0, strlen(*word));
}

int init_child(const struct plan *plan, struct run *run)
{
	volatile int problem = 0;
	bool reports = plan->timing || plan->event_status || plan->ready || plan->front > 0;
	sigset_t all;
	run->pausable = plan->session != NULL || plan->ask == ASK_TERMINAL;
	if (!testing_skips("wipe"))
		forget_arguments(run);
	if (close_others(plan, run->to_host, 0) < 0)
		return fail(errno, "close_range");
	// Leaves the caller's group: the terminal's signals then come once, through the supervisor.
	if (run->own_session ? setsid() < 0 : run->lent && setpgid(0, 0) < 0)
		return fail(errno, "leave the process group");
	sigfillset(&all);
	if (run->tier_landlock)
		sigprocmask(SIG_SETMASK, &all, NULL); // ns_child_lifeline() unblocked SIGNAL_END
	if (plan->umask & S_IRWXU)
		umask(plan->umask);
	struct exec exec = { 0 };
	exec.files = rlimits_files(plan, run);
	run->exec = &exec;
	int peer = -1;
	int closed = plan->terminal.wanted ? pty_open(&plan->terminal, &run->pty, &peer) : 0;
	if (closed)
		return fail(closed, "open a terminal of the box");
	pid_t command = vfork();
	if (command == 0)
		become_command(plan, run, peer, &problem);
	if (command < 0)
		return fail(errno, "vfork");
	sched_yield(); // lets the command finish its exec
	left_begin(plan);
	arena_free(plan->arena);
	run->message.kind = problem ? MESSAGE_NO_EXEC : MESSAGE_STARTED;
	run->message.number = problem;
	if (problem || reports)
		fd_send(run->to_host, &run->message, sizeof(run->message), &run->pty,
			run->pty >= 0);
	if (problem)
		_exit(1);
	// Closes pid 1's copies: readers must see EOF when the command closes its output.
	// Descriptor 0 keeps the terminal open.
	bool spared = peer >= 0 && dup2(peer, 0) == 0;
	sys_close_range(spared, (unsigned)run->to_host - 1, 0);
	sys_close_range((unsigned)run->to_host + 1, ~0U, 0);
	serve(run, command);
}
