// The text of a git index (gitformat-index(5), versions 2 to 4): tracked paths, and their files'
// metadata at git's last look. Pure.
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
	uint32_t seconds, nanoseconds, size; // all 0 when git could not write the file
	uint32_t mode;
	const unsigned char *id;
	unsigned id_bytes;
	unsigned stage;
	bool unchanged; // git's assume-valid bit
	bool skipped;   // git's skip-worktree bit (sparse checkout)
	bool link;
	bool directory; // a submodule or, in a sparse index, a directory
};

enum { GITINDEX_FOUND_MAX = 256 };

int gitindex_find(struct arena *arena, const void *bytes, size_t length, const char *const *names,
		  unsigned name_count, const struct gitindex_entry **ret_entries,
		  unsigned *ret_count);

// Finds entries of an index file of at most `most` bytes, as ROW_ENTRY or ROW_UNCLEAR. Returns -1
// and reports, also if there is no file.
int git_ask_index(struct arena *arena, const char *index, size_t most, const char *const *names,
		  unsigned name_count, struct rows *ret_rows);

struct gitindex_vetted {
	const char *bad;
	const char *shared;
	unsigned unchanged, skipped;
	uint64_t sum; // hash of the entries without files' metadata
	bool touched; // some entry has a ctime from `since` on, but an earlier mtime
	// The safe index: without extensions that only save time, and with size 0 in `touched`
	// entries, as git then compares contents. NULL: no change is needed. If `bad`: the good
	// entries; NULL: it is split or sparse.
	const unsigned char *text;
	size_t length;
};
// `hash`: bytes of an object name. Takes twice `length` of the arena.
int gitindex_vet(struct arena *arena, const void *bytes, size_t length, unsigned hash,
		 uint32_t since, struct gitindex_vetted *ret_vetted);

// Both return the name of a shared index: with the sum `id`; with the content `bytes`.
const char *gitindex_shared(struct arena *arena, const unsigned char *id, unsigned hash);
const char *gitindex_own(struct arena *arena, const void *bytes, size_t length, unsigned hash);

// Finds directories of tracked files and submodules, all parents, and files that `keeps` accepts.
// They are sorted by strcmp(); "" is the top. Returns -1: split, no index, or over
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

// Object names of a content, and of the content with other line ends. Each identifies the file.
struct gitblob {
	unsigned char names[2][SHA256_BYTES];
	unsigned bytes;
};
void gitblob_name(struct arena *arena, const char *text, size_t length, unsigned bytes,
		  struct gitblob *ret_blob);
bool gitblob_is(const struct gitblob *blob, const unsigned char *name);

enum { INDEX_FILE_MAX = 512 << 20 };
// apart_ask() needs four times the answer.
#define INDEX_FILE_ARENA(length) (8 * (size_t)(length) + ((size_t)64 << 20))

#define INDEX_SHARED "sharedindex." // before the sum of its bytes
struct index_file {
	const char *name; // NULL: "index"; a shared index is judged by its name, and not rewritten
	// directories that may hold the shared index: in a session, upper layers first
	const int *places;
	unsigned place_count;
	uint32_t since;
	const char *const *names;
	unsigned name_count;
	struct gitindex_vetted vetted, rest;
	struct rows rows; // ROW_TRACKED: entries of `names`
	bool sparse;
};
// Asks a process of apart/apart.h about the index. Returns -1 and reports.
int gitindex_ask(struct arena *arena, int fd, size_t size, unsigned hash,
		 const struct index_file *index, unsigned kinds, struct rows *ret_rows);

// Judges the index `fd` with metadata `status`. Returns NULL when git could have written it, else a
// problem, worded to follow the file's name.
const char *index_file_judge(struct arena *arena, int fd, const struct stat *status,
			     struct index_file *index);

// Whether the file begins as an index does.
bool index_file_is(int fd);
// Gets the sum of the entries of a git directory's index. False: none that git could have written.
bool index_file_sum(int directory, uint64_t *ret_sum);

enum { INDEX_STAT = 40, INDEX_SIZE = 36, INDEX_PATH_MAX = 4096 };

struct index_reader {
	const unsigned char *bytes;
	size_t length, at;
	uint32_t version;
	unsigned hash; // bytes of an object name
	char path[INDEX_PATH_MAX];
	size_t path_length;
	size_t end;
	const unsigned char *link;
	bool nameless, sparse;
};

// `entry` is called for each entry; the reader has its path. False ends the reading.
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

// Reads a whole index. `hash`: size of an object name. -1: `bytes` are no index.
int index_read(struct index_use *use, struct index_reader *reader, const void *bytes, size_t length,
	       unsigned hash);

// Returns the size of the extension at `at`, or 0. Git refuses unknown ones in lower case.
size_t index_extension(struct index_reader *reader, size_t at);
