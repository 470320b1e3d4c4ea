// The languages of `sbx code`.
//
// The room code owns the languages of `sbx code` and their drivers. Uses: base. Begin with
// languages.c.
#pragma once

#include <stddef.h>

struct language {
	const char *name, *also;
	const char *extensions; // the first is for the file in the box
	const char *programs;   // names in #! lines
	const char *profile;
	const char *hints[4];       // substrings typical of code
	const char *compile;        // command for sh, or NULL; $1: source, $2: program
	const char *run[3];         // words before the file or compiled program
	const char *interactive[3]; // may be empty
	const char *required_name;  // or NULL
};
extern const struct language languages[];
extern const unsigned language_count;

// A driver runs each text of stdin, up to a line "%%", in one interpreter. It prints %%STATUS after
// each.
struct driver {
	const char *name, *text;
};
extern const struct driver drivers[]; // from code/drivers
extern const unsigned driver_count;

extern const struct driver backends[];
extern const unsigned backend_count;

const char *language_driver(const struct language *language);

const struct language *language_find(const char *name);

// Decides by the #! line, the extension of `name` (or NULL), then hints.
const struct language *language_detect(const char *name, const char *text);

const char *language_file(const struct language *language, char *name, size_t size);
