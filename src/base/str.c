// Owns nothing. Pure.
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool str_equal(const char *left, const char *right)
{
	return strcmp(left, right) == 0;
}

bool str_starts(const char *text, const char *prefix)
{
	while (*prefix && *text == *prefix) {
		text++;
		prefix++;
	}
	return *prefix == '\0';
}

bool str_ends(const char *text, const char *suffix)
{
	size_t length = strlen(text), tail = strlen(suffix);
	return length >= tail && str_equal(text + length - tail, suffix);
}

int str_compare(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

bool str_has_word(const char *words, const char *word, size_t length)
{
	for (const char *at = words; *at; at += strspn(at, " ")) {
		size_t known = strcspn(at, " ");
		if (known == length && memcmp(at, word, length) == 0)
			return true;
		at += known;
	}
	return false;
}

bool str_match(const char *text, const char *pattern)
{
	const char *star = NULL, *retry = NULL;
	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			if (*pattern && *pattern != '*')
				text = strchr(text, *pattern);
			if (!text)
				return false;
			retry = text;
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

bool str_match_any(const char *text, const char *patterns)
{
	char pattern[64];
	for (size_t length; *patterns; patterns += length + (patterns[length] == ' ')) {
		length = strcspn(patterns, " ");
		if (str_put(pattern, sizeof(pattern), "%.*s", (int)length, patterns) &&
		    str_match(text, pattern))
			return true;
	}
	return false;
}

size_t str_sequence(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t length = at[0] < 0x80 ? 1 : at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
	if (at[0] >= 0xf5 || (at[0] >= 0x80 && at[0] < 0xc2))
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	static const struct {
		unsigned char first, low, high;
	} narrow[] = { { 0xe0, 0xa0, 0xbf },
		       { 0xed, 0x80, 0x9f },
		       { 0xf0, 0x90, 0xbf },
		       { 0xf4, 0x80, 0x8f } };
	for (unsigned i = 0; i < sizeof(narrow) / sizeof(*narrow); i++)
		if (at[0] == narrow[i].first && (at[1] < narrow[i].low || at[1] > narrow[i].high))
			return 0;
	return length;
}

// Characters without a shape: Cf, Zl, Zp and Default_Ignorable of Unicode 15, with reserved ranges,
// and the empty braille cell. `acts`: C0, C1, and changes of the direction of text
// (CVE-2021-42574).
static const struct {
	uint32_t first, last;
	bool acts;
} unseen[] = {
	{ 0x0, 0x1f, true },         { 0x7f, 0x9f, true },        { 0xad, 0xad, false },
	{ 0x34f, 0x34f, false },     { 0x600, 0x605, false },     { 0x61c, 0x61c, false },
	{ 0x6dd, 0x6dd, false },     { 0x70f, 0x70f, false },     { 0x890, 0x891, false },
	{ 0x8e2, 0x8e2, false },     { 0x115f, 0x1160, false },   { 0x17b4, 0x17b5, false },
	{ 0x180b, 0x180f, false },   { 0x200b, 0x200f, false },   { 0x2028, 0x2029, false },
	{ 0x202a, 0x202e, true },    { 0x2060, 0x2065, false },   { 0x2066, 0x2069, true },
	{ 0x206a, 0x206f, false },   { 0x2800, 0x2800, false },   { 0x3164, 0x3164, false },
	{ 0xfe00, 0xfe0f, false },   { 0xfeff, 0xfeff, false },   { 0xffa0, 0xffa0, false },
	{ 0xfff0, 0xfffb, false },   { 0x110bd, 0x110bd, false }, { 0x110cd, 0x110cd, false },
	{ 0x13430, 0x1343f, false }, { 0x1bca0, 0x1bca3, false }, { 0x1d173, 0x1d17a, false },
	{ 0xe0000, 0xe0fff, false },
};

enum letter str_letter(const char *text, size_t *ret_length, uint32_t *ret_code)
{
	const unsigned char *at = (const unsigned char *)text;
	uint32_t code = at[0];
	*ret_length = 1;
	*ret_code = code;
	if (code >= ' ' && code <= '~')
		return LETTER_SEEN;
	size_t length = str_sequence(text);
	if (length == 0)
		return code < 0xa0 ? LETTER_ACTS : LETTER_SEEN;
	code = length > 1 ? code & (0xffu >> (length + 1)) : code;
	for (size_t i = 1; i < length; i++)
		code = code << 6 | (at[i] & 0x3f);
	*ret_length = length;
	*ret_code = code;
	for (size_t i = 0; i < sizeof(unseen) / sizeof(*unseen); i++)
		if (code >= unseen[i].first && code <= unseen[i].last)
			return unseen[i].acts ? LETTER_ACTS : LETTER_UNSEEN;
	return LETTER_SEEN;
}

size_t str_next(const char *at, char shown[STR_SHOWN_MAX])
{
	size_t length;
	uint32_t code;
	shown[0] = '\0';
	if (str_letter(at, &length, &code) == LETTER_SEEN)
		return length;
	if (length == 1 && code >= 0x80)
		snprintf(shown, STR_SHOWN_MAX, "<%02X>", code);
	else
		snprintf(shown, STR_SHOWN_MAX, code < 0x80 ? "^%c" : "<U+%04X>",
			 code < 0x80 ? code ^ 0x40 : code);
	return length;
}

static bool has_none(const char *text, enum letter worst)
{
	size_t length;
	uint32_t code;
	for (; *text; text += length) {
		length = 1;
		bool plain = *text >= ' ' && *text <= '~';
		if (!plain && str_letter(text, &length, &code) >= worst)
			return false;
	}
	return true;
}

bool str_printable(const char *text)
{
	return has_none(text, LETTER_ACTS);
}

bool str_visible(const char *text)
{
	return has_none(text, LETTER_UNSEEN);
}

const char *str_shown(const char *text)
{
	return str_printable(text) ? text : "(control bytes)";
}

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned smaller = a < b ? a : b;
	return smaller < c ? smaller : c;
}

unsigned str_distance(const char *left, const char *right, unsigned most)
{
	enum { LONGEST = 64 };
	size_t rows = strlen(left), columns = strlen(right);
	if (rows >= LONGEST || columns >= LONGEST)
		return most + 1;
	unsigned line[LONGEST + 1];
	for (size_t column = 0; column <= columns; column++)
		line[column] = (unsigned)column;
	for (size_t row = 1; row <= rows; row++) {
		unsigned diagonal = line[0];
		line[0] = (unsigned)row;
		for (size_t column = 1; column <= columns; column++) {
			unsigned above = line[column];
			unsigned cost = left[row - 1] != right[column - 1];
			line[column] = least(above + 1, line[column - 1] + 1, diagonal + cost);
			diagonal = above;
		}
	}
	return line[columns] > most ? most + 1 : line[columns];
}

bool str_number(const char *text, size_t length, unsigned long long low, unsigned long long high,
		unsigned long long *ret_number)
{
	unsigned long long number = 0;
	if (length == 0 || length > 20)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		unsigned digit = (unsigned)(text[i] - '0');
		if (number > (~0ULL - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	if (number < low || number > high)
		return false;
	*ret_number = number;
	return true;
}

uint64_t str_hash_more(uint64_t hash, const void *bytes, size_t length)
{
	for (const unsigned char *at = bytes, *end = at + length; at < end; at++)
		hash = (hash ^ *at) * 0x100000001b3ULL;
	return hash;
}

uint64_t str_hash(const char *text)
{
	return str_hash_more(0xcbf29ce484222325ULL, text, strlen(text));
}

bool str_put(char *buffer, size_t size, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(buffer, size, format, arguments);
	va_end(arguments);
	if (length >= 0 && (size_t)length < size)
		return true;
	buffer[0] = '\0';
	return false;
}
