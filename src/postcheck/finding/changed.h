// Names that a run changed and that the host runs or trusts, where that is reported and nothing is
// done.
#pragma once

#include <stdbool.h>

struct check;
struct guard;

// How many names of each row of names/trusted.h changed: of many the first few are named, and one
// record has the number of the others, so that a box cannot fill the list with names of one row.
enum { CHANGED_ROWS_MAX = 4096 };
struct changed_rows {
	struct changed_row {
		unsigned named, more;
		bool below; // others lie in other directories than the top
	} list[CHANGED_ROWS_MAX];
};
// One that is known to have changed.
void changed_add(const struct check *check, const char *path);
// The records of the others, after the last changed_add().
void changed_end(const struct check *check);
// Whether this run changed `name` or, of a directory, something right in it.
bool changed_has(const struct check *check, int directory, const char *name);
// Whether it is a directory whose name differs in case from the row that it meets: build is not
// BUILD, a file of Bazel's.
bool changed_is_other(int directory, const char *name);
// Adds `name` in `directory`, at `path`, to the findings when this run changed it or, of a
// directory, something right in it.
void changed_tell(const struct check *check, int directory, const char *name, const char *path);

// A directory of PATH in `directory`: adds it when something in it came, went or changed, or a
// program that a link in it leads to; of GUARD_PROGRAMS_TOP each program by itself.
void changed_programs(const struct check *check, int directory, const struct guard *guard);

// Adds a program of the run's with the name of one on PATH, in a directory that a relative entry of
// PATH can be.
void changed_tell_shadow(const struct check *check, int directory, const char *name,
			 const char *path);

// As changed_tell(), of a name that the walk has met below the top of what can be written, when it
// is in names/trusted.h: a package or a worktree that somebody opens by itself, as nobody does with
// an installed package. Also of git's attributes where they choose a command.
void changed_tell_deeper(const struct check *check, int directory, const char *name,
			 const char *path);

// Moves a new pipe to quarantine that has a name which git opens in each directory.
void changed_take_pipe(struct check *check, int directory, const char *name, const char *path);
