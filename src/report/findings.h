// The report at the end of a run besides denials: typed records, counted by their kind, and
// the words and the JSON that are made of them.
//
// The room report owns what a run ends with: denials and findings, and their words on the
// terminal and as events. Uses: base boxes limits nouns outside policy. Begin with findings.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"

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
// The same, of some severities: bits.
void findings_severe(const struct findings *findings, unsigned severities, enum reader reader,
		     struct out *out);

// A name that a box may have chosen: shortened in its middle, and one word where words are counted.
enum { MARK_KIND = '\f', MARK_BLANK = '\037', NAME_MOST = 160 };
void findings_name(const char *name, size_t most, struct out *out);

// Of a report, `text` with marks: of each kind the first line, then others in their order, as long
// as there are at most `lines`, of 15 words each; then how many more `sbx audit --run RUN` shows.
// False: all of it fits.
enum { BRIEF_LINES = 8, SCREEN_LINES = 24, LINE_WORDS = 15 };
bool findings_brief(const char *text, unsigned run, unsigned lines, struct out *out);
// The flag or command that the kind's row names.
void finding_fix(const struct reported *finding, struct out *out);

// The members of a list that is open. Where there are more of a kind than FINDING_RECORDS_MAX, a
// last one without a path has their number.
void findings_json(const struct findings *findings, struct out *out);

// What a run was refused, each once: for people, programs and models. Not for use after clone.

// A kind has no more rows than are free: what a box fills the list with hides no other kind.
enum { DENIALS_MAX = 512, DENIAL_TEXT = 512 };

struct denial {
	char kind[16]; // "connect", "read", "write", "execute"
	char verb[16]; // "blocked", or "could not reach"
	char flag[24]; // that would allow it, of policy/keys.h; "": none does
	unsigned count;
	bool update_check; // of a program that only asks for its own newest version
	bool on_failure;   // reported only when the command failed
	bool joined;       // the line of an earlier one, which is alike, names it
	bool silent;       // the report for people and models leaves it out
	unsigned shown;    // `count` at the time when a line was shown during the run; 0: none was
	char what[DENIAL_TEXT]; // name, port or path
	char program[32];       // "": unknown
	char why[DENIAL_TEXT];
	char rule[DENIAL_TEXT];  // the line that decides, or ""
	char value[DENIAL_TEXT]; // of the flag
};

struct denials {
	struct denial *all;
	unsigned count;
	uint64_t lost;        // that are not listed singly, as there were too many
	uint64_t lost_writes; // of these, what only the report of a failure has
};

// A new one, or NULL when the same is there already (counted once more) or none fits. Texts that do
// not fit are cut. `kind`, `what` and `why` tell one from another.
struct denial *denials_add(struct denials *denials, const char *kind, const char *what,
			   const char *why, const char *program);
// One that is whole.
void denials_take(struct denials *denials, const struct denial *denial);
// Writes that one flag allows, and no line has named yet.
bool denials_are_alike(const struct denial *one, const struct denial *other);
// At the end, before the words: joins writes to the first that is alike. When the command
// succeeded, those that are reported on failure alone are silent, and so are checks for updates,
// while they are two refusals at most.
void denials_close(struct denials *denials, bool succeeded);
void denials_free(struct denials *denials);

// What a locked process refused or could not do, in memory that it shares with the supervisor: one
// table for all of these processes, which write it, and of which the supervisor believes nothing.

enum refused_kind {
	REFUSED_NOTHING,
	REFUSED_SECRET,    // opener: a request to a host of a secret
	REFUSED_AGENT,     // agent filter: a message
	REFUSED_SIGNATURE, // and a signature
	REFUSED_KINDS
};

// The flag that would allow it.
enum refused_flag {
	REFUSED_BY_NO_FLAG,
	REFUSED_AGENT_HOST,
	REFUSED_AGENT_KEY,
	REFUSED_AGENT_SIGN,
	REFUSED_FLAGS
};

struct refused {
	uint32_t kind, flag; // of the enums
	uint32_t failed;     // not 0: it was not refused, it could not be done
	uint32_t count;
	char what[400], why[160], value[128]; // of the flag, or ""
};

enum { REFUSED_MAX = 128 };

struct refused_table {
	uint32_t count;
	uint64_t lost; // that have no room
	struct refused all[REFUSED_MAX];
};

// Texts that do not fit are cut.
void refused_set(struct refused *ret, enum refused_kind kind, const char *what, const char *why);
// One more, or one more of the same kind and thing. Of REFUSED_NOTHING nothing is noted.
void refused_note(struct refused_table *table, const struct refused *refused);
// One of a table, in words; false: it is none.
bool refused_denial(struct refused refused, struct denial *ret);
// When the process that writes it has ended; `table` may be NULL.
void refused_report(const struct refused_table *table, struct denials *denials);
