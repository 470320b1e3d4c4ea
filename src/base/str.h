// Small questions about strings that libc does not answer.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool str_equal(const char *left, const char *right);
bool str_starts(const char *text, const char *prefix);
bool str_ends(const char *text, const char *suffix);

// Whether `word` is one of the words that stand with a blank between them.
bool str_has_word(const char *words, const char *word, size_t length);

// A shell-like match with '*' only; no other character is special.
bool str_match(const char *text, const char *pattern);

// The bytes of a character at `at` that acts on a terminal and is not seen: C0 and DEL, C1 as UTF-8
// (U+009B begins an escape sequence as well), and what turns the direction of text
// (CVE-2021-42574). 0: it is none. Reads on only where the bytes before belong to one.
unsigned str_control(const char *at, unsigned *ret_code);

// The length of the UTF-8 sequence at `text`, or 0 when it is not one.
size_t str_sequence(const char *text);

// The length of the next character, and what stands for it where it would act on a terminal (^[ or
// <U+202E>; <9B> is a C1 byte that belongs to no sequence), else "".
enum { STR_SHOWN_MAX = 12 };
size_t str_next(const char *at, char shown[STR_SHOWN_MAX]);

// True when no such character is in it (other UTF-8 passes). Rule 23.
bool str_printable(const char *text);

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
