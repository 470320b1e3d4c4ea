// The copies of what an apply will put in place, made before anything of the host changes.
#pragma once

#include "base/out.h"
#include "session/changes.h"
#include "session/journal.h"
#include "session/mentioned.h"

// The directory of the path before: most of the next ones lie in it, too.
struct parent {
	int fd;
	unsigned root;
	const char *path; // NULL: there is none
	size_t length;    // of the directory's part of it
	int gives;        // what is new in it inherits rights
	int layer;        // of the session, where it is one of a layer's
};
bool parent_is(const struct parent *parent, unsigned root, const char *path);

// That of `path`; the caller opens it.
void parent_set(struct parent *parent, unsigned root, const char *path);

struct applying {
	struct store *store;
	struct held *held;
	struct changes changes;
	bool *selected;             // for each change
	struct mentioned mentioned; // by the host's settings, before anything is applied
	struct journal journal;
	int stages[ROOTS_MOST]; // directories, or -1
	int hosts[ROOTS_MOST];  // the roots themselves, or -1
	struct parent parent;   // of the operation that is staged
	struct parent source;   // of what is copied
	bool resumed;           // some of it may be done already
	struct out told;        // by the process that commits
	const char *words;      // the same, for who has waited for it
	unsigned special;       // sockets and devices, which are left out
	unsigned links;         // files whose other names stay as they are
};

// Opens each root, and decides where its stage lies: in the session's directory, or, where that is
// another file system, for the time of the apply in the project.
int stage_places(struct applying *applying);
int stage_make(struct applying *applying);

// Of a journal: -1 unless each root is the one that it was written for, and each stage is there.
int stage_reopen(struct applying *applying);

// Copies everything and fills journal.operations and journal.leaves.
int stage_fill(struct applying *applying);
int stage_remove(struct applying *applying);

// All that was written to the stages and renamed is on the disk.
int stage_sync(const struct applying *applying);

int journal_write(const struct applying *applying);
int journal_sync(const struct applying *applying);
