// What the box must not read, whatever else says otherwise.
//
// The room view/secrets owns what is hidden from a box: secrets by name, by content and by git's
// index. Uses: base apart env git names nouns text view/paths. Begin with hide.c.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "plan.h"

struct arena;
struct wishes;

// After all other wishes.
int hide_plan(struct wishes *wishes);

// Files that the caller's variables and git's configuration name: they come along with their names.

// Before hide_plan(), after the rest: adds named files that the box lacks.
int brought_plan(struct wishes *wishes);
// After hide_plan(): withholds variables of hidden files.
void brought_settle(struct wishes *wishes);

// What git's configuration outside of repositories says in a box: all of it but secrets.

// After the project's protection. wishes->places gets the secrets that the configuration names.
int filtered_plan(struct wishes *wishes);

// Paths with '*' for a version or another name, outside of the project.

// May hold a token, and are shown without it; NULL at the end.
extern const char *const settings_with_secrets[];
// Say where packages come from; only that comes along. Without them a tool asks a public registry
// for another's name.
extern const char *const settings_of_registries[];

// `pattern`: "/..." or "~/...", '*' in any component. Calls `found` for each match; follows links.
int starred_walk(struct wishes *wishes, const char *pattern,
		 int (*found)(struct wishes *wishes, const char *path));

// Files of the project that git does not track and whose names mean secrets (.env): absent in the
// box.

// After all other wishes: in the project's top three levels and the command's directory. An index
// entry counts only with the file's content: a box can write the index, but does not know the
// content.
int untracked_plan(struct wishes *wishes);

// The part of a file that may be shown (text/words.h); NULL: all. A locked process reads it where a
// box may have written. -1 with the error said.
enum settings_part { SETTINGS_LINES, SETTINGS_REGISTRIES, SETTINGS_ROOTS };
int settings_shown(struct wishes *wishes, const char *path, enum settings_part part,
		   const char *text, size_t length, const char **ret_shown);
