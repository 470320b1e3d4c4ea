// Names below the home that the caller's programs run or trust at start (profiles/names.txt), and
// where links lead from there.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/list.h"

struct arena;

struct homes {
	const char *home;         // of the caller, without symlinks
	char *const *environment; // for rows that a variable names, and for PATH
	const char *state;        // sbx's own directory
	const char *file, *fresh; // out: for owned_keep(); `fresh` NULL: it is there
};

// `from.line` of what is found.
enum homes_kind {
	HOMES_NAME,    // a name, or what links on the way to it lead to
	HOMES_INSIDE,  // what a link in it leads to
	HOMES_PROGRAM, // a directory of PATH, or what a link in one leads to: what people build
};

// A row's path as it is written: NULL for "~/..." (compare what follows with what of a path follows
// the home) and for a variable that names no directory.
const char *homes_variable(struct arena *arena, const struct homes *homes, const char *name);

// Each entry of PATH: a clean path, or as it is written where it is relative or empty.
void homes_path(struct arena *arena, const struct homes *homes, struct list *ret_names);
// The directories of PATH below the home, and the paths of all rows; no look at any.
void homes_name(struct arena *arena, const struct homes *homes, struct list *ret_names);

// What the links on the way to them, and right in them, lead to: each link and each end that lies
// elsewhere than its name says, there or not. What was found is kept with inode and ctime of each
// directory that was walked, and found anew when one differs.
void homes_follow(struct arena *arena, struct homes *homes, struct list *ret_targets);

// What links in a directory of trusted names, and in those below it, lead to: each link and each
// end, there or not; and files that have other names (hard links). `directories` counts those that
// were read, over several calls. False: there are more than are read. `ret_files`: not all that it
// holds are directories and samples.
bool homes_inside(struct arena *arena, const char *directory, unsigned *directories,
		  struct list *ret_targets, bool *ret_files);

// The same of a trusted name, whatever it is: what it leads to itself as well. Added to `targets`.
void homes_led(struct arena *arena, const char *path, struct list *targets);

// The rows of profiles/names.txt that are of the home, and PATH, as paths; for names/home_links.c.

struct origin homes_origin(enum homes_kind kind);

// Of the caller's variables; NULL: not set.
const char *homes_value(char *const *environment, const char *name, size_t length);

// Whether a name is a directory of programs.
bool homes_is_of_path(const char *name, const struct homes *homes);
