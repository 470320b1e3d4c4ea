#!/usr/bin/python3
"""A file system that finds names whatever the case of their letters: folding.py BELOW MOUNTPOINT.

As 9p of WSL, virtiofs of a Mac's host and cifs do, and unlike vfat, each spelling is a name of
its own for the kernel: a mount on one does not cover the others. Runs until it is unmounted.
"""
import errno
import os
import sys

import fusepy as fuse


class Folding(fuse.Operations):
    def __init__(self, below):
        self.below = below

    def real(self, path):
        """Where `path` lies: names as they are written there, the last as asked if it is not there."""
        real = self.below
        for name in [part for part in path.split("/") if part]:
            try:
                entries = os.listdir(real)
            except OSError:
                entries = []
            found = [entry for entry in entries if entry.lower() == name.lower()]
            real = os.path.join(real, found[0] if found else name)
        return real

    def getattr(self, path, fh=None):
        status = os.lstat(self.real(path))
        return {name: getattr(status, name) for name in
                ("st_mode", "st_nlink", "st_uid", "st_gid", "st_size", "st_atime", "st_mtime", "st_ctime")}

    def readdir(self, path, fh):
        # as .snapshot of some servers: found, not listed
        return [".", ".."] + [name for name in os.listdir(self.real(path)) if name != ".fleet"]

    def readlink(self, path):
        return os.readlink(self.real(path))

    def mkdir(self, path, mode):
        os.mkdir(self.real(path), mode)

    def rmdir(self, path):
        os.rmdir(self.real(path))

    def unlink(self, path):
        os.unlink(self.real(path))

    def symlink(self, path, text):
        os.symlink(text, self.real(path))

    def rename(self, old, new):
        os.rename(self.real(old), self.real(new))

    def chmod(self, path, mode):
        os.chmod(self.real(path), mode)

    def utimens(self, path, times=None):
        os.utime(self.real(path), times)

    def truncate(self, path, length, fh=None):
        os.truncate(self.real(path), length)

    def create(self, path, mode, fi=None):
        return os.open(self.real(path), os.O_RDWR | os.O_CREAT | os.O_TRUNC, mode)

    def open(self, path, flags):
        return os.open(self.real(path), flags)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def release(self, path, fh):
        os.close(fh)

    def access(self, path, mode):
        if not os.access(self.real(path), mode):
            raise fuse.FuseOSError(errno.EACCES)


fuse.FUSE(Folding(sys.argv[1]), sys.argv[2], foreground=True, nothreads=True)
