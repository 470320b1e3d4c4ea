// The renames of an apply, and the way back.
#pragma once

#include "session/apply/stage.h"

// All operations of the journal, or none. In a process of its own, which a killed sbx does not take
// along. Its notes are in applying->notes. -1: taken back, with the reason.
int commit_run(struct applying *applying);

// Takes back what a journal says was begun, and nothing else.
int commit_back(struct applying *applying);

// Removes the stage and the journal.
int commit_clean(struct applying *applying);
