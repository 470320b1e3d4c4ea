// The host side while the box lives: signals, stops, the wall clock, the end.
#pragma once

#include "base/denials.h"
#include "base/out.h"
#include "limits/usage.h"

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
	struct out told;    // lines for people, of all else
	struct out changed; // names of the project, with newlines between
};

// Waits for the end of the box and undoes every step.
struct outcome supervise(const struct plan *plan, struct run *run);
