// What the actions of sbx agent share, and sbx-shell uses.
//
// The room cli/agent owns `sbx agent`. Uses: base agent cli postcheck/finding report run text
// view/paths. Begin with agent_verb.c.
#pragma once

struct agent;
struct arena;
struct box;
struct out;
struct settings;

// Where sbx keeps what it did to the settings of agents.
const char *agent_state_directory(struct arena *arena);

// The path of this program, as the settings of agents name it. NULL with an error recorded when it
// is not installed.
const char *agent_own_path(struct arena *arena);

// Reads the settings of the agent of this name, for `box->arena`.
int agent_open(struct box *box, const char *name, struct settings *settings);

// A line of a list: its name, and words that are broken where the terminal ends.
void agent_line(struct out *out, const char *name, const char *text);

// sbx agent status [AGENT].
int agent_status(struct box *box, char **names, struct out *out);

// Remembers that a command of this agent came in, for `sbx agent status`.
void agent_seen(struct arena *arena, const struct agent *agent);
