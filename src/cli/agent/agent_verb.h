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

const char *agent_state_directory(struct arena *arena);

// As agents' settings name this program. NULL with an error recorded: it is not installed.
const char *agent_own_path(struct arena *arena);

// Reads the settings of the agent `name` into `box->arena`.
int agent_open(struct box *box, const struct agent *agent, struct settings *settings);

// Prints a line of a list: the name, then `text`, wrapped at the terminal's width.
void agent_line(struct out *out, const char *name, const char *text);

int agent_status(struct box *box, char **names, struct out *out);

void agent_seen(struct arena *arena, const struct agent *agent);
