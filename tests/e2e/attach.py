#!/usr/bin/env python3
"""Terminals of a box that lives, sbx exec -t and attach: the box's own, given back, and nobody else's. TAP."""
import fcntl, os, pty, re, shutil, signal, struct, subprocess, sys, tempfile, termios, time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, finish  # noqa: E402
from terminal import Terminal  # noqa: E402

SBX = os.environ["SBX"]
work = tempfile.mkdtemp(prefix="sbx-attach")
project = os.path.join(work, "project")
os.mkdir(project)
os.environ["XDG_STATE_HOME"] = os.path.join(work, "state")
os.mkdir(os.environ["XDG_STATE_HOME"], 0o700)
os.chdir(project)


def sbx(*words, given=b""):
    done = subprocess.run([SBX, *words], input=given, capture_output=True)
    return done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"), done.returncode


def until(good, seconds=30):
    end = time.time() + seconds
    while not good() and time.time() < end:
        time.sleep(0.05)
    return good()


def has(name, text=""):
    return os.path.exists(name) and text in open(name).read()


def exec_on(run, line, *options):
    return Terminal(project, "", words=["exec", "-t", *options, run, "--", "bash", "--norc", "-c", line])


def shown(run, line, *options):
    terminal = exec_on(run, line, *options)
    return terminal.end().replace("\r", "").strip(), terminal.status


def modes(terminal):
    return termios.tcgetattr(terminal.fd)


# As a terminal is before a client: one that has begun may have changed its own already.
before = termios.tcgetattr(pty.openpty()[0])

run = sbx("run", "-d", "--network", "none", "--", "bash", "-c", "echo $$ >first; while :; do sleep 0.1; done")[0].strip()
if not run.isdigit():
    check("a box begins", False, run)
    finish()
until(lambda: has("first"))

# --- a terminal of the box
os.environ["TERM"] = "xterm-256color"
text, status = shown(run, 'tty; readlink /proc/$$/fd/{0,1,2} | sort -u; echo "$TERM"; ps -o tty= -p $$; exit 7')
check("exec -t: stdin, stdout and stderr are one terminal", re.fullmatch(r"(/dev/pts/\d+)\n\1\nxterm\npts/\d+", text) is not None, text)
check("its status", status == 7, status)
check("a variable that is given counts", shown(run, 'echo "$TERM"', "-e", "TERM=dumb")[0] == "dumb")
here = os.stat("/dev/pts").st_dev
text = shown(run, 'stat -c %d /dev/pts "$(tty)"; stat -Lc %d /proc/$$/fd/{0,1,2}')[0]
check("it is of the box's own devpts, and no other is there", re.fullmatch(r"[\d\s]+", text) is not None and str(here) not in text.split() and len(set(text.split())) == 1, (here, text))
check("another command has no terminal", sbx("exec", run, "--", "sh", "-c", "tty; (: >/dev/tty) 2>/dev/null || echo none")[0].split() == ["not", "a", "tty", "none"])
text, status = shown(run, 'echo err >&2; head -c 300000 /dev/zero | tr "\\0" x')
check("a large output is whole", text.count("x") == 300000 and status == 0, (text[:50], text.count("x"), status))

# --- what is typed
typed = exec_on(run, 'read -r line; echo "got $line"; cat >/dev/null; sleep 0.3; exit 4')
typed.send("some text\r")
check("a line", typed.wait("got some text"), typed.text)
check("meanwhile the caller's terminal is raw", not modes(typed)[3] & (termios.ICANON | termios.ECHO | termios.ISIG))
typed.send("\x04")
time.sleep(0.1)
until(lambda: typed.read(0.1) or modes(typed)[3] & termios.ECHO)
check("^D ends the input; the terminal is given back", modes(typed) == before, modes(typed))
typed.end()
check("with the status", typed.status == 4, typed.status)
shell = Terminal(project, "", words=["exec", "-t", run, "--", "bash", "--norc", "--noediting", "-i"])
shell.send("PS1='READY> '\r")
shell.wait(r"READY> $")
shell.send("sleep 300\r")
shell.quiet(0.5)
shell.send("\x03")
shell.send("echo status $?\r")
check("^C reaches what is in front", shell.wait("status 130"), shell.text)
shell.send("sleep 300\r")
shell.quiet(0.5)
shell.send("\x1a")
check("^Z stops it, and the shell of the box goes on", shell.wait("Stopped"), shell.text)
shell.send("kill %1; stty size\r")
shell.wait("40 200|24 80")
fcntl.ioctl(shell.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 31, 97, 0, 0))
shell.quiet(0.3)
shell.send("stty size\r")
check("a change of the window's size", shell.wait("31 97"), shell.text)
shell.send("exit 5\r")
shell.end()
check("the shell's status", shell.status == 5, (shell.status, shell.text))
ignoring = Terminal(project, "", words=["exec", "-t", run, "--", "sleep", "300"])
ignoring.quiet(0.5)
ignoring.send("\x1a")
ignoring.quiet(0.3)
ignoring.send("\x03")
ignoring.end()
check("^Z of a command without a shell does nothing, and ^C ends it", ignoring.status == -signal.SIGINT, ignoring.status)

# --- given back on every end
for name, act in (("the command is killed", lambda t: sbx("exec", run, "--", "sh", "-c", "kill -9 $(cat held)")),
                  ("SIGTERM to sbx exec", lambda t: os.kill(t.pid, signal.SIGTERM)),
                  ("SIGHUP to it", lambda t: os.kill(t.pid, signal.SIGHUP))):
    if has("held"):
        os.unlink("held")
    held = exec_on(run, "echo $$ >held; exec sleep 300")
    until(lambda: has("held", "\n"))
    act(held)
    until(lambda: held.read(0.1) or modes(held) == before)
    check(f"{name}: the terminal is given back", modes(held) == before)
    held.end()
    check(f"{name}: the status says so", held.status < 0, held.status)
refused = Terminal(project, "", words=["exec", "-t", run, "--", "no-such-program"])
until(lambda: refused.wait("no-such-program", 1))
check("a program that is not there", "No such file" in refused.end() and refused.status == 127, refused.text)
check("without a terminal: the fix", sbx("exec", "-t", run, "--", "true")[1:] == ("sbx: exec --tty: stdin is not a terminal; leave --tty out\n", 125))
other = Terminal(project, "", words=["exec", "-t", "--json", run, "--", "true"])
check("--json and --tty", "cannot be given together" in other.end() and other.status == 125, other.text)

# --- other processes of the box
open("thief.py", "w").write('''
import fcntl, os, sys, termios, time
def tried(what):
    try: return str(what())
    except OSError as e: return "errno %d" % e.errno
name = open("victim").read().strip()
fd = os.open(name, os.O_RDWR | os.O_NOCTTY)
say = lambda *words: open("thief", "a").write(" ".join(words) + "\\n")
say("steal", tried(lambda: fcntl.ioctl(fd, termios.TIOCSCTTY, 0)))
say("force", tried(lambda: fcntl.ioctl(fd, termios.TIOCSCTTY, 1)))
say("type", tried(lambda: fcntl.ioctl(fd, termios.TIOCSTI, b"x")))
say("ready")
while not os.path.exists("over"): time.sleep(0.05)
say("read", tried(lambda: os.read(fd, 100) or "end"))
say("write", tried(lambda: os.write(fd, b"STOLEN")))
say("own", tried(lambda: fcntl.ioctl(fd, termios.TIOCSCTTY, 0)))
while not os.path.exists("again"): time.sleep(0.05)
say("later", tried(lambda: os.read(fd, 100) or "end"), tried(lambda: os.write(fd, b"STOLEN")))
say("done")
''')
victim = exec_on(run, "tty >victim.new; mv victim.new victim; until grep -q ready thief; do sleep 0.05; done 2>/dev/null; echo end")
until(lambda: has("victim"))
subprocess.Popen([SBX, "exec", run, "--", "python3", "thief.py"], stdin=subprocess.DEVNULL)
victim.end()
open("over", "w").close()
until(lambda: has("thief", "own"))
stolen = dict(line.split(" ", 1) for line in open("thief").read().splitlines() if " " in line)
check("during the command its terminal is no other session's", [stolen.get(k) for k in ("steal", "force")] == ["errno 1", "errno 1"], stolen)
check("nor typed into", stolen.get("type", "").startswith("errno"), stolen)
check("after its end what is open of it is dead", (stolen.get("read") in ("b''", "end", "errno 5")) and stolen.get("write") == "errno 5" and stolen.get("own", "").startswith("errno"), stolen)
second = exec_on(run, "tty; read -r line; echo got $line")
second.wait("/dev/pts/")
open("again", "w").close()
until(lambda: has("thief", "done"))
second.send("secret\r")
text = second.end()
later = [line for line in open("thief").read().splitlines() if line.startswith("later")]
check("also when the next one has its number", "got secret" in text and "STOLEN" not in text and "secret" not in "".join(later) and later[:1] and later[0].endswith("errno 5"), (text, later))
left = exec_on(run, "(trap '' HUP; until [ -e again2 ]; do sleep 0.05; done; (echo LATE >/dev/tty) 2>late) & echo now; sleep 0.2")
text = left.end()
open("again2", "w").close()
check("what a command leaves has no terminal, and does not hold it", "now" in text and left.status == 0 and until(lambda: has("late", "dev/tty")), (text, left.status))
open("taker.py", "w").write('''
import os
open("taking", "w").close()
while not os.path.exists("enough"):
    if os.fork() == 0:
        os.setsid()
        for n in range(4):
            try: os.open("/dev/pts/%d" % n, os.O_RDWR)  # without O_NOCTTY
            except OSError: pass
        os._exit(0)
    os.wait()
''')
subprocess.Popen([SBX, "exec", run, "--", "python3", "taker.py"], stdin=subprocess.DEVNULL)
until(lambda: has("taking"))
ends = [shown(run, "echo mine") for _ in range(20)]
open("enough", "w").close()
check("against one that opens every terminal: each command has its own, or does not run", all(e == ("mine", 0) or e[1] in (125, 126) for e in ends) and ("mine", 0) in ends, ends)

# --- the ends of a client and of the box
if has("held"):
    os.unlink("held")
killed = exec_on(run, "trap '' HUP TERM INT; echo $$ >held; while :; do sleep 0.1; done")
until(lambda: has("held", "\n"))
os.kill(killed.pid, signal.SIGKILL)
killed.end()
check("a client that is killed: so is its command", until(lambda: sbx("exec", run, "--", "sh", "-c", "[ -e /proc/$(cat held) ] || echo gone")[0] == "gone\n"))
if has("held"):
    os.unlink("held")
last = exec_on(run, "echo $$ >held; exec sleep 300")
until(lambda: has("held", "\n"))
sbx("kill", run)
until(lambda: last.wait("has ended", 1))
check("the box ends: the terminal is given back", modes(last) == before)
check("and it is said", "and this command with it" in last.end() and last.status == 137, (last.text, last.status))

# --- run -d -t and attach
def attach(run):
    return Terminal(project, "", words=["attach", run])


detached = sbx("run", "-d", "-t", "--network", "none", "--", "bash", "--norc", "--noediting", "-c",
               'tty; stty size; read -r line; echo "got $line"; trap "exit 6" TERM; trap "echo size; stty size" WINCH; while :; do sleep 0.1; done')
run = detached[0].strip()
check("run -d -t prints an id alone", run.isdigit() and detached[2] == 0, detached)
check("the command has a terminal of the box, and its output is for sbx logs", until(lambda: re.search(r"^/dev/pts/\d+\r?\n24 80", sbx("logs", "--raw", run)[0])), sbx("logs", run))
one, two = attach(run), attach(run)
check("attach says how to leave, and shows what was printed", all(t.wait(rf"attached to run {run}; \^P\^Q detaches") and t.wait("24 80") for t in (one, two)), one.text)
until(lambda: one.read(0.1) or not modes(one)[3] & termios.ECHO)
one.send("typed\r")
check("what is typed reaches the command", one.wait("got typed"), one.text)
check("and all who are attached see its output", two.wait("got typed"), two.text)
one.send("\x10")
one.quiet(0.2)
one.send("\x11")
text = one.end()
check("^P^Q detaches: it is said, with status 0", f"detached from run {run}, which continues; to return: sbx attach {run}" in text and one.status == 0, (text, one.status))
check("the command goes on", run in sbx("ps")[0])
again = attach(run)
check("the next one sees the last output", again.wait("got typed"), again.text)
os.kill(again.pid, signal.SIGTERM)
until(lambda: again.read(0.1) or modes(again)[3] & termios.ECHO)
check("a signal detaches, too, and gives the terminal back", modes(again) == before and "detached" in again.end() and run in sbx("ps")[0], again.text)
gone = attach(run)
gone.wait("got typed")
os.kill(gone.pid, signal.SIGKILL)
gone.end()
check("so does SIGKILL: the command goes on", run in sbx("ps")[0])
fcntl.ioctl(two.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 29, 91, 0, 0))
check("a change of the window's size", two.wait("29 91"), two.text)
sbx("stop", run)
two.end()
check("the end of the run: its status", two.status == 6, (two.status, two.text))
check("wait has it, too", sbx("wait", run)[2] == 6)
check("and logs the output", "got typed" in sbx("logs", run)[0])
shell = sbx("run", "-d", "-t", "-e", "PS1=READY> ", "--", "bash", "--norc", "--noediting", "-i")[0].strip()
inside = attach(shell)
inside.wait("READY> ")
inside.send("cat\r")
inside.quiet(0.5)
inside.send("a\x10b\r")
check("^P alone is passed on", inside.wait(r"a\^Pb"), inside.text)
inside.send("\x03")
check("^C acts in the box", inside.wait("READY> ", times=2), inside.text)
inside.send("exit 3\r")
inside.end()
check("the shell's end", inside.status == 3, inside.status)
plain = sbx("run", "-d", "--", "sleep", "300")[0].strip()
refused = attach(plain)
check("a run without a terminal: the fix", f"run {plain} has no terminal, which run -d -t gives a command; to see its output: sbx logs -f {plain}" in refused.end() and refused.status == 125, refused.text)
check("without a terminal at stdin: the fix", sbx("attach", plain)[1:] == (f"sbx: attach: stdin is not a terminal; to see the output: sbx logs -f {plain}\n", 125))
sbx("kill", plain)
check("-t without -d", "--tty is for --detach" in sbx("run", "-t", "--", "true")[1])
lower = sbx("run", "-d", "-t", "--isolation", "landlock", "--no-protect", "--", "true")
check("tier landlock has none", lower[2] == 125 and ("no terminals; leave --tty out" in lower[1] or "landlock" in lower[1].lower()), lower)

# --- what a box prints, and does not read
def box(line, *options):
    run = sbx("run", "-d", "-t", "--network", "none", *options, "--", "bash", "--norc", "--noediting", "-c", line)[0].strip()
    until(lambda: "ready" in sbx("logs", "--raw", run)[0])
    return run


def slow(words, size, seconds):
    """What a terminal shows that takes so many bytes at a time, and its status."""
    terminal = Terminal(project, "", words=words)
    while True:
        time.sleep(seconds)
        try:
            got = os.read(terminal.fd, size)
        except OSError:
            break
        terminal.data += got
    return terminal.text, os.waitstatus_to_exitcode(os.waitpid(terminal.pid, 0)[1])


deaf = box("stty raw -echo; echo ready; sleep 600")
leaving = attach(deaf)
leaving.wait("ready")
until(lambda: leaving.read(0.1) or not modes(leaving)[3] & termios.ECHO)
os.set_blocking(leaving.fd, False)
for keys in ["\033[<35;10;10M" * 50] * 60 + ["\x10\x11"]:
    try:
        leaving.send(keys)
    except BlockingIOError:
        pass
    time.sleep(0.02)
began = time.time()
left = leaving.wait("detached from run", 10)
check("^P^Q detaches behind 36,000 bytes that the command does not read", left and time.time() - began < 5, leaving.text[-300:])
os.kill(leaving.pid, signal.SIGKILL)
leaving.end()
sbx("kill", deaf)
flood = box("echo ready; exec yes $(head -c 200 /dev/zero | tr '\\0' x)")
leaving = Terminal(project, "", words=["attach", flood])  # nobody reads what it prints
time.sleep(1)
leaving.send("\x10\x11")
check("nor does a flood hold it, on a terminal that is not read", until(lambda: os.waitid(os.P_PID, leaving.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT), 10) is not None)
os.kill(leaving.pid, signal.SIGKILL)
leaving.end()
sbx("kill", flood)
away = box('echo ready; T=$(tty); exec </dev/null >/dev/null 2>&1; sleep 1; exec <$T >$T 2>&1; echo after; read -r line; echo got $line; sleep 600')
check("output comes again after nobody had the terminal open", until(lambda: "after" in sbx("logs", "--raw", away)[0], 10), sbx("logs", away))
again = attach(away)
again.wait("after", 10)
again.send("keys\r")
check("for who attaches, too", again.wait("got keys", 10), again.text)
sbx("kill", away)
again.end()
run = sbx("run", "-d", "--network", "none", "--", "sleep", "600")[0].strip()
text, status = shown(run, 'T=$(tty); exec </dev/null >/dev/null 2>&1; sleep 1; exec <$T >$T 2>&1; echo after; exit 4')
check("and for exec -t", (text, status) == ("after", 4), (text, status))
text, status = slow(["exec", "-t", run, "--", "bash", "-c", "seq 1 1500; exit 3"], 300, 0.1)
check("a slow terminal has the end of the output", text.split()[-1:] == ["1500"] and status == 3, (text[-50:], status))
writer = 'import os, time\nwhile True:\n    try: fd = os.open("/dev/pts/0", os.O_RDWR | os.O_NOCTTY); os.write(fd, b"more" * 100)\n    except OSError: time.sleep(0.001)\n'
subprocess.Popen([SBX, "exec", run, "--", "python3", "-c", writer], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
time.sleep(1)
began = time.time()
text, status = shown(run, "sleep 1; exit 5")
check("a process that writes there for ever does not hold it up", status == 5 and time.time() - began < 20, (status, time.time() - began))
check("-it is -t", "/dev/pts/" in Terminal(project, "", words=["exec", "-it", run, "--", "tty"]).end() and "/dev/pts/" in Terminal(project, "", words=["exec", "-ti", run, "tty"]).end())
sbx("kill", run)

# --- words of sbx behind bytes that act on a terminal
PLAIN = "\x18\x1b\\"
hidden = box("printf '\\033[?1049h\\033[8m\\033(0\\033[5;5r\\033[?1003h'; echo ready; printf '\\033P'; sleep 600")
leaving = attach(hidden)
leaving.wait("ready")
leaving.send("\x10\x11")
text = leaving.end()
reset = text.rfind(PLAIN)
check("detached: the terminal is plain before it is said", 0 < reset < text.find("detached from run") and "\x1b[?1003l" in text[reset:], text)
ends = Terminal(project, "", words=["exec", "-t", hidden, "--", "bash", "-c", "printf '\\033[8m\\033P'; echo begun; sleep 600"])
ends.wait("begun")
sbx("kill", hidden)
text = ends.end()
check("so it is before the end of a box is said", 0 < text.rfind(PLAIN) < text.find("has ended"), text)
asks = box("printf 'one\\033[31mred\\033[0m\\033[6n\\033[c\\033]11;?\\007\\033P$qm\\033\\\\\\033[?1004h\\005\\302\\2336n two ready\\n'; cat -v >typed; sleep 600")
again = attach(asks)
again.wait("ready")
text = again.text[again.text.find("one"):]
check("what is replayed asks the terminal nothing, and is readable", re.match(r"one\x1b\[31mred\x1b\[0m(6n)? two ready\r?\n$", text) is not None, text)
again.send("\x10\x11")
again.end()
sbx("kill", asks)

# --- a job of a shell
open("rc", "w").write('PS1=; set -m; "$SBX" run -- sh -c "echo >job; sleep 600" & until [ -e job ]; do sleep 0.1; done\n'
                      '"$SBX" exec $! -- echo in the box </dev/null; "$SBX" exec -t $! -- true; echo status $?; kill %1; exit\n')
job = subprocess.run(["script", "-qec", "bash --rcfile rc -i", "/dev/null"], stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
check("a box that a shell began in the background takes commands", re.search(r"^in the box", job, re.M) is not None, job)
check("but no terminal: it says why", re.search(r"run \d+ was started with & from a terminal, where exec --tty is not possible; leave it out\s+status 125", job) is not None, job)
shutil.rmtree(work, ignore_errors=True)
finish()
