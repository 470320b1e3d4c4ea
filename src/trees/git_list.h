// The list of the repositories in a tree: what stood there is known by path and inode. Text, made
// of bytes that a box may have chosen.
//
// The room trees owns what is kept of a tree between runs, in the state directory. Uses: apart base
// git names text. Begin with git_list.h.
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apart/apart.h"
#include "base/fd.h"
#include "base/base.h"

struct arena;
struct gitindex_kept;
struct share;
struct stat;

struct listed_row {
	const char *path; // below the tree's root
	uint64_t device, inode;
	int64_t changed; // ctime in nanoseconds
	enum listed_kind {
		LISTED_OWN,  // of the user's
		LISTED_MADE, // one that a box has made
	} kind;
};

enum { LISTED_ROWS_MAX = 65536, LISTED_BYTES_MAX = 6 << 20 };
struct listed {
	uint64_t device; // of the root
	const char *root;
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
// One more time the row of another list; false when there is no room.
bool listed_keep(struct listed *known, const struct listed_row *row);
void listed_sort(struct listed *known);
// The bytes of a list, in `arena`.
const char *listed_print(struct arena *arena, const struct listed *known);

// Reads a tree's list: 1, or 0 when there is none that can be read and is of this root; -1 for one
// of a newer version, with the error said.
int listed_read(struct arena *arena, const char *file, const char *root, struct listed *ret_known);
// By a rename. Nothing is reported: it is made again by the next look. The `first` one is durable:
// without it what boxes made would count as the user's.
bool listed_write(const struct listed *known, const char *file, bool first);

// Adds the row of `name` in `directory`: a git directory ("." for the open one itself), or a file
// or link .git.
void listed_note(struct listed *known, int directory, const char *name, const char *path,
		 enum listed_kind kind);
// Whether the thing at `path` is the one of the row: the device counts while the root has its own.
bool listed_is(const struct listed *known, const struct listed_row *row, const struct stat *status,
	       uint64_t root_device);

// Whether there is something to write.
bool listed_differs(const struct listed *left, const struct listed *right);

// A sweep through a tree: each directory by a descriptor, nothing is followed. Meets all that git
// takes for a repository.

struct git_walk {
	// Each may be NULL; walk->path is the path of the entry, `directory` is open and holds
	// `name`. Of a git directory without .git the name is ".".
	void (*entry)(struct git_walk *walk, int directory, const char *name, unsigned type);
	void (*repository)(struct git_walk *walk, int directory, const char *name);
	bool (*passes)(struct git_walk *walk); // whether the directory at walk->path is left out
	void *owner;
	struct arena *arena;
	// Which directories are read: the top and the command's, those of the share that changed at
	// `since` or later, and new entries of these, with all below it. NULL: all.
	const struct share *share;
	int64_t since, start; // nanoseconds; what changed at `start` or later did so in the run
	bool probes;          // only whether one of them changed: then it is cut
	long processor; // nanoseconds of this process's time, from the beginning on; 0: no end
	long rest;      // and of the others, for which `others` is set; 0: they are not read

	// Results.
	bool cut;    // by time
	bool lost;   // something lay deeper than can be reached
	bool unseen; // not all of the others were read, besides installed packages

	bool moved, others; // an entry may have come to this place in the run, whatever its own
			    // times are
	// Its own.
	char path[PATH_MAX];
	size_t length, root, rest_bytes;
	unsigned depth, entries, row_count, row_room;
	int64_t begin;
	int top; // the root, open
	struct walk_row *rows;
};

void walk_tree(struct git_walk *walk, const char *root);

// The share of a tree that every run checks at its end: its top, the directories of git's index and
// that of the command, and those around these. And the tracked files that are examined each time.

struct share {
	const char *const *centres; // sorted by strcmp(), relative to the tree; "" is the first
	unsigned count;
	const struct gitindex_kept *kept;
	unsigned kept_count;
	struct file_state index;
	const char *directory; // of the command, one of the centres, or NULL
};

// Reads git's index, while it is as `state` says: its rows lie in `arena`. False when
// it cannot be read: then the share is the whole tree.
bool share_read(enum apart whose, struct arena *arena, const char *index,
		const struct file_state *state, struct share *ret_share);
// Adds the centres and files of another index, and the directory of the command.
void share_add(struct arena *arena, struct share *share, const struct share *other,
	       const char *directory);
// The place of a centre.
#define SHARE_NONE ~0U
unsigned share_find(const struct share *share, const char *path);
