"""Shared by the tests in Python that need a terminal: sbx run on a pseudo-terminal of its own."""
import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

BOUND, COLUMNS = 60, 200  # seconds for whatever is waited for


class Terminal:
    """sbx run with these options, and a shell's line or a command in the box, or sbx with other words; `data` is what
    was shown."""

    def __init__(self, directory, line, *options, command=None, words=None):
        pid, self.fd = pty.fork()
        if pid == 0:
            os.chdir(directory)
            os.environ["TERM"] = "xterm"
            words = words or ["run", *options, "--", *(command or ["bash", "-c", line])]
            os.execv(os.environ["SBX"], [os.environ["SBX"], *words])
        self.pid, self.data, self.status, self.over = pid, b"", None, False
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            got = b""
        self.data += got
        self.over = not got
        return bool(got)

    @property
    def text(self):
        return self.data.decode("utf-8", "replace")

    def wait(self, pattern, seconds=BOUND, times=1):
        end = time.time() + seconds
        while len(re.findall(pattern, self.text)) < times and time.time() < end and not self.over:
            self.read(0.05)
        return len(re.findall(pattern, self.text)) >= times

    def quiet(self, seconds):
        end = time.time() + seconds
        while time.time() < end:
            self.read(0.05)

    def send(self, text):
        os.write(self.fd, text if isinstance(text, bytes) else text.encode())

    def end(self):
        while self.read(BOUND):
            pass
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.fd)
        return self.text
