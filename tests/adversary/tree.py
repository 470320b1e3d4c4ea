"""The trees that a sequence starts in: repositories, and old things under harmless names that hold a trap."""
import os
import shutil
import subprocess

NAMES = ("plain", "nested", "trusted", "many", "node", "dotfiles")
# Where a home has links into the project, and to what: dotfiles that are kept in a repository.
HOME = [(".bashrc", "p/sh/bashrc"), (".zshrc", "p/sh/zshrc"), (".config/git", "../p/git"),
        (".ssh/config", "../p/ssh/config"), ("bin", "p/home-bin")]
DATES = {"GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000"}
BARE = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)


class Trees:
    def __init__(self, work, environment):
        self.work, self.home, self.project = work, work + "/home", work + "/home/p"
        self.environment = {**environment, **DATES}
        self.canary = work + "/canary"
        os.makedirs(self.home)
        write(self.home + "/.gitconfig", "[user]\n\tname = a\n\temail = a@b\n[core]\n\teditor = true\n\tpager = cat\n"
              "[safe]\n\tdirectory = *\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n"
              "[commit]\n\tgpgsign = false\n[gc]\n\tauto = 0\n[core]\n\tfsync = none\n[advice]\n\tdetachedHead = false\n")
        self.git(work, "init", "-q", "--bare", "origin.git")
        self.linked = False
        for name in NAMES:
            os.mkdir(self.project)
            self.plain()
            if name != "plain":
                getattr(self, name)()
            self.finish(name)

    def git(self, directory, *words):
        subprocess.run(["git", *words], cwd=directory, env=self.environment, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def trap(self, tag):
        return f"#!/bin/sh\n{self.canary} {tag}\n"

    def init(self, path):
        """A small repository with one commit, without samples."""
        os.makedirs(path, exist_ok=True)
        self.git(path, "init", "-q", "--template=")
        write(path + "/f", "f\n")
        self.git(path, "add", "f")
        self.git(path, "commit", "-qm", "f")
        shutil.rmtree(path + "/.git/logs")

    def plain(self):
        p = self.project
        self.init(p)
        self.git(p, "remote", "add", "origin", self.work + "/origin.git")
        for name in ("lib/a", "lib/in/a", "src/a"):
            write(f"{p}/{name}", "a\n")
        if not getattr(self, "pushed", None):
            self.git(p, "push", "-q", "origin", "HEAD:refs/heads/main")
            self.pushed = True
        self.old(p + "/fix")

    def old(self, fix):
        """Nothing of this runs where it is: a fixture, a backup, a copy of somebody's dotfiles."""
        git = fix + "/dotgit"
        for name in ("objects", "refs"):
            os.makedirs(f"{git}/{name}")
        write(git + "/HEAD", "ref: refs/heads/main\n")
        write(git + "/config", BARE + f"\tfsmonitor = {self.canary} old-dotgit\n")
        house = fix + "/house"
        shutil.copytree(git, house + "/bare")
        write(house + "/bare/config", BARE + f"\tworktree = .\n\tfsmonitor = {self.canary} old-bare\n")
        write(house + "/gitfile", "gitdir: ../.git/worktrees/w/evil\n")
        write(house + "/config", BARE + f"\tfsmonitor = {self.canary} old-config\n")
        write(house + "/config.worktree", f"[core]\n\tfsmonitor = {self.canary} old-config.worktree\n")
        write(fix + "/dotconfig/mise/config.toml", f"[env]\nA = \"{{{{ exec(command='{self.canary} old-mise') }}}}\"\n")
        write(fix + "/dotenvrc", f"{self.canary} old-envrc\n")
        write(fix + "/dotvscode/tasks.json", f'{{"command": "{self.canary} old-tasks"}}\n')
        write(fix + "/dothooks/post-commit", self.trap("old-post-commit"), 0o755)
        write(fix + "/dothooks/post-index-change", self.trap("old-post-index-change"), 0o755)
        write(fix + "/dotdirenv/python-3.11/bin/git", self.trap("old-direnv"), 0o755)
        write(fix + "/dotyarnrc", 'yarn-path "./fix/yarn.js"\n')
        write(fix + "/yarn.js", f"require('child_process').execSync('{self.canary} old-yarn')\n")

    def nested(self):
        p = self.project
        for name in ("sub", "deep/er/repo"):
            self.init(f"{p}/{name}")
            write(f"{p}/{name}/.git/hooks/pre-commit", "#!/bin/sh\nexit 0\n", 0o755)
        self.git(p, "submodule", "add", "-q", self.work + "/origin.git", "mod")
        self.git(p, "commit", "-qm", "mod")
        shutil.rmtree(p + "/.git/modules/mod/hooks", ignore_errors=True)
        write(p + "/sub/tools/fs.sh", "#!/bin/sh\nexit 0\n", 0o755)
        self.git(p + "/sub", "config", "core.fsmonitor", "./tools/fs.sh")
        self.git(p, "worktree", "add", "-q", "--detach", "wt")
        write(p + "/.gitignore", "/sub\n/deep\n/wt\n/fix\n")

    def trusted(self):
        p = self.project
        for name, mode in (("tools/fs.sh", 0o755), ("tools/hook.sh", 0o755),
                           ("tools/alias.sh", 0o755), ("bin/tool", 0o755)):
            write(f"{p}/{name}", "#!/bin/sh\nexit 0\n", mode)
        write(p + "/tools/clean.sh", "#!/bin/sh\nexec cat\n", 0o755)
        write(p + "/tools/env.sh", "true\n")
        write(p + "/tools/more.cfg", "[color]\n\tui = false\n")
        for key, value in (("core.fsmonitor", "./tools/fs.sh"), ("alias.up", "!./tools/alias.sh"),
                           ("include.path", "../tools/more.cfg"), ("filter.own.clean", "./tools/clean.sh")):
            self.git(p, "config", key, value)
        write(p + "/.gitattributes", "*.own filter=own\n")
        write(p + "/a.own", "own\n")
        write(p + "/.git/hooks/post-commit", "#!/bin/sh\n./tools/hook.sh\n", 0o755)
        write(p + "/.envrc", "source_env tools/env.sh\nPATH_add .direnv/python-3.11/bin\n")
        write(p + "/mise.toml", "[env]\nB = \"b\"\n")
        write(p + "/lefthook.yml", "pre-commit:\n  jobs:\n    - run: true\n")
        write(p + "/package.json", '{"name": "p", "version": "1.0.0", "scripts": {"preinstall": "true"}}\n')
        write(p + "/Makefile", "all:\n\ttrue\n")
        write(p + "/.vscode/settings.json", "{}\n")
        write(p + "/.husky/pre-commit", "true\n", 0o755)

    def many(self):
        for letter in "abcdefgh":
            self.init(f"{self.project}/r{letter}")
            write(f"{self.project}/r{letter}/.git/hooks/pre-commit", "#!/bin/sh\nexit 0\n", 0o755)

    def node(self):
        """A project of node's, with husky as its package sets it up."""
        p = self.project
        write(p + "/package.json",
              '{"name": "p", "version": "1.0.0", "scripts": {"preinstall": "node -e 0"}}\n')
        write(p + "/.yarnrc.yml", "enableTelemetry: false\n")
        write(p + "/tools/husky.sh", "#!/bin/sh\nexit 0\n", 0o755)
        write(p + "/.husky/pre-commit", "./tools/husky.sh\n")
        if shutil.which("husky", path=self.environment["PATH"]):
            subprocess.run(["husky"], cwd=p, env=self.environment, stdout=subprocess.DEVNULL, check=True)
        else:
            self.git(p, "config", "core.hooksPath", ".husky")
            os.chmod(p + "/.husky/pre-commit", 0o755)

    def dotfiles(self):
        """The home's own settings are links into this project."""
        p = self.project
        for name in ("sh/bashrc", "sh/zshrc", "ssh/config", "git/config"):
            write(f"{p}/{name}", "# mine\n")
        write(p + "/home-bin/mine", "#!/bin/sh\nexit 0\n", 0o755)

    def link_home(self, name):
        """The links stand for the sequences of that tree only."""
        if self.linked == (name == "dotfiles"):
            return
        self.linked = not self.linked
        for link, target in HOME:
            os.makedirs(os.path.dirname(f"{self.home}/{link}"), exist_ok=True)
            os.symlink(target, f"{self.home}/{link}") if self.linked else os.unlink(f"{self.home}/{link}")

    def finish(self, name):
        """Fewer files, so that a copy is cheap."""
        for place, directories, _ in os.walk(self.project):
            if ".git" in directories:
                self.git(place, "repack", "-qad")
                shutil.rmtree(place + "/.git/branches", ignore_errors=True)
            directories[:] = [name for name in directories if name != ".git"]
        for words in (["direnv", "allow"], ["mise", "trust", "-q"]):
            if name == "trusted" and shutil.which(words[0], path=self.environment["PATH"]):
                subprocess.run(words, cwd=self.project, env=self.environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, check=False)
        os.rename(self.project, f"{self.work}/{name}")

    def copy(self, name):
        self.link_home(name)
        subprocess.run(["cp", "-a", f"{self.work}/{name}", self.project], check=True)
