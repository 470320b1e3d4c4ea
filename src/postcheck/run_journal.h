// Which boxes ran in a tree and have not been checked yet, in the state directory: one record a
// run, written before its command starts and given up after the check. A live run holds a lock on
// it, so that a killed one is known without its pid, and writes now and then that it is alive.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "postcheck/finding/finding.h"

struct arena;
struct plan;
struct run;

// What the journal of a tree says when a check of it begins.
struct journal_turn {
	struct spans spans; // the times of the tree's other boxes, and those that are owed
	bool own;           // no other check has followed this run
	int64_t begin;      // of this check
	int64_t owed;       // since when a part was not checked; INT64_MAX: it all was
	int64_t took;       // the last check of the whole tree (nanoseconds); 0: not known
};

// Before the command starts: what exists of all that the plan protects. A failure is reported at
// the end.
void journal_begin(const struct plan *plan, struct run *run);
// The journals without a record.
void journal_open(const struct plan *plan, struct run *run);
// The run is alive. Returns the milliseconds until the next time: after a tenth of a second, later
// after an eighth of the run's age, at most 10 s.
int journal_touch(struct run *run);
// The end of the run, and a wait for other checks of the tree; false when another one, which began
// after this run's end, covered it.
bool journal_turn(const struct run *run, unsigned tree, struct journal_turn *turn);
// The wait alone, for a process that pays for an owed check: false when there is no journal.
bool journal_wait(const struct run *run, unsigned tree, struct journal_turn *turn);
// Lets the next one in and changes nothing.
void journal_release(const struct run *run, unsigned tree);
// After a check: what ended until `done` is done with. The rest of what ended before the check
// stays owed. `took`: of a check of the whole tree, else 0.
void journal_end(const struct run *run, unsigned tree, const struct journal_turn *turn,
		 int64_t done, int64_t took);

// Of boxes that were killed: the names that existed when the first of them began, and since when;
// and debts. False when there is neither. Killed ones are the caller's until journal_done().
struct due {
	int fd;
	int64_t from;      // nanoseconds of the files' clock; INT64_MAX: none was killed
	const char *names; // lines: "r PATH" is there with all below it, "w PATH" for itself
	int64_t owed;      // since when a part was not checked; INT64_MAX: all was
};
bool journal_due(struct arena *arena, const char *state, const char *tree, struct due *ret_due);
void journal_done(struct due *due);

// Since when a part of the tree is owed a check, by its journal; INT64_MAX: none is.
int64_t journal_owed(const char *file);
