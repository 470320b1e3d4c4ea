// An index of git's on disk: read, and judged in a locked process.
#pragma once

#include <stdint.h>

#include "git/gitindex.h"

struct arena;
struct stat;

enum { INDEX_FILE_MAX = 512 << 20 };
// So much of an arena that processes share is taken for an index of a length.
#define INDEX_FILE_ARENA(length) (8 * (size_t)(length) + ((size_t)64 << 20))

struct index_file {
	// The git directory; in a session each layer's, before those that it hides.
	const int *places;
	unsigned place_count;
	uint32_t since;           // as gitindex_vet() has it
	const char *const *names; // the entries at or below one of these are wanted
	unsigned name_count;
	// What index_file_judge() found:
	struct gitindex_vetted vetted, rest; // `rest`: of the file that it shares
	const struct gitindex_entry *entries;
	unsigned entry_count;
	const char *tree; // core.worktree, or NULL
};

// `fd` is the index, and `status` is its own. `index` lies in the arena. NULL: git would write it
// so. Else why not, in words that follow its name.
const char *index_file_judge(struct arena *arena, int fd, const struct stat *status,
			     struct index_file *index);
