#!/usr/bin/env python3
"""Every console block of README.md and the man pages is run, and what it prints is compared with the page.

  tests/e2e/console.py                 TAP: each command, and the picture against the first block
  tests/e2e/console.py --picture FILE  records the first block of README.md on a terminal, as SVG: each line comes as
                                       long after its command as it did

A block is "```console" in README.md and .EX with lines of "$ COMMAND" in a page. The home is
/home/dev on the page, a new directory here."""
import html
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SBX = os.environ.get("SBX", os.path.join(TREE, "build/src/sbx"))
COLUMNS = 92
# What sbx sends before its report, to end what a box left of the terminal: ECMA-48 5.4, 5.6, and two-byte escapes.
ESCAPES = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~])|[\x00-\x08\x0b-\x1f]")


def blocks(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".md"):
        return re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S)
    plain = text.replace("\\-", "-").replace("\\(aq", "'").replace("\\(ti", "~").replace("\\e", "\\")
    return [block for block in re.findall(r"^\.EX\n(.*?)^\.EE$", plain, re.M | re.S) if block.startswith("$ ")]


def commands(block):
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def unnumbered(text):
    """A line is added to a profile now and then."""
    return re.sub(r"\bline [0-9]+", "line N", text)


class World:
    """A home with a key and a project with a Makefile, as the pages assume."""

    def __init__(self):
        self.top = tempfile.mkdtemp(prefix="sbx-console.", dir=os.environ.get("TMPDIR", "/tmp"))
        self.home = os.path.join(self.top, "home")
        self.project = os.path.join(self.home, "thing")
        for name in (".ssh", "thing", "bin"):
            os.makedirs(os.path.join(self.home, name))
        os.symlink(SBX, os.path.join(self.top, "sbx"))
        self.write(".ssh/id_ed25519", "a key\n")
        self.write(".gitconfig", "[user]\n\tname = Dev\n\temail = dev@example.org\n")
        self.write(".netrc", "machine x\n")
        self.write("thing/Makefile", "all:\n\techo built\n")
        self.run("git init -q")

    def write(self, name, text):
        with open(os.path.join(self.home, name), "w", encoding="utf-8") as file:
            file.write(text)

    def environment(self):
        path = self.top + ":" + os.environ.get("PATH", "/usr/bin:/bin")
        return {"HOME": self.home, "PATH": path, "USER": "dev", "LANG": "C.UTF-8", "TERM": "dumb"}

    def run(self, command):
        result = subprocess.run(["bash", "-c", command], cwd=self.project, env=self.environment(), timeout=300, check=False,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return result.stdout.decode(errors="replace").replace(self.home, "/home/dev")

    def record(self, command):
        """(seconds, line): what the command prints on a terminal, and how long after its start."""
        begun = time.monotonic()
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.project)
            os.execvpe("bash", ["bash", "-c", command], self.environment())
        text, lines = b"", []
        while True:
            try:
                part = os.read(terminal, 4096)
            except OSError:
                part = b""
            text += part
            *whole, text = text.split(b"\r\n") if part else (text.split(b"\r\n") + [b""] if text else [b""])
            for line in whole:
                shown = ESCAPES.sub("", line.decode(errors="replace")).replace(self.home, "/home/dev")
                lines += [(time.monotonic() - begun, shown)] if shown else []
            if not part:
                os.waitpid(process, 0)
                os.close(terminal)
                return lines

    def close(self):
        for place, names, _ in os.walk(self.top):
            for name in names:
                if not os.path.islink(os.path.join(place, name)):
                    os.chmod(os.path.join(place, name), 0o700)
        shutil.rmtree(self.top)


THINKS, READS = 1.0, 1.5  # seconds before a command is entered, and after its last line


def picture(block):
    """The terminal as SVG: what was typed is bold, what sbx says is coloured. `block`: commands, each with its lines and
    their times. A viewer without animation shows all lines."""
    lines, now = [], 0.0
    for command, output in block:
        now += THINKS
        for number, line in enumerate(textwrap.wrap(command, COLUMNS - 2, break_long_words=False)):
            lines.append(("typed", now, ("$ " if number == 0 else "  ") + line))
        for after, text in output:
            kind = "sbx" if text.startswith("sbx: ") else "other"
            lines += [(kind, now + after, line) for line in textwrap.wrap(text, COLUMNS, subsequent_indent="  ") or [""]]
        now += max([0.0] + [after for after, _ in output]) + READS
    height = 20 * len(lines) + 54
    rows = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 {height}" font-size="14"',
            '     font-family="DejaVu Sans Mono, Menlo, Consolas, monospace">',
            "  <style>", "    text { white-space: pre; fill: #c9d1d9; }", "    .typed { font-weight: bold; fill: #ffffff; }",
            "    .sbx { fill: #ffa657; }", "  </style>", f'  <rect width="780" height="{height}" rx="8" fill="#0d1117"/>']
    rows += [f'  <circle cx="{20 + 18 * i}" cy="18" r="6" fill="{colour}"/>'
             for i, colour in enumerate(("#ff5f56", "#ffbd2e", "#27c93f"))]
    for number, (kind, when, line) in enumerate(lines):
        text = html.escape(line, quote=False)
        rows.append(f'  <text class="{kind}" x="14" y="{52 + 20 * number}" textLength="{8.1 * len(line):.1f}">{text}'
                    f'<animate attributeName="opacity" values="0;0" dur="{when:.2f}s"/></text>')
    return "\n".join(rows) + "\n</svg>\n"


def still(svg):
    """Without its times."""
    return re.sub(r'dur="[^"]*"', "", svg)


def main():
    readme = os.path.join(TREE, "README.md")
    pages = [readme] + sorted(os.path.join(TREE, "man", name) for name in os.listdir(os.path.join(TREE, "man"))
                              if re.search(r"\.[157](\.in)?$", name))
    world = World()
    try:
        if sys.argv[1:2] == ["--picture"]:
            with open(sys.argv[2], "w", encoding="utf-8") as file:
                file.write(picture([(command, world.record(command)) for command, _ in commands(blocks(readme)[0])]))
            return 0
        count = failures = 0
        for page in pages:
            for block in blocks(page):
                for command, wanted in commands(block):
                    got = world.run(command)
                    count += 1
                    same = unnumbered(got) == unnumbered(wanted)
                    failures += not same
                    print(("ok" if same else "not ok"), count, "-", os.path.basename(page) + ":", command.replace("#", ""))
                    if not same:
                        print(re.sub("^", "# ", f"wanted:\n{wanted}got:\n{got}".rstrip(), flags=re.M))
        with open(os.path.join(TREE, "man/terminal.svg"), encoding="utf-8") as file:
            block = [(command, [(0, line) for line in output.splitlines()]) for command, output in commands(blocks(readme)[0])]
            same = still(file.read()) == still(picture(block))
        count += 1
        failures += not same
        print("ok" if same else "not ok", count, "- the picture shows README's first block (else: tests/e2e/console.py --picture man/terminal.svg)")
        print(f"1..{count}")
        return int(failures > 0)
    finally:
        world.close()


sys.exit(main())
