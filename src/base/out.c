// Owns a growing buffer of output. Not for use after clone.
#include "base/out.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/str.h"

static void reserve(struct out *out, size_t more)
{
	if (out->size - out->used > more)
		return;
	size_t size = (out->used + more + 1) * 2;
	out->text = realloc(out->text, size);
	if (!out->text)
		abort();
	out->size = size;
}

void out_text(struct out *out, const char *format, ...)
{
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	reserve(out, (size_t)length);
	vsnprintf(out->text + out->used, (size_t)length + 1, format, again);
	va_end(again);
	out->used += (size_t)length;
}

void out_wrapped(struct out *out, int column, int at, const char *text)
{
	enum { WIDTH = 80 };
	out_text(out, "%*s", column - at, "");
	int used = column;
	while (*text) {
		int word = (int)strcspn(text, " ");
		if (used > column && used + 1 + word >= WIDTH) {
			out_text(out, "\n%*s", column, "");
			used = column;
		}
		const char *blank = used > column ? " " : "";
		out_text(out, "%s%.*s", blank, word, text);
		used += word + (*blank != '\0');
		text += word + (text[word] == ' ');
	}
	out_text(out, "\n");
}

void out_free(struct out *out)
{
	free(out->text);
	*out = (struct out){ 0 };
}

void out_visible(struct out *out, const char *bytes, size_t length)
{
	for (size_t i = 0, plain = 0; i <= length; i++) {
		unsigned code, control = i < length ? str_control(bytes + i, &code) : 1;
		if (!control || (i < length && (bytes[i] == '\n' || bytes[i] == '\t' ||
						(bytes[i] == '\r' && bytes[i + 1] == '\n'))))
			continue;
		reserve(out, i - plain);
		memcpy(out->text + out->used, bytes + plain, i - plain);
		out->used += i - plain;
		plain = i + control;
		if (i < length && code < 0x80)
			out_text(out, "^%c", code ^ 0x40);
		else if (i < length)
			out_text(out, "<U+%04X>", code);
		i += control - 1;
	}
}

int out_flush(struct out *out, int fd)
{
	int result = fd_write_all(fd, out->text, out->used);
	out_free(out);
	return result;
}

// The length of the UTF-8 sequence at `at`, or 0 when it is not one.
static size_t utf8_length(const unsigned char *at)
{
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

static void quoted(struct out *out, const char *value)
{
	out_text(out, "\"");
	for (const unsigned char *at = (const unsigned char *)value; *at;) {
		size_t length = utf8_length(at);
		unsigned code;
		if (length == 0)
			out_text(out, "\\ufffd");
		else if (*at == '"' || *at == '\\')
			out_text(out, "\\%c", *at);
		else if (*at == '\n' || *at == '\t')
			out_text(out, *at == '\n' ? "\\n" : "\\t");
		else if (str_control((const char *)at, &code))
			out_text(out, "\\u%04x", code);
		else
			out_text(out, "%.*s", (int)length, (const char *)at);
		at += length ? length : 1;
	}
	out_text(out, "\"");
}

static void before(struct out *out, const char *key)
{
	if (out->comma)
		out_text(out, ",");
	out->comma = true;
	if (key) {
		quoted(out, key);
		out_text(out, ":");
	}
}

void json_open(struct out *out, const char *key, char bracket)
{
	before(out, key);
	out_text(out, "%c", bracket);
	out->comma = false;
}

void json_close(struct out *out, char bracket)
{
	out_text(out, "%c", bracket);
	out->comma = true;
}

void json_string(struct out *out, const char *key, const char *value)
{
	before(out, key);
	quoted(out, value);
}

void json_number(struct out *out, const char *key, unsigned long long value)
{
	before(out, key);
	out_text(out, "%llu", value);
}

void json_flag(struct out *out, const char *key, bool value)
{
	before(out, key);
	out_text(out, value ? "true" : "false");
}
