// JSON texts of other programs (RFC 8259; comments and a comma before a closing bracket are read
// as JSONC has them): parsing into a tree that knows where each value stands, and changes that
// leave every other byte as it was. Pure: reads and writes memory only.
//
// The room text owns forms of text: pure functions of bytes, most of them hostile. Uses: base.
// Begin with json.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;

enum { JSON_BYTES_MAX = 1 << 20, JSON_DEPTH_MAX = 64 };

struct json {
	enum json_type { JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_OTHER } type;
	size_t begin;              // of a member: where its key stands; else of the value
	size_t start, end;         // of the value
	const char *key;           // of a member, without escapes, or NULL
	const char *string;        // of JSON_STRING, without escapes; never with a NUL inside
	struct json *first, *next; // children, in the order of the text
};

// -1 when the text is no JSON: the error names the line. text[length] must be NUL. A byte order
// mark at the beginning is passed over.
int json_parse(struct arena *arena, const char *text, size_t length, struct json **ret_root);

// One string, list or object from `at` on in another text; its key stays. False: none is whole.
bool json_parse_at(struct arena *arena, const char *text, size_t at, struct json *value);

// Whether there is no value in the text: blanks and comments alone.
bool json_is_blank(const char *text, size_t length);

// The member of that name, as programs see it: of equal names the last. NULL when there is none,
// or `object` is NULL or no object.
const struct json *json_member(const struct json *object, const char *key);

// The value at a path of keys, NULL-terminated; NULL when there is none.
const struct json *json_at(const struct json *root, const char *const *path);

// The text with `value` (JSON) at that path, replaced or new, objects made where there are none.
// NULL when something on the way is no object.
char *json_set(struct arena *arena, const char *text, const struct json *root,
	       const char *const *path, const char *value);

// The text with `element` (JSON) behind the last of the array at that path, made when it is
// missing. NULL when something on the way has another type.
char *json_append(struct arena *arena, const char *text, const struct json *root,
		  const char *const *path, const char *element);

// The text without one child of `parent`, and a comma beside it. Comments stay.
char *json_cut(struct arena *arena, const char *text, const struct json *parent,
	       const struct json *child);

// `now`, which was `written` and changed since, with what `written` has besides `before` taken
// back. NULL: that does not stand in it once, as it was written, or a comma beside it would stay.
char *json_revert(struct arena *arena, const char *before, const char *written, const char *now);

// A string as JSON, in quotes.
char *json_quote(struct arena *arena, const char *string);

// A JSON text walked from its beginning to its end (RFC 8259 and nothing more lenient: no comments,
// no other numbers, valid UTF-8). Each value is shown once, with its key, and nothing is kept: no
// memory is taken, whatever the size of a hostile text. Pure.
enum { JSON_WALK_DEPTH_MAX = 1024 };

struct json_step {
	enum walk_kind {
		WALK_OBJECT,
		WALK_ARRAY,
		WALK_STRING,
		WALK_NUMBER,
		WALK_WORD, // true, false, null
	} kind;
	unsigned depth;    // 0: the whole text, 1: its members
	const char *key;   // of a member, between its quotes, with its escapes; else NULL
	size_t key_length; // bytes
	size_t start, end; // in the text; of a string between its quotes; of an object or array its
			   // first byte
};

// False: it is no JSON, or too deep, or `step` returned false. text[length] must be NUL.
bool json_walk(const char *text, size_t length,
	       bool (*step)(void *owner, const struct json_step *step), void *owner);

// The same with comments, a comma before a closing bracket, and any bytes from 0x80 on. From *at
// on, which is where it ended then. `close` gets each closing bracket, with the depth of its value.
bool json_walk_lax(const char *text, size_t length, size_t *at,
		   bool (*step)(void *owner, const struct json_step *step),
		   void (*close)(void *owner, unsigned depth, size_t end), void *owner);

// The first place from `at` on that is no blank, and in no comment.
size_t json_blanks(const char *text, size_t at, bool comments);

// What a string of such a text says, without escapes, as UTF-8 (half a pair is U+FFFD), cut at
// `size` - 1 bytes and with a NUL behind it. The bytes that it has as a whole; a NUL may be one.
size_t json_decode(const char *raw, size_t length, char *to, size_t size);
