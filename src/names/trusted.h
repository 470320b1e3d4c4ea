// Names in a project or a home that the user's own programs run or trust, where a box must not
// plant them. The rows are made from profiles/names.txt at build time.
//
// The room names owns what the host executes or trusts, by name, and the text in which others name
// it. Uses: base git text. Begin with trusted.h.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum trusted_answer {
	TRUSTED_PROTECT, // read-only where it exists, moved to quarantine when it appears
	TRUSTED_REPORT,  // named at the end when it changed
	TRUSTED_PLACE,   // of the home: itself no project
	TRUSTED_HOME,    // of the home: protected by absolute path
	TRUSTED_PATH,    // of the home: the same, of programs
	TRUSTED_WHOLE,   // of the home: protected where the home is the project
	TRUSTED_ANSWERS
};
extern const char *const trusted_words[TRUSTED_ANSWERS];

struct trusted_row {
	uint8_t answer;
	uint8_t above; // of a pattern, the bytes of the name up to its last component
	bool pattern;
	bool below;                 // counts in any directory of the project
	uint16_t name, who, source; // in trusted_text
};
// By answer; in each, names of one component first, names below one directory together, patterns
// last.
extern const struct trusted_row trusted_rows[];
extern const unsigned short trusted_first[TRUSTED_ANSWERS + 1];
extern const char trusted_text[];
extern const uint64_t trusted_hash; // of the table
// Of the first components of all that is protected or reported: two bits for each, by its hash.
enum { TRUSTED_BITS = 8192, TRUSTED_PAIRS = 4096 };
extern const uint64_t trusted_bits[TRUSTED_BITS / 64];
// Of patterns: the two characters that they begin with, those that begin with `*` end with.
extern const uint64_t trusted_begins_with[TRUSTED_PAIRS / 64],
	trusted_ends_with[TRUSTED_PAIRS / 64];

// A place in these: letters of both cases are one, and so are a few others.
static inline unsigned trusted_pair(char one, char other)
{
	return (one & 31U) << 6 | (other & 31U) | (one & 64U) << 5 | (other & 64U) >> 1;
}

static inline bool trusted_bit(const uint64_t *bits, uint32_t at)
{
	return bits[at / 64] >> (at % 64) & 1;
}

#define trusted_each(row, kind)                                                                    \
	for (const struct trusted_row *row = trusted_rows + trusted_first[kind];                   \
	     row < trusted_rows + trusted_first[(kind) + 1]; row++)

const char *trusted_name(const struct trusted_row *row);

// False when surely no protected or reported name begins with the component that is called `name`.
bool trusted_may_begin(const char *name);
// Whether the row's first component is called so, in whatever case.
bool trusted_begins(const struct trusted_row *row, const char *name);
// Whether the row is a name right below `above` ("" or with a slash at its end), and called so.
bool trusted_is(const struct trusted_row *row, const char *above, const char *name);
// The protected or reported row that a path, relative to the project or to any directory in it, is
// or lies in; NULL.
const struct trusted_row *trusted_find(const char *path);

// Of a path relative to the project, or to any directory in it: whether it is a protected name, or
// lies in one; of what git has in its directory, what it runs or is configured by.
bool trusted_is_protected(const char *path);
bool trusted_is_reported(const char *path);

// Whether a path lies in installed packages, which each install makes anew.
bool trusted_is_installed(const char *path);

// Whether a path may begin a protected name for somebody who opens the directory around it by
// itself: nobody does that with what lies in installed packages.
bool trusted_is_deeper(const char *path);

// Whether a path below the top is a reported name that counts there, too, and lies in no installed
// packages.
bool trusted_is_below(const char *path);

// Whether such a path is looked at in each look: for these, and for git's attributes, which choose
// among commands.
bool trusted_keeps(const char *path);
