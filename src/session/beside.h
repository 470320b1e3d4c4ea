// Old versions of the host's files that cannot go back to their place.
#pragma once

#include "session/stage.h"

// From the stage to the directory that it was in, as NAME.sbx-old, else to the top of the root;
// told. -1: there is no place for it, and it stays in the stage.
int beside_keep(struct applying *applying, const struct operation *operation);
