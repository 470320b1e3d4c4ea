// Owns the order in which the values of a TOML text are found.
#include "policy/import/import.h"

#include <string.h>

struct toml {
	const char *text, *at, *end;
	bool (*step)(void *owner, const struct toml_step *step);
	void *owner;
	char name[TOML_NAME_MAX];
	size_t used; // of `name`
	unsigned depth;
};

static void skip_blanks(struct toml *toml)
{
	while (toml->at < toml->end && (*toml->at == ' ' || *toml->at == '\t'))
		toml->at++;
}

static void skip_comment(struct toml *toml)
{
	if (toml->at < toml->end && *toml->at == '#')
		while (toml->at < toml->end && *toml->at != '\n')
			toml->at++;
}

static void skip_lines(struct toml *toml)
{
	const char *before;
	do {
		before = toml->at;
		skip_blanks(toml);
		skip_comment(toml);
		while (toml->at < toml->end && (*toml->at == '\n' || *toml->at == '\r'))
			toml->at++;
	} while (toml->at != before);
}

static bool take_one(struct toml *toml, char c)
{
	if (toml->at == toml->end || *toml->at != c)
		return false;
	toml->at++;
	return true;
}

static bool end_of_line(struct toml *toml)
{
	skip_blanks(toml);
	skip_comment(toml);
	return toml->at == toml->end || *toml->at == '\n' || *toml->at == '\r';
}

static bool add_name(struct toml *toml, const char *part, size_t length)
{
	if (length >= sizeof(toml->name) - 1 - toml->used)
		return false;
	if (toml->used > 0)
		toml->name[toml->used++] = '.';
	memcpy(toml->name + toml->used, part, length);
	toml->used += length;
	toml->name[toml->used] = '\0';
	return true;
}

// On one line, from behind its quote. The other quote is passed over.
static bool one_line(struct toml *toml, char quote, struct toml_step *step)
{
	step->kind = quote == '"' ? TOML_BASIC : TOML_LITERAL;
	step->value = toml->at;
	for (; toml->at < toml->end && *toml->at != '\n' && *toml->at != '\0'; toml->at++) {
		if (*toml->at == quote) {
			step->length = (size_t)(toml->at++ - step->value);
			return true;
		}
		if (quote != '"' || *toml->at != '\\')
			continue;
		if (++toml->at == toml->end || *toml->at == '\n')
			return false;
		if (!strchr("btnfr\"\\u", *toml->at))
			step->kind = TOML_OTHER;
	}
	return false;
}

// From behind its three quotes to behind the last three: up to two may stand before them.
static bool many_lines(struct toml *toml, char quote, struct toml_step *step)
{
	step->kind = TOML_OTHER;
	step->value = toml->at;
	for (unsigned quotes = 0; toml->at < toml->end; toml->at++) {
		quotes = *toml->at == quote ? quotes + 1 : 0;
		if (quotes >= 3 && (toml->at[1] != quote || quotes == 5)) {
			step->length = (size_t)(++toml->at - step->value) - 3;
			return true;
		}
		if (quote == '"' && *toml->at == '\\' && toml->at + 1 < toml->end)
			toml->at++;
	}
	return false;
}

static bool quoted(struct toml *toml, struct toml_step *step)
{
	char quote = *toml->at++;
	if (toml->end - toml->at >= 2 && toml->at[0] == quote && toml->at[1] == quote) {
		toml->at += 2;
		return many_lines(toml, quote, step);
	}
	return one_line(toml, quote, step);
}

// a.b."c d"
static bool dotted(struct toml *toml)
{
	static const char bare[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
	do {
		struct toml_step part = { 0 };
		skip_blanks(toml);
		if (*toml->at == '"' || *toml->at == '\'') {
			if (!one_line(toml, *toml->at++, &part))
				return false;
		} else {
			part.value = toml->at;
			part.length = strspn(toml->at, bare);
			toml->at += part.length;
			if (part.length == 0)
				return false;
		}
		if (!add_name(toml, part.value, part.length))
			return false;
		skip_blanks(toml);
	} while (take_one(toml, '.'));
	return true;
}

static bool any_value(struct toml *toml);

static bool pair(struct toml *toml)
{
	size_t outer = toml->used;
	bool good = dotted(toml) && take_one(toml, '=') && any_value(toml);
	toml->used = outer;
	toml->name[outer] = '\0';
	return good;
}

// Items with ',' between them, from behind the opening bracket. An array may have lines.
static bool items(struct toml *toml, char closing)
{
	bool array = closing == ']';
	for (;;) {
		(array ? skip_lines : skip_blanks)(toml);
		if (take_one(toml, closing))
			return true;
		if (!(array ? any_value : pair)(toml))
			return false;
		(array ? skip_lines : skip_blanks)(toml);
		if (!take_one(toml, ','))
			return take_one(toml, closing);
	}
}

static bool any_value(struct toml *toml)
{
	struct toml_step step = { .kind = TOML_OTHER, .name = toml->name };
	skip_blanks(toml);
	char c = *toml->at;
	if (c == '[' || c == '{') {
		if (toml->depth == TOML_DEPTH_MAX)
			return false;
		toml->depth++;
		toml->at++;
		bool good = items(toml, c == '[' ? ']' : '}');
		toml->depth--;
		return good;
	}
	if (c == '"' || c == '\'') {
		if (!quoted(toml, &step))
			return false;
	} else {
		step.value = toml->at;
		step.length = strcspn(toml->at, ",]}#\r\n\t =\"'[{");
		toml->at += step.length;
		if (step.length == 0)
			return false;
	}
	return toml->step(toml->owner, &step);
}

static bool header(struct toml *toml)
{
	bool twice = take_one(toml, '[');
	toml->used = 0;
	return dotted(toml) && take_one(toml, ']') && (!twice || take_one(toml, ']'));
}

static unsigned line_of(const struct toml *toml)
{
	unsigned line = 1;
	for (const char *at = toml->text; at < toml->at; at++)
		line += *at == '\n';
	return line;
}

unsigned toml_walk(const char *text, size_t length,
		   bool (*step)(void *owner, const struct toml_step *step), void *owner)
{
	struct toml toml = {
		.text = text, .at = text, .end = text + length, .step = step, .owner = owner
	};
	for (skip_lines(&toml); toml.at < toml.end; skip_lines(&toml)) {
		bool good = take_one(&toml, '[') ? header(&toml) : pair(&toml);
		if (!good || !end_of_line(&toml))
			return line_of(&toml);
	}
	return 0;
}
