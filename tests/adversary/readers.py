"""The host's programs that read a project by themselves, or in the course of a day."""
import re
import shlex
import shutil
import subprocess

BOUND = 120
DIRECTORIES_MAX = 16
# git's commands: what makes one of interest in the text of a sequence, and in which share it comes anyway.
TOP = [("", 1, "status --short"), ("external|textconv|attributes", 4, "diff --stat"), ("gpg", 4, "log -1 --oneline"),
       ("worktrees", 8, "worktree list"), ("uploadpack|remotes|branches", 4, "fetch -q"),
       ("submodule .mod", 20, "submodule -q update --init"), ("rebase-merge", 8, "rebase --continue"),
       ("hook|gpg", 4, "commit -q --allow-empty -m x")]
BELOW = [("", 1, "status --short"), ("external|textconv", 8, "diff --stat"), ("rebase-merge", 8, "rebase --continue"),
         ("hooks/|gpg", 8, "commit -q --allow-empty -m x")]
SLOW = 20  # those that start node in one of so many
# Who is asked, which names make it of interest, in one of how many, command.
OTHERS = [
    ("direnv", r"\.direnv|\.envrc|\"bin/|env\.sh", 1,
     """bash -c 'eval "$(direnv export bash)"; git status --short'"""),
    ("mise", r"mise", 2, "mise env -s bash; [ ! -d lib ] || mise -C lib env -s bash"),
    ("lefthook", r"lefthook", 2, "lefthook run pre-commit --force"),
    ("bash", r"HEAD|\.git/", 5, "GIT_PS1_SHOWDIRTYSTATE=1 bash -c '. /usr/lib/git-core/git-sh-prompt && __git_ps1'"),
    ("zsh", r"\.hg|HEAD|\.git/", 5,
     "zsh -fc 'autoload -Uz vcs_info; zstyle \":vcs_info:*\" check-for-changes true; vcs_info'"),
    ("bash", r"bashrc|home-bin", 1, "PATH=$HOME/bin:$PATH; bash -ic 'mine; ls' "),
    ("zsh", r"zshrc", 1, "zsh -ic 'true'"),
    ("ssh", r"ssh/config", 1, 'ssh -F "$HOME/.ssh/config" -G x'),
    ("husky", r"husky", 2, "git commit -q --allow-empty -m x"),
    ("git", r"alias|more\.cfg|clean", 1, "git up; touch a.own; git add a.own"),
    ("yarn", r"yarnrc|package\.json|pointed", SLOW, "yarn --version"),
    ("berry", r"yarnrc|\.yarn/|package\.json|pointed", SLOW, "berry --version; berry install"),
    ("npm", r"npmrc|package\.json|pre\.js|pointed", SLOW, "npm install --offline --no-audit --no-fund"),
    ("pnpm", r"pnpm|npmrc|package\.json|pre\.js|pointed", SLOW, "pnpm install --offline --no-frozen-lockfile"),
]
NAMES = {row[0] for row in OTHERS}


def with_packages(environment, place):
    """The environment of the host's programs, where packages of npm lie in `place` (tests/work/fetch)."""
    return {**environment, "PATH": f"{place}/bin:{environment['PATH']}", "npm_config_update_notifier": "false",
            "COREPACK_ENABLE_NETWORK": "0", "YARN_ENABLE_NETWORK": "0", "YARN_ENABLE_TELEMETRY": "0",
            "MISE_OFFLINE": "1", "MISE_STATE_DIR": environment["HOME"] + "/.local/state/mise",
            "npm_config_offline": "true"}


def is_git(after, path):
    """A path where git may find a repository, whatever is in it."""
    kind = after.get(path, ("", ""))[0]
    return kind in ("file", "link") or (kind == "directory" and f"{path}/HEAD" in after)


def missing(path):
    return sorted({row[0] for row in OTHERS if not shutil.which(row[0], path=path)})


class Readers:
    def __init__(self, environment):
        self.environment = environment
        self.there = [row for row in OTHERS if shutil.which(row[0], path=environment["PATH"])]

    def directories(self, after, touched):
        """Below the top; first those that the sequence names."""
        found = set()
        for path in after:
            directory, _, name = path.rpartition("/")
            inside = directory.split("/")
            # What is in fix/ stood there before; nobody goes there.
            if directory and not {".git", "fix"} & set(inside) and name in (".git", "HEAD") and (
                    name == "HEAD" or is_git(after, path)):
                found.add(directory)
        return sorted(found, key=lambda d: (d not in touched, d.count("/"), d))[:DIRECTORIES_MAX]

    def script(self, after, touched, index):
        lines = ["export ADVERSARY_READER=git"]

        def git(directory, commands):  # -C: without a process for each directory
            lines.extend(f"git -C {shlex.quote(directory)} {command}" for words, share, command in commands
                         if index % share == 0 or re.search(words, touched))
        for directory in self.directories(after, touched):
            git("./" + directory, BELOW)
        for name, pattern, share, command in self.there:
            if index % share == 0 and re.search(pattern, touched):
                lines.append(f"(ADVERSARY_READER={name}; {command})")
        git(".", TOP)
        return "\n".join(lines)

    def run(self, project, after, touched, index):
        subprocess.run(["sh", "-c", self.script(after, touched, index)], cwd=project, env=self.environment,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=BOUND, check=False)
