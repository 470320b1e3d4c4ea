// A run whose changes are looked at before the host has them.
#pragma once

struct box;

// Before run_command(): with --review, makes the session, and asks when the run has ended.
int review_prepare(struct box *box);
