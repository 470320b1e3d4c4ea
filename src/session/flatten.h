// Many layers made one, so that looking a name up stays cheap.
#pragma once

#include "session/store.h"

// Merges the layer *frozen and all below it into a new one that stands on the host's directories,
// by links: no byte is copied. *frozen becomes the new layer.
int flatten_chain(struct store *store, struct session *session, unsigned *frozen);
