// The table of coding agents whose shell commands can run in boxes.
//
// The room agent owns the settings files of coding agents: reading them, and the hook that is
// added. Uses: base, text. Begin with agents.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;

struct agent {
	const char *name, *title;
	const char *program;
	const char *login; // file or directory with its login, or NULL
	enum agent_means {
		AGENT_MEMBER, // a setting names the shell or its prefix
		AGENT_HOOK,   // a program that gets each tool call and rewrites the command
		AGENT_BY_HAND,
		AGENT_SERVERS, // `path` leads to the MCP servers
	} means;
	const char *marker; // environment variable of its commands, or NULL
	const char *profile;
	const char *home_variable; // environment variable with its directory, or NULL
	const char *home, *below;  // `home`: directory below HOME; `below`: subdirectory
	const char *file;
	const char *call;
	const char *path[3]; // JSON members down to the setting or to the list of hooks
	const char *matcher;
	enum hook_answer {
		HOOK_MERGES,  // takes another command from the hook
		HOOK_REFUSES, // takes only a denial, with a reason
		HOOK_UPDATES, // takes changed input
		HOOK_ALLOWS,  // takes changed input if the hook allows the call
	} answer;
	const char *trust;    // file with its record of trusted hooks
	const char *trusting; // how the user trusts a hook
	bool by_project;
	const char *project[3];         // files that override `file`
	const char *off[3], *off_value; // a setting and value that disable hooks
	const char *caveat;
	const char *by_hand;
};
extern const struct agent agents[]; // both tables end with a row without a name
extern const struct agent server_agents[];

bool agent_on_path(const struct agent *agent, const char *path);

const struct agent *agent_row(const struct agent *rows, const char *name);
// Searches server_agents if `servers`. On failure returns NULL, with all names in the error.
const struct agent *agent_find(const char *name, bool servers);

const struct agent *agent_of_environment(char *const *environment);

// Claude Code ends each command with `pwd -P >| <tmp>/claude-<id>-cwd`, and reads that file outside
// the box. Returns its path, or NULL.
const char *handback_path(struct arena *arena, const char *string);

enum { QUESTION_BYTES_MAX = 1 << 20 };

// Answers an agent before its use of a tool. `question` is JSON. `program` is sbx's path. Sets
// `ret_answer` to NULL if the tool is no shell. Returns -1 if the call must be denied.
int hook_answer(struct arena *arena, const struct agent *agent, const char *program,
		const char *question, size_t length, const char **ret_answer);
