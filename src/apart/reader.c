// Owns the reading process as its parent sees it: birth, questions, end.
#include "apart/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/sys.h"
#include "base/testing.h"

enum { PATIENCE_MILLISECONDS = 10000 };
static struct apart_reader {
	pid_t owner, pid;
	int socket;
	uint32_t number;
	const char *broken;
	char *const *words;
} reader;

// Questions sent early, in order.
static struct apart_sent {
	void (*read)(struct apart_text *question);
	struct apart_text question;
	uint32_t number;
	char *text; // answer, for later callers too
	size_t length;
} sent[APART_AHEAD_MAX];
static unsigned sent_count, heard_count;

int apart_born(pid_t parent, const int *first, unsigned first_count, const int *kept,
	       unsigned kept_count)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != parent || null < 0)
		return -1;
	for (unsigned i = 0; i < first_count || i <= STDERR_FILENO; i++)
		if (dup3(i < first_count && first[i] >= 0 ? first[i] : null, (int)i, 0) < 0)
			return -1;
	return fd_close_except(kept, kept_count, 0);
}

static void forget_answers(void)
{
	for (unsigned i = 0; i < sent_count; i++)
		free(sent[i].text);
	sent_count = heard_count = 0;
}

void apart_words(char *const *words)
{
	reader.words = words;
}

int apart_begin(void)
{
	struct timeval patience = { .tv_sec = PATIENCE_MILLISECONDS / 1000 };
	int ends[2];
	if (reader.owner == getpid() && reader.socket >= 0)
		return 0;
	const char *how = reader.broken;
	apart_reap();
	reader.broken = how; // a failure holds for the whole plan
	forget_answers();    // also those of a parent that forked
	if (testing_skips("reader-waits"))
		patience = (struct timeval){ .tv_usec = 300000 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return fail(errno, "socketpair");
	autoclose int ours = ends[0], theirs = ends[1];
	setsockopt(ours, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(ours, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	pid_t owner = getpid(), pid = fork();
	if (pid == 0)
		apart_become(theirs, owner, reader.words);
	if (pid < 0)
		return fail(errno, "fork");
	reader.owner = owner;
	reader.pid = pid;
	reader.socket = take(&ours);
	return 0;
}

int apart_inherit(void)
{
	if (dup3(reader.socket, 0, O_CLOEXEC) < 0 && errno != EINVAL)
		return fail(errno, "dup3");
	reader.owner = getpid();
	reader.socket = 0;
	return 0;
}

static int broken(const char *how)
{
	reader.broken = reader.broken ? reader.broken : how;
	return fail(0, "the locked process that reads the project's files %s", reader.broken);
}

int apart_refuse(void)
{
	return broken("gave an answer that cannot be one");
}

static bool put(const char *text, size_t length)
{
	while (length > 0) {
		ssize_t gone = send(reader.socket, text, length, MSG_NOSIGNAL);
		if (gone < 0 && errno != EINTR)
			return false;
		text += gone > 0 ? gone : 0;
		length -= gone > 0 ? (size_t)gone : 0;
	}
	return true;
}

static bool is_silent(void)
{
	char byte;
	return recv(reader.socket, &byte, 1, MSG_DONTWAIT | MSG_PEEK) <= 0;
}

// Reads `length` bytes within the time for an answer. A stop of the process group interrupts
// recv(2).
static bool get(void *bytes, size_t length)
{
	int64_t end = steady_now() + PATIENCE_MILLISECONDS;
	for (char *at = bytes; length > 0;) {
		ssize_t got = recv(reader.socket, at, length, 0);
		if ((got < 0 && errno != EINTR) || got == 0 || steady_now() > end)
			return false;
		at += got > 0 ? got : 0;
		length -= got > 0 ? (size_t)got : 0;
	}
	return true;
}

// `arena` NULL: the caller frees the text.
static int hear(uint32_t number, struct arena *arena, char **ret_text, size_t *ret_length)
{
	struct apart_head head;
	if (!get(&head, sizeof(head)))
		return broken("did not answer");
	if (head.number != number ||
	    head.length > (arena ? arena_left(arena) / 4 : (size_t)APART_TEXT_MAX) ||
	    head.length > APART_ANSWER_MAX)
		return apart_refuse();
	*ret_text = arena ? arena_take(arena, head.length + 1) : malloc(head.length + 1);
	*ret_length = head.length;
	return *ret_text && get(*ret_text, head.length) ? 0 : broken("did not answer");
}

static int say_question(void (*read)(struct apart_text *question),
			const struct apart_text *question)
{
	struct apart_asked asked = { read, ++reader.number, (uint32_t)question->length,
				     question->file_length };
	enum { TOGETHER = 1024 };
	char first[sizeof(asked) + TOGETHER];
	size_t length = question->length < TOGETHER ? question->length : TOGETHER;
	if (reader.broken || question->length > APART_TEXT_MAX)
		return broken("cannot be asked that much");
	memcpy(first, &asked, sizeof(asked));
	memcpy(first + sizeof(asked), question->text, length);
	bool gone = fd_send(reader.socket, first, sizeof(asked) + length, &question->file,
			    question->file > 0) == 0 &&
		    put(question->text + length, question->length - length);
	explicit_bzero(first, sizeof(first)); // a later reader inherits the stack
	return gone ? 0 : broken("has ended");
}

int apart_ahead(void (*read)(struct apart_text *question), const struct apart_text *question)
{
	if (sent_count == APART_AHEAD_MAX || question->length > APART_AHEAD_BYTES)
		return 0;
	TRY(apart_begin());
	TRY(say_question(read, question));
	sent[sent_count++] = (struct apart_sent){ read, *question, reader.number, NULL, 0 };
	return 0;
}

static bool is_same(const struct apart_sent *one, void (*read)(struct apart_text *question),
		    const struct apart_text *question)
{
	return one->read == read && question->file <= 0 &&
	       one->question.length == question->length &&
	       memcmp(one->question.text, question->text, question->length) == 0;
}

static int ask_apart(void (*read)(struct apart_text *question), const struct apart_text *question,
		     struct arena *arena, char **ret_text, size_t *ret_length)
{
	TRY(apart_begin());
	for (; heard_count < sent_count; heard_count++)
		TRY(hear(sent[heard_count].number, NULL, &sent[heard_count].text,
			 &sent[heard_count].length));
	for (unsigned i = 0; i < sent_count; i++) {
		if (!is_same(&sent[i], read, question))
			continue;
		*ret_text = arena_copy(arena, sent[i].text, sent[i].length);
		*ret_length = sent[i].length;
		return 0;
	}
	if (!is_silent())
		return broken("said more than it was asked");
	TRY(say_question(read, question));
	return hear(reader.number, arena, ret_text, ret_length);
}

static int ask_alone(void (*read)(struct apart_text *question), const struct apart_text *question,
		     struct arena *arena, char **ret_text, size_t *ret_length)
{
	const struct apart_reader others = reader;
	const unsigned sent_to_others = sent_count, heard_of_others = heard_count;
	reader = (struct apart_reader){ .words = others.words, .number = others.number + 1 };
	sent_count = heard_count = 0;
	int result = ask_apart(read, question, arena, ret_text, ret_length);
	const char *how = reader.broken;
	apart_reap();
	reader = others;
	reader.broken = reader.broken ? reader.broken : how;
	sent_count = sent_to_others;
	heard_count = heard_of_others;
	return result;
}

static void ask_here(void (*read)(struct apart_text *question), const struct apart_text *question,
		     struct arena *arena, char **ret_text, size_t *ret_length)
{
	struct out answer = { 0 };
	struct apart_text own = *question;
	own.arena = arena_new_of(apart_memory(question));
	own.answer = &answer;
	own.text = arena_copy(own.arena, question->text, question->length);
	read(&own);
	*ret_text = arena_copy(arena, answer.text ? answer.text : "", answer.used);
	*ret_length = answer.used;
	out_free(&answer);
	arena_free(own.arena);
}

int apart_ask(enum apart whose, void (*read)(struct apart_text *question),
	      const struct apart_text *question, unsigned kinds, struct arena *arena,
	      struct rows *ret_rows)
{
	char *text = NULL;
	size_t length = 0;
	if (whose == APART_OWN)
		ask_here(read, question, arena, &text, &length);
	else
		TRY((whose == APART_ALONE ? ask_alone : ask_apart)(read, question, arena, &text,
								   &length));
	if (!rows_take(arena, text, length, kinds | ROW_BIT(ROW_FAILED), ret_rows))
		return apart_refuse();
	const char *failed = rows_text(ret_rows, ROW_FAILED);
	return failed ? fail(0, "%s", failed) : 0;
}

int apart_end(void)
{
	if (reader.owner == getpid() && heard_count == sent_count && !is_silent())
		broken("said more than it was asked");
	return reader.broken ? broken("") : 0;
}

void apart_leave(void)
{
	if (reader.owner == getpid())
		fd_close(&reader.socket);
}

void apart_reap(void)
{
	reader.broken = NULL;
	if (reader.owner != getpid())
		return;
	kill(reader.pid, SIGKILL);
	fd_close(&reader.socket);
	while (waitpid(reader.pid, NULL, 0) < 0 && errno == EINTR)
		;
	reader.owner = 0;
	reader.number = 0;
	forget_answers();
}
