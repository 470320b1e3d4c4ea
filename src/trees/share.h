// The share of a tree that every run checks at its end: directories with tracked files, the
// directory of the command, all directly below one of these, and all above. Long runs and later
// runs check the others.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "trees/dirs.h"

struct arena;

// Address space for the index and its directories.
#define SHARE_ARENA ((size_t)384 << 20)

struct share {
	const char *const *centres; // sorted by strcmp(), relative to the tree
	unsigned count;
	struct file_state index;
	const char *directory;      // of the command, relative to the tree, or NULL
	const char *const *missing; // those that a list lacks, after share_compare()
	unsigned missing_count;
};

// Reads git's index. False when it cannot be read: then the share is the whole tree.
bool share_read(struct arena *arena, const char *index, struct share *ret_share);

// True if the directory at `path`, relative to the tree, belongs to the share.
bool share_has(const struct share *share, const char *path);
// True if the directory that holds `path` belongs to it by the index alone.
bool share_tracks(const struct share *share, const char *path);
// True if the directories directly below it belong to the share.
bool share_is_centre(const struct share *share, const char *path);

// True if such a list has this directory, relative to the tree, and those directly below it.
bool share_lists(const struct dirs *list, const char *path);

// The share by which a list was made, for a command in another directory; that one is missing where
// the list lacks it.
void share_of_list(struct arena *arena, const struct dirs *list, const char *directory,
		   struct share *ret_share);

// Adds centres; a list then belongs to this share where it has them, too.
void share_add(struct arena *arena, struct share *share, const char *const *paths, unsigned count);
// Adds those that an older list of the share has: the index does not name them all.
void share_add_listed(struct arena *arena, struct share *share, const struct dirs *list);

// Notes which centres the list of a share lacks. They, and all above them, are read once more.
void share_compare(struct arena *arena, struct share *share, const struct dirs *list);
// True if the directory at `path` is one of these or above one. `share` may be NULL.
bool share_misses(const struct share *share, const char *path);

// The part of a whole list that belongs to the share; its `whole` says that this is all of it.
void share_of_whole(const struct share *share, const struct dirs *whole, struct dirs *ret_part);
