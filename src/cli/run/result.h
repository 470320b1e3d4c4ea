// sbx run --json: one object at the end of a run.
#pragma once

#include "base/base.h"

struct box;

// Before run_command(): stdout and stderr of the command are captured, and printed at its end.
int result_prepare(struct box *box);
// The same object without the output, of a run in the background: the memory to which it is written
// when the run ends.
int result_note(struct box *box);
