// Owns the reading of INI text by libinih, behind checks that libinih lacks.
#include "policy/keys.h"

#include <ini.h>
#include <string.h>

#include "base/base.h"

struct ini_reader {
	struct arena *arena;
	const char *file;
	const char *at, *end;
	unsigned line;
	struct ini_stored *rows;
	unsigned count, size;
};

// `at` ends with a NUL.
static const char *byte_problem(const char *at)
{
	size_t length;
	uint32_t code;
	if (*at == '\r')
		return "carriage return: save the file with Unix line ends";
	if (*at == '\0')
		return "NUL byte";
	if (*at == '\t' || str_letter(at, &length, &code) != LETTER_ACTS ||
	    (length == 1 && code >= 0x80))
		return NULL;
	return code < 0xa0 ? "control byte"
			   : "a character that changes the direction of text, so that it reads as "
			     "something else";
}

bool ini_is_word(const char *text)
{
	while (*text && !byte_problem(text))
		text++;
	return *text == '\0';
}

static int check_bytes(const char *file, const char *text, size_t length)
{
	unsigned line = 1;
	size_t start = 0;
	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		return fail(0, "%s:1: byte order mark: save the file as plain UTF-8", file);
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\n') {
			line++;
			start = i + 1;
			continue;
		}
		const char *problem = byte_problem(text + i);
		if (problem)
			return fail(0, "%s:%u: %s", file, line, problem);
		if (i - start >= INI_LINE_MAX)
			return fail(0, "%s:%u: line is longer than %d bytes", file, line,
				    INI_LINE_MAX);
	}
	return 0;
}

// Like fgets(), but returns whole lines.
static char *next_line(char *buffer, int size, void *stream)
{
	struct ini_reader *reader = stream;
	if (reader->at >= reader->end)
		return NULL;
	const char *newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
	const char *end = newline ? newline + 1 : reader->end;
	size_t length = (size_t)(end - reader->at);
	if (length >= (size_t)size)
		return NULL;
	memcpy(buffer, reader->at, length);
	buffer[length] = '\0';
	reader->at = end;
	reader->line++;
	return buffer;
}

// Returns the offset of the word's copy in the arena.
static unsigned keep(struct arena *arena, const char *word)
{
	return (unsigned)(arena_copy(arena, word, strlen(word)) - (const char *)arena);
}

// Splits [secret NAME]: the section is "secret", and NAME precedes each value.
static int split_section(const struct ini_reader *reader, const char **section, const char **value)
{
	static const char secret[] = "secret";
	const char *name = *section + sizeof(secret) - 1;
	if (!str_starts(*section, secret) || (*name && *name != ' '))
		return 0;
	if (*name == '\0' || name[1] == '\0' || name[1 + strcspn(name + 1, " \t")])
		return fail(0, "%s:%u: a secret has a name of one word: [secret NAME]",
			    reader->file, reader->line);
	*value = arena_text(reader->arena, "%s %s", name + 1, *value ? *value : "");
	*section = secret;
	return 0;
}

static int add_row(void *user, const char *section, const char *name, const char *value)
{
	struct ini_reader *reader = user;
	struct arena *arena = reader->arena;
	if (section[0] == '\0')
		return fail(0, "%s:%u: '%s' is before any [section]", reader->file, reader->line,
			    name) == 0;
	if (split_section(reader, &section, &value) < 0)
		return 0;
	reader->rows = arena_grow(arena, reader->rows, reader->count, &reader->size,
				  sizeof(*reader->rows));
	reader->rows[reader->count++] =
		(struct ini_stored){ reader->line, keep(arena, section), keep(arena, name),
				     keep(arena, value ? value : "") };
	return 1;
}

int ini_read(struct arena *arena, const char *file, const char *text, size_t length,
	     struct ini_rows *ret_rows)
{
	struct ini_reader reader = {
		.arena = arena, .file = file, .at = text, .end = text + length
	};
	TRY(check_bytes(file, text, length));
	int line = ini_parse_stream(next_line, &reader, add_row, &reader);
	if (line != 0)
		return fail(0, "%s:%d: expected [section], name = value or ; comment", file, line);
	ret_rows->stored = reader.rows;
	ret_rows->text = (const char *)arena;
	ret_rows->count = reader.count;
	return 0;
}

const char *ini_value(const struct ini_rows *rows, const char *section, const char *name)
{
	const char *value = NULL;
	for (unsigned i = 0; i < rows->count; i++) {
		const struct ini_row row = ini_at(rows, i);
		if (str_equal(row.section, section) && str_equal(row.name, name))
			value = row.value;
	}
	return value;
}
