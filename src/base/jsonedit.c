// Owns changes of JSON texts: only the bytes of what is set, appended or cut are touched.
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"

static char *replace(struct arena *arena, const char *text, size_t start, size_t end,
		     const char *by)
{
	return arena_text(arena, "%.*s%s%s", (int)start, text, by, text + end);
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

// The blanks in front of a place: what separates a child from what comes before it.
static size_t blanks_before(const char *text, size_t at)
{
	size_t start = at;
	while (start > 0 && is_blank(text[start - 1]))
		start--;
	return start;
}

static const struct json *last_of(const struct json *parent)
{
	const struct json *last = parent->first;
	while (last && last->next)
		last = last->next;
	return last;
}

// The blanks that begin the line of a place.
static char *indent_of(struct arena *arena, const char *text, size_t at)
{
	size_t line = at, end;
	while (line > 0 && text[line - 1] != '\n')
		line--;
	for (end = line; text[end] == ' ' || text[end] == '\t'; end++)
		;
	return arena_copy(arena, text + line, end - line);
}

// Behind the last child, as it is set apart from what comes before it; or as the first one.
static char *add_child(struct arena *arena, const char *text, const struct json *parent,
		       const char *child)
{
	const struct json *last = last_of(parent);
	if (!last) {
		const char *indent = indent_of(arena, text, parent->start);
		const char *inside = arena_text(arena, "%c\n%s  %s\n%s%c", text[parent->start],
						indent, child, indent, text[parent->end - 1]);
		return replace(arena, text, parent->start, parent->end, inside);
	}
	size_t blanks = blanks_before(text, last->begin);
	return replace(
		arena, text, last->end, last->end,
		arena_text(arena, ",%.*s%s", (int)(last->begin - blanks), text + blanks, child));
}

// What is not there yet, from the inside out: {"a": {"b": VALUE}}.
static const char *wrapped(struct arena *arena, const char *const *path, const char *value)
{
	if (!*path)
		return value;
	return arena_text(arena, "{%s: %s}", json_quote(arena, *path),
			  wrapped(arena, path + 1, value));
}

char *json_set(struct arena *arena, const char *text, const struct json *root,
	       const char *const *path, const char *value)
{
	const struct json *at = root;
	for (; *path; path++) {
		const struct json *member = json_member(at, *path);
		if (at->type != JSON_OBJECT)
			return NULL;
		if (!member)
			return add_child(arena, text, at,
					 arena_text(arena, "%s: %s", json_quote(arena, *path),
						    wrapped(arena, path + 1, value)));
		at = member;
	}
	return replace(arena, text, at->start, at->end, value);
}

char *json_append(struct arena *arena, const char *text, const struct json *root,
		  const char *const *path, const char *element)
{
	const struct json *array = json_at(root, path);
	if (!array)
		return json_set(arena, text, root, path, arena_text(arena, "[%s]", element));
	return array->type == JSON_ARRAY ? add_child(arena, text, array, element) : NULL;
}

char *json_cut(struct arena *arena, const char *text, const struct json *parent,
	       const struct json *child)
{
	const struct json *before = NULL;
	for (const struct json *each = parent->first; each != child; each = each->next)
		before = each;
	if (child->next)
		return replace(arena, text, child->begin, child->next->begin, "");
	if (before)
		return replace(arena, text, before->end, child->end, "");
	return replace(arena, text, parent->start + 1, parent->end - 1, "");
}
