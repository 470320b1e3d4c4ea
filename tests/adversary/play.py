"""Plays a sequence: the start tree, the boxes, then the host's readers; says what went wrong."""
import json
import os
import select
import shutil
import signal
import subprocess

import judge
import readers
import tree
import upstream

BOUND = 120  # seconds for one program; nothing here takes one


class Player:
    def __init__(self, work, sbx, act, packages):
        self.work, self.sbx, self.protection = work, sbx, []
        self.check = ["--check", "all"]  # of each box: the readers go to old directories, too
        self.act, self.canary = work + "/act", work + "/canary"
        for name in (self.act, self.canary):
            shutil.copy(act, name)
        path = os.environ.get("PATH", "/usr/bin:/bin")
        self.environment = {"PATH": path, "HOME": work + "/home", "XDG_STATE_HOME": work + "/state",
                            "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1"}
        host = readers.with_packages(self.environment, packages)
        self.trees = tree.Trees(work, host)
        self.project = self.trees.project
        self.readers = readers.Readers(host)
        self.watched = upstream.own_network()
        self.upstream = upstream.Upstream(work, host)
        self.before = {name: judge.snapshot(f"{work}/{name}") for name in tree.NAMES}
        self.commits = {name: subprocess.run(["git", "rev-parse", "HEAD"], cwd=f"{work}/{name}", text=True,
                                             env=self.environment, stdout=subprocess.PIPE,
                                             check=True).stdout.strip() for name in self.before}

    def text_of(self, ops, commit):
        text = "".join("\x1f".join(op) + "\x1e" for op in ops)
        return text.replace("{canary}", self.canary).replace("{project}", self.project).replace(
            "{commit}", commit).encode()

    def call(self, words, given=b""):
        done = subprocess.run([self.sbx, *words], input=given, cwd=self.project, env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=BOUND, check=False)
        self.said.append(done.stdout.decode(errors="replace"))
        return done.returncode

    def run(self, words, ops, commit):
        """A sequence whose box did not run shows nothing, unless an earlier box is why."""
        status = self.call(["run", *words, *self.check, *self.protection, "--read", self.act, "--", self.act],
                           self.text_of(ops, commit))
        self.refused = self.refused or (status == 125 and self.boxes > 0)
        if status != 0 and self.boxes == 0:
            raise OSError(f"the first box ended with {status}: {self.said[-1]}")
        self.boxes += 1

    def kill(self, words, ops, commit):
        """The supervisor dies when all is done in the box; the box's output ends when the box has died, too."""
        text = self.text_of(ops + [["say", "done\n"], ["pause", str(BOUND * 1000)]], commit)
        with subprocess.Popen([self.sbx, "run", *words, *self.check, "--read", self.act, "--", self.act], cwd=self.project,
                              env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdin.write(text)
            process.stdin.close()
            select.select([process.stdout], [], [], BOUND)
            process.send_signal(signal.SIGKILL)
            process.stdout.read()
            self.said.append(process.stderr.read().decode(errors="replace"))
        self.boxes += 1
        self.run([], [], commit)  # the next one has to look

    def beside(self, ops, commit):
        """A second box begins and ends while the first one waits."""
        text = self.text_of([["say", "ready\n"], ["pause", "300"]] + ops, commit)
        with subprocess.Popen([self.sbx, "run", *self.check, "--read", self.act, "--", self.act], cwd=self.project,
                              env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT) as process:
            process.stdin.write(text)
            process.stdin.close()
            select.select([process.stdout], [], [], BOUND)
            self.run([], [], commit)
            self.said.append(process.stdout.read().decode(errors="replace"))
        self.boxes += 1

    def step(self, step, commit):
        what, words = step[0], step[1:]
        if what == "run":
            self.run([], words[0], commit)
        elif what == "kill":
            self.kill(words[:-1], words[-1], commit)
        elif what == "beside":
            self.beside(words[0], commit)
        elif what == "host":
            subprocess.run(["sh", "-c", words[0]], cwd=self.project, env=self.environment, check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        elif what == "session":
            self.run(["-s", "s"], words[0], commit)
        else:
            self.call(["session", what, "s", *words])

    def clear(self):
        for name in (self.project, self.work + "/state"):
            if os.path.lexists(name) and subprocess.run(["rm", "-rf", name], stderr=subprocess.DEVNULL,
                                                        check=False).returncode:
                subprocess.run(["chmod", "-R", "u+rwX", name], stderr=subprocess.DEVNULL, check=False)
                subprocess.run(["rm", "-rf", name], check=True)
        if os.path.exists(self.work + "/fired"):
            os.unlink(self.work + "/fired")

    def fired(self):
        try:
            with open(self.work + "/fired") as file:
                lines = [line.split("\t") for line in file.read().splitlines()]
            return {tuple(line) for line in lines if len(line) == 3}
        except FileNotFoundError:
            return set()

    def play(self, sequence, index=0):
        """The findings, as texts; none is good. `index` says which of the slow readers are asked."""
        self.clear()
        self.said, self.boxes, self.refused = [], 0, False
        name = sequence["tree"]
        self.trees.copy(name)
        self.upstream.begin()
        for step in sequence["steps"]:
            self.step(step, self.commits[name])
        said = "".join(self.said)
        after = judge.snapshot(self.project)
        touched = json.dumps(sequence["steps"])
        early, before = self.fired(), upstream.connections()  # by sbx itself
        self.readers.run(self.project, after, touched, index)
        moved = self.upstream.use(self.project, sequence)
        if self.watched and upstream.connections() != before:
            moved.append("upstream: git connected to a host that was no remote")
        case = judge.Case(sequence, self.before[name], after, said, self.project, self.canary, self.fired(), early)
        refused = [judge.manner(sequence) + ": the next box was refused"] if self.refused else []
        return judge.findings(case) + moved + refused
