// Owns git's configuration syntax, read and written. Hostile input; pure.
#include "git/gitconfig.h"

#include <stdbool.h>
#include <string.h>

#include "base/base.h"

enum { ENTRIES_MAX = 8192, NAMES_BYTES_MAX = 8 << 20 };

struct parser {
	struct arena *arena;
	const char *text;
	size_t length, at;
	char *values;
	char *headers;
	size_t names;
	struct gitconfig *config;
};

static int peek(const struct parser *parser)
{
	return parser->at < parser->length ? (unsigned char)parser->text[parser->at] : -1;
}

static int next(struct parser *parser)
{
	int c = peek(parser);
	parser->at += c >= 0;
	return c;
}

static bool is_word(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-';
}

static char lower(int c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

static void skip_spaces(struct parser *parser)
{
	while (peek(parser) == ' ' || peek(parser) == '\t' || peek(parser) == '\r')
		parser->at++;
}

static void skip_line(struct parser *parser)
{
	for (int c = next(parser); c >= 0 && c != '\n'; c = next(parser))
		;
}

static int read_subsection(struct parser *parser, char *name, size_t *used)
{
	name[(*used)++] = '.';
	for (int c = next(parser); c != '"'; c = next(parser)) {
		if (c == '\\')
			c = next(parser);
		if (c < 0 || c == '\n')
			return fail(0, "a section's name does not end");
		name[(*used)++] = (char)c;
	}
	return next(parser) == ']' ? 0 : fail(0, "']' is missing");
}

static int read_header(struct parser *parser)
{
	struct gitconfig *config = parser->config;
	size_t used = 0, start = parser->at - 1;
	char *name = parser->headers;
	if (config->section_count > 0)
		config->sections[config->section_count - 1].end = start;
	if (config->section_count == ENTRIES_MAX)
		return fail(0, "more than %d sections", ENTRIES_MAX);
	for (int c = next(parser);; c = next(parser)) {
		if (c == ']' && used > 0)
			break;
		if (is_word(c) || c == '.') {
			name[used++] = lower(c);
			continue;
		}
		if ((c != ' ' && c != '\t') || used == 0)
			return fail(0, "a section's name has a byte that cannot be there");
		skip_spaces(parser);
		if (next(parser) != '"')
			return fail(0, "a section's second name is not quoted");
		if (read_subsection(parser, name, &used) < 0)
			return -1;
		break;
	}
	name[used] = '\0';
	parser->headers = name + used + 1;
	config->sections[config->section_count++] =
		(struct gitconfig_section){ name, start, parser->length };
	return 0;
}

static int escaped(int c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'b':
		return '\b';
	case '"':
	case '\\':
		return c;
	default: // `c` is a byte of the file, not an enum
		return -1;
	}
}

static int read_value(struct parser *parser, const char **ret_value)
{
	size_t used = 0, kept = 0;
	bool quoted = false;
	char *value = parser->values;
	skip_spaces(parser);
	for (int c = next(parser); c >= 0 && c != '\n'; c = next(parser)) {
		if (c == '\r' && (peek(parser) == '\n' || peek(parser) < 0))
			continue;
		if (!quoted && (c == '#' || c == ';')) {
			skip_line(parser);
			break;
		}
		if (c == '"') {
			quoted = !quoted;
			kept = used;
			continue;
		}
		bool blank = !quoted && (c == ' ' || c == '\t');
		if (c == '\\') {
			c = next(parser);
			if (c == '\r' && peek(parser) == '\n')
				c = next(parser);
			// Git accepts a continued last line. Text that is added below would become
			// its value.
			if (c == '\n' && peek(parser) < 0)
				return fail(0, "the last line is continued and nothing follows");
			if (c == '\n')
				continue;
			c = escaped(c);
			if (c < 0)
				return fail(0, "a value has an unknown escape");
		}
		value[used++] = (char)c;
		if (!blank)
			kept = used;
	}
	if (quoted)
		return fail(0, "a quote does not end");
	value[kept] = '\0';
	*ret_value = value;
	parser->values = value + kept + 1;
	return 0;
}

static int read_entry(struct parser *parser)
{
	struct gitconfig *config = parser->config;
	struct gitconfig_entry entry = { .value = "", .start = parser->at };
	size_t length = 0;
	if (config->section_count == 0)
		return fail(0, "a key is before the first section");
	if (config->count == ENTRIES_MAX)
		return fail(0, "more than %d keys", ENTRIES_MAX);
	while (is_word(parser->at + length < parser->length ? parser->text[parser->at + length]
							    : -1))
		length++;
	entry.section = config->section_count - 1;
	const char *section = config->sections[entry.section].name;
	size_t front = strlen(section);
	parser->names += front + length;
	if (parser->names > NAMES_BYTES_MAX)
		return fail(0, "its names are too long");
	char *name = arena_take(parser->arena, front + length + 2), *end = name;
	memcpy(end, section, front);
	end += front;
	*end++ = '.';
	for (size_t i = 0; i < length; i++)
		*end++ = lower(parser->text[parser->at + i]);
	parser->at += length;
	skip_spaces(parser);
	int c = peek(parser);
	if (c == '=') {
		parser->at++;
		if (read_value(parser, &entry.value) < 0)
			return -1;
	} else if (c < 0 || c == '\n' || c == '#' || c == ';') {
		skip_line(parser);
	} else {
		return fail(0, "a key has a byte that cannot be there");
	}
	entry.end = parser->at;
	entry.name = name;
	config->entries[config->count++] = entry;
	return 0;
}

static void share_lines(struct gitconfig *config)
{
	for (unsigned i = 0; i < config->count; i++) {
		struct gitconfig_entry *entry = &config->entries[i];
		const char *header = config->text + config->sections[entry->section].start;
		bool shared = !memchr(header, '\n', (size_t)(config->text + entry->start - header));
		if (shared && entry->end > entry->start && config->text[entry->end - 1] == '\n')
			entry->end--;
	}
}

int gitconfig_parse(struct arena *arena, const char *text, size_t length,
		    struct gitconfig *ret_config)
{
	struct gitconfig config = { .text = text, .length = length };
	struct parser parser = {
		.arena = arena, .text = text, .length = length, .config = &config
	};
	if (length > GITCONFIG_BYTES_MAX)
		return fail(0, "larger than %d KiB", GITCONFIG_BYTES_MAX / 1024);
	if (memchr(text, '\0', length))
		return fail(0, "a NUL byte");
	size_t most = length / 2 + 1 < ENTRIES_MAX ? length / 2 + 1 : ENTRIES_MAX;
	config.entries = arena_take(arena, most * sizeof(*config.entries));
	config.sections = arena_take(arena, most * sizeof(*config.sections));
	parser.values = arena_take(arena, length + 1);
	parser.headers = arena_take(arena, length + 1);
	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		parser.at = 3;
	for (;;) {
		int c = peek(&parser);
		if (c < 0)
			break;
		if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
			parser.at++;
		} else if (c == '#' || c == ';') {
			skip_line(&parser);
		} else if (c == '[') {
			parser.at++;
			TRY(read_header(&parser));
		} else if (is_word(c) && c != '-' && !(c >= '0' && c <= '9')) {
			TRY(read_entry(&parser));
		} else {
			return fail(0, "a byte that begins nothing");
		}
	}
	share_lines(&config);
	*ret_config = config;
	return 0;
}

const char *gitconfig_value(const struct gitconfig *config, const char *name)
{
	const char *value = NULL;
	for (unsigned i = 0; i < config->count; i++)
		if (str_equal(config->entries[i].name, name))
			value = config->entries[i].value;
	return value;
}

const struct gitconfig_entry *gitconfig_next(const struct gitconfig *config, const char *name,
					     const struct gitconfig_entry *after)
{
	const struct gitconfig_entry *entry = after ? after + 1 : config->entries;
	for (; entry < config->entries + config->count; entry++)
		if (str_equal(entry->name, name))
			return entry;
	return NULL;
}

bool gitconfig_has(const struct gitconfig *config, const char *name, const char *value)
{
	const struct gitconfig_entry *entry = gitconfig_next(config, name, NULL);
	while (entry && !str_equal(entry->value, value))
		entry = gitconfig_next(config, name, entry);
	return entry != NULL;
}

bool gitconfig_same(const struct gitconfig *left, const struct gitconfig *right, const char *name)
{
	const struct gitconfig_entry *a = gitconfig_next(left, name, NULL),
				     *b = gitconfig_next(right, name, NULL);
	while (a && b && str_equal(a->value, b->value)) {
		a = gitconfig_next(left, name, a);
		b = gitconfig_next(right, name, b);
	}
	return !a && !b;
}

void gitconfig_put(struct gitconfig_text *out, const char *text, size_t length)
{
	memcpy(out->text + out->length, text, length);
	out->length += length;
}

static void put_quoted(struct gitconfig_text *out, const char *text)
{
	gitconfig_put(out, "\"", 1);
	for (; *text; text++) {
		if (strchr("\"\\\n", *text))
			gitconfig_put(out, "\\", 1);
		gitconfig_put(out, *text == '\n' ? "n" : text, 1);
	}
	gitconfig_put(out, "\"", 1);
}

void gitconfig_put_header(struct gitconfig_text *out, const char *name)
{
	size_t first = strcspn(name, ".");
	if (out->length > 0 && out->text[out->length - 1] != '\n')
		gitconfig_put(out, "\n", 1);
	gitconfig_put(out, "[", 1);
	gitconfig_put(out, name, first);
	if (name[first]) {
		gitconfig_put(out, " ", 1);
		put_quoted(out, name + first + 1);
	}
	gitconfig_put(out, "]\n", 2);
}

void gitconfig_put_entry(struct gitconfig_text *out, const char *name, const char *value,
			 bool quoted)
{
	const char *key = strrchr(name, '.') + 1;
	size_t length = value ? strlen(value) : 0;
	gitconfig_put(out, "\t", 1);
	gitconfig_put(out, key, strlen(key));
	if (value)
		gitconfig_put(out, " = ", 3);
	if (value && (quoted || value[0] == ' ' || (length > 0 && value[length - 1] == ' ') ||
		      strpbrk(value, "\"\\#;\n")))
		put_quoted(out, value);
	else if (value)
		gitconfig_put(out, value, length);
	gitconfig_put(out, "\n", 1);
}
