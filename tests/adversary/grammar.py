"""Makes sequences by a seed: what boxes, sessions and the user do, over the layout of git and the trusted names.
A step is a list; the steps of boxes end with a list of operations (act.c). In texts {canary} is the program that
must never run, {project} the project, {commit} its commit."""
import random

import content
import names
import upstream

BOXES = ("run", "kill", "session", "beside")  # steps whose last word is a list of operations
SLOW = 20  # one of so many sequences is node's
UPSTREAM = 8  # one of so many is about git's upstreams
PAUSE = 130  # milliseconds; a run that is longer than a tenth of a second is looked at in another way
HOOKS = ["pre-commit", "post-commit", "post-index-change", "reference-transaction", "post-checkout", "commit-msg"]
TREES = ["plain"] * 5 + ["nested"] * 5 + ["trusted"] * 4 + ["many", "dotfiles", "node"]
DIRECTORIES = [".", "lib", "lib/in", "src", "new", "new/deep", "sub", "deep/er/repo", "mod", "wt", "ra", "rh"]
ODD = ["new/a 'b", "new/two\nlines", "new/\u00fc", "-new", "new/.git.d", "node_modules/x"]
# Where git directories lie, or might.
GIT_DIRECTORIES = [".git", "sub/.git", "deep/er/repo/.git", "ra/.git", "rh/.git", ".git/modules/mod",
                   ".git/worktrees/wt"]
HIDDEN = [".git/worktrees/w/evil", ".git/worktrees/wt/evil", ".git/modules/m/evil", ".git/modules/mod/evil",
          ".git/modules/m", ".git/worktrees/w", ".git/evil", ".git/objects/evil", ".git/refs/evil", "lib/evil",
          "new/x/evil", ".git/modules/a/b/c/d/e/evil"]
OLD = [("fix/dotgit", "{d}/.git"), ("fix/dotconfig", "{d}/.config"), ("fix/dotconfig/mise", ".config/mise"),
       ("fix/dotenvrc", "{d}/.envrc"), ("fix/dotvscode", "{d}/.vscode"), ("fix/dothooks", "{g}/hooks"),
       ("fix/dothooks/post-commit", "{g}/hooks/post-commit"), ("fix/dotdirenv", ".direnv"),
       ("fix/dotyarnrc", ".yarnrc"), ("fix/house/bare", "{d}/bare.git"), ("fix/house/bare", "{h}"),
       ("fix/house/config", "{g}/config"), ("fix/house/config.worktree", "{g}/config.worktree"),
       ("fix/house/gitfile", "{d}/.git"), ("fix/dotgit/config", "{d}/config"),
       ("fix/dotconfig/mise/config.toml", "mise.local.toml"), ("fix/dothooks", "new/.git/hooks")]


class Maker:
    def __init__(self, seed, index):
        self.r = random.Random(f"{seed} {index}")
        self.tags = 0
        self.tree = "node" if index % SLOW == 0 and self.chance(0.7) else self.r.choice(TREES)
        self.gits = [g for g in GIT_DIRECTORIES if self.is_there(g)]
        self.ops = []

    def is_there(self, path):
        tree = ("nested" if path.startswith(("sub", "deep", "mod", "wt", ".git/modules", ".git/worktrees"))
                else "many" if path.startswith("r") else self.tree)
        return tree == self.tree

    def chance(self, share):
        return self.r.random() < share

    def command(self):
        self.tags += 1
        return f"{{canary}} t{self.tags}"

    def script(self):
        return f"#!/bin/sh\n{self.command()}\n"

    def directory(self):
        return self.r.choice([d for d in DIRECTORIES if d in (".", "lib", "lib/in", "src", "new", "new/deep") or
                              self.is_there(d)])

    def place(self, text):
        """One of the places that the pattern means."""
        path = text.format(d=self.directory(), g=self.r.choice(self.gits), h=self.r.choice(HIDDEN))
        return path[2:] if path.startswith("./") else path

    # --- one name, in one of the ways to make it

    def write(self, path, text, mode="644"):
        """The ways a file comes to stand under a name."""
        self.tags += 1
        aside, slot = f"lib/t{self.tags}", str(self.r.randrange(8))
        ways = {
            "write": [["write", path, text, mode]],
            "replace": [["write", aside, text, mode], ["rename", aside, path]],
            "link": [["write", aside, text, mode], ["remove", path], ["link", aside, path]],
            "exchange": [["write", aside, text, mode], ["write", path, "", mode], ["exchange", aside, path]],
            "through": [["write", path, "", mode], ["open", slot, path], ["through", slot, text]],
            "old": [["write", path, text, mode], ["utimes", path, "1600000000"]],
            "append": [["append", path, text]],
            "beside": [["open", slot, path.rpartition("/")[0] or "."],
                       ["below", slot, path.rpartition("/")[2], text], ["chmod", path, mode]],
            "symlink": [["write", aside, text, mode], ["remove", path],
                        ["symlink", "../" * path.count("/") + aside, path]],
            "second": [["link", path, aside], ["write", aside, text, mode]],
        }
        return self.r.choices(list(ways.values()), [12, 4, 2, 2, 3, 2, 2, 1, 1, 1])[0]

    # --- parts of git

    def config_text(self, place, command):
        """Settings that make git run something, and what else has to be written for them, as operations."""
        extra = []
        kind = self.r.choices(["fsmonitor", "hooks", "upload", "external", "gpg", "include", "filter", "submodule"],
                              [8, 2, 2, 1, 1, 2, 1, 1])[0]
        if kind == "hooks":
            extra = [["write", "lib/hooks/post-index-change", f"#!/bin/sh\n{command}\n", "755"],
                     ["write", "lib/hooks/post-commit", f"#!/bin/sh\n{command}\n", "755"]]
        if kind == "include":
            extra = [["write", f"{place}/more.cfg", f"[core]\n\tfsmonitor = {command}\n", "644"]]
        if kind == "filter":
            extra = [["write", f"{place}/info/attributes", "* filter=f\n", "644"]]
        text = {"fsmonitor": f"[core]\n\tfsmonitor = {command}\n",
                "hooks": "[core]\n\thooksPath = {project}/lib/hooks\n",
                "upload": f"[remote \"origin\"]\n\turl = {{project}}/.\n\tuploadpack = {command};\n",
                "external": f"[diff]\n\texternal = {command}\n",
                "gpg": f"[gpg]\n\tprogram = {command}\n[commit]\n\tgpgsign = true\n",
                "include": "[include]\n\tpath = more.cfg\n",
                "filter": f"[filter \"f\"]\n\tclean = {command}\n",
                "submodule": f"[submodule \"mod\"]\n\tupdate = !{command}\n"}[kind]
        return text, extra

    def git_directory(self, place, tree):
        """A git directory, as git sees one; `tree`: it is its own work tree."""
        core = "[core]\n\trepositoryformatversion = %d\n\tbare = false\n" + "\tworktree = .\n" * tree
        head = self.r.choice([["write", f"{place}/HEAD", "ref: refs/heads/main\n", "644"]] * 3 +
                             [["symlink", "refs/heads/main", f"{place}/HEAD"],
                              ["write", f"{place}/HEAD", "{commit}\n", "644"]])
        body = self.r.choices(["plain", "common", "links"], [6, 3, 1])[0]
        inner = f"{place}/inner" if body == "common" else place
        text, extra = self.config_text(inner, self.command())
        if body == "common" and self.chance(0.5):  # what the common one may not say
            text = core % 1 + text + "[extensions]\n\tworktreeConfig = true\n"
            text = text.replace("\tbare = false\n" + "\tworktree = .\n" * tree, "")
            extra.append(["write", f"{place}/config.worktree", "[core]\n\tbare = false\n" + "\tworktree = .\n" * tree,
                          "644"])
        else:
            text = core % 0 + text
        parts = [[head], self.write(f"{inner}/config", text), extra]
        if body == "common":
            parts.append(self.write(f"{place}/commondir", "inner\n"))
        for name in ("objects", "refs"):
            parts.append([["symlink", "../" * (inner.count("/") + 1) + f".git/{name}", f"{inner}/{name}"]]
                         if body == "links" else [["mkdir", f"{inner}/{name}"]])
        self.r.shuffle(parts)
        return sum(parts, [])

    def breakage(self, git):
        """Makes it no git directory any more."""
        name = f"{git}/{self.r.choice(['HEAD', 'refs', 'objects'])}"
        return self.r.choice([[["rename", name, f"{git}/r"]], [["rename", name, "lib/r"]], [["remove", name]],
                              [["write", f"{git}/HEAD", "junk\n", "644"]], [["chmod", name, "000"]],
                              [["exchange", name, "lib"]], [["rename", git, "lib/g"]],
                              [["remove", f"{git}/HEAD"], ["symlink", "/nowhere", f"{git}/HEAD"]]])

    # --- what a box tries

    def shadow(self):
        """A directory with a repository becomes one itself."""
        directory = self.r.choice([".", ".", "."] + [g[:-5] for g in self.gits if g.endswith("/.git")])
        git = ".git" if directory == "." else directory + "/.git"
        return self.breakage(git) + self.git_directory(directory, True)

    def bare(self):
        return self.git_directory(self.r.choice([self.directory()] * 9 + ODD[:1]), True)

    def new_nested(self):
        directory = self.r.choice(["new", "lib", "lib/in", "new/a/b/c", "d/" * 34 + "d", self.r.choice(ODD)])
        return self.git_directory(directory + "/.git", False)

    def pointer(self):
        """A .git file, and where it leads, over a chain now and then."""
        hidden, directory = self.r.choice(HIDDEN), self.r.choice(["new", "lib", "lib/in", "sub", "mod", "wt"])
        up = "../" * (directory.count("/") + 1)
        ops = self.git_directory(hidden, False) + self.write(f"{directory}/.git", f"gitdir: {up}{hidden}\n")
        entry = "/".join(hidden.split("/")[:3])
        if entry.startswith(".git/worktrees/") and self.chance(0.7):
            ops = [["write", f"{entry}/commondir", "../..\n", "644"],
                   ["write", f"{entry}/HEAD", "ref: refs/heads/main\n", "644"],
                   ["write", f"{entry}/gitdir", "{project}/x/.git\n", "644"]] + ops
        if entry == ".git/modules/m" and hidden != entry and self.chance(0.7):
            ops = [["mkdir", f"{entry}/objects"], ["mkdir", f"{entry}/refs"],
                   ["write", f"{entry}/HEAD", "ref: refs/heads/main\n", "644"],
                   ["write", f"{entry}/config", "[core]\n\tbare = true\n", "644"]] + ops
        if self.chance(0.2):
            ops += [["rename", f"{directory}/.git", f"{directory}/g"], ["symlink", "g", f"{directory}/.git"]]
        return ops

    def into_known(self):
        """Something in a git directory that was there."""
        git = self.r.choice(self.gits)
        command = self.command()
        what = self.r.choices(["hook", "config", "worktree", "common", "attributes", "todo", "remotes", "module"],
                              [5, 4, 2, 3, 1, 2, 1, 1])[0]
        if what == "hook":
            return self.write(f"{git}/hooks/{self.r.choice(HOOKS)}", f"#!/bin/sh\n{command}\n", "755")
        if what == "todo":
            state = f"{git}/rebase-merge"
            return [["write", f"{state}/{name}", text, "644"] for name, text in (
                ("head-name", "refs/heads/main\n"), ("onto", "{commit}\n"), ("orig-head", "{commit}\n"),
                ("interactive", ""), ("msgnum", "0\n"), ("end", "1\n"))] + self.write(
                    f"{state}/git-rebase-todo", f"exec {command}\n")
        if what == "remotes":
            return self.write(f"{git}/{self.r.choice(['remotes', 'branches'])}/origin",
                              f"URL: {{project}}/lib\nPull: {command}\n")
        if what == "common":
            text, extra = self.config_text("lib/c", command)
            up = "../" * (git.count("/") + 1)
            return [["mkdir", "lib/c/objects"], ["mkdir", "lib/c/refs"], ["write", "lib/c/config", text, "644"],
                    *extra, *self.write(f"{git}/commondir", f"{up}lib/c\n")]
        if what == "module":
            return self.git_directory(f"{git}/modules/{self.r.choice(['m', 'mod', 'a/b'])}", False)
        text, extra = self.config_text(git, command)
        if what == "attributes":
            return self.write(f"{git}/info/attributes", "* filter=f\n") + self.write(
                f"{git}/config", f"[filter \"f\"]\n\tclean = {command}\n")
        if what == "worktree":
            return extra + self.write(f"{git}/config.worktree", text) + [
                ["append", f"{git}/config", "[extensions]\n\tworktreeConfig = true\n"]]
        head = "" if self.chance(0.4) else "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
        return extra + self.write(f"{git}/config", head + text)

    def named(self):
        """A trusted or reported name with text of the box's."""
        table = names.OF_NODE if self.tree == "node" and self.chance(0.8) else names.PROTECTED * 2 + names.REPORTED
        name = self.r.choice(table).replace("*", "x")
        path = self.r.choice(["", "", "", "", "lib/"]) + name + names.INSIDE.get(name, "")
        text, needs = content.text_of(path, self.command())
        return needs + self.write(path, text, "755")

    def named_by_text(self):
        name = self.r.choice(names.NAMED[self.tree])
        name += self.r.choice(["/git", "/tool", "/mine", "/ls"]) if name in ("bin", "home-bin") else ""
        text, needs = content.text_of(name, self.command())
        return needs + self.write(name, text, "755")

    def renamed(self):
        """Something old comes under a name that counts."""
        old, new = self.r.choice(OLD)
        new = self.place(new)
        ops = [["rename", old, new]]
        if self.chance(0.15):
            ops = [["link", old, new]] if not old.startswith("fix/dot") else [["symlink", f"{{project}}/{old}", new]]
        if self.chance(0.2):
            ops.append(["utimes", new, "1600000000"])
        if old.endswith("dotgit/config"):
            parent = new.rpartition("/")[0] or "."
            ops += [["rename", f"fix/dotgit/{name}", f"{parent}/{name}"] for name in ("HEAD", "objects", "refs")]
        return ops

    def parent(self):
        """Made under harmless names, then a directory around it takes the name that counts."""
        made = self.r.choice([self.git_directory("lib/made", False) + [["rename", "lib/made", "new/.git"]],
                              self.git_directory("lib/made/.git", False) + [["rename", "lib/made", "lib/other"]],
                              [["write", "lib/made/settings.json", self.script(), "644"],
                               ["rename", "lib/made", self.r.choice([".claude", ".vscode", ".cursor", ".zed"])]]])
        if self.chance(0.3) and self.tree in ("nested", "many"):  # what was known goes elsewhere
            known = "sub" if self.tree == "nested" else "ra"
            made = self.git_directory("lib/made/.git", False) + self.r.choice([
                [["exchange", "lib/made", known]], [["rename", known, "new/old"], ["rename", "lib/made", known]],
                [["remove", known + "/.git"], ["rename", "lib/made/.git", known + "/.git"]],
                [["exchange", "lib/made/.git", known + "/.git"]]])
        if self.chance(0.3):
            made += [["mkdir", "new2/z"], ["exchange", "new", "new2"]]
        return made

    def noise(self):
        directory = self.directory()
        return self.r.choice([
            [["chmod", directory, "700"]], [["write", f"{directory}/n", "n\n", "644"]], [["mkdir", f"{directory}/o"]],
            [["flood", "70", "lib/n", "/.git"]], [["flood", "600", "lib/n", "/.git"]],
            [["flood", "600", "lib/in/n", ""]],
            [["rename", "lib", "lib2"], ["rename", "lib2", "lib"]], [["shell", "git init -q new/honest", ]],
            [["utimes", directory, "1600000000"]], [["flood", "70", ".git/worktrees/n", ""]],
            [["chmod", self.r.choice(self.gits), "700"]], [["flood", "70", ".git/modules/n", ""]],
            [["flood", "5000", self.r.choice([".git/worktrees/n", ".git/modules/n", ".git/hooks/n", "new/n"]), ""]]])

    def tries(self):
        makers, weights = zip(
            (self.shadow, 4), (self.bare, 4), (self.new_nested, 3), (self.pointer, 5), (self.into_known, 7),
            (self.named, 5), (self.renamed, 5), (self.parent, 2),
            (self.named_by_text, {"trusted": 5, "node": 4, "dotfiles": 20, "nested": 1}.get(self.tree, 0)))
        ops = []
        for _ in range(self.r.choice([1, 1, 1, 2, 3])):
            if self.chance(0.12):
                ops += self.noise()
            ops += self.r.choices(makers, weights)[0]()
        if self.chance(0.1):
            ops += self.noise()
        return ops

    # --- where git goes

    def setting(self):
        """A command that changes where git pushes, pulls or connects."""
        e = self.r.choice([".git/e", "{project}/lib/e", "lib/e", "https://evil.test/x", "http://evil.test/x",
                           "ssh://evil.test/x", "evil.test:x", "git@evil.test:x", "git://9.9.9.9/x"])
        remote = self.r.choice(["fork", "e", "far", e, e, "."])
        branch = self.r.choice(["main", "main", "feature", "z"])
        ref = self.r.choice(["refs/pull/66/head", "refs/heads/z", "refs/heads/feature", "refs/heads/main"])
        name = self.r.choice(["origin", "origin", "fork", "e", "far", ".", e])
        return self.r.choice([
            f"git config remote.{name}.push +{self.r.choice(['z', 'HEAD~', 'z', ''])}:refs/heads/{branch}",
            f"git config remote.{name}.{self.r.choice(['url', 'pushurl'])} {e}",
            f"git config --add remote.{name}.{self.r.choice(['url', 'pushurl'])} {e}",
            f"git config branch.{branch}.{self.r.choice(['remote', 'pushRemote'])} {remote}",
            f"git config branch.{branch}.merge {ref}", f"git config --add branch.{branch}.merge {ref}",
            f"git config branch.{branch}.remote origin; git config branch.{branch}.merge {ref}",
            f"git config remote.pushDefault {remote}", "git config --unset remote.pushDefault",
            f"git config --unset branch.{branch}.remote",
            f"git config push.default {self.r.choice(['matching', 'current', 'upstream'])}",
            "git config remote.origin.mirror true", "git config push.autoSetupRemote true",
            f"git config remote.{name}.fetch +{ref}:refs/heads/{self.r.choice(['feature', 'main'])}",
            f"git config url.{e}.{self.r.choice(['insteadOf', 'pushInsteadOf'])} ../..",
            f"git remote remove {name}", f"git remote rename {name} {self.r.choice(['e', 'far', 'origin'])}",
            f"git remote add {name} {e}", f"git config remote.{name}.vcs ext",
            f"git config extensions.worktreeConfig true; git config --worktree remote.{name}.pushurl {e}",
            f"git config core.repositoryformatversion 1; git config extensions.partialClone {name}; "
            f"git config remote.{name}.promisor true; git config remote.{name}.url {e}; "
            "o=$(git hash-object -w lib/a); git add lib/a; "
            "rm -f .git/objects/${o%${o#??}}/${o#??}"])

    def moved(self):
        """Settings by which the user's next push, pull or status would go elsewhere."""
        commit = ("git -c user.name=e -c user.email=e commit-tree HEAD^{tree} -m EVIL" +
                  self.r.choice(["", " -p HEAD"]))
        ops = [["shell", f"git update-ref refs/heads/z $({commit})"]] if self.chance(0.7) else []
        for place in (".git/e", "lib/e"):
            if self.chance(0.4):
                ops += [["shell", f"git init -q --bare {place}"]]
                ops += self.write(f"{place}/hooks/update", self.script(), "755")
        ops += [["shell", self.setting()] for _ in range(self.r.choice([1, 1, 2, 3, 4]))]
        first = "\n".join([upstream.FIRST] + [text for text in (upstream.TRACKED, upstream.LOCKED) if self.chance(0.7)])
        one, two = self.split(ops)
        return [["host", first]] + self.r.choice([
            [["run", ops]], [["run", ops]], [["run", one], ["run", two]], [["run", []], ["run", self.pause(ops)]]])

    # --- the steps

    def split(self, ops):
        at = self.r.randint(0, len(ops))
        return ops[:at], ops[at:]

    def crowd(self):
        """More repositories than a list may hold, then one of those that were there is changed."""
        ops = [["flood", self.r.choice(["70", "600"]), self.r.choice(["n", "a/n", "lib/n"]), "/.git"],
               ["pause", "300"]]
        return [["run", []], ["run", ops], ["run", self.into_known()]]

    def large(self):
        """More directories than a look goes through in its time, and something in one of them."""
        place = f"lib/big{self.r.randrange(6000)}"
        ops = self.r.choice([self.git_directory(place + "/.git", False), self.git_directory(place, True)])
        made = ["run", [["flood", "6000", "lib/big", ""]]]
        return [made, ["run", ops + [["pause", self.r.choice(["0", str(PAUSE), "250"])]]]]

    def shut(self, ops):
        """Nobody can look into a directory, until it is opened again."""
        directory = self.r.choice(["lib", "new", "sub", "src", "lib/in", ".git/modules", ".git/worktrees"])
        again = self.r.choice([["run", [["chmod", directory, "755"]]], ["host", "chmod -R u+rwX ."]])
        return [["run", ops + [["chmod", directory, self.r.choice(["000", "300", "100"])]]], again, ["run", []]]

    def pause(self, ops):
        return ops + [["pause", str(PAUSE)]] if self.chance(0.15) else ops

    def steps(self):
        kind = self.r.choices(["first", "later", "two", "session", "layers", "kill", "later-kill", "restore",
                               "host", "beside", "large", "shut",
                               "kill-session", "crowd"],
                              [30, 22, 10, 10, 7, 6, 4, 3, 4, 2, 1.5, 3, 1.5, 20 * (self.tree == "many")])[0]
        ops = self.tries()
        one, two = self.split(ops)
        return {
            "first": lambda: [["run", self.pause(ops)]],
            "later": lambda: [["run", []], ["run", self.pause(ops)]],
            "crowd": self.crowd,
            "large": self.large,
            "shut": lambda: self.shut(ops),
            "kill-session": lambda: [["create"], ["kill", "-s", "s", ops], ["apply"]],
            "beside": lambda: [["run", []]] * self.chance(0.5) + [["beside", ops]],
            "two": lambda: [["run", self.pause(one)], ["run", self.pause(two)]],
            "session": lambda: [["create"], ["session", ops], ["apply"]],
            "layers": lambda: [["create"], ["session", one], ["snapshot", "a"], ["session", two], ["apply"]],
            "kill": lambda: [["kill", self.pause(ops)]],
            "later-kill": lambda: [["run", []], ["kill", self.pause(ops)]],
            "restore": lambda: [["create"], ["session", ops], ["snapshot", "a"], ["session", self.noise()],
                                ["restore", "a"], ["apply"]],
            "host": lambda: [["run", []], ["host", self.r.choice([
                "git init -q lib", "git init -q new", "mkdir -p .git/hooks", "git commit -q --allow-empty -m h"])],
                ["run", self.pause(ops)]],
        }[kind]()


def make(seed, index):
    maker = Maker(seed, index)
    if index % UPSTREAM == UPSTREAM - 1:
        maker.tree = "plain"
        return {"tree": "plain", "steps": maker.moved()}
    return {"tree": maker.tree, "steps": maker.steps()}
