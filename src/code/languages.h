// The languages of sbx code. Pure: text only.
//
// The room code owns the languages of `sbx code` and their drivers. Uses: base. Begin with
// languages.c.
#pragma once

#include <stddef.h>

struct language {
	const char *name, *also;
	const char *extensions; // the first is the box's file's
	const char *programs;   // of #! lines
	const char *profile;
	const char *hints[4];   // one of them in a text without #! decides
	const char *compile;    // for sh: $1 the file, $2 the program to make; or NULL
	const char *run[3];     // before the file, or the compiled program
	const char *session[3]; // an interactive interpreter; empty: none
	const char *file;       // the file's required name, or NULL
};
extern const struct language languages[];
extern const unsigned language_count;

// Runs the text before each line "%%" of stdin in one interpreter, and prints a line that ends with
// %%STATUS.
struct driver {
	const char *name, *text;
};
extern const struct driver drivers[]; // from code/drivers
extern const unsigned driver_count;

// Adapters of backends/, and the tools of sbx mcp serve.
extern const struct driver backends[];
extern const unsigned backend_count;

// NULL with the error said.
const char *language_driver(const struct language *language);

// NULL with the error said.
const struct language *language_find(const char *name);

// By the first line (#!), the extension of `name` (or NULL), then the text.
const struct language *language_detect(const char *name, const char *text);

const char *language_file(const struct language *language, char *name, size_t size);
