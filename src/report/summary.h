// What a run was refused, what it took and which limits it met, in words and as JSON.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "limits/group.h"
#include "report/findings.h"

struct run;

// One line: what, by whom, why, and the flag that would allow it.
void denied_line(const struct denial *denial, struct out *out);
// All of them for the audit, else a line for each of the first of a kind, then their number. A
// person gets none for those that were shown during the run: of these a line says how many there
// were, if they came again afterwards. A model that reads what its command printed gets the line of
// a profile that its user could write instead of a flag.
void denied_text(const struct plan *plan, const struct denials *denials, enum reader reader,
		 struct out *out);
// Whether the user could allow one of them.
bool denied_by_policy(const struct denials *denials);
// The members of one in JSON, without its count.
void denied_members(const struct denial *denial, struct out *out);
// A JSON list, `denied`, and how many more there were.
void denied_json(const struct denials *denials, struct out *out);

// How long what sbx says waits for its reader, once the box has ended.
enum { PATIENCE_MILLISECONDS = 15 * 1000, PATIENCE_LEAST_MILLISECONDS = 1000 };
struct patience {
	int64_t until; // of the steady clock: of all that is said
	int signals;   // where those are read that end the wait; -1: none are
};
// Writes to a descriptor of the caller's that a box may have as well, and may have filled: by none
// of its flags, and without a wait beyond that. On a terminal, after what a box began there. NULL:
// no box was there. -1 with errno, EAGAIN: not all was read in time; 0 also where the reader of a
// pipe has gone.
int live_say(struct out *out, int fd, struct patience *patience);
// A JSON list, `limits`.
void hits_json(const struct hit *hits, int count, struct out *out);

// What became of a run.
struct outcome {
	enum outcome_kind {
		OUTCOME_FAILED,  // a step; run->message says which
		OUTCOME_NO_EXEC, // run->message.number
		OUTCOME_ENDED,   // wait status in `status`
		OUTCOME_STOPPED, // at a limit, see `stop`
		OUTCOME_BROKEN,  // the host side failed while the command may have run
		OUTCOME_KILLED,  // pid 1, from outside; wait status as of ENDED
		OUTCOME_LOST,    // pid 1 died without a word
	} kind;
	int status;
	enum stop stop;
	struct denials denials;
	struct findings found;   // all else
	struct findings failure; // of the run itself
	struct patience patience;
};

// What there is to say of a run.
struct saying {
	const struct plan *plan;
	const struct run *run;
	const struct outcome *outcome;
	struct hit hits[HITS_MAX];
	int count;
	int status; // that sbx ends with
	enum reader reader;
};

void summary_all(const struct saying *saying, struct out *out);
// The worst first; what does not fit in a few lines is counted (findings_brief()).
void summary_brief(const struct saying *saying, struct out *out);
// What the run took.
void summary_text(const struct saying *saying, struct out *out);
// The member `end`: exit, signal, limit or failed.
const char *summary_end(const struct outcome *outcome);
// One object on one line.
void summary_json(const struct saying *saying, struct out *out);

// Refusals of a run, reported while it runs: to a program by events.h, to a person on the terminal
// where a line harms nothing.
enum {
	LIVE_LINES_A_SECOND = 3,
	LIVE_LINES_MAX = 60, // in a run; the others are in the report of the end
};

struct findings;
struct live {
	enum { LIVE_UNASKED, LIVE_OFF, LIVE_ON } state;
	bool log;      // no terminal, but what sbx logs or the client of a wrapped server reads
	int fd;        // of the terminal: a description of our own, which never waits
	unsigned next; // denials before it were shown, or counted
	size_t findings_shown; // findings before it were shown
	unsigned lines;        // since `second`, when a line was shown first
	unsigned lines_of_run; // lines of this run
	int64_t second_began;  // milliseconds of the steady clock, as is
	int64_t next_try;      // when to look again; 0: nothing waits
	struct out unsent;     // of a line that the terminal has not taken whole
};

void live_begin(struct live *live);
// Whether a person may have to see refusals, and names that were taken away.
bool live_wants(const struct live *live);
// After each turn of the loop. Makes no system call where nothing was refused.
void live_turn(struct live *live, const struct plan *plan, struct denials *denials,
	       const struct findings *found);
// Poll's time-out: this one, or until the next try of a line that waits.
int live_wait(const struct live *live, int milliseconds);
void live_end(struct live *live);
// A description of our own of the terminal that is open there, which never waits; -1: it is none.
int live_terminal(int fd);
// Standard error is a terminal, and what a box printed there is behind us: what follows is seen.
void live_plain(void);

// --report-fd and --status-fd: what a run is refused, at once, and how it ends, as JSON lines for a
// program (sbx-json(5), form event). Who reads slowly, or not at all, holds nothing up: what does
// not fit in the queue is counted.
enum { EVENTS_QUEUE_MAX = 128 << 10 }; // bytes; the lines of the end have room beside

struct events {
	int fd;      // never waits, and no process of the box has it; -1: nobody asked, or reads
	bool socket; // which takes a line at a time
	struct out queue;         // lines
	size_t queue_sent;        // bytes of it
	uint64_t lost;            // events that had no room
	unsigned denials_written; // denials
	int problem;              // errno of a write
};

void events_init(struct events *events);

// First half of the plan: the caller's descriptor is checked before sbx opens another.
int events_plan(struct plan *plan, const struct invocation *invocation);
// Host step, when the view is decided (outside/outside.h). -1 with the error said when the box may
// write there.
int events_host(const struct plan *plan, struct run *run);

// With --status-fd: the command has started.
void events_start(const struct plan *plan, const struct run *run);
// The denials that are new.
void events_denials(struct events *events, const struct denials *denials);
// What waits to become writable, or -1.
int events_waiting(const struct events *events);
// Writes as much as is taken at once.
void events_write(struct events *events);

// The limits that were hit, the report of --report json but for --status-fd, and the exit. Waits
// for a reader at most END_MILLISECONDS. A line for people in `said` when not all could be written.
void events_end(const struct saying *saying, struct out *said);
