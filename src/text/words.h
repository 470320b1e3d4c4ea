// The form of the files in the state directory: a first line with a version, lines of words, and a
// checksum as the last. Hostile input: bounded, no I/O.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct out;

// Checks the first line ("HEADER VERSION") and the checksum; *ret_at is where words_line() begins.
int words_open(struct arena *arena, const char *header, int version, const char *text,
	       size_t length, size_t most, char **ret_at);

// The next line, cut off, or NULL.
char *words_line(char **at);

// The next word of a line with %XX taken apart, or NULL at its end and when it is none.
const char *words_next(struct arena *arena, char **at);

// Where a word of a line is in a record: a number of 4 or 8 bytes, a struct timespec as two, a text
// (const char *), one that may be empty at the end of its line, one that begins with '/', or a path
// that is relative and leads nowhere upwards.
struct words_field {
	enum words_form {
		WORDS_NUMBER,
		WORDS_TIME,
		WORDS_TEXT,
		WORDS_LAST,
		WORDS_ABOVE,
		WORDS_PATH
	} form;
	size_t at, size;
};
#define WORDS_FIELD(form, type, member)                                                            \
	{ form, offsetof(type, member), sizeof(((type *)NULL)->member) }
#define WORDS_COUNT(fields) (sizeof(fields) / sizeof(*(fields)))

// The fields of a line from *at on; false: one is missing or is not of its form.
bool words_read(struct arena *arena, char **at, const struct words_field *fields, unsigned count,
		void *ret_record);
// A line: a first word, or "", then the fields.
void words_write(struct out *out, const char *front, const struct words_field *fields,
		 unsigned count, const void *record);

// A kind of line: its first word and its fields.
struct words_kind {
	const char *word;
	const struct words_field *fields;
	unsigned count;
};
#define WORDS_KIND(word, fields) { word, fields, WORDS_COUNT(fields) }

// The kind of a line, of which the fields are read into the record; -1: it is none of them.
int words_read_kind(struct arena *arena, char *line, const struct words_kind *kinds, unsigned count,
		    void *record);
void words_write_kind(struct out *out, const struct words_kind *kind, const void *record);

// A word with blanks, control bytes and '%' as %XX.
void words_put(struct out *out, const char *text);

// The checksum of all that `out` holds.
void words_close(struct out *out);

// One component of a path, compared as file systems that fold case compare it.

enum { COMPONENT_MAX = 256 };

// Writes the component that begins at `path` in the form in which folding file systems compare it:
// letters small, what they skip left out. False when it is too long to be one.
bool component_fold(const char *path, char ret_folded[COMPONENT_MAX]);

// Whether a folded component is what `name` says up to its slash or end: `*` any characters, `?`
// one.
bool component_matches(const char *folded, const char *name);

// FNV-1a over a name up to its slash or end, in whatever case. False: it has bytes that are no
// ASCII, which other letters fold to.
bool component_hash(const char *name, uint32_t *ret_hash);

// Whether there is a file system for which the component that begins at `path` is ".git": one that
// folds case, one that skips characters, or one of Windows.
bool component_is_git(const char *path);
// The same for ".gitmodules".
bool component_is_modules(const char *path);

// The difference of two texts by lines, for people. Pure.

// Every line with a mark before it, whole and as out_visible() shows it: '-' gone, '+' new,
// ' ' as it was.
void diff_lines(struct out *out, const char *before, const char *after);

// The known word that a wrong one was meant to be, for "did you mean".

struct near {
	const char *word, *found; // found: NULL, nothing is near
	unsigned distance;
};

// One more known word (NULL: none). What begins with `word` comes first, the shortest of those;
// then the one with the fewest edits, at most a third of the letters.
void near_consider(struct near *near, const char *known);

// Problems by their error text. The text is man/recipes.txt, which is also the manual
// sbx-recipes(7).

extern const char recipes_text[]; // made at build time

enum { RECIPE_CAPTURES = 4 };

struct span {
	const char *at, *end;
};

// One recipe: its keys, one a line after "? ", and its fix up to an empty line. In a key NAME,
// PATH, HOST and PORT stand for any words.
struct recipe {
	const char *keys, *fix;
	size_t key_length, fix_length;
	struct span captures[RECIPE_CAPTURES]; // what they stand for in an error text
};

// The next recipe behind `at`, the text's beginning for the first; NULL behind the last one.
const char *recipe_next(const char *at, struct recipe *ret_recipe);

// The number of the capture that this word of a key or fix stands for; -1: none.
int recipe_placeholder(struct span word);

// The recipe whose key is in the error text; of several the one with the most words.
bool recipes_find(const char *error, struct recipe *ret_recipe);

// How a secret looks in a text. Pure: reads and writes memory only.

// Whether a value, as of a command or a header, has a secret in it.
bool textsecret_is(const char *text);
// Whether one of its words alone looks like a token.
bool textsecret_has_word(const char *text);

// A text with the user's part of each URL left out, in the arena; the text itself when there is
// none. NULL: a URL that cannot be taken apart, as of "https://me:pa/ss@host".
const char *textsecret_strip(struct arena *arena, const char *text);

// Settings of which each line is one (npmrc, condarc, TOML), without lines and parts of URLs that
// are secret; those lines stay empty. NULL: all of it is kept. "": nobody knows where a secret
// ends. TEXTSECRET_REGISTRIES keeps nothing but what says where packages come from.
enum textsecret_kept { TEXTSECRET_ALL, TEXTSECRET_REGISTRIES };
const char *textsecret_lines(struct arena *arena, const char *text, size_t length,
			     enum textsecret_kept kept);

// The certificates of a PEM file alone, which may hold a private key as well; "" when it has none.
const char *textsecret_certificates(struct arena *arena, const char *text);

// PATH[:size=SIZE][,mode=MODE], as in `--tmpfs /data:size=1G,mode=0700`. Pure.

struct tmpfs_words {
	size_t path;   // bytes of `text` that are the path
	uint64_t size; // bytes; 0: none was given
	unsigned mode; // 0: none was given
};

// A ':' belongs to the path where no '=' follows it. False for a word that is unknown, comes twice
// or has a wrong value.
bool tmpfs_parse(const char *text, struct tmpfs_words *ret);
