// The text of a git index (gitformat-index(5), versions 2 to 4): which paths are tracked, and how
// their files looked when git last saw them. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

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

// An index that a box wrote, of a repository whose names of objects have `hash` bytes.
struct gitindex_vetted {
	const char *bad; // the path of an entry that git itself would not write; NULL: none
	const char
		*shared; // the name of the file with the rest of a split index; NULL: it is whole
	// Entries whose files git takes for unchanged, or for not in the work tree.
	const struct gitindex_entry *marked;
	unsigned marked_count;
	bool touched; // has entries of files that changed at `since` or later with earlier times
	// As it has to be: without extensions that only save time, and without the sizes in
	// entries that are `touched`, so that git compares contents. NULL: it is so.
	const unsigned char *text;
	size_t length;
};
// Takes twice its length of the arena. -1 when git could not read it.
int gitindex_vet(struct arena *arena, const void *bytes, size_t length, unsigned hash,
		 uint32_t since, struct gitindex_vetted *ret_vetted);

// The directories that hold tracked files, and those of submodules, relative to the work tree and
// sorted by strcmp(): "" is its top. And the tracked files of which `keeps` says so of their path,
// or of that of a directory around them. -1 when it is no index, is split over two files, or has
// more than GITINDEX_DIRECTORY_BYTES of directories.
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
