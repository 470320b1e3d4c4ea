// Owns nothing. Bytes of /proc and /sys/fs/cgroup in, numbers out; longer numbers are cut.
#include "limits/group.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static uint64_t digits(const char *at, const char *end)
{
	uint64_t number = 0;
	for (; at < end && is_digit(*at); at++)
		number = number > UINT64_MAX / 10 - 1 ? UINT64_MAX / 10
						      : number * 10 + (uint64_t)(*at - '0');
	return number;
}

static const char *line_end(const char **at, const char *end)
{
	const char *stop = memchr(*at, '\n', (size_t)(end - *at));
	*at = stop ? stop + 1 : end;
	return stop ? stop : end;
}

static bool has_word(const char *begin, const char *end, char separator, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = begin; at <= end;) {
		const char *stop = memchr(at, separator, (size_t)(end - at));
		stop = stop ? stop : end;
		if ((size_t)(stop - at) == length && memcmp(at, word, length) == 0)
			return true;
		at = stop + 1;
	}
	return false;
}

static bool take_path(const char *begin, const char *end, char *path, size_t size)
{
	size_t length = (size_t)(end - begin);
	if (length == 0 || length >= size || begin[0] != '/' || memchr(begin, '\0', length) ||
	    memmem(begin, length, "/..", 3))
		return false;
	memcpy(path, begin, length);
	path[length] = '\0';
	return true;
}

bool text_group(const char *text, size_t length, const char *controller, char *path, size_t size)
{
	const char *end = text + length;
	for (const char *at = text; at < end;) {
		const char *begin = at, *stop = line_end(&at, end);
		const char *list = memchr(begin, ':', (size_t)(stop - begin));
		const char *own = list ? memchr(list + 1, ':', (size_t)(stop - list - 1)) : NULL;
		if (own && has_word(list + 1, own, ',', controller))
			return take_path(own + 1, stop, path, size);
	}
	return false;
}

uint64_t text_value(const char *text, size_t length, const char *name)
{
	const char *end = text + length;
	size_t size = strlen(name);
	for (const char *at = text; at < end;) {
		const char *begin = at, *stop = line_end(&at, end);
		if ((size_t)(stop - begin) <= size || memcmp(begin, name, size) != 0 ||
		    begin[size] != ' ')
			continue;
		for (begin += size; begin < stop && *begin == ' ';)
			begin++;
		return digits(begin, stop);
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
	return has_word(text, text + length, ' ', word);
}

// 12 (a name) with ) in it) S 1 ...: counted from the last ')'.
bool text_process(const char *text, size_t length, struct text_process *ret_process)
{
	enum { STATE = 3, TICKS_FIRST = 14, TICKS_LAST = 17, THREADS = 20, PAGES = 24 };
	const char *end = text + length, *at = length ? memrchr(text, ')', length) : NULL;
	struct text_process process = { 0 };
	int field = STATE - 1;
	if (!at)
		return false;
	for (at++; at < end && field < PAGES; at++) {
		if (*at != ' ')
			continue;
		uint64_t number = digits(at + 1, end);
		field++;
		if (field == STATE)
			process.state = at + 1 < end ? at[1] : '\0';
		else if (field >= TICKS_FIRST && field <= TICKS_LAST)
			process.ticks += number;
		else if (field == THREADS)
			process.threads = number;
		else if (field == PAGES)
			process.pages = number;
	}
	if (field < PAGES)
		return false;
	*ret_process = process;
	return true;
}
