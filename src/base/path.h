// Paths as text: nothing here touches the file system.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;

// Absolute, without '.', '..', '//' or a trailing slash. `path` must start with '/'.
// '..' is resolved as text, so only for paths written by the user, never after a symlink.
char *path_clean(struct arena *arena, const char *path);

// `directory`/`name`, cleaned; an absolute name stands for itself.
char *path_join(struct arena *arena, const char *directory, const char *name);

// The same for names that are clean already.
char *path_below(struct arena *arena, const char *directory, const char *name);

// True when `path` is `directory` or lies below it. Both cleaned.
bool path_within(const char *path, const char *directory);

// The parent directory ("/" for "/").
char *path_parent(struct arena *arena, const char *path);

const char *path_name(const char *path);

// STATE/KIND/NAME: the file of sbx's state for a directory, by its whole path. A long one
// has a name in directories below KIND, to be made by who writes it.
const char *path_kept(struct arena *arena, const char *state, const char *kind, const char *path);
// The path whose NAME that is; NULL for one that was never made of an absolute path. And whether a
// component of it is a directory that holds the rest of a long one.
const char *path_of_kept(struct arena *arena, const char *name);
bool path_kept_is_part(const char *component);

// Where the symlink at `path` leads that says `text`, as text: clean, in `place`. False when only
// the file system knows, as ".." stands after a name, or when it is too long.
bool path_of_link(const char *path, const char *text, char *place, size_t size);
