// What a run was refused, what it used and which limits it met, as words and as JSON.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "limits/group.h"
#include "report/findings.h"

struct run;

// One line: what, by whom, why, and the flag that would allow it.
void denied_line(const struct denial *denial, struct out *out);
// All of them for the audit; else the first of each kind, and the number of the rest. A person only
// gets those that no line showed during the run, and the number of shown ones that came again. A
// model gets a profile line for its user instead of a flag.
void denied_text(const struct plan *plan, const struct denials *denials, enum reader reader,
		 struct out *out);
// True if the user could allow one of them.
bool denied_can_be_allowed(const struct denials *denials);
// The members of one object, without the count.
void denied_members(const struct denial *denial, struct out *out);
// The list `denied`, and the number of the rest.
void denied_json(const struct denials *denials, struct out *out);

// How long the last words wait for their reader, once the box has ended.
enum { PATIENCE_MILLISECONDS = 15 * 1000, PATIENCE_LEAST_MILLISECONDS = 1000 };
struct patience {
	int64_t until; // steady clock, for all that is written
	int signals;   // descriptor of signals that end the wait; -1: none
};
// Writes to a descriptor of the caller's, which the box may share and may have filled: without
// using its flags, waiting at most `patience`. A terminal is first reset. `patience` NULL: there
// was no box. -1 with errno; EAGAIN: not all was read in time. 0 also if the reader of a pipe has
// gone.
int live_say(struct out *out, int fd, struct patience *patience);
// The list `limits`.
void hits_json(const struct hit *hits, int count, struct out *out);

struct outcome {
	enum outcome_kind {
		OUTCOME_FAILED,        // a step; run->message names it
		OUTCOME_NO_EXEC,       // run->message.number
		OUTCOME_ENDED,         // wait status in `status`
		OUTCOME_STOPPED,       // at a limit, see `stop`
		OUTCOME_HOST_FAILED,   // the host side failed while the command may have run
		OUTCOME_INIT_KILLED,   // pid 1, from outside; wait status in `status`
		OUTCOME_INIT_VANISHED, // pid 1 died without a message
	} kind;
	int status;
	enum stop stop;
	struct denials denials;
	struct findings found;   // all but `failure`
	struct findings failure; // of the run itself
	struct patience patience;
};

// All that the last words describe.
struct saying {
	const struct plan *plan;
	const struct run *run;
	const struct outcome *outcome;
	struct hit hits[HITS_MAX];
	int count;
	int status; // sbx's exit status
	enum reader reader;
};

void summary_all(const struct saying *saying, struct out *out);
// Worst first. Counts what does not fit in a few lines (findings_brief()).
void summary_brief(const struct saying *saying, struct out *out);
// Time, memory and the like.
void summary_usage(const struct saying *saying, struct out *out);
// The member `end`: exit, signal, limit or failed.
const char *summary_end(const struct outcome *outcome);
// One object on one line.
void summary_json(const struct saying *saying, struct out *out);

// Reports refusals during a run: to programs by events.h, to a person on a terminal in line mode.
enum {
	LIVE_LINES_A_SECOND = 3,
	LIVE_LINES_MAX = 60, // in a run; the rest is in the report of the end
};

struct findings;
struct live {
	enum { LIVE_UNASKED, LIVE_OFF, LIVE_ON } state;
	bool log; // not a terminal: the reader is `sbx logs`, or the client of a wrapped server
	int fd;   // a separate description of the terminal, non-blocking
	unsigned next;         // earlier denials were shown, or counted
	size_t findings_shown; // offset of the first unseen record
	unsigned lines;        // since `second_began`
	unsigned lines_of_run;
	int64_t second_began; // steady clock, milliseconds
	int64_t next_try;     // likewise; 0: nothing waits
	struct out unsent;    // of a line that the terminal took in part
};

void live_begin(struct live *live);
// True if a person may have to see refusals, and names that were moved away.
bool live_wants(const struct live *live);
// Call in each turn of the loop. Without a refusal it makes no system call.
void live_turn(struct live *live, const struct plan *plan, struct denials *denials,
	       const struct findings *found);
// Poll's time-out: `milliseconds`, or the time until `next_try`.
int live_wait(const struct live *live, int milliseconds);
void live_end(struct live *live);
// A separate, non-blocking description of the terminal at `fd`; -1: not a terminal.
int live_reopen_terminal(int fd);
// Resets the terminal at standard error after a box has printed there.
void live_reset_terminal(void);

// --report-fd and --status-fd: JSON lines for a program (sbx-json(5), form event), about refusals
// at once and about the end. A slow reader delays nothing: events that do not fit in the queue are
// counted.
enum { EVENTS_QUEUE_MAX = 128 << 10 }; // bytes; the last lines have extra room

struct events {
	int fd;           // non-blocking, and no process of the box has it; -1: no reader
	bool socket;      // gets one line a write
	struct out queue; // lines
	size_t queue_sent;
	uint64_t lost; // events without room
	unsigned denials_written;
	int problem; // errno of a write
};

void events_init(struct events *events);

// Call before sbx opens any descriptor: checks the one that the caller gave.
int events_plan(struct plan *plan, const struct invocation *invocation);
// Host step, after the view is decided (outside/outside.h). -1 with the error said: the box may
// write there.
int events_host(const struct plan *plan, struct run *run);

// With --status-fd: the command has started.
void events_command_started(const struct plan *plan, const struct run *run);
// Queues the new denials.
void events_queue_denials(struct events *events, const struct denials *denials);
// A descriptor to poll for writing, or -1.
int events_poll_fd(const struct events *events);
// Writes as much as the reader takes at once.
void events_write(struct events *events);

// Writes the limits that were met, the report (only --report-fd) and the exit. Waits at most
// END_MILLISECONDS for a reader. If not all was written, `said` gets a line for people.
void events_end(const struct saying *saying, struct out *said);
