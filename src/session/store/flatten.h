// Many layers made one, so that looking a name up stays cheap.
#pragma once

#include "session/store/store.h"

// Merges the layer *frozen and those below it that are small, or when there are none all of them,
// into a new one, by links: no byte is copied. *frozen becomes the new layer. What it takes
// depends on the small layers alone, and that is bounded, but for the rare merge of all.
int flatten_chain(struct store *store, struct session *session, unsigned *frozen);
