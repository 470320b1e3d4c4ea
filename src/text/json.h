// JSON texts of other programs (RFC 8259, with the comments and trailing commas of JSONC). The tree
// has the offsets of all values: a change leaves every other byte as it was.
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
	size_t begin;
	size_t start, end;
	const char *key; // of a member, without escapes, or NULL
	const char *string;
	struct json *first, *next;
};

// text[length] must be NUL. Skips a byte order mark at the beginning.
int json_parse(struct arena *arena, const char *text, size_t length, struct json **ret_root);

// Parses one string, array or object from `at` on. Keeps value->key. Returns false if it is
// incomplete.
bool json_parse_at(struct arena *arena, const char *text, size_t at, struct json *value);

bool json_is_blank(const char *text, size_t length);

// Returns the last of equal names, as most programs do.
const struct json *json_member(const struct json *object, const char *key);

// Returns the value at a path of keys, ended by NULL; or NULL.
const struct json *json_at(const struct json *root, const char *const *path);

// Returns the new text, or NULL if a part of the path is not an object.
char *json_set(struct arena *arena, const char *text, const struct json *root,
	       const char *const *path, const char *value);

// Makes the array if it is missing. Returns NULL if a value has another type.
char *json_append(struct arena *arena, const char *text, const struct json *root,
		  const char *const *path, const char *element);

char *json_cut(struct arena *arena, const char *text, const struct json *parent,
	       const struct json *child);

// Removes from `now` the text that `written` added to `before`. Returns NULL if `now` does not
// contain exactly this text once.
char *json_revert(struct arena *arena, const char *before, const char *written, const char *now);

char *json_quote(struct arena *arena, const char *string);

// A walk over strict JSON (RFC 8259). It calls `step` once for each value, and takes no memory.
enum { JSON_WALK_DEPTH_MAX = 1024 };

struct json_step {
	enum walk_kind {
		WALK_OBJECT,
		WALK_ARRAY,
		WALK_STRING,
		WALK_NUMBER,
		WALK_WORD, // true, false, null
	} kind;
	unsigned depth;  // 0: the whole text, 1: its members
	const char *key; // between its quotes, with escapes; or NULL
	size_t key_length;
	size_t start, end;
};

// Returns false if it is not JSON or too deep, or if `step` returns false. text[length] must be
// NUL.
bool json_walk(const char *text, size_t length,
	       bool (*step)(void *owner, const struct json_step *step), void *owner);

// Also takes comments, trailing commas, and any bytes from 0x80 on. Begins at *at, and sets *at to
// the end. Calls `close` for each closing bracket.
bool json_walk_lax(const char *text, size_t length, size_t *at,
		   bool (*step)(void *owner, const struct json_step *step),
		   void (*close)(void *owner, unsigned depth, size_t end), void *owner);

size_t json_blanks(const char *text, size_t at, bool comments);

// Decodes escapes to UTF-8; half a surrogate pair becomes U+FFFD. Cuts at `size` - 1 bytes. Returns
// the uncut length. The result may contain NUL.
size_t json_decode(const char *raw, size_t length, char *to, size_t size);
