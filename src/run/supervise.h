// The host side while the box lives: signals, stops, the wall clock, the end.
#pragma once

#include "limits/usage.h"
#include "report/denials.h"
#include "report/findings.h"

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
