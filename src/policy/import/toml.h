// A TOML text walked from its beginning to its end (TOML 1.0; dates and numbers are passed over,
// not checked). Each single value is shown once, with its whole dotted name, and nothing is kept:
// no memory is taken, whatever the size of a hostile text. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { TOML_NAME_MAX = 256, TOML_DEPTH_MAX = 32 };

struct toml_step {
	enum toml_kind {
		TOML_BASIC,   // "text" with the escapes that JSON has
		TOML_LITERAL, // 'text'
		TOML_OTHER,   // a number, a word, a date; a string with other escapes or lines
	} kind;
	const char *name;  // "table.key", of an element that of its array; '.' in a key is as it is
	const char *value; // between its quotes
	size_t length;     // bytes
};

// 0, or the line where it is no TOML, too deep, or `step` returned false. text[length] must be NUL.
unsigned toml_walk(const char *text, size_t length,
		   bool (*step)(void *owner, const struct toml_step *step), void *owner);
