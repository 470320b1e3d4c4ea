// What git's configuration names besides its own directory, and git runs or obeys: directories of
// hooks (core.hooksPath) and files of more configuration (include.path, includeIf.*.path). See
// git-config(1).
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/list.h"

struct arena;

// A file that was read, in the arena.
struct gitnamed_text {
	struct gitnamed_text *next;
	const char *path, *text;
	size_t length;
	bool own; // the user's or the machine's, by no repository
};

struct gitnamed {
	struct list hooks, files; // absolute paths, clean as text
	struct list everywhere;   // of hooks: below the top of whatever repository git works in
	struct list unclear; // files that git may read otherwise than we do, or that nobody could
	struct gitnamed_text *first, *last;
	bool own;       // from gitnamed_global() on
	unsigned count; // files that were looked at, GITNAMED_FILES_MAX at most
};
enum { GITNAMED_FILES_MAX = 32 };

// Adds what the text of `file` names, and what the files name that it includes, on whichever
// condition. `home` is for
// "~/". A relative core.hooksPath is below `top`; NULL: below the text's core.worktree, or else
// everywhere.
void gitnamed_text(struct arena *arena, const char *home, const char *file, const char *text,
		   size_t length, const char *top, struct gitnamed *named);

// The same of a file; of one that is missing nothing.
void gitnamed_file(struct arena *arena, const char *home, const char *file, const char *top,
		   struct gitnamed *named);

// Of the user's own and the machine's configuration: what relative paths there mean is in
// `everywhere`.
void gitnamed_global(struct arena *arena, const char *home, const char *config,
		     struct gitnamed *named);
