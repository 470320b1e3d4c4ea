// Owns the coding of a proxy's user and password.
#include "base/base64.h"

#include <stdint.h>
#include <string.h>

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c | 0x20) : NULL;
	return at ? (int)(at - digits) : -1;
}

static unsigned char next_byte(const char **at, const char *end)
{
	const char *c = (*at)++;
	if (*c == '%' && end - c > 2 && hex_digit(c[1]) >= 0 && hex_digit(c[2]) >= 0) {
		*at += 2;
		return (unsigned char)(hex_digit(c[1]) << 4 | hex_digit(c[2]));
	}
	return (unsigned char)*c;
}

void base64_url_user(const char *text, size_t length, char *encoded, size_t size)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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
