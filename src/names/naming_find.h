// Which files of a tree a row of settings means.
#pragma once

struct naming_row;

// Calls `found` with the names that are of the row, below the open directory. A row that is no
// pattern is its own name, there or not. At most so many entries of a directory are looked at.
enum { NAMING_ENTRIES_MAX = 4096 };
void naming_find(int root, const struct naming_row *settings,
		 void (*found)(void *owner, const char *name, const struct naming_row *settings),
		 void *owner);
