// Which boxes run in a tree, in the state directory: a file for each run, written before its
// command starts and removed after its check. It names what stood at the start, so that what a
// killed run left is checked by the next one.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct plan;
struct run;

// Before the command starts: what exists of all that the plan protects. A failure is reported at
// the end.
void journal_begin(const struct plan *plan, struct run *run);
// Whether another box lived in one of the trees at the same time.
bool journal_beside(const struct plan *plan, const struct run *run);
// After the check.
void journal_end(const struct plan *plan, struct run *run);

// Runs of a tree that were killed, at most so many at once: the names that stood when the first of
// them began, and since when. Others leave them alone until journal_done().
enum { DUE_MAX = 64 };
struct due {
	int directory, fds[DUE_MAX];
	const char *files[DUE_MAX];
	unsigned count;
	int64_t from;      // nanoseconds of the files' clock
	const char *names; // lines: "r PATH" is there with all below it, "w PATH" for itself
};
// False when there is none. A run that was killed before its command began, or in another directory
// of that name, is removed.
bool journal_due(struct arena *arena, const char *state, const char *tree, struct due *ret_due);
// `checked`: they are removed.
void journal_done(struct due *due, bool checked);
