// Owns the two processes between an editor and its server: their pipes, birth and end.
#include "lsp/lsp.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "net/setup/netns.h"
#include "plan.h"
#include "run.h"

enum { LAST_MILLISECONDS = 10000, WAIT_MILLISECONDS = 2, EDITOR = 0, SERVER = 1 };

int lsp_plan(struct plan *plan, enum answer asked)
{
	plan->lsp = asked == ANSWER_YES || plan->profile->lsp == ANSWER_YES;
	if (!plan->lsp)
		return 0;
	if (plan->session)
		return fail(0, "--lsp has no sessions and no --review: the editor outside works on "
			       "the files themselves");
	list_add(&plan->notes, plan->arena,
		 "what the server asks of the editor is filtered: see LANGUAGE SERVERS in sbx(7)",
		 (struct origin){ .file = "--lsp" });
	return 0;
}

// The server's end of a pipe takes the place of one of the caller's.
static int replace(int standard, int *ret_caller, int *ret_server)
{
	int ends[2];
	bool input = standard == STDIN_FILENO;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail(errno, "pipe");
	*ret_server = ends[input ? 1 : 0];
	autoclose int box = ends[input ? 0 : 1];
	*ret_caller = fcntl(standard, F_DUPFD_CLOEXEC, 3);
	if (*ret_caller < 0 || dup2(box, standard) < 0)
		return fail(errno, "dup2");
	return 0;
}

int lsp_host(const struct plan *plan, struct run *run)
{
	if (!plan->lsp)
		return 0;
	if (isatty(STDIN_FILENO))
		return fail(0, "--lsp is for a language server, which an editor starts; stdin is a "
			       "terminal here");
	run->lsp = mmap(NULL, sizeof(*run->lsp), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (run->lsp == MAP_FAILED) {
		run->lsp = NULL;
		return fail(errno, "mmap");
	}
	TRY(replace(STDIN_FILENO, &run->caller[0], &run->server[0]));
	return replace(STDOUT_FILENO, &run->caller[1], &run->server[1]);
}

static void close_ends(struct run *run)
{
	for (int i = 0; i < 2; i++) {
		fd_close(&run->caller[i]);
		fd_close(&run->server[i]);
	}
}

// What the supervisor has, and they need not, is given up: descriptors, the environment, the plan.
static _Noreturn void become_relay(const struct plan *plan, const struct run *run, int direction,
				   pid_t supervisor)
{
	struct relay relay = { .record = run->lsp };
	int from = direction == EDITOR ? run->caller[0] : run->server[1];
	int to = direction == EDITOR ? run->server[0] : run->caller[1];
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != supervisor)
		_exit(0);
	lsp_files_plan(plan, &relay.files);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (dup2(from, 0) < 0 || dup2(to, 1) < 0 || dup2(null, 2) < 0 ||
	    fd_close_except(NULL, 0, 0) < 0)
		_exit(1);
	unsigned locks = confine_locks();
	confine_forget(plan, run);
	if (confine(CONFINED_RELAY, locks) < 0)
		_exit(1);
	if (direction == EDITOR)
		relay_editor(&relay);
	else
		relay_server(&relay);
	_exit(0);
}

int lsp_begin(const struct plan *plan, struct run *run)
{
	pid_t supervisor = getpid();
	if (!plan->lsp)
		return 0;
	for (int direction = EDITOR; direction <= SERVER; direction++) {
		pid_t child = fork();
		if (child == 0)
			become_relay(plan, run, direction, supervisor);
		if (child < 0)
			return fail(errno, "fork");
		run->relays[direction] = child;
	}
	close_ends(run);
	return 0;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

int lsp_undo(const struct plan *plan, struct run *run)
{
	(void)plan;
	if (run->caller[0] >= 0)
		dup2(run->caller[0], STDIN_FILENO);
	if (run->caller[1] >= 0)
		dup2(run->caller[1], STDOUT_FILENO);
	close_ends(run);
	// The box is dead: what it wrote last is on its way.
	int64_t until = steady_now() + LAST_MILLISECONDS;
	bool over = run->relays[SERVER] <= 0;
	while (!over && !(over = waitpid(run->relays[SERVER], NULL, WNOHANG) != 0) &&
	       steady_now() < until)
		poll(NULL, 0, WAIT_MILLISECONDS);
	if (!over)
		end(run->relays[SERVER]);
	if (run->relays[EDITOR] > 0)
		end(run->relays[EDITOR]);
	run->relays[EDITOR] = run->relays[SERVER] = 0;
	return 0;
}

void lsp_report(const struct run *run, struct denials *denials)
{
	refused_report(run->lsp ? &run->lsp->refused : NULL, denials);
}
