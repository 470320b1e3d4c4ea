// The settings files of agents, and the one change that sbx makes.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"

struct agent;
struct arena;
struct json;

// Whether an agent runs a hook, by its record. Pure.
enum hook_trust {
	HOOK_UNTRUSTED,
	HOOK_TRUSTED,
	HOOK_OFF,
};

// `text`: Codex CLI's config.toml; `file` names its hooks; `entry` and `hook` are indices. Only
// Codex can check the hash of a hook that changed.
enum hook_trust trust_of(struct arena *arena, const char *text, const char *file, unsigned entry,
			 unsigned hook);

struct settings {
	struct arena *arena;
	const struct agent *agent;
	const char *state;
	const char *program; // sbx, as agents' settings name it
	const char *directory;
	const char *path;
	const char *text;
	const char *shape; // `text`, or an empty object if blank; parsed as root
	size_t length;
	struct json *root;
	unsigned mode;
	bool exists;
	const char *written;
	const char *before; // the text of that time, NULL for no file
	const char *saved;  // prefix of both copies' names
};

enum settings_found {
	SETTINGS_NONE,
	SETTINGS_OURS,
	SETTINGS_OTHER,
};

int settings_read(struct settings *settings, char *const *environment);

enum settings_found settings_find(const struct settings *settings);

const char *settings_command(const struct settings *settings);

// A project's file with other settings, or one that disables hooks; NULL: none.
const char *settings_overridden(const struct settings *settings, const char *project);

// HOOK_TRUSTED also for agents that do not ask.
enum hook_trust settings_trust(const struct settings *settings);

// The whole text with sbx's part, or without it and with the earlier value. NULL with the error
// said.
char *settings_with(const struct settings *settings);
char *settings_without(const struct settings *settings);

struct servers_found {
	unsigned count;    // of the entries that change
	struct list paths; // absolute, among their arguments
};

// Leads each entry of AGENT_SERVERS through `sbx mcp wrap`, or `back`. NULL with the error said.
// Pure.
char *servers_text(const struct settings *settings, bool back, struct servers_found *ret_found);

char *squeezed(struct arena *arena, const char *line, size_t length);

// Fails if the file has changed since it was read. `text` NULL: removes it.
int settings_write(const struct settings *settings, const char *text);

// Two copies of an agent's settings, before and after sbx's change: for an exact removal.

// A regular file of at most JSON_BYTES_MAX; NULL: none.
int saved_read(struct arena *arena, const char *path, const char **ret_text, unsigned *ret_mode);

int saved_find(struct settings *settings);

const char *saved_path(const struct settings *settings, const char *which);

int saved_store(struct settings *settings, const char *text);

void saved_remove(const struct settings *settings);

// Runs a command as the agent would: does it land in a box?
enum probed { PROBED_BOX, PROBED_OUTSIDE, PROBED_FAILED };

enum probed probe_agent(const struct settings *settings, const char **ret_why);
