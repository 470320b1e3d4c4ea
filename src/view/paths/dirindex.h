// Which of many names are surely not in a directory: one listing, where a look at each costs more.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"

struct arena;

enum { NAMES_WORDS = 8 };
struct names {
	const char *directory;      // without a slash at the end; NULL: nothing is known
	uint64_t bits[NAMES_WORDS]; // one for each name that stands there, in whatever case
};

// What the listing shows of names that a protected or reported one may begin with.
struct names_found {
	struct arena *arena;
	struct list list; // of each, the line is its type, the order its inode's low bits
	bool every;       // name, not only the first component of one
	bool cut;         // it was not listed to its end
	bool many;        // more names are reported than are compared one by one
};

// Of a large directory, of one that cannot be read, and of one with names of other scripts nothing
// is known. `found` may be NULL.
void names_read(struct names *names, const char *directory, struct names_found *found);

// True when nothing stands at the first name of `path` below the directory, by any spelling that a
// file system takes for it (some fold case). False when something may, and for paths elsewhere.
bool names_lack(const struct names *names, const char *path);
