// The answer of a verb, for people or as JSON (out->json), from one list of fields. sbx-json(5) has
// the keys.
#pragma once

#include "base/base.h"

// JSON has `key` and the value. Text has `before`, the value in `width` columns, and `after`. The
// text of a flag is only `after`. A field without `key` is only in text, one without `before` and
// `after` only in JSON. NULL texts and absent numbers are in neither.
struct print_field {
	const char *key;
	enum print_kind { FIELD_END, FIELD_TEXT, FIELD_NUMBER, FIELD_FLAG, FIELD_LIST } kind;
	const char *text;
	unsigned long long number;
	const struct list *list; // only in JSON
	const char *before, *after;
	int width;
	bool absent;
	bool stays; // JSON has null for an absent value
};
#define SHOWN(name, value, first, columns, last)                                                   \
	{ .key = (name),                                                                           \
	  .kind = FIELD_TEXT,                                                                      \
	  .text = (value),                                                                         \
	  .before = (first),                                                                       \
	  .width = (columns),                                                                      \
	  .after = (last) }
#define COUNTED(name, value, first, columns, last)                                                 \
	{ .key = (name),                                                                           \
	  .kind = FIELD_NUMBER,                                                                    \
	  .number = (value),                                                                       \
	  .before = (first),                                                                       \
	  .width = (columns),                                                                      \
	  .after = (last) }
#define WORDS(value)               SHOWN(NULL, "", value, 0, "")
#define MEMBER(name, value)        { .key = (name), .kind = FIELD_TEXT, .text = (value) }
#define MEMBER_NUMBER(name, value) NUMBER_IF(true, name, value)
#define NUMBER_IF(present, name, value)                                                            \
	{ .key = (name), .kind = FIELD_NUMBER, .number = (value), .absent = !(present) }
#define TEXT_OR_NULL(name, value)                                                                  \
	{ .key = (name), .kind = FIELD_TEXT, .text = (value), .stays = true }
#define NUMBER_OR_NULL(present, name, value)                                                       \
	{ .key = (name),                                                                           \
	  .kind = FIELD_NUMBER,                                                                    \
	  .number = (value),                                                                       \
	  .absent = !(present),                                                                    \
	  .stays = true }
#define MEMBER_FLAG(name, value) { .key = (name), .kind = FIELD_FLAG, .number = (value) }
#define FLAGGED(name, value, words)                                                                \
	{ .key = (name), .kind = FIELD_FLAG, .number = (value), .after = (words) }
#define MEMBER_LIST(name, value) { .key = (name), .kind = FIELD_LIST, .list = (value) }

// `list` is the key of a list in the outermost JSON object, or NULL. Text gets nothing.
void print_begin(struct out *out, const char *form, const char *list);
void print_end(struct out *out, const char *list);

// print_one() puts an object of a list, or a line of text.
#define print_one(out, ...)                                                                        \
	(print_open(out, NULL, '{'), print_members(out, __VA_ARGS__), print_close(out, '}'))
#define print_members(out, ...)                                                                    \
	print_fields(out, (const struct print_field[]){ __VA_ARGS__, { 0 } })
void print_fields(struct out *out, const struct print_field *fields);

void print_open(struct out *out, const char *key, char bracket);
void print_close(struct out *out, char bracket);
