// Owns the parser of other programs' JSON.
#include "text/json.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "base/str.h"

static const char mark[] = "\xef\xbb\xbf";

struct json_reader {
	struct arena *arena;
	const char *text;
	size_t length, at;
	unsigned depth;
};

static int wrong(const struct json_reader *reader, const char *what)
{
	unsigned line = 1;
	for (size_t i = 0; i < reader->at && i < reader->length; i++)
		line += reader->text[i] == '\n';
	return fail(0, "line %u: %s", line, what);
}

static int peek(const struct json_reader *reader)
{
	return reader->at < reader->length ? (unsigned char)reader->text[reader->at] : -1;
}

static int skip_comment(struct json_reader *reader)
{
	bool line = reader->at + 1 < reader->length && reader->text[reader->at + 1] == '/';
	bool block = reader->at + 1 < reader->length && reader->text[reader->at + 1] == '*';
	if (!line && !block)
		return wrong(reader, "a '/' that begins nothing");
	const char *rest = reader->text + reader->at + 2;
	size_t left = reader->length - reader->at - 2;
	const char *end = line ? memchr(rest, '\n', left) : memmem(rest, left, "*/", 2);
	if (!end && block)
		return wrong(reader, "a comment without an end");
	reader->at = end ? (size_t)(end - reader->text) + (line ? 1 : 2) : reader->length;
	return 0;
}

static int skip_blanks(struct json_reader *reader)
{
	for (;;) {
		int byte = peek(reader);
		if (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r')
			reader->at++;
		else if (byte == '/')
			TRY(skip_comment(reader));
		else
			return 0;
	}
}

// One byte of a string, or one escape.
static int pass_byte(struct json_reader *reader)
{
	const char *at = reader->text + reader->at;
	size_t escape = *at == '\\' ? json_escape_length(at + 1) : 0;
	bool bad = *at == '\\' && escape == 0;
	reader->at += bad ? 2 : 1 + escape;
	if ((unsigned char)*at < ' ')
		return wrong(reader, "a control byte in a string");
	if (bad && at[1] == 'u')
		return wrong(reader, "four hexadecimal digits are expected after \\u");
	if (bad)
		return wrong(reader, "an unknown escape in a string");
	if (escape == 5 && memcmp(at, "\\u0000", 6) == 0)
		return wrong(reader, "a NUL byte in a string");
	return 0;
}

static int read_string(struct json_reader *reader, const char **ret_string)
{
	size_t start = ++reader->at;
	const char *text = reader->text;
	while (reader->at < reader->length && text[reader->at] != '"')
		reader->at += text[reader->at] == '\\' ? 2 : 1;
	if (reader->at >= reader->length)
		return wrong(reader, "a string without an end");
	// No escape is shorter than what it stands for.
	size_t end = reader->at, size = end - start + 1;
	char *string = arena_take(reader->arena, size);
	for (reader->at = start; reader->at < end;)
		TRY(pass_byte(reader));
	json_decode(text + start, end - start, string, size);
	reader->at = end + 1;
	*ret_string = string;
	return 0;
}

static int read_other(struct json_reader *reader)
{
	static const char *const words[] = { "true", "false", "null" };
	const char *at = reader->text + reader->at;
	size_t left = reader->length - reader->at, length = 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t size = strlen(words[i]);
		if (left >= size && memcmp(at, words[i], size) == 0) {
			reader->at += size;
			return 0;
		}
	}
	while (length < left && at[length] && strchr("+-.0123456789eE", at[length]))
		length++;
	if (length == 0 || !(at[0] == '-' || (at[0] >= '0' && at[0] <= '9')))
		return wrong(reader, "a value is expected");
	reader->at += length;
	return 0;
}

static int read_value(struct json_reader *reader, struct json *value);

static int read_child(struct json_reader *reader, const struct json *parent, struct json *child)
{
	child->begin = reader->at;
	if (parent->type == JSON_OBJECT) {
		if (peek(reader) != '"')
			return wrong(reader, "a name in quotes is expected");
		TRY(read_string(reader, &child->key));
		TRY(skip_blanks(reader));
		if (peek(reader) != ':')
			return wrong(reader, "':' is expected");
		reader->at++;
		TRY(skip_blanks(reader));
	}
	return read_value(reader, child);
}

static int read_children(struct json_reader *reader, struct json *parent)
{
	int close = parent->type == JSON_OBJECT ? '}' : ']';
	struct json **next = &parent->first;
	if (++reader->depth > JSON_DEPTH_MAX)
		return wrong(reader, "nested too deep");
	reader->at++;
	TRY(skip_blanks(reader));
	while (peek(reader) != close) {
		struct json *child = arena_take(reader->arena, sizeof(*child));
		TRY(read_child(reader, parent, child));
		*next = child;
		next = &child->next;
		TRY(skip_blanks(reader));
		if (peek(reader) != ',' && peek(reader) != close)
			return wrong(reader, "',' or a closing bracket is expected");
		if (peek(reader) == ',') {
			reader->at++;
			TRY(skip_blanks(reader));
		}
	}
	reader->at++;
	reader->depth--;
	return 0;
}

static int read_value(struct json_reader *reader, struct json *value)
{
	int byte = peek(reader);
	value->start = reader->at;
	value->type = byte == '{'   ? JSON_OBJECT
		      : byte == '[' ? JSON_ARRAY
		      : byte == '"' ? JSON_STRING
				    : JSON_OTHER;
	switch (value->type) {
	case JSON_OBJECT:
	case JSON_ARRAY:
		TRY(read_children(reader, value));
		break;
	case JSON_STRING:
		TRY(read_string(reader, &value->string));
		break;
	case JSON_OTHER:
		TRY(read_other(reader));
		break;
	}
	value->end = reader->at;
	return 0;
}

int json_parse(struct arena *arena, const char *text, size_t length, struct json **ret_root)
{
	struct json_reader reader = { .arena = arena, .text = text, .length = length };
	if (length > JSON_BYTES_MAX)
		return fail(0, "larger than %d bytes", JSON_BYTES_MAX);
	if (memchr(text, '\0', length))
		return fail(0, "a NUL byte in it");
	struct json *root = arena_take(arena, sizeof(*root));
	if (length >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0)
		reader.at = strlen(mark);
	TRY(skip_blanks(&reader));
	root->begin = reader.at;
	TRY(read_value(&reader, root));
	TRY(skip_blanks(&reader));
	if (reader.at < length)
		return wrong(&reader, "something follows the end");
	*ret_root = root;
	return 0;
}

bool json_is_blank(const char *text, size_t length)
{
	struct json_reader reader = { .text = text, .length = length };
	if (length >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0)
		reader.at = strlen(mark);
	bool blank = ATTEMPT(skip_blanks(&reader)) == 0 && reader.at == length;
	return blank;
}

const struct json *json_member(const struct json *object, const char *key)
{
	const struct json *found = NULL;
	if (!object || object->type != JSON_OBJECT)
		return NULL;
	for (const struct json *child = object->first; child; child = child->next)
		if (str_equal(child->key, key))
			found = child;
	return found;
}

const struct json *json_at(const struct json *root, const char *const *path)
{
	for (; root && *path; path++)
		root = json_member(root, *path);
	return root;
}

char *json_quote(struct arena *arena, const char *string)
{
	struct out out = { 0 };
	json_string(&out, NULL, string);
	char *copy = arena_copy(arena, out.text, out.used);
	out_free(&out);
	return copy;
}
