// How much a session takes.
#pragma once

#include <stdint.h>

#include "base/owned.h"

struct session;
struct store;

// Bytes on the disk: of a layer, of all layers of the session. Walks them. What cannot be walked,
// because it is too deep, counts as SIZE_UNKNOWN.
#define SIZE_UNKNOWN OWNED_SIZE_UNKNOWN
uint64_t size_of_layer(const struct store *store, const struct session *session, unsigned layer);
uint64_t size_of_session(const struct store *store, const struct session *session);

// The latter in a process that may read all of them (owned_override()): what a box shuts counts
// too.
int size_measure(const struct store *store, const struct session *session, uint64_t *ret_bytes);
