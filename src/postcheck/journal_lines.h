// The text of a journal: what boxes of a tree lived that no look has followed yet. Pure.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

// At the beginning of the file: where the lines are. What is written anew is written beside the
// old, and the head changes at once.
enum { JOURNAL_HEAD = 48 };
struct journal_place {
	size_t from, to;
};
// Of bytes that are no head: that of no lines.
struct journal_place journal_place(const char *head, size_t length);
void journal_head(char head[JOURNAL_HEAD], struct journal_place place);

struct journal_line {
	enum journal_kind {
		JOURNAL_BEGIN,
		JOURNAL_END,
		JOURNAL_SPAN,
		JOURNAL_REST,  // no look before `to`, while there are many boxes
		JOURNAL_BESIDE // up to `to` a box lived that a look has followed, beside those here
	} kind;
	uint64_t id;
	int64_t from, to;
	const char *names; // of JOURNAL_BEGIN
	size_t length;
};
// The next line at `*at`; false at the end, or at what is none.
bool journal_next(const char **at, const char *end, struct journal_line *ret_line);
