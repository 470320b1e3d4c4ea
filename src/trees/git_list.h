// The list of the repositories in a tree: what stood there is known by path and inode. Text, made
// of bytes that a box may have chosen.
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

// Pure: -1 when it is no such list. Sorts the rows by their paths.
int listed_parse(struct arena *arena, const char *text, size_t length, struct listed *ret_known);
// NULL: not there. By bisection.
const struct listed_row *listed_find(const struct listed *known, const char *path);
// One more time the row of another list; false when there is no room.
bool listed_keep(struct listed *known, const struct listed_row *row);
void listed_sort(struct listed *known);
// The bytes of a list, in `arena`.
const char *listed_print(struct arena *arena, const struct listed *known);

// 1; 0: none of this root; -1 for one of a newer version.
int listed_read(struct arena *arena, const char *file, const char *root, struct listed *ret_known);
// By a rename. The `first` one is durable: without it what boxes made would count as the user's.
bool listed_write(const struct listed *known, const char *file, bool first);

void listed_note(struct listed *known, int directory, const char *name, const char *path,
		 enum listed_kind kind);
// The device counts while the root has its own.
bool listed_is(const struct listed *known, const struct listed_row *row, const struct stat *status,
	       uint64_t root_device);

bool listed_differs(const struct listed *left, const struct listed *right);

// Each directory by a descriptor; nothing is followed.

struct git_walk {
	// Each may be NULL. Of a git directory without .git the name is ".".
	void (*entry)(struct git_walk *walk, int directory, const char *name, unsigned type);
	void (*repository)(struct git_walk *walk, int directory, const char *name);
	bool (*passes)(struct git_walk *walk);
	void *owner;
	struct arena *arena;
	// The top, the command's, those of the share that changed since `since`, and new entries in
	// these. NULL: all.
	const struct share *share;
	int64_t since, start; // nanoseconds; what changed at `start` or later did so in the run
	bool probes;          // only whether one of them changed: then it is cut
	long processor; // nanoseconds of this process's time, from the beginning on; 0: no end
	// And of the others, for which `others` is set, and of those in installed packages, which
	// come last; 0: they are not read.
	long rest, rest_installed;

	bool cut;
	const char *lost; // the directory that all are in that were not searched, or NULL
	bool unseen;      // besides installed packages

	bool moved, others;
	bool counts; // directories have a link for each in them
	char path[PATH_MAX];
	size_t length, root, rest_bytes, fresh_bytes;
	unsigned depth, entries, row_count, row_room;
	int64_t begin;
	int top;
	struct walk_row *rows;
	struct walk_centre *centres;
};

void walk_tree(struct git_walk *walk, const char *root);

// What every run checks: the top, the directories of git's index, the command's, and those around
// these.

struct share {
	struct centre {
		const char *path;
		unsigned above; // its directory among these, or SHARE_NONE
	} *centres;             // sorted by strcmp(); "" is the first
	unsigned count;
	const struct gitindex_kept *kept;
	unsigned kept_count;
	struct file_state index;
	const char *directory; // of the command, one of the centres, or NULL
};
#define SHARE_NONE ~0U

// What the index says that has this state. `file`: kept there for a later run, or NULL. False: the
// index cannot be read, or is another one by now, and the share is the whole tree.
bool share_read(enum apart whose, struct arena *arena, const char *index,
		const struct file_state *state, const char *file, struct share *ret_share);
// Whether that needs no question, as far as is known before the plan: the index of `project` is
// missing, or was kept.
bool share_is_kept(struct arena *arena, const char *state, const char *project);
void share_add(struct arena *arena, struct share *share, const struct share *other,
	       const char *directory);
unsigned share_find(const struct share *share, const char *path);
