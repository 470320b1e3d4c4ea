// sbx run -d: the run goes on in the background, with its output in a file (report/output_ring.h).
#pragma once

struct box;

// Returns 0 in the process that is to run the command, without a terminal; 1 in the caller's, when
// the command runs or has failed to start: *ret_status is what sbx ends with. -1 with the error
// said.
int background_begin(struct box *box, int *ret_status);
