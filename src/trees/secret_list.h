// The list of a project's files whose names say that they hold secrets: what the first search met
// and what the checks of later runs met. In the form of git_list.h: the place holds the patterns of
// the names, the kinds are those below.
#pragma once

#include <stdbool.h>

#include "base/list.h"
#include "trees/git_list.h"

enum {
	SECRET_OWN = LISTED_OWN,   // the user's
	SECRET_MADE = LISTED_MADE, // it came, or changed last, while a box lived
	SECRET_SHUT = LISTED_PART  // a directory that could not be listed
};

// Whether a name matches one of the patterns, which have a slash between them. Some file systems
// fold case: .ENV is one of them everywhere.
bool secret_name(const char *patterns, const char *name);
// Both lists of patterns as one; the first alone when it has all of the second.
const char *secret_patterns(struct arena *arena, const char *first, const char *second);
// Whether the rule for the first search covers a directory: no more than three below the top, and
// not in one like node_modules, or hidden, unless that is at the top.
bool secret_place(const char *directory);

// Adds rows to the file, and drops those of files that are gone. Made files that were changed at
// `since` or later are noted anew, but for those that the run hid, which its box could not change.
// Nothing is reported: a row that is missing is added by a later check.
struct secret_news {
	const char *root, *patterns;
	const struct listed *met;
	int64_t since;
	const struct list *hidden[2]; // or NULL
	bool make;                    // the file need not be there
};
void secret_list_write(const char *file, const struct secret_news *news);
// Whether a made file has room in the list: the user's own always have.
bool secret_has_room(const struct listed *list);
