// Which part of a tree a check goes through, and whether it is as an earlier check saw it, so that
// nothing in it is read.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct check;
struct dirs;
struct journal_turn;
struct share;
struct plan;
struct run;
struct searched;

// When the command began, in nanoseconds of the files' clock.
int64_t quiet_start(const struct check *check);
// True if the whole tree is checked: with `check = all`, after a long run, without an index of git,
// and where the index differs from the one by which the share was chosen. Else `ret_share` is the
// list of the share, in the arena.
bool quiet_is_whole(const struct check *check, const struct searched *tree,
		    const struct journal_turn *turn, struct arena *arena, struct dirs *ret_share);
// From when on something in that part may have been changed by a box.
int64_t quiet_since(const struct check *check, const struct journal_turn *turn, bool whole);

// The directory of the command, relative to the tree, "" where it is elsewhere.
const char *quiet_directory(const struct plan *plan, const struct searched *tree);
// The share of the project, by git's index as it is now; false for another tree, and without
// one.
bool quiet_share(const struct plan *plan, const struct searched *tree, struct arena *arena,
		 struct share *ret_share);
void quiet_write_share(const struct share *share, const struct dirs *whole,
		       const struct searched *tree);

// Ends the check of each tree that is as it was. False when one is not.
bool quiet_trees(struct check *check, const struct run *run);
