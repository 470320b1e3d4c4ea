// The text of a git index (gitformat-index(5), versions 2 to 4): which paths are tracked, and how
// their files looked when git last saw them. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apart/apart.h"
#include "text/sha.h"

struct arena;
struct stat;

struct gitindex_entry {
	const char *path;
	uint32_t changed;
	uint32_t seconds, nanoseconds, size; // all 0 when git could not write it
	uint32_t mode;
	const unsigned char *id;
	unsigned id_bytes;
	unsigned stage;
	bool unchanged; // assume-valid
	bool absent;    // sparse checkout
	bool link;
	bool directory; // or a directory of a sparse index
};

enum { GITINDEX_FOUND_MAX = 256 };

// At most GITINDEX_FOUND_MAX.
int gitindex_find(struct arena *arena, const void *bytes, size_t length, const char *const *names,
		  unsigned name_count, const struct gitindex_entry **ret_entries,
		  unsigned *ret_count);

// The same of an index on disk of at most so many bytes, by a locked process: rows ROW_ENTRY, or
// ROW_UNCLEAR. -1 with the error said, also where there is none.
int git_ask_index(struct arena *arena, const char *index, size_t most, const char *const *names,
		  unsigned name_count, struct rows *ret_rows);

// Of a repository whose names of objects have `hash` bytes.
struct gitindex_vetted {
	const char *bad;
	const char *shared;
	unsigned unchanged, absent;
	uint64_t sum; // of the entries, without how their files looked
	bool touched; // entries that changed at `since` or later with earlier times
	// Without extensions that only save time, and without sizes in `touched` entries, so that
	// git compares contents. NULL: it is so. Of a bad one: the good entries, or NULL where it
	// is split or sparse.
	const unsigned char *text;
	size_t length;
};
// Takes twice its length of the arena.
int gitindex_vet(struct arena *arena, const void *bytes, size_t length, unsigned hash,
		 uint32_t since, struct gitindex_vetted *ret_vetted);

// Directories of tracked files, those around them and those of submodules, sorted by strcmp(): ""
// is the top. And the files that `keeps` accepts. -1: not an index, split, or more than
// GITINDEX_DIRECTORY_BYTES.
enum { GITINDEX_DIRECTORY_BYTES = 32 << 20 };
struct gitindex_directories {
	const char *const *paths;
	unsigned count;
	struct gitindex_kept {
		const char *path;
		size_t length;
	} *kept;
	unsigned kept_count, kept_room;
};
int gitindex_directories(struct arena *arena, const void *bytes, size_t length,
			 bool (*keeps)(const char *path), struct gitindex_directories *ret);

// As it is, and with other line ends: who knows one of the two knows the content.
struct gitblob {
	unsigned char names[2][SHA256_BYTES];
	unsigned bytes;
};
void gitblob_name(struct arena *arena, const char *text, size_t length, unsigned bytes,
		  struct gitblob *ret_blob);
bool gitblob_is(const struct gitblob *blob, const unsigned char *name);

// On disk: read, and judged in a locked process.

enum { INDEX_FILE_MAX = 512 << 20 };
// Four times what an answer needs: apart_ask().
#define INDEX_FILE_ARENA(length) (8 * (size_t)(length) + ((size_t)64 << 20))

struct index_file {
	// In a session each layer's, before those that it hides.
	const int *places;
	unsigned place_count;
	uint32_t since;
	const char *const *names;
	unsigned name_count;
	struct gitindex_vetted vetted, rest;
	struct rows rows; // ROW_TRACKED are the names' entries
	bool sparse;
};
// Of the process: its rows, from which `vetted` is taken. -1 with the error said.
int gitindex_ask(struct arena *arena, int fd, size_t size, unsigned hash,
		 const struct index_file *index, unsigned kinds, struct rows *ret_rows);

// `fd` is the index, and `status` is its own. NULL: git would write it so. Else why not, in words
// that follow its name.
const char *index_file_judge(struct arena *arena, int fd, const struct stat *status,
			     struct index_file *index);

enum { INDEX_STAT = 40, INDEX_SIZE = 36, INDEX_PATH_MAX = 4096 };

struct index_reader {
	const unsigned char *bytes;
	size_t length, at;
	uint32_t version;
	unsigned hash; // bytes of an object's name
	char path[INDEX_PATH_MAX];
	size_t path_length;
	size_t end;
	const unsigned char *link;
	bool nameless, sparse;
};

// For each entry, whose path is in the reader. False ends the reading.
struct index_use {
	bool (*entry)(struct index_use *use, const struct index_reader *reader,
		      const struct gitindex_entry *entry);
	struct arena *arena;
	const char *const *names;
	unsigned name_count, count;
	struct gitindex_entry *found;
	char *text;
	size_t used, size, last;
	struct index_vet *vet;
	bool (*keeps)(const char *path);
	struct gitindex_directories *all;
	size_t kept;
};

// The whole index of a repository whose names of objects have `hash` bytes. -1 when it is none.
int index_read(struct index_use *use, struct index_reader *reader, const void *bytes, size_t length,
	       unsigned hash);

// 0: not one. Git refuses an unknown extension that is not in capitals.
size_t index_extension(struct index_reader *reader, size_t at);
