// The room trees owns the records of a tree between runs, in the state directory: its repositories,
// by path and inode. A box may have chosen their bytes. Uses: apart, base, git, names, text. Begin
// with trees.h.
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

struct repos_row {
	const char *path;
	uint64_t device, inode;
	int64_t changed; // ctime in nanoseconds
	enum repos_kind {
		REPOS_OWN,
		REPOS_MADE,
	} kind;
};

enum { REPOS_ROWS_MAX = 65536, REPOS_BYTES_MAX = 6 << 20 };
struct repos {
	uint64_t device;
	const char *root;
	struct repos_row *rows;
	unsigned count, room;
	size_t bytes;
	bool full;
	bool damaged;
	struct arena *arena;
};

// Returns -1 for another text than a list. Sorts the rows by path.
int repos_parse(struct arena *arena, const char *text, size_t length, struct repos *ret_known);
const struct repos_row *repos_find(const struct repos *known, const char *path);
// Adds a copy of another list's row. Returns false when the list is full.
bool repos_keep(struct repos *known, const struct repos_row *row);
void repos_sort(struct repos *known);
const char *repos_print(struct arena *arena, const struct repos *known);

// Returns 1, or 0 without a valid list for `root`.
int repos_read(struct arena *arena, const char *file, const char *root, struct repos *ret_known);
// Writes a tree's first list, or takes one that another run has written since. Syncs it to disk:
// without a list a box's repositories would count as the user's.
void repos_begin(struct repos *known, const char *file);
// Writes a later list, with the rows that other runs wrote since `before` was read.
void repos_end(struct repos *now, const struct repos *before, const char *file);
// Merges sorted lists. A repository that any list calls a box's stays one.
void repos_join(struct repos *now, const struct repos *before, const struct repos *others);

void repos_note(struct repos *known, int directory, const char *name, const char *path,
		enum repos_kind kind);
// Compares inodes, and devices if the root's device is unchanged.
bool repos_is(const struct repos *known, const struct repos_row *row, const struct stat *status,
	      uint64_t root_device);

bool repos_differs(const struct repos *left, const struct repos *right);

// A walk by descriptors that follows no links.

struct git_walk {
	// Callbacks, which may be NULL. `name` ".": the directory itself is a git directory.
	void (*entry)(struct git_walk *walk, int directory, const char *name, unsigned type);
	void (*repository)(struct git_walk *walk, int directory, const char *name);
	bool (*passes)(struct git_walk *walk);
	void *owner;
	struct arena *arena;
	// Walks the top, the command's directory, directories of the share that changed after
	// `since`, and new entries in these. NULL: walks the whole tree.
	const struct share *share;
	int64_t since, start; // nanoseconds; changes at `start` or later are the run's
	bool probes;          // the first change ends the walk
	long processor;       // nanoseconds of processor time; 0: no limit
	// Nanoseconds for all other directories, and for installed packages, which come last. 0:
	// not read.
	long rest, rest_installed;

	bool cut;
	const char *lost; // common parent of unsearched directories, or NULL
	bool unseen;      // some unsearched directories are outside of installed packages

	bool moved, others;
	bool counts; // st_nlink counts subdirectories
	char path[PATH_MAX];
	size_t length, root, rest_bytes, fresh_bytes;
	unsigned depth, entries, row_count, row_room;
	int64_t begin;
	int top;
	struct walk_row *rows;
	struct walk_tracked *tracked;
};

void walk_tree(struct git_walk *walk, const char *root);

// The directories that every run checks: the top, those of files in git's index, the command's, and
// all their parents.

struct share {
	struct tracked {
		const char *path;
		unsigned above; // parent's index, or SHARE_NONE
	} *tracked;             // sorted by strcmp(); "" is the first
	unsigned count;
	const struct gitindex_kept *kept;
	unsigned kept_count;
	struct file_state index;
	const char *directory; // the command's directory: one of `tracked`, or NULL
};
#define SHARE_NONE  ~0U
#define SHARE_BYTES ((size_t)384 << 20) // address space of its arena

// Reads the index in the given state. `file` (or NULL) keeps the share for later runs. Returns
// false if the index is unreadable or has changed: the whole tree is checked.
bool share_read(struct arena *arena, const char *index, const struct file_state *state,
		const char *file, struct share *ret_share);
// Whether `project` has no index, or its share is on disk.
bool share_is_kept(struct arena *arena, const char *state, const char *project);
void share_add(struct arena *arena, struct share *share, const struct share *other,
	       const char *directory);
unsigned share_find(const struct share *share, const char *path);
