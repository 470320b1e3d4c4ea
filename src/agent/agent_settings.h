// The settings files of agents: what is in them, and the one change that sbx makes. Only that
// change is written, by a rename, and what was there before is kept.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct agent;
struct arena;
struct json;

// Whether an agent runs a hook: its own record of which hooks its user trusts. Pure: reads memory
// only.
enum hook_trust {
	HOOK_UNTRUSTED, // not yet, or not any more
	HOOK_TRUSTED,
	HOOK_OFF, // hooks, or this one, are switched off
};

// `text` is Codex CLI's config.toml; `file` names its hooks, `entry` and `hook` count from 0 where
// ours stands in it. A record in a spelling that Codex itself does not write counts as none. What a
// record says of a changed hook only Codex can tell: it keeps a hash.
enum hook_trust trust_of(struct arena *arena, const char *text, const char *file, unsigned entry,
			 unsigned hook);

struct settings {
	struct arena *arena;
	const struct agent *agent;
	const char *state;     // sbx's own directory for what it wrote
	const char *program;   // of sbx, as the agents' settings name it
	const char *directory; // that the agent looks for its settings in
	const char *path;      // of the file, no symlink
	const char *text;      // "" when there is no file
	const char *shape;     // the text, or an empty object where it is blank: what root is of
	size_t length;
	struct json *root;
	unsigned mode;
	bool exists;
	const char *written; // by sbx, NULL: nothing is known of it
	const char *before;  // the text of that time, NULL for no file
	const char *saved;   // the beginning of the names of both copies
};

enum settings_found {
	SETTINGS_NONE,  // nothing of ours
	SETTINGS_OURS,  // what this sbx would write
	SETTINGS_OTHER, // the setting has another value
};

// Finds and reads the file of an agent. `state` and `program` are set before.
int settings_read(struct settings *settings, char *const *environment);

enum settings_found settings_find(const struct settings *settings);

// The command that the settings lead to, for a probe; NULL when there is none.
const char *settings_command(const struct settings *settings);

// A file of the project that says otherwise, or one that switches hooks off; NULL when none does.
const char *settings_overridden(const struct settings *settings, const char *project);

// Whether the agent runs the hook: HOOK_TRUSTED for those that do not ask.
enum hook_trust settings_trust(const struct settings *settings);

// The whole text with sbx's part, or without it and with the value that stood there before. NULL
// with the error said.
char *settings_with(const struct settings *settings);
char *settings_without(const struct settings *settings);

// The text with each entry of AGENT_SERVERS led through `sbx mcp wrap`, or `back`; how many were.
// NULL with the error said. Pure: reads memory only.
char *servers_text(const struct settings *settings, bool back, unsigned *ret_count);

// A line without its blanks.
char *squeezed(struct arena *arena, const char *line, size_t length);

// Writes the file, if it still is what was read. NULL removes it.
int settings_write(const struct settings *settings, const char *text);

// The copies of an agent's settings: as they were before sbx changed them, and as sbx wrote them.
// They make an exact removal possible.

// A whole regular file of at most JSON_BYTES_MAX; NULL when there is none.
int saved_read(struct arena *arena, const char *path, const char **ret_text, unsigned *ret_mode);

// Sets written, before and saved.
int saved_find(struct settings *settings);

// The path of the copy `which` ("before", "written").
const char *saved_path(const struct settings *settings, const char *which);

// Call before a text is written: stores it, and the present one.
int saved_store(struct settings *settings, const char *text);

// Call after a removal.
void saved_remove(const struct settings *settings);

// Whether a command really lands in a box: by running one just as the agent would.
enum probed { PROBED_BOX, PROBED_OUTSIDE, PROBED_FAILED };

// `ret_why`: of PROBED_FAILED, what the command or the hook said; in the settings' arena.
enum probed probe_agent(const struct settings *settings, const char **ret_why);
