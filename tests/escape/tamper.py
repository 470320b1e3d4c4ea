#!/usr/bin/env python3
"""Tries every way to make or change one path, inside the box. Prints the ways that were not refused."""
import ctypes, mmap, os, sys

libc = ctypes.CDLL(None, use_errno=True)
path = os.fsencode(sys.argv[1])
parent = os.path.dirname(path)
EXCHANGE = 2


def spare(kind, n=[0]):
    n[0] += 1
    name = b"spare%d" % n[0]
    if kind == "dir":
        os.mkdir(name)
        open(name + b"/evil", "w").write("evil")
    else:
        open(name, "w").write("evil\n")
    return name


def check(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), "refused")


def tmpfile():
    fd = os.open(parent or b".", os.O_TMPFILE | os.O_RDWR, 0o644)
    os.write(fd, b"evil\n")
    check(libc.linkat(-100, b"/proc/self/fd/%d" % fd, -100, path, 0x400))


def by_mmap():
    fd = os.open(path, os.O_RDWR)
    with mmap.mmap(fd, 0) as m:
        m[0:4] = b"evil"


def by_hard_link():
    os.link(path, b"hard")
    open("hard", "a").write("evil\n")


def around_parent():
    os.rename(parent, b"moved-away")
    os.makedirs(parent)
    open(path, "w").write("evil\n")


ways = {
    "append": lambda: open(path, "a").write("evil\n"),
    "below": lambda: open(path + b"/evil", "w").write("evil\n"),
    "truncate": lambda: os.truncate(path, 0),
    "mmap": by_mmap,
    "hard link": by_hard_link,
    "chmod": lambda: os.chmod(path, 0o777),
    "times": lambda: os.utime(path, (1, 1)),
    "exchange file": lambda: check(libc.renameat2(-100, spare("file"), -100, path, EXCHANGE)),
    "exchange dir": lambda: check(libc.renameat2(-100, spare("dir"), -100, path, EXCHANGE)),
    "rename file over": lambda: os.rename(spare("file"), path),
    "rename dir over": lambda: os.rename(spare("dir"), path),
    "rename away": lambda: os.rename(path, b"away"),
    "unlink": lambda: os.unlink(path),
    "rmdir": lambda: os.rmdir(path),
    "mkdir": lambda: os.mkdir(path),
    "mkdir below": lambda: open(path + b"/evil", "w").write("evil"),
    "create": lambda: os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)),
    "symlink": lambda: os.symlink(b"/etc/passwd", path),
    "link": lambda: os.link(spare("file"), path),
    "tmpfile": tmpfile,
    "parent": around_parent,
}
only = sys.argv[2:]
for name, way in ways.items():
    if only and name not in only:
        continue
    try:
        way()
        print(name)
    except (OSError, ValueError):
        pass
