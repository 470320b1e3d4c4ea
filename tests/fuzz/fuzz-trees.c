// libFuzzer: what is kept of a tree: the list of its repositories, its directories and the journal
// of its boxes. A
// list that is read is written and read again, and says the same; the lines of a journal lie in it,
// one behind the other.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "postcheck/journal_lines.h"
#include "trees/dirs.h"
#include "trees/git_list.h"
#include "trees/share.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rows(const struct listed *known, const struct listed *again)
{
	for (unsigned i = 0; i < known->count; i++) {
		const struct listed_row *one = &known->rows[i], *two = &again->rows[i];
		if (listed_find(known, one->path) != one || !str_equal(one->path, two->path) ||
		    one->device != two->device || one->inode != two->inode ||
		    one->changed != two->changed || one->kind != two->kind ||
		    !listed_same(known, again, one->path))
			abort();
	}
}

static void check_list(struct arena *arena, const char *text, size_t size)
{
	struct listed known, again;
	if (listed_parse(arena, text, size, &known) < 0)
		return;
	const char *printed = listed_print(arena, &known);
	if (listed_parse(arena, printed, strlen(printed), &again) < 0 ||
	    again.count != known.count || again.device != known.device ||
	    again.checked != known.checked || !str_equal(again.root, known.root) ||
	    !str_equal(again.place, known.place) ||
	    (known.boot[0] && !str_equal(again.boot, known.boot)))
		abort();
	check_rows(&known, &again);
}

static void check_journal(const char *text, size_t size)
{
	struct journal_line line;
	const char *end = text + size, *before = text;
	for (const char *at = text; journal_next(&at, end, &line); before = at)
		if (at <= before || at > end || line.start != before || line.names <= before ||
		    line.names + line.length != at || line.from < 0 || line.to < 0 ||
		    (line.length > 0 && line.names[0] != 'r' && line.names[0] != 'w'))
			abort();
}

static void check_place(const char *text, size_t size)
{
	char head[JOURNAL_HEAD];
	struct journal_place place = journal_place(text, size), again;
	journal_head(head, place);
	again = journal_place(head, sizeof(head));
	if (place.from < JOURNAL_HEAD || place.to < place.from || again.from != place.from ||
	    again.to != place.to)
		abort();
}

// What is near among them: its rows are rows of the whole, and a directory is near by itself.
static void check_near(const char *text, size_t size)
{
	static const char *const centres[] = { "", "a", "a/b/c" };
	const struct share share = { .centres = centres, .count = 3, .directory = "d/e" };
	const struct dirs whole = { .text = text, .length = size };
	struct dirs part;
	struct dirs_row row;
	share_of_whole(&share, &whole, &part);
	size_t at = part.begin, length = 0;
	while (dirs_next(part.text, part.length, &at, &row))
		length = at;
	if (length != part.length || (part.length && part.length - part.begin > size))
		abort();
	share_lists(&part, "d/e");
	share_lists(&whole, "a/b/c");
	dirs_free(&part);
}

static void check_directories(const char *text, size_t size)
{
	struct dirs_row row;
	size_t before = 0;
	if (dirs_begin(text, size, "boot") > size || dirs_begin(text, size, NULL) > size)
		abort();
	for (size_t at = 0; dirs_next(text, size, &at, &row); before = at)
		if (at <= before || at > size || row.at != before || row.name < text + before ||
		    row.name + strlen(row.name) + 1 != text + at)
			abort();
}

// Without a byte behind it: what reads on is found.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new();
	char *text = malloc(size + (size == 0));
	memcpy(text, data, size);
	err_taken();
	check_list(arena, text, size);
	check_journal(text, size);
	check_place(text, size);
	check_directories(text, size);
	check_near(text, size);
	free(text);
	arena_free(arena);
	return 0;
}
