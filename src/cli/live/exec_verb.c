// sbx exec: one more command in a box that lives. What passes between it and the caller are pipes,
// or a terminal of the box, which this process reads and writes: the box gets no descriptor of the
// caller's.
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
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "cli/boxes.h"
#include "cli/live/heard.h"
#include "cli/live/raw_terminal.h"
#include "cli/verbs.h"
#include "net/host/control_socket.h"
#include "process/further.h"
#include "report/capture.h"
#include "run/run_command.h"

enum { STREAMS = 3, STREAM_BYTES = 64 << 10 };
enum { STATUS_KILLED = 128 + SIGKILL, STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127 };

// --- words ---------------------------------------------------------------------------------------

// A sealed memfd (process/further.h).
static int make_text(const struct box *box, char *const *command)
{
	struct further_text head = { 0 };
	struct out out = { 0 };
	const struct invocation *asked = &box->invocation;
	const char *directory = asked->inside ? asked->inside : "";
	for (char *const *word = command; *word; word++)
		head.arguments++;
	list_each (item, &asked->variables)
		head.variables++;
	const char *type = asked->terminal == ANSWER_YES ? getenv("TERM") : NULL;
	head.variables += directory[0] != '\0';
	head.variables += type != NULL;
	out_bytes(&out, (const char *)&head, sizeof(head));
	out_bytes(&out, directory, strlen(directory) + 1);
	for (char *const *word = command; *word; word++)
		out_bytes(&out, *word, strlen(*word) + 1);
	if (directory[0])
		out_text(&out, "PWD=%s%c", directory, '\0');
	if (type)
		out_text(&out, "TERM=%s%c", type, '\0');
	list_each (item, &asked->variables)
		out_bytes(&out, item->text, strlen(item->text) + 1);
	bool large = out.used > FURTHER_BYTES_MAX / 2;
	autoclose int fd = memfd_create("sbx", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || out_write(&out, fd) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		return fail(errno, "hand the command over");
	return large ? fail(E2BIG, "hand the command over") : take(&fd);
}

// --- what passes ---------------------------------------------------------------------------------

struct passing_stream {
	int from, to; // -1: it has ended
	size_t at, used;
	size_t most; // bytes yet to be read
	char bytes[STREAM_BYTES];
};

struct further_command {
	struct passing_stream streams[STREAMS]; // by the command's descriptor
	int socket, signals;
	int master; // of the command's terminal; -1: pipes
	struct raw_terminal terminal;
	int64_t until; // of the last output: then it is enough
	pid_t run;
	bool json, started, ended;
	bool answered, unknown; // the run is of another version: it sent bytes, or hung up
	struct further_answer last;
	struct heard heard;
};

// Of stdin the end is passed on by a close; the caller's stdout and stderr stay open.
static void end_stream(struct further_command *command, int number)
{
	struct passing_stream *stream = &command->streams[number];
	fd_close(number == STDIN_FILENO ? &stream->to : &stream->from);
	stream->from = stream->to = -1;
	stream->at = stream->used = 0;
}

static void fill_stream(struct further_command *command, int number)
{
	struct passing_stream *stream = &command->streams[number];
	size_t most = sizeof(stream->bytes) < stream->most ? sizeof(stream->bytes) : stream->most;
	ssize_t got = read(stream->from, stream->bytes, most);
	stream->at = 0;
	stream->used = got > 0 ? (size_t)got : 0;
	stream->most -= stream->used;
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		end_stream(command, number);
}

// No more than a pipe takes at once, so that no reader holds the other streams up.
static void empty_stream(struct further_command *command, int number)
{
	struct passing_stream *stream = &command->streams[number];
	size_t left = stream->used - stream->at;
	ssize_t put =
		write(stream->to, stream->bytes + stream->at, left < PIPE_BUF ? left : PIPE_BUF);
	if (put > 0)
		stream->at += (size_t)put;
	else if (errno != EAGAIN && errno != EINTR)
		end_stream(command, number);
}

static bool is_full(const struct passing_stream *stream)
{
	return stream->at < stream->used;
}

// The pipes' content is printed yet; later output, of processes that the command left, is not. A
// terminal has no more when it is hung up, which another process of the box may hold up.
static void end_command(struct further_command *command)
{
	enum { LAST_MILLISECONDS = 500 };
	command->ended = true;
	command->until = steady_now() + LAST_MILLISECONDS;
	end_stream(command, STDIN_FILENO);
	for (int i = STDOUT_FILENO; command->master < 0 && i < STREAMS; i++) {
		int left = 0;
		ioctl(command->streams[i].from, FIONREAD, &left);
		command->streams[i].most = left > 0 ? (size_t)left : 0;
	}
}

static bool has_ended(pid_t run)
{
	enum { DYING_MILLISECONDS = 200 };
	autoclose int process = sys_pidfd_open(run);
	struct pollfd event = { .fd = process, .events = POLLIN };
	return process < 0 || poll(&event, 1, DYING_MILLISECONDS) != 0;
}

// The command has a terminal: from here on the caller's is raw.
static void begin_terminal(struct further_command *command, int master)
{
	if (!raw_terminal_is_master(master))
		return;
	command->master = fcntl(master, F_DUPFD_CLOEXEC, 0);
	command->streams[STDIN_FILENO].to = fcntl(master, F_DUPFD_CLOEXEC, 0);
	command->streams[STDIN_FILENO].from = STDIN_FILENO;
	command->streams[STDOUT_FILENO].from = fcntl(master, F_DUPFD_CLOEXEC, 0);
	raw_terminal_begin(&command->terminal);
	raw_terminal_resize(command->master);
}

static void take_answer(struct further_command *command)
{
	union {
		struct further_answer answer;
		struct further_denied denied;
	} message;
	int fds[FD_PASSED];
	ssize_t got = fd_receive_now(command->socket, &message, sizeof(message), fds);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got == (ssize_t)sizeof(message.denied) && control_is_known(&message.denied.head)) {
		heard_take(&command->heard, &message.denied, command->json, command->master);
		return;
	}
	struct further_answer answer = message.answer;
	bool known = got == (ssize_t)sizeof(answer) && control_is_known(&answer.head);
	if (!known || answer.kind != ANSWER_STARTED)
		end_command(command);
	else
		command->started = true;
	if (known && answer.kind == ANSWER_STARTED && fds[0] >= 0)
		begin_terminal(command, fds[0]);
	for (int i = 0; i < FD_PASSED; i++)
		fd_close(&fds[i]);
	command->last = known ? answer : (struct further_answer){ .kind = ANSWER_STARTED };
	// A run of version 1 says nothing, and lives.
	command->answered = got > 0;
	command->unknown = !known && !command->started && (got > 0 || !has_ended(command->run));
}

static void pass_signal(struct further_command *command)
{
	struct signalfd_siginfo info;
	if (read(command->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	int number = (int)info.ssi_signo;
	if (number == SIGWINCH || number == SIGCONT) {
		if (number == SIGCONT && command->master >= 0)
			raw_terminal_begin(&command->terminal);
		raw_terminal_resize(command->master);
		return;
	}
	send(command->socket, &number, sizeof(number), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static bool is_hung_up(const struct further_command *command)
{
	return command->ended && command->master >= 0 &&
	       (command->streams[STDOUT_FILENO].from < 0 || steady_now() >= command->until);
}

// False when nothing is left to do.
static bool turn(struct further_command *command)
{
	struct pollfd events[STREAMS + 2];
	bool full = false;
	for (int i = 0; i < STREAMS; i++) {
		const struct passing_stream *stream = &command->streams[i];
		events[i] = is_full(stream)
				    ? (struct pollfd){ .fd = stream->to, .events = POLLOUT }
				    : (struct pollfd){ .fd = stream->most ? stream->from : -1,
						       .events = POLLIN };
		full = full || is_full(stream);
	}
	events[STREAMS] =
		(struct pollfd){ .fd = command->ended ? -1 : command->socket, .events = POLLIN };
	events[STREAMS + 1] = (struct pollfd){ .fd = command->signals, .events = POLLIN };
	int64_t left = command->master < 0 ? 0 : command->until - steady_now();
	int ready =
		poll(events, STREAMS + 2, command->ended && !full ? left > 0 ? (int)left : 0 : -1);
	if (ready == 0 || is_hung_up(command))
		return false;
	for (int i = 0; ready > 0 && i < STREAMS; i++)
		if (events[i].revents)
			(is_full(&command->streams[i]) ? empty_stream : fill_stream)(command, i);
	if (ready > 0 && events[STREAMS].revents)
		take_answer(command);
	if (ready > 0 && events[STREAMS + 1].revents)
		pass_signal(command);
	return true;
}

// Those that a caller or a terminal ends a command by; ^Z stops this process alone.
static int hold_signals(void)
{
	static const int passed[] = { SIGHUP,  SIGINT,  SIGQUIT,  SIGTERM,
				      SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT };
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		sigaddset(&set, passed[i]);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Its pty comes with the answer.
static int begin_without_pipes(struct further_command *command)
{
	if (!isatty(STDIN_FILENO))
		return fail(0, "exec --tty: stdin is not a terminal; leave --tty out");
	for (int i = 0; i < STREAMS; i++)
		command->streams[i] = (struct passing_stream){ -1, i, .most = SIZE_MAX };
	return 0;
}

// Hands the box's ends of three pipes over.
static int begin(const struct box *box, const struct live_box *live, int roll, char *const *words,
		 struct further_command *command)
{
	int theirs[FD_PASSED] = { -1, -1, -1, -1 };
	bool terminal = box->invocation.terminal == ANSWER_YES;
	struct terminal_wish wish = terminal ? raw_terminal_size() : (struct terminal_wish){ 0 };
	if (terminal)
		TRY(begin_without_pipes(command));
	TRY(theirs[0] = make_text(box, words));
	command->run = live->run;
	command->signals = hold_signals();
	for (int i = 0; !terminal && i < STREAMS; i++) {
		int ends[2];
		bool input = i == STDIN_FILENO;
		if (command->signals < 0 || pipe2(ends, O_CLOEXEC) < 0)
			return fail(errno, "pipe");
		theirs[1 + i] = ends[!input];
		fcntl(ends[input], F_SETFL, O_NONBLOCK);
		command->streams[i].most = SIZE_MAX;
		command->streams[i].from = input ? i : ends[0];
		command->streams[i].to = input ? ends[1] : i;
	}
	command->socket = control_socket_execute(roll, live->name, live->run, &wish, theirs);
	for (int i = 0; i < FD_PASSED; i++)
		fd_close(&theirs[i]);
	return command->socket < 0 ? -1 : 0;
}

static int status_of(const struct live_box *live, const struct further_command *command,
		     const char *word)
{
	int number = command->last.number;
	if (command->unknown)
		return control_socket_unknown(live->run, command->answered);
	const char *shown = str_shown(word);
	bool refused = command->last.kind == ANSWER_REFUSED;
	if (number == EAGAIN && (refused || command->last.kind == ANSWER_NOT_FOUND))
		return fail(0,
			    "run %s takes no command now: it is paused, or has %d of sbx exec; "
			    "resume it, or wait until one has ended",
			    live->id, FURTHER_MAX);
	switch (command->last.kind) {
	case ANSWER_REFUSED:
		return fail(number, "run %s takes no further command", live->id);
	case ANSWER_NOT_FOUND:
		fail(number, "run '%.80s' in run %s", shown, live->id);
		box_failed();
		return number == ENOENT || number == ENOTDIR ? STATUS_NOT_FOUND
							     : STATUS_NOT_EXECUTABLE;
	case ANSWER_STARTED:
		fail(0, "run %s has ended%s", live->id,
		     command->started ? ", and this command with it" : "; the command was not run");
		box_failed();
		return command->started ? STATUS_KILLED : STATUS_FAILURE;
	case ANSWER_ENDED:
		if (WIFSIGNALED(number) && !command->json)
			signals_die(WTERMSIG(number));
		return WIFSIGNALED(number) ? 128 + WTERMSIG(number) : WEXITSTATUS(number);
	}
	return STATUS_FAILURE;
}

static int execute(const struct box *box, char **words, struct further_command *command)
{
	struct arena *arena = arena_new_own(BOXES_BYTES);
	struct boxes boxes;
	const char *id = words[0];
	words += id != NULL;
	words += words[0] && str_equal(words[0], "--");
	if (!id || !words[0])
		return fail(0, "usage: sbx exec [OPTION]... ID [--] COMMAND [ARGUMENT]...");
	if (box->invocation.inside && box->invocation.inside[0] != '/')
		return fail(0, "--chdir: '%.80s' does not begin with /",
			    str_shown(box->invocation.inside));
	TRY(boxes_list(arena, &boxes));
	const struct live_box *live = boxes_find(&boxes, id);
	if (!live)
		return -1;
	if (live->entry.landlock)
		return fail(0,
			    "run %s is in tier landlock, which has no namespaces that a further "
			    "command could be placed in",
			    live->id);
	autoclose int roll = boxes_roll(arena);
	TRY(begin(box, live, roll, words, command));
	while (turn(command))
		;
	raw_terminal_end(&command->terminal);
	fd_close(&command->master);
	heard_end(&command->heard, command->json);
	return status_of(live, command, words[0]);
}

static int print_result(const struct further_command *command, struct capture *capture,
			uint64_t milliseconds, int status)
{
	struct out out = { 0 };
	bool ended = command->last.kind == ANSWER_ENDED, killed = WIFSIGNALED(command->last.number);
	char id[16];
	snprintf(id, sizeof(id), "%d", (int)command->run);
	result_put(&(struct result){ .end = ended              ? killed ? "signal" : "exit"
					    : command->started ? "box"
							       : "failed",
				     .status = status,
				     .ended = ended,
				     .wait_status = command->last.number,
				     .id = command->run ? id : NULL,
				     .error = err_is_recorded() ? err_text() : NULL,
				     .denials = &command->heard.denials,
				     .wall = milliseconds },
		   &out);
	capture_end(capture, &out);
	return capture_print(capture, &out) < 0 ? STATUS_FAILURE : status;
}

int verb_exec(char **words)
{
	struct box *box = box_new();
	if (box_read(box, VERB_EXEC, words) < 0)
		return box_refused(box, words);
	static struct further_command command = { .master = -1 };
	struct capture capture;
	int64_t began = steady_now();
	command.json = box->invocation.json == ANSWER_YES;
	if (command.json && box->invocation.terminal == ANSWER_YES) {
		fail(0, "--json and --tty cannot be given together");
		return box_refused(box, words);
	}
	if (command.json && capture_begin(&capture) < 0)
		return box_refused(box, words);
	int result = execute(box, box->arguments.rest, &command);
	result = result < 0 ? box_failed() : result;
	return command.json
		       ? print_result(&command, &capture, (uint64_t)(steady_now() - began), result)
		       : result;
}
