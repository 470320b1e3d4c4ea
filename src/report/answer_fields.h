// The answer of a verb, for people or as JSON (out->json) by one list of fields. sbx-json(5) has
// the keys.
#pragma once

#include "base/base.h"

// A program gets `key` and the value, a person `before`, the value in `width` columns (as of
// printf; what a terminal does not show by str_shown()), and `after`; of a flag that is set `after`
// alone. Without a key it is for people alone, without `before` and `after` for programs. A text
// that is NULL, and a number that is absent, is left out for both.
struct answer_field {
	const char *key;
	enum answer_kind { FIELD_END, FIELD_TEXT, FIELD_NUMBER, FIELD_FLAG, FIELD_LIST } kind;
	const char *text;
	unsigned long long number;
	const struct list *list; // of texts; for programs
	const char *before, *after;
	int width;
	bool absent;
	bool stays; // null for programs where it is left out
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

// The outermost object, and the list in it where one is named; then its end. Nothing for people.
void answer_begin(struct out *out, const char *form, const char *list);
void answer_end(struct out *out, const char *list);

// An object of a list, or a line; and members of an object that is open, or parts of a line.
#define answer_one(out, ...)                                                                       \
	(answer_open(out, NULL, '{'), answer_members(out, __VA_ARGS__), answer_close(out, '}'))
#define answer_members(out, ...)                                                                   \
	answer_fields(out, (const struct answer_field[]){ __VA_ARGS__, { 0 } })
void answer_fields(struct out *out, const struct answer_field *fields);

// json_open() and json_close(), and nothing for people.
void answer_open(struct out *out, const char *key, char bracket);
void answer_close(struct out *out, char bracket);
