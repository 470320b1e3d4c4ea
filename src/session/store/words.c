// Owns the lines and words of a session's files.
#include "session/store/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "base/str.h"
#include "plan.h"

// The checksum is of every byte before its line. Cuts the text there.
static int check_sum(char *text, size_t length)
{
	enum { SUM_LINE = sizeof("sum 0123456789abcdef") };
	char wanted[SUM_LINE + 1];
	if (length <= SUM_LINE || text[length - SUM_LINE - 1] != '\n')
		return fail(0, "its end is missing");
	char *line = text + length - SUM_LINE;
	char first = *line;
	*line = '\0';
	snprintf(wanted, sizeof(wanted), "sum %016" PRIx64 "\n", str_hash(text));
	if (first != 's' || !str_equal(line + 1, wanted + 1))
		return fail(0, "its checksum is wrong");
	return 0;
}

int words_open(struct arena *arena, const char *header, int version, const char *text,
	       size_t length, size_t most, char **ret_at)
{
	unsigned long long written;
	if (length > most || memchr(text, '\0', length))
		return fail(0, "it is not a file of sbx");
	char *copy = arena_copy(arena, text, length), *end = strchr(copy, '\n');
	if (!str_starts(copy, header) || !end ||
	    !str_number(copy + strlen(header), (size_t)(end - copy) - strlen(header), 1, 1000000,
			&written))
		return fail(0, "it is not a file of sbx");
	if (written != (unsigned long long)version)
		return fail(0, "version %llu was written by %s sbx", written,
			    written > (unsigned long long)version ? "a newer" : "an older");
	TRY(check_sum(copy, length));
	*ret_at = end + 1;
	return 0;
}

char *words_line(char **at)
{
	char *line = *at, *end = strchr(line, '\n');
	if (!end)
		return NULL;
	*end = '\0';
	*at = end + 1;
	return line;
}

static int hexadecimal(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

const char *words_next(struct arena *arena, char **at)
{
	size_t length = strcspn(*at, " "), used = 0;
	if (length == 0)
		return NULL;
	char *text = arena_take(arena, length + 1);
	for (size_t i = 0; i < length; i++) {
		char c = (*at)[i];
		if (c == '%') {
			// Neither a blank nor the end is a digit, so this stays within the word.
			int high = hexadecimal((*at)[i + 1]);
			int low = high < 0 ? -1 : hexadecimal((*at)[i + 2]);
			if (high < 0 || low < 0 || (high == 0 && low == 0))
				return NULL;
			c = (char)(high * 16 + low);
			i += 2;
		}
		text[used++] = c;
	}
	*at += length + ((*at)[length] == ' ');
	return text;
}

bool words_number(struct arena *arena, char **at, unsigned long long *ret_number)
{
	const char *text = words_next(arena, at);
	return text && str_number(text, strlen(text), 0, INT64_MAX, ret_number);
}

static bool is_plain(unsigned char c)
{
	return c > ' ' && c != '%' && c != 0x7f;
}

bool words_is_path(const char *path)
{
	if (!path || !path[0] || path[0] == '/')
		return false;
	for (const char *part = path; part;
	     part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL) {
		size_t length = strcspn(part, "/");
		if (length == 0 || (length == 1 && part[0] == '.') ||
		    (length == 2 && part[0] == '.' && part[1] == '.'))
			return false;
	}
	return true;
}

const char *words_path(struct arena *arena, char **at)
{
	const char *path = words_next(arena, at);
	return words_is_path(path) ? path : NULL;
}

bool words_root(struct arena *arena, char **at, unsigned *ret_root)
{
	unsigned long long root;
	if (!words_number(arena, at, &root) || root >= ROOTS_MAX)
		return false;
	*ret_root = (unsigned)root;
	return true;
}

void words_put(struct out *out, const char *text)
{
	while (*text) {
		int plain = 0;
		while (is_plain((unsigned char)text[plain]))
			plain++;
		out_bytes(out, text, (size_t)plain);
		text += plain;
		if (*text)
			out_text(out, "%%%02x", (unsigned char)*text++);
	}
}

void words_put_number(struct out *out, unsigned long long number)
{
	char text[24], *end = text + sizeof(text), *at = end;
	do
		*--at = (char)('0' + number % 10);
	while ((number /= 10) > 0);
	*--at = ' ';
	out_bytes(out, at, (size_t)(end - at));
}

void words_close(struct out *out)
{
	out_text(out, "sum %016" PRIx64 "\n", str_hash(out->text));
}
