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
	TRUSTED_WALL,
	TRUSTED_TELL,
	TRUSTED_IGNORE,
	TRUSTED_PLACE, // that is not a project
	TRUSTED_HOME,
	TRUSTED_PATH,
	TRUSTED_WHOLE, // if the home is the project
	TRUSTED_ANSWERS
};
extern const char *const trusted_words[TRUSTED_ANSWERS];

struct trusted_row {
	uint8_t answer;
	bool pattern;
	bool below;                 // counts in any directory of the project
	char begins, ends;          // of its first component, folded; 0: any
	uint16_t name, who, source; // in trusted_text
};
extern const struct trusted_row trusted_rows[];
extern const unsigned short trusted_first[TRUSTED_ANSWERS + 1];
extern const char trusted_text[];
extern const uint64_t trusted_hash;
// Two bits for each first component, by its hash.
enum { TRUSTED_BITS = 8192, TRUSTED_PAIRS = 4096 };
extern const uint64_t trusted_bits[TRUSTED_BITS / 64];
// The two first characters of patterns; those that begin with `*`: the last two.
extern const uint64_t trusted_begins_with[TRUSTED_PAIRS / 64],
	trusted_ends_with[TRUSTED_PAIRS / 64];

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

// False: no name of the table begins so.
bool trusted_may_begin(const char *name);
bool trusted_begins(const struct trusted_row *row, const char *name);
// Relative to a top. Protected rows before reported ones.
struct trusted_fit {
	const struct trusted_row *row, *below;
};
struct trusted_fit trusted_fit(const char *path);
// `path`: relative to the project or any directory in it. NULL: none.
const struct trusted_row *trusted_find(const char *path);

// Or is inside of one; of a git directory, what git runs or reads as configuration.
bool trusted_is_protected(const char *path);
bool trusted_is_reported(const char *path);
// Programs open it in any directory of a work tree: a pipe would block them.
bool trusted_is_opened(const char *name);

// Each install replaces these.
bool trusted_is_installed(const char *path);

// Acts only on a user who opens its directory: nobody opens one in installed packages.
bool trusted_is_deeper(const char *path);

// Also below the top, not in installed packages.
bool trusted_is_below(const char *path);

bool trusted_keeps(const char *path);

// Profiles given by a path: no later command may extend their permissions.

enum { GIVEN_BYTES_MAX = 32768 };

// given_read(): "" for no list; NULL with the error said.
const char *given_read(struct arena *arena, const char *state);
bool given_has(const char *given, const char *path);

// A full list drops lines of files that are gone.
int given_add(const char *state, const char *lines);

struct homes {
	const char *home;
	char *const *environment;
	// True: surely absent. NULL: unknown.
	bool (*lacks)(const void *with, const char *path);
	const void *with;
	struct list names; // homes_name()
};

enum homes_kind {
	HOMES_NAME,
	HOMES_INSIDE,
	HOMES_PROGRAM, // a directory of PATH, or a link's end in one: people build these
};

// A relative or empty entry stays as written.
void homes_path(struct arena *arena, const struct homes *homes, struct list *ret_names);
// Names the directories of PATH below the home and the paths of all rows, without a lookup.
void homes_name(struct arena *arena, struct homes *homes);

// Follows links on the way to `names` and directly in them. `ret_targets`: each link, and each end
// elsewhere, even an absent one.
void homes_follow(struct arena *arena, const struct homes *homes, struct list *ret_targets);

// Finds links, their ends, and files with hard links, also in subdirectories. `directories` counts
// over several calls. False: too many. `ret_files`: there is more than directories and samples.
bool homes_inside(struct arena *arena, const char *directory, unsigned *directories,
		  struct list *ret_targets, bool *ret_files);

void homes_led(struct arena *arena, const char *path, struct list *targets);

struct origin homes_origin(enum homes_kind kind);

// Of the caller's variables; NULL: not set.
const char *homes_value(char *const *environment, const char *name, size_t length);

bool homes_is_of_path(const char *name, const struct homes *homes);

// Words that are the path of a file that is there, or that a command may name before it is: no
// directories, and no variables but the home's.

struct mentions {
	int root;
	const char *path;
	const char *home; // or NULL
	struct arena *arena;
	enum apart whose; // the texts
	struct list files;
};

void mentions_text(struct mentions *mentions, const char *top, const char *text, size_t length);
void mentions_file(struct mentions *mentions, const char *top, int directory, const char *name);
void mentions_hooks(struct mentions *mentions, const char *top, const char *path);
// What git runs (git-config(1)), without included files.
void mentions_git(struct mentions *mentions, const char *top, const char *text, size_t length);
// Prepares an answer about the tree's own repository (apart_ahead()).
int mentions_git_ahead(struct arena *arena, const char *tree, const char *home, const char *text,
		       size_t length);
