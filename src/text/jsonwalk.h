// A JSON text walked from its beginning to its end (RFC 8259 and nothing more lenient: no comments,
// no other numbers, valid UTF-8). Each value is shown once, with its key, and nothing is kept: no
// memory is taken, whatever the size of a hostile text. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { JSON_WALK_DEPTH_MAX = 1024 };

struct json_step {
	enum walk_kind {
		WALK_OBJECT,
		WALK_ARRAY,
		WALK_STRING,
		WALK_NUMBER,
		WALK_WORD, // true, false, null
	} kind;
	unsigned depth;    // 0: the whole text, 1: what is right in it
	const char *key;   // of a member, between its quotes, with its escapes; else NULL
	size_t key_length; // bytes
	size_t start, end; // in the text; of a string between its quotes; of an object or array its
			   // first byte
};

// False: it is no JSON, or too deep, or `step` returned false. text[length] must be NUL.
bool json_walk(const char *text, size_t length,
	       bool (*step)(void *owner, const struct json_step *step), void *owner);

// What a string of such a text says, without escapes, as UTF-8 (half a pair is U+FFFD), cut at
// `size` - 1 bytes and with a NUL behind it. The bytes that it has as a whole; a NUL may be one.
size_t json_decode(const char *raw, size_t length, char *to, size_t size);
