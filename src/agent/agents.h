// The coding agents whose shell commands can be put in boxes: one row for each, facts only.
//
// The room agent owns the settings files of coding agents: reading them, and the hook that is
// added. Uses: base text. Begin with agents.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;

struct agent {
	const char *name, *title;
	const char *program; // as people start it
	const char *login;   // the file or directory of its log-in, which `profile` of the whole
			     // agent shows to the box; NULL: not known
	enum agent_means {
		AGENT_MEMBER,  // a setting names the shell or a word in front of it
		AGENT_HOOK,    // a program is asked before each tool, and rewrites the command
		AGENT_BY_HAND, // no setting in a file: `by_hand` says what to do
		AGENT_SERVERS, // a row of server_agents: `path` leads to the servers of MCP
	} means;
	const char *marker;        // a variable that it sets for its commands, or NULL
	const char *profile;       // of its commands
	const char *home_variable; // names the directory that stands for HOME/`home`, or NULL
	const char *home, *below;  // `below`: its part that comes after that variable, too
	const char *file;
	const char *call;    // AGENT_MEMBER: between that word and the string
	const char *path[3]; // of the setting, or of the list of hooks
	const char *matcher; // of tools, as the agent writes it
	enum hook_answer {
		HOOK_MERGES,  // takes another command from the hook
		HOOK_REFUSES, // takes only a no: the model gets the command to give instead
		HOOK_UPDATES, // takes the tool's whole input again; who may run it is not decided
		HOOK_ALLOWS,  // takes it from a hook alone that allows the call as well
	} answer;
	const char *trust;      // beside `file`: where it keeps which hooks its user trusts
	const char *trusting;   // and how that is said to it
	bool by_project;        // AGENT_SERVERS: `projects` in the file have servers, too
	const char *project[3]; // files, of a project or absolute, that count more than the user's
	const char *off[3], *off_value; // a setting, and its value, by which hooks do not run
	const char *caveat;             // when commands would run outside all the same
	const char *by_hand;
};
extern const struct agent agents[];
extern const unsigned agent_count;
// Those whose servers of MCP can be put in boxes, and the file that names these.
extern const struct agent server_agents[];
extern const unsigned server_agent_count;

// Whether its program is in a directory of `path`, the caller's PATH.
bool agent_on_path(const struct agent *agent, const char *path);

// Of agents, or with `servers` of server_agents. NULL with the error said, naming all.
const struct agent *agent_find(const char *name, bool servers);

// The agent that started this process, by its marker: NULL when none did.
const struct agent *agent_of_environment(char *const *environment);

// The file by which an agent learns where its command went to (`cd`). Pure: text only.

// Claude Code ends each command with `pwd -P >| <tmp>/claude-<id>-cwd` and reads that file
// afterwards, outside. The path when the string ends so, else NULL.
const char *handback_path(struct arena *arena, const char *string);

// What an agent asks before it uses a tool, and the answer that puts a shell command in a box.
// Pure: reads and writes memory only.
enum { QUESTION_BYTES_MAX = 1 << 20 };

// `question` is JSON as the agent writes it on stdin. Returns 0 with the answer (NULL: the tool is
// no shell), or -1: then the tool must not be used. `program` is sbx.
int hook_answer(struct arena *arena, const struct agent *agent, const char *program,
		const char *question, size_t length, const char **ret_answer);
