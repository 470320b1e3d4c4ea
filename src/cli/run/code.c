// sbx code: runs a snippet in a box, by the language's interpreter or compiler.
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "run/run_command.h"
#include "cli/verbs.h"
#include "cli/run/result.h"
#include "code/languages.h"
#include "report/front.h"

extern char **environ;

enum { SOURCE_BYTES_MAX = 4 << 20, COMPILER_BYTES_MAX = 1 << 20, KEPT_MAX = 9 };
#define PLACE   "/tmp/sbx-code/"
#define PROGRAM "/tmp/sbx-program"

struct code {
	const struct language *language;
	const char *text; // of the snippet
	const char *path; // FILE, or NULL
	char **arguments; // of the program
	bool interactive; // no code: the interpreter on a terminal
	// With --json, descriptors of the compiler's output, here and in the box, else -1. The size
	// is fixed: a compiler that writes more gets an error.
	int compiler, kept;
};

static struct code asked = { .compiler = -1, .kept = -1 };

static int read_source(struct arena *arena, int fd, const char *name, const char **ret_text)
{
	char *text = arena_take(arena, SOURCE_BYTES_MAX + 1);
	ssize_t got = fd_read_all(fd, text, SOURCE_BYTES_MAX);
	if (got < 0)
		return fail(errno, "'%s'", name);
	if (got == SOURCE_BYTES_MAX || memchr(text, '\0', (size_t)got))
		return fail(0, "'%s' is not source text", name);
	*ret_text = text;
	return 0;
}

// Without code, a terminal gets the interpreter, else a driver runs parts of stdin.
static int read_session(struct box *box, struct code *code)
{
	code->language = language_find(box->invocation.language);
	code->text = code->language ? language_driver(code->language) : NULL;
	code->interactive = code->text && isatty(STDIN_FILENO);
	if (code->text && box->invocation.json == TOGGLE_YES)
		return fail(0, "--json is for one snippet, not for a session");
	return code->text ? 0 : -1;
}

// Reads "-c STRING", "-" or FILE, then arguments.
static int read_words(struct box *box, struct code *code)
{
	char **rest = box->arguments.rest;
	code->arguments = rest;
	if (box->invocation.shell_string) {
		code->text = box->invocation.shell_string;
		return 0;
	}
	if (!rest[0] && box->invocation.language)
		return read_session(box, code);
	if (!rest[0])
		return fail(0, "no code given; usage: sbx code [-l LANGUAGE] [OPTION]... "
			       "[FILE|-|-c STRING [ARGUMENT]...]");
	code->arguments = rest + 1;
	if (str_equal(rest[0], "-"))
		return read_source(box->arena, STDIN_FILENO, "stdin", &code->text);
	autoclose int fd = open(rest[0], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	if (fd < 0 && errno == ENOENT)
		return ATTEMPT(language_find(rest[0]))
			       ? fail(0, "no file '%s'; for code: sbx code -l %s -c STRING",
				      rest[0], rest[0])
			       : fail(ENOENT, "'%s'", rest[0]);
	if (fd < 0 || fstat(fd, &status) < 0)
		return fail(errno, "'%s'", rest[0]);
	if (!S_ISREG(status.st_mode))
		return fail(0, "'%s' is not a file", rest[0]);
	code->path = rest[0];
	return read_source(box->arena, fd, rest[0], &code->text);
}

// A project's file keeps its name. Other text gets a name that the language accepts.
static const char *place_of(struct box *box, const struct code *code)
{
	char name[32];
	struct plan *places = arena_take(box->arena, sizeof(*places));
	places->arena = box->arena;
	decide_places(places, environ);
	const char *path = code->path && places->current
				   ? path_join(box->arena, places->current, code->path)
				   : NULL;
	bool inside = path && places->toplevel && path_within(path, places->toplevel);
	bool named = !code->language->required_name ||
		     str_equal(path_name(path ? path : ""), code->language->required_name);
	if (inside && named && !box->invocation.session)
		return path;
	const char *place = arena_text(box->arena, PLACE "%s",
				       language_file(code->language, name, sizeof(name)));
	box->plan.snippet = (struct snippet){ place, code->text };
	return place;
}

static char **words_of(struct box *box, const struct code *code, const char *place)
{
	size_t count = 0;
	while (code->arguments[count])
		count++;
	char **words = arena_take(box->arena, (count + 8) * sizeof(*words)), **next = words;
	struct arena *arena = box->arena;
	int compiler = code->kept;
	if (code->language->compile) {
		const char *to =
			compiler < 0 ? ">&2" : arena_text(arena, ">&%d 2>&%d", compiler, compiler);
		const char *done = compiler < 0
					   ? ""
					   : arena_text(arena, "printf '\\0' >&%d; exec %d>&-; ",
							compiler, compiler);
		*next++ = arena_text(arena, "/bin/sh");
		*next++ = arena_text(arena, "-c");
		*next++ = arena_text(arena, "{ %s; } %s || exit 1; %sshift 2; exec %s \"$@\"",
				     code->language->compile, to, done, PROGRAM);
		*next++ = arena_text(arena, "sbx-code");
		*next++ = arena_text(arena, "%s", place);
		*next++ = arena_text(arena, "%s", PROGRAM);
	} else {
		const char *const *run =
			code->interactive ? code->language->interactive : code->language->run;
		for (int i = 0; i < 3 && run[i]; i++)
			*next++ = arena_text(arena, "%s", run[i]);
		if (!code->interactive)
			*next++ = arena_text(arena, "%s", place);
	}
	memcpy(next, code->arguments, (count + 1) * sizeof(*next));
	return words;
}

static bool is_named(struct box *box, int number)
{
	const char *text = arena_text(box->arena, "%d", number);
	for (unsigned i = 0; i < box->arguments.count; i++)
		if (str_equal(box->arguments.set[i].value, text))
			return true;
	return false;
}

// Gives the box the last free descriptor of one digit: redirections of a shell take no more. The
// caller's descriptor of that number does not reach the box.
static int keep_for_compiler(struct box *box, struct code *code)
{
	int number = KEPT_MAX;
	while (number > STDERR_FILENO && is_named(box, number))
		number--;
	autoclose int fd = fd_memory("sbx-code", MEMORY_PLAIN);
	if (fd < 0 || ftruncate(fd, COMPILER_BYTES_MAX) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		return fail(errno, "memory for the output");
	code->compiler = fcntl(fd, F_DUPFD_CLOEXEC, KEPT_MAX + 1);
	if (number <= STDERR_FILENO || code->compiler < 0)
		return fail(0, "too many open files");
	code->kept = dup2(code->compiler, number);
	box_set_first(box, "process", "preserve-fd", arena_text(box->arena, "%d", number));
	return code->kept < 0 ? fail(errno, "dup") : 0;
}

// A NUL behind the compiler's output says that it succeeded (words_of()).
static void put_code(struct out *out)
{
	const struct code *code = &asked;
	static char text[COMPILER_BYTES_MAX + 1];
	json_string(out, "language", code->language->name);
	if (!code->language->compile)
		return;
	off_t end = lseek(code->compiler, 0, SEEK_CUR);
	ssize_t got = pread(code->compiler, text, end > 0 ? (size_t)end : 0, 0);
	size_t length = got > 0 ? (size_t)got : 0;
	bool compiled = length > 0 && text[length - 1] == '\0';
	json_flag(out, "compiled", compiled);
	captured_text(out, "compiler", text, length - compiled);
}

int verb_code(char **words)
{
	struct box *box = box_new();
	if (box_read(box, VERB_CODE, words) < 0 || read_words(box, &asked) < 0)
		return box_refused(box, words);
	if (!asked.language)
		asked.language = box->invocation.language ? language_find(box->invocation.language)
							  : language_detect(asked.path, asked.text);
	if (!asked.language)
		return box_refused(box, words);
	if (!box->invocation.profiles.first)
		list_add(&box->invocation.profiles, box->arena, asked.language->profile,
			 (struct origin){ .file = "--lang" });
	if (box->invocation.json == TOGGLE_YES) {
		// Reserves the descriptor's number before the front opens any. The supervisor
		// closes its copies.
		if ((asked.language->compile && keep_for_compiler(box, &asked) < 0) ||
		    result_prepare(box) < 0)
			return box_refused(box, words);
		box->result_more = put_code;
	}
	box->invocation.command = words_of(box, &asked, place_of(box, &asked));
	return run_command(box);
}
