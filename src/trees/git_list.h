// The list of the repositories in a tree, and of what git runs or trusts in each: what stood there
// is known by path and inode, and unchanged while its ctime is the same. Text, made of bytes that a
// box may have chosen.
//
// The room trees owns what is kept of a tree between runs, in the state directory. Uses: base git
// names text. Begin with git_list.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct stat;

struct listed_row {
	const char *path; // below the tree's root
	uint64_t device, inode;
	int64_t changed; // ctime in nanoseconds
	enum listed_kind {
		LISTED_PART, // of the repository before it
		LISTED_OWN,  // a repository of the user's
		LISTED_MADE, // one that a box has made
	} kind;
};

enum { LISTED_ROWS_MAX = 65536, LISTED_BYTES_MAX = 6 << 20 };
struct listed {
	uint64_t device; // of the root
	const char *root;
	const char *place; // of a list of secrets: the patterns of their names, else ""
	struct listed_row *rows;
	unsigned count, room;
	size_t bytes; // of the rows in the text, at most
	bool full;    // something had no room
	bool damaged; // there was a file, which is no list
	struct arena *arena;
};

// Pure: -1 when it is no such list. Sorts the rows by their paths.
int listed_parse(struct arena *arena, const char *text, size_t length, struct listed *ret_known);
// NULL: not there. By bisection.
const struct listed_row *listed_find(const struct listed *known, const char *path);
// Adds a row; false when there is no room.
bool listed_add(struct listed *known, const char *path, const struct stat *status,
		enum listed_kind kind);
// One more time the row of another list; false when there is no room.
bool listed_keep(struct listed *known, const struct listed_row *row);
void listed_sort(struct listed *known);
// Leaves its rows to who has a copy of the list.
void listed_empty(struct listed *known);
// The bytes of a list, in `arena`.
const char *listed_print(struct arena *arena, const struct listed *known);

// Reads a tree's list: 1, or 0 when there is none that can be read and is of this root; -1 for one
// of a newer version, with the error said.
int listed_read(struct arena *arena, const char *file, const char *root, struct listed *ret_known);
// By a rename. Nothing is reported: it is made again by the next look. The `first` one is durable:
// without it what boxes made would count as the user's.
bool listed_write(const struct listed *known, const char *file, bool first);

// Adds the rows of `name` in `directory`: a git directory ("." for the open one itself), or a file
// or link .git; with each trusted part of it.
void listed_note(struct listed *known, int directory, const char *name, const char *path,
		 enum listed_kind kind);
// Whether the row of `path` and those below it are the same in both.
bool listed_same(const struct listed *left, const struct listed *right, const char *path);
// Whether the thing at `path` is the one of the row: the device counts while the root has its own.
bool listed_is(const struct listed *known, const struct listed_row *row, const struct stat *status,
	       uint64_t root_device);

// Whether there is something to write.
bool listed_differs(const struct listed *left, const struct listed *right);
