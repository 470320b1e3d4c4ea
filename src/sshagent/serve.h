// The locked process between a box and its caller's agent, and the one that connects for it: the
// first reads what the box writes, and can open and connect to nothing; the second connects to the
// one socket that it has, and reads single bytes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sshagent/signing.h"

struct agent_record;
struct agent_rules;
struct plan;

enum { AGENT_CONNECTIONS_MAX = 16 };

// Descriptors: 0 the listening socket, 1 the way to serve_connector(), 3 an epoll instance. Returns
// when the way is closed. `memory`: serve_bytes() zeroes, for the connections.
size_t serve_bytes(void);
void serve_filter(struct agent_record *record, void *memory);
// Descriptors: 0 the agent's socket (O_PATH), 1 the way to the filter.
void serve_connector(void);

// The rules of a run, from what the plan names: files are read and the agent is asked outside,
// before the box has a process of the command.

// The agent's socket is `agent` (O_PATH). -1 with the error said.
int rules_read(const struct plan *plan, int agent, struct agent_rules *rules);

// What the two processes and the supervisor share: the rules, which they only read, and the
// refusals.
struct agent_record {
	struct agent_rules rules;
	struct refused_table refused;
};
