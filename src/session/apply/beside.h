// Old versions of the host's files that cannot go back to their place.
#pragma once

#include "session/apply/stage.h"

// Why: the host's own stands at the name; the session's does, and the old version was written to
// after the apply had looked at it, or can be, by a program that has it open.
enum beside { BESIDE_BACK, BESIDE_CHANGED, BESIDE_OPEN };

// From the stage to the directory that it was in, as NAME.sbx-old, else to the top of the root;
// reported. -1: there is no place for it, and it stays in the stage.
int beside_keep(struct applying *applying, const struct operation *operation, enum beside why);
