#!/usr/bin/env python3
"""Types into an interactive shell and waits for what it shows: completions.py SHELL DIRECTORY RC KEYS REGEX
"\\t" in KEYS is TAB. Status 0: the pattern was seen. The bound of 30 s is for a busy machine alone."""
import os, pty, re, select, sys, time, fcntl, termios, struct, signal

shell, directory, rc, keys, pattern = sys.argv[1:]
words = {"bash": ["bash", "--noprofile", "--rcfile", rc, "-i"], "zsh": ["zsh", "-i"], "fish": ["fish", "-i"]}[shell]
pid, master = pty.fork()
if pid == 0:
    os.chdir(directory)
    os.environ.update(TERM="xterm", PS1="ready> ", ZDOTDIR=os.path.dirname(rc))
    os.execvp(words[0], words)
fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 160, 0, 0))
seen = ""

def wait_for(wanted, again=None):
    global seen
    end, next_try = time.monotonic() + 30, time.monotonic() + 2
    while time.monotonic() < end:
        if select.select([master], [], [], 0.1)[0]:
            try:
                seen += os.read(master, 65536).decode(errors="replace")
            except OSError:
                return False
            # fish asks what terminal this is, and waits
            if "\x1b[c" in seen[-200:] or "\x1b[0c" in seen[-200:]:
                os.write(master, b"\x1b[?62c")
        if re.search(wanted, re.sub(r"\x1b\[[0-9;?<>=]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>]|\x1b\][^\x07]*\x07", "", seen)):
            return True
        if again and time.monotonic() > next_try:
            os.write(master, again)  # bash lists at the second TAB
            next_try = time.monotonic() + 2
    return False

good = wait_for("ready> ")
seen = ""
if good:
    os.write(master, keys.encode())
    typed = keys.split("\t")[0]
    good = wait_for(pattern, b"\t")
if not good:
    sys.stdout.write(repr(seen)[-1500:] + "\n")
os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)
sys.exit(0 if good else 1)
