#!/usr/bin/env python3
"""What callers do to sbx run, run --json, exec and exec --json on a terminal and without one: pipes, jobs, stops, signals,
hang-ups, descriptors. Each ends as the command alone would have. TAP."""
import atexit, glob, json, os, re, shutil, signal, subprocess, sys, tempfile, time
import pexpect

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, finish, skip  # noqa: E402

SBX = os.environ["SBX"]
work = tempfile.mkdtemp(prefix="sbx-front")
project = os.path.join(work, "project")
os.mkdir(project)
os.chdir(project)
os.environ["XDG_STATE_HOME"] = os.path.join(work, "state")
os.mkdir(os.environ["XDG_STATE_HOME"], 0o700)
MARK = "front%d" % os.getpid()
live = subprocess.run([SBX, "run", "-d", "--", "sleep", "1000"], stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout.strip()
atexit.register(lambda: (subprocess.run([SBX, "kill", live], capture_output=True), shutil.rmtree(work, ignore_errors=True)))
RUNS = {"run": ["run", "--"], "run --json": ["run", "--json", "--"]}
FORMS = {**RUNS, "exec": ["exec", live, "--"], "exec --json": ["exec", "--json", live, "--"]}


def words(form, script):
    return [SBX, *FORMS[form], "sh", "-c", script, MARK]


def line(form, script):
    return " ".join([SBX, *FORMS[form], "sh -c", f"'{script}'", MARK])


def until(good, seconds=20):
    end = time.time() + seconds
    while not good() and time.time() < end:
        time.sleep(0.02)
    return good()


def left():
    """Commands of boxes that still run."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            argv = open(path).read().split("\0")
            if MARK in argv and argv[0] == "sh" and open(path.replace("cmdline", "stat")).read().rsplit(")", 1)[1].split()[0] not in "ZX":
                found.append(path)
        except OSError:
            pass
    return found


def front_of(pid):
    for child in open(f"/proc/{pid}/task/{pid}/children").read().split():
        try:
            if sum(os.readlink(fd).startswith("/memfd:sbx") for fd in glob.glob(f"/proc/{child}/fd/*")) == 2:
                return int(child)
        except OSError:
            pass


def answer(text):
    try:
        return json.loads(text)
    except ValueError:
        return {}


def begin(form, script, **more):
    return subprocess.Popen(words(form, script), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def begun():
    """A command that has begun makes this file; true once for each."""
    if until(lambda: os.path.exists("begun")):
        os.unlink("begun")
        return True
    return False


def shell(first="READY> "):
    child = pexpect.spawn("/bin/bash", ["--norc", "--noediting", "-i"], encoding="utf-8", timeout=30, dimensions=(33, 777),
                          env=dict(os.environ, PS1="READY> ", TERM="dumb", HISTFILE="/dev/null"))
    child.expect_exact(first)
    return child


def run(child, text):
    child.sendline(text)
    child.expect_exact("READY> ")
    return child.before.replace(text, "", 1).strip()


# --- pipes
for form in RUNS:
    got = subprocess.run(["bash", "-c", f"yes | {line(form, 'exec <&-; sleep 0.5; echo out')} | grep -c out; echo ${{PIPESTATUS[*]}}"], capture_output=True, text=True, timeout=30)
    check(f"{form}: who writes to a command that does not read ends", got.stdout.split() == ["1", "141", "0", "0"], got)
reader = begin("run", "echo words; date +%s%N >closed; exec >&-; sleep 2")
reader.stdout.read()
late = (time.time_ns() - int(open("closed").read())) / 1e6
check("run: a reader sees the end within 50 ms of the command's close, and the run goes on", late < 50 and reader.poll() is None, late)
reader.wait()
for form in ("run", "exec"):
    got = subprocess.run(["bash", "-c", f"{line(form, 'yes 2>/dev/null; touch after')} | head -1; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True, timeout=30)
    check(f"{form}: a reader that goes ends the program that writes, as without a box", got.stdout.split() == ["y", "0"] and os.path.exists("after"), got)
    os.unlink("after")
for form in ("run --json", "exec --json"):
    got = subprocess.run(["bash", "-c", f"{line(form, 'echo x')} | true; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True, timeout=30)
    check(f"{form}: a reader that goes keeps nobody", got.stdout.split()[0] in ("0", "125", "141"), got)
if shutil.which("less"):
    child = shell()
    child.sendline(f"{line('run', 'seq 500')} | TERM=xterm less")
    child.expect(r"\n(\x1b\[[0-9;?]*[a-zA-Z])*25\r")
    child.send("q")
    child.expect_exact("READY> ")
    check("run | less on a terminal", run(child, "stty -a | grep -c ' icanon .*\\| echo '") != "0")
    child.close()
else:
    skip("run | less on a terminal", "there is no less")

# --- jobs, on a terminal
# dash starts programs by vfork(2), which cannot be stopped: where ^Z stops the child before its exec, the shell waits for it
# in the kernel, and no caller sees a stop, without sbx too. So the command that is stopped starts none.
os.mkfifo("gate")
gate = os.open("gate", os.O_RDWR)
for form in FORMS:
    child = shell()
    child.sendline(f"({line(form, 'touch begun; exec sleep 300')}); echo =$?=")
    came = begun()
    child.sendintr()
    child.expect_exact("READY> ")
    out = run(child, "echo =$?=") if "json" not in form else child.before  # a signal ends the line as well
    check(f"({form}): ^C ends it with 130", came and "=130=" in out, out)
    child.sendline(line(form, ": >begun; read -r word <gate; exit 7"))
    came = begun()
    for again in range(2):
        child.sendcontrol("z")
        child.expect_exact("READY> ")
        stopped = "Stopped" in child.before
        check(f"{form}: ^Z stops it" + (" again" if again else ""), came and stopped, child.before)
        child.sendline("fg")
        child.expect("sh -c.*\r\n")
        time.sleep(0.3)
    child.sendcontrol("z")
    child.expect_exact("READY> ")
    run(child, "bg")
    os.write(gate, b"\n")
    out = run(child, "wait %1; echo =$?=")
    check(f"{form}: bg, and its status", "=7=" in out, out)
    if "exec" in form:  # whose stdin is passed on
        run(child, line(form, "touch begun; cat >got; exit 8") + " &")
        came = begun()
        for typed in ("one", "two"):
            run(child, f"echo {typed}")
        out = run(child, "jobs")
        check(f"{form} &: what is typed for others does not stop it", came and "Running" in out and "Stopped" not in out, out)
        child.sendline("fg")
        child.expect("sh -c.*\r\n")
        child.sendline("words")
        time.sleep(0.3)
        child.sendeof()
        child.expect_exact("READY> ")
        check(f"{form}: in front it reads", open("got").read() == "words\n", open("got").read())
    out = run(child, line(form, "exit 9") + " >out & wait $!; echo =$?")
    check(f"{form} &: its status", "=9" in out, out)
    child.close()

# --- stops by another program
for form in FORMS:
    who = ["its sbx", "its front"] if form == "run --json" else ["its sbx"]
    for name in who:
        process = begin(form, "touch begun; for i in 1 2 3 4 5 6; do echo $i; sleep 0.05; done; exit 7")
        came = begun()
        pid = process.pid if name == "its sbx" else front_of(process.pid)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(0.6)
        os.kill(pid, signal.SIGCONT)
        out, _ = process.communicate(timeout=30)
        text = answer(out).get("stdout") if "json" in form else out
        check(f"{form}: {name} is stopped and continued", came and process.returncode == 7 and text == "1\n2\n3\n4\n5\n6\n", (process.returncode, out))

# --- sbx itself is killed
for form in ("run --json", "exec --json"):
    process = begin(form, "echo words; touch begun; sleep 300")
    came = begun()
    process.kill()
    out, _ = process.communicate(timeout=30)
    said = answer(out)
    check(f"{form}: sbx itself is killed: there is an answer, and nothing is left", came and (said.get("end"), said.get("status"), said.get("signal"), said.get("stdout")) == ("signal", 137, 9, "words\n")
          and said["id"] == (live if form == "exec --json" else str(process.pid)) and until(lambda: not left()), out)

# --- who else starts it
for form in FORMS:
    got = subprocess.run(["timeout", "1", *words(form, "sleep 300")], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
    check(f"timeout 1 {form}", got.returncode == 124 and ("json" not in form or answer(got.stdout).get("signal") == 15), got)
    got = subprocess.run(["setsid", "-w", *words(form, "echo in; exit 5")], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
    check(f"setsid {form}", got.returncode == 5 and "in" in got.stdout, got)
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV):
        got = subprocess.run(words(form, f"kill -{int(number)} $$"), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
        good = got.returncode == (128 + number if "json" in form else -number) and ("json" not in form or answer(got.stdout).get("signal") == number)
        check(f"{form}: the end by signal {int(number)}", good, got)
    got = subprocess.run(words(form, "true; exit 6"), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    check(f"{form}: a caller that ignores SIGCHLD", got.returncode == 6 and ("json" not in form or answer(got.stdout).get("exit") == 6), got)
    os.mkfifo("fifo") if not os.path.exists("fifo") else None
    got = subprocess.run(["bash", "-c", f"exec 3<>fifo; {line(form, '(: <&3) 2>/dev/null && echo has; exit 4')}; echo =$?; echo x >&3; read -r word <&3; echo $word"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
    check(f"{form}: exec 3<> stays the caller's", got.stdout.rstrip().endswith("=4\nx") and "has" not in got.stdout, got)
got = subprocess.run([SBX, "run", "-d", "--", "sh", "-c", "exit 6"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
check("run -d: a caller that ignores SIGCHLD", got.returncode == 0 and subprocess.run([SBX, "wait", got.stdout.strip()]).returncode == 6, got)
got = subprocess.run(["setsid", SBX, "run", "-d", "--", "sh", "-c", "exit 5"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
check("setsid run -d", subprocess.run([SBX, "wait", got.stdout.strip()]).returncode == 5, got)
one, other = os.pipe()
os.set_inheritable(other, True)
process = begin("run --json", "touch begun; sleep 300", pass_fds=[other])
inode, came = os.fstat(other).st_ino, begun()
held = [os.readlink(fd) for fd in glob.glob(f"/proc/{front_of(process.pid)}/fd/*")]
check("run --json: its front has no descriptor of the caller's but the answer's", came and held and f"pipe:[{inode}]" not in held and f"pipe:[{os.fstat(process.stderr.fileno()).st_ino}]" not in held, held)
process.terminate()
process.communicate(timeout=30)

# --- hang-ups, and parents that die
for form in FORMS:
    child = shell()
    child.sendline(line(form, "touch begun; exec sleep 300"))
    came = begun()
    child.close(force=False)
    check(f"{form}: a hang-up ends it", came and until(lambda: not left()), left())
    child = shell()
    child.sendline("nohup " + line(form, "touch begun; until [ -e go ]; do sleep 0.05; done; touch done") + " >out 2>&1 </dev/null")
    came = begun()
    child.close(force=False)
    time.sleep(0.3)
    open("go", "w").close()
    check(f"nohup {form}: it goes on", came and until(lambda: os.path.exists("done")) and until(lambda: not left()))
    for name in ("go", "done"):
        if os.path.exists(name):
            os.unlink(name)
for form, given in RUNS.items():
    parent = subprocess.Popen(["sh", "-c", '"$@"; :', "sh", SBX, given[0], "--die-with-parent", *given[1:], "sh", "-c", "touch begun; sleep 300", MARK], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    came = begun()
    parent.kill()
    out, _ = parent.communicate(timeout=30)
    check(f"{form} --die-with-parent: the parent is killed", came and until(lambda: not left()) and ("json" not in form or answer(out).get("end") in ("signal", "limit")), out)
check("nothing is left", until(lambda: not left()), left())
finish()
