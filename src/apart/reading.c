// Owns the reading process: its restrictions, its answers, and false answers for tests.
#include "apart/apart.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/sys.h"
#include "base/testing.h"

// Returns a generous arena size: pages that are not written take no memory.
size_t apart_memory(const struct apart_text *question)
{
	static const size_t megabyte = 1 << 20;
	size_t small = 64 * megabyte + 32 * (question->length + question->file_length);
	size_t large = 448 * megabyte + 6 * question->file_length;
	return question->file_length > 0 && large < small ? large : small;
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

// False answers, for sbx-testing.
static const struct lie {
	const char *name;
	enum row_kind kind;
	const char *text;
	uint32_t last;
	enum row_kind first; // for answers that begin with this row
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

// Adds a setting to the last of the merge's three texts, which the box wrote.
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

static struct arena *arena_for(const struct apart_text *question)
{
	static struct arena *arena;
	static size_t bytes;
	if (arena && apart_memory(question) <= bytes) {
		arena_clear(arena);
		return arena;
	}
	if (arena)
		arena_free(arena);
	bytes = apart_memory(question) + 32 * APART_AHEAD_BYTES; // the next question may be longer
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
	out_bytes(&answer, "\0\0\0\0\0\0\0", sizeof(struct apart_head));
	asked->read(&question);
	if (lie->name)
		say_lie(lie, &answer, asked);
	say(&answer, asked->number);
	out_free(&answer);
	fd_close(&file);
}

static void wipe(char *const *texts)
{
	for (; texts && *texts; texts++)
		memset(*texts, 0, strlen(*texts));
}

_Noreturn void apart_become(int socket, pid_t owner, char *const *words)
{
	extern char **environ;
	struct apart_asked asked;
	int fds[FD_PASSED];
	unsigned locks = confine_locks() & ~(unsigned)CONFINE_FILES; // no allowed call takes a path
	const struct lie *lie = lies;
	while (lie->name && !testing_skips(lie->name))
		lie++;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != owner ||
	    dup3(socket, 0, 0) < 0 || sys_close_range(1, ~0U, 0) < 0)
		_exit(1);
	arena_forget();
	wipe(environ);
	wipe(words);
	if (confine(CONFINED_READER, locks) < 0)
		_exit(1);
	while (fd_receive(0, &asked, sizeof(asked), fds) == (ssize_t)sizeof(asked))
		answer_to(&asked, fds[0], lie);
	_exit(0);
}
