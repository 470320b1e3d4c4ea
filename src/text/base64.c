// Owns base64, also of the user and password of a URL.
#include "text/sha.h"

#include <stdint.h>
#include <stdbool.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c | 0x20) : NULL;
	return at ? (int)(at - digits) : -1;
}

static unsigned char next_byte(const char **at, const char *end)
{
	const char *c = (*at)++;
	bool escape = *c == '%' && end - c > 2;
	int high = escape ? hex_digit(c[1]) : -1, low = escape ? hex_digit(c[2]) : -1;
	if (high < 0 || low < 0)
		return (unsigned char)*c;
	*at += 2;
	return (unsigned char)((unsigned)high << 4 | (unsigned)low);
}

void base64_url_user(const char *text, size_t length, char *encoded, size_t size)
{
	const char *at = text, *end = text + length;
	size_t used = 0;
	while (at < end && used + 5 <= size) {
		unsigned count = 0;
		uint32_t group = 0;
		for (; count < 3 && at < end; count++)
			group |= (uint32_t)next_byte(&at, end) << (16 - 8 * count);
		for (unsigned i = 0; i < 4; i++)
			encoded[used++] = i <= count ? letters[group >> (18 - 6 * i) & 63] : '=';
	}
	encoded[used < size ? used : size - 1] = '\0';
}

void base64_encode(const unsigned char *bytes, size_t length, char *encoded, size_t size)
{
	size_t used = 0;
	if (size == 0 || length > (size - 1) / 4 * 3) {
		if (size > 0)
			encoded[0] = '\0';
		return;
	}
	for (size_t at = 0; at < length; at += 3) {
		uint32_t group = 0;
		size_t count = length - at < 3 ? length - at : 3;
		for (size_t i = 0; i < count; i++)
			group |= (uint32_t)bytes[at + i] << (16 - 8 * i);
		for (unsigned i = 0; i < 4; i++)
			encoded[used++] = i <= count ? letters[group >> (18 - 6 * i) & 63] : '=';
	}
	encoded[used] = '\0';
}

static int letter_value(char c)
{
	const char *at = c ? strchr(letters, c) : NULL;
	return at ? (int)(at - letters) : -1;
}

size_t base64_decode(const char *text, size_t length, unsigned char *bytes, size_t size)
{
	size_t used = 0;
	if (length == 0 || length % 4 != 0 || length / 4 * 3 > size + 2)
		return 0;
	for (size_t at = 0; at < length; at += 4) {
		uint32_t group = 0;
		unsigned count = 4;
		if (at + 4 == length && text[at + 3] == '=')
			count = text[at + 2] == '=' ? 2 : 3;
		for (unsigned i = 0; i < count; i++) {
			int value = letter_value(text[at + i]);
			if (value < 0)
				return 0;
			group |= (uint32_t)value << (18 - 6 * i);
		}
		for (unsigned i = 0; i + 1 < count; i++) {
			if (used == size)
				return 0;
			bytes[used++] = (unsigned char)(group >> (16 - 8 * i));
		}
		if (count < 4 && (group & (count == 3 ? 0xffU : 0xffffU)))
			return 0;
	}
	return used;
}
