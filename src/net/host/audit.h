// The log of connections: a file of JSON lines for each run that has some, below
// ~/.local/state/sbx/log, read by sbx audit.
//
// What a run writes is bounded, and so is what it takes from others: refusals have a quota of their
// own, of the connections that are let through the first AUDIT_SINGLES have a line each when they
// have ended, and the rest are counted by destination. What all runs keep is bounded as well; there
// the largest file goes first.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "net/rules/control.h"

#define AUDIT_DIRECTORY "log"
#define AUDIT_SUFFIX    ".jsonl"

enum {
	AUDIT_SINGLES = 20000,
	AUDIT_QUESTIONS = 1000, // for names
	AUDIT_REFUSED_BYTES = 1 << 20,
	AUDIT_FILES_MAX = 1000,
	AUDIT_ALL_BYTES = 256 << 20,
};

struct audit_count {
	uint64_t connections, up, down;
};

struct audit {
	int fd;              // -1 before it is opened, -2 when it cannot be
	const char *project; // of the run, in each line; NULL: none
	unsigned singles, questions;
	size_t refused; // bytes of such lines
};

// Logs what became of connections; opened below `state` with the first one. What cannot be logged
// does not stop the run: the log is no wall. A connection without a line is added to `unlogged`.
void audit_take(struct audit *audit, const char *state, const struct conn_record *record, pid_t pid,
		const char *program, struct audit_count *unlogged);
// A line for the rest, at the end of the run.
void audit_rest(const struct audit *audit, const struct conn_record *record,
		const struct audit_count *unlogged);
// What the run's report says, a JSON line (form reported) for each of `text`, in a file beside. -1
// with the error said.
int audit_report(const char *state, const char *project, const char *text);
// And files of other runs go that are too many.
void audit_end(struct audit *audit, const char *state);
extern const char *const audit_verdicts[];
