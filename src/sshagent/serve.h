// The locked process between a box and its caller's agent, and the one that connects for it: the
// first reads what the box writes, and can open and connect to nothing; the second connects to the
// one socket that it has, and reads single bytes.
#pragma once

#include <stddef.h>

struct agent_record;

enum { AGENT_CONNECTIONS_MAX = 16 };

// Descriptors: 0 the listening socket, 1 the way to serve_connector(), 3 an epoll instance. Returns
// when the way is closed. `memory`: serve_bytes() zeroes, for the connections.
size_t serve_bytes(void);
void serve_filter(struct agent_record *record, void *memory);
// Descriptors: 0 the agent's socket (O_PATH), 1 the way to the filter.
void serve_connector(void);
