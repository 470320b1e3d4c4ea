// sbx run --json prints one object at the end of a run. sbx run -d makes a background run, whose
// record has its output and that object. Both use a front (report/front.h).
#pragma once

#include "base/base.h"

struct box;

// Call it before run_command(). With --json it captures the command's stdout and stderr.
int result_prepare(struct box *box);

// Returns 0 in the process that runs the command, without a terminal. Returns 1 in the caller's
// process when the command runs or failed to start: *ret_status is sbx's exit status.
int background_begin(struct box *box, int *ret_status);
