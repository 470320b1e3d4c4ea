// The host side while the box lives: signals, stops, the wall clock, the end.
#pragma once

#include "limits/usage.h"
#include "report/denials.h"
#include "report/findings.h"

struct clock;
struct plan;
struct run;

// What became of a run.
struct outcome {
	enum outcome_kind {
		OUTCOME_FAILED,  // a step; run->message says which
		OUTCOME_NO_EXEC, // run->message.number
		OUTCOME_ENDED,   // wait status in `status`
		OUTCOME_STOPPED, // at a limit, see `stop`
		OUTCOME_BROKEN,  // the host side failed while the command may have run
		OUTCOME_LOST,    // pid 1 died without a word
	} kind;
	int status;
	enum stop stop;
	struct denials denials;
	struct findings found; // all else
};

// Waits for the end of the box and undoes every step. `walked`: what walk_host() returned.
struct outcome supervise(struct plan *plan, struct run *run, int walked);

// What the box's pid 1 says.
enum run_turn { GOES_ON, ENDED };

// Reads one message and does what follows from it; `outcome` says how the run has ended.
enum run_turn box_messages_take(const struct plan *plan, struct run *run, struct outcome *outcome);

// Ends a box that has begun, because the host side failed: err_text() says at what.
enum run_turn run_broken(struct run *run, struct outcome *outcome);

// The report: nothing when all went well, else one line that says what and how to fix it.

// Prints to stderr what must be said and returns sbx's exit status: the command's own, 124 at the
// time limit, 125 when sbx failed, 126 and 127 when the command could not be started.
int report_outcome(const struct plan *plan, const struct run *run, struct outcome *outcome);

// --timing: one line per step, to stderr.
void report_timing(const struct plan *plan, const struct run *run);

// The state of a run before its first step.

// All is zero but the descriptors, which are -1.
void run_init(struct run *run, char *const *arguments, char *const *environment);

// The check after a run of this project whose supervisor was killed: before anything else of it.

// Reports on standard error what it did. Nothing of it changes the plan.
// `view` makes the second half of a plan.
void due_check(const struct plan *plan, const struct run *run,
	       int (*view)(struct plan *plan, char *const *environment));
