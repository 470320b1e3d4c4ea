// The share of a tree that every run checks at its end, besides its top: the directories of git's
// index and that of the command. And the tracked files that are examined each time.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/file_state.h"

struct arena;
struct gitindex_kept;

struct share {
	const char *const *centres; // sorted by strcmp(), relative to the tree
	unsigned count;
	const struct gitindex_kept *kept;
	unsigned kept_count;
	struct file_state index;
	const char *directory; // of the command, one of the centres, or NULL
};

// Reads git's index, while it is as `state` says: its rows lie in `arena`. False when
// it cannot be read: then the share is the whole tree.
bool share_read(struct arena *arena, const char *index, const struct file_state *state,
		struct share *ret_share);
// Adds the centres and files of another index, and the directory of the command.
void share_add(struct arena *arena, struct share *share, const struct share *other,
	       const char *directory);

// The first centre that does not sort before the first `length` bytes of the path with `end` behind
// them.
unsigned share_first(const struct share *share, const char *path, size_t length, char end);
// Whether the directory at `path`, relative to the tree, is a centre.
bool share_is_centre(const struct share *share, const char *path, size_t length);
