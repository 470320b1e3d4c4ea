// What both sides of TLS have in common for all connections.
#pragma once

#include "opener/bridge.h"

// Made with the first connection: reading the roots takes milliseconds. False when they cannot be.
bool contexts_begin(struct opener *opener);
// A TLS of one side of a bridge, over its descriptor; NULL when there is no memory.
SSL *contexts_new(struct opener *opener, struct bridge *bridge, enum bridge_side side);
