"""The names that the host's programs run or trust, as tools document them; kept apart from sbx's own table."""
import re

# Nothing that a box wrote may stay under these: masked, or moved away.
PROTECTED = """
.vscode .idea .zed .fleet .devcontainer .devcontainer.json .exrc .exrc.lua .nvim.lua .lvimrc .vimrc .nvimrc .helix
.dir-locals.el .dir-locals-2.el .claude .cursor .codex .gemini .qwen .opencode .mcp.json .envrc .direnv .yarnrc
mise.toml .mise.toml mise.local.toml .mise.local.toml .mise .config/mise.toml .config/mise mise/config.toml
.husky .gdbinit .lldbinit .irbrc .pryrc .pdbrc .sbx.ini lefthook-local.yml .lefthook-local.yml .agents
.github/hooks .hg/hgrc *.code-workspace
""".split()
# A change of these by a box is reported.
REPORTED = """
Makefile makefile GNUmakefile justfile Justfile .justfile package.json .npmrc .yarnrc.yml .gitmodules
.pre-commit-config.yaml .pnpmfile.cjs pnpm-workspace.yaml lefthook.yml lefthook.yaml .lefthook.yml Taskfile.yml
lint-staged.config.js .lintstagedrc .github/workflows .tool-versions AGENTS.md CLAUDE.md .gitlab-ci.yml
.bazelrc tools/bazel bunfig.toml conftest.py .cargo
""".split()
# The same in any directory: an install at the top, an editor or a test run reads them by itself.
BELOW = """
package.json .npmrc .yarnrc.yml .pnpmfile.cjs .lintstagedrc lint-staged.config.js build.rs Cargo.toml conftest.py setup.py
pyproject.toml setup.cfg eslint.config.js vitest.config.js build.gradle pom.xml CMakeLists.txt Gemfile
""".split()
# In a git directory: what git runs, or takes its configuration or place from.
OF_GIT = ["config", "config.worktree", "hooks", "info/attributes", "commondir", "remotes", "branches"]
OF_WORKTREE = ["config.worktree", "commondir", "gitdir"]  # the rest is read from the common one
OF_GIT_REPORTED = ["rebase-merge", "rebase-apply", "sequencer"]
# Directories among them: what a box would put into them.
INSIDE = {".vscode": "/tasks.json", ".idea": "/workspace.xml", ".zed": "/tasks.json", ".fleet": "/run.json",
          ".devcontainer": "/devcontainer.json", ".helix": "/config.toml", ".claude": "/settings.json",
          ".cursor": "/mcp.json", ".codex": "/config.toml", ".gemini": "/settings.json", ".qwen": "/settings.json",
          ".opencode": "/opencode.json", ".direnv": "/python-3.11/bin/git", ".mise": "/config.toml",
          ".config/mise": "/config.toml", ".husky": "/pre-commit", ".agents": "/a.md",
          ".github/hooks": "/a.json", ".github/workflows": "/a.yml", ".cargo": "/config.toml"}
# What node's programs read by themselves.
OF_NODE = """
.yarnrc .yarnrc.yml .npmrc .pnpmfile.cjs package.json pnpm-workspace.yaml .husky/pre-commit .husky/_/pre-commit
lefthook-local.yml .yarn/releases/yarn.cjs tools/husky.sh
""".split()
# Files of a start tree that its own trusted text names, and those of "dotfiles" that links of the home lead to.
NAMED = {"trusted": ["tools/fs.sh", "tools/hook.sh", "tools/env.sh", "tools/alias.sh", "tools/more.cfg",
                     "tools/clean.sh"],
         "node": ["tools/husky.sh"],
         "nested": ["sub/tools/fs.sh"],
         "dotfiles": ["sh/bashrc", "sh/zshrc", "git/config", "ssh/config", "home-bin"]}


def matches(path, name):
    if name.startswith("*"):
        return path.split("/")[0].endswith(name[1:])
    return path == name or path.startswith(name + "/")


def component(path, names):
    """The part of the path up to the name of the table that it lies in, at the top of the project; or None."""
    for name in names:
        if matches(path, name):
            return path.split("/")[0] if name.startswith("*") else name
    return None


def pattern(text):
    """What sbx may print for it: what acts on a terminal, and quotes, in some other way."""
    return "".join(re.escape(c) if c.isascii() and c.isprintable() and c not in "'\\" else r"\S{1,8}" for c in text)


def is_said(path, text, project):
    """Whether a line of sbx's names the path or a directory that it lies in, but for the project."""
    ways = []
    while path:
        ways.append(pattern(path))
        path = path.rpartition("/")[0]
    return re.search(r"(?:^|[\s,'])(?:" + re.escape(project) + r"/)?(?:" + "|".join(ways) + r")/?(?=$|[\s,:;'.])",
                     text, re.M) is not None
