// Owns the capture of stdout and stderr, and the members of a result.
#include "report/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "report/answer_fields.h"
#include "report/summary.h"

enum { CAPTURES = 2, CAPTURED_MAX = 16 << 20, CHUNK = 64 << 10 };

// --- the process that reads ----------------------------------------------------------------------

struct capture_pipe {
	int from, stored;
	uint64_t total;
};

// False at the end, and where nothing is there now.
static bool read_some(struct capture_pipe *pipe)
{
	static char bytes[CHUNK];
	ssize_t got = read(pipe->from, bytes, sizeof(bytes));
	uint64_t room = pipe->total < CAPTURED_MAX ? CAPTURED_MAX - pipe->total : 0;
	if (got <= 0)
		return false;
	if (room > 0)
		(void)!pwrite(pipe->stored, bytes, (uint64_t)got < room ? (size_t)got : room,
			      (off_t)pipe->total);
	pipe->total += (uint64_t)got;
	return true;
}

// `ended` is open as long as it lives: who asks need not be its parent.
static _Noreturn void read_all(struct capture_pipe pipes[CAPTURES], int done, int ended)
{
	const int kept[] = { pipes[0].from,   pipes[1].from, pipes[0].stored,
			     pipes[1].stored, done,          ended };
	struct pollfd events[CAPTURES + 1] = { [CAPTURES] = { .fd = done, .events = POLLIN } };
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL); // it ends with the other process
	for (int fd = 0; fd <= 2; fd++)
		close(fd);
	if (fd_close_except(kept, sizeof(kept) / sizeof(*kept), 0) < 0)
		_exit(1);
	for (int i = 0; i < CAPTURES; i++) {
		fcntl(pipes[i].from, F_SETFL, O_NONBLOCK);
		events[i] = (struct pollfd){ .fd = pipes[i].from, .events = POLLIN };
	}
	while (events[CAPTURES].revents == 0) {
		poll(events, CAPTURES + 1, -1);
		for (int i = 0; i < CAPTURES; i++)
			if (events[i].revents && !read_some(&pipes[i]))
				events[i].fd = -1; // the last writer has gone
	}
	for (int i = 0; i < CAPTURES; i++) {
		while (pipes[i].total <= UINT64_MAX / 2 && read_some(&pipes[i]))
			;
		// Behind the text: how long it was.
		(void)!pwrite(pipes[i].stored, &pipes[i].total, sizeof(pipes[i].total),
			      CAPTURED_MAX);
	}
	_exit(0);
}

// --- the other one -------------------------------------------------------------------------------

int capture_begin(struct capture *capture)
{
	int ends[CAPTURES][2], done[2], ended[2];
	struct capture_pipe pipes[CAPTURES] = { 0 };
	capture->output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (capture->output < 0 || pipe2(done, O_CLOEXEC) < 0 || pipe2(ended, O_CLOEXEC) < 0)
		return fail(errno, "memory for the output");
	for (int i = 0; i < CAPTURES; i++) {
		capture->stored[i] = fd_memory("sbx", MEMORY_PLAIN);
		if (capture->stored[i] < 0 || pipe2(ends[i], O_CLOEXEC) < 0)
			return fail(errno, "memory for the output");
		pipes[i] = (struct capture_pipe){ ends[i][0], capture->stored[i], 0 };
	}
	pid_t reader = fork();
	if (reader == 0)
		read_all(pipes, done[0], ended[1]);
	if (reader < 0)
		return fail(errno, "fork");
	close(done[0]);
	close(ended[1]);
	capture->done = done[1];
	capture->ended = ended[0];
	for (int i = 0; i < CAPTURES; i++) {
		close(ends[i][0]);
		if (dup2(ends[i][1], STDOUT_FILENO + i) < 0)
			return fail(errno, "dup");
		close(ends[i][1]);
	}
	return 0;
}

void capture_put(struct out *out, const char *key, char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		text[i] = text[i] ? text[i] : '?';
	text[length] = '\0';
	json_string(out, key, text);
}

void capture_end(struct capture *capture, struct out *out)
{
	static const char *const names[CAPTURES] = { "stdout", "stderr" };
	static char text[CAPTURED_MAX + 1];
	bool truncated = false;
	// A byte: the process that a shell waits for has the pipe, too (run/signals.c).
	(void)!write(capture->done, "", 1);
	fd_read_all(capture->ended, &(char){ 0 }, 1);
	for (int i = 0; i < CAPTURES; i++) {
		uint64_t total = 0;
		(void)!pread(capture->stored[i], &total, sizeof(total), CAPTURED_MAX);
		ssize_t got = pread(capture->stored[i], text,
				    total < CAPTURED_MAX ? total : CAPTURED_MAX, 0);
		truncated = truncated || total > CAPTURED_MAX;
		capture_put(out, names[i], text, got > 0 ? (size_t)got : 0);
	}
	json_flag(out, "truncated", truncated);
}

int capture_print(const struct capture *capture, struct out *out, struct patience *patience)
{
	json_end(out);
	return live_say(out, capture->output, patience);
}

// --- the object ----------------------------------------------------------------------------------

void result_put(const struct result *result, struct out *out)
{
	static const struct denials none;
	int wait_status = result->wait_status;
	out->json = true;
	answer_begin(out, "result", NULL);
	answer_members(out, TEXT_OR_NULL("id", result->id),
		       TEXT_OR_NULL("session", result->session), MEMBER("end", result->end),
		       MEMBER_NUMBER("status", (unsigned)result->status),
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
	answer_members(&out, MEMBER("stdout", ""), MEMBER("stderr", said),
		       MEMBER_FLAG("truncated", false));
	json_end(&out);
	out_flush(&out, STDOUT_FILENO);
	return FAILURE;
}
