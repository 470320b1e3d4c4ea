// The coding agents whose shell commands can be put in boxes: a row each, facts only.
//
// The room agent owns the settings files of coding agents: reading them, and the hook that is
// added. Uses: base text. Begin with agents.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;

struct agent {
	const char *name, *title;
	const char *program;
	const char *login; // its log-in's file or directory, which `profile` shows to the box;
			   // NULL: unknown
	enum agent_means {
		AGENT_MEMBER, // a setting names the shell or its prefix
		AGENT_HOOK,   // a program that gets each tool call and rewrites the command
		AGENT_BY_HAND,
		AGENT_SERVERS, // of server_agents: `path` leads to the MCP servers
	} means;
	const char *marker; // a variable of its commands, or NULL
	const char *profile;
	const char *home_variable; // names a directory instead of HOME/`home`, or NULL
	const char *home, *below;  // `below`: the part behind that directory
	const char *file;
	const char *call;
	const char *path[3]; // of the setting, or of the list of hooks
	const char *matcher;
	enum hook_answer {
		HOOK_MERGES,  // takes another command from the hook
		HOOK_REFUSES, // takes only a no: the model must repeat the command as given
		HOOK_UPDATES, // takes the whole input; permission is decided elsewhere
		HOOK_ALLOWS,  // takes it only from a hook that also allows the call
	} answer;
	const char *trust;    // its record of trusted hooks, beside `file`
	const char *trusting; // how the user trusts a hook
	bool by_project;
	const char *project[3];         // stronger files, of a project or absolute
	const char *off[3], *off_value; // a setting and value that disable hooks
	const char *caveat;
	const char *by_hand;
};
extern const struct agent agents[]; // both tables end with a row without a name
// Agents whose MCP servers can be put in boxes.
extern const struct agent server_agents[];

bool agent_on_path(const struct agent *agent, const char *path);

// NULL: none.
const struct agent *agent_row(const struct agent *rows, const char *name);
// `servers`: of server_agents. NULL with the error said, naming all.
const struct agent *agent_find(const char *name, bool servers);

const struct agent *agent_of_environment(char *const *environment);

// The file by which an agent learns its command's directory. Pure: text only.

// Claude Code ends each command with `pwd -P >| <tmp>/claude-<id>-cwd` and reads that file outside.
// NULL: another end.
const char *handback_path(struct arena *arena, const char *string);

// An agent's question before a tool call, and the answer that boxes a shell command. Pure.
enum { QUESTION_BYTES_MAX = 1 << 20 };

// `question`: JSON from stdin. 0: `ret_answer` (NULL: the tool is no shell); -1: the tool must not
// be used. `program`: sbx.
int hook_answer(struct arena *arena, const struct agent *agent, const char *program,
		const char *question, size_t length, const char **ret_answer);
