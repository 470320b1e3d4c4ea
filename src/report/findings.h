// Findings at the end of a run: records, counted by kind, their words and JSON.
//
// The room report owns what a run ends with: denials and findings, and their words on the terminal
// and as events. Uses: base boxes limits nouns outside policy. Begin with findings.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

// Worst first.
enum finding_kind {
#define ROW(kind, ...) kind,
#include "report/finding_rows.h"
#undef ROW
	FINDING_KINDS
};

enum severity { SEVERITY_NOTICE, SEVERITY_WARNING, SEVERITY_DANGER, SEVERITY_ERROR, SEVERITIES };

struct finding_row {
	const char *word;
	enum severity severity;
	const char *words, *agent, *fix, *more, *see;
	unsigned joined;
};
extern const struct finding_row finding_rows[FINDING_KINDS];
extern const char *const severity_words[SEVERITIES];

// Findings of a kind beyond FINDING_RECORDS_MAX (more if `joined`) are only counted.
enum { FINDING_RECORDS_MAX = 100, FINDING_BYTES_MAX = 512 << 10 };
unsigned findings_most(enum finding_kind kind);

// Texts are printable. Control characters are escaped as by str_next(), invalid UTF-8 as <FF>.
struct reported {
	enum finding_kind kind;
	const char *path; // or a step, or a program
	const char *detail;
	const char *fix; // an ID in quarantine, or a path for a flag
};

struct findings {
	struct out records;
	unsigned counts[FINDING_KINDS]; // also of findings without a record
	size_t bytes[FINDING_KINDS];
};

void findings_add(struct findings *findings, enum finding_kind kind, const char *path,
		  const char *detail, const char *fix);
bool findings_has(const struct findings *findings, enum finding_kind kind, const char *path);
unsigned findings_count(const struct findings *findings);
// Reads the finding at `at`, and advances `at`, which begins with 0. Returns false after the last.
bool findings_next(const struct findings *findings, size_t *at, struct reported *ret_finding);
// `answer` may hold any bytes. Adds nothing and returns false if a kind or a length is impossible.
enum { FINDING_COUNT_MAX = 1 << 24 };
bool findings_take(struct findings *findings, const struct findings *answer);
void findings_free(struct findings *findings);

// READER_AGENT is a model, which gets the words `agent`. READER_AUDIT gets every record.
enum reader { READER_PERSON, READER_AGENT, READER_AUDIT };
// Writes the worst first. A kind gets at most 8 lines or about 1,200 bytes, then a line with the
// number of the rest.
void findings_text(const struct findings *findings, enum reader reader, struct out *out);
void findings_severe(const struct findings *findings, unsigned severities, enum reader reader,
		     struct out *out);

// Shortens the middle of a name. Marks its blanks for findings_brief().
enum { MARK_KIND = '\f', MARK_BLANK = '\037', NAME_MOST = 160 };
void findings_name(const char *name, size_t most, struct out *out);

// Shortens a report to `lines`: the first of each kind, then others, then a hint to `sbx audit
// --run RUN`. Returns false if all fits.
enum { BRIEF_LINES = 8, SCREEN_LINES = 24, LINE_WORDS = 15 };
bool findings_brief(const char *text, unsigned run, unsigned lines, struct out *out);
void finding_fix(const struct reported *finding, struct out *out);

// Puts the findings as objects of an open list. An object without a path has the number of findings
// without a record.
void findings_json(const struct findings *findings, struct out *out);

// The functions of denials allocate memory: do not call them after a clone.

// A kind gets at most half of the free rows: a box cannot hide one kind behind another.
enum { DENIALS_MAX = 512, DENIAL_TEXT = 512 };

struct denial {
	char kind[16]; // "connect", "read", "write", "execute"
	char verb[16]; // "blocked", or "could not reach"
	char flag[24]; // option that would allow it; "": none
	unsigned count;
	bool update_check; // a program asked for its newest version
	bool on_failure;   // reported only if the command failed
	bool joined;       // an earlier denial's line names this one
	bool silent;       // left out of the report
	unsigned shown;    // `count` when a line during the run showed the denial
	char what[DENIAL_TEXT];
	char program[32]; // "": unknown
	char why[DENIAL_TEXT];
	char rule[DENIAL_TEXT];
	char value[DENIAL_TEXT];
};

struct denials {
	struct denial *all;
	unsigned count;
	uint64_t lost;
	uint64_t lost_writes; // part of `lost`, reported only if the command failed
};

// Returns NULL if the same `kind`, `what` and `why` is listed, or the list is full. Cuts long
// texts.
struct denial *denials_add(struct denials *denials, const char *kind, const char *what,
			   const char *why, const char *program);
void denials_add_copy(struct denials *denials, const struct denial *denial);
// Whether the same flag would allow both writes, and no line has shown them.
bool denials_are_alike(const struct denial *one, const struct denial *other);
// Joins writes that are alike. After success it silences `on_failure` denials, and update checks
// that were refused at most twice.
void denials_close(struct denials *denials, bool succeeded);
void denials_free(struct denials *denials);

// The opener and the SSH agent share a table of refusals. The supervisor trusts no entry.

enum refused_kind {
	REFUSED_NOTHING,
	REFUSED_SECRET,
	REFUSED_AGENT,
	REFUSED_SIGNATURE,
	REFUSED_KINDS
};

enum refused_flag {
	REFUSED_BY_NO_FLAG,
	REFUSED_AGENT_HOST,
	REFUSED_AGENT_KEY,
	REFUSED_AGENT_SIGN,
	REFUSED_FLAGS
};

struct refused {
	uint32_t kind, flag;
	uint32_t failed; // not 0: failed, not refused
	uint32_t count;
	char what[400], why[160], value[128];
};

enum { REFUSED_MAX = 128 };

struct refused_table {
	uint32_t count;
	uint64_t lost;
	struct refused all[REFUSED_MAX];
};

void refused_set(struct refused *ret, enum refused_kind kind, const char *what, const char *why);
// Ignores REFUSED_NOTHING.
void refused_note(struct refused_table *table, const struct refused *refused);
bool refused_denial(struct refused refused, struct denial *ret);
// Call after the writers have ended. `table` may be NULL.
void refused_collect(const struct refused_table *table, struct denials *denials);
