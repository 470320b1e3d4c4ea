#!/usr/bin/env python3
"""What a run is refused, told when it happens: on a terminal, and as JSON lines to a program. TAP."""
import fcntl
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, finish, skip  # noqa: E402
from terminal import BOUND, COLUMNS, Terminal as AnyTerminal  # noqa: E402

SBX = os.environ["SBX"]
work = tempfile.mkdtemp(prefix="sbx-live", dir=os.environ.get("TMPDIR", "/tmp"))
os.chmod(work, 0o755)
os.environ["XDG_STATE_HOME"] = os.path.join(work, "state")
project = os.path.join(work, "project")
os.mkdir(project)
subprocess.run(["git", "init", "-q", project], check=True)


def until(good, seconds=BOUND):
    end = time.time() + seconds
    while not good() and time.time() < end:
        time.sleep(0.02)
    return good()


def screen(text, columns=COLUMNS):
    """The lines of a terminal that got this text: what is written over is gone."""
    lines, row, column, full = [[]], 0, 0, False
    for letter in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text):
        if letter == "\r":
            column, full = 0, False
        elif letter == "\n":
            row, full = row + 1, False
        elif letter >= " ":
            if full:
                row, column, full = row + 1, 0, False
            while len(lines) <= row:
                lines.append([])
            lines[row] += [" "] * (column + 1 - len(lines[row]))
            lines[row][column] = letter
            full = column == columns - 1
            column += not full
        while len(lines) <= row:
            lines.append([])
    return ["".join(line).rstrip() for line in lines]


class Terminal(AnyTerminal):
    def __init__(self, line, *options, command=None):
        super().__init__(project, line, *options, command=command)


def refused(number, more=""):
    return f"curl -s -o /dev/null -m 30 {more} http://h{number}.invalid/"


BLOCKED = r"sbx: blocked h1\.invalid:80"

# --- on a terminal, line by line
terminal = Terminal(f"echo first; {refused(1)}; echo second; read word; echo $word; exit 7")
check("a refusal is shown while the command runs", terminal.wait(BLOCKED), terminal.text)
terminal.wait("second")
lines = screen(terminal.text)
shown = next((n for n, line in enumerate(lines) if re.match(BLOCKED, line)), -1)
check("on a line of its own, with what would allow it", "; to allow: --allow h1.invalid:80" in "".join(lines[shown:shown + 3]), lines)
check("without an empty line before it", shown > 0 and lines[shown - 1] in ("first", "second"), lines)
terminal.send("typed\n")
text = terminal.end()
check("what is typed meanwhile arrives", text.count("typed") == 2, text)
check("the end does not say it again", text.count("blocked h1.invalid:80") == 1, text)
check("the status stays", terminal.status == 7, terminal.status)

terminal = Terminal(f"printf partial; {refused(1)}; read word")
terminal.wait(BLOCKED)
lines = screen(terminal.text)
shown = next((n for n, line in enumerate(lines) if re.match(BLOCKED, line)), -1)
check("after half a line it begins a new one", shown > 0 and lines[shown - 1] == "partial", lines)
terminal.send("\n")
terminal.end()

terminal = Terminal(f"{refused(1)}; read word; {refused(1)}; {refused(1)}; {refused(2)}")
terminal.wait(BLOCKED)
terminal.send("\n")
text = terminal.end()
check("what came again is counted", re.search(r"sbx: what is reported above as blocked \([12]\) was tried [34] times", text), text)
check("and another is named once", len(re.findall(r"blocked h2\.invalid:80", text)) == 1, text)

terminal = Terminal("for i in 1 2 3 4 5; do mkdir /usr/share/$i; done 2>/dev/null; sleep 0.3; " + f"{refused(1)}; read word; exit 3", "--refused-writes", "yes")
check("writes that the end names take no other refusal's line", terminal.wait(BLOCKED), terminal.text)
terminal.send("\n")
text = terminal.end()
check("and none is counted as shown", "more refusals" not in text, text)

# --- where a line would harm
for name, off, on in (("raw mode", "stty raw -echo", "stty sane"), ("a question for a password", "stty -echo", "stty echo"),
                      ("a line editor", "stty -icanon", "stty icanon"), ("a drawing program", "stty -opost", "stty opost")):
    terminal = Terminal(f"{off}; {refused(1)}; echo done-$((1+1)); read -rn 1 word; {on}; read word")
    ran = terminal.wait("done-2")
    terminal.quiet(1)
    check(f"nothing is shown: {name}", ran and "blocked" not in terminal.text, terminal.text)
    terminal.send("x")
    check(f"but when it is over: {name}", terminal.wait(BLOCKED), terminal.text)
    terminal.send("\n")
    check(f"and once: {name}", terminal.end().count("blocked h1.invalid:80") == 1, terminal.text)
terminal = Terminal(f"stty raw -echo; {refused(1)}; echo done-$((1+1))")
check("else at the end", terminal.end().count("blocked h1.invalid:80") == 1, terminal.text)
if shutil.which("vim"):
    terminal = Terminal(f"(sleep 1; {refused(1)}; touch tried) & vim -u NONE -i NONE; read word")
    until(lambda: os.path.exists(os.path.join(project, "tried")))
    terminal.quiet(1)
    check("nothing over vim", "blocked" not in terminal.text, terminal.text)
    terminal.send(":q!\r")
    check("when vim is gone", terminal.wait(BLOCKED), terminal.text)
    terminal.send("\n")
    terminal.end()
else:
    skip("nothing over vim", "it is not installed")

for options in (("--report", "json"), ("--report", "never"), ("--report", "agent")):
    terminal = Terminal(f"{refused(1)}; echo done-$((1+1)); read word", *options)
    terminal.wait("done-2")
    terminal.quiet(0.5)
    check(f"nothing meanwhile with {' '.join(options)}", "blocked" not in terminal.text, terminal.text)
    terminal.send("\n")
    terminal.end()

# --- a pipe is the command's alone
child = subprocess.Popen([SBX, "run", "--", "bash", "-c", f"{refused(1)}; echo words >&2; read word"], cwd=project,
                         stdin=subprocess.PIPE, stderr=subprocess.PIPE)
early = os.read(child.stderr.fileno(), 4096)
more = select.select([child.stderr], [], [], 1)[0]
check("stderr is a pipe: nothing of ours between", early == b"words\n" and not more, early)
late = child.communicate(b"\n")[1]
check("but at its end", late.count(b"blocked h1.invalid:80") == 1, late)

# --- a flood
terminal = Terminal("curl -s -o /dev/null 'http://h[1-120].invalid/'; read word")
start = time.time()
terminal.wait(r"\d+ more refusals; the report at the end counts them")
terminal.quiet(1.5)
took = time.time() - start
during = terminal.text
single, counts = len(re.findall(r"blocked h\d+\.invalid:80", during)), len(re.findall(r"\d+ more refusals", during))
check("a flood has a few lines each second", 0 < single + counts <= 3 * (took + 2), (single, counts, took))
terminal.send("\n")
text = terminal.end()
names = re.findall(r"blocked (h\d+)\.invalid:80", text)
rest = re.search(r"(\d+) more refusals \(connect\) are counted here only", text)
check("each is named once in all, or counted at the end", len(names) == len(set(names)) == 120 - int(rest[1] if rest else 0), (len(names), rest))
terminal = Terminal("while :; do date +%s%N >beat; sleep 0.1; done & curl -s -o /dev/null 'http://h[1-120].invalid/'; wait",
                    "--timeout", "3s")
terminal.send("\x13")  # ^S
beat = os.path.join(project, "beat")
until(lambda: os.path.exists(beat))
still = until(lambda: time.time() - os.stat(beat).st_mtime > 2)
check("a terminal that is stopped keeps no limit from being kept", still)
terminal.send("\x11")
terminal.end()
check("and is told the rest", terminal.status == 124 and re.search(r"\d+ more(: sbx audit --run| refusals \(connect\))", terminal.text), terminal.text[-500:])

# --- bytes that act
shutil.copy(shutil.which("curl"), os.path.join(project, "q\x1b[2J"))
closed = os.path.join(work, "closed")
os.mkdir(closed)
with open(os.path.join(closed, "n\x1b[2J\nsbx: forged"), "w", encoding="utf-8"):
    pass
HOSTILE = "$'./q\\e[2J' -s -o /dev/null http://h1.invalid/; { : >\"$1\"/$'n\\e[2J\\nsbx: forged'; } 2>/dev/null; read word"
terminal = Terminal("", "--explain", "--read", closed, command=["bash", "-c", HOSTILE, "-", closed])
terminal.wait(BLOCKED)
terminal.wait("blocked writing")
terminal.send("\n")
text = terminal.end()
check("a path is shown at once, too", "blocked writing" in text, text)
check("no escape byte of a name is shown", "\x1b[2J" not in text, text)
check("no name is a line", not any(line.startswith("sbx: forged") for line in screen(text)), text)


# --- for a program
class Report:
    """A run with --report-fd on a pipe; `lines` as they come."""

    def __init__(self, line, *options, size=None, read=True):
        self.reader, writer = os.pipe()
        if size:
            fcntl.fcntl(writer, 1031, size)  # F_SETPIPE_SZ
        self.child = subprocess.Popen([SBX, "run", "--report-fd", str(writer), *options, "--", "bash", "-c", line, "-", str(writer)],
                                      cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      pass_fds=[writer])
        os.close(writer)
        self.data = b""

    def wait(self, seconds=BOUND):
        """One more line."""
        lines, end = self.data.count(b"\n"), time.time() + seconds
        while self.data.count(b"\n") == lines and time.time() < end:
            if select.select([self.reader], [], [], 0.1)[0]:
                got = os.read(self.reader, 65536)
                if not got:
                    break
                self.data += got
        return self.lines()

    def lines(self):
        return [json.loads(line) for line in self.data.decode().splitlines()]

    def end(self, text=b"\n"):
        try:
            self.child.stdin.write(text)
            self.child.stdin.close()
        except BrokenPipeError:
            pass  # it has ended already
        self.child.stdin = None
        while got := os.read(self.reader, 65536):
            self.data += got
        os.close(self.reader)
        self.out, self.errors = self.child.communicate(timeout=BOUND)
        return self.lines()


report = Report(f"{refused(1)}; read word; exit 3")
lines = report.wait()
check("--report-fd: a refusal arrives while the command runs",
      [(e["form"], e["event"], e["kind"], e["what"], e["flag"], e["value"]) for e in lines]
      == [("event", "denied", "connect", "h1.invalid:80", "allow", "h1.invalid:80")], lines)
lines = report.end()
check("then the report and the exit", [e["form"] for e in lines] == ["event", "report", "event"] and
      (lines[-1]["event"], lines[-1]["end"], lines[-1]["status"], lines[-1]["lost"]) == ("exit", "exit", 3, 0), lines)
check("all of one run", {e["run"] for e in lines if e["form"] == "event"} == {report.child.pid}, lines)
check("stderr stays as it was", report.errors.count(b"blocked h1.invalid:80") == 1 and b"{" not in report.errors, report.errors)

report = Report("[ -e /proc/self/fd/$1 ] && echo has; [ -e /proc/1/fd/$1 ] && echo pid 1 has; echo forged >&$1; echo =$?")
lines = report.end()
check("the command does not have the descriptor", report.out == b"=1\n", report.out)
check("and writes nothing to it", b"forged" not in report.data and len(lines) == 2, report.data)

report = Report("sleep 60", "--timeout", "300ms")
lines = report.end()
check("a limit is an event", [(e.get("event"), e.get("name"), e.get("limit")) for e in lines][0] == ("limit", "timeout", 300), lines)
check("and the end is one", (lines[-1]["end"], lines[-1]["status"]) == ("limit", 124), lines)
report = Report("exec ./nowhere-to-be-found 2>/dev/null")
check("a command that is not there", report.end()[-1]["status"] == 127, report.lines())

os.mkdir(os.path.join(closed, "many"))
for number in range(256):
    with open(os.path.join(closed, "many", f"{number:0200}"), "w", encoding="utf-8"):
        pass
LONG = "for file in CLOSED/many/*; do { : >\"$file\"; } 2>/dev/null; done; touch all; sleep 300"
report = Report(LONG.replace("CLOSED", closed), "--explain", "--read", closed, size=4096)
begun = time.time()
check("a pipe that nobody reads holds nothing up", until(lambda: os.path.exists(os.path.join(project, "all"))), time.time() - begun)
os.kill(report.child.pid, signal.SIGTERM)
lines = report.end()
denied = sum(e.get("event") == "denied" for e in lines)
check("what had no room is counted", lines[-1]["lost"] > 0 and denied + lines[-1]["lost"] == 256, (denied, lines[-1]))
os.remove(os.path.join(project, "all"))
report = Report("sleep 300", "--timeout", "1s", size=4096)
os.close(os.dup(report.reader))
check("a limit is kept while nobody reads", report.child.wait(timeout=BOUND) == 124)
os.close(report.reader)
report = Report(f"read word; {refused(1)}; exit 5")
os.close(report.reader)
report.out, report.errors = report.child.communicate(b"\n", timeout=BOUND)
check("a reader that goes away ends nothing", report.child.returncode == 5 and b"report" not in report.errors, report.errors)

ours, theirs = socket.socketpair()
child = subprocess.run([SBX, "run", "--report-fd", str(theirs.fileno()), "--", "true"], cwd=project, pass_fds=[theirs.fileno()])
theirs.close()
data = b""
while got := ours.recv(65536):
    data += got
check("a socket", [json.loads(line)["form"] for line in data.splitlines()] == ["report", "event"], data)


# --- where it may be written
def refuses(name, words, *options, fds=(), cwd=project, more=""):
    mark = os.path.join(project, "ran")
    got = subprocess.run([SBX, "run", *options, "--", "touch", "ran"], cwd=cwd, pass_fds=fds, capture_output=True)
    ran = os.path.exists(mark)
    if ran:
        os.remove(mark)
    check(f"refused: {name}", got.returncode == 125 and re.search(words, got.stderr.decode("utf-8", "replace")) and not ran,
          (got.returncode, got.stderr, ran, more))


def accepts(name, *options, fds=(), cwd=project):
    got = subprocess.run([SBX, "run", *options, "--", "true"], cwd=cwd, pass_fds=fds, capture_output=True)
    check(f"accepted: {name}", got.returncode == 0 and not got.stderr, (got.returncode, got.stderr))


def place(*parts):
    return os.path.join(work, *parts)


outside, shared = place("outside"), place("shared")
for directory in (outside, shared, place("project", "sub")):
    os.mkdir(directory)
WRITES = "(which the box may write|where boxes write)"


def refuses_file(name, words, path, *options):
    with open(os.path.join(project, path), "w", encoding="utf-8") as file:
        refuses(name, words, *options, "--report-fd", str(file.fileno()), fds=[file.fileno()])


refuses_file("deeper in the project", WRITES, place("project", "sub", "r.json"))
refuses_file("in a session", WRITES + "|session", "r.json", "--review", "--apply", "no")
refuses_file("in what --write names", WRITES, place("shared", "r.json"), "--write", shared)
refuses_file("the very file that --write names", "file that the box may write", place("outside", "new.json"), "--write", place("outside", "new.json"))
os.makedirs(place("state", "sbx"), 0o700, exist_ok=True)
refuses_file("in sbx's own state", WRITES, place("state", "sbx", "r.json"))
refuses_file("in tier landlock", WRITES, "r.json", "--isolation", "landlock", "--no-protect")
os.symlink(project, place("outside", "inside"))
refuses_file("a link on the way into the project", WRITES, place("outside", "inside", "r.json"))
os.link(place("outside", "new.json"), place("project", "second"))
refuses_file("a file with a name in the project", "has another name", place("outside", "new.json"))
os.remove(place("project", "second"))
with open(place("project", "open.json"), "w", encoding="utf-8") as file:
    refuses("a descriptor of a file in the project", WRITES, "--report-fd", str(file.fileno()), fds=[file.fileno()])
os.mkfifo(place("project", "fifo"))
fifo = os.open(place("project", "fifo"), os.O_RDWR)
refuses("a descriptor of a FIFO in the project", WRITES, "--report-fd", str(fifo), fds=[fifo])
with open(place("outside", "open.json"), "w", encoding="utf-8") as file:
    accepts("a descriptor of a file outside", "--report-fd", str(file.fileno()), fds=[file.fileno()])
    refuses("a descriptor that the command gets", "--preserve-fd", "--report-fd", str(file.fileno()), "--preserve-fd", str(file.fileno()), fds=[file.fileno()])
reader, writer = os.pipe()
for name, streams in (("stdout", {"stdout": writer}), ("stderr", {"stderr": writer})):
    child = subprocess.run([SBX, "run", "--report-fd", str(writer), "--", "true"], cwd=project, pass_fds=[writer], check=False, **streams)
    check("a pipe that is the command's %s as well" % name, child.returncode == 125, child)
os.close(reader)
os.close(writer)
with open(place("outside", "out.json"), "w", encoding="utf-8") as file:
    child = subprocess.run([SBX, "run", "--report-fd", str(file.fileno()), "--", "true"], cwd=project, stdout=file, pass_fds=[file.fileno()], check=False)
    check("a file that is the command's stdout as well", child.returncode == 125, child)
with open(place("outside", "open.json"), encoding="utf-8") as file:
    refuses("one that is open for reading", "not open for writing", "--report-fd", str(file.fileno()), fds=[file.fileno()])
refuses("one that is not open", "is not open", "--report-fd", "77")
refuses("stderr, which the command has", "report-fd", "--report-fd", "2")
if os.geteuid() == 0:
    os.mkdir(place("alias"))
    script = f"mount --bind {project} {place('alias')} && exec {SBX} run --report-fd 5 -- true 5>{place('alias')}/r.json"
    got = subprocess.run(["unshare", "-m", "sh", "-c", script], cwd=project, capture_output=True)
    check("refused: the project by another mount of it", got.returncode == 125 and b"which the box may write" in got.stderr, got.stderr)
    with open(place("outside", "foreign"), "w", encoding="utf-8"):
        os.chown(place("outside", "foreign"), 65534, 65534)
    refuses_file("another user's file", "another user", place("outside", "foreign"))
else:
    skip("refused: the project by another mount of it", "needs root")
    skip("refused: another user's file", "needs root")

subprocess.run(["chmod", "-R", "u+rwx", work], check=False)
shutil.rmtree(work, ignore_errors=True)
finish()
