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

// One string, list or object from `at` on in another text; its key stays. False: none is whole.
bool json_parse_at(struct arena *arena, const char *text, size_t at, struct json *value);

bool json_is_blank(const char *text, size_t length);

// Of equal names the last, as programs see it.
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

// `now`, which was `written` and changed since, without what `written` has besides `before`. NULL:
// that is not in it once, as it was written.
char *json_revert(struct arena *arena, const char *before, const char *written, const char *now);

char *json_quote(struct arena *arena, const char *string);

// Strict RFC 8259. Each value is shown once; no memory is taken, whatever the size.
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

// With comments, a comma before a closing bracket, and any bytes from 0x80 on; from *at on, which
// is where it ended. `close` gets each closing bracket.
bool json_walk_lax(const char *text, size_t length, size_t *at,
		   bool (*step)(void *owner, const struct json_step *step),
		   void (*close)(void *owner, unsigned depth, size_t end), void *owner);

size_t json_blanks(const char *text, size_t at, bool comments);

// Without escapes, as UTF-8 (half a pair is U+FFFD), cut at `size` - 1. Returns all of its bytes; a
// NUL may be one.
size_t json_decode(const char *raw, size_t length, char *to, size_t size);
