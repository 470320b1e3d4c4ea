// The form of the files in the state directory: a first line with a version, lines of words, a last
// line with a checksum.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct out;

// Checks header, version and checksum. words_line() begins at *ret_at.
int words_open(struct arena *arena, const char *header, int version, const char *text,
	       size_t length, size_t most, char **ret_at);

// Returns the next line, cut off the text, or NULL.
char *words_line(char **at);

// Returns the next word with %XX decoded, or NULL at the end or for a malformed word.
const char *words_next(struct arena *arena, char **at);

// A field: a number of 4 or 8 bytes, a timespec (two numbers), a text, a last text that may be
// empty, an absolute path, or a relative path without "..".
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

// Reads the fields of a line from *at on. Returns false if one is missing or malformed.
bool words_read(struct arena *arena, char **at, const struct words_field *fields, unsigned count,
		void *ret_record);
// Writes a line: a first word, or "", then the fields.
void words_write(struct out *out, const char *front, const struct words_field *fields,
		 unsigned count, const void *record);

struct words_kind {
	const char *word;
	const struct words_field *fields;
	unsigned count;
};
#define WORDS_KIND(word, fields) { word, fields, WORDS_COUNT(fields) }

// Returns the index in `kinds`, or -1.
int words_read_kind(struct arena *arena, char *line, const struct words_kind *kinds, unsigned count,
		    void *record);
void words_write_kind(struct out *out, const struct words_kind *kind, const void *record);

// Writes a word, with blanks, control bytes and '%' as %XX.
void words_put(struct out *out, const char *text);

void words_close(struct out *out);

enum { COMPONENT_MAX = 256 };

// Makes the form that folding file systems compare: lower case, without ignored characters. Returns
// false if it is too long.
bool component_fold(const char *path, char ret_folded[COMPONENT_MAX]);

// Whether the pattern `name`, up to its slash or end, matches `folded`.
bool component_matches(const char *folded, const char *name);

// FNV-1a of the lower case. Returns false for a letter beyond ASCII, which could fold to ASCII.
bool component_hash(const char *name, uint32_t *ret_hash);

// Whether the path begins with ".git" on any file system: on Windows, or where case or some
// characters are ignored.
bool component_is_git(const char *path);
bool component_is_modules(const char *path);

// Marks lines: '-' removed, '+' added, ' ' unchanged.
void diff_lines(struct out *out, const char *before, const char *after);

struct near {
	const char *word, *found; // `found` is NULL if nothing is near
	unsigned distance;
};

// Takes `known` if it is nearer. Words that begin with near->word come first, then those with the
// fewest edits, at most a third of the letters.
void near_consider(struct near *near, const char *known);

// man/recipes.txt, which is also sbx-recipes(7).

extern const char recipes_text[];

enum { RECIPE_CAPTURES = 4 };

struct span {
	const char *at, *end;
};

// A recipe has keys after "? ", then the fix up to an empty line. NAME, PATH, HOST and PORT in a
// key match any words.
struct recipe {
	const char *keys, *fix;
	size_t key_length, fix_length;
	struct span captures[RECIPE_CAPTURES];
};

// Reads the next recipe from `at` on. Returns its end, or NULL after the last one.
const char *recipe_next(const char *at, struct recipe *ret_recipe);

// Returns the index of a placeholder's capture, or -1 for another word.
int recipe_placeholder(struct span word);

// Finds the recipe whose matching key has the most words.
bool recipes_find(const char *error, struct recipe *ret_recipe);

bool textsecret_is(const char *text);
bool textsecret_has_word(const char *text);

// Removes users and passwords from URLs. Returns NULL if a password has no clear end, as in
// "https://me:pa/ss@host".
const char *textsecret_strip(struct arena *arena, const char *text);

// Empties lines with secrets. Returns NULL if nothing was removed, "" if a secret has no clear end.
// TEXTSECRET_REGISTRIES keeps only the lines that say where packages come from.
enum textsecret_kept { TEXTSECRET_ALL, TEXTSECRET_REGISTRIES };
const char *textsecret_lines(struct arena *arena, const char *text, size_t length,
			     enum textsecret_kept kept);

// Returns only the certificates, or "": a PEM file may also contain a private key.
const char *textsecret_certificates(struct arena *arena, const char *text);

// PATH[:size=SIZE][,mode=MODE], as in `--tmpfs /data:size=1G,mode=0700`.

struct tmpfs_words {
	size_t path;   // bytes of `text` that are the path
	uint64_t size; // bytes; 0: not given
	unsigned mode; // 0: not given
};

// A ':' without '=' after it belongs to the path.
bool tmpfs_parse(const char *text, struct tmpfs_words *ret);
