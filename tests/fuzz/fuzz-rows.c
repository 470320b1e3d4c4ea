// libFuzzer: the answer of a reader that was taken over. The first four bytes say which kinds are
// asked for. What is taken lies in the answer, is of such a kind and has its form: written again,
// the rows are the same bytes.
#include <stdlib.h>
#include <string.h>

#include "apart/apart.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_form(const struct apart_row *row)
{
	if (row->text[row->length] != '\0')
		abort();
	if (row->kind == ROW_MENTION && (row->text[0] == '/' || strstr(row->text, "..")) &&
	    (row->text[0] == '/' || strstr(row->text, "/../") || strncmp(row->text, "../", 3) == 0))
		abort();
	if (row->kind != ROW_ENTRY && row->kind != ROW_LINE && strlen(row->text) != row->length)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rows rows;
	struct out again = { 0 };
	uint32_t kinds;
	if (size < sizeof(kinds))
		return 0;
	memcpy(&kinds, data, sizeof(kinds));
	const char *answer = (const char *)data + sizeof(kinds);
	size_t length = size - sizeof(kinds);
	struct arena *arena = arena_new_of((size_t)64 << 20);
	if (rows_take(arena, answer, length, kinds, &rows)) {
		rows_each (row, &rows) {
			if (!(kinds & ROW_BIT(row->kind)) || row->text < answer ||
			    row->text + row->length >= answer + length)
				abort();
			check_form(row);
			row_put(&again, row->kind, row->number, row->text, row->length);
		}
		if (again.used != length || (length > 0 && memcmp(again.text, answer, length) != 0))
			abort();
	}
	out_free(&again);
	arena_free(arena);
	return 0;
}
