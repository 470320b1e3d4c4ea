"""A project, a session over it, and a host that goes on writing: what is done to them, and what must hold."""
import errno
import io
import os
import random
import shutil
import stat
import struct
import subprocess
import tarfile

NAMES = ["a", "b", "lib", "x.c", "README", "Readme", "é", "with blank", "n\nl", "z" * 120]
OLD, HOST, BOX = "O", "H", "S"  # who wrote a text


def acl(*entries):
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", tag, bits, who) for tag, bits, who in entries)


NOBODY = 2**32 - 1
UMASK = os.umask(0o022)  # takes rights of the group and others away, as the manual says
os.umask(UMASK)
SOMEBODY = os.getuid()  # others cannot be named in a user namespace, where this may run
NARROW = acl((1, 6, NOBODY), (2, 6, SOMEBODY), (4, 0, NOBODY), (16, 6, NOBODY), (32, 0, NOBODY))
DEFAULT = acl((1, 7, NOBODY), (2, 7, SOMEBODY), (4, 5, NOBODY), (16, 7, NOBODY), (32, 0, NOBODY))


def rights(path):
    """What others than the owner may: of the group, of named users, of all others."""
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        return 0, 0, 0
    try:
        data = os.getxattr(path, "system.posix_acl_access", follow_symlinks=False)
    except OSError:
        return mode >> 3 & 7, 0, mode & 7
    mask, group, named = 7, 0, 0
    for tag, bits, _ in struct.iter_unpack("<HHI", data[4:]):
        mask = bits if tag == 16 else mask
        group = bits if tag == 4 else group
        named |= bits if tag in (2, 8) else 0
    return group & mask, named & mask, mode & 7


def whole_rights(path):
    """Mode, group and ACL, of which none may change where nobody has changed them."""
    status = os.lstat(path)
    try:
        data = os.getxattr(path, "system.posix_acl_access", follow_symlinks=False)
    except OSError:
        data = b""
    return stat.S_IFMT(status.st_mode), status.st_mode & 0o3777, status.st_gid, data


def given(path):
    """The ACL that a directory gives to what is made in it, and whether it gives its group."""
    try:
        return os.lstat(path).st_mode & stat.S_ISGID, os.getxattr(path, "system.posix_acl_default", follow_symlinks=False)
    except OSError:
        return os.lstat(path).st_mode & stat.S_ISGID, b""


def named(data):
    return sorted(who for tag, _, who in struct.iter_unpack("<HHI", data[4:]) if tag in (2, 8))


class World:
    def __init__(self, place, environment, sbx, seed):
        self.place, self.environment, self.sbx = place, environment, sbx
        self.random = random.Random(seed)
        self.project, self.aside = place + "/project", place + "/aside"
        self.count, self.log, self.touched, self.gone, self.box = 0, [], set(), set(), set()
        self.edited, self.again, self.linked, self.open = set(), set(), set(), []
        self.view, self.modes, self.altered, self.hosts = {}, {}, set(), {}
        self.made = set()  # by the box, in place
        self.opened = set()
        for name in (self.project, self.aside):
            os.makedirs(name)

    # --- names and texts
    def token(self, who):
        self.count += 1
        return f"{who}{self.count};\n"

    def walk(self, top, kind=None):
        found = []
        self.walk_below(top, "", kind, found)
        return found

    def walk_below(self, directory, where, kind, found):
        try:
            entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
        except OSError:
            return
        entries = [entry for entry in entries if ".sbx-" not in entry.name]
        below = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
        found += [where + entry.name for entry in entries if
                  (kind is None or (kind == "d") == entry.is_dir(follow_symlinks=False))]
        for entry in below:
            self.walk_below(entry.path, f"{where}{entry.name}/", kind, found)

    def pick(self, top, kind=None):
        found = self.walk(top, kind)
        return self.random.choice(found) if found else None

    def fresh(self, top):
        above = self.pick(top, "d") if self.random.random() < 0.7 else None
        return (above + "/" if above else "") + self.random.choice(NAMES)

    def write(self, path, text, mode="w"):
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            # Never through a link: an apply may go on beside, and put one there.
            flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | (os.O_APPEND if mode == "a" else os.O_TRUNC)
            with open(os.open(path, flags, 0o644), "w", encoding="utf-8") as file:
                file.write(text)
        except OSError:
            pass

    # --- before the session
    def make_tree(self):
        for _ in range(self.random.randint(4, 12)):
            name = self.fresh(self.project)
            path = f"{self.project}/{name}"
            if os.path.lexists(path):
                continue
            what = self.random.random()
            if what < 0.35:
                os.makedirs(path, exist_ok=True)
                self.write(f"{path}/{self.random.choice(NAMES)}", self.token(OLD))
                self.decorate(path)
            elif what < 0.9:
                self.write(path, self.token(OLD))
                self.decorate(path)
            elif what < 0.95 and os.path.isdir(os.path.dirname(path)):
                os.symlink(self.random.choice(["a", self.place + "/outside", "../x"]), path)
            elif self.walk(self.project, "f"):
                self.call(os.link, f"{self.project}/{self.pick(self.project, 'f')}", path)
        if self.random.random() < 0.05:
            deep = f"{self.project}/" + "/".join("d" * 60 for _ in range(self.random.randint(20, 50)))
            self.write(deep + "/f", self.token(OLD))

    def decorate(self, path):
        what = self.random.random()
        if os.path.islink(path) or not os.path.lexists(path):
            return  # nothing is written outside
        if what < 0.1:
            self.call(os.chmod, path, 0o2775 if os.path.isdir(path) else 0o640)
        elif what < 0.2:
            self.call(os.setxattr, path, "system.posix_acl_access", NARROW if os.path.isfile(path) else DEFAULT)
        elif what < 0.25 and os.path.isdir(path):
            self.call(os.setxattr, path, "system.posix_acl_default", DEFAULT)
        elif what < 0.3:
            self.call(os.setxattr, path, "user.note", b"kept")
        elif what < 0.35 and os.path.isfile(path):
            self.call(os.truncate, path, 1 << 17)

    def call(self, function, *words):
        try:
            function(*words)
        except OSError:
            pass

    # --- in the box: a script
    def box_script(self):
        lines = []

        def quote(text):
            return "'" + text.replace("'", "'\\''") + "'"
        for _ in range(self.random.randint(1, 5)):
            what, name = self.random.random(), self.pick(self.project)
            fresh = self.fresh(self.project)
            if what < 0.35 and name:
                file = self.pick(self.project, "f") or name
                lines.append(f"printf %s {quote(self.token(BOX))} >>{quote(file)}")
                self.edited |= set() if file in self.box else {file}
                self.box |= {file, self.led_to(file)}
            elif what < 0.5:
                lines.append(f"mkdir -p {quote(os.path.dirname(fresh) or '.')}; "
                             f"printf %s {quote(self.token(BOX))} >{quote(fresh)}")
                self.box.add(fresh)
                self.made.add(fresh)
                self.again |= {name, fresh} - {None}
            elif what < 0.7 and name:
                lines.append(f"rm -rf {quote(name)}")
                self.box.add(name)
                self.again.add(name)
            elif what < 0.8 and name:
                lines.append(f"rm -rf {quote(name)}; mkdir {quote(name)}; "
                             f"printf %s {quote(self.token(BOX))} >{quote(name)}/new")
                self.box.add(name)
                self.again.add(name)
            elif what < 0.9 and name:
                lines.append(f"mv -T {quote(name)} {quote(fresh)}")
                self.box |= {name, fresh}
                self.again |= {name, fresh} - {None}
            elif what < 0.95 and name:
                lines.append(f"chmod {self.random.choice(['700', '755', '555'])} {quote(name)}")
                self.box.add(name)
                self.again.add(name)
            elif name:
                lines.append(f"rm -rf {quote(name)}; ln -s a {quote(name)}")
                self.box |= {name, os.path.join(os.path.dirname(name), "a")}  # what follows may go through it
                self.again.add(name)
        others = {name for name in self.box if name not in self.edited}
        self.edited = {name for name in self.edited if not any(
            name == each or name.startswith(each + "/") for each in others | self.again)}
        return "\n".join(lines)

    # --- each path: what it is, of a file what is in it, of a link where it leads
    def look(self):
        found = {}
        for name in self.walk(self.project):
            path = f"{self.project}/{name}"
            try:
                mode = os.lstat(path).st_mode
                if stat.S_ISLNK(mode):
                    found[name] = "link", os.readlink(path)
                elif stat.S_ISDIR(mode):
                    found[name] = "directory", ""
                elif stat.S_ISREG(mode):
                    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
                        found[name] = "file", file.read()
            except OSError:
                continue
        return found

    def see(self, archive):
        """What the session shows, as its tar has it."""
        self.view, self.modes = {}, {}
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            for entry in tar:
                name = os.path.normpath(entry.name)
                if name == ".":
                    continue
                self.modes[name] = entry.mode
                if entry.issym():
                    self.view[name] = "link", entry.linkname
                elif entry.isdir():
                    self.view[name] = "directory", ""
                elif entry.islnk():
                    self.view[name] = self.view[os.path.normpath(entry.linkname)]
                else:
                    self.view[name] = "file", tar.extractfile(entry).read()

    def as_host(self, act, *words):
        """What the host does, and how each path is afterwards that it has changed."""
        before = self.look()
        act(*words)
        after = self.look()
        for name in before.keys() | after.keys():
            if before.get(name) != after.get(name):
                self.altered.add(name)
                self.hosts.setdefault(name, set()).add(after.get(name))

    # --- the host's own programs
    def host_edits(self, least=1):
        self.as_host(self.edit_some, least)

    def edit_some(self, least):
        for _ in range(self.random.randint(least, 3)):
            self.random.choices((self.host_write, self.host_new, self.host_move_in, self.host_rename,
                                 self.host_backup, self.host_remove, self.host_chmod, self.host_open),
                                (5, 4, 4, 2, 2, 1, 1, 2))[0]()

    def same_files(self):
        """What happens to one name of a file changes the others."""
        linked = {}
        for name in self.walk(self.project, "f"):
            status = os.lstat(f"{self.project}/{name}")
            if status.st_nlink > 1:
                linked.setdefault(status.st_ino, set()).add(name)
        for names in linked.values():
            self.linked |= names

    def led_to(self, name):
        return os.path.relpath(os.path.realpath(f"{self.project}/{name}"), os.path.realpath(self.project))

    def note(self, *words):
        self.log.append(" ".join(map(repr, words)))

    def host_write(self):
        name = self.pick(self.project, "f")
        near = [each for each in self.walk(self.project, "f") if each in self.box]
        if near and self.random.random() < 0.6:
            name = self.random.choice(near)
        if not name or os.path.islink(f"{self.project}/{name}"):
            return
        self.note("write", name)
        self.touched.add(name)
        self.write(f"{self.project}/{name}", self.token(HOST), self.random.choice("wa"))

    def host_new(self):
        name = self.fresh(self.project)
        if os.path.lexists(f"{self.project}/{name}"):
            return
        self.note("new", name)
        self.touched.add(name)
        self.gone.discard(name)
        self.write(f"{self.project}/{name}", self.token(HOST))

    def host_move_in(self):
        """A directory that was elsewhere, with files older than the session."""
        ready, name = self.pick_aside(), self.fresh(self.project)
        if not ready or os.path.lexists(f"{self.project}/{name}"):
            return
        self.note("move in", ready, name)
        self.touched.add(name)
        self.call(os.rename, f"{self.aside}/{ready}", f"{self.project}/{name}")

    def pick_aside(self):
        names = [name for name in sorted(os.listdir(self.aside)) if name.startswith("ready")]
        return self.random.choice(names) if names else None

    def host_rename(self):
        name, fresh = self.pick(self.project), self.fresh(self.project)
        if not name or os.path.lexists(f"{self.project}/{fresh}") or (fresh + "/").startswith(name + "/"):
            return
        self.note("rename", name, fresh)
        self.touched |= {name, fresh}
        self.gone.add(name)
        self.call(os.makedirs, os.path.dirname(f"{self.project}/{fresh}"))
        self.call(os.rename, f"{self.project}/{name}", f"{self.project}/{fresh}")

    def host_backup(self):
        """mv d d.away; mv older d."""
        name, ready = self.pick(self.project, "d"), self.pick_aside()
        if not name or not ready:
            return
        self.note("backup", name, ready)
        self.touched.add(name)
        self.call(os.rename, f"{self.project}/{name}", f"{self.aside}/away{self.count}")
        self.call(os.rename, f"{self.aside}/{ready}", f"{self.project}/{name}")
        self.count += 1

    def host_remove(self):
        name = self.pick(self.project)
        if not name:
            return
        self.note("remove", name)
        self.touched.add(name)
        self.gone.add(name)
        path = f"{self.project}/{name}"
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            self.call(os.unlink, path)

    def host_chmod(self):
        name = self.pick(self.project)
        if not name or os.path.islink(f"{self.project}/{name}"):
            return
        self.note("chmod", name)
        self.touched.add(name)
        self.call(os.chmod, f"{self.project}/{name}", 0o700)

    def host_open(self):
        """Opened now, written to later, wherever it is then."""
        name = self.pick(self.project, "f")
        near = [each for each in self.walk(self.project, "f") if each in self.box]
        name = self.random.choice(near) if near else name
        if name and not os.path.islink(f"{self.project}/{name}") and len(self.open) < 4:
            self.note("open", name)
            self.opened.add(name)
            try:
                self.open.append((os.open(f"{self.project}/{name}", os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW), name))
            except OSError:
                pass

    def write_open(self):
        self.as_host(self.write_all_open)

    def write_all_open(self):
        for fd, name in self.open:
            self.note("write open", name)
            now = os.readlink(f"/proc/self/fd/{fd}").removeprefix(self.project + "/")
            self.touched |= {name, now}  # where it is by now, too
            self.call(os.write, fd, self.token(HOST).encode())

    def close_open(self):
        for fd, _ in self.open:
            os.close(fd)
        self.open = []

    def make_aside(self):
        for number in range(3):
            place = f"{self.aside}/ready{number}"
            # Names as in the project, so that one takes the other's place.
            for name in self.walk(self.project, "f")[:4] + [self.random.choice(NAMES)]:
                self.write(f"{place}/{os.path.basename(name)}", self.token(HOST))

    def swap_project(self):
        self.as_host(self.put_other_project)

    def put_other_project(self):
        """Another directory at the project's path: sometimes with the same number, as after rm and mkdir."""
        self.note("swap")
        if self.random.random() < 0.5:
            os.rename(self.project, f"{self.aside}/project{self.count}")
        else:
            shutil.rmtree(self.project, ignore_errors=True)
        os.makedirs(self.project, exist_ok=True)
        for name in sorted(self.box)[:6] + ["fresh"]:
            self.write(f"{self.project}/{name}", self.token(HOST))
        self.touched = {"."}

    # --- what is there
    def texts(self, state=False):
        """All texts of the host's that are somewhere."""
        found = set()
        places = [self.project, self.aside] + ([f"{self.place}/state/sbx/sessions"] if state else [])
        while places:
            try:
                entries = list(os.scandir(places.pop()))
            except OSError:
                continue
            places += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    found |= self.texts_in(entry.path)
        return found

    def texts_in(self, path):
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return set()
        try:
            text = os.read(fd, 1 << 20)
        finally:
            os.close(fd)
        return {part for part in text.replace(b"\0", b"").split(b"\n") if part.startswith(HOST.encode())}

    def rights(self, what=rights):
        found = {}
        for name in self.walk(self.project):
            path = f"{self.project}/{name}"
            try:
                found[name] = what(path)
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                    raise
        return found

    def kept_beside(self):
        """Where an apply has put what it found there, absolute."""
        return {f"{directory}/{name}" for directory, names, files in os.walk(self.project)
                for name in names + files if ".sbx-old" in name}

    def session(self, *words):
        done = subprocess.run([self.sbx, "session", *words], cwd=self.project, env=self.environment, text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120, check=False,
                              errors="surrogateescape")
        self.note("session", *words, done.returncode, done.stderr)
        return done
