// The text of a journal: what boxes of a tree did that no check has followed yet. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct out;

// At the beginning of the file: where the lines are. New lines are written next to the old ones,
// and the head changes at once.
enum { JOURNAL_HEAD = 48, JOURNAL_LINE = 65 };
struct journal_place {
	size_t from, to;
};
// Of bytes that are no head: that of no lines.
struct journal_place journal_place(const char *head, size_t length);
void journal_head(char head[JOURNAL_HEAD], struct journal_place place);

// Times are nanoseconds of the clock that files are stamped with.
struct journal_line {
	enum journal_kind {
		JOURNAL_RUN = 'R',    // is alive, or was killed; `to`: when it was alive last
		JOURNAL_BESIDE = 'B', // the same; another one was alive at the same time
		JOURNAL_ENDED = 'E',  // ended at `to`, and is not checked yet
		JOURNAL_OWED = 'S', // from `from` to `to` boxes wrote: a part was not checked since
		JOURNAL_TOOK = 'T', // the last check of the whole tree, `to` nanoseconds
	} kind;
	uint64_t id;
	int64_t from, to;
	const char *names; // of JOURNAL_RUN and JOURNAL_ENDED
	size_t length;
	const char *start; // of the line
};
// The next line at `*at`; false at the end, or at what is none.
bool journal_next(const char **at, const char *end, struct journal_line *ret_line);
// JOURNAL_LINE bytes, without the names.
void journal_put(struct out *out, const struct journal_line *line);
