// The languages of sbx code: one row each, and the choice of one. Pure: text only.
//
// The room code owns the languages of `sbx code` and their drivers. Uses: base. Begin with
// languages.c.
#pragma once

#include <stddef.h>

struct language {
	const char *name, *also; // `also`: other names, with blanks
	const char *extensions;  // with blanks; the first is that of the file in the box
	const char *programs;    // as a #! line names them, with blanks
	const char *profile;     // built in
	const char *
		hints[4]; // a text with one of these is of this language, when nothing else says so
	const char
		*compile;   // for sh, with $1 as the file and $2 as the program to make; NULL: none
	const char *run[3]; // words before the file, or the program when it was compiled
	const char *session[3]; // words of an interactive interpreter; none: it has no sessions
	const char *file;       // its name in the box, where the language wants one, or NULL
};
extern const struct language languages[];
extern const unsigned language_count;

// For languages with sessions: a program that runs the text before each line "%%" of its stdin,
// all in one interpreter, and tells the status by a line that ends with %%STATUS.
struct driver {
	const char *name, *text;
};
extern const struct driver drivers[]; // made at build time from code/drivers
extern const unsigned driver_count;

// The adapters of backends/, and the tools of sbx mcp serve.
extern const struct driver backends[];
extern const unsigned backend_count;

// NULL with the error said, naming those that have one.
const char *language_driver(const struct language *language);

// By its name: NULL with the error said, naming all.
const struct language *language_find(const char *name);

// By the first line (#!), the name's extension, and at last the text. `name` may be NULL. NULL with
// the error said.
const struct language *language_detect(const char *name, const char *text);

// "main.py"
const char *language_file(const struct language *language, char *name, size_t size);
