// The list of repositories in a tree, known by path and inode. A box may have chosen its bytes.
//
// The room trees owns the records of a tree between runs, in the state directory. Uses: apart base
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
	const char *path;
	uint64_t device, inode;
	int64_t changed; // ctime in nanoseconds
	enum listed_kind {
		LISTED_OWN,
		LISTED_MADE,
	} kind;
};

enum { LISTED_ROWS_MAX = 65536, LISTED_BYTES_MAX = 6 << 20 };
struct listed {
	uint64_t device;
	const char *root;
	struct listed_row *rows;
	unsigned count, room;
	size_t bytes;
	bool full;
	bool damaged;
	struct arena *arena;
};

// Pure: -1 when it is no such list. Sorts the rows by path.
int listed_parse(struct arena *arena, const char *text, size_t length, struct listed *ret_known);
// By bisection; NULL if missing.
const struct listed_row *listed_find(const struct listed *known, const char *path);
// Adds a row of another list; false when full.
bool listed_keep(struct listed *known, const struct listed_row *row);
void listed_sort(struct listed *known);
const char *listed_print(struct arena *arena, const struct listed *known);

// 1; 0: none for this root; -1: a newer version.
int listed_read(struct arena *arena, const char *file, const char *root, struct listed *ret_known);
// Writes the first list, or takes one that another run has written since. It is durable: without it
// a box's files would count as the user's.
void listed_begin(struct listed *known, const char *file);
// Writes a later one, with the rows that other runs wrote since `before` was read.
void listed_end(struct listed *now, const struct listed *before, const char *file);
// Pure. A row of a box stays one. Sorted before and after.
void listed_join(struct listed *now, const struct listed *before, const struct listed *others);

void listed_note(struct listed *known, int directory, const char *name, const char *path,
		 enum listed_kind kind);
// Compares the device only if the root's device is unchanged.
bool listed_is(const struct listed *known, const struct listed_row *row, const struct stat *status,
	       uint64_t root_device);

bool listed_differs(const struct listed *left, const struct listed *right);

// Walks by descriptors, and follows no links.

struct git_walk {
	// Each may be NULL. A git directory without .git has the name ".".
	void (*entry)(struct git_walk *walk, int directory, const char *name, unsigned type);
	void (*repository)(struct git_walk *walk, int directory, const char *name);
	bool (*passes)(struct git_walk *walk);
	void *owner;
	struct arena *arena;
	// The top, the command's directories, those of the share changed since `since`, and new
	// entries in these. NULL: all.
	const struct share *share;
	int64_t since, start; // nanoseconds; changes from `start` on are the run's
	bool probes;          // stops at the first change
	long processor;       // nanoseconds of this process's time; 0: no end
	// Time for the others, if `others` is set, and for installed packages, which come last. 0:
	// not read.
	long rest, rest_installed;

	bool cut;
	const char *lost; // the common parent of all unsearched directories, or NULL
	bool unseen;      // some are outside installed packages

	bool moved, others;
	bool counts; // directories have a link for each one in them
	char path[PATH_MAX];
	size_t length, root, rest_bytes, fresh_bytes;
	unsigned depth, entries, row_count, row_room;
	int64_t begin;
	int top;
	struct walk_row *rows;
	struct walk_centre *centres;
};

void walk_tree(struct git_walk *walk, const char *root);

// What every run checks: the top, and the directories of git's index and of the command with all
// above them.

struct share {
	struct centre {
		const char *path;
		unsigned above; // the index of its parent, or SHARE_NONE
	} *centres;             // sorted by strcmp(); "" is the first
	unsigned count;
	const struct gitindex_kept *kept;
	unsigned kept_count;
	struct file_state index;
	const char *directory; // of the command, one of the centres, or NULL
};
#define SHARE_NONE ~0U

// Reads the index in this state. `file`: keeps the share for later runs, or NULL. False if the
// index is unreadable or has changed: the share is the whole tree.
bool share_read(struct arena *arena, const char *index, const struct file_state *state,
		const char *file, struct share *ret_share);
// Whether the index of `project` is missing or was kept.
bool share_is_kept(struct arena *arena, const char *state, const char *project);
void share_add(struct arena *arena, struct share *share, const struct share *other,
	       const char *directory);
unsigned share_find(const struct share *share, const char *path);
