// Owns a growing buffer of output. Not for use after clone.
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"

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

void out_bytes(struct out *out, const char *bytes, size_t length)
{
	reserve(out, length);
	if (length > 0)
		memcpy(out->text + out->used, bytes, length);
	out->used += length;
	out->text[out->used] = '\0';
}

void out_wrapped(struct out *out, int column, int at, const char *text)
{
	enum { WIDTH = 80 };
	int begin = at < column || at == 0 ? column : at + 2, used = begin;
	out_text(out, "%*s", begin - at, "");
	while (*text) {
		int word = (int)strcspn(text, " ");
		if (used > begin && used + 1 + word >= WIDTH) {
			out_text(out, "\n%*s", column, "");
			used = begin = column;
		}
		const char *blank = used > begin ? " " : "";
		out_text(out, "%s%.*s", blank, word, text);
		used += word + (*blank != '\0');
		text += word + (text[word] == ' ');
	}
	out_text(out, "\n");
}

void out_free(struct out *out)
{
	free(out->text);
	*out = (struct out){ .json = out->json };
}

void out_visible(struct out *out, const char *bytes, size_t length)
{
	size_t plain = 0, step;
	char shown[STR_SHOWN_MAX];
	for (size_t i = 0; i < length; i += step) {
		step = 1;
		if (bytes[i] >= ' ' && bytes[i] <= '~')
			continue;
		step = str_next(bytes + i, shown);
		if (!shown[0] || bytes[i] == '\n' || bytes[i] == '\t' ||
		    (bytes[i] == '\r' && bytes[i + 1] == '\n'))
			continue;
		out_bytes(out, bytes + plain, i - plain);
		out_text(out, "%s", shown);
		plain = i + step;
	}
	out_bytes(out, bytes + plain, length - plain);
}

void out_shown(struct out *out, const char *text)
{
	char shown[STR_SHOWN_MAX];
	for (size_t step; *text; text += step) {
		step = str_next(text, shown);
		if (str_sequence(text) == 0)
			snprintf(shown, sizeof(shown), "<%02X>", (unsigned char)*text);
		out_bytes(out, shown[0] ? shown : text, shown[0] ? strlen(shown) : step);
	}
}

int out_flush(struct out *out, int fd)
{
	struct out shown = { 0 };
	out_visible(&shown, out->used ? out->text : "", out->used);
	out_free(out);
	return out_write(&shown, fd);
}

int out_write(struct out *out, int fd)
{
	int result = fd_write_all(fd, out->text, out->used);
	out_free(out);
	return result;
}

static size_t plain_length(const char *text)
{
	size_t length = 0;
	while (text[length] >= ' ' && text[length] <= '~' && text[length] != '"' &&
	       text[length] != '\\')
		length++;
	return length;
}

static void quoted(struct out *out, const char *value)
{
	static const char digits[] = "0123456789abcdef";
	out_text(out, "\"");
	for (const char *at = value; *at;) {
		size_t length = plain_length(at);
		uint32_t code;
		out_bytes(out, at, length);
		at += length;
		enum letter letter = str_letter(at, &length, &code);
		if (!*at)
			break;
		if (length == 1 && code >= 0x80)
			out_text(out, "\\ufffd");
		else if (*at == '"' || *at == '\\')
			out_text(out, "\\%c", *at);
		else if (*at == '\n' || *at == '\t')
			out_text(out, *at == '\n' ? "\\n" : "\\t");
		else if (letter != LETTER_SEEN && code > 0xffff)
			out_text(out, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10),
				 0xdc00 | (code & 0x3ff));
		else if (letter != LETTER_SEEN)
			out_bytes(out,
				  (const char[]){ '\\', 'u', digits[code >> 12],
						  digits[code >> 8 & 15], digits[code >> 4 & 15],
						  digits[code & 15] },
				  6);
		else
			out_bytes(out, at, length);
		at += length;
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

void json_begin(struct out *out, const char *form)
{
	enum { VERSION = 1, RESULT_VERSION = 2 };
	json_open(out, NULL, '{');
	json_number(out, "version", str_equal(form, "result") ? RESULT_VERSION : VERSION);
	json_string(out, "form", form);
}

void json_end(struct out *out)
{
	json_close(out, '}');
	out_text(out, "\n");
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

void json_null(struct out *out, const char *key)
{
	before(out, key);
	out_text(out, "null");
}

void json_flag(struct out *out, const char *key, bool value)
{
	before(out, key);
	out_text(out, value ? "true" : "false");
}
