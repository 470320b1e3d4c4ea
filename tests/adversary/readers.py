"""The host's programs that read a project by themselves, or in the course of a day."""
import re
import shutil
import subprocess

BOUND = 120
DIRECTORIES_MOST = 16
# git's commands: what makes one of interest in the text of a sequence, and in which share it comes anyway.
TOP = [("", 1, "status --short"), ("external|textconv|attributes", 4, "diff --stat"), ("gpg", 4, "log -1 --oneline"),
       ("worktrees", 8, "worktree list"), ("uploadpack|remotes|branches", 4, "fetch -q"),
       ("submodule .mod", 20, "submodule -q update --init"), ("rebase-merge", 8, "rebase --continue"),
       ("hook|gpg", 4, "commit -q --allow-empty -m x")]
BELOW = [("", 1, "status --short"), ("external|textconv", 8, "diff --stat"), ("rebase-merge", 8, "rebase --continue"),
         ("hooks/|gpg", 8, "commit -q --allow-empty -m x")]
SLOW = 20  # the slow ones in one of so many
# reader, names that make it of interest, whether it is slow (node's are), command
OTHERS = [
    ("direnv", r"\.direnv|\.envrc|\"bin/|env\.sh", False, 'eval "$(direnv export bash)" && git status --short'),
    ("mise", r"mise", False, "mise env -s bash"),
    ("lefthook", r"lefthook", True, "lefthook run pre-commit"),
    ("zsh", r"\.hg|\.git", True, "zsh -fc 'autoload -Uz vcs_info; vcs_info'"),
    ("bash", r"husky", False, "bash -c '[ ! -f .husky/pre-commit ] || . .husky/pre-commit'"),
    ("yarn", r"yarnrc|package\.json", True, "yarn --version"),
    ("npm", r"npmrc|package\.json", True, "npm install --offline --no-audit --no-fund"),
    ("pnpm", r"pnpm|package\.json", True, "pnpm install --offline"),
]


def is_git(after, path):
    """A path where git may find a repository, whatever is in it."""
    kind = after.get(path, ("", ""))[0]
    return kind in ("file", "link") or (kind == "directory" and f"{path}/HEAD" in after)


class Readers:
    def __init__(self, environment):
        self.environment = environment
        self.there = [row for row in OTHERS if shutil.which(row[0], path=environment["PATH"])]
        self.missing = [row[0] for row in OTHERS if row not in self.there]

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
        return sorted(found, key=lambda d: (d not in touched, d.count("/"), d))[:DIRECTORIES_MOST]

    def script(self, after, touched, index):
        lines = ["export ADVERSARY_READER=git"]

        def git(directory, commands):  # -C: without a process for each directory
            lines.extend(f"git -C '{directory}' {command}" for words, share, command in commands
                         if index % share == 0 or re.search(words, touched))
        for directory in self.directories(after, touched):
            git(directory, BELOW)
        for name, pattern, slow, command in self.there:
            if re.search(pattern, touched) and (index % SLOW == 0 or not slow):
                lines.append(f"(ADVERSARY_READER={name}; {command})")
        git(".", TOP)
        return "\n".join(lines)

    def run(self, project, after, touched, index):
        subprocess.run(["sh", "-c", self.script(after, touched, index)], cwd=project, env=self.environment,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=BOUND, check=False)
