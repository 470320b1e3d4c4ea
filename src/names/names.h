// The room names owns what the host executes or trusts, by name, and the text in which others name
// it. The table of names is made from profiles/names.txt at build time. Uses: apart, base, git,
// text. Begin with names.h.
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
	TRUSTED_PLACE, // in a directory that is no project
	TRUSTED_HOME,
	TRUSTED_PATH,
	TRUSTED_WHOLE, // the home, if it is the project
	TRUSTED_ANSWERS
};
extern const char *const trusted_words[TRUSTED_ANSWERS];

struct trusted_row {
	uint8_t answer;
	bool pattern;
	bool below;        // counts in any directory of the project
	char begins, ends; // first, last character of the first component, in lower case; 0: any
	uint16_t name, who, source; // offsets in trusted_text
};
extern const struct trusted_row trusted_rows[];
extern const unsigned short trusted_first[TRUSTED_ANSWERS + 1];
extern const char trusted_text[];
extern const uint64_t trusted_hash;
// A Bloom filter: two bits for each first component's hash.
enum { TRUSTED_BITS = 8192, TRUSTED_PAIRS = 4096 };
extern const uint64_t trusted_bits[TRUSTED_BITS / 64];
// Pairs of characters with which patterns begin or, after a first `*`, end.
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

// False if no name of the table begins with this component.
bool trusted_may_begin(const char *name);
bool trusted_begins(const struct trusted_row *row, const char *name);
// Rows for a path in a project: `row` names the path, `below` a path below it. Protected rows come
// before reported ones.
struct trusted_fit {
	const struct trusted_row *row, *below;
};
struct trusted_fit trusted_fit(const char *path);
// `path` is relative to the project or to any directory in it. NULL: no row matches.
const struct trusted_row *trusted_find(const char *path);

// True for a protected name, for paths below one, and in a git directory for what git runs or reads
// as configuration.
bool trusted_is_protected(const char *path);
bool trusted_is_reported(const char *path);
// True if programs open the file in any directory of a work tree: a FIFO would block them.
bool trusted_is_opened(const char *name);

bool trusted_is_installed(const char *path);

// True if the last component begins a protected name: a user may open its directory.
bool trusted_is_deeper(const char *path);

// True if the name counts in directories below the project, outside of installed packages.
bool trusted_is_below(const char *path);

bool trusted_keeps(const char *path);

// Profiles that were given by path. Later commands may not change them.

enum { GIVEN_BYTES_MAX = 32768 };

// Returns "" for no list; NULL and a report if unreadable.
const char *given_read(struct arena *arena, const char *state);
bool given_has(const char *given, const char *path);

// Drops lines of missing files if the list is full.
int given_add(const char *state, const char *lines);

struct homes {
	const char *home;
	char *const *environment;
	// Whether a path is known to be absent. The callback may be NULL.
	bool (*lacks)(const void *with, const char *path);
	const void *with;
	struct list names; // filled by homes_name()
};

enum homes_kind {
	HOMES_NAME,
	HOMES_INSIDE,
	HOMES_PROGRAM, // a directory of PATH, or a link's end in one: builds write there
};

// Adds the directories of PATH. Relative and empty entries stay as written.
void homes_path(struct arena *arena, const struct homes *homes, struct list *ret_names);
// Adds the directories of PATH below the home, and paths of all rows. Reads no directory.
void homes_name(struct arena *arena, struct homes *homes);

// Follows links on the way to `names` and in them, within bounds. `ret_targets`: each link after
// the first, and each path where one ends, even if missing.
void homes_follow(struct arena *arena, const struct homes *homes, struct list *ret_targets);

// Finds ends of links, further links on the way, and hard-linked files in a tree. `directories`
// adds up over calls. False: too many. `ret_files`: there are files other than samples.
bool homes_inside(struct arena *arena, const char *directory, unsigned *directories,
		  struct list *ret_targets, bool *ret_files);

void homes_led(struct arena *arena, const char *path, struct list *targets);

struct origin homes_origin(enum homes_kind kind);

const char *homes_value(char *const *environment, const char *name, size_t length);

bool homes_is_of_path(const char *name, const struct homes *homes);

// Finds paths in texts: of existing files, and in git's commands also of missing ones. Ignores
// directories, and variables except the home's.

struct mentions {
	int root;
	const char *path;
	const char *home; // or NULL
	struct arena *arena;
	enum apart whose; // who could write the texts
	struct list files;
};

void mentions_text(struct mentions *mentions, const char *top, const char *text, size_t length);
void mentions_file(struct mentions *mentions, const char *top, int directory, const char *name);
void mentions_hooks(struct mentions *mentions, const char *top, const char *path);
// Finds files that git runs (git-config(1)), without included configurations.
void mentions_git(struct mentions *mentions, const char *top, const char *text, size_t length);
// Asks the reader process early, for the answer to be ready (apart_ahead()).
int mentions_git_ahead(struct arena *arena, const char *tree, const char *home, const char *text,
		       size_t length);
