// Owns the parser of JSON that other programs wrote.
#include "text/json.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"

static size_t after_mark(const char *text)
{
	static const char mark[] = "\xef\xbb\xbf";
	return str_starts(text, mark) ? strlen(mark) : 0;
}

struct builder {
	struct arena *arena;
	const char *text;
	struct json *open[JSON_DEPTH_MAX], **next[JSON_DEPTH_MAX + 1];
};

static const char *decoded(const struct builder *builder, const char *raw, size_t length)
{
	char *string = arena_take(builder->arena, length + 1);
	return json_decode(raw, length, string, length + 1) == strlen(string) ? string : NULL;
}

static bool add(void *owner, const struct json_step *step)
{
	struct builder *builder = owner;
	struct json *value = arena_take(builder->arena, sizeof(*value));
	bool string = step->kind == WALK_STRING;
	bool holds = step->kind == WALK_OBJECT || step->kind == WALK_ARRAY;
	if (holds && step->depth >= JSON_DEPTH_MAX)
		return false;
	value->type = step->kind == WALK_OBJECT  ? JSON_OBJECT
		      : step->kind == WALK_ARRAY ? JSON_ARRAY
		      : string                   ? JSON_STRING
						 : JSON_OTHER;
	value->start = step->start - string;
	value->end = step->end + string;
	value->begin = step->key ? (size_t)(step->key - builder->text) - 1 : value->start;
	if (step->key)
		value->key = decoded(builder, step->key, step->key_length);
	if (string)
		value->string =
			decoded(builder, builder->text + step->start, step->end - step->start);
	if ((step->key && !value->key) || (string && !value->string))
		return false;
	*builder->next[step->depth] = value;
	builder->next[step->depth] = &value->next;
	if (holds) {
		builder->open[step->depth] = value;
		builder->next[step->depth + 1] = &value->first;
	}
	return true;
}

static void close(void *owner, unsigned depth, size_t end)
{
	struct builder *builder = owner;
	builder->open[depth]->end = end;
}

int json_parse(struct arena *arena, const char *text, size_t length, struct json **ret_root)
{
	struct builder builder = { .arena = arena, .text = text };
	struct json *root = NULL;
	size_t at = after_mark(text);
	unsigned line = 1;
	if (length > JSON_BYTES_MAX)
		return fail(0, "larger than %d bytes", JSON_BYTES_MAX);
	builder.next[0] = &root;
	if (json_walk_lax(text, length, &at, add, close, &builder)) {
		*ret_root = root;
		return 0;
	}
	for (size_t i = 0; i < at && i < length; i++)
		line += text[i] == '\n';
	return fail(0, "line %u: this is not JSON that sbx can read", line);
}

bool json_parse_at(struct arena *arena, const char *text, size_t at, struct json *value)
{
	struct builder builder = { .arena = arena, .text = text };
	struct json *root = NULL;
	builder.next[0] = &root;
	json_walk_lax(text, strlen(text), &at, add, close, &builder);
	if (!root || !strchr(root->type == JSON_STRING ? "\"" : "]}", text[root->end - 1]))
		return false;
	*value = (struct json){ .type = root->type,
				.start = root->start,
				.end = root->end,
				.key = value->key,
				.string = root->string,
				.first = root->first };
	return true;
}

bool json_is_blank(const char *text, size_t length)
{
	return json_blanks(text, after_mark(text), true) == length;
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
