// Owns the names of the directories in one, and their order.
#include "trees/walk_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

void walk_names_add(struct walk_names *names, const char *name)
{
	size_t length = strlen(name) + 1;
	if (names->used + length > names->size) {
		names->size = (names->size + length) * 2;
		names->text = realloc(names->text, names->size);
		if (!names->text)
			abort();
	}
	memcpy(names->text + names->used, name, length);
	names->used += length;
	names->count++;
}

const char **walk_names_sort(const struct walk_names *names)
{
	const char **sorted = calloc(names->count + 1, sizeof(*sorted)), *at = names->text;
	if (!sorted)
		abort();
	for (unsigned i = 0; i < names->count; i++, at += strlen(at) + 1)
		sorted[i] = at;
	qsort(sorted, names->count, sizeof(*sorted), str_compare);
	return sorted;
}
