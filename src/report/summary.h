// Words and JSON about a run's refusals, usage and limits.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/base.h"
#include "limits/group.h"
#include "report/findings.h"

struct run;

// `plan` is NULL outside the supervisor.
void denied_line(const struct plan *plan, pid_t live_run, const struct denial *denial,
		 struct out *out);
// A person gets the first denials of each kind, without those that a line showed during the run,
// and the number of the rest. The audit gets all. A model gets profile lines instead of flags.
void denied_text(const struct plan *plan, pid_t live_run, const struct denials *denials,
		 enum reader reader, struct out *out);
bool denied_can_be_allowed(const struct denials *denials);
void denied_members(const struct denial *denial, struct out *out);
void denied_json(const struct denials *denials, struct out *out);

// How long the report waits for its reader.
enum { PATIENCE_MILLISECONDS = 15 * 1000, PATIENCE_LEAST_MILLISECONDS = 1000 };
struct patience {
	int64_t until;
	int signals;
};
// Writes to a descriptor that the box may share, whatever its flags. Waits for at most `patience`
// (NULL: PATIENCE_MILLISECONDS). Returns -1 and EAGAIN if not all was read in time, 0 if the reader
// of a pipe has gone.
int terminal_lines_say(struct out *out, int fd, struct patience *patience);
void hits_json(const struct hit *hits, int count, struct out *out);

struct outcome {
	enum outcome_kind {
		OUTCOME_FAILED,
		OUTCOME_NO_EXEC,
		OUTCOME_ENDED,
		OUTCOME_STOPPED,
		OUTCOME_HOST_FAILED, // the command may have run
		OUTCOME_INIT_KILLED,
		OUTCOME_INIT_VANISHED,
	} kind;
	int status;
	enum stop stop;
	struct denials denials;
	struct findings found;
	struct findings failure;
	struct patience patience;
};

struct saying {
	const struct plan *plan;
	const struct run *run;
	const struct outcome *outcome;
	struct hit hits[HITS_MAX];
	int count;
	int status;
	enum reader reader;
};

void summary_all(const struct saying *saying, struct out *out);
void summary_brief(const struct saying *saying, struct out *out);
void summary_usage(const struct saying *saying, struct out *out);
const char *summary_end(const struct outcome *outcome);
void summary_json(const struct saying *saying, struct out *out);

// Reports refusals during a run to a person, on a terminal in line mode.
enum {
	TERMINAL_LINES_A_SECOND = 3,
	TERMINAL_LINES_MAX = 60, // in a run
};

struct findings;
struct terminal_lines {
	enum { TERMINAL_UNASKED, TERMINAL_OFF, TERMINAL_ON } state;
	bool log; // no terminal: writes for `sbx logs`, or for the client of `sbx mcp wrap`
	int fd;   // own open file description, non-blocking
	unsigned next;
	size_t findings_shown; // offset in the findings' records
	unsigned lines;
	unsigned lines_of_run;
	int64_t second_began;
	int64_t next_try; // when to write `unsent`; 0: nothing waits
	struct out unsent;
};

void terminal_lines_begin(struct terminal_lines *live);
bool terminal_lines_wants(const struct terminal_lines *live);
// Makes no system call unless something was refused.
void terminal_lines_turn(struct terminal_lines *live, const struct plan *plan,
			 struct denials *denials, const struct findings *found);
int terminal_lines_wait(const struct terminal_lines *live, int milliseconds);
void terminal_lines_end(struct terminal_lines *live);
// Opens the terminal again, non-blocking. Returns -1 if `fd` is no terminal.
int terminal_lines_reopen_terminal(int fd);
void terminal_lines_reset_terminal(void);

// --report-fd and --status-fd: JSON lines (sbx-json(5), form event). Counts events for which a slow
// reader leaves no room.
enum { EVENTS_QUEUE_MAX = 128 << 10 }; // bytes; the last lines have extra room

struct events {
	int fd; // non-blocking, not the box's; -1: no reader
	bool socket;
	struct out queue;
	size_t queue_sent;
	uint64_t lost;
	unsigned denials_written;
	int problem;
};

void events_init(struct events *events);

int events_plan(struct plan *plan, const struct invocation *invocation);
// Fails if the box may write to the descriptor (outside/outside.h).
int events_host(const struct plan *plan, struct run *run);

void events_command_started(const struct plan *plan, const struct run *run);
void events_queue_denials(struct events *events, const struct denials *denials);
// Returns -1 if there is nothing to write.
int events_poll_fd(const struct events *events);
void events_write(struct events *events);

// Waits at most END_MILLISECONDS for a reader. Without --status-fd it also writes the report.
// `said` gets a line for people if not all was written.
void events_end(const struct saying *saying, struct out *said);
