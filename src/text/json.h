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
	size_t begin;
	size_t start, end;
	const char *key; // of a member, without escapes, or NULL
	const char *string;
	struct json *first, *next;
};

// text[length] must be NUL. A byte order mark at the beginning is passed over.
int json_parse(struct arena *arena, const char *text, size_t length, struct json **ret_root);

// One string, list or object of another text, from `at` on; value->key stays. False: incomplete.
bool json_parse_at(struct arena *arena, const char *text, size_t at, struct json *value);

bool json_is_blank(const char *text, size_t length);

// The last of equal names, as in most programs.
const struct json *json_member(const struct json *object, const char *key);

// The value at a path of keys, NULL-terminated; NULL when there is none.
const struct json *json_at(const struct json *root, const char *const *path);

// NULL when something on the way is not an object.
char *json_set(struct arena *arena, const char *text, const struct json *root,
	       const char *const *path, const char *value);

// The array is made when it is missing. NULL: something has another type.
char *json_append(struct arena *arena, const char *text, const struct json *root,
		  const char *const *path, const char *element);

char *json_cut(struct arena *arena, const char *text, const struct json *parent,
	       const struct json *child);

// Takes out of `now` what `written` added to `before`. NULL: `now` does not contain exactly that
// once.
char *json_revert(struct arena *arena, const char *before, const char *written, const char *now);

char *json_quote(struct arena *arena, const char *string);

// Strict RFC 8259. Shows each value once, and takes no memory.
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
	const char *key;   // between its quotes, with its escapes
	size_t key_length; // bytes
	size_t start, end;
};

// False: not JSON, too deep, or `step` returned false. text[length] must be NUL.
bool json_walk(const char *text, size_t length,
	       bool (*step)(void *owner, const struct json_step *step), void *owner);

// Also takes comments, a comma before a closing bracket, and any bytes from 0x80 on. Begins at *at,
// and sets it to the end. `close` gets each closing bracket.
bool json_walk_lax(const char *text, size_t length, size_t *at,
		   bool (*step)(void *owner, const struct json_step *step),
		   void (*close)(void *owner, unsigned depth, size_t end), void *owner);

size_t json_blanks(const char *text, size_t at, bool comments);

// Resolves escapes to UTF-8 (half a surrogate pair becomes U+FFFD), cut at `size` - 1. Returns the
// uncut length; the text may contain NUL.
size_t json_decode(const char *raw, size_t length, char *to, size_t size);
