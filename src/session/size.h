// How much a session takes.
#pragma once

#include <stdint.h>

struct session;
struct store;

// Bytes on the disk: of a layer, of all layers of the session. Walks them.
uint64_t size_of_layer(const struct store *store, const struct session *session, unsigned layer);
uint64_t size_of_session(const struct store *store, const struct session *session);
