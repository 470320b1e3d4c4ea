// One pass over git's index, for those who ask something of its entries.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "git/gitindex.h"

enum { INDEX_STAT = 40, INDEX_SIZE = 36, INDEX_PATH_MAX = 4096 }; // of an entry

struct index_reader {
	const unsigned char *bytes;
	size_t length, at;
	uint32_t version;
	unsigned hash; // bytes of an object's name
	char path[INDEX_PATH_MAX];
	size_t path_length;
	size_t end;                // of the entries
	const unsigned char *link; // the extension of a split index: the rest is in another file
	bool nameless, sparse;     // entries of a split index, and of a sparse one
};

// Called for each entry, whose path is in the reader. False ends the reading.
struct index_use {
	bool (*entry)(struct index_use *use, const struct index_reader *reader,
		      const struct gitindex_entry *entry);
	struct arena *arena;
	const char *const *names; // of gitindex_find()
	unsigned name_count, count;
	struct gitindex_entry *found;
	char *text; // of gitindex_directories(): names behind each other
	size_t used, size, last;
	struct index_vet *vet; // of gitindex_vet()
	bool (*keeps)(const char *path);
	struct gitindex_directories *all;
	size_t kept; // of the directory that was noted last: the part that is kept, or 0
};

// The whole index of a repository whose names of objects have `hash` bytes. -1 when it is none.
int index_read(struct index_use *use, struct index_reader *reader, const void *bytes, size_t length,
	       unsigned hash);

// The length of the extension at `at`; 0 when it is none. Git reads no index with one that it does
// not know and that is not in capitals.
size_t index_extension(struct index_reader *reader, size_t at);
