"""Says what of a sequence got through: what ran on the host, and what was changed and not said."""
import os
import re
from collections import namedtuple

import names

Case = namedtuple("Case", "sequence before after said project canary fired early")
BYTES_MAX = 1 << 16
LINKS_MAX = 3
MOVING = (".lock", "/index", "/logs/HEAD")  # what git makes and removes in the course of a day
EXECUTABLE = 0o100
FILES = ("file", "program")
# The findings of the first attack on files, by what a finding's text says.
SIGNATURES = [
    ("1 the top a bare repository", r"run: git ran .*the top is a git directory"),
    ("1 the same by an apply", r"^apply.*: git ran .*the top is a git directory"),
    ("2a bare below by commondir", r"run.*: git ran .*directory is a git directory by commondir"),
    ("2b session: a directory that was there becomes bare", r"^apply.*: git ran .*an old directory is a git"),
    ("2c session: a bare one in two layers", r"^apply, layers.*: git ran .* is a git directory"),
    ("2d bare below", r"run.*: git ran .*directory is a git directory$"),
    ("3 a gitfile into worktrees", r"git ran .*gitfile to \.git/worktrees/\w+/"),
    ("3 a gitfile into modules", r"git ran .*gitfile to \.git/modules/\w+/"),
    ("4a .git renamed in", r"run.*: git ran .*\(an old one\) says; nested, new"),
    ("4b commondir in a nested one", r"git ran .*nested, known \+commondir"),
    ("4c a hook overwritten in place", r"git ran what [^,]*\.git/hooks/HOOK, there before, says; nested, known"),
    ("4d the list pushed out", r"after a crowd: git ran .*nested, known"),
    ("4e in a large project", r"large project: git ran .*(nested, new|git directory)"),
    ("4f deeper than 32", r"git ran .*DEEP"),
    ("5 a killed supervisor", r"^kill"),
]


def signatures(texts):
    return {name for text in texts for name, pattern in SIGNATURES if re.search(pattern, text)}


def read(entry):
    """Of what may not be read, or not even looked at in a directory without the right to enter, the kind."""
    text, mode = "", 0
    try:
        mode = entry.stat().st_mode
        with open(entry.path, errors="replace") as file:
            text = file.read(BYTES_MAX)
    except OSError:
        pass
    return "program" if mode & EXECUTABLE else "file", text


def snapshot(top):
    """{path: (kind, text)} of a tree; objects of git apart."""
    found = {}
    pending = [""]
    while pending:
        below = pending.pop()
        try:
            entries = list(os.scandir(f"{top}/{below}"))
        except OSError:
            continue
        for entry in entries:
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.is_symlink():
                found[path] = ("link", os.readlink(entry.path))
            elif entry.is_dir():
                found[path] = ("directory" if os.access(entry.path, os.X_OK) else "shut", "")
                if not re.search(r"(^|/)\.git/(objects|logs)/", path):
                    pending.append(path)
            else:
                found[path] = read(entry)
    return found


def is_git_directory(tree, path):
    """As git sees it (setup.c, is_git_directory): a valid HEAD, and commondir or objects and refs."""
    def at(name):
        return tree.get(f"{path}/{name}".lstrip("/"), ("", ""))
    kind, text = at("HEAD")
    valid = text.startswith("refs/") if kind == "link" else re.match(r"ref:\s*refs/|[0-9a-f]{40}", text)
    return bool(valid) and (at("commondir")[0] != "" or
                            all(at(name)[0] not in ("", "shut") for name in ("objects", "refs")))


def git_directories(tree):
    """Those that somebody may come to: in a .git itself only those of modules and worktrees, as nobody works there.
    A file that leads to another one is a .git file, and git says what came of it."""
    found = []
    for path in sorted(tree, key=lambda path: path.count("/")):
        directory, _, name = path.rpartition("/")
        if name != "HEAD" or not is_git_directory(tree, directory):
            continue
        around, inside, _ = f"/{directory}".rpartition("/.git/")
        entry = re.search(r"/\.git/(modules/.|worktrees/[^/]+$)", f"/{directory}")
        of_other = any(directory.startswith(f"{other}/") for other in found if f"{other}/".startswith(
            f"{around}/.git/"[1:]) and not f"/{other}".endswith("/.git"))
        if not inside or (entry and not of_other):
            found.append(directory)
    return found


def is_of_git(path, directories, common):
    """'protected', 'reported' or None: what git makes of the file. `common`: the directories that have another."""
    for directory in directories:
        inside = path[len(directory):].lstrip("/") if directory else path
        if directory and not path.startswith(directory + "/"):
            continue
        if inside.startswith("hooks/") and inside.endswith(".sample"):
            continue
        if names.component(inside, names.OF_WORKTREE if directory in common else names.OF_GIT):
            return "protected"
        if names.component(inside, names.OF_GIT_REPORTED):
            return "reported"
    return None


def answer(path, tree, directories, common):
    """What is owed for a change of this path: 'protected', 'reported' or None. Nobody goes to fix/."""
    if path.startswith("fix/"):
        return None
    kind = is_of_git(path, directories, common)
    if kind or ".git" in path.split("/"):
        return kind
    if names.component(path, names.PROTECTED):
        return "protected"
    if names.component(path, names.REPORTED):
        return "reported"
    if names.component(path, names.NAMED.get(tree, [])):
        return "reported"
    if path.rpartition("/")[2] in names.BELOW and "node_modules/" not in path:
        return "reported"
    return None


def holders(case, tag):
    """The files that hold it, and the links that lead to one of them: a word about either is enough."""
    found = [path for path, (kind, text) in case.after.items()
             if kind in FILES and re.search(re.escape(f"{case.canary} {tag}") + r"\b", text)]
    for _ in range(LINKS_MAX):
        found += [path for path, (kind, text) in case.after.items() if kind == "link" and path not in found and
                  os.path.normpath(os.path.join(os.path.dirname(path), text)) in found]
    return found


def shape(path):
    """The path with what is only a name taken out."""
    path = path.encode("unicode_escape").decode()
    path = re.sub(r"(^|/)(d/){5,}d", r"\1DEEP", path)
    path = re.sub(r"^lib/big\d+", "BIG", path)
    path = re.sub(r"hooks/[a-z-]+$", "hooks/HOOK", path)
    return re.sub(r"^(lib/in|lib|src|new/deep|new/a/b/c|new2|new|got)(?=/|$)", "DIR", path)


def way(case, place):
    """How git came to its directory from a directory of the host's."""
    relative = os.path.relpath(place, case.project)
    tree, prefix = case.after, "" if relative == "." else relative + "/"
    kind, text = tree.get(prefix + ".git", ("", ""))
    if kind == "directory" and is_git_directory(tree, prefix + ".git"):
        known = is_git_directory(case.before, prefix + ".git")
        return ("own" if not prefix else "nested, known" if known else "nested, new") + (
            " +commondir" if prefix + ".git/commondir" in tree else "")
    if kind in FILES:
        target = os.path.relpath(os.path.join(place, text.partition(":")[2].strip()), case.project)
        return "gitfile to " + re.sub(r"^\.\./.*", "OUTSIDE", shape(target))
    if kind == "link":
        return "a link .git"
    if is_git_directory(tree, relative if prefix else ""):
        what = "the top" if not prefix else "an old directory" if relative in case.before else "a new directory"
        return what + " is a git directory" + (
            " by commondir" if prefix + "commondir" in tree else "")
    return "a parent's"


def flooded(sequence, most, below):
    return any(op[0] == "flood" and int(op[1]) >= most and op[3] == below for step in sequence["steps"]
               if isinstance(step[-1], list) for op in step[-1])


def manner(sequence):
    """The kinds of steps, in short."""
    steps = [step[0] for step in sequence["steps"]]
    kinds = [what for what in ("kill", "restore", "apply", "beside") if what in steps]
    text = "first run" if steps.count("run") == 1 else "later run"
    if kinds:
        text = kinds[0] + (", after a run" if kinds[0] == "kill" and steps[0] == "run" else "") + (
            ", layers" if steps.count("session") > 1 else "")
    text += ", after a crowd" if flooded(sequence, 600, "/.git") else ""
    return text + (", large project" if flooded(sequence, 5000, "") else "")


def is_touched(case, path):
    """Whether an operation names it, or something above or below it."""
    for step in case.sequence["steps"]:
        if step[0] == "host":
            return True
        for op in step[-1] if isinstance(step[-1], list) else []:
            for word in op[1:3] if op[0] != "flood" else []:
                word = os.path.normpath(word.replace("{project}/", "")) if word else ""
                if word in (".", path) or path.startswith(word + "/") or word.startswith(path + "/"):
                    return True
    return False


def is_shut(tree, path):
    """Below a directory without the right to enter: it is there, and nobody sees it."""
    return any(tree.get(path[:at], ("", ""))[0] == "shut" for at, c in enumerate(path) if c == "/")


def of_host(case, both, common):
    """What the user had and no box touched stays, whatever else a box made."""
    for path, old in case.before.items():
        kind = answer(path, case.sequence["tree"], both, common) or re.match(r"\.git/(worktrees|modules)/", path)
        lost = old[0] in FILES and path not in case.after and not path.endswith(MOVING) and not is_shut(
            case.after, path)
        if kind and lost and not is_touched(case, path):
            yield f"{manner(case.sequence)}: {shape(path)} of the user's is gone, and no box touched it"


def is_worse(path, old, new, kind):
    """A protected file that is another one, or a link; git's settings may grow by what is harmless."""
    if kind != "protected":
        return False
    if old and old[0] in FILES and not re.search(r"(^|/)config(\.worktree)?$", path):
        return new[0] not in FILES or new[1] != old[1] or new[0] > old[0]
    return new[0] == "link"


def findings(case):
    """Texts, one for each kind of thing that is wrong."""
    found, ran = set(), set()
    before, after = git_directories(case.before), git_directories(case.after)
    tree, both = case.sequence["tree"], set(before) | set(after)
    common = {path for path in both if f"{path}/commondir".lstrip("/") in case.after}
    for tag, reader, place in case.fired:
        where = holders(case, tag)
        owed = {path: answer(path, tree, after, common) for path in where}
        if where and all(kind == "reported" and names.is_said(path, case.said, case.project)
                         for path, kind in owed.items() if kind) and any(owed.values()):
            continue
        by = "sbx" if (tag, reader, place) in case.early else reader
        how = way(case, place) if by in ("git", "zsh", "bash", "husky") else ""
        known = any(path in case.before for path in where if owed[path])
        held = ", ".join(sorted({shape(path) for path in where if owed[path]} or {shape(path) for path in where})) + (
            ", there before," if known else "")
        old = " (an old one)" if tag.startswith("old-") else ""
        ran.add((by, f" ran what {held or 'nothing now'}{old} says; {how}".rstrip("; ")))
    for by, text in ran:
        if by == "git" or ("git", text) not in ran:  # a prompt that calls git is no other finding
            found.add(f"{manner(case.sequence)}: {by}{text}")
    for path in sorted(set(case.before) | set(case.after)):
        old, new = case.before.get(path), case.after.get(path)
        kind = answer(path, tree, both, common)
        if old == new or not kind or path.endswith((".lock", "/index")):
            continue
        bad = new and ((new[0] in FILES and case.canary in new[1]) or is_worse(path, old, new, kind))
        lost = old and kind == "protected" and old[0] in FILES and not new and not is_shut(case.after, path)
        if (bad or lost) and not names.is_said(path, case.said, case.project):
            what = "is gone" if lost else "was changed" if old else "appeared"
            found.add(f"{manner(case.sequence)}: {shape(path)} {what}, and nothing was said")
    found.update(of_host(case, both, common))
    if is_git_directory(case.before, ".git") and not is_git_directory(case.after, ".git") and not re.search(
            r"(^|[\s/])\.git[\s:,/]", case.said):
        found.add(f"{manner(case.sequence)}: .git is no git directory any more, and nothing was said")
    return sorted(found)
