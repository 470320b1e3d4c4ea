// The log of connections: a file of JSON lines for each run that has some, below
// ~/.local/state/sbx/log, read by sbx audit.
//
// Refusals have a quota. The first AUDIT_SINGLES allowed connections get a line each at their end;
// the rest are counted by destination. All logs together are bounded, too: the largest file goes
// first.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "net/rules/control.h"

#define AUDIT_DIRECTORY "log"
#define AUDIT_SUFFIX    ".jsonl"

enum {
	AUDIT_SINGLES = 20000,
	AUDIT_QUESTIONS = 1000,
	AUDIT_REFUSED_BYTES = 1 << 20,
	AUDIT_FILES_MAX = 1000,
	AUDIT_ALL_BYTES = 256 << 20,
};

struct audit_count {
	uint64_t connections, up, down;
};

struct audit {
	int fd;              // -1: not opened yet; -2: cannot be opened
	const char *project; // in each line, or NULL
	unsigned singles, questions;
	size_t refused;
};

// The first ended connection opens the file below `state`. A failure does not stop the run: the log
// is no wall. `unlogged` counts connections without a line.
void audit_take(struct audit *audit, const char *state, const struct conn_record *record, pid_t pid,
		const char *program, struct audit_count *unlogged);
// A line for the uncounted rest, at the end of the run.
void audit_rest(const struct audit *audit, const struct conn_record *record,
		const struct audit_count *unlogged);
// Writes the run's report in a separate file: a JSON line (form reported) for each line of `text`.
// -1 with the error said.
int audit_report(const char *state, const char *project, const char *text);
// Also removes other runs' files beyond the bounds.
void audit_end(struct audit *audit, const char *state);
extern const char *const audit_verdicts[];
