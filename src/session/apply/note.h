// What an apply notes of its own work, so that it is not taken for the host's.
#pragma once

#include "session/apply/stage.h"

int note_done(struct applying *applying);

// After all was taken back: what was moved to and fro has another ctime, and is the same.
int note_back(struct applying *applying);
