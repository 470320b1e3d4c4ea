// Owns changes of JSON texts: only the bytes of what is set, appended or cut are touched.
#include <stdbool.h>
#include <string.h>

#include "base/base.h"
#include "text/json.h"

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

// As the text ends its lines.
static const char *newline_of(const char *text)
{
	const char *end = strchr(text, '\n');
	return end > text && end[-1] == '\r' ? "\r\n" : "\n";
}

// Behind the last child, as it is set apart from what comes before it; or as the first one, behind
// the comments that are there. json_cut() gives back what was there.
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

// The comma in what separates two children, past comments; `end` when there is none. `ret_line`:
// whether a comment that ends with its line is the last thing before the blanks at the end.
static size_t find_comma(const char *text, size_t at, size_t end, bool *ret_line)
{
	size_t comma = end;
	*ret_line = false;
	while (at < end) {
		if (text[at] != '/') {
			comma = text[at] == ',' ? at : comma;
			*ret_line = *ret_line && is_blank(text[at]);
			at++;
			continue;
		}
		*ret_line = text[at + 1] == '/';
		const char *close = strstr(text + at + 2, *ret_line ? "\n" : "*/");
		at = close ? (size_t)(close - text) + (*ret_line ? 0 : 2) : end;
	}
	return comma;
}

static bool ends_line(const char *text)
{
	return text[0] == '\n' || (text[0] == '\r' && text[1] == '\n');
}

// Two pieces at once; the first lies before the second.
static char *without(struct arena *arena, const char *text, size_t first, size_t second, size_t end)
{
	return arena_text(arena, "%.*s%.*s%s", (int)first, text, (int)(second - first - 1),
			  text + first + 1, text + end);
}

static char *cut_behind(struct arena *arena, const char *text, const struct json *before,
			const struct json *child)
{
	bool line;
	size_t blanks = blanks_before(text, child->begin),
	       comma = find_comma(text, before->end, child->begin, &line);
	if (comma == before->end && blanks == comma + 1)
		return replace(arena, text, comma, child->end, "");
	// A comment must not reach over what follows.
	size_t from = line && !ends_line(text + child->end) ? child->begin : blanks;
	return without(arena, text, comma, from > comma ? from : comma + 1, child->end);
}

// The only child, and the line that add_child() gave it.
static char *cut_alone(struct arena *arena, const char *text, const struct json *parent,
		       const struct json *child)
{
	bool line;
	size_t start = child->begin, end = child->end, close = parent->end - 1,
	       comma = find_comma(text, child->end, close, &line);
	// The line end and the indent before the bracket stand before the child as well.
	const char *lead =
		arena_text(arena, "%.*s  ", (int)(close - child->end), text + child->end);
	size_t front = strlen(lead);
	if (ends_line(lead) && strspn(lead, " \t\r\n") == front &&
	    child->begin - parent->start > front &&
	    memcmp(text + child->begin - front, lead, front) == 0) {
		start -= front;
		end = close;
	}
	if (comma < parent->end - 1)
		return arena_text(arena, "%.*s%.*s%s", (int)start, text, (int)(comma - end),
				  text + end, text + comma + 1);
	return replace(arena, text, start, end, "");
}

char *json_cut(struct arena *arena, const char *text, const struct json *parent,
	       const struct json *child)
{
	const struct json *before = NULL;
	bool line;
	for (const struct json *each = parent->first; each != child; each = each->next)
		before = each;
	if (before)
		return cut_behind(arena, text, before, child);
	if (!child->next)
		return cut_alone(arena, text, parent, child);
	size_t comma = find_comma(text, child->end, child->next->begin, &line), end = comma + 1;
	while (is_blank(text[end]))
		end++;
	return arena_text(arena, "%.*s%.*s%s", (int)child->begin, text, (int)(comma - child->end),
			  text + child->end, text + end);
}

bool json_is_bare(const char *text, const struct json *parent)
{
	size_t at = parent->start + 1;
	for (const struct json *child = parent->first; child; child = child->next) {
		if (memchr(text + at, '/', child->begin - at))
			return false;
		at = child->end;
	}
	return !memchr(text + at, '/', parent->end - 1 - at);
}
