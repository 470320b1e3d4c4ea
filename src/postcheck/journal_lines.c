// Owns the form of a journal: lines of a letter and three numbers, "R ID FROM TO" and the like, and
// after those of a run the names that existed when it began, "r PATH" or "w PATH".
#include "postcheck/journal_lines.h"

#include <stdio.h>
#include <string.h>

#include "base/out.h"

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
	uint64_t id, from, to;
	const char *start = *at;
	if (end - *at < 2 || !memchr("RBEST", **at, 5))
		return false;
	*at += 2;
	if (!read_number(at, end, &id) || !read_number(at, end, &from) ||
	    !read_number(at, end, &to) || from > INT64_MAX || to > INT64_MAX)
		return false;
	*ret_line = (struct journal_line){ .kind = (enum journal_kind) * start,
					   .id = id,
					   .from = (int64_t)from,
					   .to = (int64_t)to,
					   .names = *at,
					   .start = start };
	while (*at < end && (**at == 'r' || **at == 'w')) {
		const char *newline = memchr(*at, '\n', (size_t)(end - *at));
		*at = newline ? newline + 1 : end;
	}
	ret_line->length = (size_t)(*at - ret_line->names);
	return true;
}

void journal_put(struct out *out, const struct journal_line *line)
{
	out_text(out, "%c %020llu %020lld %020lld\n", line->kind, (unsigned long long)line->id,
		 (long long)line->from, (long long)line->to);
}
