// Owns the coding of a proxy's user and password.
#include "base/base64.h"

#include <stdint.h>
#include <stdbool.h>
#include <string.h>

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
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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
