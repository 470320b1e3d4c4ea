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

// After all wishes, before those of hide_plan(): adds the named files that the box does not see
// yet.
int brought_plan(struct wishes *wishes);
// After hide_plan(): a variable is withheld when its file is hidden.
void brought_settle(struct wishes *wishes);

// What git's configuration outside of repositories says in a box: all of it but secrets.

// After the project and its protection. `wishes->places` gets the files of secrets that it names.
int filtered_plan(struct wishes *wishes);

// Paths with '*' for a version or another name, outside of the project.

// Files of settings that may hold a token, to be shown without it; ends with NULL.
extern const char *const settings_with_secrets[];
// Files of settings that say where packages come from. They come along, with nothing else of what
// they say: without them a tool asks a public registry for a name that is another's.
extern const char *const settings_of_registries[];

// Calls `found` for each path that a pattern stands for now: "/..." or "~/...", with '*' in any of
// its names. Links are followed.
int starred_walk(struct wishes *wishes, const char *pattern,
		 int (*found)(struct wishes *wishes, const char *path));

// Files of the project that git does not track and whose names say that they hold secrets (.env):
// in the box they are as if they were not there.

// After all other wishes: those in the top three levels of the project, and in the command's
// directory. An entry of git's index counts only where it names the very content: a box can write
// the index, and does not know the content.
int untracked_plan(struct wishes *wishes);

// What of a file's text may be shown, as text/words.h has it; NULL: all of it. A locked process
// takes it apart where a box may have written it. -1 with the error said.
enum settings_part { SETTINGS_LINES, SETTINGS_REGISTRIES, SETTINGS_ROOTS };
int settings_shown(struct wishes *wishes, const char *path, enum settings_part part,
		   const char *text, size_t length, const char **ret_shown);
