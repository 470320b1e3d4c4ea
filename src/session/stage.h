// The copies of what an apply will put in place, made before anything of the host changes.
#pragma once

#include "session/changes.h"
#include "session/journal.h"

struct applying {
	struct store *store;
	struct held *held;
	struct changes changes;
	bool *selected; // for each change
	struct journal journal;
	int stages[ROOTS_MOST]; // directories, or -1
	unsigned special;       // sockets and devices, which are left out
	unsigned links;         // files whose other names stay as they are
};

// Decides where each root's stage lies: in the session's directory, or, where that is another file
// system, for the time of the apply in the project.
int stage_places(struct applying *applying);
int stage_make(struct applying *applying);
int stage_reopen(struct applying *applying);

// Copies everything and fills journal.operations and journal.leaves.
int stage_fill(struct applying *applying);
int stage_remove(struct applying *applying);

int journal_write(const struct applying *applying);
