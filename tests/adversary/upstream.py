"""What a project's git sends and fetches: bare repositories as upstreams, and each other host. The host's own
status, fetch, pull and push must change no ref but by the user's commits, and connect to nobody."""
import os
import shutil
import socket
import subprocess
import threading

BOUND = 120
OWN = ("mine", "x")  # the subjects of the user's commits, and of the readers'
FIRST = """for name in origin fork; do git push -q ../../$name.git HEAD:refs/heads/main \
    "$(git commit-tree HEAD^{tree} -p HEAD -m THEIRS)":refs/pull/66/head; done
git remote add fork ../../fork.git; git branch feature"""
TRACKED = "git config branch.main.remote origin; git config branch.main.merge refs/heads/main"
LOCKED = "git config remote.pushDefault fork"  # then nothing goes to origin
SCRIPT = """git status; git fetch -q; git pull -q --no-rebase --no-edit
git commit -q --allow-empty -m mine; git push -q; git status
git checkout -q feature && git commit -q --allow-empty -m mine; git pull -q --no-rebase --no-edit; git push -q"""


class Upstream:
    def __init__(self, work, environment):
        self.work, self.asked = work, work + "/asked"
        for name in ("origin", "fork"):
            subprocess.run(["git", "init", "-q", "--bare", f"{name}.git"], cwd=work, env=environment, check=True)
            shutil.copytree(f"{work}/{name}.git", f"{work}/{name}-before")
        with open(work + "/ssh", "w") as file:
            file.write(f"#!/bin/sh\necho ssh >>{self.asked}\n")
        os.chmod(work + "/ssh", 0o755)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.count = 0
        threading.Thread(target=self.listen, daemon=True).start()
        proxy = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.environment = {**environment, "GIT_SSH_COMMAND": work + "/ssh", "GIT_TERMINAL_PROMPT": "0",
                            "http_proxy": proxy, "https_proxy": proxy, "ADVERSARY_READER": "git"}

    def git(self, name, *words):
        return subprocess.run(["git", *words], cwd=f"{self.work}/{name}", env=self.environment, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def refs(self, name):
        lines = self.git(f"{name}.git", "for-each-ref", "--format=%(refname) %(objectname)").stdout.splitlines()
        return dict(line.split() for line in lines)

    def begin(self):
        for name in ("origin", "fork"):
            shutil.rmtree(f"{self.work}/{name}.git", ignore_errors=True)
            shutil.copytree(f"{self.work}/{name}-before", f"{self.work}/{name}.git")
        if os.path.exists(self.asked):
            os.unlink(self.asked)
        self.count = 0

    def listen(self):
        while True:
            connection = self.listener.accept()[0]
            self.count += 1
            connection.close()

    def is_own(self, name, ref, old, new):
        """On top of what was there, and only the user's commits are new."""
        repository = f"{name}.git"
        if old.get(ref) and self.git(repository, "merge-base", "--is-ancestor", old[ref], new).returncode:
            return False
        subjects = set(self.git(repository, "log", "--format=%s", new, "--not", *old.values()).stdout.split())
        return ref in ("refs/heads/main", "refs/heads/feature") and subjects <= set(OWN)

    def use(self, project, sequence):
        """The findings."""
        if not any(step[0] == "host" and FIRST in step[1] for step in sequence["steps"]):
            return []
        locked = any(step[0] == "host" and LOCKED in step[1] for step in sequence["steps"])
        before = {name: self.refs(name) for name in ("origin", "fork")}
        subprocess.run(["sh", "-c", SCRIPT], cwd=project, env=self.environment, stdin=subprocess.DEVNULL, check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=BOUND)
        found = set()
        for name, old in before.items():
            new = self.refs(name)
            for ref in sorted(set(old) | set(new)):
                if old.get(ref) == new.get(ref):
                    continue
                if locked == (name == "origin"):
                    found.add(f"upstream: a push went to {name}")
                elif ref not in new or not self.is_own(name, ref, old, new[ref]):
                    found.add(f"upstream: {ref} of {name} is another one")
        theirs = before["origin"].get("refs/pull/66/head", "")
        heads = self.git("home/p", "for-each-ref", "--contains", theirs, "--format=%(refname)", "refs/heads/main",
                         "refs/heads/feature").stdout.split()
        found.update(f"upstream: {ref} pulled a request" for ref in heads)
        if self.count or os.path.exists(self.asked):
            found.add("upstream: git connected to a host that was no remote")
        return sorted(found)
