// Paths that the box must not read, against all other lines.
//
// The room view/hidden owns what is hidden from a box: secrets, found by name, content or index.
// Uses: base apart env git names nouns text view/paths. Begin with hide.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "plan.h"

struct arena;
struct wishes;

// After all other wishes.
int hide_plan(struct wishes *wishes);

// Files that the caller's variables and git's configuration name.

// Before hide_plan(), after the rest: adds named files that the box lacks.
int brought_plan(struct wishes *wishes);
// After hide_plan(): withholds variables of hidden files.
void brought_settle(struct wishes *wishes);

// Git's configuration outside of repositories: the box sees all but secrets.

// After the project's protection. Adds secrets that the configuration names to wishes->places.
int filtered_plan(struct wishes *wishes);

// Paths with '*' for a version or another name, outside of the project.

// Files that may have a token: they are shown without it. NULL ends the list.
extern const char *const settings_with_secrets[];
// Files of which only package registries are shown: without them a tool would ask a public
// registry for private names.
extern const char *const settings_of_registries[];

// `pattern`: "/..." or "~/...", '*' in any component. Calls `found` for each match; follows links.
int starred_walk(struct wishes *wishes, const char *pattern,
		 int (*found)(struct wishes *wishes, const char *path));

// Files of the project that git does not track, with names of secrets (.env). The box does not see
// them.

// After all other wishes. Covers the project's top three levels and the command's directory. An
// index entry counts only with the file's content, which a box does not know.
int untracked_plan(struct wishes *wishes);

// The part of a file that may be shown (text/words.h); NULL: all. A locked process reads text that
// a box may have written. Returns -1 and reports.
enum settings_part { SETTINGS_LINES, SETTINGS_REGISTRIES, SETTINGS_ROOTS };
int settings_shown(struct wishes *wishes, const char *path, enum settings_part part,
		   const char *text, size_t length, const char **ret_shown);
