// The list of repositories in a tree, known by path and inode. A box may have chosen its bytes.
//
// The room trees owns the records of a tree between runs, in the state directory. Uses: apart base
// git names text. Begin with trees.h.
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

// Pure. Returns -1 for a text that is not such a list. Sorts the rows by path.
int repos_parse(struct arena *arena, const char *text, size_t length, struct repos *ret_known);
// Bisects. Returns NULL for an unknown path.
const struct repos_row *repos_find(const struct repos *known, const char *path);
// Adds a copy of another list's row. Returns false when the list is full.
bool repos_keep(struct repos *known, const struct repos_row *row);
void repos_sort(struct repos *known);
const char *repos_print(struct arena *arena, const struct repos *known);

// Returns 1; 0 without a list for this root; -1 for a newer version.
int repos_read(struct arena *arena, const char *file, const char *root, struct repos *ret_known);
// Writes the first list, or takes one that another run has written since. It is durable: without it
// a box's files would count as the user's.
void repos_begin(struct repos *known, const char *file);
// Writes a later one, with the rows that other runs wrote since `before` was read.
void repos_end(struct repos *now, const struct repos *before, const char *file);
// Pure. A row of a box stays one. Sorted before and after.
void repos_join(struct repos *now, const struct repos *before, const struct repos *others);

void repos_note(struct repos *known, int directory, const char *name, const char *path,
		enum repos_kind kind);
// Compares inodes, and devices if the root's device is unchanged.
bool repos_is(const struct repos *known, const struct repos_row *row, const struct stat *status,
	      uint64_t root_device);

bool repos_differs(const struct repos *left, const struct repos *right);

// A walk by descriptors, which follows no links.

struct git_walk {
	// Each may be NULL. "." names a git directory that is not a .git.
	void (*entry)(struct git_walk *walk, int directory, const char *name, unsigned type);
	void (*repository)(struct git_walk *walk, int directory, const char *name);
	bool (*passes)(struct git_walk *walk);
	void *owner;
	struct arena *arena;
	// Walks the top, the command's directories, directories of the share that changed after
	// `since`, and new entries in these. NULL: walks the whole tree.
	const struct share *share;
	int64_t since, start; // nanoseconds; changes at `start` or later are the run's
	bool probes;          // the first change ends the walk
	long processor;       // nanoseconds of processor time; 0: no limit
	// Limits for other directories, if `others` is set, and for installed packages, which come
	// last. 0: not read.
	long rest, rest_installed;

	bool cut;
	const char *lost; // common parent of unsearched directories, or NULL
	bool unseen;      // not all unsearched directories are in installed packages

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

// The directories that every run checks: the top, those of git's index, the command's, and all
// their parents.

struct share {
	struct tracked {
		const char *path;
		unsigned above; // parent's index, or SHARE_NONE
	} *tracked;             // sorted by strcmp(); "" is the first
	unsigned count;
	const struct gitindex_kept *kept;
	unsigned kept_count;
	struct file_state index;
	const char *directory; // the command's: one of the tracked, or NULL
};
#define SHARE_NONE ~0U

// Reads the index in the given state. `file` (or NULL) keeps the share for later runs. False: the
// index is unreadable or has changed; the share is the whole tree.
bool share_read(struct arena *arena, const char *index, const struct file_state *state,
		const char *file, struct share *ret_share);
// Whether the index of `project` is missing or its share is kept.
bool share_is_kept(struct arena *arena, const char *state, const char *project);
void share_add(struct arena *arena, struct share *share, const struct share *other,
	       const char *directory);
unsigned share_find(const struct share *share, const char *path);
