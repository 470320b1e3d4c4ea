// The files of the project whose names say that they hold secrets.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "plan.h"

struct arena;
struct wishes;

// The user's own files are hidden first, as no box makes one of these; then those that changed
// since the last check; then those that boxes made.
enum untracked_rank { UNTRACKED_OWN, UNTRACKED_LATE, UNTRACKED_MADE };

struct untracked_file {
	const char *path, *name; // and below the project
	const char *link; // the path itself, by which somebody else than a box leads there; or NULL
	const struct item *item;
	struct identity identity;
	enum untracked_rank rank;
	bool listed; // with another content
};

struct untracked {
	struct wishes *wishes;
	struct arena *arena; // for the search and the list
	struct untracked_file *list;
	unsigned count, room;
};
#define UNTRACKED_BYTES ((size_t)512 << 20)

// By rank, the nearest first; those that git tracks or a line names, too. Directories that cannot
// be listed are hidden whole. -1 where a first search has no end.
int untracked_search(struct untracked *files);
