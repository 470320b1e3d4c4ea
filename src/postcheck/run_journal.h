// What boxes of a tree lived that no look has followed yet, in the state directory: written before
// the command starts, and given up after the look. Whoever lives holds a lock on it, so that what
// was killed is known without its pid.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "postcheck/finding/finding.h"
#include "postcheck/journal_lines.h"

struct plan;
struct run;

enum { JOURNAL_ENDED_MAX = 1024 };
// What the lines of a tree say when a look at it begins.
struct journal_turn {
	struct spans spans; // the times of the tree's other boxes
	bool own;           // nobody else has looked after this run
	int64_t rest;       // no look before
	// The boxes that the look is for, besides its own run; and how many others there are.
	uint64_t ended[JOURNAL_ENDED_MAX];
	unsigned count, others;
	struct journal_ended {
		uint64_t id;
		int64_t to;
	} ends[JOURNAL_ENDED_MAX]; // of the lines that were read last
	unsigned end_count;
};

// Before the command starts: what is there of all that the plan protects. A failure is reported at
// the end.
void journal_begin(const struct plan *plan, struct run *run);
// Whose turn a look at a tree is: this run's, after those before it; false when another run's look,
// which began after this run's end, was for this one, too.
bool journal_turn(const struct run *run, unsigned tree, struct journal_turn *turn);
// Gives the turn to others and leaves all as it is.
void journal_release(const struct run *run, unsigned tree);

// How far a look came.
enum searched_part {
	SEARCHED_NOTHING,
	SEARCHED_PART,
	SEARCHED_ROUND, // to the end of the tree, from where the look before was cut
	SEARCHED_ALL,
};
// `before`: what ended before is done with; `took`: the look (nanoseconds).
void journal_end(const struct run *run, unsigned tree, struct journal_turn *turn,
		 enum searched_part part, int64_t before, int64_t took);

// Of boxes that were killed: the names that stood there when the first of them began, and since
// when; false when there are none. They are the caller's until journal_done().
struct arena;
struct due {
	int fd;
	int64_t from;      // nanoseconds of the files' clock
	const char *names; // lines: "r PATH" is there with all below it, "w PATH" for itself
};
bool journal_due(struct arena *arena, const char *state, const char *tree, struct due *ret_due);
void journal_done(struct due *due);
