// Owns the program that answers a question, and the process that ends it.
#include "ask/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apart/apart.h"
#include "base/fd.h"
#include "base/base.h"
#include "base/sys.h"
#include "net/host/destinations.h"
#include "outside/outside.h"
#include "plan.h"
#include "run.h"

enum { SCRIPT = 3, PROGRAM = 4, WORDS = 4, VARIABLES = 16, REQUEST_MAX = 4096 };

// Variables for a dialog. None of them selects code to run. HOME comes first: fill_variables() may
// skip it.
static const char *const passed[] = { "HOME",
				      "USER",
				      "LOGNAME",
				      "LANG",
				      "LC_ALL",
				      "TZ",
				      "DISPLAY",
				      "XAUTHORITY",
				      "WAYLAND_DISPLAY",
				      "XDG_RUNTIME_DIR",
				      "DBUS_SESSION_BUS_ADDRESS" };

struct ask_exec {
	char *words[WORDS + 1];
	char *variables[VARIABLES + 1];
	int input, output, program, script;
	pid_t supervisor;
};

// Interpreters run files of HOME. If the box may write there, sets a HOME that does not exist:
// without HOME they use the uid's home.
static void fill_variables(const struct plan *plan, const struct run *run, struct ask_exec *exec)
{
	static char path[] = "PATH=" ASK_PATH, no_home[] = "HOME=/nonexistent";
	unsigned count = 0;
	bool steered = outside_steers(plan);
	exec->variables[count++] = path;
	if (steered)
		exec->variables[count++] = no_home;
	for (char *const *entry = run->environment; *entry && count < VARIABLES; entry++)
		for (size_t i = steered; i < sizeof(passed) / sizeof(*passed); i++)
			if (str_starts(*entry, passed[i]) && (*entry)[strlen(passed[i])] == '=' &&
			    count < VARIABLES)
				exec->variables[count++] = *entry;
}

static void fill_words(struct ask_program *program, struct ask_exec *exec)
{
	static char script[] = "/dev/fd/3";
	unsigned count = 0;
	exec->words[count++] = program->name;
	if (program->script >= 0 && program->argument[0])
		exec->words[count++] = program->argument;
	if (program->script >= 0)
		exec->words[count++] = script;
}

static void write_request(const struct plan *plan, const struct host_question *question,
			  bool project, struct out *out)
{
	char host[HOST_NAME_BYTES_MAX + 1], claim[OWNER_NAME];
	int64_t left = question->since + QUESTION_MILLISECONDS - steady_now();
	host_text(&question->host, host);
	reply_claim(question->program, claim, sizeof(claim));
	json_begin(out, "question");
	json_string(out, "kind", "connect");
	json_string(out, "host", host);
	json_number(out, "port", question->port);
	json_string(out, "program", claim);
	json_string(out, "project", plan->toplevel ? plan->toplevel : "");
	json_number(out, "run", (unsigned)getpid());
	json_number(out, "milliseconds", left > 0 ? (unsigned long long)left : 0);
	json_open(out, "answers", '[');
	for (int i = 0; i < REPLIES; i++)
		if (i != REPLY_PROJECT || project)
			json_string(out, NULL, reply_words[i]);
	json_close(out, ']');
	json_end(out);
}

static int above(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, PROGRAM + 4);
}

// Allocates no memory: it runs after clone().
static _Noreturn void become_program(const struct ask_exec *exec, pid_t keeper)
{
	sigset_t none;
	const int first[] = { above(exec->input), above(exec->output), -1,
			      exec->script < 0 ? -1 : above(exec->script), above(exec->program) };
	static const int kept[] = { SCRIPT, PROGRAM };
	sigemptyset(&none);
	// apart_born() opens /dev/null for -1, where no question can be read.
	for (int i = 0; i <= PROGRAM; i++)
		if (first[i] < 0 && i != STDERR_FILENO && (i != SCRIPT || exec->script >= 0))
			_exit(127);
	if (apart_born(keeper, first, PROGRAM + 1, kept, 2) < 0 || setsid() < 0 || chdir("/") < 0 ||
	    fcntl(PROGRAM, F_SETFD, FD_CLOEXEC) < 0)
		_exit(127);
	if (exec->script < 0)
		close(SCRIPT);
	sigprocmask(SIG_SETMASK, &none, NULL);
	syscall(SYS_execveat, PROGRAM, "", exec->words, exec->variables, AT_EMPTY_PATH);
	_exit(127);
}

static void kill_children(void)
{
	char text[4096];
	autoclose int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : fd_read_all(fd, text, sizeof(text) - 1);
	text[length > 0 ? length : 0] = '\0';
	char *next;
	for (char *at = text; strtol(at, &next, 10) > 0 && *next == ' '; at = next)
		kill((pid_t)strtol(at, NULL, 10), SIGKILL);
}

// Becomes a subreaper (prctl(2)): kills all descendants after SIGTERM or the supervisor's death.
static _Noreturn void keep_program(const struct ask_exec *exec)
{
	sigset_t end, all;
	int pidfd;
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigfillset(&all); // also the terminal's signals
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	pid_t keeper = getpid(),
	      program = getppid() == exec->supervisor ? sys_clone(0, &pidfd) : -1;
	if (program == 0)
		become_program(exec, keeper);
	sys_close_range(0, ~0U, 0);
	while (program > 0 && sigwaitinfo(&end, NULL) < 0)
		;
	do
		kill_children();
	while (waitpid(-1, NULL, __WALL) > 0);
	_exit(0);
}

static int start(const struct plan *plan, const struct run *run, struct ask_program *program,
		 const struct out *request, struct ask_child *child)
{
	int input[2] = { -1, -1 }, output[2] = { -1, -1 };
	struct ask_exec exec = { .program = program->program,
				 .script = program->script,
				 .supervisor = getpid() };
	if (pipe2(input, O_CLOEXEC) < 0)
		return -1;
	autoclose int read_end = input[0], write_end = input[1];
	if (pipe2(output, O_CLOEXEC) < 0)
		return -1;
	autoclose int answer = output[0], said = output[1];
	exec.input = read_end;
	exec.output = said;
	fill_words(program, &exec);
	fill_variables(plan, run, &exec);
	// An empty pipe has room for the request (pipe(7)).
	if (request->used > REQUEST_MAX ||
	    fd_write_all(write_end, request->text, request->used) < 0 ||
	    fcntl(answer, F_SETFL, O_NONBLOCK) < 0)
		return -1;
	pid_t pid = sys_clone(0, &child->pidfd);
	if (pid == 0)
		keep_program(&exec);
	if (pid < 0)
		return -1;
	child->pid = pid;
	child->answer = take(&answer);
	return 0;
}

int ask_child_start(const struct plan *plan, const struct run *run,
		    const struct ask_program *program, const struct host_question *question,
		    struct ask_child *child)
{
	struct out request = { 0 };
	struct ask_program held = *program;
	*child = (struct ask_child){ .pidfd = -1, .answer = -1, .project = plan->toplevel != NULL };
	write_request(plan, question, child->project, &request);
	int result = start(plan, run, &held, &request, child);
	out_free(&request);
	return result;
}

static enum ask_end judge(struct ask_child *child, enum reply *ret_answer)
{
	child->line[child->used] = '\0';
	if (!reply_json(child->line, child->used, ret_answer))
		return ASK_MALFORMED;
	if (*ret_answer == REPLY_PROJECT && !child->project)
		return ASK_UNOFFERED;
	return ASK_ANSWERED;
}

enum ask_end ask_child_read(struct ask_child *child, enum reply *ret_answer)
{
	size_t room = sizeof(child->line) - 1 - child->used;
	ssize_t got = read(child->answer, child->line + child->used, room);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return ASK_PENDING;
	if (got <= 0)
		return child->used ? ASK_MALFORMED : ASK_DIED;
	child->used += (size_t)got;
	if (child->used > REPLY_BYTES_MAX)
		return ASK_MALFORMED;
	return memchr(child->line, '\n', child->used) ? judge(child, ret_answer) : ASK_PENDING;
}

void ask_child_end(struct ask_child *child)
{
	enum { KILLED_MILLISECONDS = 1000 };
	if (child->pid <= 0)
		return;
	struct pollfd event = { .fd = child->pidfd, .events = POLLIN };
	sys_pidfd_send_signal(child->pidfd, SIGTERM, NULL);
	poll(&event, 1, KILLED_MILLISECONDS);
	waitpid(child->pid, NULL, WNOHANG | __WALL);
	fd_close(&child->pidfd);
	fd_close(&child->answer);
	child->pid = 0;
}

int64_t ask_deadline(const struct ask *ask)
{
	return ask->asked[0]->since + QUESTION_MILLISECONDS;
}

enum ask_end ask_read(struct ask *ask, enum reply *ret_answer)
{
	enum ask_end end = ask_child_read(&ask->child, ret_answer);
	return end == ASK_PENDING && steady_now() >= ask_deadline(ask) ? ASK_SILENT : end;
}
