// Reads and changes the settings files of agents.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"

struct agent;
struct arena;
struct json;

enum hook_trust {
	HOOK_UNTRUSTED,
	HOOK_TRUSTED,
	HOOK_OFF,
};

// Reads in `text`, Codex CLI's config.toml, whether hook `hook` of entry `entry` in `file` is
// trusted. Does not compare hashes.
enum hook_trust trust_of(struct arena *arena, const char *text, const char *file, unsigned entry,
			 unsigned hook);

struct settings {
	struct arena *arena;
	const struct agent *agent;
	const char *state;
	const char *program; // path of sbx in the settings
	const char *directory;
	const char *path;
	const char *text;
	const char *shape; // source of `root`: `text`, or {} if blank
	size_t length;
	struct json *root;
	unsigned mode;
	bool exists;
	const char *written;
	const char *before; // text before sbx's change; NULL: no file
	const char *saved;  // path of both copies, without suffix
};

enum settings_found {
	SETTINGS_NONE,
	SETTINGS_OURS,
	SETTINGS_OTHER,
};

int settings_read(struct settings *settings, char *const *environment);

enum settings_found settings_find(const struct settings *settings);

const char *settings_command(const struct settings *settings);

// Returns the file that overrides or disables sbx's setting, or NULL.
const char *settings_overridden(const struct settings *settings, const char *project);

// Agents without a record of trusted hooks have HOOK_TRUSTED.
enum hook_trust settings_trust(const struct settings *settings);

// Both return the file's new text, or NULL on failure.
char *settings_with(const struct settings *settings);
char *settings_without(const struct settings *settings);

struct servers_found {
	unsigned count;    // entries that change
	struct list paths; // absolute paths among their arguments
};

// Wraps each MCP server in `sbx mcp wrap`, or unwraps it (`back`). Returns the new text, or NULL on
// failure.
char *servers_text(const struct settings *settings, bool back, struct servers_found *ret_found);

char *squeezed(struct arena *arena, const char *line, size_t length);

// Removes the file if `text` is NULL. Fails if the file has changed since settings_read().
int settings_write(const struct settings *settings, const char *text);

// Copies from before and after sbx's change let `sbx agent remove` restore the exact bytes.

// Reads a regular file of at most JSON_BYTES_MAX. `ret_text` is NULL if there is none.
int saved_read(struct arena *arena, const char *path, const char **ret_text, unsigned *ret_mode);

int saved_find(struct settings *settings);

const char *saved_path(const struct settings *settings, const char *which);

int saved_store(struct settings *settings, const char *text);

void saved_remove(const struct settings *settings);

// Runs a command as the agent would. PROBED_BOX: it ran in a box.
enum probed { PROBED_BOX, PROBED_OUTSIDE, PROBED_FAILED };

enum probed probe_agent(const struct settings *settings, const char **ret_why);
