// Git's configuration files after a run: what may be taken over, and nothing else.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct check;

struct merge {
	const struct check *check;
	enum merge_kind {
		MERGE_CHANGES, // between `before` and `after`, into the file
		MERGE_FILTER,  // the file itself, cut to what is harmless
		MERGE_LOOK,    // only tell what is not harmless and differs from `before`
	} kind;
	int directory; // that holds the file
	const char *name, *path;
	const char *before, *after;
	size_t before_length, after_length;
	mode_t mode;    // of a file that has to be made anew
	unsigned depth; // of its directory below the project, for core.worktree
	bool made;      // with its repository, in the run
	int lock;       // of struct copy, or -1: whether others have the file mounted over
};

// Under git's own lock (NAME.lock), in a process that a killed supervisor does not take along; the
// text is parsed in a locked one. Tells what was withheld. -1 when the file could not be read as
// git's configuration or not be written (reported): it is as it was.
int merge_config(const struct merge *merge);

// A whole new file under the name of git's lock, ready to be renamed. 0, 1 when git holds it, -1.
int merge_take_lock(int directory, const char *lock, mode_t mode, const void *text, size_t length);
