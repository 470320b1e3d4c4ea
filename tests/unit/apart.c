// apart/reader.c, names/mentions.c: a broken answer is remembered, the texts of questions are not.
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apart/apart.h"
#include "base/base.h"
#include "base/fd.h"
#include "names/names.h"

static void dies(struct apart_text *question)
{
	(void)question;
	_exit(1);
}

static void speaks(struct apart_text *question)
{
	row_text(question->answer, ROW_MENTION, "a");
}

static int asked(enum apart whose, void (*read)(struct apart_text *question))
{
	const struct apart_text question = { .text = "" };
	struct rows rows;
	struct arena *arena = arena_new();
	int result = ATTEMPT(apart_ask(whose, read, &question, ROW_BIT(ROW_MENTION), arena, &rows));
	arena_free(arena);
	return result;
}

// A reader of one text alone is gone after its answer; that it was broken stays known.
static void broken_alone(void **state)
{
	(void)state;
	for (int first = 0; first < 2; first++) {
		assert_int_equal(asked(APART_ALONE, speaks), 0);
		if (first)
			assert_int_equal(asked(APART_OTHERS, speaks), 0);
		assert_int_equal(ATTEMPT(apart_end()), 0);
		assert_int_equal(asked(APART_ALONE, dies), -1);
		assert_int_equal(ATTEMPT(apart_end()), -1);
		assert_int_equal(asked(APART_OTHERS, speaks), -1);
		assert_int_equal(ATTEMPT(apart_end()), -1);
		apart_reap();
		assert_int_equal(ATTEMPT(apart_end()), 0);
	}
}

// A secret that is written nowhere in this program, so that who finds it has found a copy of a
// text: in an answer only its words are.
enum { SECRET = 48, WORD = 16 };

static char secret_byte(size_t i)
{
	return i % WORD ? (char)('a' + (i * i + 7 * i + 3) % 23) : ';';
}

static void put_secret(char *at)
{
	for (size_t i = 0; i < SECRET; i++)
		at[i] = secret_byte(i);
}

__attribute__((no_sanitize("address"))) static bool has_secret(const char *at, const char *end)
{
	for (; at + SECRET <= end; at++) {
		size_t same = 0;
		while (same < SECRET && at[same] == secret_byte(same))
			same++;
		if (same == SECRET)
			return true;
	}
	return false;
}

// Calls little: what others left on the stack is not overwritten.
static bool has_secret_anywhere(void)
{
	enum { LARGEST = 1 << 30 };
	static char maps[256 << 10];
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	for (ssize_t got = 1, used = 0; got > 0; used += got)
		got = read(fd, maps + used, sizeof(maps) - 1 - (size_t)used);
	for (char *line = maps; *line; line = strchr(line, '\n') + 1) {
		char *end;
		uintptr_t from = strtoul(line, &end, 16), to = strtoul(end + 1, &end, 16);
		if (strncmp(end, " rw", 3) == 0 && to - from < LARGEST &&
		    has_secret((const char *)from, (const char *)to))
			return true;
	}
	return false;
}

static int in_child(bool (*act)(void))
{
	int status;
	pid_t pid = fork();
	if (pid == 0)
		_exit(act());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int top;

// Often: later calls overwrite a part of what is left on the stack.
static bool write_secret(void)
{
	enum { TIMES = 16 };
	char text[TIMES * SECRET];
	autoclose int fd = openat(top, ".envrc", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	for (size_t i = 0; i < TIMES; i++)
		put_secret(text + i * SECRET);
	return write(fd, "export TOKEN=", 13) == 13 &&
	       write(fd, text, sizeof(text)) == (ssize_t)sizeof(text);
}

// What a reader was asked about, and what this process read itself, no later reader inherits.
static void texts(void **state)
{
	static const char config[] = "[alias]\n\tx = !lib/x\n[http]\n\textraHeader = ";
	char place[] = "/tmp/sbx-unit-apart.XXXXXX";
	struct arena *plan = arena_new_scratch(); // no child has it
	struct mentions mentions = { .path = place, .arena = plan, .whose = APART_OTHERS };
	(void)state;
	assert_non_null(mkdtemp(place));
	top = mentions.root = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(in_child(write_secret), 1);
	mentions_file(&mentions, place, top, ".envrc");
	assert_int_equal(in_child(has_secret_anywhere), 0);
	char *text = arena_take(plan, sizeof(config) + SECRET);
	memcpy(text, config, sizeof(config));
	put_secret(text + sizeof(config) - 1);
	mentions.whose = APART_OWN;
	mentions_git(&mentions, place, text, sizeof(config) - 1 + SECRET);
	assert_int_equal(in_child(has_secret_anywhere), 0);
	char found[SECRET]; // as the search would find it
	put_secret(found);
	assert_int_equal(in_child(has_secret_anywhere), 1);
	explicit_bzero(found, sizeof(found));
	apart_reap();
	arena_free(plan);
	close(top);
	assert_int_equal(owned_remove_tree(AT_FDCWD, place), 0);
}

int main(int count, char **words)
{
	(void)count;
	// Bound later, a function's first call leaves registers on the stack: ld.so(8).
	if (!getenv("LD_BIND_NOW") && setenv("LD_BIND_NOW", "1", 1) == 0)
		execv("/proc/self/exe", words);
	const struct CMUnitTest tests[] = { cmocka_unit_test(broken_alone),
					    cmocka_unit_test(texts) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
