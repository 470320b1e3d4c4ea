#!/usr/bin/env python3
"""Runs a command in the background of a terminal where lines are typed at a prompt in front; its status."""
import os, pty, signal, sys, time

leader, outer = pty.fork()
if leader == 0:
    command = os.fork()
    if command == 0:
        os.setpgid(0, 0)
        os.execvp(sys.argv[1], sys.argv[1:])
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(command, 0)[1]) & 0xff)
os.set_blocking(outer, False)
while True:
    ended, status = os.waitpid(leader, os.WNOHANG)
    try:
        if not ended:
            os.write(outer, b"typed\n")
        sys.stdout.write(os.read(outer, 4096).decode())
    except OSError:
        pass
    if ended:
        sys.exit(os.waitstatus_to_exitcode(status))
    time.sleep(0.05)
