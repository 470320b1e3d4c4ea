// Owns the process that reads a run's output (the front), captured output, and the members of a
// result.
#include "report/front.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "report/print_fields.h"
#include "report/summary.h"

enum {
	CAPTURED_MAX = 16 << 20,
	SILENT_MILLISECONDS = 2000,
	LAST_MILLISECONDS = 2000,
	STATUS_KILLED = 128 + SIGKILL
};

// Stores up to CAPTURED_MAX, and a byte more to show a cut.
static void captured_add(int stored, const char *bytes, size_t length)
{
	struct stat status;
	size_t room = fstat(stored, &status) == 0 && status.st_size <= CAPTURED_MAX
			      ? CAPTURED_MAX + 1 - (size_t)status.st_size
			      : 0;
	(void)!write(stored, bytes, length < room ? length : room);
}

void captured_text(struct out *out, const char *key, char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		text[i] = text[i] ? text[i] : '?';
	text[length] = '\0';
	json_string(out, key, text);
}

static void captured_put(struct out *out, const int stored[STREAMS_CAPTURED], bool cut)
{
	static const char *const names[STREAMS_CAPTURED] = { "stdout", "stderr" };
	static char text[CAPTURED_MAX + 1];
	for (int i = 0; i < STREAMS_CAPTURED; i++) {
		ssize_t got = pread(stored[i], text, sizeof(text), 0);
		cut = cut || got > CAPTURED_MAX;
		captured_text(out, names[i], text,
			      got > CAPTURED_MAX ? CAPTURED_MAX
			      : got > 0          ? (size_t)got
						 : 0);
	}
	json_flag(out, "truncated", cut);
}

enum { CONTROL = STREAMS_CAPTURED, SOURCES_FRONT };

static bool store(struct front *front, int from, int stream)
{
	static char bytes[RING_CHUNK];
	ssize_t got = read(from, bytes, sizeof(bytes));
	if (got > 0 && front->record >= 0)
		ring_write(front->stored[0], &front->head, bytes, (size_t)got);
	else if (got > 0)
		captured_add(front->stored[stream], bytes, (size_t)got);
	return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

// Takes a message: the command has begun, or all output was printed. EOF: the supervisor has died.
// Returns how long to wait for more output.
static int take_word(const struct front *front, struct pollfd *events, bool *ret_asked)
{
	int32_t run;
	int fds[FD_PASSED];
	ssize_t got = fd_receive(front->socket, &run, sizeof(run), fds);
	if (got == sizeof(run) && run > 0) {
		if (front->record >= 0)
			events[1].fd = fds[1];
		return -1;
	}
	events[CONTROL].fd = -1;
	*ret_asked = got > 0;
	return *ret_asked ? 0 : SILENT_MILLISECONDS;
}

static void say_killed(const struct front *front, int64_t began)
{
	struct out out = { 0 };
	result_put(&(struct result){ .end = "signal",
				     .status = STATUS_KILLED,
				     .ended = true,
				     .wait_status = SIGKILL,
				     .id = front->id,
				     .session = front->session,
				     .error = "the command's own sbx was killed",
				     .wall = (uint64_t)(steady_now() - began) },
		   &out);
	captured_put(&out, front->stored, false);
	json_end(&out);
	terminal_lines_say(&out, front->answer, NULL);
}

static _Noreturn void be_front(struct front *front, const int from[STREAMS_CAPTURED])
{
	const int kept[] = { from[0],     from[1],       front->stored[0], front->stored[1],
			     front->lock, front->answer, front->ready,     front->socket };
	struct pollfd events[SOURCES_FRONT] = { { .fd = from[0], .events = POLLIN },
						{ .fd = from[1], .events = POLLIN },
						{ .fd = front->socket, .events = POLLIN } };
	int64_t began = steady_now(), end = INT64_MAX;
	bool asked = false;
	int wait = -1;
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL); // ends with the supervisor, not by signals
	// A box can read the same pipe, and take what poll() has announced.
	for (int i = 0; i < STREAMS_CAPTURED && from[i] >= 0; i++)
		fcntl(from[i], F_SETFL, O_NONBLOCK);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		close(fd);
	if (fd_close_except(kept, sizeof(kept) / sizeof(*kept), 0) < 0)
		_exit(1);
	while (events[0].fd >= 0 || events[1].fd >= 0 || events[CONTROL].fd >= 0) {
		if (poll(events, SOURCES_FRONT, wait) == 0 || steady_now() > end)
			break;
		for (int i = 0; i < STREAMS_CAPTURED; i++)
			if (events[i].revents && !store(front, events[i].fd, i))
				events[i].fd = -1;
		if (events[CONTROL].revents) {
			wait = take_word(front, events, &asked);
			end = asked ? steady_now() + LAST_MILLISECONDS : end;
		}
	}
	if (front->record < 0 && !asked)
		say_killed(front, began);
	else if (asked)
		fd_send(front->socket, &(int32_t){ 0 }, sizeof(int32_t), NULL, 0);
	_exit(0);
}

int front_begin(struct front *front)
{
	bool captures = front->record < 0;
	int ends[STREAMS_CAPTURED][2] = { { -1, -1 }, { -1, -1 } }, sockets[2];
	for (int i = 0; captures && i < STREAMS_CAPTURED; i++)
		if ((front->stored[i] = fd_memory("sbx", MEMORY_PLAIN)) < 0)
			return fail(errno, "memory for the output");
	front->answer = captures ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
	if ((captures && front->answer < 0) || pipe2(ends[0], O_CLOEXEC) < 0 ||
	    (captures && pipe2(ends[1], O_CLOEXEC) < 0) ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return fail(errno, "memory for the output");
	front->socket = sockets[1];
	pid_t child = fork();
	if (child == 0)
		be_front(front, (const int[]){ ends[0][0], ends[1][0] });
	front->socket = sockets[0];
	close(sockets[1]);
	if (child < 0 || dup2(ends[0][1], STDOUT_FILENO) < 0 ||
	    dup2(ends[captures][1], STDERR_FILENO) < 0)
		return fail(errno, "stdout and stderr of the command");
	for (int i = 0; i < STREAMS_CAPTURED; i++) {
		fd_close(&ends[i][0]);
		fd_close(&ends[i][1]);
	}
	if (!captures)
		fd_close(&front->stored[0]);
	return 0;
}

int front_print(struct front *front, struct out *out, struct patience *patience)
{
	int32_t word = 0;
	struct pollfd answer = { .fd = front->socket, .events = POLLIN };
	// A front that was killed or stopped does not answer.
	bool whole = fd_send(front->socket, &word, sizeof(word), NULL, 0) == 0 &&
		     poll(&answer, 1, 2 * LAST_MILLISECONDS) > 0 &&
		     fd_receive(front->socket, &word, sizeof(word), NULL) > 0;
	captured_put(out, front->stored, !whole);
	json_end(out);
	return terminal_lines_say(out, front->answer, patience);
}

void result_put(const struct result *result, struct out *out)
{
	static const struct denials none;
	int wait_status = result->wait_status;
	out->json = true;
	print_begin(out, "result", NULL);
	print_members(out, TEXT_OR_NULL("id", result->id), TEXT_OR_NULL("session", result->session),
		      MEMBER("end", result->end), MEMBER_NUMBER("status", (unsigned)result->status),
		      NUMBER_OR_NULL(result->ended && WIFEXITED(wait_status), "exit",
				     (unsigned)WEXITSTATUS(wait_status)),
		      NUMBER_OR_NULL(result->ended && WIFSIGNALED(wait_status), "signal",
				     (unsigned)WTERMSIG(wait_status)),
		      MEMBER_FLAG("timed_out", result->timed_out),
		      TEXT_OR_NULL("error", result->error), MEMBER_NUMBER("wall_ms", result->wall),
		      MEMBER_NUMBER("memory_peak", result->memory));
	hits_json(result->hits, result->hit_count, out);
	denied_json(result->denials ? result->denials : &none, out);
	json_open(out, "findings", '[');
	for (int i = 0; i < 2; i++)
		if (result->found[i])
			findings_json(result->found[i], out);
	json_close(out, ']');
}

int result_failed(void)
{
	enum { FAILURE = 125 };
	struct out out = { 0 };
	char said[1100];
	snprintf(said, sizeof(said), "sbx: %s\n", err_text());
	result_put(&(struct result){ .end = "failed", .status = FAILURE, .error = err_text() },
		   &out);
	print_members(&out, MEMBER("stdout", ""), MEMBER("stderr", said),
		      MEMBER_FLAG("truncated", false));
	json_end(&out);
	out_flush(&out, STDOUT_FILENO);
	return FAILURE;
}
