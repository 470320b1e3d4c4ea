// The rules of a run, from what the plan names: files are read and the agent is asked outside,
// before the box has a process of the command.
#pragma once

struct agent_rules;
struct plan;

// The agent's socket is `agent` (O_PATH). -1 with the error said.
int rules_read(const struct plan *plan, int agent, struct agent_rules *rules);
