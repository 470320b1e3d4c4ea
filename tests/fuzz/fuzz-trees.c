// libFuzzer: the list of a tree's repositories. One that is read is written and read again, and
// says the same.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "trees/trees.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rows(const struct repos *known, const struct repos *again)
{
	for (unsigned i = 0; i < known->count; i++) {
		const struct repos_row *one = &known->rows[i], *two = &again->rows[i];
		if (repos_find(known, one->path) != one || !str_equal(one->path, two->path) ||
		    one->device != two->device || one->inode != two->inode ||
		    one->changed != two->changed || one->kind != two->kind)
			abort();
	}
}

static void check_list(struct arena *arena, const char *text, size_t size)
{
	struct repos known, again;
	if (repos_parse(arena, text, size, &known) < 0)
		return;
	const char *printed = repos_print(arena, &known);
	if (repos_parse(arena, printed, strlen(printed), &again) < 0 ||
	    again.count != known.count || again.device != known.device ||
	    !str_equal(again.root, known.root))
		abort();
	check_rows(&known, &again);
}

// Without a byte behind it: what reads on is found.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new();
	char *text = malloc(size + (size == 0));
	memcpy(text, data, size);
	err_taken();
	check_list(arena, text, size);
	free(text);
	arena_free(arena);
	return 0;
}
