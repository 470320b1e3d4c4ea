// Owns the process that reads for the plan: its birth, its questions, its end.
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
// Memory is used once it is written. The directories of an index have a bound that is fixed.
static size_t arena_bytes(const struct apart_text *question)
{
	static const size_t megabyte = 1 << 20;
	size_t small = 64 * megabyte + 32 * (question->length + question->file_length);
	size_t large = 448 * megabyte + 6 * question->file_length;
	return question->file_length > 0 && large < small ? large : small;
}

static struct reader {
	pid_t owner, pid; // 0: there is none
	int socket;
	uint32_t number;    // of the last question
	const char *broken; // how
	char *const *words; // of the command line
} reader;

// Questions that were sent before somebody needs the answer, in their order.
static struct apart_sent {
	void (*read)(struct apart_text *question);
	struct apart_text question;
	uint32_t number;
	char *text; // the answer, once it was taken: it outlives who asked first
	size_t length;
} sent[APART_AHEAD_MAX];
static unsigned sent_count, heard_count;

struct apart_asked {
	void (*read)(struct apart_text *question); // the same address in both
	uint32_t number, length;
	size_t file_length;
};
struct apart_head {
	uint32_t number, length;
};

// What a reader that was taken over could do: sbx-testing does so.
static const struct lie {
	const char *name;
	enum row_kind kind;
	const char *text;
	uint32_t last;       // question that is answered so
	enum row_kind first; // of an answer: others are honest
	uint32_t number;
} lies[] = {
	{ .name = "reader-dies" },
	{ .name = "reader-waits" },
	{ .name = "reader-long" },
	{ .name = "reader-twice" },
	{ .name = "check-twice", .first = ROW_SECTION },
	{ .name = "check-key", .first = ROW_SECTION },
	{ .name = "check-taken", .first = ROW_SECTION },
	{ "check-far", ROW_SECTION, "core", ~0U, ROW_SECTION, ~0U },
	{ "check-back", ROW_SECTION, "core", ~0U, ROW_SECTION, 0 },
	{ "check-other", ROW_KEY, "core.fsmonitor", ~0U, ROW_SECTION, ~0U >> 24 },
	{ "check-shared", ROW_SHARED, "../config", ~0U, ROW_MARKS, 0 },
	{ "reader-place", ROW_MENTION, "/root/.bashrc", ~0U, 0, 0 },
	{ "reader-link", ROW_MENTION, "link/../../.bashrc", ~0U, 0, 0 },
	{ "reader-copy", ROW_KINDS, "/root/.gitconfig", ~0U, 0, 0 },
	{ "reader-tree", ROW_WORKTREE, "../../liar", 1, 0, 0 },
	{ .name = NULL },
};
enum { LIE_DIES, LIE_WAITS, LIE_LONG, LIE_TWICE, LIE_AGAIN, LIE_KEY, LIE_TAKEN };

static void say(const struct out *answer, uint32_t number)
{
	struct apart_head head = { number, (uint32_t)(answer->used - sizeof(head)) };
	memcpy(answer->text, &head, sizeof(head));
	if (fd_write_all(0, answer->text, answer->used) < 0)
		_exit(1);
}

// A setting at the end of what the box left: of three texts the third is.
static void say_setting(struct out *answer, const struct apart_asked *asked, const char *section,
			const char *name)
{
	row_put(answer, ROW_SECTION, asked->length, section, strlen(section));
	row_put(answer, ROW_KEY, asked->length, name, strlen(name));
	row_put(answer, ROW_VALUE, asked->length, "./liar", strlen("./liar"));
}

static void say_lie(const struct lie *lie, struct out *answer, const struct apart_asked *asked)
{
	struct apart_head head = { asked->number, ~0U };
	enum { LAST = 3 };
	if (lie->first && (answer->used <= sizeof(head) ||
			   (unsigned char)answer->text[sizeof(head)] != lie->first))
		return;
	if (lie == lies + LIE_DIES)
		_exit(0);
	while (lie == lies + LIE_WAITS)
		;
	if (lie == lies + LIE_LONG)
		fd_write_all(0, &head, sizeof(head));
	if (lie == lies + LIE_TWICE || lie == lies + LIE_AGAIN)
		say(answer, asked->number);
	if (lie == lies + LIE_KEY && asked->number == LAST)
		say_setting(answer, asked, "core", "core.fsmonitor");
	if (lie == lies + LIE_TAKEN && asked->number == LAST)
		say_setting(answer, asked, "branch.liar", "branch.liar.description");
	if (asked->number <= lie->last)
		row_put(answer, lie->kind, lie->number, lie->text, strlen(lie->text));
}

// One arena for all questions, but for those that need more.
static struct arena *arena_for(const struct apart_text *question)
{
	static struct arena *arena;
	static size_t bytes;
	if (arena && arena_bytes(question) <= bytes) {
		arena_clear(arena);
		return arena;
	}
	if (arena)
		arena_free(arena);
	bytes = arena_bytes(question) + 32 * APART_AHEAD_BYTES; // the next may be longer
	return arena = arena_new_of(bytes);
}

static void answer_to(const struct apart_asked *asked, int file, const struct lie *lie)
{
	struct out answer = { 0 };
	struct apart_text question = { .length = asked->length,
				       .file = file > 0 ? file : 0,
				       .file_length = asked->file_length,
				       .answer = &answer };
	question.arena = arena_for(&question);
	char *text = arena_take(question.arena, asked->length + 1);
	if (fd_read_all(0, text, asked->length) != (ssize_t)asked->length)
		_exit(1);
	question.text = text;
	out_bytes(&answer, "\0\0\0\0\0\0\0", sizeof(struct apart_head)); // its head
	asked->read(&question);
	if (lie->name)
		say_lie(lie, &answer, asked);
	say(&answer, asked->number);
	out_free(&answer);
	fd_close(&file);
}

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

static void wipe(char *const *texts)
{
	for (; texts && *texts; texts++)
		memset(*texts, 0, strlen(*texts));
}

static _Noreturn void become_reader(int socket, pid_t owner)
{
	extern char **environ;
	struct apart_asked asked;
	int fds[FD_PASSED];
	unsigned locks = confine_locks() & ~(unsigned)CONFINE_FILES; // it has no call with a path
	const struct lie *lie = lies;
	while (lie->name && !testing_skips(lie->name))
		lie++;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != owner ||
	    dup3(socket, 0, 0) < 0 || sys_close_range(1, ~0U, 0) < 0)
		_exit(1);
	arena_forget();
	wipe(environ);
	wipe(reader.words);
	if (confine(CONFINED_READER, locks) < 0)
		_exit(1);
	while (fd_receive(0, &asked, sizeof(asked), fds) == (ssize_t)sizeof(asked))
		answer_to(&asked, fds[0], lie);
	_exit(0);
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
	apart_reap();
	forget_answers(); // of a reader of who forked
	if (testing_skips("reader-waits"))
		patience = (struct timeval){ .tv_usec = 300000 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return fail(errno, "socketpair");
	autoclose int ours = ends[0], theirs = ends[1];
	setsockopt(ours, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(ours, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	reader.broken = NULL;
	pid_t owner = getpid(), pid = fork();
	if (pid == 0)
		become_reader(theirs, owner);
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

// Nothing more is believed of it.
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

// All of it, in the time that an answer has: a stop of the whole group ends a call.
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

// No arena: it is the caller's to free.
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
	if (fd_send(reader.socket, first, sizeof(asked) + length, &question->file,
		    question->file > 0) < 0 ||
	    !put(question->text + length, question->length - length))
		return broken("has ended");
	return 0;
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
	const struct reader others = reader;
	const unsigned sent_to_others = sent_count, heard_of_others = heard_count;
	reader = (struct reader){ .words = others.words, .number = others.number + 1 };
	sent_count = heard_count = 0;
	int result = ask_apart(read, question, arena, ret_text, ret_length);
	apart_reap();
	reader = others;
	sent_count = sent_to_others;
	heard_count = heard_of_others;
	return result;
}

static void ask_here(void (*read)(struct apart_text *question), const struct apart_text *question,
		     struct arena *arena, char **ret_text, size_t *ret_length)
{
	struct out answer = { 0 };
	struct apart_text own = *question;
	own.arena = arena_new_of(arena_bytes(question));
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

const char *apart_file(const struct apart_text *question)
{
	char *bytes = arena_take(question->arena, question->file_length + 1);
	ssize_t got;
	for (size_t at = 0; at < question->file_length; at += (size_t)got) {
		got = pread(question->file, bytes + at, question->file_length - at, (off_t)at);
		if (got <= 0)
			return NULL;
	}
	return bytes;
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
