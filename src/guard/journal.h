// What boxes of a tree lived that no look has followed yet, in the state directory: written before
// the command starts, and given up after the look. Whoever lives holds a lock on it, so that what
// was killed is known without its pid.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct check;
struct out;
struct plan;
struct run;
struct spans;

// Before the command starts: what is there of all that the plan protects. A failure is reported at
// the end.
void journal_begin(const struct plan *plan, struct run *run);
// The times of a tree's boxes, this one's too.
void journal_spans(const struct run *run, unsigned tree, struct spans *ret_spans);
// Whose turn a look is: of many boxes at once one makes it, for a part of the time.
enum journal_turn { TURN_ALONE, TURN_OF_MANY, TURN_OF_OTHERS };
enum journal_turn journal_turn(const struct run *run, unsigned tree);

// How far a look came.
enum searched_part {
	SEARCHED_NOTHING,
	SEARCHED_PART,
	SEARCHED_ROUND, // to the end of the tree, from where the look before was cut
	SEARCHED_ALL,
};
// `before`: what ended before is done with; `took`: the look (nanoseconds).
void journal_end(const struct run *run, unsigned tree, enum searched_part part, int64_t before,
		 int64_t took);

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

// Pure: the lines of a journal. `lives` says of an id whether its owner does.
struct journal_line {
	enum journal_kind {
		JOURNAL_BEGIN,
		JOURNAL_END,
		JOURNAL_SPAN,
		JOURNAL_REST // no look before `to`, while there are many boxes
	} kind;
	uint64_t id;
	int64_t from, to;
	const char *names; // of JOURNAL_BEGIN
	size_t length;
};
// The next line at `*at`; false at the end, or at what is none.
bool journal_next(const char **at, const char *end, struct journal_line *ret_line);
