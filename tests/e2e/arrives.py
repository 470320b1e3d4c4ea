#!/usr/bin/env python3
"""The report of a run arrives, whatever a box does to stdin, stdout and stderr, which are its caller's, too; these are
afterwards as they were; and what could not be written is in the status and the audit. TAP."""
import fcntl
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import pexpect

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, finish, skip  # noqa: E402

SBX = os.environ["SBX"]
PATIENCE, BOUND = 15, 60
ROOT = os.geteuid() == 0
work = tempfile.mkdtemp(prefix="sbx-arrives")
project = os.path.join(work, "project")
os.mkdir(project)
subprocess.run(["git", "init", "-q", project], check=True)
# Root may open what is anybody's; so there its pipes are another user's.
WHO = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] if ROOT else []
env = dict(os.environ, HOME=work, XDG_STATE_HOME=os.path.join(work, "state"))
# Does what its words say to descriptors 0, 1 and 2, which it shares; and leaves something to report.
BOX = r"""
import fcntl, os, signal, socket, struct, sys, time
def put(fd, text):
    count = 0
    try:
        while os.write(fd, text): count += 1
    except BlockingIOError: return count
def fill(fd):
    # A terminal has room again when the kernel's worker has moved what it took.
    while put(fd, b"\n" * 4096) + put(fd, b"\n") and os.isatty(fd): time.sleep(0.2)
for word in sys.argv[2:]:
    if word == "flags":
        for fd in 0, 1, 2:
            fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) ^ os.O_NONBLOCK ^ os.O_APPEND)
    elif word == "options":
        for fd in 0, 1, 2:
            one = socket.socket(fileno=os.dup(fd))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 0, 1000))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, 1000))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    elif word == "small": fcntl.fcntl(2, 1031, 4096)
    elif word == "large": fcntl.fcntl(2, 1031, 1 << 20)
    elif word == "fill":
        flags = fcntl.fcntl(2, fcntl.F_GETFL)
        fcntl.fcntl(2, fcntl.F_SETFL, flags | os.O_NONBLOCK)
        fill(2)
        fcntl.fcntl(2, fcntl.F_SETFL, flags)
    elif word == "shut": socket.socket(fileno=os.dup(2)).shutdown(socket.SHUT_RDWR)
    elif word == "words": print("a" * 1000, flush=True); print("b" * 1000, file=sys.stderr, flush=True)
    elif word == "back": os.lseek(1, 0, os.SEEK_SET)
    elif word == "ask": os.spawnlp(os.P_WAIT, "curl", "curl", "-s", "-m", "30", "-o", "asked", "http://h1.invalid/")
    elif word == "stop": os.kill(os.getpid(), signal.SIGSTOP)
if "ask" not in sys.argv: open(".envrc", "w").close()
sys.exit(int(sys.argv[1]))
"""
with open(os.path.join(project, "box.py"), "w", encoding="utf-8") as file:
    file.write(BOX)
if ROOT:
    subprocess.run(["chown", "-R", "65534:65534", work], check=True)
REPORT = b".envrc appeared, and your own programs"


def flags(*fds):
    return [fcntl.fcntl(fd, fcntl.F_GETFL) for fd in fds]


def start(words, *options, status=0, **streams):
    return subprocess.Popen([*WHO, SBX, "run", *options, "--", "python3", "box.py", str(status), *words.split()], cwd=project, env=env, **streams)


def ends(child, seconds=BOUND):
    try:
        return child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait() and "it was held"


def audited(child):
    """What sbx audit says of it; setpriv and sbx have one pid."""
    return subprocess.run([*WHO, SBX, "audit", "--run", str(child.pid)], cwd=project, env=env, capture_output=True).stdout


def read_all(fd):
    text = b""
    while part := os.read(fd, 1 << 16):
        text += part
    os.close(fd)
    return text


# Each kind of stream: two ends for reading and for writing; and a way to keep others from opening it.
def pipe():
    return os.pipe()


def fifo():
    path = tempfile.mktemp(dir=work)
    os.mkfifo(path, 0o600)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(path, os.O_WRONLY)
    os.set_blocking(reader, True)
    return reader, writer


def pair():
    return [one.detach() for one in socket.socketpair()]


def closed(make):
    """One that cannot be opened again, as another user's."""
    def made():
        ends = make()
        os.fchmod(ends[1], 0)
        return ends
    return made


KINDS = {"a pipe": pipe, "a pipe of another user": closed(pipe), "a FIFO": fifo, "a FIFO of another user": closed(fifo), "a socket": pair}
for name, make in KINDS.items():
    # Where nothing is protected a refusal is reported.
    for tier, words, wanted, options in (("namespaces", "words flags fill", REPORT, ()),
                                         ("landlock", "ask words flags fill", b"blocked h1.invalid:80", ("--no-protect",))):
        (inner, feed), (out, stdout), (err, stderr) = make(), make(), make()
        before = flags(inner, stdout, stderr)
        child = start(words, "--isolation", tier, *options, stdin=inner, stdout=stdout, stderr=stderr)
        status = ends(child)
        after = flags(inner, stdout, stderr)
        for fd in feed, inner, stdout, stderr:
            os.close(fd)
        text = read_all(err)
        check(f"{name} that a box fills, read when sbx has ended: the report is there, tier {tier}", status == 0 and text.count(wanted) == 1, (status, text[-400:]))
        check(f"{name}: what the command wrote is there, tier {tier}", text.startswith(b"b" * 1000) and read_all(out) == b"a" * 1000 + b"\n", text[:80])
        check(f"{name}: the flags are as they were, tier {tier}", before == after, (before, after))

# --- options of sockets
ends3 = [pair() for _ in range(3)]
theirs = [socket.socket(fileno=os.dup(one[1])) for one in ends3]
OPTIONS = socket.SO_SNDTIMEO, socket.SO_RCVTIMEO, socket.SO_LINGER, socket.SO_RCVLOWAT


def options_of():
    return [one.getsockopt(socket.SOL_SOCKET, option, 16) for one in theirs for option in OPTIONS]


before = options_of()
child = start("options fill", stdin=ends3[0][1], stdout=ends3[1][1], stderr=ends3[2][1])
status = ends(child)
check("a socket: its time limits are as they were", status == 0 and options_of() == before, (status, before, options_of()))
for one in theirs:
    one.close()
for fd in [fd for one in ends3 for fd in one]:
    os.close(fd)
ours, theirs = socket.socketpair()
child = start("shut", stderr=theirs)
status = ends(child)
check("a socket that the box has shut: 125", status == 125, status)
check("and the audit has why", b"could not be written" in audited(child), audited(child))
theirs.close()
ours.close()

# --- who reads late, and who never does
reader, writer = os.pipe()
child = start("small fill large fill", stderr=writer)
os.close(writer)
time.sleep(10)
held = child.poll() is None
text = read_all(reader)
check("a full pipe that is read after 10 s, as by a pager: the report is there", held and ends(child) == 0 and REPORT in text, (held, text[-400:]))


def unread(name, words, status, wanted, least, most, *options):
    reader, writer = os.pipe()
    begun = time.time()
    child = start(words, *options, status=status, stderr=writer)
    got, took = ends(child), time.time() - begun
    check(f"{name}: {wanted}, in time", got == wanted and least < took < most, (got, took))
    text = audited(child)
    check(f"{name}: the audit has it", b".envrc" in text and b"could not be written: it was not read in time" in text, text)
    os.close(reader)
    os.close(writer)


threads = [threading.Thread(target=unread, args=row) for row in (
    ("a full pipe that nobody reads", "large fill", 0, 125, PATIENCE - 2, PATIENCE + 20),
    ("the same, and a command that failed", "large fill", 3, 3, PATIENCE - 2, PATIENCE + 20),
    ("with --timeout", "large fill", 0, 125, 0, 10, "--timeout", "3s"),
)]
for thread in threads:
    thread.start()
    time.sleep(0.3)
for thread in threads:
    thread.join()
reader, writer = os.pipe()
child = start("large fill", stderr=writer)
time.sleep(3)
begun = time.time()
child.send_signal(signal.SIGTERM)
status = ends(child)
check("a signal ends the wait", status == 125 and time.time() - begun < 5, (status, time.time() - begun))
os.close(reader)
os.close(writer)
script = f"{SBX} run -- sh -c 'touch .envrc; echo one; sleep 1' 2>&1 | head -1; echo =${{PIPESTATUS[0]}}"
text = subprocess.run([*WHO, "bash", "-c", script], cwd=project, env=env, capture_output=True).stdout
check("a reader that has gone is no failure", text == b"one\n=0\n", text)

# --- files
for name, words, wanted in (("> file 2>&1", "words flags", b"a" * 1000 + b"\n" + b"b" * 1000 + b"\n"),
                            ("and the box goes back to its beginning", "words back", b"a" * 1000 + b"\n" + b"b" * 1000 + b"\n")):
    path = tempfile.mktemp(dir=work)
    file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
    os.write(file, b"before\n")
    before = flags(file)
    child = start(words, stdout=file, stderr=file)
    status = ends(child)
    after = flags(file)
    os.write(file, b"after\n")
    with open(path, "rb") as whole:
        text = whole.read()
    check(f"{name}: the command's bytes, then the report, then the caller's",
          status == 0 and re.fullmatch(rb"before\n" + wanted + rb"sbx: [^\n]*" + REPORT + rb"[^\n]*\nafter\n", text), (status, text))
    check(f"{name}: the flags are as they were", before == after, (before, after))
    os.close(file)
with open("/dev/full", "wb") as full:
    child = start("", stderr=full)
    check("a full disk: 125", ends(child) == 125, child.returncode)
    text = audited(child)
    check("a full disk: the audit has it", b".envrc" in text and b"could not be written: No space left" in text, text)
    check("a full disk: another status stays", ends(start("", status=4, stderr=full)) == 4)

# --- terminals
outer, inner = pty.openpty()
os.fchmod(inner, 0)
begun = time.time()
child = start("fill", stdin=inner, stdout=inner, stderr=inner, start_new_session=True)
status = ends(child)
check("another user's terminal that is full and that nobody reads holds nothing up", status == 125 and time.time() - begun < PATIENCE + 20, (status, time.time() - begun))
os.close(outer)
os.close(inner)
pid, outer = pty.fork()
if pid == 0:
    os.fchmod(0, 0)
    os.chdir(project)
    os.execvpe(WHO[0] if WHO else SBX, [*WHO, SBX, "run", "--", "python3", "box.py", "0", "flags"], env)
text = b""
while True:
    try:
        text += os.read(outer, 4096)
    except OSError:
        break
status = os.waitpid(pid, 0)[1]
check("another user's terminal: the report is there", REPORT in text and status == 0, (status, text))
os.close(outer)

# --- a stop, and back
child = pexpect.spawn("/bin/bash", ["--norc", "--noediting", "-i"], cwd=project, encoding="utf-8", timeout=BOUND,
                      env=dict(env, PS1="READY> ", TERM="dumb"))
child.expect_exact("READY> ")


def line(text):
    child.sendline(text)
    child.expect_exact(text + "\r\n")
    child.expect_exact("READY> ")
    return child.before


SHOW = "python3 -c 'import fcntl; print([fcntl.fcntl(fd, 3) for fd in (7, 8)])'"
line(f"mkfifo {work}/7 {work}/8; sleep 300 <{work}/7 & sleep 300 <{work}/8 & exec 7>{work}/7 8>{work}/8")
before = line(SHOW)
line(f"{' '.join(WHO)} {SBX} run -- python3 box.py 0 flags stop >&7 2>&8")
child.sendline("fg")
child.expect_exact("READY> ")
check("after a stop the flags are as they were", line(SHOW) == before, (before, line(SHOW)))
line("kill %1 %2; wait")
# The process that stores the output is the first child of the one that a shell waits for.
line(f"{' '.join(WHO)} {SBX} run --json -- sh -c 'echo first; kill -STOP $$; echo second' >{work}/answer")
front = re.search(r"(?m)^(\d+)\r$", line("jobs -p"))[1]
with open(f"/proc/{front}/task/{front}/children", encoding="ascii") as file:
    stores = int(file.read().split()[0])
os.kill(stores, signal.SIGSTOP)
child.sendline("fg")
time.sleep(1)
os.kill(stores, signal.SIGCONT)
child.expect_exact("READY> ")
with open(f"{work}/answer", encoding="utf-8") as file:
    text = file.read()
check("--json after a stop, on a busy machine: the output is whole", '"stdout":"first\\nsecond\\n"' in text, text)
child.close(force=True)

# --- in the background
run = subprocess.run([*WHO, SBX, "run", "-d", "--", "python3", "box.py", "0", "flags", "fill"], cwd=project, env=env, capture_output=True).stdout.decode().strip()
ended = subprocess.run([*WHO, SBX, "wait", run], cwd=project, env=env, capture_output=True)
text = subprocess.run([*WHO, SBX, "logs", run], cwd=project, env=env, capture_output=True).stdout
check("in the background: the report is in the output", ended.returncode == 0 and REPORT in text, (ended, text[-400:]))

# --- answers in JSON
reader, writer = pipe()
fcntl.fcntl(writer, 1031, 4096)
os.set_blocking(writer, False)
child = start("words", "--json", stdout=writer)
os.close(writer)
status = ends(child)
text = read_all(reader)
check("--json into a pipe that does not wait, read when sbx has ended: it is whole", status == 0 and text.endswith(b"}\n") and b'"stdout":"aaa' in text, (status, text))

subprocess.run(["chmod", "-R", "u+rwx", work], check=False)
shutil.rmtree(work, ignore_errors=True)
finish()
