// Owns the form of a journal: "B ID FROM" with the names that stood there, "E ID TO", "S FROM TO",
// "L 0 TO", "O 0 TO".
#include "postcheck/journal_lines.h"

#include <stdio.h>
#include <string.h>

static bool read_number(const char **at, const char *end, uint64_t *ret_number)
{
	uint64_t number = 0;
	const char *from = *at;
	for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
		number = number * 10 + (uint64_t)(**at - '0');
	if (*at == from || *at == end)
		return false;
	++*at;
	*ret_number = number;
	return true;
}

struct journal_place journal_place(const char *head, size_t length)
{
	uint64_t from, to;
	const char *at = head + 2, *end = head + length;
	struct journal_place none = { JOURNAL_HEAD, JOURNAL_HEAD };
	if (length < JOURNAL_HEAD || head[0] != 'J' || head[1] != ' ' ||
	    !read_number(&at, end, &from) || !read_number(&at, end, &to) || from < JOURNAL_HEAD ||
	    to < from)
		return none;
	return (struct journal_place){ from, to };
}

void journal_head(char head[JOURNAL_HEAD], struct journal_place place)
{
	char text[JOURNAL_HEAD + 1];
	snprintf(text, sizeof(text), "J %022zu %022zu\n", place.from, place.to);
	memcpy(head, text, JOURNAL_HEAD);
}

bool journal_next(const char **at, const char *end, struct journal_line *ret_line)
{
	uint64_t one, two;
	if (end - *at < 2)
		return false;
	char kind = **at;
	*at += 2;
	if ((kind != 'B' && kind != 'E' && kind != 'S' && kind != 'L' && kind != 'O') ||
	    !read_number(at, end, &one) || !read_number(at, end, &two))
		return false;
	*ret_line = (struct journal_line){ .kind = kind == 'B'   ? JOURNAL_BEGIN
						   : kind == 'E' ? JOURNAL_END
						   : kind == 'S' ? JOURNAL_SPAN
						   : kind == 'L' ? JOURNAL_REST
								 : JOURNAL_BESIDE,
					   .id = one,
					   .from = (int64_t)(kind == 'S' ? one : two),
					   .to = (int64_t)two,
					   .names = *at };
	while (kind == 'B' && *at < end && (**at == 'r' || **at == 'w')) {
		const char *newline = memchr(*at, '\n', (size_t)(end - *at));
		*at = newline ? newline + 1 : end;
	}
	ret_line->length = (size_t)(*at - ret_line->names);
	return true;
}
