// The form of the files that a session is made of: a first line with a version, lines of words,
// and a checksum as the last. Hostile input: bounded, no I/O.
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

// A path that is relative and leads nowhere upwards; who opens it looks by descriptor besides.
const char *words_path(struct arena *arena, char **at);
bool words_is_path(const char *path);
// The number of a session's root, below ROOTS_MAX.
bool words_root(struct arena *arena, char **at, unsigned *ret_root);

// A word with blanks, control bytes and '%' as %XX.
void words_put(struct out *out, const char *text);

// A blank and a number; an apply of many files writes a million.
void words_put_number(struct out *out, unsigned long long number);

// The checksum of all that `out` holds.
void words_close(struct out *out);
