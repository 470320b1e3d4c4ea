// Owns the form of answers: what text each kind of row has.
#include "apart/apart.h"

#include <limits.h>
#include <string.h>

enum form { FORM_TEXT, FORM_NAME, FORM_BELOW, FORM_BYTES };

static const struct {
	enum form form;
	size_t least, most;
} forms[ROW_KINDS] = {
	[ROW_FAILED] = { FORM_TEXT, 1, 2 * PATH_MAX },
	[ROW_SHOWN] = { FORM_TEXT, 0, APART_ANSWER_MAX },
	[ROW_LEFT] = { FORM_TEXT, 1, APART_TEXT_MAX },
	[ROW_SECRET] = { FORM_TEXT, 1, APART_TEXT_MAX },
	[ROW_HOOKS] = { FORM_TEXT, 1, PATH_MAX - 1 },
	[ROW_INCLUDE] = { FORM_TEXT, 1, PATH_MAX - 1 },
	[ROW_WORKTREE] = { FORM_TEXT, 0, PATH_MAX - 1 },
	[ROW_KNOWN] = { FORM_TEXT, 1, APART_TEXT_MAX },
	[ROW_PRIVATE] = { FORM_TEXT, 0, 0 },
	[ROW_UNCLEAR] = { FORM_TEXT, 0, 0 },
	[ROW_OBJECTS] = { FORM_TEXT, 1, APART_TEXT_MAX },
	[ROW_ENTRY] = { FORM_BYTES, 1, 2 * PATH_MAX },
	[ROW_MENTION] = { FORM_BELOW, 1, PATH_MAX - 1 },
	[ROW_DIRECTORY] = { FORM_BELOW, 0, PATH_MAX - 1 },
	[ROW_KEPT] = { FORM_BELOW, 1, PATH_MAX - 1 },
	[ROW_LINE] = { FORM_BYTES, 3, 4096 },
	[ROW_SECTION] = { FORM_TEXT, 1, APART_TEXT_MAX },
	[ROW_KEY] = { FORM_TEXT, 3, APART_TEXT_MAX },
	[ROW_VALUE] = { FORM_TEXT, 0, APART_TEXT_MAX },
	[ROW_INDEX] = { FORM_BYTES, 1, APART_ANSWER_MAX },
	[ROW_REFUSED] = { FORM_TEXT, 0, PATH_MAX },
	[ROW_SHARED] = { FORM_NAME, 1, NAME_MAX },
	[ROW_MARKS] = { FORM_BYTES, 5 * sizeof(uint32_t), 5 * sizeof(uint32_t) },
	[ROW_TRACKED] = { FORM_BELOW, 1, PATH_MAX - 1 },
};

void row_put(struct out *answer, enum row_kind kind, uint32_t number, const void *text,
	     size_t length)
{
	const uint32_t head[] = { kind, number, (uint32_t)length };
	out_bytes(answer, (const char *)head, sizeof(head));
	out_bytes(answer, text, length);
	out_bytes(answer, "", 1);
}

void row_text(struct out *answer, enum row_kind kind, const char *text)
{
	row_put(answer, kind, 0, text, strlen(text));
}

bool row_is_below(const char *path)
{
	for (const char *part = path;; part++) {
		size_t length = strcspn(part, "/");
		if (length == 0 ||
		    (part[0] == '.' && (length == 1 || (length == 2 && part[1] == '.'))))
			return false;
		part += length;
		if (!*part)
			return true;
	}
}

static bool is_good(const struct apart_row *row)
{
	if (row->length < forms[row->kind].least || row->length > forms[row->kind].most)
		return false;
	switch (forms[row->kind].form) {
	case FORM_BYTES:
		return true;
	case FORM_TEXT:
		return strlen(row->text) == row->length;
	case FORM_NAME:
		return strlen(row->text) == row->length && !strchr(row->text, '/') &&
		       row_is_below(row->text);
	case FORM_BELOW:
		return strlen(row->text) == row->length &&
		       (row->length == 0 || row_is_below(row->text));
	}
	return false;
}

// Reads the row at `at`. Returns the offset of the next row, or 0.
static size_t take_row(const char *answer, size_t length, size_t at, unsigned kinds,
		       struct apart_row *ret_row)
{
	uint32_t head[3];
	if (length - at <= sizeof(head))
		return 0;
	memcpy(head, answer + at, sizeof(head));
	at += sizeof(head);
	if (head[0] >= ROW_KINDS || !(kinds & ROW_BIT(head[0])) || head[2] >= length - at ||
	    answer[at + head[2]] != '\0')
		return 0;
	*ret_row = (struct apart_row){ (enum row_kind)head[0], head[1], answer + at, head[2] };
	return is_good(ret_row) ? at + head[2] + 1 : 0;
}

bool rows_take(struct arena *arena, const char *answer, size_t length, unsigned kinds,
	       struct rows *ret_rows)
{
	struct apart_row row;
	unsigned count = 0;
	for (size_t at = 0; at < length; count++)
		if ((at = take_row(answer, length, at, kinds, &row)) == 0)
			return false;
	if ((count + 1) * sizeof(struct apart_row) > arena_left(arena) / 2)
		return false;
	struct apart_row *list = arena_take(arena, (count + 1) * sizeof(*list));
	for (size_t at = 0, i = 0; at < length; i++)
		at = take_row(answer, length, at, kinds, &list[i]);
	*ret_rows = (struct rows){ list, count };
	return true;
}

const char *rows_text(const struct rows *rows, enum row_kind kind)
{
	rows_each (row, rows)
		if (row->kind == kind)
			return row->text;
	return NULL;
}
