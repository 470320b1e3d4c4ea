// The text of a git index (gitformat-index(5), versions 2 to 4): which paths are tracked, and how
// their files looked when git last saw them. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/sha.h"

struct arena;
struct rows;
struct stat;

struct gitindex_entry {
	const char *path;
	uint32_t changed;                    // ctime of the file
	uint32_t seconds, nanoseconds, size; // of the file; all 0 when git could not write it
	uint32_t mode;                       // as the index has it
	const unsigned char *id;             // the name of its content, in the index's own bytes
	unsigned id_bytes;                   // 20 or 32
	unsigned stage;                      // 0; 1 to 3 in a merge
	bool unchanged;                      // git takes its file for unchanged (assume-valid)
	bool absent;                         // not to be in the work tree: a sparse checkout
	bool link;                           // a symlink
	bool directory;                      // a submodule, or a directory of a sparse index
};

enum { GITINDEX_FOUND_MAX = 256 };

// The entries at or below one of `names`, at most GITINDEX_FOUND_MAX. -1 when it is no index.
int gitindex_find(struct arena *arena, const void *bytes, size_t length, const char *const *names,
		  unsigned name_count, const struct gitindex_entry **ret_entries,
		  unsigned *ret_count);

// The same of an index on disk of at most so many bytes, by a locked process: rows ROW_ENTRY, or
// ROW_UNCLEAR. -1 with the error said, also where there is none.
int git_ask_index(struct arena *arena, const char *index, size_t most, const char *const *names,
		  unsigned name_count, struct rows *ret_rows);

// An index that a box wrote, of a repository whose names of objects have `hash` bytes.
struct gitindex_vetted {
	const char *bad; // the path of an entry that git itself would not write; NULL: none
	const char
		*shared; // the name of the file with the rest of a split index; NULL: it is whole
	unsigned unchanged, absent; // entries whose files git takes for that, or for not there
	bool touched; // has entries of files that changed at `since` or later with earlier times
	// As it has to be: without extensions that only save time, and without the sizes in
	// entries that are `touched`, so that git compares contents. NULL: it is so. Of a bad one:
	// the good entries, or NULL where it is split or sparse.
	const unsigned char *text;
	size_t length;
};
// Takes twice its length of the arena. -1 when git could not read it.
int gitindex_vet(struct arena *arena, const void *bytes, size_t length, unsigned hash,
		 uint32_t since, struct gitindex_vetted *ret_vetted);

// The directories that hold tracked files, those around them, and those of submodules, relative to
// the work tree and sorted by strcmp(): "" is its top. And the tracked files of which `keeps` says
// so of their path, or of that of a directory around them. -1 when it is no index, is split over
// two files, or has more than GITINDEX_DIRECTORY_BYTES of directories.
enum { GITINDEX_DIRECTORY_BYTES = 32 << 20 };
struct gitindex_directories {
	const char *const *paths;
	unsigned count;
	struct gitindex_kept {
		const char *path;
		size_t length; // of the part that is kept
	} *kept;
	unsigned kept_count, kept_room;
};
int gitindex_directories(struct arena *arena, const void *bytes, size_t length,
			 bool (*keeps)(const char *path), struct gitindex_directories *ret);

// The names that git gives to a file's content. Pure.

// Of it as it is, and with the line ends that a checkout may have changed: who knows one of the two
// knows the content.
struct gitblob {
	unsigned char names[2][SHA256_BYTES];
	unsigned bytes; // of a name
};
void gitblob_name(struct arena *arena, const char *text, size_t length, unsigned bytes,
		  struct gitblob *ret_blob);
bool gitblob_is(const struct gitblob *blob, const unsigned char *name);
// Of a file on disk of at most so many bytes, by a locked process. -1 with the error said.
int git_ask_content(struct arena *arena, const char *path, size_t most, unsigned bytes,
		    size_t *ret_length, struct gitblob *ret_blob);

// An index of git's on disk: read, and judged in a locked process.

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
	bool sparse; // by its configuration not all files are in the work tree
};

// `fd` is the index, and `status` is its own. `index` lies in the arena. NULL: git would write it
// so. Else why not, in words that follow its name.
const char *index_file_judge(struct arena *arena, int fd, const struct stat *status,
			     struct index_file *index);

// One pass over git's index, for those who ask something of its entries.

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
