// Owns nothing: the paths live in their arena.
#include "session/compare/changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

void pathset_add(struct pathset *set, struct arena *arena, const char *path)
{
	set->paths = arena_grow(arena, set->paths, set->count, &set->size, sizeof(*set->paths));
	set->paths[set->count++] = path;
}

void pathset_order(struct pathset *set)
{
	if (set->count > 0)
		qsort(set->paths, set->count, sizeof(*set->paths), str_compare);
}

// Of the first `length` bytes of `path`.
static int order_of(const char *path, size_t length, const char *other)
{
	int order = strncmp(path, other, length);
	return order ? order : other[length] ? -1 : 0;
}

static bool has(const struct pathset *set, const char *path, size_t length)
{
	unsigned low = 0, high = set->count;
	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		int order = order_of(path, length, set->paths[middle]);
		if (order == 0)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

bool pathset_has(const struct pathset *set, const char *path)
{
	if (set->count == 0)
		return false;
	for (size_t length = 1; path[length - 1]; length++)
		if ((path[length] == '\0' || path[length] == '/') && has(set, path, length))
			return true;
	return false;
}
