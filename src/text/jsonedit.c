// Owns changes of JSON texts: only the bytes of the changed value are touched.
#include <stdbool.h>
#include <string.h>

#include "base/base.h"
#include "text/json.h"

static char *replace(struct arena *arena, const char *text, size_t start, size_t end,
		     const char *by)
{
	return arena_text(arena, "%.*s%s%s", (int)start, text, by, text + end);
}

static size_t blanks_before(const char *text, size_t at)
{
	while (at > 0 && memchr(" \t\n\r", text[at - 1], 4))
		at--;
	return at;
}

static const struct json *last_of(const struct json *parent)
{
	const struct json *last = parent->first;
	while (last && last->next)
		last = last->next;
	return last;
}

static char *indent_of(struct arena *arena, const char *text, size_t at)
{
	size_t line = at, end;
	while (line > 0 && text[line - 1] != '\n')
		line--;
	for (end = line; text[end] == ' ' || text[end] == '\t'; end++)
		;
	return arena_copy(arena, text + line, end - line);
}

static const char *newline_of(const char *text)
{
	const char *end = strchr(text, '\n');
	return end > text && end[-1] == '\r' ? "\r\n" : "\n";
}

// Indents like the last child. A first child comes after comments.
static char *add_child(struct arena *arena, const char *text, const struct json *parent,
		       const char *child)
{
	const struct json *last = last_of(parent);
	if (!last) {
		const char *indent = indent_of(arena, text, parent->start),
			   *line = newline_of(text);
		const char *own =
			arena_text(arena, "%s%s  %s%s%s", line, indent, child, line, indent);
		return replace(arena, text, parent->end - 1, parent->end - 1, own);
	}
	size_t blanks = blanks_before(text, last->begin);
	return replace(
		arena, text, last->end, last->end,
		arena_text(arena, ",%.*s%s", (int)(last->begin - blanks), text + blanks, child));
}

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

static char *without(struct arena *arena, const char *text, const size_t first[2],
		     const size_t second[2])
{
	return arena_text(arena, "%.*s%.*s%s", (int)first[0], text, (int)(second[0] - first[1]),
			  text + first[1], text + second[1]);
}

char *json_cut(struct arena *arena, const char *text, const struct json *parent,
	       const struct json *child)
{
	const struct json *before = NULL;
	for (const struct json *each = parent->first; each != child; each = each->next)
		before = each;
	size_t comma = json_blanks(text, before ? before->end : child->end, true),
	       behind = comma + 1, own[2] = { child->begin, child->end };
	if (text[comma] != ',')
		return replace(arena, text, own[0], own[1], "");
	if (!before) {
		behind += child->next ? strspn(text + behind, " \t\n\r") : 0;
		return without(arena, text, own, (size_t[]){ comma, behind });
	}
	// Also cuts the blanks before the child, but not after a comment, which could swallow the
	// next value.
	if (blanks_before(text, own[0]) == behind)
		own[0] = behind;
	return without(arena, text, (size_t[]){ comma, behind }, own);
}

static unsigned loose_commas(const char *text)
{
	unsigned count = 0;
	char last = '\0';
	for (size_t at = 0; text[at = json_blanks(text, at, true)];) {
		const char here = text[at++];
		for (bool in = here == '"'; in && text[at]; at++) {
			in = text[at] != '"';
			at += text[at] == '\\' && text[at + 1];
		}
		count += here == ',' ? last == ',' || last == '{' || last == '['
				     : last == ',' && (here == '}' || here == ']');
		last = here;
	}
	return count;
}

char *json_revert(struct arena *arena, const char *before, const char *written, const char *now)
{
	size_t front = 0, end = strlen(before), last = strlen(written);
	while (before[front] && before[front] == written[front])
		front++;
	while (end > front && last > front && before[end - 1] == written[last - 1])
		end--, last--;
	// Cuts the whole line: a part of it may occur elsewhere.
	for (; end > front && front > 0 && !strchr("{[,\n", written[front - 1]); front--)
		;
	for (; end > front && written[last] && !strchr("}],\n", written[last]); last++)
		end++;
	const char *ours = arena_copy(arena, written + front, last - front),
		   *at = strstr(now, ours);
	if (!ours[0] || !at || strstr(at + 1, ours))
		return NULL;
	char *undone = arena_text(arena, "%.*s%.*s%s", (int)(at - now), now, (int)(end - front),
				  before + front, at + strlen(ours));
	unsigned loose = loose_commas(undone);
	return loose > loose_commas(now) && loose > loose_commas(before) ? NULL : undone;
}
