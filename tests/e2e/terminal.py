#!/usr/bin/env python3
"""The terminal: ^C, ^Z, window size, job control, and everything given back. TAP."""
import fcntl, os, re, struct, sys, termios, time, shutil, signal, tempfile, subprocess
import pexpect

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, finish, skip  # noqa: E402
from terminal import Terminal  # noqa: E402
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import terminal_model  # noqa: E402

SBX = os.environ["SBX"]
project = tempfile.mkdtemp(prefix="sbx-tty")
os.chmod(project, 0o755)


def shell():
    child = pexpect.spawn("/bin/bash", ["--norc", "--noediting", "-i"], cwd=project, encoding="utf-8",
                          timeout=60, dimensions=(33, 777),
                          env=dict(os.environ, PS1="READY> ", TERM="dumb", HISTFILE="/dev/null"))
    child.expect_exact("READY> ")
    return child


def run(child, line):
    child.sendline(line)
    child.expect_exact("READY> ")
    return child.before.replace(line, "", 1).strip()


def until(good, seconds=30):
    """Waits for something to become true, and says whether it did."""
    end = time.time() + seconds
    while not good() and time.time() < end:
        time.sleep(0.05)
    return good()


# A command that says when it runs; the word is not on the line that starts it.
SLEEP = "sh -c 'echo begun; exec sleep 300'"
child = shell()
out = run(child, f"{SBX} run -- tty; echo =$?")
check("the terminal has a name inside", "=0" in out and "/dev/" in out, out)
out = run(child, f"{SBX} run -- stty size")
check("the window size passes", "33 777" in out, out)
child.sendline(f"{SBX} run -- {SLEEP}")
child.expect_exact("begun\r\n")
child.sendcontrol("c")
child.expect_exact("READY> ")
out = run(child, "echo =$?")
check("^C ends the command with 130", "=130" in out, out)
child.sendline(f"{SBX} run -- {SLEEP}")
child.expect_exact("begun\r\n")
child.sendcontrol("z")
child.expect_exact("READY> ")
check("^Z stops it", "Stopped" in child.before, child.before)
out = run(child, "jobs")
check("the shell sees a stopped job", "Stopped" in out, out)
out = run(child, f"{SBX} ps")
check("sbx ps lists it while it is stopped", "begun" in out, out)
child.sendline("fg")
child.expect_exact("exec sleep 300'\r\n")
time.sleep(0.5)
child.sendcontrol("c")
child.expect_exact("READY> ")
out = run(child, "echo =$?")
check("fg continues it, ^C ends it", "=130" in out, out)
child.sendline(f"{SBX} run --timeout 1s -- sh -c 'kill -STOP $$; sleep 60'")
if child.expect(["Stopped", "READY> "]) == 0:  # on a slow machine it has ended
    child.expect_exact("READY> ")

def ended():
    global out
    run(child, "true")
    out = run(child, "jobs -l")
    return "Stopped" not in out and "Running" not in out


check("a stopped command does not stop the clock", until(ended), out)
child.sendline(f"{SBX} run -- bash --norc --noediting -i")
child.expect_exact("READY> ")
child.sendline(SLEEP)
child.expect_exact("begun\r\n")
child.sendcontrol("z")
child.expect_exact("READY> ")
check("an inner shell has job control of its own", "Stopped" in child.before, child.before)
run(child, "kill -9 %1; wait; disown -a")  # bash may not have noticed yet, and would not exit
child.sendline("exit 9")
child.expect_exact("READY> ")
out = run(child, "echo =$?")
check("the inner shell's status arrives", "=9" in out, out)
out = run(child, f"{SBX} run -- sh -c 'stty -echo raw; kill -9 $$'; stty -a | tr ' ' '\\n' | grep -c '^-echo;*$'")
check("terminal modes are given back after a kill", out.splitlines()[-1].strip() == "0", out)
child.sendline(f"{SBX} shell")
child.expect(r"[$#>] ")
child.sendline("echo in=$SBX")
child.expect("in=1")
check("sbx shell is a shell in a box", True)
child.sendline("exit")
child.close(force=True)

SILENCE = 0.8  # before an answer: what comes earlier is thrown away
# what a change holds cannot act on the terminal of who reviews it
hostile = r'''printf 'a\033[8mb\302\2332Jc\342\200\256d\n' >shown; ln -s "$(printf 'x\033[8my')" seen'''
child = pexpect.spawn(SBX, ["run", "--review", "--", "sh", "-c", hostile], cwd=project, encoding="utf-8", timeout=60,
                      dimensions=(33, 200), env=dict(os.environ, TERM="xterm", GIT_PAGER="cat"))
child.expect("how the text")
time.sleep(SILENCE)
child.send("s\r")
child.expect("how the text")
text = child.before
check("review: a change is seen as it is", "a^[[8mb<U+009B>2Jc<U+202E>d" in text and "x^[[8my" in text, text)
check("review: and does not act", not any(each in text for each in ("\x1b[8m", "\x9b", "\u202e")), text)
time.sleep(SILENCE)
child.send("d\r")
child.expect(pexpect.EOF)

# full-screen programs
for name, keys, seen in (("vim", "ihello\x1b:wq\r", "~"), ("less", "q", "root:"), ("top", "q", "PID")):
    if subprocess.run(["which", name], capture_output=True).returncode:
        skip(name, f"{name} is not installed")
        continue
    arguments = {"vim": ["-u", "NONE", "typed"], "less": ["/etc/passwd"], "top": []}[name]
    child = pexpect.spawn(SBX, ["run", "--", name, *arguments], cwd=project, encoding="utf-8", timeout=60,
                          env=dict(os.environ, TERM="xterm"))
    try:
        child.expect_exact(seen)
        for key in keys:
            child.send(key)
            time.sleep(0.05)
        child.expect(pexpect.EOF)
        child.close()
        good = child.exitstatus == 0
    except pexpect.TIMEOUT:
        good = False
    if name == "vim" and good:
        good = open(os.path.join(project, "typed")).read() == "hello\n"
    check(f"{name} works", good, child.before)

# review: the question at the end
def review(answers, command):
    child = pexpect.spawn(SBX, ["run", "--review", "--", "sh", "-c", command], cwd=project, encoding="utf-8", timeout=60,
                          env=dict(os.environ, PAGER="cat", GIT_PAGER="cat", TERM="dumb"))
    for answer in answers:
        if child.expect_exact(["[a]pply", pexpect.EOF, pexpect.TIMEOUT]) != 0:
            break
        seen = child.before
        time.sleep(SILENCE)
        child.send("\x03" if answer == "^C" else answer + "\n")
    child.expect([pexpect.EOF, pexpect.TIMEOUT])
    child.close()
    return child, seen + (child.before if isinstance(child.before, str) else "")


def sessions():
    return subprocess.run([SBX, "session", "list"], capture_output=True, text=True).stdout.count("review-")


reviewed = os.path.join(project, "reviewed")
before = sessions()
child, out = review(["nonsense", "s", "a"], "echo 'some words' >reviewed; exit 7")
if "extended attributes" in out:
    skip("review", "the state directory has no extended attributes")
else:
    check("review: the changes are listed and shown", "reviewed" in out and "+some words" in out, out)
    check("review: applied when told to, with the command's status", child.exitstatus == 7 and os.path.exists(reviewed), out)
    os.remove(reviewed)
    child, out = review(["d"], "echo x >reviewed")
    check("review: discarded when told to", not os.path.exists(reviewed) and sessions() == before, out)
    child, out = review(["k"], "echo x >reviewed")
    check("review: kept when told to", not os.path.exists(reviewed) and sessions() == before + 1, out)
    child, out = review(["^C"], "echo x >reviewed")
    check("review: ^C says what became of it", "nothing was changed" in out and "saved as a session" in out, out)
    check("review: ^C keeps it as well", not os.path.exists(reviewed) and sessions() == before + 2, out)
    def choose(keys, command):
        child = pexpect.spawn(SBX, ["run", "--review", "--", "sh", "-c", command], cwd=project, encoding="utf-8", timeout=60,
                              env=dict(os.environ, PAGER="cat", GIT_PAGER="cat", TERM="dumb"))
        out = ""
        for key in keys:
            if child.expect_exact(["? ", pexpect.EOF, pexpect.TIMEOUT]) != 0:
                break
            out += child.before
            time.sleep(SILENCE)
            child.send("\x03" if key == "^C" else key + "\n")
        child.expect([pexpect.EOF, pexpect.TIMEOUT])
        child.close()
        return out + (child.before if isinstance(child.before, str) else "")

    def there():
        names = sorted(name for name in os.listdir(project) if name.startswith("pick-"))
        for name in names:
            path = os.path.join(project, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        return " ".join(names)

    # The pager is the user's, unless a box of the project could have written it.
    def paged(tools, link=None):
        canary = os.path.join(outside, "canary")
        os.makedirs(tools, exist_ok=True)
        for name in ("git", "less", "pager"):
            path = os.path.join(tools, name)
            with open(path, "w") as file:
                file.write(f'#!/bin/sh\necho $0 >>{canary}\n' + ("exec /usr/bin/git \"$@\"\n" if name == "git" else "cat\n"))
            os.chmod(path, 0o755)
        at = link or tools
        child = pexpect.spawn(SBX, ["run", "--review", "--", "sh", "-c", "echo x >paged"], cwd=project, encoding="utf-8", timeout=60,
                              env=dict(os.environ, PATH=at + ":" + os.environ["PATH"], GIT_PAGER=os.path.join(at, "pager"), TERM="xterm"))
        child.expect_exact("how the text? ")
        time.sleep(SILENCE)
        child.send("s\n")
        child.expect_exact("how the text? ")
        time.sleep(SILENCE)
        text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", child.before)
        child.send("d\n")
        child.expect([pexpect.EOF, pexpect.TIMEOUT])
        child.close()
        ran = os.path.exists(canary)
        if ran:
            os.remove(canary)
        return ran, text
    outside = tempfile.mkdtemp()
    ran, out = paged(os.path.join(outside, "bin"))
    check("review: the user's pager shows the text", ran and "+x" in out, out)
    ran, out = paged(os.path.join(project, "tools"))
    check("review: git and the pager never come from the project", not ran and "+x" in out, out)
    os.symlink(os.path.join(project, "tools"), os.path.join(outside, "link"))
    ran, out = paged(os.path.join(project, "tools"), os.path.join(outside, "link"))
    check("review: nor by a link", not ran and "+x" in out, out)
    shutil.rmtree(os.path.join(project, "tools"))
    shutil.rmtree(outside)

    four = "for i in 1 2 3 4; do echo >pick-$i; done"
    was = sessions()
    out = choose(["f", "y", "n", "", "y", "d"], four)
    check("review by file: those that were chosen", there() == "pick-1 pick-3" and "leave it out" in out, out)
    check("review by file: the others are kept", sessions() == was + 1 and "saved as a session" in out, out)
    check("review by file: all that follow", there() == "" and choose(["f", "n", "a"], four) and there() == "pick-2 pick-3 pick-4")
    out = choose(["f", "y", "q", "d"], four)
    check("review by file: q chooses nothing", there() == "" and "nothing was changed" in out, out)
    out = choose(["f", "y", "^C", "d"], four)
    check("review by file: nor does ^C", there() == "" and "nothing was changed" in out, out)
    out = choose(["f", "a"], "echo >.a-pick; mkdir .zed; echo >.zed/x")
    check("review by file: a takes nothing that programs run", os.path.exists(os.path.join(project, ".a-pick"))
          and not os.path.exists(os.path.join(project, ".zed")), out)
    out = choose(["f", "n", "y"], "mkdir pick-d; echo >pick-d/1; echo >pick-d/2")
    check("review by file: of a new directory", os.path.exists(os.path.join(project, "pick-d/2"))
          and not os.path.exists(os.path.join(project, "pick-d/1")), out)
    there()

    # What was not typed for the question does not answer it.
    def asked(command, *options, words=None):
        return Terminal(project, command, "--review", *options, words=words)

    def left(terminal, seen="typed before was discarded"):
        """Nothing was applied; a person's answer then counts."""
        good = terminal.wait(seen) and terminal.wait("how the text") and not os.path.exists(os.path.join(project, "pick-1"))
        terminal.quiet(SILENCE)
        terminal.send("d\r")
        return "discarded; nothing was changed" in terminal.end() and good and there() == ""

    make = "echo >pick-1; "
    fish = "import select; print('Overwrite? [y/N] ', end='', flush=True); select.select([0], [], [])"
    for word in ("y", "a"):
        terminal = asked(make + f'python3 -c "{fish}"')
        terminal.wait("Overwrite")
        terminal.send(word + "\r")
        check(f"review: a line that the box fishes for is no answer ({word})", left(terminal), terminal.text)
    terminal = asked(make + "echo begun; sleep 60", "--timeout", "2s")
    terminal.wait("begun")
    terminal.send("a\ra\r")
    check("review: nor is one that waits when a limit ends the box", left(terminal), terminal.text)
    terminal = asked(make)
    end = time.time() + 10
    while time.time() < end:
        terminal.send("a\r")
        terminal.quiet(0.03)
    check("review: input every 30 ms for 10 s answers nothing", left(terminal), terminal.text)
    for lines, name in (("a\r" * 40, "a pasted block"), ("x\ra\r", "a pasted line and an answer"), ("\x1b[200~a\r\x1b[201~", "a bracketed paste")):
        terminal = asked(make)
        terminal.wait("how the text")
        terminal.quiet(SILENCE)
        terminal.send(lines)
        check(f"review: {name} is no answer", left(terminal), terminal.text)
    for word in ("y\r", "yes\r", "apply\r", "\r", "\x1b[1;1Ra\r"):
        terminal = asked(make)
        terminal.wait("how the text")
        terminal.quiet(SILENCE)
        terminal.send(word)
        check(f"review: {word!r} is no answer", left(terminal, "make the changes in the project"), terminal.text)
    # Another box of the same terminal, in the same group: it reads, types and fills in.
    types = ("import fcntl, termios, os, time\n"
             "tty = os.open('/dev/tty', os.O_RDWR | os.O_NONBLOCK)\n"
             "print('lives', flush=True)\n"
             "while True:\n"
             "    for byte in b'a\\n':\n"
             "        try: fcntl.ioctl(tty, termios.TIOCSTI, bytes([byte]))\n"
             "        except OSError: pass\n"
             "    time.sleep(0.01)\n")
    for name, lines in (("yes", 'yes a | "$SBX" run --review -- sh -c "echo >pick-1"'),
                        ("a box that lives", '"$SBX" run -- python3 -c "$TYPES" & read line; "$SBX" run --review -- sh -c "echo >pick-1"; kill $!; wait')):
        os.environ["TYPES"] = types
        child = pexpect.spawn("sh", ["-c", lines], cwd=project, encoding="utf-8", timeout=60)
        if name != "yes":
            child.expect_exact("lives")
            child.send("\n")
        child.expect_exact("how the text? ")
        time.sleep(2)
        good = not os.path.exists(os.path.join(project, "pick-1"))
        child.send("d\r")
        good = child.expect_exact(["discarded; nothing was changed", pexpect.EOF, pexpect.TIMEOUT]) == 0 and good
        child.expect([pexpect.EOF, pexpect.TIMEOUT])
        check(f"review: {name} does not answer", good and there() == "", child.before)
    # File by file: silence before the first one and before each one that counts.
    terminal = asked("echo >A-pick; echo >B-pick; echo all: >Makefile")
    terminal.wait("how the text")
    terminal.quiet(SILENCE)
    terminal.send("f\r")
    for i in range(3):
        terminal.wait("apply this change", times=i + 1)
        terminal.quiet(SILENCE if i == 0 else 0)
        terminal.send("y\r")
    good = terminal.wait("typed before was discarded")
    terminal.quiet(SILENCE)
    terminal.send("n\r")
    terminal.end()
    made = [name for name in ("A-pick", "B-pick", "Makefile") if os.path.exists(os.path.join(project, name))]
    check("review by file: before what your own programs run there is a silence", good and made == ["A-pick", "B-pick"], terminal.text)
    for name in made:
        os.remove(os.path.join(project, name))
    terminal = asked("printf '\\033[8m'; mkfifo pick-p; ln -s ~/.ssh pick-l; ln -s /usr/bin pick-o; echo >pick-s; chmod 4755 pick-s; "
                     "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"pick-u\")'")
    terminal.wait("how the text")
    shown = terminal.text
    check("review: the list says what a thing is", all(re.search(each, shown) for each in (
        r"pick-p  \(pipe\)", r"pick-l  \(link to \S+/\.ssh, which the session could not see\)", r"pick-o  \(link to /usr/bin\)", r"pick-s  \(set-user-ID",
        r"pick-u  \(socket\)")), shown)
    check("review: nothing that the box wrote hides it", "\x1b[0m" in shown[shown.rfind("\x1b[8m"):], shown)
    check("review: and it is discarded", left(terminal, "how the text"), terminal.text)
    for line in subprocess.run([SBX, "session", "list"], capture_output=True, text=True).stdout.splitlines():
        if line.startswith("review-") and project in line:
            subprocess.run([SBX, "session", "rm", line.split()[0]])

# What must stay whatever sbx does with process groups: each shell's job control, pipelines, and programs between.
SHELLS = {
    "bash": (["--norc", "--noediting", "-i"], {"PS1": "READY> "}),
    "dash": (["-i"], {"PS1": "READY> "}),
    "zsh": (["-f", "-i", "+Z", "+o", "PROMPT_SP"], {"PS1": "READY> "}),
    "fish": (["--no-config", "-i", "-C", "function fish_prompt; echo -n 'READY> '; end"], {}),
}


def skip(name, reason):
    global count
    count += 1
    print(f"ok {count} - {name} # SKIP {reason}")


def started(name, cwd=project, **more):
    words, variables = SHELLS[name]
    child = pexpect.spawn(shutil.which(name), words, cwd=cwd, encoding="utf-8", timeout=60, dimensions=(33, 300), echo=True,
                          env=dict(os.environ, TERM="dumb", HISTFILE="/dev/null", **variables, **more))
    child.expect_exact("READY> ")
    return child


def line(child, text, *seen, glue="; "):
    """Types a line, waits for each of these texts in turn and then for its end; what was shown."""
    line.number = getattr(line, "number", 0) + 1
    child.sendline(f'{text}{glue}echo "en""d-{line.number}"')
    shown = ""
    for each in (*seen, f"end-{line.number}\r\n", "READY> "):
        if child.expect([re.escape(each), pexpect.TIMEOUT, pexpect.EOF], timeout=60) != 0:
            check(f"seen: {each}", False, child.before)
            return ""
        shown += child.before + child.after
    return shown


def answer(child, text):
    """Types a line for the program in front, which shows it as got=LINE=; whether it did."""
    child.sendline(text)
    good = child.expect([f"got={text}=", pexpect.TIMEOUT, pexpect.EOF], timeout=60) == 0
    child.expect(["READY> ", pexpect.TIMEOUT, pexpect.EOF], timeout=60)
    return good


def jobs(name):
    """The life of a job: ^C, ^Z, fg, bg, an end behind the shell's back, and a reader in the background."""
    child = started(name)
    status = "$status" if name == "fish" else "$?"
    child.sendline(f"{SBX} run -- {SLEEP}")
    child.expect_exact("begun\r\n")
    child.sendcontrol("c")
    child.expect_exact("READY> ")
    out = line(child, f'echo "=1={status}"')
    check(f"{name}: ^C ends the command with 130", "=1=130" in out, out)
    with open(os.path.join(project, "asks"), "w") as file:
        file.write('echo begun; read x; echo "got=$x="; echo >"ended-$1"\n')
    child.sendline(f"{SBX} run -- sh asks {name}-1")
    child.expect_exact("begun\r\n")
    child.sendcontrol("z")
    child.expect_exact("READY> ")
    child.sendline("fg")
    child.expect(r"sh asks \S+\s")
    time.sleep(0.2)
    check(f"{name}: after ^Z and fg it reads the terminal", answer(child, "words"), child.before)
    child.sendline(f"{SBX} run -- sh -c 'echo begun; sleep 1; echo later >ended-{name}-2; exit 7'")
    child.expect_exact("begun\r\n")
    time.sleep(0.2)  # a shell whose child stops between vfork and exec does not stop
    child.sendcontrol("z")
    child.expect_exact("READY> ")
    line(child, "bg")
    done = os.path.join(project, f"ended-{name}-2")
    check(f"{name}: bg lets it go on", until(lambda: os.path.exists(done), 10))
    line(child, "wait" if name != "fish" else "wait; true")
    line(child, f"{SBX} run -- sh asks {name}-3 &", glue=" ")
    time.sleep(0.4)
    out = line(child, "echo typed words")
    check(f"{name}: in the background it takes nothing that is typed", "typed words" in out, out)
    stopped = "topped" if name != "zsh" else "suspended"
    check(f"{name}: a reader in the background is stopped", until(lambda: stopped in line(child, "jobs"), 10))
    child.sendline("fg")
    child.expect(r"sh asks \S+")
    time.sleep(0.2)
    check(f"{name}: fg lets it read", answer(child, "more"), child.before)
    child.close(force=True)


for name in SHELLS:
    if shutil.which(name):
        jobs(name)
    else:
        skip(f"{name}: jobs", f"{name} is not installed")

child = started("bash")
out = line(child, f"stty tostop; {SBX} run -- sh -c 'sleep 0.2; echo written; echo >written' &", glue=" ")
check("stty tostop: a writer in the background is stopped", until(lambda: "Stopped" in line(child, "jobs"), 10)
      and not os.path.exists(os.path.join(project, "written")))
out = line(child, "stty -tostop; fg", "written")
check("stty tostop: fg lets it write", os.path.exists(os.path.join(project, "written")), out)

git = "git -c user.name=t -c user.email=t@example.org"
line(child, f"git init -q . && {git} commit -q --allow-empty -m first-words")
child.sendline(f"{SBX} run -- git log | TERM=xterm less; echo left=$?")
child.expect_exact("first-words")
child.expect_exact("(END)")
child.send("q")
good = child.expect(["left=0", pexpect.TIMEOUT], timeout=60) == 0
check("git log | less", good, child.before)
child.expect_exact("READY> ")
child.sendline(f"{SBX} run -- sh -c 'echo begun; read x </dev/tty; echo got=$x=' | tee log")
child.expect_exact("begun\r\n")
good = answer(child, "to-tty")
check("a pipeline's first program reads the terminal", good and open(os.path.join(project, "log")).read() == "begun\ngot=to-tty=\n")
out = line(child, f"echo through | {SBX} run -- cat")
check("a pipeline's last program reads the pipe", "\nthrough\r\n" in out, out)
child.sendline(f"{SBX} run -- {SLEEP} | cat; echo =${{PIPESTATUS[0]}}")
child.expect_exact("begun\r\n")
child.sendcontrol("z")
child.expect_exact("READY> ")
check("^Z stops a pipeline", "Stopped" in child.before, child.before)
child.sendline("fg")
time.sleep(0.3)
child.sendcontrol("c")
child.expect_exact("READY> ")
check("^C ends a pipeline after fg", "Stopped" not in line(child, "jobs"))
out = line(child, f"timeout 0.5 {SBX} run -- {SLEEP}; echo =$?")
out += line(child, f"{SBX} run -- timeout 0.3 sleep 60; echo =$?")
check("timeout, outside and inside", out.count("=124") >= 2, out)
out = line(child, f"{SBX} run -- sh -c 'trap \"kill 0\" EXIT; sleep 99 & exit 3' ; echo =$?")
check("trap 'kill 0' EXIT ends the box alone", "=143" in out or "=3" in out, out)
with open(os.path.join(project, "Makefile"), "w") as file:
    file.write("all: 1 2 3\n1 2 3:\n\t@%s run -- sh -c 'sleep 0.1; echo made-$@'\n" % SBX)
out = line(child, "make -j3; echo =$?")
check("make -j", all(f"made-{each}" in out for each in "123"), out)
out = line(child, f"printf '%s\\n' 1 2 3 | xargs -P3 -I@ {SBX} run -- echo x-@; echo =$?")
check("xargs -P", all(f"x-{each}\r\n" in out for each in "123"), out)
with open(os.path.join(project, "calls"), "w") as file:
    file.write(f"{SBX} run -- {SLEEP}\necho not-reached\n")
child.sendline("sh calls")
child.expect_exact("begun\r\n")
child.sendcontrol("c")
child.expect_exact("READY> ")
out = child.before + line(child, 'echo "=$?"')
check("^C ends a script without job control", "not-reached" not in out and "=130" in out, out)
child.sendline("bash calls; echo =$?")
child.expect_exact("begun\r\n")
child.sendcontrol("z")
child.expect_exact("READY> ")
check("^Z stops a script without job control", "Stopped" in child.before, child.before)
child.sendline("fg")
child.expect_exact("calls")
time.sleep(0.3)
child.sendcontrol("c")
child.expect_exact("READY> ")
out = line(child, "jobs")
check("fg and ^C: nothing is left of it", "Stopped" not in out and "Running" not in out, out)
child.sendline(f"{SBX} run -- bash --norc --noediting -i")
child.expect_exact("READY> ")
child.sendline("bash --norc --noediting -i")
child.expect_exact("READY> ")
child.sendline(SLEEP)
child.expect_exact("begun\r\n")
child.sendcontrol("z")
child.expect_exact("READY> ")
check("a shell in a shell in a box has job control", "Stopped" in child.before, child.before)
line(child, "kill -9 %1; wait; disown -a")
child.close(force=True)

# an agent: it runs on a terminal, and its commands have pipes
agent = r"""
import subprocess, sys
for words in (["sh", "-c", "echo out; echo err >&2; cat; exit 5"], ["sh", "-c", "test -t 0 || : </dev/tty && echo tty"]):
    done = subprocess.run([sys.argv[1], "run", "--", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    print("agent", done.returncode, done.stdout.split(), done.stderr.split())
"""
child = pexpect.spawn(sys.executable, ["-c", agent, SBX], cwd=project, encoding="utf-8", timeout=60)
child.expect(pexpect.EOF)
out = child.before
check("below an agent on a terminal", "agent 5 ['out'] ['err']" in out and "agent 0 ['tty'] []" in out, out)
if shutil.which("script"):
    child = pexpect.spawn("script", ["-qec", f"{SBX} run -- sh -c 'tty; read x; echo got=$x=; exit 6'", "/dev/null"], cwd=project,
                          encoding="utf-8", timeout=60)
    child.expect("/dev/")
    child.sendline("typed")
    child.expect_exact("got=typed=")
    child.expect(pexpect.EOF)
    child.close()
    check("script(1) below, where sbx is no leader of its session", child.exitstatus == 6, child.exitstatus)
child = pexpect.spawn(SBX, ["run", "--", "sh", "-c", "echo begun; read x; echo got=$x=; exec sleep 300"], cwd=project, encoding="utf-8", timeout=60)
child.expect_exact("begun\r\n")
child.sendcontrol("z")
time.sleep(0.2)
child.sendline("typed")
good = child.expect(["got=typed=", pexpect.TIMEOUT], timeout=10) == 0
check("sbx as the leader of its session: ^Z stops nothing", good, child.before)
child.sendcontrol("c")
child.expect(pexpect.EOF)
child.close()
check("and ^C ends it", child.signalstatus == signal.SIGINT, child.signalstatus)
if shutil.which("tmux"):
    socket = os.path.join(project, "tmux-socket")
    tmux = ["tmux", "-S", socket, "-f", "/dev/null"]
    subprocess.run([*tmux, "new-session", "-d", f"{SBX} run -- sh -c 'read x; echo $x >from-tmux'"], cwd=project)
    subprocess.run([*tmux, "send-keys", "through tmux", "Enter"])
    name = os.path.join(project, "from-tmux")
    check("tmux", until(lambda: os.path.exists(name) and open(name).read() == "through tmux\n", 10))
    subprocess.run([*tmux, "kill-server"], capture_output=True)
else:
    skip("tmux", "tmux is not installed")

# What the box may not do to its caller: each by a script, and typed at a prompt.
box = os.path.join(project, "box")
with open(box, "w") as file:
    file.write("""( sleep 0.3; echo evil >.envrc; for i in 1 2 3 4 5 6 7 8; do dd if=/dev/zero of=big$i bs=1M count=10 2>/dev/null; sleep 0.02; done
sleep 20; echo x >survived ) &
kill -STOP $$
""")


def grown():
    size = sum(os.path.getsize(os.path.join(project, name)) for name in os.listdir(project) if name.startswith("big")) >> 20
    for name in os.listdir(project):
        if name.startswith("big") or name == "survived":
            os.remove(os.path.join(project, name))
    return size


child = started("bash")
child.sendline(f"{SBX} run --disk-growth 20M -- sh box")
child.expect_exact("Stopped")
child.expect_exact("READY> ")
check("a command that stops itself: the limits hold meanwhile", until(lambda: "Stopped" not in line(child, "jobs"), 15))
size = grown()
check("and protected names are looked at", size < 80 and not os.path.exists(os.path.join(project, ".envrc")), size)
agent = r"""
import subprocess, sys
try:
    done = subprocess.run([sys.argv[1], "run", "--disk-growth", "20M", "--", "sh", "box"], stdin=subprocess.DEVNULL, capture_output=True, timeout=40)
    print("agent", done.returncode)
except subprocess.TimeoutExpired:
    print("agent waits")
"""
below = pexpect.spawn(sys.executable, ["-c", agent, SBX], cwd=project, encoding="utf-8", timeout=60)
below.expect(pexpect.EOF)
size = grown()
check("below an agent on a terminal, too", "agent 137" in below.before and size < 80, (below.before, size))

testing = os.environ["SBX_TESTING"]
acts = {
    "kill(0) before Linux 6.12": (f"SBX_TEST_LANDLOCK=5 {testing} run", "import os, signal; signal.signal(15, signal.SIG_IGN); os.kill(0, 15)"),
    "kill(0) with namespaces": (f"{SBX} run --allow-syscalls namespaces", "import os, signal; signal.signal(15, signal.SIG_IGN); os.kill(0, 15)"),
    "setpriority and ioprio_set": (f"{SBX} run", "import ctypes; c = ctypes.CDLL(None); c.setpriority(1, 0, 19); c.syscall(251, 2, 0, 3 << 13 | 7)"),
    "every other call on groups, owners and users": (f"{SBX} run --allow-syscalls namespaces", """import ctypes, fcntl, os, struct
call = ctypes.CDLL(None).syscall
for words in ((141, 2, os.getuid(), 19), (251, 3, os.getuid(), 3 << 13 | 7), (157, 62, 1, 0, 2, 0), (424, os.pidfd_open(os.getpid()), 18, 0, 4), (424, -10000, 18, 0, 4)):
    call(*words)
for act in ((fcntl.F_SETOWN, 0), (fcntl.F_SETSIG, 15), (15, struct.pack("ii", 2, 0)), (fcntl.F_NOTIFY, 0)):
    try:
        fcntl.fcntl(9, *act)
    except OSError:
        pass
"""),
    "autogroup": (f"{SBX} run", "open('/proc/self/autogroup', 'w').write('7')"),
    "O_ASYNC": (f"{SBX} run", "import fcntl, os; fcntl.fcntl(9, fcntl.F_SETFL, fcntl.fcntl(9, fcntl.F_GETFL) | 0x2000)"),
    "FIOASYNC": (f"{SBX} run", "import fcntl; fcntl.ioctl(9, 0x5452, b'\\1\\0\\0\\0')"),
    "the mode of the terminal": (f"{SBX} run", "import os; os.fchmod(0, 0o622)"),
}
# What the caller has of each: its life, priorities, and who gets a signal when something is typed.
look = """echo "<$(nice) $(ionice -p $$) $(cut -d' ' -f2- /proc/self/autogroup) $(stat -Lc %a /dev/fd/0) $(grep flags /proc/$$/fdinfo/9)>"\n"""
for name, (command, act) in acts.items():
    with open(os.path.join(project, "act.py"), "w") as file:
        file.write(act + "\n")
    with open(os.path.join(project, "caller"), "w") as file:
        file.write(f"trap 'echo signalled' CONT URG IO\nexec 9</dev/tty\n{look}{command} --preserve-fd 9 -- python3 act.py 2>/dev/null\n{look}echo alive\n")
    for words in ("bash caller", ". ./caller"):
        out = line(child, words)
        seen = re.findall("<(.*)>", out)
        check(f"{name} reaches nobody outside: {words}", "alive" in out and "\nsignalled" not in out and len(seen) == 2 and seen[0] == seen[1], out)
        if "alive" not in out:
            child = started("bash")
out = line(child, f"SBX_TEST_LANDLOCK=5 {testing} run -- timeout 0.3 sh -c 'sleep 60 & wait' | cat; echo =${{PIPESTATUS[0]}}=")
check("timeout signals its own group all the same", "=124=" in out, out)

# A run that began in the background, with SIGTTOU and SIGTTIN ignored.
background = """import fcntl, os, signal, struct, sys, termios, time
signal.signal(signal.SIGTTOU, signal.SIG_IGN), signal.signal(signal.SIGTTIN, signal.SIG_IGN)
def take(fd):
    os.setpgid(0, 0)
    os.tcsetpgrp(fd, os.getpgrp())
def leave(fd):
    if os.fork():
        os._exit(os.wait()[1] >> 8)
    os.setsid()
    said("begun a session")
    os.read(0, 99)
def drop(fd):
    fcntl.ioctl(fd, termios.TIOCNOTTY)
    os.read(0, 99)
modes = termios.tcgetattr(0)
acts = {
    "takes it": take, "takes it by /dev/tty": lambda fd: take(os.open("/dev/tty", os.O_RDWR)), "leaves the session and reads": leave,
    "leaves the terminal and reads": drop, "reads": lambda fd: os.read(fd, 99),
    "sets modes": lambda fd: termios.tcsetattr(fd, termios.TCSANOW, modes),
    "sets modes by the older call": lambda fd: fcntl.ioctl(fd, 0x5406, bytes(64)),
    "sets the window's size": lambda fd: fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 7, 8, 0, 0)),
    "sets it, with an upper half": lambda fd: ctypes.CDLL(None).syscall(16, fd, ctypes.c_ulong(0x100005414), bytes(8)) == 0 or 1 / 0,
    "drops what was typed": lambda fd: termios.tcflush(fd, termios.TCIFLUSH), "stops it": lambda fd: termios.tcflow(fd, termios.TCOOFF),
    "breaks": lambda fd: termios.tcsendbreak(fd, 0),
}
def said(text):
    with open("said", "a") as file:
        file.write(text + "\\n")
import ctypes
for name, act in acts.items():
    if os.fork() == 0:
        try:
            act(0)
            said(name)
        except (OSError, termios.error, ZeroDivisionError):
            pass
        os._exit(0)
    os.wait()
said("done")
"""
with open(os.path.join(project, "background.py"), "w") as file:
    file.write(background)


def said():
    path = os.path.join(project, "said")
    return open(path).read() if os.path.exists(path) else ""


def behind(name, command):
    """What the box of this line, which puts it behind, could do to the terminal while words are typed."""
    line(child, command, glue=" ")
    shown = ""
    until(lambda: "done" in said() or line(child, "echo typed-words; sleep 0.1") is None, 15)
    good = said() == "done\n"
    check(f"{name}: a box behind neither takes, reads nor sets the terminal", good, said())
    if good:
        os.remove(os.path.join(project, "said"))


behind("&", f"{SBX} run -- python3 background.py &")
behind("a pipeline", f"{SBX} run -- python3 background.py | cat &")
behind("a subshell", f"({SBX} run -- python3 background.py) &")
for name in SHELLS:
    if name != "bash" and shutil.which(name):
        bash, child = child, started(name)
        behind(name, f"{SBX} run -- python3 background.py &")
        child.close(force=True)
        child = bash
alone = "run --isolation landlock --no-protect --"
if subprocess.run([SBX, *alone.split(), "true"], cwd=project, capture_output=True).returncode:
    skip("tier landlock: a box behind", "this kernel cannot")
else:
    behind("tier landlock", f"{SBX} {alone} python3 background.py &")
behind("--explain", f"{SBX} run --explain -- python3 background.py 2>/dev/null &")
out = line(child, f"{SBX} run -- setsid -w sh -c 'echo left' </dev/null >log 2>&1 & wait; cat log; {SBX} run -- setsid -w echo front")
check("without it, and in front, sessions are begun", "left\r" in out and "front\r" in out, out)
with open(os.path.join(project, "modes"), "w") as file:
    file.write("echo begun; stty -echo; stty echo; read x; echo got=$x=\n")
line(child, f"{SBX} run -- sh modes &", glue=" ")
with open(os.path.join(project, "blocked.py"), "w") as file:
    file.write("import errno, signal, termios\nmodes = termios.tcgetattr(0)\nfor act in (lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTTOU]), "
               "lambda: signal.signal(signal.SIGTTOU, signal.SIG_IGN)):\n    act()\n    try: termios.tcsetattr(0, termios.TCSANOW, modes)\n"
               "    except termios.error as error: print(errno.errorcode[error.args[0]], file=open('errors', 'a'))\n")
line(child, f"{SBX} run -- python3 blocked.py & wait; cat errors")
out = line(child, "cat errors")
check("who ignores or blocks SIGTTOU there gets EPERM, the one error that Node.js takes", "EPERM\r\nEPERM\r" in out, out)
check("who sets modes behind is stopped", until(lambda: "Stopped" in line(child, "jobs"), 10))
child.sendline("fg")
child.expect("sh modes")
time.sleep(0.3)
check("and goes on in front", answer(child, "again"), child.before)
line(child, f"{SBX} run -- bash --norc --noediting -i &", glue=" ")
until(lambda: "Stopped" in line(child, "jobs"), 10)
child.sendline("fg")
child.expect_exact("READY> ")
child.sendline(SLEEP)
child.expect_exact("begun\r\n")
child.sendcontrol("z")
child.expect_exact("READY> ")
check("a shell that began behind has job control in front", "Stopped" in child.before, child.before)
line(child, "kill -9 %1; wait; disown -a")
child.sendline("exit")
child.expect_exact("READY> ")

freeze = """import signal, termios
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
modes = termios.tcgetattr(1)
modes[0] &= ~(termios.IXON | termios.IXANY)
termios.tcsetattr(1, 0, modes)
open(".envrc", "w").close()
termios.tcflow(1, termios.TCOOFF)
"""
with open(os.path.join(project, "freeze.py"), "w") as file:
    file.write(freeze)
out = line(child, f"{SBX} run -- python3 freeze.py; stty -a | grep -o ' -*ixon'")
check("a terminal that the box stopped goes on, as it was", ".envrc appeared" in out and "\n ixon\r" in out, out)
child.close(force=True)
outer, inner = os.openpty()
begin = time.time()
frozen = subprocess.Popen([SBX, "run", "--", "python3", "freeze.py"], cwd=project, stdin=inner, stdout=inner, stderr=inner, start_new_session=True)
try:
    good = frozen.wait(20) == 0
except subprocess.TimeoutExpired:
    good = frozen.kill()
os.set_blocking(outer, False)
check("and one that is not the caller's", good and b".envrc appeared" in os.read(outer, 65536), time.time() - begin)
os.close(outer), os.close(inner)

# what a box leaves on a terminal does not hide the report: shown by a small terminal
def seen(command, before=""):
    outer, inner = os.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("4H", terminal_model.ROWS, terminal_model.COLUMNS, 0, 0))
    box = subprocess.Popen([SBX, "run", "--", "sh", "-c", command], cwd=project, stdin=inner, stdout=inner, stderr=inner,
                           start_new_session=True)
    os.close(inner)
    text = b""
    while True:
        try:
            part = os.read(outer, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    box.wait(60)
    os.close(outer)
    terminal = terminal_model.Terminal()
    terminal.feed(before + text.decode("utf-8", "replace"))
    return terminal


HIDING = {"concealed": "[8m", "an open APC": "_", "an open DCS": "P1$q", "an open OSC": "]0;", "an open PM": "^", "an open SOS": "X",
          "the other screen": "[?1049h", "a screen of 47": "[?47h", "a region of one line": "[5;5r", "a region of the last": "[24;24r\\033[?6h",
          "narrow sides": "[?69h\\033[1;2s", "graphics": "(0", "shifted": "(0\\016", "VT52": "[?2l", "a printer": "[5i", "held back": "[?2026h",
          "no wrap at the edge": "[?7l\\033[3;199H", "insert": "[4h", "concealed in another screen": "[?1049h\\033[8m\\033_"}
missing = []
for number, (name, sequence) in enumerate(HIDING.items()):
    terminal = seen(f"echo {number} >Makefile; printf '\\033{sequence}'")
    if "changed, and your own programs will run it: Makefile" not in terminal.seen().replace("\n", "") or not terminal.cursor:
        missing.append(name)
check("the report is seen whatever state a box leaves the terminal in", not missing, missing)
plain = seen("printf 'one\\ntwo\\n'; echo x >>Makefile", "\x1b[10;1H")
lines = plain.seen().splitlines()
check("it begins where the cursor is", lines[:2] == ["one", "two"] and lines[2].startswith("sbx: changed"), lines)
check("a run without a report leaves the terminal alone", seen("printf hidden; printf '\\033[8m'").hidden)

# no terminal: a session of its own, and a group kill ends all
inner = subprocess.Popen([SBX, "run", "--", "sh", "-c", "ps -o sid= -p $$; sleep 88.%d" % os.getpid()], cwd=project,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, start_new_session=True)
line = inner.stdout.readline().strip()
check("without a terminal the command leads a session", line.isdigit() and int(line) > 1, line)
os.killpg(inner.pid, signal.SIGTERM)
check("SIGTERM to the group ends it", inner.wait(60) in (-15, 143))
inner = subprocess.Popen([SBX, "run", "--", "sleep", "88.%d" % os.getpid()], cwd=project, start_new_session=True)


def sleeping():
    return subprocess.run(["pgrep", "-f", "^sleep 88[.]%d" % os.getpid()], capture_output=True, text=True).stdout


until(sleeping)
os.killpg(inner.pid, signal.SIGKILL)
inner.wait(60)
check("SIGKILL to the group leaves nothing", until(lambda: sleeping() == ""), sleeping())
subprocess.run(["rm", "-rf", project])
finish()
