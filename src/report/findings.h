// The report at the end of a run besides denials: typed records, counted by their kind, and
// the words and the JSON that are made of them.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/out.h"

// In the order of the words: the worst first.
enum finding_kind {
#define ROW(kind, ...) kind,
#include "report/finding_rows.h"
#undef ROW
	FINDING_KINDS
};

enum severity { SEVERITY_NOTICE, SEVERITY_WARNING, SEVERITY_DANGER, SEVERITY_ERROR, SEVERITIES };

// As report/finding_rows.h has them.
struct finding_row {
	const char *word;
	enum severity severity;
	const char *words, *agent, *fix, *more, *see;
	unsigned joined;
};
extern const struct finding_row finding_rows[FINDING_KINDS];
extern const char *const severity_words[SEVERITIES];

// Of one kind; the others are counted. A kind of which more are `joined` has as many.
enum { FINDING_RECORDS_MAX = 100, FINDING_BYTES_MAX = 512 << 10 };
unsigned findings_most(enum finding_kind kind);

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
// Adds what another process noted, whose counts are those of both. Its bytes may be any: each field
// is made visible again, and a kind or an end that cannot be takes it all away: false.
enum { FINDING_COUNT_MAX = 1 << 24 };
bool findings_take(struct findings *findings, const struct findings *answer);
void findings_free(struct findings *findings);

// A model reads the words of the table's column `agent`, where a row has them; the audit has every
// record, in the words for people.
enum reader { READER_PERSON, READER_AGENT, READER_AUDIT };
// A line or more for each kind, the worst first. Of a kind at most 8 lines are shown, or about
// 1,200 bytes, and a line says how many more there were.
void findings_text(const struct findings *findings, enum reader reader, struct out *out);
// The same, of one severity.
void findings_severe(const struct findings *findings, enum severity severity, enum reader reader,
		     struct out *out);

// The report of a run that failed, in few lines: those that fit, in the order of `text`, then how
// many more `sbx audit --run RUN` shows. False: all of it fits.
enum { BRIEF_LINES = 8, BRIEF_WORDS = 120 };
bool findings_brief(const char *text, unsigned run, struct out *out);
// The flag or command that the kind's row names.
void finding_fix(const struct reported *finding, struct out *out);

// The members of a list that is open. Where there are more of a kind than FINDING_RECORDS_MAX, a
// last one without a path has their number.
void findings_json(const struct findings *findings, struct out *out);
