// The copies of what an apply will put in place, made before anything of the host changes.
#pragma once

#include "base/out.h"
#include "session/apply/apply_journal.h"
#include "session/compare/changes.h"
#include "session/compare/mentioned.h"
#include "session/store/rights.h"

// The directory of the path before: most of the next ones lie in it, too.
struct parent {
	int fd;
	unsigned root;
	const char *path; // NULL: there is none
	size_t length;    // of the directory's part of it
	enum rights_given gives;
	int layer; // of the session, where it is one of a layer's
};
bool parent_is(const struct parent *parent, unsigned root, const char *path);

// That of `path`; the caller opens it.
void parent_set(struct parent *parent, unsigned root, const char *path);

// What got less than its mode in the session: how many, and the first with that mode.
struct narrowed {
	mode_t umask, mode;
	unsigned count;
	const struct change *first;
};

struct applying {
	struct store *store;
	struct held *held;
	struct changes changes;
	bool *selected, *asked;     // for each change, as select_changes() says
	struct mentioned mentioned; // by the host's settings, before anything is applied
	struct journal journal;
	int stages[ROOTS_MAX]; // directories, or -1
	int hosts[ROOTS_MAX];  // the roots themselves, or -1
	int above[ROOTS_MAX];  // the directory of a root, where its stage lies there, or -1
	struct parent parent;  // of the operation that is staged
	struct parent source;  // of what is copied
	bool resumed;          // some of it may be done already
	struct out notes;      // by the process that commits
	const char *words;     // the same, for who has waited for it
	struct narrowed narrowed;
	unsigned special; // sockets and devices, which are left out
	unsigned links;   // files whose other names stay as they are
};

// Opens each root, and decides where its stage lies: in the session's directory, or, where that is
// another file system, for the time of the apply in the directory around the project, or in it.
int stage_places(struct applying *applying);
int stage_make(struct applying *applying);

// False: it is a directory of the project's file system, which a box may reach.
bool stage_is_own(const struct applying *applying, unsigned root);

// Of a journal: -1 unless each root is the one that it was written for, and each stage is there.
int stage_reopen(struct applying *applying);

// Copies everything and fills journal.operations and journal.leaves.
int stage_fill(struct applying *applying);
int stage_remove(struct applying *applying);

// All that was written to the stages and renamed is on the disk.
int stage_sync(const struct applying *applying);

int journal_write(const struct applying *applying);
int journal_sync(const struct applying *applying);
