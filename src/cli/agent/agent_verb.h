// What sbx agent and sbx-shell share.
#pragma once

struct agent;
struct arena;

// Remembers that a command of this agent came in, for `sbx agent status`.
void agent_seen(struct arena *arena, const struct agent *agent);
