#!/usr/bin/env python3
"""What `sbx why` says is what a run does: generated pairs of policy and target.

  tests/e2e/agree.py [PAIRS [SEED]]    500 and 1 unless given

A policy is a set of options; its targets are paths of every kind, hosts with ports, the loopback, variables
and system calls. One `sbx why` is asked about all, and one box tries all. All of it happens in a network
namespace without a way out: the connect to an allowed host fails, too, but the report does not say that it was blocked."""
import errno
import json
import os
import random
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SBX = os.environ.get("SBX", os.path.join(TREE, "build/src/sbx"))
LISTENERS = 3
HOSTS = ["example.test", "a.example.test", "b.a.example.test", "other.test", "example.test.other.test", "192.0.2.7",
         "198.51.100.9", "10.1.2.3", "169.254.169.254"]
PORTS = [80, 443, 8080, 22]
RULES = HOSTS[:6] + ["*.example.test", "*.a.example.test", "*.test", "192.0.2.0/24", "0.0.0.0/0", "10.0.0.0/8", "10.1.2.3"]
VARIABLES = {"GH_TOKEN": "x", "AWS_SECRET_ACCESS_KEY": "x", "FOO": "x", "LANG": "C.UTF-8", "LD_PRELOAD": "", "PYTHONPATH": "/x",
             "DISPLAY": ":7", "SSH_AUTH_SOCK": "/nowhere", "EDITOR": "vi", "MY_PASSWORD": "x", "XYZ_KEY": "x", "HTTP_PROXY": "x",
             "BASH_ENV": "/x", "npm_config_x": "1", "EMPTY": ""}
# Calls that do nothing with arguments of -1, or that no ordinary user may make.
CALLS = ("getpid getuid close dup fstat getcwd lseek read write listen accept poll epoll_create1 mincore "
         "add_key request_key keyctl perf_event_open io_uring_setup io_uring_enter userfaultfd bpf name_to_handle_at "
         "open_by_handle_at vmsplice ustat acct swapon swapoff kexec_load init_module finit_module delete_module "
         "iopl ioperm settimeofday clock_settime quotactl mount umount2 pivot_root fsopen fsmount move_mount "
         "open_tree lookup_dcookie kcmp process_vm_readv process_vm_writev fanotify_init nfsservctl "
         "syslog adjtimex migrate_pages move_pages").split()
GROUPS = ["keyring", "perf", "io_uring"]

PROBE = r'''
import ctypes, errno, json, os, socket, stat, sys
def path(name):
    try:
        kind = os.stat(name).st_mode
    except OSError:
        return [False, False]
    try:
        if stat.S_ISDIR(kind):
            os.listdir(name)
        else:
            os.close(os.open(name, os.O_RDONLY | os.O_NONBLOCK))
        read = True
    except OSError:
        read = False
    try:
        if stat.S_ISDIR(kind):
            os.close(os.open(name + "/new-by-agree", os.O_CREAT | os.O_WRONLY)); os.unlink(name + "/new-by-agree")
        else:
            os.close(os.open(name, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK))
        write = True
    except OSError as problem:
        write = problem.errno == errno.ENXIO
    return [read, write]
def host(name, port):
    try:
        with socket.create_connection((name, port), 20) as link:
            link.sendall(b"GET / HTTP/1.1\r\nHost: %s:%d\r\nConnection: close\r\n\r\n" % (name.encode(), port))
            link.settimeout(20)
            return b"blocked by sbx" not in link.recv(4096)
    except OSError as problem:
        return "none: " + str(problem)
def loopback(port):
    try:
        socket.create_connection(("127.0.0.1", port), 20).close()
        return True
    except OSError:
        return False
libc = ctypes.CDLL(None, use_errno=True)
def call(number):
    ctypes.set_errno(0)
    return ctypes.get_errno() if libc.syscall(number, *[ctypes.c_long(-1)] * 6) < 0 else 0
todo = json.load(sys.stdin)
print(json.dumps({
    "path": [path(name) for name in todo["path"]], "host": [host(*one) for one in todo["host"]],
    "loopback": [loopback(port) for port in todo["loopback"]],
    "variable": [name in os.environ for name in todo["variable"]], "call": [call(number) for number in todo["call"]]}))
'''


def numbers():
    """The kernel's numbers of the calls, by its own header."""
    text = subprocess.run(["cc", "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", "/dev/null"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return {name: int(number) for name, number in re.findall(r"^#define __NR_(\w+) (\d+)$", text, re.M)}


class World:
    """A home with files of every kind, and a project in it."""

    def __init__(self, top):
        self.top, self.home = top, os.path.join(top, "home")
        self.project = os.path.join(self.home, "work", "thing")
        self.paths = ["/etc/passwd", "/usr/bin/env", "/usr", "/etc", "/proc/self/status", "/dev/null", "/srv", "/tmp", "/var/lib",
                      os.path.join(top, "beside"), os.path.join(top, "nowhere")]
        os.makedirs(self.project)
        subprocess.run(["git", "init", "-q", self.project], check=True)
        for base in (self.project, os.path.join(self.home, "data"), os.path.join(self.home, "other dir"), os.path.join(top, "beside")):
            for name in ("", "sub", "sub/deep"):
                os.makedirs(os.path.join(base, name), exist_ok=True)
            for name in ("file", "sub/file", "sub/deep/file", "it's $odd", ".hidden"):
                with open(os.path.join(base, name), "w", encoding="utf-8") as file:
                    file.write(name)
            os.symlink("sub/file", os.path.join(base, "link"))
            os.symlink("sub", os.path.join(base, "dirlink"))
            os.symlink("../data/file", os.path.join(base, "out"))
            os.mkfifo(os.path.join(base, "fifo"))
            names = ("", "file", "sub", "sub/file", "sub/deep", "sub/deep/file", "it's $odd", ".hidden", "link", "dirlink",
                     "dirlink/file", "out", "fifo", "no such file")
            self.paths += [os.path.join(base, name) if name else base for name in names]
        self.paths += [self.home, os.path.join(self.project, ".git"), os.path.join(self.project, ".git/config"),
                       os.path.join(self.project, ".git/hooks"), os.path.join(self.home, ".ssh")]
        self.own = [path for path in self.paths if path.startswith(top) and "$" not in path and "no" not in os.path.basename(path)
                    and os.path.exists(path) and "fifo" not in path]

    def policy(self, chance, ports):
        options = []
        for _ in range(chance.randrange(5)):
            path = chance.choice(self.own)
            flag = chance.choice(["--read", "--read", "--write", "--write", "--hide", "--protect"])
            if os.path.isdir(path) and chance.random() < 0.2:
                flag = "--overlay"
            if path != self.home or flag == "--read":
                options += [flag, path]
        for _ in range(chance.randrange(4)):
            rule = chance.choice(RULES)
            options += [chance.choice(["-a", "-a", "--deny"]), rule + chance.choice(["", "", f":{chance.choice(PORTS)}"])]
        for _ in range(chance.randrange(3)):
            options += [chance.choice(["--pass-env", "--unset-env"]), chance.choice(list(VARIABLES))]
        if chance.random() < 0.4:
            options += ["--host-port", str(chance.choice(ports))]
        if chance.random() < 0.4:
            options += ["--allow-syscalls", chance.choice(GROUPS)]
        if chance.random() < 0.3:
            options += ["--deny-syscalls", chance.choice(["listen", "mincore"])]
        return options


def path_wish(text):
    """What an answer of why means: readable, writable; None: it does not say."""
    first = text.split("\n", 1)[0]
    rules = [(" can be read and written", (True, True)), ("; writes are discarded at the end", (True, True)),
             (" can be written; ", (True, True)), (" can be read", (True, False)), (" is hidden", (False, False)),
             (" contains in the box only what", (True, None)), (" is not in the box", (False, False))]
    for words, wish in rules:
        if words in first:
            read, write = wish
            if "you may not read it yourself" in text:
                read = False
            # Of a directory that is the box's own this is about the one outside: what is written is thrown away.
            if "no option lets it be written" in text and write is not None:
                write = False
            return read, write
    return None


def outside(path):
    """Whether the caller may: what the box cannot give."""
    return os.access(path, os.R_OK), os.access(path, os.W_OK)


def judge_path(name, answer, deed):
    wish = path_wish(answer)
    if wish is None:
        return "no answer"
    may = outside(name)
    if not os.path.exists(name):
        return None if deed == [False, False] else "it does not exist outside"
    own = "can be written; " in answer or "discarded at the end" in answer
    for what, said, done, can in zip(("read", "write"), wish, deed, may):
        if said is None or (what == "write" and os.path.exists(name) and stat.S_ISFIFO(os.stat(name).st_mode)):
            continue # a read-only mount does not stop a writer of a FIFO
        if said and not done and (can or own):
            return f"why says {what}, the box cannot"
        if not said and done and not (what == "write" and name.startswith("/dev/")):
            return f"why says no {what}, the box can"
    return None


def judge(kind, target, answer, deed):
    if kind == "path":
        return judge_path(target, answer, deed)
    if kind == "host":
        if not isinstance(deed, bool):
            return None if "cannot be reached" in answer or "is denied" in answer else "why says reached: " + deed
        said = "can be reached" in answer
        return None if said == deed else f"why says {said}, the box {deed}"
    if kind == "loopback":
        said = "is the host's" in answer
        return None if said == deed else f"why says {said}, the box {deed}"
    if kind == "variable":
        said = "is passed" in answer
        return None if said == deed else f"why says {said}, the box {deed}"
    if "its arguments decide" in answer:
        return None
    if "allowed" in answer.split("\n", 1)[0]:
        return None if deed not in (errno.EPERM, errno.ENOSYS) or target in PRIVILEGED else "why says allowed, errno " + str(deed)
    wanted = errno.EPERM if "(EPERM)" in answer else errno.ENOSYS
    return None if deed == wanted else f"why says {answer.split(chr(10), 1)[0]}, errno {deed}"


PRIVILEGED = set("add_key request_key keyctl perf_event_open io_uring_setup io_uring_enter".split())


def answers_of(text, count):
    """One answer begins at the left edge; a line about where a link leads belongs to the next."""
    found, lead = [], ""
    for line in text.splitlines():
        if line.startswith("  ") and found:
            found[-1] += "\n" + line
        elif re.match(r"/.* leads to /", line):
            lead = line
        else:
            found.append(line)
    if len(found) != count:
        raise SystemExit(f"{count} targets, {len(found)} answers:\n{text}{lead}")
    return found


def one_box(world, chance, ports, table, size):
    options = world.policy(chance, ports)
    calls = [name for name in CALLS if name in table]
    todo = {"path": [chance.choice(world.paths) for _ in range(size)],
            "host": [(chance.choice(HOSTS), chance.choice(PORTS)) for _ in range(size // 5)],
            "loopback": [chance.choice(ports)], "variable": [chance.choice(list(VARIABLES)) for _ in range(size // 5)],
            "call": [chance.choice(calls) for _ in range(size // 5)]}
    words = [*todo["path"], *(f"{name}:{port}" for name, port in todo["host"]), *(f"127.0.0.1:{port}" for port in todo["loopback"]),
             *("$" + name for name in todo["variable"]), *todo["call"]]
    environment = {"HOME": world.home, "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "USER": "tester", **VARIABLES}
    shared = {"cwd": world.project, "env": environment, "timeout": 300, "check": False, "text": True}
    why = subprocess.run([SBX, "why", *options, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **shared)
    deed = subprocess.run([SBX, "run", "--report", "full", *options, "--", "/usr/bin/python3", "-S", "-c", PROBE], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, input=json.dumps({**todo, "call": [table[name] for name in todo["call"]]}), **shared)
    if why.returncode or deed.returncode:
        # Refused by both, as a plan that cannot be made.
        ok = why.returncode and deed.returncode
        return 0, [] if ok else [f"{options}: why {why.returncode} {why.stdout[-300:]}, run {deed.returncode} {deed.stderr[-300:]}"]
    deeds = json.loads(deed.stdout)
    deeds["host"] = [f"blocked {name}:{port} " not in deed.stderr if "refused" in str(done) else done
                     for (name, port), done in zip(todo["host"], deeds["host"])]
    kinds = [(kind, target, done) for kind in ("path", "host", "loopback", "variable", "call")
             for target, done in zip(todo[kind], deeds[kind])]
    wrong = []
    for (kind, target, done), answer in zip(kinds, answers_of(why.stdout, len(words))):
        problem = judge(kind, target, answer, done)
        if problem:
            wrong.append(f"{' '.join(options)} | {target} | {problem} | {answer!r}")
    return len(words), wrong


def main():
    if os.environ.get("AGREE_ALONE") != "1":
        alone = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--user", "--map-current-user", "--keep-caps", "--net"]
        os.environ["AGREE_ALONE"] = "1"
        os.execvp("unshare", [*alone, sys.executable, os.path.abspath(__file__), *sys.argv[1:]])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    top = tempfile.mkdtemp(prefix="sbx-agree.", dir=os.environ.get("TMPDIR", "/tmp"))
    os.chmod(top, 0o755)
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(LISTENERS)]
    ports = [one.getsockname()[1] for one in listeners]
    pairs, boxes, wrong = 0, 0, []
    try:
        world, table, chance = World(top), numbers(), random.Random(seed)
        while pairs < wanted and boxes < wanted:
            made, bad = one_box(world, chance, ports, table, 20)
            pairs, boxes, wrong = pairs + made, boxes + 1, wrong + bad
    finally:
        shutil.rmtree(top, ignore_errors=True)
    for line in wrong[:20]:
        print("#", line)
    print(f"{'not ok' if wrong or pairs < wanted else 'ok'} 1 - why and the deed agree: {pairs} pairs in {boxes} boxes by seed {seed}, {len(wrong)} differ")
    print("1..1")
    return int(bool(wrong) or pairs < wanted)


sys.exit(main())
