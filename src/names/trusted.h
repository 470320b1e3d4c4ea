// Names in a project or a home that the user's own programs run or trust, where a box must not
// plant them. The rows are made from profiles/names.txt at build time.
//
// The room names owns what the host executes or trusts, by name, and the text in which others name
// it. Uses: apart base git text. Begin with trusted.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apart/apart.h"
#include "base/base.h"

struct arena;

enum trusted_answer {
	TRUSTED_WALL,   // read-only where it exists, moved to quarantine when it appears
	TRUSTED_TELL,   // named at the end when it changed
	TRUSTED_IGNORE, // in such a directory no name counts
	TRUSTED_PLACE,  // of the home: itself no project
	TRUSTED_HOME,   // of the home: protected by absolute path
	TRUSTED_PATH,   // of the home: the same, of programs
	TRUSTED_WHOLE,  // of the home: protected where the home is the project
	TRUSTED_ANSWERS
};
extern const char *const trusted_words[TRUSTED_ANSWERS];

struct trusted_row {
	uint8_t answer;
	bool pattern;
	bool below;                 // counts in any directory of the project
	uint16_t name, who, source; // in trusted_text
};
// By answer; in each, patterns last.
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
static inline unsigned trusted_pair(const char *two)
{
	const unsigned one = (unsigned char)two[0], other = (unsigned char)two[1];
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
// The row that a path, relative to a top, is, and the first that begins with it; protected ones
// before reported ones, NULL for none.
struct trusted_fit {
	const struct trusted_row *row, *below;
};
struct trusted_fit trusted_fit(const char *path);
// The protected or reported row that a path, relative to the project or to any directory in it, is
// or lies in; NULL.
const struct trusted_row *trusted_find(const char *path);

// Of a path relative to the project, or to any directory in it: whether it is a protected name, or
// lies in one; of what git has in its directory, what it runs or is configured by.
bool trusted_is_protected(const char *path);
bool trusted_is_reported(const char *path);
// Whether git opens a file of that name in any directory of a work tree: a pipe makes it wait.
bool trusted_is_opened(const char *name);

// Whether a path lies in installed packages, which each install makes anew.
bool trusted_is_installed(const char *path);

// Whether a path may begin a protected name for somebody who opens the directory around it by
// itself: nobody does that with what lies in installed packages.
bool trusted_is_deeper(const char *path);

// Whether a path below the top is a reported name that counts there, too, and lies in no installed
// packages.
bool trusted_is_below(const char *path);

// Whether each check reads a path, for these.
bool trusted_keeps(const char *path);

// The profiles that runs were given by a path: noted in sbx's own state, one a line. No command may
// make them say more, in whichever run it can write there.

enum { GIVEN_BYTES_MAX = 32768 };

// The text, "" when there is none; NULL with the error said. And whether a path is in it.
const char *given_read(struct arena *arena, const char *state);
bool given_has(const char *given, const char *path);

// Adds the lines that are missing. Where they have no room, lines of files that are gone are
// forgotten. -1 with the error said.
int given_add(const char *state, const char *lines);

// Names below the home that the caller's programs run or trust at start (profiles/names.txt), and
// where links lead from there.

struct homes {
	const char *home;         // of the caller, without symlinks
	char *const *environment; // for rows that a variable names, and for PATH
	// Whether a path is surely not there; NULL: nobody knows.
	bool (*lacks)(const void *with, const char *path);
	const void *with;
};

// `from.line` of the findings.
enum homes_kind {
	HOMES_NAME,    // a name, or what links on the way to it lead to
	HOMES_INSIDE,  // what a link in it leads to
	HOMES_PROGRAM, // a directory of PATH, or what a link in one leads to: what people build
};

// Each entry of PATH: a clean path, or as it is written where it is relative or empty.
void homes_path(struct arena *arena, const struct homes *homes, struct list *ret_names);
// The directories of PATH below the home, and the paths of all rows; no look at any.
void homes_name(struct arena *arena, const struct homes *homes, struct list *ret_names);

// What the links on the way to them, and right in them, lead to: each link and each end that lies
// elsewhere than its name says, there or not.
void homes_follow(struct arena *arena, const struct homes *homes, struct list *ret_targets);

// What links in a directory of trusted names, and in those below it, lead to: each link and each
// end, there or not; and files that have other names (hard links). `directories` counts those that
// were read, over several calls. False: there are more than are read. `ret_files`: not all that it
// holds are directories and samples.
bool homes_inside(struct arena *arena, const char *directory, unsigned *directories,
		  struct list *ret_targets, bool *ret_files);

// The same of a trusted name, whatever it is: what it leads to itself as well. Added to `targets`.
void homes_led(struct arena *arena, const char *path, struct list *targets);

// The rows of profiles/names.txt that are of the home, and PATH, as paths; for names/home_links.c.

struct origin homes_origin(enum homes_kind kind);

// Of the caller's variables; NULL: not set.
const char *homes_value(char *const *environment, const char *name, size_t length);

// Whether a name is a directory of programs.
bool homes_is_of_path(const char *name, const struct homes *homes);

// Which files of a tree a text names that its owner's programs run: a hook, .envrc, git's
// configuration. Words that are, as they are, the path of a file that is there: no directories, no
// variables, nothing that a program puts together.

struct mentions {
	int root; // a tree, open: nothing outside of it is found
	const char *path;
	struct arena *arena;
	enum apart whose;  // the texts
	struct list files; // found: whole paths
};

// Words are looked up from `top`. A locked process takes the texts apart (apart/apart.h).
void mentions_text(struct mentions *mentions, const char *top, const char *text, size_t length);
void mentions_file(struct mentions *mentions, const char *top, int directory, const char *name);
// Each file of a directory but samples.
void mentions_hooks(struct mentions *mentions, const char *top, const char *path);
// Git's configuration: what it runs (git-config(1)). A file that git includes is another text.
void mentions_git(struct mentions *mentions, const char *top, const char *text, size_t length);
// For a text of the tree's own repository of which that will be asked (apart_ahead()).
int mentions_git_ahead(struct arena *arena, const char *tree, const char *text, size_t length);
