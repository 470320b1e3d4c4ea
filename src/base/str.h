// Small questions about strings that libc does not answer.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool str_equal(const char *left, const char *right);
bool str_starts(const char *text, const char *prefix);
bool str_ends(const char *text, const char *suffix);
// For qsort(3) and bsearch(3) over pointers to strings.
int str_compare(const void *left, const void *right);

// Whether `word` is one of the words that stand with a blank between them.
bool str_has_word(const char *words, const char *word, size_t length);

// A shell-like match with '*' only; no other character is special.
bool str_match(const char *text, const char *pattern);

// The length of the UTF-8 sequence at `text`, or 0 when it is not one.
size_t str_sequence(const char *text);

// Whether a terminal shows the next character as a separate mark: it has no shape, so that two
// names look alike, or it acts: C0 and DEL, C1 (U+009B begins an escape sequence as well, and so
// does a byte 9B that belongs to no sequence), or it turns the direction of text. The length is 1,
// and the code that of the byte, where there is no sequence.
enum letter { LETTER_SEEN, LETTER_UNSEEN, LETTER_ACTS };
enum letter str_letter(const char *at, size_t *ret_length, uint32_t *ret_code);

// The length of the next character, and the text written for one that is not seen (^[, <U+202E>,
// <9B> for a byte), else "".
enum { STR_SHOWN_MAX = 12 };
size_t str_next(const char *at, char shown[STR_SHOWN_MAX]);

// True when nothing in it acts on a terminal (other UTF-8 passes) ...
bool str_printable(const char *text);
// ... and each character is seen as what it is: who reads it can write it.
bool str_visible(const char *text);

// The text, or words that stand for one that is not printable.
const char *str_shown(const char *text);

// The number of single-character edits between two words, at most `most` + 1.
unsigned str_distance(const char *left, const char *right, unsigned most);

// A short name for a text (FNV-1a); not against somebody who looks for two that are alike.
uint64_t str_hash(const char *text);

// A decimal number without sign, spaces or leading garbage; false when out of [low, high].
bool str_number(const char *text, size_t length, unsigned long long low, unsigned long long high,
		unsigned long long *ret_number);

// Writes a path, or a part of one, whole or not at all: where it does not fit, the buffer is "",
// which names no file, and false is returned. A cut path would name another file.
bool str_put(char *buffer, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
