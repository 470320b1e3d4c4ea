// Owns the reading of Makefiles, justfiles and package.json for names to complete. Pure.
#include "text/targets.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "text/json.h"

bool target_is_plain(const char *name, size_t length)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "_./@+:,-";
	if (length == 0 || length > TARGET_NAME_MAX || name[0] == '-')
		return false;
	for (size_t i = 0; i < length; i++)
		if (!memchr(plain, name[i], sizeof(plain) - 1))
			return false;
	return true;
}

struct target_lines {
	const char *at, *end;
	struct out *names;
	unsigned count;
};

static bool next_line(struct target_lines *lines, const char **ret_line, size_t *ret_length)
{
	if (lines->at >= lines->end || lines->count >= TARGETS_MAX)
		return false;
	size_t left = (size_t)(lines->end - lines->at);
	const char *newline = memchr(lines->at, '\n', left);
	*ret_line = lines->at;
	*ret_length = newline ? (size_t)(newline - lines->at) : left;
	lines->at += *ret_length + (newline != NULL);
	return true;
}

static void add(struct target_lines *lines, const char *name, size_t length)
{
	if (lines->count >= TARGETS_MAX || !target_is_plain(name, length))
		return;
	out_bytes(lines->names, name, length);
	out_text(lines->names, "\n");
	lines->count++;
}

static size_t word_length(const char *text, size_t length)
{
	size_t word = 0;
	while (word < length && text[word] != ' ' && text[word] != '\t')
		word++;
	return word;
}

// The place of the ':' that ends the names of a rule, or 0: the line is none, or
// its names are those of variables and functions.
static size_t rule_colon(const char *line, size_t length)
{
	const char *colon = memchr(line, ':', length);
	if (!colon || memchr(line, '=', (size_t)(colon - line)) ||
	    memchr(line, '#', (size_t)(colon - line)) || memchr(line, '$', (size_t)(colon - line)))
		return 0;
	size_t at = (size_t)(colon - line), after = at + 1;
	while (after < length && line[after] == ':')
		after++;
	return after < length && line[after] == '=' ? 0 : at;
}

static bool is_word(const char *line, size_t length, const char *word)
{
	size_t letters = strlen(word);
	return length >= letters && memcmp(line, word, letters) == 0 &&
	       (length == letters || strchr(" \t\r", line[letters]));
}

void targets_of_make(const char *text, size_t length, struct out *names)
{
	struct target_lines lines = { text, text + length, names, 0 };
	bool continued = false, defining = false;
	const char *line;
	size_t size;
	while (next_line(&lines, &line, &size)) {
		bool inside = continued || defining;
		continued = size > 0 && line[size - 1] == '\\';
		if (is_word(line, size, "define"))
			defining = true;
		else if (is_word(line, size, "endef"))
			defining = false;
		if (inside || defining || size == 0 || strchr("\t #.-", line[0]))
			continue;
		size_t end = rule_colon(line, size);
		for (size_t at = 0, word; at < end; at += word + 1) {
			word = word_length(line + at, end - at);
			add(&lines, line + at, word);
		}
	}
}

// name parameters...: or @name:, at the beginning of a line; a name with '_' first is private.
void targets_of_just(const char *text, size_t length, struct out *names)
{
	struct target_lines lines = { text, text + length, names, 0 };
	const char *line;
	size_t size;
	while (next_line(&lines, &line, &size)) {
		if (size > 0 && line[0] == '@') {
			line++;
			size--;
		}
		if (size == 0 || strchr(" \t#[_", line[0]))
			continue;
		size_t name = 0;
		while (name < size && !strchr(" \t:", line[name]))
			name++;
		const char *colon = memchr(line, ':', size);
		if (!colon || (colon + 1 < line + size && colon[1] == '='))
			continue;
		add(&lines, line, name);
	}
}

void targets_of_package(const char *text, size_t length, struct out *names)
{
	struct arena *arena = arena_new();
	struct target_lines lines = { text, text, names, 0 };
	struct json *root;
	FORGIVING;
	if (length <= TARGETS_BYTES_MAX && json_parse(arena, text, length, &root) == 0) {
		const struct json *scripts = json_member(root, "scripts");
		if (scripts && scripts->type == JSON_OBJECT)
			for (const struct json *child = scripts->first; child; child = child->next)
				if (child->key)
					add(&lines, child->key, strlen(child->key));
	}
	arena_free(arena);
}
