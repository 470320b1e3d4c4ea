// Owns the table of names in a project that the host later runs or trusts.
#include "base/trusted.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

// Trusted by editors, agents, shells and debuggers as soon as the host opens the directory.
const char *const trusted_names[] = {
	".vscode",
	".idea",
	".zed",
	".fleet",
	".devcontainer",
	".devcontainer.json",
	".vs",
	".dir-locals.el",
	".dir-locals-2.el",
	".exrc",
	".exrc.lua",
	".nvim.lua",
	".lvimrc",
	".claude",
	".cursor",
	".codex",
	".gemini",
	".qwen",
	".opencode",
	".windsurf",
	".continue",
	".roo",
	".kilocode",
	".kiro",
	".junie",
	".trae",
	".amazonq",
	".factory",
	".agents",
	".agent",
	".pi",
	".openhands",
	".amp",
	".augment",
	".clinerules",
	".rovodev",
	".iflow",
	".grok",
	".kimi",
	".vibe",
	"conductor.json",
	".crush.json",
	"crush.json",
	"opencode.json",
	"opencode.jsonc",
	".mcp.json",
	".aider.conf.yml",
	".envrc",
	".direnv",
	".autoenv",
	".autoenv.zsh",
	".autoenv_leave.zsh",
	".yarnrc",
	"lefthook-local.yml",
	"lefthook-local.yaml",
	"lefthook-local.toml",
	"lefthook-local.json",
	".lefthook-local.yml",
	".lefthook-local.yaml",
	".lefthook-local.toml",
	".lefthook-local.json",
	"mise.toml",
	".mise.toml",
	"mise.local.toml",
	".mise.local.toml",
	".mise",
	".husky",
	".gdbinit",
	".lldbinit",
	".vimrc",
	".nvimrc",
	".helix",
	".irbrc",
	".pryrc",
	".pdbrc",
	".ghci",
	".iex.exs",
	".ocamlinit",
	".sbx.ini",
	// last, as each change of directory opens one
	".config/mise",
	".config/mise.toml",
	"mise/config.toml",
	"mise/config.local.toml",
	".vim/coc-settings.json",
	".github/copilot",
	".github/hooks",
	".hg/hgrc",
	".hg/hgrc-not-shared",
	".hg/sharedpath",
	".sl/config",
	".jj/repo/config.toml",
	".jj/workspace-config.toml",
	"_darcs/prefs/defaults",
	".pijul/config",
	".bzr/branch/branch.conf",
	NULL,
};

// Run by the host sooner or later, and rightly changed by honest work: told at the end.
const char *const reported_names[] = {
	".github/workflows",
	".github/actions",
	".github/copilot-instructions.md",
	".gitmodules",
	".gitlab-ci.yml",
	".circleci",
	"Jenkinsfile",
	"azure-pipelines.yml",
	"bitbucket-pipelines.yml",
	".travis.yml",
	".drone.yml",
	".woodpecker.yml",
	".buildkite",
	".gitea/workflows",
	".forgejo/workflows",
	".tekton",
	".pre-commit-config.yaml",
	"prek.toml",
	".overcommit.yml",
	"captainhook.json",
	"lefthook.yml",
	"lefthook.yaml",
	"lefthook.toml",
	"lefthook.json",
	".lefthook.yml",
	".lefthook.yaml",
	".lefthook.toml",
	".lefthook.json",
	".lintstagedrc",
	".lintstagedrc.json",
	".lintstagedrc.yaml",
	".lintstagedrc.yml",
	".lintstagedrc.js",
	".lintstagedrc.cjs",
	".lintstagedrc.mjs",
	"lint-staged.config.js",
	"lint-staged.config.cjs",
	"lint-staged.config.mjs",
	"lint-staged.config.ts",
	"commitlint.config.js",
	"commitlint.config.cjs",
	"commitlint.config.mjs",
	"commitlint.config.ts",
	"package.json",
	".npmrc",
	".yarn",
	".yarnrc.yml",
	".pnpmfile.cjs",
	".pnpmfile.mjs",
	"pnpm-workspace.yaml",
	"bunfig.toml",
	"eslint.config.js",
	"eslint.config.cjs",
	"eslint.config.mjs",
	"eslint.config.ts",
	"Makefile",
	"makefile",
	"GNUmakefile",
	"justfile",
	"Justfile",
	".justfile",
	"Taskfile.yml",
	"Tiltfile",
	"Vagrantfile",
	"CMakePresets.json",
	"CMakeUserPresets.json",
	".bazelrc",
	".bazeliskrc",
	"tools/bazel",
	"gradlew",
	"gradle.properties",
	"gradle/wrapper",
	".mvn",
	"mvnw",
	"Gemfile",
	"Rakefile",
	".bundle/config",
	".rubocop.yml",
	".cargo",
	"rust-toolchain",
	"rust-toolchain.toml",
	".tool-versions",
	".Rprofile",
	"conftest.py",
	".pylintrc",
	".pdm-python",
	"Dockerfile",
	"compose.yaml",
	"docker-compose.yml",
	"flake.nix",
	"shell.nix",
	"devenv.nix",
	"devbox.json",
	".flox",
	".devenv",
	".project",
	".settings",
	".run",
	"_FOSSIL_",
	".fslckout",
	"AGENTS.md",
	"AGENTS.override.md",
	"CLAUDE.md",
	"CLAUDE.local.md",
	"GEMINI.md",
	".cursorrules",
	".windsurfrules",
	".goosehints",
	NULL,
};

// The component of a path that begins at `path`, in whatever case: some file systems fold it.
static bool is_part(const char *path, const char *name)
{
	size_t length = strlen(name);
	return strncasecmp(path, name, length) == 0 &&
	       (path[length] == '\0' || path[length] == '/');
}

// What is ignored: bytes of other scripts (HFS+ and casefold skip some of their characters), and of
// Windows dots and spaces at the end and what follows a colon.
bool trusted_is_git(const char *path)
{
	static const char name[] = ".git", short_name[] = "git~", digits[] = "0123456789";
	size_t matched = 0;
	if (strncasecmp(path, short_name, sizeof(short_name) - 1) == 0) {
		path += sizeof(short_name) - 1;
		size_t number = strspn(path, digits);
		return number > 0 && (path[number] == '\0' || path[number] == '/');
	}
	for (; *path && *path != '/' && !(*path == ':' && matched == sizeof(name) - 1); path++) {
		bool ignored = (unsigned char)*path >= 0x80 ||
			       (matched == sizeof(name) - 1 && strchr(". ", *path));
		if (!ignored && (*path | ' ') != name[matched++])
			return false;
	}
	return matched == sizeof(name) - 1;
}

static const char *next_part(const char *path)
{
	const char *slash = strchr(path, '/');
	return slash ? slash + 1 : NULL;
}

bool trusted_is_reported(const char *path)
{
	for (const char *part = path; part; part = next_part(part))
		for (const char *const *name = reported_names; *name; name++)
			if (is_part(part, *name))
				return true;
	return false;
}

// Of what lies in a git directory: what git runs, or takes its configuration or place from.
static bool is_of_git(const char *path)
{
	static const char *const names[] = { "config", "config.worktree", "hooks", "commondir",
					     "gitdir" };
	// What a rebase goes on with has commands in it.
	static const char *const pairs[][2] = { { "info", "attributes" },
						{ "rebase-merge", "git-rebase-todo" },
						{ "sequencer", "todo" } };
	for (size_t i = 0; next_part(path) && i < sizeof(pairs) / sizeof(*pairs); i++)
		if (is_part(path, pairs[i][0]) && is_part(next_part(path), pairs[i][1]))
			return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (is_part(path, names[i]))
			return true;
	return false;
}

// The repositories of submodules (whose names may have slashes) and worktrees lie in their owner's.
static bool is_in_git(const char *path)
{
	bool nested = is_part(path, "modules") || is_part(path, "worktrees");
	// Old forms of remote.*.url; below refs they are branches.
	if (is_of_git(path) || is_part(path, "remotes") || is_part(path, "branches"))
		return true;
	for (const char *part = nested ? next_part(path) : NULL; part; part = next_part(part))
		if (is_of_git(part))
			return true;
	return false;
}

bool trusted_begins(const char *trusted, const char *name)
{
	return is_part(trusted, name);
}

bool trusted_is_protected(const char *path)
{
	for (const char *part = path; part; part = next_part(part)) {
		if (trusted_is_git(part))
			return next_part(part) && is_in_git(next_part(part));
		for (const char *const *name = trusted_names; *name; name++)
			if (is_part(part, *name))
				return true;
	}
	return false;
}
