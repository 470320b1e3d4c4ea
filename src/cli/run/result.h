// sbx run --json: one object at the end of a run; and sbx run -d: the run goes on in the
// background, with its output and the same object in its record. Both by a front (report/front.h).
#pragma once

#include "base/base.h"

struct box;

// Before run_command(): with --json stdout and stderr of the command are captured, and printed at
// its end.
int result_prepare(struct box *box);

// Returns 0 in the process that is to run the command, without a terminal; 1 in the caller's, when
// the command runs or has failed to start: *ret_status is what sbx ends with. -1 with the error
// said.
int background_begin(struct box *box, int *ret_status);
