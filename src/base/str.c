// Owns nothing. Pure functions over NUL-terminated strings.
#include "base/str.h"

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

unsigned str_control(const char *text, unsigned *ret_code)
{
	const unsigned char *at = (const unsigned char *)text;
	if (at[0] < 0x20 || at[0] == 0x7f) {
		*ret_code = at[0];
		return 1;
	}
	if (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0) {
		*ret_code = at[1];
		return 2;
	}
	// U+202A to U+202E, U+2066 to U+2069.
	if (at[0] != 0xe2 || ((at[1] != 0x80 || at[2] < 0xaa || at[2] > 0xae) &&
			      (at[1] != 0x81 || at[2] < 0xa6 || at[2] > 0xa9)))
		return 0;
	*ret_code = 0x2000u | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
	return 3;
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
	// Longer forms than needed, halves of pairs, and what is beyond the last.
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

size_t str_next(const char *at, char shown[STR_SHOWN_MAX])
{
	unsigned code;
	shown[0] = '\0';
	if (*at >= ' ' && *at <= '~') // nearly all is plain
		return 1;
	size_t length = str_sequence(at);
	if (str_control(at, &code))
		snprintf(shown, STR_SHOWN_MAX, code < 0x80 ? "^%c" : "<U+%04X>",
			 code < 0x80 ? code ^ 0x40 : code);
	else if (length == 0 && (unsigned char)*at < 0xa0)
		snprintf(shown, STR_SHOWN_MAX, "<%02X>", (unsigned char)*at);
	return length ? length : 1;
}

bool str_printable(const char *text)
{
	char shown[STR_SHOWN_MAX] = "";
	while (*text && !shown[0])
		if (*text >= ' ' && *text <= '~') // each value of a profile, at each start
			text++;
		else
			text += str_next(text, shown);
	return !shown[0];
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

uint64_t str_hash(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ULL;
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
	return hash;
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
