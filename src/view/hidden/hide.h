// The room view/hidden owns paths that a box must not read, whatever other lines show: secrets,
// found by name, content or index. Uses: base, apart, env, git, names, nouns, text, view/paths.
// Begin with hide.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "plan.h"

struct arena;
struct wishes;

// Called after all other wishes.
int hide_plan(struct wishes *wishes);

// Adds files that the caller's variables and git's configuration name and that the box lacks.
// Called after the other wishes, before hide_plan().
int brought_plan(struct wishes *wishes);
// Called after hide_plan(): drops environment variables that name hidden files.
void brought_settle(struct wishes *wishes);

// Shows the user's and system's git configuration, and package managers' settings, without secrets.
// Adds files of secrets that it names to wishes->secrets. Called after the project's protection.
int filtered_plan(struct wishes *wishes);

// Files that may have a token: they are shown without it. NULL ends the list.
extern const char *const settings_with_secrets[];
// Files of which only package registries are shown: without them a tool would ask a public
// registry for private names.
extern const char *const settings_of_registries[];

// Calls `found` for each match; follows links. `pattern`: "/..." or "~/...", with '*' in any
// component for a version or name.
int starred_walk(struct wishes *wishes, const char *pattern,
		 int (*found)(struct wishes *wishes, const char *path));

// The box does not see files of the project with names of secrets (.env) that git does not track.

// Called after all other wishes. Searches the project's top three levels and the command's
// directory. A file is tracked only if git's index has its content, which a box does not know.
int untracked_plan(struct wishes *wishes);

// Finds the part of a file that may be shown (text/words.h). *ret_shown NULL: all. A confined
// process reads text that a box may have written. Returns -1 and reports.
enum settings_part { SETTINGS_LINES, SETTINGS_REGISTRIES, SETTINGS_ROOTS };
int settings_shown(struct wishes *wishes, const char *path, enum settings_part part,
		   const char *text, size_t length, const char **ret_shown);
