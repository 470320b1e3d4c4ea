// What the opener tells the supervisor: which secret went where, and what was refused.
#pragma once

#include "opener/bridge.h"

// `failed`: it was not refused, it could not be done.
void notes_refusal(struct opener *opener, const struct bridge *bridge, const char *why,
		   bool failed);
// Takes the uses that the exchange has counted since the last call.
void notes_uses(struct opener *opener, struct exchange *exchange);
