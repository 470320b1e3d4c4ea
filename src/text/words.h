// The form of the files in the state directory: a first line with a version, lines of words, and a
// checksum as the last. Hostile input: bounded, no I/O.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct out;

// *ret_at is where words_line() begins.
int words_open(struct arena *arena, const char *header, int version, const char *text,
	       size_t length, size_t most, char **ret_at);

// The next line, cut off, or NULL.
char *words_line(char **at);

// With %XX decoded; NULL at the end, or when it is not one.
const char *words_next(struct arena *arena, char **at);

// A number of 4 or 8 bytes, a timespec (two numbers), a text, a text that may be empty at the end,
// an absolute path, or a relative one without "..".
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

// Reads the fields of a line from *at on. False: one is missing or malformed.
bool words_read(struct arena *arena, char **at, const struct words_field *fields, unsigned count,
		void *ret_record);
// A line: a first word, or "", then the fields.
void words_write(struct out *out, const char *front, const struct words_field *fields,
		 unsigned count, const void *record);

struct words_kind {
	const char *word;
	const struct words_field *fields;
	unsigned count;
};
#define WORDS_KIND(word, fields) { word, fields, WORDS_COUNT(fields) }

// -1: none of them.
int words_read_kind(struct arena *arena, char *line, const struct words_kind *kinds, unsigned count,
		    void *record);
void words_write_kind(struct out *out, const struct words_kind *kind, const void *record);

// A word with blanks, control bytes and '%' as %XX.
void words_put(struct out *out, const char *text);

void words_close(struct out *out);

enum { COMPONENT_MAX = 256 };

// The form that folding file systems compare: lower case, without characters that they skip. False:
// too long.
bool component_fold(const char *path, char ret_folded[COMPONENT_MAX]);

// Compares the component of `folded` up to its slash or end.
bool component_matches(const char *folded, const char *name);

// FNV-1a of the lower case. False: some other letter could fold to an ASCII one.
bool component_hash(const char *name, uint32_t *ret_hash);

// ".git" on any file system: one that folds case or skips characters, or of Windows.
bool component_is_git(const char *path);
bool component_is_modules(const char *path);

// '-' gone, '+' new, ' ' as it was.
void diff_lines(struct out *out, const char *before, const char *after);

struct near {
	const char *word, *found; // found: NULL, nothing is near
	unsigned distance;
};

// NULL: no near word. Words that begin with `word` come first, then the fewest edits, up to a third
// of the letters.
void near_consider(struct near *near, const char *known);

// man/recipes.txt, also sbx-recipes(7).

extern const char recipes_text[];

enum { RECIPE_CAPTURES = 4 };

struct span {
	const char *at, *end;
};

// Keys after "? ", and the fix up to an empty line. NAME, PATH, HOST, PORT stand for any words.
struct recipe {
	const char *keys, *fix;
	size_t key_length, fix_length;
	struct span captures[RECIPE_CAPTURES];
};

// The next recipe behind `at`, the text's beginning for the first; NULL behind the last one.
const char *recipe_next(const char *at, struct recipe *ret_recipe);

// The number of the capture for a placeholder word; -1: not a placeholder.
int recipe_placeholder(struct span word);

// Finds the key with the most words.
bool recipes_find(const char *error, struct recipe *ret_recipe);

bool textsecret_is(const char *text);
bool textsecret_has_word(const char *text);

// NULL: a URL without a clear end of the password, as "https://me:pa/ss@host".
const char *textsecret_strip(struct arena *arena, const char *text);

// Empties lines with secrets. NULL: nothing was removed; "": a secret has no clear end.
// TEXTSECRET_REGISTRIES: keeps only where packages come from.
enum textsecret_kept { TEXTSECRET_ALL, TEXTSECRET_REGISTRIES };
const char *textsecret_lines(struct arena *arena, const char *text, size_t length,
			     enum textsecret_kept kept);

// Only the certificates: a PEM file may also hold a private key. "": none.
const char *textsecret_certificates(struct arena *arena, const char *text);

// PATH[:size=SIZE][,mode=MODE], as in `--tmpfs /data:size=1G,mode=0700`. Pure.

struct tmpfs_words {
	size_t path;   // bytes of `text` that are the path
	uint64_t size; // bytes; 0: none was given
	unsigned mode; // 0: none was given
};

// A ':' without '=' behind it belongs to the path.
bool tmpfs_parse(const char *text, struct tmpfs_words *ret);
