// Walks one side of the steps table: times each, names the one that failed, undoes backwards.
#pragma once

#include <stdbool.h>

#include "run/steps.h"

// Whether the plan's tier has this step.
bool walk_has_step(const struct plan *plan, const struct step *step);

// Host side: 0, or -1 with run->message naming the step; what was done is undone by then.
// Box side: does not return; a failure is sent to the host and ends the process.
int walk_host(struct plan *plan, struct run *run);
void walk_undo(const struct plan *plan, struct run *run);
