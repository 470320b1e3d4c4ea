// Groups of destinations: @npm, @debian ... (profiles/groups.ini). A group begins with what this
// machine is configured to use, so that mirrors and private registries work without a word.
#pragma once

#include <stdbool.h>

#include "policy/ini.h"

struct arena;
struct list;

extern const struct ini_rows group_rows; // made at build time from profiles/groups.ini

// Adds the destinations of a group to `into`, each with its reason as the same item of `reasons`.
// Files of the system and of the user are asked, never one below `project`. `name` begins with @.
int groups_add(struct arena *arena, const char *home, const char *project, const struct item *name,
	       struct list *into, struct list *reasons);

// The group that lists this name, with or without a port, the first of the file; NULL when none
// does. Pure: what the machine's own files name is not asked.
const char *groups_find(const char *host);

// Whether there is a group of this name, which begins with @.
bool groups_has(const char *name);
