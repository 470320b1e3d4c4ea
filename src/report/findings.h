// What is reported at the end of a run besides denials: typed records, counted by their kind. Words
// and JSON are made of them in report/finding_words.h and report/finding_json.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/out.h"

// In the order of the words: the worst first. report/finding_kinds.c has a row for each.
enum finding_kind {
	FINDING_BROKEN_REPOSITORY,
	FINDING_NOT_MOVED,
	FINDING_CHECK_CUT,
	FINDING_LEFT_UNCHECKED,
	FINDING_UNREADABLE,
	FINDING_UNREADABLE_FILE,
	FINDING_NOT_LISTED,
	FINDING_PROTECTION_LOST,
	FINDING_PROTECTED_AGAIN,
	FINDING_REPLACED,
	FINDING_OPENED,
	FINDING_PROFILE_NOT_NOTED,
	FINDING_MOVED,
	FINDING_RENAMED,
	FINDING_CONFIG_WITHHELD,
	FINDING_CONFIG_REMOVED,
	FINDING_CONFIG_CHANGED,
	FINDING_CONFIG_ADDRESS,
	FINDING_CONFIG_FAILED,
	FINDING_TRACKED,
	FINDING_SYMLINK,
	FINDING_SEARCHED_PART,
	FINDING_TOO_DEEP,
	FINDING_TOO_MANY,
	FINDING_NOT_COMPARED,
	FINDING_JOURNAL,
	FINDING_PORTS,
	FINDING_NO_CONTROL,
	FINDING_NO_ANSWER,
	FINDING_ANSWER_LOST,
	FINDING_WARNING,
	FINDING_HEADLESS,
	FINDING_REPOSITORY_CHANGED,
	FINDING_REPOSITORY_MADE,
	FINDING_WORKTREE_LOST,
	FINDING_KILLED_RUN,
	FINDING_OTHER_BOX,
	FINDING_SECRET_USED,
	FINDING_OPENER_ENDED,
	FINDING_CHANGED,
	FINDING_UNTRACKED,
	FINDING_ALTERED,
	FINDING_BACKGROUND,
	FINDING_PATH,
	FINDING_OTHER_PROGRAM,
	FINDING_NO_RIGHTS,
	FINDING_NO_DAEMON,
	FINDING_WITHHELD,
	FINDING_PLAN_FAILED,
	FINDING_STEP_FAILED,
	FINDING_ADVICE,
	FINDING_CANNOT_RUN,
	FINDING_NOT_FOUND,
	FINDING_SCRIPT,
	FINDING_NO_USR,
	FINDING_PROGRAM_LACKS,
	FINDING_PROGRAM_HIDDEN,
	FINDING_NOT_INSIDE,
	FINDING_INIT_KILLED,
	FINDING_RUN_BROKEN,
	FINDING_KINDS
};

enum {
	FINDING_RECORDS_MAX = 100,
	FINDING_BYTES_MAX = 64 << 10
}; // of one kind; the others are counted

// Each field may be "". Characters that act on a terminal are written as str_next() shows them, and
// bytes that are no UTF-8 as <FF>.
struct reported {
	enum finding_kind kind;
	const char *path;   // what it is about: a path, a step or a program
	const char *detail; // why, or what there is about it
	const char *fix;    // what the fix needs: the ID in quarantine, a path for a flag
};

struct findings {
	struct out records;
	unsigned counts[FINDING_KINDS]; // those of `records` and those that had no room there
	size_t bytes[FINDING_KINDS];
};

void findings_add(struct findings *findings, enum finding_kind kind, const char *path,
		  const char *detail, const char *fix);
bool findings_has(const struct findings *findings, enum finding_kind kind, const char *path);
unsigned findings_count(const struct findings *findings);
// The record at `at`, which goes on to the next one: 0 before the first. False after the last.
bool findings_next(const struct findings *findings, size_t *at, struct reported *ret_finding);
void findings_free(struct findings *findings);
