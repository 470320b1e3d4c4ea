// Functions of the actions of sbx agent, and of sbx-shell.
//
// The room cli/agent owns `sbx agent`. Uses: base, agent, cli, postcheck/acts, report, run, text,
// view/paths. Begin with agent_verb.c.
#pragma once

struct agent;
struct arena;
struct box;
struct out;
struct settings;

const char *agent_state_directory(struct arena *arena);

// Returns this program's path for agents' settings, or NULL if it is not installed.
const char *agent_own_path(struct arena *arena);

// Reads the settings of `agent` into `box->arena`.
int agent_open(struct box *box, const struct agent *agent, struct settings *settings);

// Prints a line of a list: the name, then `text`, wrapped at the terminal's width.
void agent_line(struct out *out, const char *name, const char *text);

int agent_status(struct box *box, char **names, struct out *out);

void agent_seen(struct arena *arena, const struct agent *agent);
