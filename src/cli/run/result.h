// sbx run --json: one object at the end of a run.
#pragma once

#include "base/out.h"

struct box;

// Before run_command(): stdout and stderr of the command are captured, and printed at its end.
int result_prepare(struct box *box);
// The same object without what was printed, of a run in the background: the memory that it is
// written to when the run ends.
int result_note(struct box *box);
