// Owns the reading of the heads of messages.
#include "lsp/lsp.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"

enum { LENGTH_DIGITS_MAX = 8 };

// "NAME:" at the beginning of a line, and its value without blanks around it.
static bool is_field(const char *line, size_t length, const char *name, const char **ret_value,
		     size_t *ret_length)
{
	size_t begin = strlen(name);
	if (length <= begin || strncasecmp(line, name, begin) != 0 || line[begin] != ':')
		return false;
	for (begin++; begin < length && (line[begin] == ' ' || line[begin] == '\t');)
		begin++;
	while (length > begin && (line[length - 1] == ' ' || line[length - 1] == '\t'))
		length--;
	*ret_value = line + begin;
	*ret_length = length - begin;
	return true;
}

// Without a charset it is UTF-8; "utf8" is one by the older protocol.
static bool is_utf8(const char *value, size_t length)
{
	static const char charset[] = "charset=";
	const char *at = value, *end = value + length;
	while (at < end && strncasecmp(at, charset, strlen(charset)) != 0)
		at++;
	if (at == end)
		return true;
	at += strlen(charset);
	return (end - at == 5 && strncasecmp(at, "utf-8", 5) == 0) ||
	       (end - at == 4 && strncasecmp(at, "utf8", 4) == 0);
}

static bool read_line(const char *line, size_t length, size_t *body, unsigned *lengths)
{
	const char *value;
	size_t size;
	unsigned long long number;
	for (size_t i = 0; i < length; i++)
		if ((line[i] < ' ' && line[i] != '\t') || line[i] == 0x7f)
			return false;
	if (is_field(line, length, "Content-Type", &value, &size))
		return is_utf8(value, size);
	if (!is_field(line, length, "Content-Length", &value, &size))
		return false;
	if (size > LENGTH_DIGITS_MAX || !str_number(value, size, 0, FRAME_BODY_MAX, &number))
		return false;
	*body = (size_t)number;
	(*lengths)++;
	return true;
}

int frame_head(const char *bytes, size_t length, size_t *ret_body)
{
	size_t body = 0, most = length < FRAME_HEAD_MAX ? length : FRAME_HEAD_MAX;
	unsigned lengths = 0;
	for (const char *line = bytes, *end = bytes + most, *next; line < end; line = next) {
		const char *stop = memmem(line, (size_t)(end - line), "\r\n", 2);
		if (!stop)
			break;
		next = stop + 2;
		if (stop == line && lengths == 1) {
			*ret_body = body;
			return (int)(next - bytes);
		}
		if (stop == line || !read_line(line, (size_t)(stop - line), &body, &lengths))
			return -1;
	}
	// What cannot become one is none at once: a server that prints words.
	static const char first[] = "content-";
	size_t begun = length < strlen(first) ? length : strlen(first);
	return strncasecmp(bytes, first, begun) == 0 && length < FRAME_HEAD_MAX ? 0 : -1;
}
