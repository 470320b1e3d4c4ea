// Owns the forms in which settings are read.
#include "names/naming.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "base/str.h"
#include "names/mentions.h"
#include "text/component.h"
#include "text/json.h"

// One with blanks in it stands in quotes, as in a file.
static void put_string(struct out *out, const struct json *value, const char *before)
{
	out_text(out, "%s\"%s\" ", before, value->string);
}

// A list of directories of programs is called *PATH.
static const char *before_value(const char *key)
{
	return strstr(key, "PATH") ? "PATH " : "";
}

// A command and its arguments, on one line, in whichever order they stand.
static void put_command(struct out *out, const struct json *object)
{
	static const char *const commands[] = { "command", "program", "runtimeExecutable", "cmd" };
	const struct json *arguments = json_member(object, "args");
	for (size_t i = 0; arguments && i < sizeof(commands) / sizeof(*commands); i++) {
		const struct json *command = json_member(object, commands[i]);
		if (!command || command->type != JSON_STRING || arguments->type != JSON_ARRAY)
			continue;
		put_string(out, command, "");
		for (const struct json *one = arguments->first; one; one = one->next)
			if (one->type == JSON_STRING)
				put_string(out, one, "");
		out_text(out, "\n");
	}
}

// A member or an object ends a line. Some keys are paths.
static void put_value(struct out *out, const struct json *value, const char *before)
{
	if (value->type == JSON_STRING)
		put_string(out, value, before);
	if (value->type == JSON_OBJECT)
		put_command(out, value);
	for (const struct json *child = value->first; child; child = child->next) {
		if (child->key && strchr(child->key, '/'))
			out_text(out, "%s\n", child->key);
		put_value(out, child, child->key ? before_value(child->key) : before);
		if (child->key || child->type == JSON_OBJECT)
			out_text(out, "\n");
	}
}

// What hooks run that stand, and what runs with no other word than "install".
static void put_scripts(struct out *out, const struct json *root, const char *keys)
{
	static const char hooks[] = " husky lint-staged simple-git-hooks pre-commit pre-push "
				    "gitHooks ghooks nano-staged commitlint ";
	const struct json *scripts = json_member(root, "scripts");
	for (const struct json *one = scripts && scripts->type == JSON_OBJECT ? scripts->first
									      : NULL;
	     one; one = one->next)
		if (one->type == JSON_STRING && str_has_word(keys, one->key, strlen(one->key)))
			out_text(out, "%s\n", one->string);
	for (const struct json *one = root->type == JSON_OBJECT ? root->first : NULL; one;
	     one = one->next)
		if (str_has_word(hooks, one->key, strlen(one->key))) {
			put_value(out, one, "");
			out_text(out, "\n");
		}
}

// False: it is no JSON, and nothing was passed on.
static bool naming_json(struct mentions *mentions, const struct naming_row *settings,
			const char *text, size_t length)
{
	enum { EACH = 64, MORE = 1 << 16 };
	// A tree of JSON takes more memory than its text, and is not needed when the names are
	// passed on.
	struct arena *arena = arena_new_own(length * EACH + MORE);
	struct json *root = NULL;
	struct out out = { 0 };
	bool good = ATTEMPT(json_parse(arena, text, length, &root)) == 0;
	if (good && settings->form == NAMING_JSON)
		put_value(&out, root, "");
	else if (good)
		put_scripts(&out, root, settings->keys);
	arena_free(arena);
	if (out.used > 0)
		mentions_text(mentions, out.text, out.used);
	out_free(&out);
	return good;
}

size_t naming_bytes(const struct naming_row *settings)
{
	bool large = settings->form == NAMING_JSON || settings->form == NAMING_SCRIPTS ||
		     naming_includes(settings);
	return large ? NAMING_BYTES_MAX : MENTIONS_BYTES_MAX;
}

bool naming_includes(const struct naming_row *settings)
{
	return settings->form == NAMING_MAKE || settings->form == NAMING_JUST ||
	       settings->form == NAMING_TASK;
}

bool naming_is_pattern(const struct naming_row *settings)
{
	return strpbrk(settings->name, "*?") != NULL;
}

bool naming_is(const struct naming_row *settings, const char *name)
{
	char folded[COMPONENT_MAX];
	const char *row = settings->name;
	if (!naming_is_pattern(settings))
		return str_equal(row, name);
	while (row && name) {
		if (!component_fold(name, folded) || !component_matches(folded, row))
			return false;
		row = strchr(row, '/');
		name = strchr(name, '/');
		row += row != NULL;
		name += name != NULL;
	}
	return !row && !name;
}

static int digits(const char *at, const char *end, unsigned count, unsigned base)
{
	unsigned value = 0;
	for (unsigned i = 0; i < count; i++, at++) {
		unsigned digit = at >= end                  ? base
				 : *at >= '0' && *at <= '9' ? (unsigned)(*at - '0')
				 : *at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a') + 10
				 : *at >= 'A' && *at <= 'F' ? (unsigned)(*at - 'A') + 10
							    : base;
		if (digit >= base)
			return -1;
		value = value * base + digit;
	}
	return (int)value;
}

// What an escape at `at`, behind its backslash, means in JSON, YAML, TOML or Lisp, where that is a
// byte to be seen; 0: it stays as it is.
static char meaning(const char *at, const char *end, unsigned *ret_length)
{
	static const struct {
		char letter;
		unsigned count, base;
	} kinds[] = { { 'u', 4, 16 }, { 'U', 8, 16 }, { 'x', 2, 16 }, { '\0', 3, 8 } };
	*ret_length = 1;
	if (at < end && *at == '/')
		return '/';
	for (size_t i = 0; at < end && i < sizeof(kinds) / sizeof(*kinds); i++) {
		unsigned skipped = kinds[i].letter != '\0';
		if (skipped && *at != kinds[i].letter)
			continue;
		int value = digits(at + skipped, end, kinds[i].count, kinds[i].base);
		*ret_length = kinds[i].count + skipped;
		if (value > ' ' && value < 0x7f)
			return (char)value;
	}
	return '\0';
}

// In place; a byte order mark goes, too. Returns the length.
static size_t unescape(char *text, size_t length)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t to = 0, from = 0, size = sizeof(mark) - 1;
	if (length >= size && memcmp(text, mark, size) == 0)
		from = size;
	while (from < length) {
		unsigned skipped;
		char byte = text[from++];
		char meant = byte == '\\' ? meaning(text + from, text + length, &skipped) : '\0';
		if (meant)
			from += skipped;
		text[to++] = meant ? meant : byte;
	}
	return to;
}

// A key, or the last part of one with points between its parts.
static bool is_key(const char *keys, const char *word, size_t length)
{
	const char *point = memrchr(word, '.', length);
	return str_has_word(keys, word, length) ||
	       (point && str_has_word(keys, point + 1, length - (size_t)(point + 1 - word)));
}

struct line {
	char *begin, *end; // of what is on it
	size_t column;     // of the first that is no blank
};

static struct line line_at(char *text, size_t length, size_t at)
{
	char *newline = memchr(text + at, '\n', length - at);
	struct line line = { .begin = text + at, .end = newline ? newline : text + length };
	while (line.begin + line.column < line.end && strchr(" \t", line.begin[line.column]))
		line.column++;
	return line;
}

// Behind the first key of the line, or NULL. `ret_column`: where it stands; of one in brackets,
// where the line begins.
static char *find_key(const struct line *line, const char *keys, bool first, size_t *ret_column)
{
	bool inside = false;
	for (char *at = line->begin + line->column, *end; at < line->end; at = end) {
		for (end = at; end < line->end && mentions_is_letter(*end);)
			end++;
		if (end > at && is_key(keys, at, (size_t)(end - at))) {
			*ret_column = inside ? line->column : (size_t)(at - line->begin);
			return end;
		}
		if (first && end > at)
			return NULL;
		if (end == at)
			inside = strchr("{[,", *end++) || inside;
	}
	return NULL;
}

// Whether the line goes on with the value of a key that stands at `column` (YAML 1.2, 8.1 and 8.2).
static bool is_below(const struct line *line, size_t column)
{
	const char *at = line->begin + line->column;
	return at == line->end || *at == '\r' || line->column > column ||
	       (line->column == column && *at == '-');
}

// A word of what is included, and where the tool looks for it when it is a module or a directory.
static void pass_included(struct mentions *mentions, const struct naming_row *settings,
			  const char *word)
{
	static const char *const just[] = { "", ".just", "/mod.just", "/justfile" };
	static const char *const task[] = { "", "/Taskfile.yml", "/Taskfile.yaml", "/taskfile.yml",
					    "/taskfile.yaml" };
	bool is_task = settings->form == NAMING_TASK;
	size_t count = is_task ? sizeof(task) / sizeof(*task) : sizeof(just) / sizeof(*just);
	char name[1024];
	for (size_t i = 0; i < count; i++)
		if (str_put(name, sizeof(name), "%s%s", word, is_task ? task[i] : just[i]))
			mentions_pass(mentions, name, MENTION_FILE);
}

// What is named behind a key.
static void read_part(struct mentions *mentions, const struct naming_row *settings, char *from,
		      char *to)
{
	mentions_text(mentions, from, (size_t)(to - from));
	if (settings->form != NAMING_JUST && settings->form != NAMING_TASK)
		return;
	for (char *at = from, *end; at < to; at = end + 1) {
		for (end = at; end < to && mentions_is_letter(*end);)
			end++;
		char after = *end;
		*end = '\0';
		if (end > at && after != ':')
			pass_included(mentions, settings, at);
		*end = after;
	}
}

static bool is_continued(const char *from, const char *end)
{
	end -= end > from && end[-1] == '\r';
	return end > from && end[-1] == '\\';
}

static void read_lines(struct mentions *mentions, const struct naming_row *settings, char *text,
		       size_t length)
{
	bool yaml = settings->form == NAMING_YAML || settings->form == NAMING_TASK;
	bool first = settings->form == NAMING_MAKE || settings->form == NAMING_JUST;
	bool goes_on = false;
	size_t column = 0;
	for (size_t at = 0; at < length;) {
		struct line line = line_at(text, length, at);
		at = (size_t)(line.end - text) + 1;
		bool below = goes_on && (!yaml || is_below(&line, column));
		char *from = below ? line.begin : NULL;
		if (!below && line.begin[line.column] != '#')
			from = find_key(&line, settings->keys, first, &column);
		goes_on = from && (yaml || is_continued(from, line.end));
		if (from)
			read_part(mentions, settings, from, line.end);
	}
}

// All words, or all behind a key.
static void read_words(struct mentions *mentions, const struct naming_row *settings, char *text,
		       size_t length)
{
	if (settings->keys)
		read_lines(mentions, settings, text, length);
	else
		mentions_text(mentions, text, length);
}

// What functions of direnv's read, or put on PATH, without an argument.
static void read_direnv(struct mentions *mentions, const char *text)
{
	static const struct {
		const char *word, *name;
		enum mention kind;
	} unasked[] = {
		{ "dotenv", ".env", MENTION_FILE },
		{ "use flake", "flake.nix", MENTION_FILE },
		{ "use nix", "shell.nix", MENTION_FILE },
		{ "use nix", "default.nix", MENTION_FILE },
		{ "layout node", "node_modules/.bin", MENTION_PROGRAMS },
		{ "layout go", "bin", MENTION_PROGRAMS },
		{ "layout php", "vendor/bin", MENTION_PROGRAMS },
	};
	for (size_t i = 0; i < sizeof(unasked) / sizeof(*unasked); i++)
		if (strstr(text, unasked[i].word))
			mentions_pass(mentions, unasked[i].name, unasked[i].kind);
}

void naming_read(struct mentions *mentions, const struct naming_row *settings, char *text,
		 size_t length)
{
	switch (settings->form) {
	case NAMING_DIRENV:
		read_direnv(mentions, text);
		mentions_text(mentions, text, length);
		return;
	case NAMING_JSON:
	case NAMING_SCRIPTS:
		// Programs that read it may take more for JSON than we do.
		if (naming_json(mentions, settings, text, length))
			return;
		break;
	case NAMING_TEXT:
	case NAMING_LINES:
	case NAMING_YAML:
	case NAMING_MAKE:
	case NAMING_JUST:
	case NAMING_TASK:
		break;
	}
	read_words(mentions, settings, text, unescape(text, length));
}
