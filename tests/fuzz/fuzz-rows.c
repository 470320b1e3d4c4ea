// libFuzzer: the answer of a reader that was taken over. The first four bytes say which kinds are
// asked for. What is taken lies in the answer, is of such a kind and has its form: written again,
// the rows are the same bytes. Rows that can be git's configuration are merged: what goes into a
// text is of the table of keys, and the rest are parts of it.
#include <stdlib.h>
#include <string.h>

#include "apart/apart.h"
#include "git/gitconfig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_form(const struct apart_row *row)
{
	if (row->text[row->length] != '\0')
		abort();
	if (row->kind == ROW_MENTION && (row->text[0] == '/' || strstr(row->text, "..")) &&
	    (row->text[0] == '/' || strstr(row->text, "/../") || strncmp(row->text, "../", 3) == 0))
		abort();
	static const unsigned bytes =
		ROW_BIT(ROW_ENTRY) | ROW_BIT(ROW_LINE) | ROW_BIT(ROW_INDEX) | ROW_BIT(ROW_MARKS);
	if (!(bytes & ROW_BIT(row->kind)) && strlen(row->text) != row->length)
		abort();
}

static void merge(struct arena *arena, const struct rows *rows, const char *text, size_t length)
{
	struct gitconfig_entry nothing;
	struct gitconfig said, again, none = { .text = "", .entries = &nothing };
	struct gitconfig_merged added, kept;
	length = length < GITCONFIG_BYTES_MAX ? length : GITCONFIG_BYTES_MAX;
	rows_each (row, rows)
		if (row->kind < ROW_SECTION || row->kind > ROW_VALUE)
			return;
	if (!gitconfig_take(arena, rows, text, length, &said))
		return;
	struct gitconfig_case how = { .host = length & 1, .made = length & 2 };
	gitconfig_merge(arena, &none, &said, &none, how, &added);
	gitconfig_merge(arena, &said, &none, &said, how, &kept);
	if (kept.length > length || gitconfig_parse(arena, added.text, added.length, &again) < 0)
		abort();
	for (unsigned i = 0; i < again.count; i++)
		if (!gitkey_find(again.entries[i].name) && !gitkey_is_daily(again.entries[i].name))
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
		merge(arena, &rows, answer, length);
	}
	out_free(&again);
	arena_free(arena);
	return 0;
}
