// A set of paths, of which is asked what lies in them. Pure.
#pragma once

#include <stdbool.h>

struct arena;

struct pathset {
	const char **paths; // sorted by pathset_order()
	unsigned count, size;
};

void pathset_add(struct pathset *set, struct arena *arena, const char *path);

// To be called once, after the last path was added.
void pathset_order(struct pathset *set);

// Whether `path` is one of them, or lies below one: a search for each directory above it. Clean
// paths, all relative or all absolute.
bool pathset_has(const struct pathset *set, const char *path);
