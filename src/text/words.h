// The form of the files in the state directory: a first line with a version, lines of words, and a
// checksum as the last. Hostile input: bounded, no I/O.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct out;

// Checks the first line ("HEADER VERSION") and the checksum; *ret_at is where words_line() begins.
int words_open(struct arena *arena, const char *header, int version, const char *text,
	       size_t length, size_t most, char **ret_at);

// The next line, cut off, or NULL.
char *words_line(char **at);

// The next word of a line with %XX taken apart, or NULL at its end and when it is none.
const char *words_next(struct arena *arena, char **at);
bool words_number(struct arena *arena, char **at, unsigned long long *ret_number);

// Where a word of a line is in a record: a number of 4 or 8 bytes, a struct timespec as two, a text
// (const char *), one that begins with '/', or a path that is relative and leads nowhere upwards.
struct words_field {
	enum words_form { WORDS_NUMBER, WORDS_TIME, WORDS_TEXT, WORDS_ABOVE, WORDS_PATH } form;
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

// A word with blanks, control bytes and '%' as %XX.
void words_put(struct out *out, const char *text);

// The checksum of all that `out` holds.
void words_close(struct out *out);
