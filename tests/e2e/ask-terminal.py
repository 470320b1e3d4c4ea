#!/usr/bin/env python3
"""--ask: a question on the terminal, which a box can neither draw nor answer. TAP."""
import os
import re
import subprocess
import sys
import tempfile
import termios
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, finish  # noqa: E402
from terminal import Terminal as AnyTerminal  # noqa: E402

here = os.path.dirname(os.path.abspath(__file__))
if "LAB" not in os.environ:
    lab = os.path.join(here, "..", "net", "lab.sh")
    os.execv(lab, [lab, sys.executable, os.path.abspath(__file__)])
SBX = os.environ["SBX"]
work = tempfile.mkdtemp(prefix="sbx-ask", dir=os.environ.get("TMPDIR", "/tmp"))
os.chmod(work, 0o755)
project = os.path.join(work, "project")
os.mkdir(project)
os.environ.update(XDG_STATE_HOME=os.path.join(work, "state"), HOME=work, TERM="xterm")
for name in list(os.environ):
    if name.lower().endswith("_proxy"):
        del os.environ[name]
subprocess.run(["git", "init", "-q", project], check=True)


class Terminal(AnyTerminal):
    def __init__(self, line, *options):
        super().__init__(project, line, "--ask", *options)

    def asked(self, times=1):
        """The question is there, and its silence is over."""
        good = self.wait(QUESTION, times=times)
        self.quiet(0.8)
        return good

    def mode(self):
        return termios.tcgetattr(self.fd)[:6], os.tcgetpgrp(self.fd)


QUESTION = r"\[o\]nce, \[r\]un, (\[p\]roject \(its runs with --ask\), )?\[n\]o; a letter and Enter"


def fetch(name, more=""):
    return f"curl -s -m 50 {more} http://{name}/"


def rules():
    return re.findall(r"allow = (\S+)", subprocess.run([SBX, "profile", "show"], cwd=project, capture_output=True, text=True).stdout)


# --- the answers
terminal = Terminal(f"echo first; {fetch('www.allowed.test')}; echo status-$?; sleep 1; {fetch('www.allowed.test')}; echo end")
terminal.wait("first")
before = terminal.mode()
check("a question is shown", terminal.asked(), terminal.text)
check("who wants what", "'curl', as the box names it, wants www.allowed.test:80" in terminal.text, terminal.text)
check("and which runs an answer for the project is for", "[p]roject (its runs with --ask), [n]o" in terminal.text, terminal.text)
during = terminal.mode()
check("the terminal is in a mode of our own", not during[0][3] & (termios.ICANON | termios.ECHO | termios.ISIG), during)
terminal.send("r")
terminal.quiet(0.5)
check("a letter alone is no answer", "status-" not in terminal.text, terminal.text)
terminal.send("\r")
terminal.wait("status-0")
check("run: the connection goes on", "GET / host=www.allowed.test" in terminal.text, terminal.text)
check("the mode and the group in front are as before", terminal.mode() == before, (before, terminal.mode()))
text = terminal.end()
check("asked for once", len(re.findall(QUESTION, text)) == 1 and text.count("GET / ") == 2, text)
check("nothing is reported", "blocked" not in text, text)

for key, name in (("n\r", "no"), ("\x03", "^C"), ("N\n", "a capital letter")):
    terminal = Terminal(f"{fetch('www.allowed.test')}; echo end-$((1+1))")
    terminal.asked()
    terminal.send(key)
    text = terminal.end()
    check(f"{name}: refused, and reported", "blocked by sbx" in text and "the answer was no" in text and "end-2" in text, text)
terminal = Terminal(f"{fetch('www.allowed.test')}; {fetch('www.allowed.test')}")
terminal.asked()
terminal.send("o\r")
check("once: asked for again", terminal.asked(2), terminal.text)
terminal.send("n\r")
check("and answered again", terminal.end().count("GET / ") == 1, terminal.text)
terminal = Terminal(f"{fetch('www.allowed.test')}")
terminal.asked()
terminal.send("p\r")
check("project: the connection goes on", "GET / " in terminal.end(), terminal.text)
check("it is stored", rules() == ["www.allowed.test:80"], rules())
terminal = Terminal(f"{fetch('www.allowed.test')}")
check("and not asked for again", "GET / " in terminal.end() and not re.search(QUESTION, terminal.text), terminal.text)
subprocess.run([SBX, "profile", "forget", "www.allowed.test:80"], cwd=project, check=True)
long = ".".join(["a" * 40] * 3) + ".test"
terminal = Terminal(fetch(long))
terminal.asked()
check("a long name is shown whole", f"wants {long}:80" in re.sub(r"\s*\n", "", terminal.text) or f"wants {long}:80" in terminal.text, terminal.text)
terminal.send("p\r")
terminal.end()
check("and stored as it was shown", rules() == [f"{long}:80"], rules())
subprocess.run([SBX, "profile", "forget", f"{long}:80"], cwd=project, check=True)

# --- the box is stopped
beat = os.path.join(project, "beat")
terminal = Terminal(f"while :; do date +%s%N >beat; sleep 0.02; done & {fetch('www.allowed.test')}; "
                    "beat=$(cat beat); while [ \"$(cat beat)\" = \"$beat\" ]; do sleep 0.05; done; kill $!; echo end")
terminal.asked()
first = open(beat, encoding="utf-8").read()
terminal.quiet(1)
check("the box is stopped while the question stands", open(beat, encoding="utf-8").read() == first)
terminal.send("n\r")
terminal.end()
check("and not afterwards", open(beat, encoding="utf-8").read() != first and terminal.status == 0, terminal.text)

# --- what the box writes, and what the terminal types for it
terminal = Terminal(f"(while :; do printf 'o\\nr\\n\\e[6n\\e[21t\\x05'; done) & {fetch('www.allowed.test')}; kill $!; echo end")
terminal.wait(QUESTION)
for _ in range(10):  # as a terminal answers, late
    terminal.send("\x1b[1;1Rr\r")
    terminal.quiet(0.1)
terminal.quiet(0.8)
terminal.send("\x1b[1;1Rr\r")
check("a line with an escape is none", terminal.wait("not an answer") and "GET / " not in terminal.text, terminal.text[-300:])
at = terminal.text.rfind("a letter and Enter (no")
terminal.quiet(0.8)
check("the box writes nothing behind the question", "\no" not in terminal.text[at:], terminal.text[at:])
terminal.send("n\r")
terminal.end()
check("it was a no", "GET / " not in terminal.text)
terminal = Terminal(f"read -t 3 word; {fetch('www.allowed.test')}; echo end")
terminal.send("typed\no\nr\no\n")
terminal.quiet(0.3)
terminal.asked()
check("what was typed before answers nothing", "GET / " not in terminal.text, terminal.text)
check("and that is said", "what was typed before was discarded" in terminal.text, terminal.text)
terminal.send("n\r")
terminal.end()
for lines in ("o\r" * 40, "x\ro\r"):
    terminal = Terminal(fetch("www.allowed.test"))
    terminal.asked()
    terminal.send(lines)
    check(f"a pasted block answers nothing ({len(lines)} bytes)", terminal.wait("typed before was discarded") and "GET / " not in terminal.text, terminal.text)
    terminal.quiet(0.8)
    terminal.send("n\r")
    check("a line alone does", "GET / " not in terminal.end() and "the answer was no" in terminal.text, terminal.text)
for line in ("yes\r", "rr\r", "\r", "q\r", " r\r"):
    terminal = Terminal(fetch("www.allowed.test"))
    terminal.asked()
    terminal.send(line)
    check(f"{line!r} is no answer", terminal.wait("not an answer"), terminal.text)
    terminal.quiet(0.8)
    terminal.send("n\r")
    check(f"after {line!r}: no", "GET / " not in terminal.end(), terminal.text)
terminal = Terminal("cp $(command -v curl) $'q\\e[2J\\nsbx: x'; ./$'q\\e[2J\\nsbx: x' -s -m 50 http://www.allowed.test/")
terminal.asked()
check("a program's name is shown without bytes that act", "'q??2J" in terminal.text and "\x1b[2J" not in terminal.text, terminal.text)
terminal.send("n\r")
terminal.end()

# --- a program that draws, and job control
terminal = Terminal(f"stty raw -echo; echo drawn; {fetch('www.allowed.test')}; stty -a >mode; stty sane; echo end")
terminal.wait("drawn")
before = terminal.mode()
terminal.asked()
terminal.send("r\r")
terminal.wait("GET / ")
check("raw mode is raw again", "-icanon" in (terminal.end(), open(os.path.join(project, "mode"), encoding="utf-8").read())[1], terminal.text)
terminal = Terminal(f"set -m; bash -c '{fetch('www.allowed.test')}; echo inner; read -t 20 word; echo got-$word'; echo end")
check("a job of the box's is asked about", terminal.asked(), terminal.text)
terminal.send("r\r")
terminal.wait("inner")
terminal.send("word\n")
# The shell above may see its job stop before it stops itself: then it says so, and its job waits for fg.
check("and is in front again", re.search(r"got-word|\[1\]\+ +Stopped", terminal.end()), terminal.text)

# --- many
terminal = Terminal("for i in {1..14}; do curl -s -o /dev/null -m 50 http://h$i.invalid/ & done; wait; echo end-$((1+1))")
LIST = r"the box wants (\d+) hosts, one answer for all"
for times in range(1, 9):
    end = time.time() + 40
    while len(re.findall(QUESTION, terminal.text)) < times and "end-2" not in terminal.text and time.time() < end:
        terminal.read(0.05)
    if "end-2" in terminal.text:
        break
    terminal.quiet(0.8)
    terminal.send("n\r")
text = terminal.end()
check("more than five in ten seconds are one list", sum(map(int, re.findall(LIST, text))) >= 8, text)
check("and few questions in all", len(re.findall(QUESTION, text)) <= 7, len(re.findall(QUESTION, text)))
lists = re.findall(r"one answer for all:.*?a letter and Enter", text, re.S)  # after the last one may come a single host
check("a list has no [p]roject", lists and not any("[p]roject" in one for one in lists), text)
rest = re.search(r"(\d+) more refusals \(connect\)", text)  # of a kind eight are listed
check("the answer holds for all", len(re.findall(r"blocked h\d+.invalid:80", text)) + int(rest[1] if rest else 0) == 14, text)

# --- the end of its time, of the run, of the terminal
begun = time.time()
terminal = Terminal(f"{fetch('www.allowed.test')}; echo end-$((1+1))")
terminal.asked()
check("nobody answers: no", terminal.wait("end-2") and 25 < time.time() - begun < 59, (time.time() - begun, terminal.text))
check("and it says so", "nobody answered in time" in terminal.end(), terminal.text)
terminal = Terminal(f"{fetch('www.allowed.test')}; sleep 60", "--timeout", "3s")
before = terminal.mode()
terminal.asked()
text = terminal.end()
check("a limit ends the run all the same", terminal.status == 124, (terminal.status, text))
child = subprocess.run(["setsid", SBX, "run", "--ask", "--", "true"], cwd=project, stdin=subprocess.DEVNULL, capture_output=True, text=True)
check("not on a terminal: an error that says so", child.returncode == 125 and "--ask needs a terminal; for a program that answers: --ask-program PROG" in child.stderr, child.stderr)
for options, words in ((["--isolation", "landlock"], "cannot stop a box of tier landlock"), (["--network", "none"], "nothing is asked for"),
                       (["--ask-program", "/bin/true"], "cannot be given together")):
    terminal = Terminal("true", *options)
    check(f"an error: {words}", words in terminal.end() and terminal.status == 125, terminal.text)

# --- how soon: from before the connection to the question on the terminal; the proxy's worker runs by then, or not
BY_HAND = "exec 3<>/dev/tcp/198.18.0.1/3128; printf 'GET http://%s/ HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3 >/dev/null; exec 3<&-; "
for name, first in (("the first connection of a run", ""), ("a later one", BY_HAND % ("denied.test", "denied.test"))):
    times = []
    for _ in range(5):
        terminal = Terminal(f"sleep 0.5; {first} sleep 0.3; echo start-$EPOCHREALTIME; {BY_HAND % ('www.allowed.test', 'www.allowed.test')}", "--deny", "denied.test")
        terminal.wait(r"start-[0-9.]+\r")
        start = float(re.search(r"start-([0-9.]+)\r", terminal.text)[1])
        while not re.search(QUESTION, terminal.text):
            terminal.read(1)
        times.append((time.time() - start) * 1000)
        terminal.quiet(0.8)
        terminal.send("n\r")
        terminal.end()
    print(f"# {name}: milliseconds until the question:", " ".join("%.1f" % t for t in sorted(times)))
subprocess.run(["rm", "-rf", work], check=False)
finish()
