// Owns nothing. Reads text of /proc and cgroups. Too large a number is UINT64_MAX / 10.
#include "limits/group.h"

#include <ctype.h>
#include <string.h>

#include "text/piece.h"

static uint64_t digits(const char *at, const char *end)
{
	uint64_t number = 0;
	for (; at < end && isdigit((unsigned char)*at); at++)
		number = number > UINT64_MAX / 10 - 1 ? UINT64_MAX / 10
						      : number * 10 + (uint64_t)(*at - '0');
	return number;
}

static bool has_word(struct piece list, char separator, const char *word)
{
	bool found = piece_is(piece_until(&list, separator), word);
	while (!found && list.length > 0)
		found = piece_is(piece_until(&list, separator), word);
	return found;
}

static bool take_path(struct piece text, char *path, size_t size)
{
	if (text.length == 0 || text.length >= size || text.at[0] != '/' ||
	    memchr(text.at, '\0', text.length) || memmem(text.at, text.length, "/..", 3))
		return false;
	memcpy(path, text.at, text.length);
	path[text.length] = '\0';
	return true;
}

bool text_group(const char *text, size_t length, const char *controller, char *path, size_t size)
{
	struct piece rest = { text, length };
	while (rest.length > 0) {
		struct piece line = piece_until(&rest, '\n');
		piece_until(&line, ':');
		if (has_word(piece_until(&line, ':'), ',', controller) && line.length > 0)
			return take_path(line, path, size);
	}
	return false;
}

uint64_t text_value(const char *text, size_t length, const char *name)
{
	struct piece rest = { text, length };
	size_t size = strlen(name);
	while (rest.length > 0) {
		struct piece line = piece_until(&rest, '\n');
		if (line.length <= size || memcmp(line.at, name, size) != 0 || line.at[size] != ' ')
			continue;
		line.at += size, line.length -= size;
		line = piece_word(&line, " ");
		return digits(line.at, line.at + line.length);
	}
	return 0;
}

uint64_t text_kilobytes(const char *text, size_t length, const char *name)
{
	uint64_t number = text_value(text, length, name);
	return number > UINT64_MAX / 1024 ? UINT64_MAX : number * 1024;
}

uint64_t text_sum(const char *text, size_t length, const char *name)
{
	const char *end = text + length;
	size_t size = strlen(name);
	uint64_t sum = 0;
	for (const char *at = text; (size_t)(end - at) > size; at++)
		if (memcmp(at, name, size) == 0 && at[size] == '=' && (at == text || at[-1] == ' '))
			sum += digits(at + size + 1, end);
	return sum;
}

bool text_has(const char *text, size_t length, const char *word)
{
	while (length > 0 && text[length - 1] == '\n')
		length--;
	return has_word((struct piece){ text, length }, ' ', word);
}
