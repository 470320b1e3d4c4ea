// sbx code: a snippet, by the language's own interpreter or compiler, in a box.
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "run/run_command.h"
#include "cli/verbs.h"
#include "code/languages.h"
#include "report/summary.h"

extern char **environ;

enum { SOURCE_BYTES_MAX = 4 << 20, CAPTURED_BYTES_MAX = 16 << 20, KEPT_MAX = 9 };
#define PLACE   "/tmp/sbx-code/"
#define PROGRAM "/tmp/sbx-program"

// What --json keeps apart. The kernel lets none of them grow: a program that writes more gets an
// error.
enum captured { CAPTURED_OUTPUT, CAPTURED_ERRORS, CAPTURED_COMPILER, CAPTURES };

struct code {
	const struct language *language;
	const char *text;       // of the snippet
	const char *path;       // FILE, or NULL
	char **arguments;       // of the program
	bool interactive;       // no code: the interpreter on a terminal
	int captured[CAPTURES]; // -1 without --json
	int kept;               // the compiler's, as the box has it; -1 without
	int output;             // the caller's stdout
};

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

// Without code: the interpreter itself on a terminal, else cells for it on stdin.
static int read_session(struct box *box, struct code *code)
{
	code->language = language_find(box->invocation.language);
	code->text = code->language ? language_driver(code->language) : NULL;
	code->interactive = code->text && isatty(STDIN_FILENO);
	if (code->text && box->invocation.json == ANSWER_YES)
		return fail(0, "--json is for one snippet, not for a session");
	return code->text ? 0 : -1;
}

// "-c STRING", "-" or FILE; then arguments.
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
	if (fd < 0 || fstat(fd, &status) < 0)
		return fail(errno, "'%s'", rest[0]);
	if (!S_ISREG(status.st_mode))
		return fail(0, "'%s' is not a file", rest[0]);
	code->path = rest[0];
	return read_source(box->arena, fd, rest[0], &code->text);
}

// A file of the project is there by its own name; any other text is shown to the box under a name
// that the language likes.
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
	bool named = !code->language->file ||
		     str_equal(path_name(path ? path : ""), code->language->file);
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
			code->interactive ? code->language->session : code->language->run;
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

// A shell's redirections take one digit: the last one that no option names. What the caller has
// open there is not for the box.
static int keep_for_compiler(struct box *box, struct code *code)
{
	int number = KEPT_MAX;
	while (number > STDERR_FILENO && is_named(box, number))
		number--;
	code->captured[CAPTURED_COMPILER] =
		fcntl(code->captured[CAPTURED_COMPILER], F_DUPFD_CLOEXEC, KEPT_MAX + 1);
	if (number <= STDERR_FILENO || code->captured[CAPTURED_COMPILER] < 0)
		return fail(0, "too many open files");
	code->kept = dup2(code->captured[CAPTURED_COMPILER], number);
	box_set_first(box, "process", "preserve-fd", arena_text(box->arena, "%d", number));
	return code->kept < 0 ? fail(errno, "dup") : 0;
}

static int capture(struct box *box, struct code *code)
{
	for (int i = 0; i < CAPTURES; i++) {
		int fd = memfd_create("sbx-code", MFD_ALLOW_SEALING);
		if (fd < 0 || ftruncate(fd, CAPTURED_BYTES_MAX) < 0 ||
		    fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
			return fail(errno, "memory for the output");
		code->captured[i] = fd;
	}
	// The supervisor lets go of what the box keeps.
	if (code->language->compile)
		TRY(keep_for_compiler(box, code));
	fcntl(code->captured[CAPTURED_COMPILER], F_SETFD, FD_CLOEXEC);
	fcntl(code->captured[CAPTURED_OUTPUT], F_SETFD, FD_CLOEXEC);
	fcntl(code->captured[CAPTURED_ERRORS], F_SETFD, FD_CLOEXEC);
	code->output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (code->output < 0 || dup2(code->captured[CAPTURED_OUTPUT], STDOUT_FILENO) < 0 ||
	    dup2(code->captured[CAPTURED_ERRORS], STDERR_FILENO) < 0)
		return fail(errno, "dup");
	box_set_first(box, "report", "level", "never");
	return 0;
}

// What was written so far, as a string; NUL bytes become '?'. `ret_full`: there was no room for
// more.
static char *text_of(struct arena *arena, int fd, bool *ret_full, size_t *ret_length)
{
	off_t end = lseek(fd, 0, SEEK_CUR);
	size_t length = end > 0 ? (size_t)end : 0;
	char *text = arena_take(arena, length + 1);
	ssize_t got = pread(fd, text, length, 0);
	length = got > 0 ? (size_t)got : 0;
	*ret_full = length >= CAPTURED_BYTES_MAX;
	*ret_length = length;
	for (size_t i = 0; i < length; i++)
		if (text[i] == '\0')
			text[i] = '?';
	text[length] = '\0';
	return text;
}

static int print_json(struct box *box, const struct ending *ending, int status)
{
	const struct code *code = box->code;
	struct arena *arena = arena_new_of((size_t)CAPTURED_BYTES_MAX * 4);
	struct out out = { 0 };
	bool full[CAPTURES];
	size_t length[CAPTURES];
	char *text[CAPTURES];
	for (int i = 0; i < CAPTURES; i++)
		text[i] = text_of(arena, code->captured[i], &full[i], &length[i]);
	bool compiles = code->language->compile, compiled = length[CAPTURED_COMPILER] > 0;
	if (compiles && compiled) // the mark of success
		compiled = text[CAPTURED_COMPILER][length[CAPTURED_COMPILER] - 1] == '?';
	if (compiles && compiled)
		text[CAPTURED_COMPILER][length[CAPTURED_COMPILER] - 1] = '\0';
	json_begin(&out, "code");
	json_string(&out, "language", code->language->name);
	json_number(&out, "exit", (unsigned)status);
	json_string(&out, "stdout", text[CAPTURED_OUTPUT]);
	json_string(&out, "stderr", text[CAPTURED_ERRORS]);
	json_flag(&out, "truncated", full[CAPTURED_OUTPUT] || full[CAPTURED_ERRORS]);
	if (compiles) {
		json_flag(&out, "compiled", compiled);
		json_string(&out, "compiler", text[CAPTURED_COMPILER]);
	}
	if (ending) {
		json_number(&out, "wall_ms", ending->usage->wall);
		json_number(&out, "memory_peak", ending->usage->memory);
		denied_json(ending->denials, &out);
	}
	json_end(&out);
	struct patience *patience = ending ? &ending->outcome->patience : NULL;
	return report_written(&box->plan, live_say(&out, code->output, patience), status);
}

int verb_code(char **words)
{
	struct box *box = box_new();
	static struct code code = { .captured = { -1, -1, -1 }, .kept = -1 };
	if (box_read(box, VERB_CODE, words) < 0)
		return box_failed();
	if (read_words(box, &code) < 0)
		return box_failed();
	if (!code.language)
		code.language = box->invocation.language ? language_find(box->invocation.language)
							 : language_detect(code.path, code.text);
	if (!code.language)
		return box_failed();
	if (!box->invocation.profiles.first)
		list_add(&box->invocation.profiles, box->arena, code.language->profile,
			 (struct origin){ .file = "--lang" });
	if (box->invocation.json == ANSWER_YES) {
		if (capture(box, &code) < 0)
			return box_failed();
		box->code = &code;
		box->after = print_json;
	}
	box->invocation.command = words_of(box, &code, place_of(box, &code));
	return run_command(box);
}
