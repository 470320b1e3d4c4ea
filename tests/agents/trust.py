#!/usr/bin/env python3
"""Does what a person does when Codex CLI asks about new hooks: "Trust all and continue".
usage: trust.py CODEX"""
import sys
import time

import pexpect

codex = pexpect.spawn(sys.argv[1], ["--no-daemon", "--sandbox", "danger-full-access"], dimensions=(40, 100), encoding="utf8")


def read(until, seconds):
    """What the terminal shows; its questions to the terminal are answered."""
    shown, end = "", time.time() + seconds
    while time.time() < end and until not in shown:
        try:
            shown += codex.read_nonblocking(4096, 0.3)
        except pexpect.TIMEOUT:
            continue
        for question, answer in (("\x1b[6n", "\x1b[1;1R"), ("\x1b[c", "\x1b[?62c")):
            if question in shown:
                codex.send(answer)
                shown = shown.replace(question, "")
    return until in shown


asked = read("Continue", 30)
codex.send("\x1b[B")
read("\0", 1)
codex.send("\r")
read("\0", 3)
codex.close(force=True)
sys.exit(not asked)
