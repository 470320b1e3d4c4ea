// Owns the table of coding agents. tests/agents tries each row but AGENT_BY_HAND.
#include "agent/agents.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "text/words.h"

// clang-format off
const struct agent agents[] = {
	{ .name = "claude-code", .title = "Claude Code", .program = "claude", .login = "~/.claude/.credentials.json", .means = AGENT_MEMBER,
	  .marker = "CLAUDECODE", .profile = "claude-code-shell",
	  .home_variable = "CLAUDE_CONFIG_DIR", .home = ".claude", .file = "settings.json",
	  .call = "", .path = { "env", "CLAUDE_CODE_SHELL_PREFIX" },
	  .project = { "/etc/claude-code/managed-settings.json", ".claude/settings.local.json",
		       ".claude/settings.json" },
	  .caveat = "its file tools (Read, Edit, Write) are not commands and run outside; to put them in a box as well: sbx run -p claude-code -- claude" },
	{ .name = "opencode", .title = "opencode", .program = "opencode", .login = "~/.local/share/opencode/auth.json", .means = AGENT_MEMBER,
	  .marker = "OPENCODE", .profile = "opencode-shell",
	  .home_variable = "XDG_CONFIG_HOME", .home = ".config/opencode", .below = "/opencode", .file = "opencode.json",
	  .call = "-c ", .path = { "shell" }, .project = { "opencode.json", "opencode.jsonc" },
	  .caveat = "if sbx-shell is removed, it uses bash and does not say so; its file tools run outside; to put them in a box as well: sbx run -p opencode -- opencode" },
	{ .name = "gemini", .title = "Gemini CLI", .program = "gemini", .login = "~/.gemini", .means = AGENT_HOOK,
	  .marker = "GEMINI_CLI", .profile = "gemini-shell",
	  .home_variable = "GEMINI_CLI_HOME", .home = ".gemini", .below = "/.gemini", .file = "settings.json",
	  .path = { "hooks", "BeforeTool" }, .matcher = "run_shell_command", .answer = HOOK_MERGES,
	  .project = { ".gemini/settings.json" },
	  .off = { "hooksConfig", "enabled" }, .off_value = "false",
	  .caveat = "if hooks are switched off, commands run outside; its file tools run outside; to put them in a box as well: sbx run -p gemini -- gemini" },
	{ .name = "qwen", .title = "Qwen Code", .program = "qwen", .login = "~/.qwen", .means = AGENT_HOOK,
	  .marker = "QWEN_CODE", .profile = "qwen-shell",
	  .home_variable = "QWEN_HOME", .home = ".qwen", .file = "settings.json",
	  .path = { "hooks", "PreToolUse" }, .matcher = "run_shell_command", .answer = HOOK_REFUSES,
	  .project = { ".qwen/settings.json" },
	  .off = { "disableAllHooks" }, .off_value = "true",
	  .caveat = "its hooks cannot change a command: a bare one is denied, and the model learns how to give it; if hooks are switched off, commands run outside, as its "
		  "file tools do; to put all in a box: sbx run -p qwen -- qwen" },
	{ .name = "codex", .title = "Codex CLI", .program = "codex", .login = "~/.codex/auth.json", .means = AGENT_HOOK,
	  .marker = "CODEX_THREAD_ID", .profile = "codex-shell",
	  .home_variable = "CODEX_HOME", .home = ".codex", .file = "hooks.json",
	  .path = { "hooks", "PreToolUse" }, .matcher = "Bash", .answer = HOOK_ALLOWS,
	  .trust = "config.toml",
	  .trusting = "start codex and trust the hook when it asks (later: /hooks)",
	  .caveat = "Codex must not use its own sandbox as well: codex --sandbox danger-full-access. Its patches are not commands and run outside; to put them "
		  "in a box as well: sbx run -p codex -- codex --sandbox danger-full-access" },
	{ .name = "copilot", .title = "Copilot CLI", .program = "copilot", .login = "~/.copilot", .means = AGENT_HOOK,
	  .marker = "COPILOT_CLI", .profile = "copilot-shell",
	  .home_variable = "COPILOT_HOME", .home = ".copilot", .file = "settings.json",
	  .path = { "hooks", "PreToolUse" }, .matcher = "Bash", .answer = HOOK_UPDATES,
	  .project = { ".github/copilot/settings.local.json", ".github/copilot/settings.json" },
	  .off = { "disableAllHooks" }, .off_value = "true",
	  .caveat = "if hooks are switched off, commands run outside, as its file tools do; to put all in a box: sbx run -p copilot -- copilot" },
	{ .name = "goose", .title = "goose", .program = "goose", .means = AGENT_BY_HAND,
	  .by_hand = "not tested; it takes its shell from a variable: GOOSE_SHELL=$(command -v sbx-shell) goose" },
	{ .name = "aider", .title = "aider", .program = "aider", .means = AGENT_BY_HAND,
	  .by_hand = "not tested; it takes its shell from a variable: SHELL=$(command -v sbx-shell) aider" },
	{ 0 },
};

const struct agent server_agents[] = {
	{ .name = "claude-code", .title = "Claude Code", .program = "claude", .means = AGENT_SERVERS,
	  .home_variable = "CLAUDE_CONFIG_DIR", .home = ".", .file = ".claude.json", .path = { "mcpServers" }, .by_project = true,
	  .caveat = "where its commands run in boxes (sbx agent install claude-code), it starts servers in such a box, too: these reach what profile claude-code-shell allows. A project's .mcp.json is not changed" },
	{ .name = "gemini", .title = "Gemini CLI", .program = "gemini", .means = AGENT_SERVERS,
	  .home_variable = "GEMINI_CLI_HOME", .home = ".gemini", .below = "/.gemini", .file = "settings.json", .path = { "mcpServers" } },
	{ .name = "opencode", .title = "opencode", .program = "opencode", .means = AGENT_SERVERS,
	  .home_variable = "XDG_CONFIG_HOME", .home = ".config/opencode", .below = "/opencode", .file = "opencode.json", .path = { "mcp" } },
	{ .name = "codex", .title = "Codex CLI", .program = "codex", .means = AGENT_SERVERS,
	  .home_variable = "CODEX_HOME", .home = ".codex", .file = "config.toml", .path = { "mcp_servers" } },
	{ .name = "vscode", .title = "VS Code", .program = "code", .means = AGENT_SERVERS,
	  .home_variable = "XDG_CONFIG_HOME", .home = ".config/Code/User", .below = "/Code/User", .file = "mcp.json", .path = { "servers" } },
	{ 0 },
};
// clang-format on

const struct agent *agent_row(const struct agent *rows, const char *name)
{
	while (rows->name && !str_equal(rows->name, name))
		rows++;
	return rows->name ? rows : NULL;
}

const struct agent *agent_find(const char *name, bool servers)
{
	struct out names = { 0 };
	struct near near = { .word = name };
	const struct agent *rows = servers ? server_agents : agents, *found = agent_row(rows, name);
	if (found)
		return found;
	for (const struct agent *agent = rows; agent->name; agent++) {
		near_consider(&near, agent->name);
		out_text(&names, " %s", agent->name);
	}
	if (near.found)
		fail(0, "no agent '%.40s', did you mean '%s'?", str_shown(name), near.found);
	else
		fail(0, "no agent '%.40s', expected one of%s", str_shown(name), names.text);
	out_free(&names);
	return NULL;
}

bool agent_on_path(const struct agent *agent, const char *path)
{
	char program[PATH_MAX];
	for (const char *at = path; at && *at; at += strspn(at, ":")) {
		int length = (int)strcspn(at, ":");
		if (length > 0 &&
		    snprintf(program, sizeof(program), "%.*s/%s", length, at, agent->program) <
			    (int)sizeof(program) &&
		    access(program, X_OK) == 0)
			return true;
		at += length;
	}
	return false;
}

const struct agent *agent_of_environment(char *const *environment)
{
	for (char *const *entry = environment; *entry; entry++)
		for (const struct agent *agent = agents; agent->name; agent++) {
			size_t length = agent->marker ? strlen(agent->marker) : 0;
			if (length && strncmp(*entry, agent->marker, length) == 0 &&
			    (*entry)[length] == '=')
				return agent;
		}
	return NULL;
}
