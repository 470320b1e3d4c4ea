// sbx exec: one more command in a live box. The command inherits the caller's stdin if that is a
// pipe, a file or a socket. This process copies all other streams, by pipes or a pty of the box.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "cli/boxes.h"
#include "cli/live/passing.h"
#include "cli/live/raw_terminal.h"
#include "cli/verbs.h"
#include "net/host/control_socket.h"
#include "process/exec.h"
#include "report/front.h"
#include "report/summary.h"
#include "run/run_command.h"

enum { STREAMS = 3 };
enum { LAST_MILLISECONDS = 500, AT_ONCE_MILLISECONDS = 250, BEHIND_MILLISECONDS = 200 };
enum { STATUS_KILLED = 128 + SIGKILL, STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127 };

// Returns a sealed memfd with the command (process/exec.h).
static int make_text(const struct box *box, char *const *command)
{
	struct exec_text head = { 0 };
	struct out out = { 0 };
	const struct invocation *asked = &box->invocation;
	const char *directory = asked->inside ? asked->inside : "";
	bool named = directory[0] == '/'; // else the supervisor completes the path
	for (char *const *word = command; *word; word++)
		head.arguments++;
	list_each (item, &asked->variables)
		head.variables++;
	const char *type = asked->terminal == TOGGLE_YES ? getenv("TERM") : NULL;
	head.variables += named;
	head.variables += type != NULL;
	out_bytes(&out, (const char *)&head, sizeof(head));
	out_bytes(&out, directory, strlen(directory) + 1);
	for (char *const *word = command; *word; word++)
		out_bytes(&out, *word, strlen(*word) + 1);
	if (named)
		out_text(&out, "PWD=%s%c", directory, '\0');
	if (type)
		out_text(&out, "TERM=%s%c", type, '\0');
	list_each (item, &asked->variables)
		out_bytes(&out, item->text, strlen(item->text) + 1);
	bool large = out.used > EXEC_BYTES_MAX / 2;
	autoclose int fd = fd_memory("sbx", MEMORY_PLAIN);
	if (fd < 0 || out_write(&out, fd) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		return fail(errno, "hand the command over");
	return large ? fail(E2BIG, "hand the command over") : take(&fd);
}

struct exec_command {
	struct passing_stream streams[STREAMS];
	int socket, signals;
	int master; // of the command's pty; -1: pipes
	struct raw_terminal terminal;
	int input;           // status flags of an inherited stdin, which the box can change; or -1
	int64_t asked_since; // when a request or an ending signal was sent; 0: answered
	pid_t run;
	bool json, started, ended;
	bool answered, unknown; // `unknown`: a run of another version sent bytes, or hung up
	bool unresponsive;
	struct exec_answer last;
	struct command_denials heard;
};

// Prints what the pipes or the pty still hold. Processes that the command leaves behind may keep
// both open.
static void end_command(struct exec_command *command)
{
	enum { TERMINAL_BYTES = 16 << 10 }; // a pty of the kernel buffers 4 and 8 KiB
	command->ended = true;
	stream_end(&command->streams[STDIN_FILENO]);
	for (int i = STDOUT_FILENO; i < STREAMS; i++) {
		int left = TERMINAL_BYTES;
		if (command->master < 0 && ioctl(command->streams[i].from, FIONREAD, &left) < 0)
			left = 0;
		command->streams[i].most = (size_t)left;
		command->streams[i].last = steady_now();
	}
}

static bool has_ended(pid_t run)
{
	enum { DYING_MILLISECONDS = 200 };
	autoclose int process = sys_pidfd_open(run);
	struct pollfd event = { .fd = process, .events = POLLIN };
	return process < 0 || poll(&event, 1, DYING_MILLISECONDS) != 0;
}

static void begin_terminal(struct exec_command *command, int master)
{
	if (!raw_terminal_is_master(master))
		return;
	command->master = fcntl(master, F_DUPFD_CLOEXEC, 0);
	command->streams[STDIN_FILENO].to = fcntl(master, F_DUPFD_CLOEXEC, 0);
	command->streams[STDIN_FILENO].from = STDIN_FILENO;
	command->streams[STDOUT_FILENO].from = fcntl(master, F_DUPFD_CLOEXEC, 0);
	raw_terminal_begin(&command->terminal);
	raw_terminal_copy_size(command->master);
}

static void take_answer(struct exec_command *command)
{
	union {
		struct exec_answer answer;
		struct exec_denied denied;
	} message;
	int fds[FD_PASSED];
	ssize_t got = fd_receive_now(command->socket, &message, sizeof(message), fds);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got == (ssize_t)sizeof(message.denied) && control_is_known(&message.denied.head)) {
		heard_take(&command->heard, &message.denied, command->json, command->master);
		return;
	}
	struct exec_answer answer = message.answer;
	bool known = got == (ssize_t)sizeof(answer) && control_is_known(&answer.head);
	bool lives = known && (answer.kind == EXEC_STARTED || answer.kind == EXEC_SIGNALLED);
	command->asked_since = 0;
	command->started = command->started || lives;
	if (!lives)
		end_command(command);
	else if (fds[0] >= 0)
		begin_terminal(command, fds[0]);
	for (int i = 0; i < FD_PASSED; i++)
		fd_close(&fds[i]);
	command->last = known ? answer : (struct exec_answer){ .kind = EXEC_STARTED };
	// A run of version 1 lives, but sends nothing.
	command->answered = got > 0;
	command->unknown = !known && !command->started && (got > 0 || !has_ended(command->run));
}

static void pass_signal(struct exec_command *command)
{
	struct signalfd_siginfo info;
	if (read(command->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	int number = (int)info.ssi_signo;
	if (number == SIGWINCH || number == SIGCONT) {
		if (number == SIGCONT && command->master >= 0)
			raw_terminal_begin(&command->terminal);
		raw_terminal_copy_size(command->master);
		return;
	}
	bool ends = number != SIGUSR1 && number != SIGUSR2;
	// Programs that forward signals send two at once. A person's second ^C comes later.
	if (ends && command->asked_since &&
	    steady_now() - command->asked_since >= AT_ONCE_MILLISECONDS)
		command->unresponsive = true;
	if (ends && !command->asked_since)
		command->asked_since = steady_now();
	send(command->socket, &number, sizeof(number), MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Returns milliseconds until something is due, -1 if nothing is, 0 at the end.
static int64_t time_left(const struct exec_command *command, bool full)
{
	int64_t now = steady_now();
	const struct passing_stream *output = &command->streams[STDOUT_FILENO];
	bool open = command->master >= 0 && output->from >= 0 && output->most > 0;
	if (command->ended)
		return full ? -1 : open ? output->last + LAST_MILLISECONDS - now : 0;
	return command->asked_since ? command->asked_since + CONTROL_MILLISECONDS - now : -1;
}

// True if a read would stop this process: it is in its terminal's background.
static bool is_in_background(const struct passing_stream *stream)
{
	pid_t front = stream->from == STDIN_FILENO ? tcgetpgrp(STDIN_FILENO) : -1;
	return front > 0 && front != getpgrp();
}

static bool turn(struct exec_command *command)
{
	struct pollfd events[STREAMS + 2];
	bool full = false, behind = is_in_background(&command->streams[STDIN_FILENO]);
	for (int i = 0; i < STREAMS; i++) {
		bool waits = i == STDIN_FILENO && behind;
		const struct passing_stream *stream = &command->streams[i];
		events[i] =
			stream_is_full(stream)
				? (struct pollfd){ .fd = stream->to, .events = POLLOUT }
				: (struct pollfd){ .fd = stream->most && !waits ? stream->from : -1,
						   .events = POLLIN };
		full = full || stream_is_full(stream);
	}
	events[STREAMS] =
		(struct pollfd){ .fd = command->ended ? -1 : command->socket, .events = POLLIN };
	events[STREAMS + 1] = (struct pollfd){ .fd = command->signals, .events = POLLIN };
	int64_t left = time_left(command, full);
	behind = behind && (left == -1 || left > BEHIND_MILLISECONDS);
	left = behind ? BEHIND_MILLISECONDS : left;
	int ready = poll(events, STREAMS + 2, left == -1 ? -1 : left > 0 ? (int)left : 0);
	if (ready == 0 && behind)
		return true;
	if (ready == 0)
		command->unresponsive = !command->ended;
	for (int i = 0; ready > 0 && i < STREAMS; i++)
		if (events[i].revents)
			(stream_is_full(&command->streams[i]) ? stream_empty
							      : stream_fill)(&command->streams[i]);
	if (ready > 0 && events[STREAMS].revents)
		take_answer(command);
	if (ready > 0 && events[STREAMS + 1].revents)
		pass_signal(command);
	return ready != 0 && !command->unresponsive;
}

// Signals for the command. ^Z stops only this process.
static const int passed[] = {
	SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT
};

static int begin(const struct box *box, const struct live_box *live, const struct record *record,
		 char *const *words, struct exec_command *command)
{
	int theirs[FD_PASSED] = { -1, -1, -1, -1 }, given = 0;
	bool terminal = box->invocation.terminal == TOGGLE_YES;
	struct terminal_wish wish = terminal ? raw_terminal_size() : (struct terminal_wish){ 0 };
	for (int i = 0; i < STREAMS; i++)
		stream_init(&command->streams[i], i);
	if (terminal && !isatty(STDIN_FILENO))
		return fail(0, "exec --tty: stdin is not a terminal; leave --tty out");
	if (!terminal)
		TRY(given = stdin_is_given());
	TRY(theirs[0] = make_text(box, words));
	command->run = command->heard.run = live->run;
	command->signals = signals_held(passed, sizeof(passed) / sizeof(*passed));
	command->asked_since = steady_now();
	if (given) {
		command->input = fcntl(STDIN_FILENO, F_GETFL);
		theirs[1] = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	}
	for (int i = given; !terminal && i < STREAMS; i++)
		TRY(theirs[1 + i] = stream_pipe(&command->streams[i]));
	command->socket = control_socket_execute(record, live->run, &wish, theirs);
	for (int i = 0; i < FD_PASSED; i++)
		fd_close(&theirs[i]);
	return command->socket < 0 ? -1 : 0;
}

static const char *const refusals[] = {
	[EXEC_KILLED] = "stopped or killed the command before it began; it was not run",
	[EXEC_PAUSED] =
		"is paused; to continue it: sbx session resume NAME, or answer its question",
	[EXEC_FULL] = "has 64 commands of sbx exec; wait until one has ended",
	[EXEC_SILENT] = "does not answer; the command was not run",
	[EXEC_NO_PROCESS] =
		"has no process left for it; end one in it, or start it with a higher --pids",
	[EXEC_NO_TERMINAL] = "cannot open a terminal for it",
	[EXEC_BACKGROUND] =
		"was started with & from a terminal, where exec --tty is not possible; leave it "
		"out",
	[EXEC_REFUSED] = "takes no further command",
};
_Static_assert(EXEC_MAX == 64, "as it is said");

static int status_of(const struct live_box *live, const struct exec_command *command,
		     const char *word, const char *directory)
{
	enum exec_kind kind = command->last.kind;
	int number = command->last.number;
	if (command->unknown)
		return control_socket_unknown(live->run, command->answered);
	if (command->unresponsive)
		return fail(0, "run %s %s", live->id,
			    command->started
				    ? "does not answer; the command ends as soon as it does"
				    : refusals[EXEC_SILENT]);
	if (kind == EXEC_ENDED && WIFSIGNALED(number) && !command->json)
		signals_die(WTERMSIG(number));
	if (kind == EXEC_ENDED)
		return WIFSIGNALED(number) ? 128 + WTERMSIG(number) : WEXITSTATUS(number);
	if (kind == EXEC_NOT_FOUND) {
		fail(number, "cannot run '%.80s' in run %s", str_shown(word), live->id);
		box_failed();
		return number == ENOENT || number == ENOTDIR ? STATUS_NOT_FOUND
							     : STATUS_NOT_EXECUTABLE;
	}
	if (kind == EXEC_NO_DIRECTORY)
		return fail(number, "--chdir: '%.80s' in run %s", str_shown(directory), live->id);
	if (kind != EXEC_STARTED && kind != EXEC_SIGNALLED)
		return fail(number, "run %s %s", live->id,
			    refusals[kind > EXEC_REFUSED ? EXEC_REFUSED : kind]);
	fail(0, "run %s has ended%s", live->id,
	     command->started ? ", and this command with it"
			      : "; whether the command began is not known");
	box_failed();
	return STATUS_KILLED;
}

static int execute(const struct box *box, char **words, struct exec_command *command)
{
	struct arena *arena = arena_new_of(BOXES_BYTES);
	struct held_box held;
	const char *id = words[0];
	words += id != NULL;
	words += words[0] && str_equal(words[0], "--");
	if (!id || !words[0])
		return fail(0, "usage: sbx exec [OPTION]... ID [--] COMMAND [ARGUMENT]...");
	const struct live_box *live = boxes_live(arena, id, &held);
	if (!live)
		return -1;
	if (live->entry.landlock)
		return fail(0,
			    "run %s is in tier landlock, which has no namespaces that a further "
			    "command could be placed in",
			    live->id);
	TRY(begin(box, live, &held.record, words, command));
	while (turn(command))
		;
	if (command->input >= 0)
		fcntl(STDIN_FILENO, F_SETFL, command->input);
	raw_terminal_end(&command->terminal);
	if (command->master >= 0 && command->last.kind != EXEC_ENDED)
		terminal_lines_reset_terminal();
	fd_close(&command->master);
	bool succeeded = command->last.kind == EXEC_ENDED && command->last.number == 0;
	heard_end(&command->heard, command->json, succeeded);
	return status_of(live, command, words[0], box->invocation.inside);
}

static int print_result(const struct exec_command *command, struct front *front,
			uint64_t milliseconds, int status)
{
	struct out out = { 0 };
	bool ended = command->last.kind == EXEC_ENDED, killed = WIFSIGNALED(command->last.number);
	char id[16];
	snprintf(id, sizeof(id), "%d", (int)command->run);
	result_put(&(struct result){ .end = ended                     ? killed ? "signal" : "exit"
					    : status == STATUS_KILLED ? "box"
								      : "failed",
				     .status = status,
				     .ended = ended,
				     .wait_status = command->last.number,
				     .id = command->run ? id : NULL,
				     .error = err_is_recorded() ? err_text() : NULL,
				     .denials = &command->heard.denials,
				     .wall = milliseconds },
		   &out);
	return front_print(front, &out, NULL) < 0 && status == 0 ? STATUS_FAILURE : status;
}

int verb_exec(char **words)
{
	struct box *box = box_new();
	if (box_read(box, VERB_EXEC, words) < 0)
		return box_refused(box, words);
	static struct exec_command command = { .master = -1, .input = -1 };
	static struct front front = FRONT_NONE;
	int64_t began = steady_now();
	command.json = box->invocation.json == TOGGLE_YES;
	if (command.json && box->invocation.terminal == TOGGLE_YES) {
		fail(0, "--json and --tty cannot be given together");
		return box_refused(box, words);
	}
	front.id = box->arguments.rest[0];
	if (command.json && front_begin(&front) < 0)
		return box_refused(box, words);
	int result = execute(box, box->arguments.rest, &command);
	result = result < 0 ? box_failed() : result;
	return command.json
		       ? print_result(&command, &front, (uint64_t)(steady_now() - began), result)
		       : result;
}
