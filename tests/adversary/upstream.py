"""What a project's git sends and fetches: bare repositories as upstreams, and each other host. The host's own
status, fetch, pull and push must change no ref but by the user's commits, and connect to nobody: the upstreams are
paths. In a network namespace in which each address is the machine's own, the kernel counts who connects anywhere."""
import ctypes
import fcntl
import os
import re
import shutil
import socket
import struct
import subprocess

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


NEW_USER, NEW_NET = 0x10000000, 0x40000000  # CLONE_*
SET_FLAGS, SET_ADDRESS, SET_MASK, UP = 0x8914, 0x8916, 0x891C, 1  # SIOCSIF*, IFF_UP
COUNTED = {"Tcp": "ActiveOpens", "Udp": "OutDatagrams"}


def own_network():
    """A network of this process's, of which lo has nearly all addresses. False: there can be none."""
    ids = os.getuid(), os.getgid()
    if ctypes.CDLL(None, use_errno=True).unshare(NEW_NET | (NEW_USER if ids[0] else 0)):
        return False
    for name, text in [("setgroups", "deny"), *((f"{kind}_map", f"{own} {own} 1")
                                                 for kind, own in zip(("uid", "gid"), ids))] if ids[0] else []:
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        fcntl.ioctl(link, SET_FLAGS, struct.pack("16sh22x", b"lo", UP))
        for bits in range(1, 9):  # 128.0.0.0/1 to 1.0.0.0/8
            first = 1 << 32 - bits
            for request, value in ((SET_ADDRESS, first + 1), (SET_MASK, (1 << 32) - first)):
                fcntl.ioctl(link, request, struct.pack("16sH2xI16x", f"lo:{bits}".encode(), socket.AF_INET,
                                                       socket.htonl(value)))
    return True


def connections():
    """How often something in this network connected, or sent a datagram, as to a server of names."""
    with open("/proc/self/net/snmp") as file:
        rows = re.findall(r"^(Tcp|Udp): (.*)\n\1: (.*)$", file.read(), re.MULTILINE)
    return sum(int(dict(zip(names.split(), values.split()))[COUNTED[kind]]) for kind, names, values in rows)


class Upstream:
    def __init__(self, work, environment):
        self.work = work
        for name in ("origin", "fork"):
            subprocess.run(["git", "init", "-q", "--bare", f"{name}.git"], cwd=work, env=environment, check=True)
            shutil.copytree(f"{work}/{name}.git", f"{work}/{name}-before")
        self.environment = {**environment, "GIT_TERMINAL_PROMPT": "0", "ADVERSARY_READER": "git"}

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
        return sorted(found)
