// Owns the way into the background. The caller's process waits until the command runs; one between
// writes the output, and is the parent of the run, whose status it notes.
#include "cli/run/result.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "cli/boxes.h"
#include "cli/live/raw_terminal.h"
#include "report/answer_fields.h"
#include "report/output_ring.h"
#include "run/run_command.h"

extern char **environ;

struct background {
	struct front front;
	int file; // of the output
	struct ring_head head;
	int output[2], ready[2];
	int terminal[2];    // by which the master of the command's terminal comes; -1: it has none
	bool json;          // of the caller; the run's own process shares the memory of the box
	bool child_ignored; // SIGCHLD, by the caller
};

static int refuse_questions(const struct invocation *asked)
{
	const struct {
		enum answer given;
		const char *option, *why;
	} refused[] = {
		{ asked->review, "review", "it asks at the end" },
		{ asked->ask, "ask", "it asks on the terminal" },
		{ asked->die_with_parent, "die-with-parent", "the run outlives its caller" },
	};
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (refused[i].given == ANSWER_YES)
			return fail(0, "--detach and --%s cannot be given together: %s",
				    refused[i].option, refused[i].why);
	return 0;
}

static int prepare(struct box *box, struct background *background)
{
	struct front *front = &background->front;
	const char *state = decide_state_directory(box->arena, environ);
	TRY(owned_check(state));
	TRY(front->boxes = records_directory(state));
	records_sweep(front->boxes);
	front->record = record_make(front->boxes, front->name, &front->lock);
	if (front->record < 0)
		return fail(errno, "make the file of the run's output");
	TRY(background->file = ring_make(front->record, &background->head));
	if (pipe2(background->output, O_CLOEXEC) < 0 || pipe2(background->ready, O_CLOEXEC) < 0)
		return fail(errno, "pipe");
	result_note(box);
	box->front = front;
	if (box->invocation.terminal == ANSWER_YES) {
		box->invocation.size = raw_terminal_size();
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, background->terminal) < 0)
			return fail(errno, "socketpair");
	}
	background->child_ignored = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
	return 0;
}

static int status_of(pid_t child)
{
	int status;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return STATUS_FAILURE;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// --- the run -------------------------------------------------------------------------------------

static void note_pid(int ready)
{
	int32_t pid = (int32_t)getpid();
	(void)!write(ready, &pid, sizeof(pid));
}

// Its output has its id from here on.
static int become_run(struct box *box, struct background *background)
{
	struct front *front = &background->front;
	signal(SIGCHLD, background->child_ignored ? SIG_IGN : SIG_DFL);
	autoclose int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(background->output[1], STDOUT_FILENO) < 0 ||
	    dup2(background->output[1], STDERR_FILENO) < 0)
		return fail(errno, "stdin, stdout and stderr of a run in the background");
	if (record_name(front->boxes, front->name, getpid()) < 0)
		return fail(errno, "name the file of the run's output");
	close(background->output[0]);
	close(background->output[1]);
	close(background->ready[0]);
	close(background->file);
	fd_close(&background->terminal[0]);
	note_pid(background->ready[1]);
	box->invocation.json = ANSWER_NO; // this one prints none
	box->invocation.ready = background->ready[1];
	box->invocation.writer = background->terminal[1] < 0 ? 0 : background->terminal[1];
	return 0;
}

// --- who writes its output -----------------------------------------------------------------------

static int take_master(int socket)
{
	int32_t pid;
	int fds[FD_PASSED];
	return fd_receive(socket, &pid, sizeof(pid), fds) == sizeof(pid) ? fds[0] : -1;
}

// False at the end.
static bool write_some(struct background *background, int from, char bytes[RING_CHUNK])
{
	ssize_t got = read(from, bytes, RING_CHUNK);
	if (got > 0)
		ring_write(background->file, &background->head, bytes, (size_t)got);
	return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

static _Noreturn void write_output(struct background *background, pid_t run)
{
	static char bytes[RING_CHUNK];
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL); // it ends with the run
	const int kept[] = { background->output[0], background->file, background->front.lock,
			     background->terminal[0] };
	for (int fd = 0; fd <= 2; fd++)
		close(fd);
	if (fd_close_except(kept, sizeof(kept) / sizeof(*kept), 0) < 0)
		_exit(STATUS_FAILURE);
	struct pollfd sources[] = { { .fd = background->output[0], .events = POLLIN },
				    { .fd = background->terminal[0], .events = POLLIN } };
	while (sources[0].fd >= 0 || sources[1].fd >= 0) {
		poll(sources, 2, -1);
		if (sources[1].revents && sources[1].fd == background->terminal[0]) {
			sources[1] = (struct pollfd){ .fd = take_master(background->terminal[0]),
						      .events = POLLIN };
			continue;
		}
		for (int i = 0; i < 2; i++)
			if (sources[i].revents && !write_some(background, sources[i].fd, bytes))
				sources[i].fd = -1;
	}
	struct record_entry entry;
	int status = status_of(run);
	if (record_read(background->front.lock, &entry) && entry.end <= RECORD_OVER)
		record_mark(background->front.lock, status > 128 ? RECORD_SIGNAL : RECORD_FAILED,
			    status);
	_exit(status);
}

// 0 in the run.
static int become_writer(struct box *box, struct background *background)
{
	setsid();
	pid_t run = fork();
	if (run < 0)
		_exit(STATUS_FAILURE);
	if (run == 0)
		return become_run(box, background);
	write_output(background, run);
}

// --- who waits for the start ---------------------------------------------------------------------

static void show_output(int file)
{
	struct out out = { 0 };
	static char bytes[RING_CHUNK];
	uint64_t offset = 0;
	for (ssize_t got; (got = ring_read(file, &offset, bytes, sizeof(bytes))) > 0;) {
		out_bytes(&out, bytes, (size_t)got);
		offset += (uint64_t)got;
	}
	out_flush(&out, STDERR_FILENO);
}

// Its pid comes twice: when its output has a name, and when the command runs.
static int await_start(const struct box *box, struct background *background, pid_t writer)
{
	int32_t pids[2] = { 0, 0 };
	char id[16], name[RECORD_NAME];
	struct out out = { .json = background->json };
	close(background->ready[1]);
	close(background->output[1]);
	fd_close(&background->terminal[1]);
	if (fd_read_all(background->ready[0], pids, sizeof(pids)) == (ssize_t)sizeof(pids)) {
		snprintf(id, sizeof(id), "%d", pids[1]);
		answer_begin(&out, "started", NULL);
		answer_members(&out, SHOWN("id", id, "", 0, "\n"),
			       MEMBER("session", box->invocation.session));
		answer_end(&out, NULL);
		return box_done(&out, 0);
	}
	struct front *front = &background->front;
	const struct record record = { front->record, front->lock };
	int status = status_of(writer);
	if (out.json)
		boxes_print_result(&record, NULL, "failed", status);
	else
		show_output(background->file);
	unlinkat(front->record, RECORD_OUTPUT, 0);
	if (pids[0] > 0)
		str_put(name, sizeof(name), "%d%s", pids[0], strchr(front->name, '-'));
	record_release(front->boxes, pids[0] > 0 ? name : front->name);
	return status;
}

int background_begin(struct box *box, int *ret_status)
{
	static struct background background = { .file = -1, .terminal = { -1, -1 } };
	TRY(refuse_questions(&box->invocation));
	background.json = box->invocation.json == ANSWER_YES;
	TRY(prepare(box, &background));
	pid_t writer = fork();
	if (writer < 0)
		return fail(errno, "fork");
	if (writer == 0)
		return become_writer(box, &background);
	*ret_status = await_start(box, &background, writer);
	return 1;
}
