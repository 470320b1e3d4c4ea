#!/usr/bin/env python3
"""Random SIGKILLs over boxes that live or begin: their sbx, its front, clients of sbx exec, the box's first process; with -d
and --json. Each status is right, no process of a box is left that nobody can find, and sbx ps is true within a second.
ROUNDS=1000. TAP."""
import atexit, glob, json, os, random, shutil, signal, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, finish  # noqa: E402

SBX, ROUNDS = os.environ["SBX"], int(os.environ.get("ROUNDS") or "60")
SEED = int(os.environ.get("SEED") or random.randrange(1 << 32))
work = tempfile.mkdtemp(prefix="sbx-living")
project = os.path.join(work, "project")
os.mkdir(project)
os.environ["XDG_STATE_HOME"] = os.path.join(work, "state")
os.mkdir(os.environ["XDG_STATE_HOME"], 0o700)
os.chdir(project)
chance = random.Random(SEED)
MARK = "living%d" % os.getpid()  # in the words of each command of a box
BOX = ["bash", "-c", "trap 'exit 3' TERM; while :; do sleep 0.05; done", MARK]


def sbx(*words, **more):
    return subprocess.run([SBX, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, **more)


def started(*words):
    said = tempfile.TemporaryFile()
    process = subprocess.Popen([SBX, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
    process.said = said
    return process


def not_run(client):
    """It came too late, and says so."""
    client.said.seek(0)
    words = client.said.read()
    return client.returncode == 125 and (b"was not run" in words or b"no live run" in words)


def processes():
    """Of boxes: pid, its parent, its words."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open(f"/proc/{pid}/cmdline", errors="replace").read().split("\0")
            stat = open(f"/proc/{pid}/stat", errors="replace").read().rsplit(")", 1)[1].split()
            if os.stat(f"/proc/{pid}").st_uid == os.getuid() and stat[0] not in "ZX":
                found.append((int(pid), int(stat[1]), words))
        except OSError:
            pass
    return found


def marked():
    return [pid for pid, _, words in processes() if MARK in words and words[0] != SBX]


def listed():
    return {box["id"] for box in json.loads(sbx("ps", "--json").stdout)["boxes"]}


def until(good, seconds):
    for _ in range(int(seconds * 50)):  # looks, as a machine that stood still meanwhile has had none
        if good():
            return True
        time.sleep(0.02)
    return good()


def lives(pid):
    try:
        return open(f"/proc/{pid}/stat", errors="replace").read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def memories(pid):
    try:
        if len(open(f"/proc/{pid}/status").read().split("NSpid:")[1].split("\n")[0].split()) > 1:
            return 0  # the first process of a box, which has not let go of them
        return sum(os.readlink(link).startswith("/memfd:sbx") for link in glob.glob(f"/proc/{pid}/fd/*"))
    except OSError:
        return 0


def children(pid):
    return [child for child, parent, _ in processes() if parent == pid]


def writes_output(pid):
    try:
        return any(os.readlink(link).endswith("/output") for link in glob.glob(f"/proc/{pid}/fd/*"))
    except OSError:
        return False


class Living:
    def __init__(self):
        done = sbx("run", "-d", "--network", "none", "--", *BOX)
        self.id = done.stdout.strip()
        self.sbx = int(self.id)
        kin = children(self.sbx)
        self.front = next(pid for pid in kin if writes_output(pid))
        self.init = [pid for pid in kin if pid != self.front]
        self.clients = [started("exec", self.id, "--", *BOX) for _ in range(3)]

    def renew(self):
        self.clients = [c for c in self.clients if c.poll() is None]
        while len(self.clients) < 3:
            self.clients.append(started("exec", self.id, "--", *BOX))


def end(box):
    """What must be true when the box has ended, or be so within a second."""
    wrong = []
    if not until(lambda: box.id not in listed(), 1):
        wrong.append("ps lists it")
    if not until(lambda: not marked(), 10):
        wrong.append("survivors")
    for client in box.clients:
        try:
            if client.wait(10) != 137 and not not_run(client):
                client.said.seek(0)
                wrong.append("a client's status %d: %s" % (client.returncode, client.said.read()))
        except subprocess.TimeoutExpired:
            wrong.append("a client waits")
            client.kill()
    status = sbx("wait", box.id)
    if status.returncode != 137:
        wrong.append("wait: %d" % status.returncode)
    return wrong


def kill_client(box):
    """In the middle of an exec, or before it has begun."""
    victim = chance.choice(box.clients)
    before = set(marked())
    time.sleep(chance.random() * 0.03)
    victim.kill()
    victim.wait()
    wrong = []
    if box.id not in listed():
        wrong.append("ps lost it")
    # Its command dies; the first one and those of the other clients stay.
    if not until(lambda: len(marked()) <= len(box.clients), 10):
        wrong.append("its command lives: %s of %s" % (marked(), before))
    box.clients.remove(victim)
    if sbx("exec", box.id, "--", "echo", "in").stdout != "in\n":
        wrong.append("no exec afterwards")
    return wrong


def kill_front(box):
    os.kill(box.front, signal.SIGKILL)
    wrong = []
    if box.id not in listed():
        wrong.append("ps lost it")
    if sbx("exec", box.id, "--", "echo", "in").stdout != "in\n":
        wrong.append("no exec afterwards")
    if sbx("stop", "--time", "10s", box.id).returncode != 0:
        wrong.append("stop failed")
    if sbx("wait", box.id).returncode not in (3, 128 + signal.SIGPIPE):
        wrong.append("its status is not the command's")
    return wrong + end_quietly(box)


def end_quietly(box):
    wrong = [] if until(lambda: box.id not in listed(), 1) else ["ps lists it"]
    for client in box.clients:
        client.wait(10)
    return wrong if until(lambda: not marked(), 10) else wrong + ["survivors"]


def kill_sbx(box):
    os.kill(box.sbx, signal.SIGKILL)
    return end(box)


def kill_init(box):
    os.kill(chance.choice(box.init), signal.SIGKILL)
    return end(box)


def kill_both(box):
    """The box's sbx, and a client that has just begun."""
    client = started("exec", box.id, "--", *BOX)
    time.sleep(chance.random() * 0.02)
    os.kill(box.sbx, signal.SIGKILL)
    client.kill()
    client.wait()
    return end(box)


OTHER = "beginning%d" % os.getpid()


def others():
    return [pid for pid, _, words in processes() if OTHER in words and words[0] != SBX]


def kill_starting(box):
    """A process of a run that begins in the background, at any moment."""
    caller = subprocess.Popen([SBX, "run", "-d", "--network", "none", "--", *BOX[:-1], OTHER], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(chance.random() * 0.015)
    run = children(caller.pid)
    kin = children(run[0]) if run else []
    victim = chance.choice(run + kin) if run + kin else None
    front = victim and writes_output(victim) and victim not in run
    if victim:
        try:
            os.kill(victim, signal.SIGKILL)
        except OSError:
            victim = None
    said, words = caller.communicate(timeout=20)
    wrong = []
    if not said and (caller.returncode not in (125, 137) or not words or not victim):
        wrong.append("did not begin: %d %s" % (caller.returncode, words))
    if said and victim and not front and not until(lambda: said.strip() not in listed() or victim not in children(int(said)) + [int(said)], 1):
        wrong.append("ps lists it")
    if said and (front or not victim or said.strip() in listed()):
        sbx("kill", said.strip())
    if said and sbx("wait", said.strip()).returncode != 137:
        wrong.append("wait: %d" % sbx("wait", said.strip()).returncode)
    return wrong if until(lambda: not others(), 10) else wrong + ["survivors of a start"]


def kill_captured(box):
    """A process of a run with --json."""
    run = subprocess.Popen([SBX, "run", "--json", "--network", "none", "--", "sh", "-c", "echo first; sleep 0.1; exit 5", OTHER], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(chance.random() * 0.03)
    kin = children(run.pid)
    captures = [pid for pid in kin if memories(pid) == 2]
    victim = chance.choice(kin + [run.pid])
    try:
        os.kill(victim, signal.SIGKILL)
    except OSError:
        pass
    said, words = run.communicate(timeout=20)
    answer = json.loads(said) if said else None
    wrong = []
    if victim == run.pid and run.returncode == -9:
        if captures and (not answer or (answer["end"], answer["status"], answer["signal"]) != ("signal", 137, 9)):
            wrong.append("its sbx: %s" % said)
    elif not answer or answer["status"] != run.returncode or run.returncode not in ((5, 141) if victim in captures else (5, 125, 137)):
        wrong.append("a process of it (the front: %s): %d %s %s" % (victim in captures, run.returncode, said, words))
    return wrong if until(lambda: not others(), 10) else wrong + ["survivors of --json"]


atexit.register(lambda: sbx("kill", "--all"))
acts = [kill_client] * 4 + [kill_sbx, kill_sbx, kill_init, kill_both, kill_front] + [kill_starting, kill_captured] * 2
problems, counts, box = [], {}, None
for number in range(ROUNDS):
    if box is None or not lives(box.sbx):
        box = Living()
    box.renew()
    until(lambda: len(marked()) >= 1, 10)
    time.sleep(chance.random() * 0.05)
    act = chance.choice(acts)
    counts[act.__name__] = counts.get(act.__name__, 0) + 1
    wrong = act(box)
    if wrong:
        problems.append((number, act.__name__, wrong))
    if not lives(box.sbx):
        box = None
check(f"{ROUNDS} random kills (SEED={SEED}): each leaves what sbx ps and stop find, or nothing", not problems and sum(counts.values()) == ROUNDS, problems[:5])
check("each kind of kill was one", len(counts) == len(set(acts)) or ROUNDS < 60, counts)
if box:
    check("what lives is stopped by its id", sbx("stop", box.id).stdout == f"stopped: {box.id}\n")
    end_quietly(box)
check("no process of a box is left", until(lambda: not marked(), 10), marked())
check("no run is listed", until(lambda: listed() == set(), 5), listed())
state = os.path.join(os.environ["XDG_STATE_HOME"], "sbx")
sbx("run", "--", "true")
due = glob.glob(state + "/trees/*/*") + glob.glob(state + "/boxes/*/stood.*")
check("and the next run has checked what those that were killed left", due == [], due[:5])
shutil.rmtree(work, ignore_errors=True)
finish()
