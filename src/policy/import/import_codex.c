// Owns the meaning of the keys of Codex's config.toml that are about its sandbox.
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "policy/import/import.h"
#include "text/json.h"

static bool is_word(const struct toml_step *step, const char *word)
{
	return step->length == strlen(word) && strncmp(step->value, word, step->length) == 0;
}

static int take_mode(struct import *import, const struct toml_step *step)
{
	if (import->project)
		return fail(0, "sandbox_mode is there twice");
	import->project = "read";
	if (is_word(step, "workspace-write"))
		import->project = "write";
	else if (!is_word(step, "read-only"))
		return import_note(import, "sandbox_mode",
				   "not taken: another word than read-only and workspace-write");
	return 0;
}

static int take_root(struct import *import, const struct toml_step *step)
{
	enum { PATH_BYTES = 4096 };
	char path[PATH_BYTES];
	size_t length = step->length;
	if (step->kind == TOML_OTHER || length >= sizeof(path))
		return import_note(import, step->name, "not taken: no text on one line");
	if (step->kind == TOML_BASIC)
		length = json_decode(step->value, step->length, path, sizeof(path));
	else
		memcpy(path, step->value, length);
	path[length] = '\0';
	if (strlen(path) != length)
		return import_note(import, step->name, "not taken: a NUL in a path");
	return import_path(import, "write", arena_copy(import->arena, path, length));
}

static int take_network(struct import *import, const struct toml_step *step)
{
	if (is_word(step, "true"))
		return import_note(
			import, "network_access = true",
			"not taken: name hosts (allow = HOST) or all (allow = *) in [network]");
	return 0;
}

static int take_tmp(struct import *import, const struct toml_step *step)
{
	return import_note(import, step->name, "not needed: a box has its own /tmp");
}

static const struct codex_row {
	const char *name;
	int (*take)(struct import *import, const struct toml_step *step);
} codex_rows[] = {
	{ "sandbox_mode", take_mode },
	{ "sandbox_workspace_write.writable_roots", take_root },
	{ "sandbox_workspace_write.network_access", take_network },
	{ "sandbox_workspace_write.exclude_slash_tmp", take_tmp },
	{ "sandbox_workspace_write.exclude_tmpdir_env_var", take_tmp },
};

static bool one_step(void *owner, const struct toml_step *step)
{
	struct import *import = owner;
	for (size_t i = 0; i < sizeof(codex_rows) / sizeof(*codex_rows); i++)
		if (str_equal(step->name, codex_rows[i].name))
			return codex_rows[i].take(import, step) == 0;
	return import_note(import, step->name, "not about files or hosts of the sandbox") == 0;
}

int import_codex(struct import *import, const char *text, size_t length)
{
	unsigned line = toml_walk(text, length, one_step, import);
	if (line != 0)
		return fail(0, "line %u is not read as TOML, or is too much", line);
	if (!import->project)
		import->project = "read"; // what Codex does without sandbox_mode
	return 0;
}
