#!/usr/bin/env python3
"""The terminal: ^C, ^Z, window size, job control, and everything given back. TAP."""
import os, re, sys, time, shutil, signal, tempfile, subprocess
import pexpect

SBX = os.environ["SBX"]
project = tempfile.mkdtemp(prefix="sbx-tty")
os.chmod(project, 0o755)
count = failures = 0


def check(name, good, more=""):
    global count, failures
    count += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}")
    if not good and more:
        print("# " + repr(more))


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
check("the terminal has a name inside", "=0" in out, out)
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
child.sendline("fg")
child.expect_exact("exec sleep 300'\r\n")
time.sleep(0.5)
child.sendcontrol("c")
child.expect_exact("READY> ")
out = run(child, "echo =$?")
check("fg continues it, ^C ends it", "=130" in out, out)
child.sendline(f"{SBX} run --timeout 1s -- sh -c 'kill -STOP $$; sleep 60'")
child.expect("Stopped")
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

# what a change holds cannot act on the terminal of who reviews it
hostile = r'''printf 'a\033[8mb\302\2332Jc\342\200\256d\n' >shown; ln -s "$(printf 'x\033[8my')" seen'''
child = pexpect.spawn(SBX, ["run", "--review", "--", "sh", "-c", hostile], cwd=project, encoding="utf-8", timeout=60,
                      dimensions=(33, 200), env=dict(os.environ, TERM="xterm", GIT_PAGER="cat"))
child.expect("how the text")
child.send("s\r")
child.expect("how the text")
text = child.before
check("review: a change is seen as it is", "a^[[8mb<U+009B>2Jc<U+202E>d" in text and "x^[[8my" in text, text)
check("review: and does not act", not any(each in text for each in ("\x1b[8m", "\x9b", "\u202e")), text)
child.send("d\r")
child.expect(pexpect.EOF)

# full-screen programs
for name, keys, seen in (("vim", "ihello\x1b:wq\r", "~"), ("less", "q", "root:"), ("top", "q", "PID")):
    if subprocess.run(["which", name], capture_output=True).returncode:
        count += 1
        print(f"ok {count} - {name} # SKIP {name} is not installed")
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
    count += 1
    print(f"ok {count} - review # SKIP the state directory has no extended attributes")
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
        child.send("s\n")
        child.expect_exact("how the text? ")
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
    for line in subprocess.run([SBX, "session", "list"], capture_output=True, text=True).stdout.splitlines():
        if line.startswith("review-") and project in line:
            subprocess.run([SBX, "session", "rm", line.split()[0]])

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
print(f"1..{count}")
sys.exit(failures > 0)
