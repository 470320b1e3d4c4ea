#!/usr/bin/env python3
"""sbx run --agent-key: real ssh, sshd and ssh-agent over the loopback, attacks, and an oracle. TAP."""
import base64
import glob
import hashlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, finish, skip  # noqa: E402

SBX = os.environ["SBX"]
HERE = os.path.dirname(os.path.abspath(__file__))
top = os.path.realpath(tempfile.mkdtemp(prefix="sbx-agent-test"))
os.chmod(top, 0o755)
home, project = os.path.join(top, "home"), os.path.join(top, "project")
children = []


# --- bytes, as this side writes them ---------------------------------------------------------------

def number(value):
    return value.to_bytes(4, "big")


def string(data):
    return number(len(data)) + data


def frame(body):
    return string(body).hex()


def bind(host, session, signature, forwarding=0):
    return b"\x1b" + string(b"session-bind@openssh.com") + string(host) + string(session) + string(signature) + bytes([forwarding])


def login(session, key, host=None, user=b"me", method=None, service=b"ssh-connection", algorithm=b"ssh-ed25519"):
    method = method or (b"publickey-hostbound-v00@openssh.com" if host is not None else b"publickey")
    data = string(session) + b"\x32" + string(user) + string(service) + string(method) + b"\x01" + string(algorithm) + string(key)
    return data + (string(host) if host is not None else b"")


def sign(key, data, flags=0):
    return b"\x0d" + string(key) + string(data) + number(flags)


def sshsig(namespace):
    return b"SSHSIG" + string(namespace) + string(b"") + string(b"sha512") + string(b"h" * 64)


# --- the place -------------------------------------------------------------------------------------

def command(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, **more)


def keygen(name):
    command("ssh-keygen", "-qt", "ed25519", "-N", "", "-C", name, "-f", f"{home}/.ssh/{name}")
    return open(f"{home}/.ssh/{name}.pub", encoding="utf-8").read().split()[1]


os.makedirs(home + "/.ssh", 0o700)
os.makedirs(project)
shutil.copy(HERE + "/play.py", project)
environment = dict(os.environ, HOME=home, XDG_CONFIG_HOME=home + "/.config", XDG_STATE_HOME=home + "/.local/state")
environment.pop("SSH_AUTH_SOCK", None)
pub = {name: base64.b64decode(keygen(name)) for name in ("listed", "other", "host1", "host2", "host3")}


def start_agent(name, *keys):
    path = f"{top}/{name}.sock"
    child = subprocess.Popen(["ssh-agent", "-D", "-a", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    children.append(child)
    wait_for(lambda: os.path.exists(path))
    command("ssh-add", "-q", *[f"{home}/.ssh/{key}" for key in keys], env=dict(environment, SSH_AUTH_SOCK=path))
    return path


def wait_for(good):
    end = time.monotonic() + 30
    while not good() and time.monotonic() < end:
        time.sleep(0.02)
    return good()


def ask(path, body):
    with socket.socket(socket.AF_UNIX) as conn:
        conn.connect(path)
        conn.sendall(string(body))
        data = b""
        while len(data) < 4 or len(data) < 4 + int.from_bytes(data[:4], "big"):
            data += conn.recv(65536)
        return data[4:]


def host_signature(host, session):
    answer = ask(hosts_agent, sign(pub[host], session))
    assert answer[0] == 14, answer
    return answer[5:]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def start_sshd(host):
    port = free_port()
    config = f"{top}/{host}.config"
    with open(config, "w", encoding="utf-8") as file:
        file.write(f"Port {port}\nListenAddress 127.0.0.1\nHostKey {home}/.ssh/{host}\nAuthorizedKeysFile {home}/.ssh/authorized_keys\n"
                   "StrictModes no\nPidFile none\nUsePAM no\nMaxStartups 100\n")
    children.append(subprocess.Popen([sshd, "-D", "-f", config, "-E", f"{top}/{host}.log"]))
    wait_for(lambda: listens(port))
    return port


def box(options, *words, agent=None, profile=("-p", "ssh")):
    return command(SBX, "run", *profile, *options, "--", *words, cwd=project, env=dict(environment, SSH_AUTH_SOCK=agent or user_agent))


def play(options, connections, agent=None, more=()):
    with open(project + "/play.json", "w", encoding="utf-8") as file:
        json.dump([[frame(message) for message in messages] for messages in connections], file)
    done = box(options, "python3", "play.py", "play.json", agent=agent)
    try:
        return json.loads(done.stdout), done.stderr
    except ValueError:
        return [[None] * 9] * len(connections), repr(done)


def passed(answer):
    return answer is not None and answer.startswith("0e")


KEY = ("--agent-key", "~/.ssh/listed.pub")


def known(lines):
    with open(home + "/.ssh/known_hosts", "w", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in lines))


def line(name, host):
    return f"{name} ssh-ed25519 {base64.b64encode(pub[host]).decode()}"


# --- real programs ---------------------------------------------------------------------------------

def logins():
    port1, port2 = start_sshd("host1"), start_sshd("host2")
    shutil.copy(f"{home}/.ssh/listed.pub", f"{home}/.ssh/authorized_keys")
    with open(f"{home}/.ssh/authorized_keys", "a", encoding="utf-8") as file:
        file.write(open(f"{home}/.ssh/other.pub", encoding="utf-8").read())
    known([line(f"[127.0.0.1]:{port1}", "host1"), line(f"[127.0.0.1]:{port2}", "host2")])
    ports = ("--host-port", str(port1), "--host-port", str(port2))
    ssh = ("ssh", "-F", "/dev/null", "-o", f"UserKnownHostsFile={home}/.ssh/known_hosts", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes",
           "-o", "IdentityFile=none")
    allow = KEY + ("--agent-host", f"127.0.0.1:{port1}") + ports
    done = box(allow, *ssh, "-p", str(port1), "127.0.0.1", "echo in")
    check("an allowed host: ssh logs in by the agent", done.stdout == "in\n" and done.returncode == 0, done)
    check("... and nothing is reported", "sbx:" not in done.stderr, done.stderr)
    done = box(allow, *ssh, "-p", str(port2), "127.0.0.1", "echo in")
    check("another host that takes the key: refused", done.returncode == 255 and done.stdout == "", done)
    check("... and reported with the flag", f"a signature for [127.0.0.1]:{port2}" in done.stderr
          and f"to allow: --agent-host [127.0.0.1]:{port2}" in done.stderr, done.stderr)
    fixed = box(allow + ("--agent-host", f"[127.0.0.1]:{port2}"), *ssh, "-p", str(port2), "127.0.0.1", "echo in")
    check("... which allows it as it is printed", fixed.stdout == "in\n", fixed)
    done = box(allow, *ssh, "-A", "-p", str(port1), "127.0.0.1", f"ssh-add -l; {' '.join(ssh)} -p {port1} 127.0.0.1 echo far")
    check("ssh -A: a forwarded agent signs nothing", "far" not in done.stdout, done)
    known([line(f"[127.0.0.1]:{port1}", "host1"), line(f"[127.0.0.1]:{port2}", "host2")])
    command("ssh-keygen", "-Hf", f"{home}/.ssh/known_hosts")
    done = box(allow, *ssh, "-p", str(port1), "127.0.0.1", "echo in")
    check("hashed known_hosts: ssh logs in", done.stdout == "in\n", done)
    done = box(allow, *ssh, "-p", str(port2), "127.0.0.1", "echo in")
    check("... and not elsewhere", done.returncode == 255, done)


def listing():
    done = box(KEY + ("--agent-host", "one.example"), "ssh-add", "-l")
    check("a key that is not listed is not seen", "listed" in done.stdout and "other" not in done.stdout, done)
    for name, option in (("by its fingerprint", "SHA256:" + base64.b64encode(hashlib.sha256(pub["other"]).digest()).decode().rstrip("=")),
                         ("by its comment", "other")):
        done = box(("--agent-key", option, "--agent-host", "one.example"), "ssh-add", "-l")
        check(name, "other" in done.stdout and "listed" not in done.stdout, done)
    for name, words in (("add", ["sh", "-c", "ssh-keygen -qt ed25519 -N '' -f /tmp/k && ssh-add -q /tmp/k"]),
                        ("remove", ["ssh-add", "-D"]), ("remove one", ["ssh-add", "-d", f"{home}/.ssh/listed.pub"])):
        done = box(KEY + ("--agent-host", "one.example", "--read", "~/.ssh/listed.pub"), *words)
        check(f"{name}: refused and reported", done.returncode != 0 and "your ssh-agent: a box can list keys" in done.stderr, done)
    left = command("ssh-add", "-l", env=dict(environment, SSH_AUTH_SOCK=user_agent)).stdout
    check("... and the agent has its two keys", left.count("ED25519") == 2 and "(none)" not in left, left)


def commits():
    script = ("git init -q r && cd r && git -c user.name=a -c user.email=a@b -c gpg.format=ssh -c user.signingKey=%s/.ssh/listed.pub "
              "commit -qS --allow-empty -m one; s=$?; cd ..; rm -rf r; exit $s" % home)
    options = KEY + ("--agent-host", "one.example", "--read", "~/.ssh/listed.pub")
    done = box(options, "sh", "-c", script)
    check("a commit is not signed", done.returncode != 0 and "a signature for a commit or tag" in done.stderr
          and "to allow: --agent-sign git" in done.stderr, done)
    done = box(options + ("--agent-sign", "git"), "sh", "-c", script)
    check("... with --agent-sign git it is", done.returncode == 0, done)
    done = box(KEY + ("--agent-sign", "git"), "sh", "-c", script)
    check("... and the file of the key that is named needs no flag", done.returncode == 0, done)
    answers, _ = play(KEY + ("--agent-sign", "git"), [[sign(pub["listed"], sshsig(b"git"))], [sign(pub["listed"], sshsig(b"file"))],
                                                     [sign(pub["listed"], sshsig(b"git") + b"x")], [sign(pub["listed"], login(b"s" * 32, pub["listed"]))]])
    check("... git's namespace alone, whole, and no login", [passed(a[0]) for a in answers] == [True, False, False, False], answers)


# --- attacks ---------------------------------------------------------------------------------------

def attacks():
    key, one, two, far = pub["listed"], os.urandom(32), os.urandom(32), os.urandom(32)
    good = bind(pub["host1"], one, host_signature("host1", one))
    cases = [
        ("bound: the session's login", [good, sign(key, login(one, key))], [True, True]),
        ("... bound to the host, too", [good, sign(key, login(one, key, pub["host1"]))], [True, True]),
        ("another session's login after an allowed bind", [good, sign(key, login(two, key))], [True, False]),
        ("the login names another host key", [good, sign(key, login(one, key, pub["host2"]))], [True, False]),
        ("another host's bind and login", [bind(pub["host2"], far, host_signature("host2", far)), sign(key, login(far, key))], [False, False]),
        ("a bind whose signature is another session's", [bind(pub["host1"], two, host_signature("host1", one)), sign(key, login(two, key))], [False, False]),
        ("a bind signed by another host", [bind(pub["host1"], two, host_signature("host2", two)), sign(key, login(two, key))], [False, False]),
        ("a forwarded bind", [bind(pub["host1"], two, host_signature("host1", two), 1), sign(key, login(two, key))], [False, False]),
        ("a second bind", [good, bind(pub["host1"], two, host_signature("host1", two)), sign(key, login(two, key))], [True, False, False]),
        ("no bind", [sign(key, login(one, key))], [False]),
        ("a bind of an earlier connection", [sign(key, login(one, key))], [False]),
        ("data that is no login", [good, sign(key, b"transfer all")], [True, False]),
        ("a login with more behind it", [good, sign(key, login(one, key) + b"x")], [True, False]),
        ("a login that names another key", [good, sign(key, login(one, pub["other"]))], [True, False]),
        ("a key that is not listed", [good, sign(pub["other"], login(one, pub["other"]))], [True, False]),
        ("another service", [good, sign(key, login(one, key, service=b"ssh-userauth"))], [True, False]),
        ("another method", [good, sign(key, login(one, key, method=b"hostbased"))], [True, False]),
        ("a file's signature", [good, sign(key, sshsig(b"git"))], [True, False]),
        ("unknown flags", [good, sign(key, login(one, key), 1)], [True, False]),
        ("lock", [b"\x16" + string(b"p")], [False]),
        ("unlock", [b"\x17" + string(b"p")], [False]),
        ("an extension", [b"\x1b" + string(b"query")], [False]),
        ("a smartcard", [b"\x14" + string(b"/usr/lib/x.so") + string(b"")], [False]),
    ]
    answers, words = play(KEY + ("--agent-host", "one.example"), [case[1] for case in cases])
    for (name, _, wanted), got in zip(cases, answers):
        check(name + (": passes" if all(wanted) else ": refused"), [passed(a) or a == "06" for a in got] == wanted, (got, words))
    check("... each reported in words", all(text in words for text in (
        "a signature for two.example", "another session", "a forwarded agent", "locking your ssh-agent", "other data", "another host")), words)
    left = command("ssh-add", "-l", env=dict(environment, SSH_AUTH_SOCK=user_agent)).stdout
    check("the agent is not locked", left.count("ED25519") == 2, left)


def sizes():
    key, one = pub["listed"], os.urandom(32)
    good = bind(pub["host1"], one, host_signature("host1", one))
    script = """
import os, socket
path = os.environ["SSH_AUTH_SOCK"]
def conn():
    c = socket.socket(socket.AF_UNIX); c.settimeout(30); c.connect(path); return c
for length in (0, 65537, 0xffffffff):
    c = conn(); c.sendall(length.to_bytes(4, "big"))
    print("closed" if c.recv(1) == b"" else "open")
held, refused = [], 0
for i in range(300):
    try:
        c = conn(); c.sendall(b"\\0\\0\\0\\1\\x0b"); d = c.recv(4)
        held.append(c) if d else None
        refused += not d
    except OSError:
        refused += 1
print("held", len(held), "refused", refused)
for c in held: c.close()
"""
    with open(project + "/flood.py", "w", encoding="utf-8") as file:
        file.write(script)
    done = box(KEY + ("--agent-host", "one.example"), "sh", "-c", "python3 flood.py; ssh-add -l")
    out = done.stdout.split("\n")
    check("lengths that no message has end the connection", out[:3] == ["closed"] * 3, done)
    check("a flood of 300: 16 are served", out[3:4] == ["held 16 refused 284"], done)
    check("... and afterwards others", "listed" in done.stdout, done)
    check("... which is reported", "a connection to your ssh-agent, 284 times: 16 are open" in done.stderr, done.stderr)
    slow = [good + b"", sign(key, login(one, key))]
    answers, words = play(KEY + ("--agent-host", "one.example"), [slow] * 40)
    check("40 connections one after another", all(len(a) == 2 and passed(a[1]) for a in answers), words)


def words():
    def refuses(name, options, text, **more):
        done = box(options, "true", **more)
        check(name, done.returncode == 125 and text in done.stderr, done)
    refuses("a host that known_hosts lacks", KEY + ("--agent-host", "three.example"), "no key of 'three.example'; connect once outside of the box")
    refuses("no host", KEY, "add --agent-host HOST", profile=("-p", "default"))
    refuses("no key", ("--agent-host", "one.example"), "add --agent-key")
    refuses("no such comment", ("--agent-key", "nobody", "--agent-host", "one.example"), "no key with the comment 'nobody'")
    refuses("a private key", ("--agent-key", "~/.ssh/listed", "--agent-host", "one.example"), "name the file that ends in .pub")
    refuses("a pattern", KEY + ("--agent-host", "*.example"), "is not valid, expected a host")
    refuses("no agent there", KEY + ("--agent-host", "one.example"), "is your agent running", agent=top + "/none")
    refuses("the whole agent as well", KEY + ("--agent-host", "one.example"), "leave one out", profile=("-p", "ssh-agent-unfiltered"))
    refuses("known_hosts where the box writes", KEY + ("--agent-host", "one.example", "--write", "~/.ssh/known_hosts", "--no-protect"), "the box may write it")
    os.link(home + "/.ssh/known_hosts", project + "/linked")
    refuses("known_hosts that has a name in the project", KEY + ("--agent-host", "one.example"), "has another name, by which a box may write it")
    os.remove(project + "/linked")
    shutil.copy(f"{home}/.ssh/listed.pub", project)
    refuses("a key file where the box writes", ("--agent-key", "./listed.pub", "--agent-host", "one.example"), "the box may write it")
    known([line("one.example", "host1"), "@revoked * " + line("x", "host1").split(" ", 1)[1]])
    answers, told = play(KEY + ("--agent-host", "one.example"), [[bind(pub["host1"], b"s" * 32, host_signature("host1", b"s" * 32))]])
    check("a revoked host key", answers[0][0] != "06" and "revokes this host key" in told, told)
    known([line("@cert-authority one.example", "host1")])
    refuses("an authority's host", KEY + ("--agent-host", "one.example"), "by @cert-authority alone")
    known([line("one.example", "host1"), "@revoked * ssh-ed25519 AAAA!"])
    refuses("a line @revoked that is broken", KEY + ("--agent-host", "one.example"), "known_hosts:2: a line @revoked")
    known([line("one.example", "host1"), line("two.example", "host2")])
    with open(project + "/.sbx.ini", "w", encoding="utf-8") as file:
        file.write("[network]\nagent-key = listed\nagent-host = one.example\n")
    done = box((), "sh", "-c", "echo [$SSH_AUTH_SOCK]")
    check("a project's file: ignored", done.stdout == "[]\n", done)
    done = command(SBX, "profile", "trust", cwd=project, env=environment)
    check("... and cannot be trusted", done.returncode == 125 and "a project's file cannot open your ssh-agent" in done.stderr, done)
    os.remove(project + "/.sbx.ini")
    done = box(KEY + ("--agent-host", "one.example"), "sh", "-c", "ls -d /tmp/sbx-agent-*; env | grep ^SSH_AUTH")
    check("the box has one socket", done.stdout.count("SSH_AUTH_SOCK=/tmp/sbx-agent-") == 1, done)
    gone = done.stdout.split("SSH_AUTH_SOCK=")[-1].strip()
    check("... which is gone afterwards", gone and not os.path.exists(os.path.dirname(gone)), gone)


# --- an agent of our own, and an oracle ------------------------------------------------------------

class Agent(threading.Thread):
    """Verifies a bind by a word in place of a signature, signs all, and notes what comes."""

    def __init__(self, name, binds=True, closes=False):
        super().__init__(daemon=True)
        self.path, self.binds, self.closes, self.types = f"{top}/{name}.sock", binds, closes, set()
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(self.path)
        self.server.listen(64)
        self.start()

    def run(self):
        while True:
            conn, _ = self.server.accept()
            threading.Thread(target=self.serve, args=(conn,), daemon=True).start()

    def serve(self, conn):
        file = conn.makefile("rb")
        while True:
            head = file.read(4)
            if len(head) < 4:
                return
            body = file.read(int.from_bytes(head, "big"))
            self.types.add(body[0])
            if body[0] == 11:
                out = b"\x0c" + number(2) + b"".join(string(pub[k]) + string(k.encode()) for k in ("other", "listed"))
            elif body[0] == 13:
                out = b"\x0e" + string(string(b"ssh-ed25519") + string(b"s" * 64))
            elif body[0] == 27:
                out = b"\x06" if self.binds and b"VERIFIES" in body else b"\x05"
            else:
                out = b"\x06"
            conn.sendall(string(out))
            if self.closes:
                conn.close()
                file.close()
                return


def slow(done):
    """Stops each process that sbx has outside of the box for a moment, one after another."""
    while not done.is_set():
        for status in glob.glob("/proc/[0-9]*/status"):
            try:
                fields = dict(row.split(":", 1) for row in open(status, encoding="utf-8"))
                parent = open(f"/proc/{int(fields['PPid'])}/cmdline", encoding="utf-8").read().split("\0")
                if parent[0] != SBX or "play.json" not in parent or len(fields["NSpid"].split()) > 1:
                    continue
                os.kill(int(fields["Pid"]), signal.SIGSTOP)
                time.sleep(0.02)
                os.kill(int(fields["Pid"]), signal.SIGCONT)
            except OSError:
                pass


def closing():
    agent = Agent("closing", closes=True).path
    answers, told = play(KEY + ("--agent-host", "one.example"), [[b"\x0b"]] * 40, agent=agent)
    check("an agent that ends each connection with its answer: the answer arrives", all(a[0] and a[0].startswith("0c") for a in answers), told)
    done = threading.Event()
    threading.Thread(target=slow, args=(done,), daemon=True).start()
    answers, told = play(KEY + ("--agent-host", "one.example"), [[b"\x0b"]] * 40, agent=agent)
    done.set()
    check("... from processes of sbx that are slow, too", all(a[0] and a[0].startswith("0c") for a in answers), (answers, told))


def unbound():
    old, key = Agent("old", binds=False), pub["listed"]
    messages = [[bind(pub["host1"], b"s" * 32, b"VERIFIES"), sign(key, login(b"s" * 32, key))], [sign(key, login(b"s" * 32, key, pub["host2"]))],
                [sign(key, b"raw")], [bind(pub["host2"], b"s" * 32, b"VERIFIES"), sign(key, login(b"s" * 32, key))]]
    answers, told = play(KEY + ("--agent-host", "one.example"), messages, agent=old.path)
    check("an agent without session-bind: refused", not any(passed(a[-1]) for a in answers) and "has to know session-bind" in told, (answers, told))


class Short(Exception):
    pass


class Reader:
    def __init__(self, data):
        self.data = data

    def take(self, size):
        if size > len(self.data):
            raise Short
        part, self.data = self.data[:size], self.data[size:]
        return part

    def string(self):
        return self.take(int.from_bytes(self.take(4), "big"))


class Oracle:
    """The rules again, written from PROTOCOL.agent and RFC 4252 by themselves."""

    def __init__(self):
        self.bound, self.poisoned = None, False

    def answer(self, body):
        try:
            return self.judge(body)
        except Short:
            return "no"

    def judge(self, body):
        kind = body[0]
        if body == b"\x0b":
            return "list"
        if kind == 27:
            reader = Reader(body[1:])
            if reader.string() != b"session-bind@openssh.com":
                return "no"
            before, self.poisoned = self.poisoned, True
            host, session, signature, forwarding = reader.string(), reader.string(), reader.string(), reader.take(1)
            if reader.data or not host or not 0 < len(session) <= 128 or forwarding != b"\0":
                return "no"
            if self.bound == (session, host):
                self.poisoned = before
                return "yes"
            if self.bound or host != pub["host1"]:
                return "no"
            if b"VERIFIES" not in body:
                return "no"
            self.bound, self.poisoned = (session, host), before
            return "yes"
        if kind != 13:
            return "no"
        reader = Reader(body[1:])
        key, data, flags = reader.string(), reader.string(), reader.take(4)
        if reader.data or key != pub["listed"] or int.from_bytes(flags, "big") not in (0, 2, 4, 6):
            return "no"
        reader = Reader(data)
        session, kind50 = reader.string(), reader.take(1)
        user, service, method, flag, algorithm, inner = (reader.string(), reader.string(), reader.string(), reader.take(1), reader.string(), reader.string())
        if (kind50, service, flag, inner) != (b"\x32", b"ssh-connection", b"\x01", key):
            return "no"
        if not 0 < len(algorithm) <= 64 or not all(33 <= c <= 126 for c in algorithm):
            return "no"
        host = None
        if method == b"publickey-hostbound-v00@openssh.com":
            host = reader.string()
        elif method != b"publickey":
            return "no"
        if reader.data or self.poisoned or not self.bound or session != self.bound[0] or host not in (None, self.bound[1]):
            return "no"
        return "sign"


def mutate(rng, body):
    body = bytearray(body)
    for _ in range(rng.choice((0,) * 12 + (1, 1, 2))):
        where = rng.randrange(len(body))
        way = rng.randrange(4)
        if way == 0:
            body[where] ^= 1 << rng.randrange(8)
        elif way == 1:
            del body[where:where + rng.randrange(1, 5)]
        elif way == 2:
            body[where:where] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 5)))
        else:
            body += bytes(rng.randrange(1, 9))
        if not body:
            body = bytearray(b"\x0b")
    return bytes(body)


def agree(seed, connections):
    rng, agent = random.Random(seed), Agent("oracle")
    sessions, keys, hosts = (b"a" * 32, b"b" * 32, b"c" * 200), (pub["listed"],) * 4 + (pub["other"],), (pub["host1"],) * 4 + (pub["host2"], b"")
    scripts = []
    for _ in range(connections):
        script = [bind(pub["host1"], sessions[0], b"VERIFIES")] if rng.randrange(2) else []
        for _ in range(rng.randrange(1, 6)):
            key, session = rng.choice(keys), rng.choice(sessions[:1] * 4 + sessions)
            script.append(mutate(rng, rng.choice((
                bind(rng.choice(hosts), session, rng.choice((b"VERIFIES",) * 4 + (b"FORGED",)), rng.choice((0, 0, 0, 0, 1))),
                sign(key, login(session, rng.choice((key, key, key, pub["other"])), rng.choice((None, None, rng.choice(hosts)))), rng.choice((0, 2, 4, 1))),
                sign(key, login(session, key)), b"\x0b", sign(key, sshsig(b"git")), bytes([rng.randrange(1, 40)])))))
        scripts.append(script)
    answers, told = play(KEY + ("--agent-host", "one.example"), scripts, agent=agent.path)
    wrong, totals = [], {}
    for script, got in zip(scripts, answers):
        oracle = Oracle()
        for body, answer in zip(script, got):
            wanted = oracle.answer(body)
            is_one = {"yes": answer == "06", "sign": passed(answer), "no": answer in ("05", "1c"),
                      "list": answer == (b"\x0c" + number(1) + string(pub["listed"]) + string(b"listed")).hex()}[wanted]
            totals[wanted] = totals.get(wanted, 0) + 1
            if not is_one:
                wrong.append((body.hex(), wanted, answer))
        if len(got) != len(script):
            wrong.append(("the connection ended", len(script), got))
    check(f"{sum(totals.values())} requests on {connections} connections, judged as the oracle does", not wrong and len(answers) == connections, (wrong[:2], told))
    check("... of each kind enough", all(totals.get(kind, 0) >= connections // 20 for kind in ("yes", "no", "sign", "list")), totals)
    check("the agent saw lists, signatures and binds alone", agent.types <= {11, 13, 27}, agent.types)


sshd = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/sbin")
try:
    hosts_agent = start_agent("hosts", "host1", "host2", "host3")
    user_agent = start_agent("user", "listed", "other")
    if sshd:
        logins()
    else:
        skip("logins", "sshd is not installed")
    known([line("one.example", "host1"), line("two.example", "host2")])
    listing()
    commits()
    attacks()
    sizes()
    closing()
    unbound()
    agree(int(sys.argv[2]) if len(sys.argv) > 2 else 7, int(sys.argv[1]) if len(sys.argv) > 1 else 400)
    words()
finally:
    for one in children:
        one.kill()
        one.wait()
    shutil.rmtree(top, ignore_errors=True)
finish()
