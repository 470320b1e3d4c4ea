"""Says what of a sequence got through: what ran on the host, and what was changed and not said."""
import os
import re
from collections import namedtuple

import names

Case = namedtuple("Case", "sequence before after said project canary fired early")
BYTES_MOST = 1 << 16


def snapshot(top, project):
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
                try:
                    with open(entry.path, errors="replace") as file:
                        text = file.read(BYTES_MOST)
                except OSError:
                    text = ""
                found[path] = ("file", text)
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
    found = []
    for path in tree:
        directory, _, name = path.rpartition("/")
        if name == "HEAD" and is_git_directory(tree, directory):
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
    if tree == "trusted" and names.component(path, names.NAMED):
        return "reported"
    return None


def holders(case, tag):
    return [path for path, (kind, text) in case.after.items()
            if kind == "file" and re.search(re.escape(f"{case.canary} {tag}") + r"\b", text)]


def shape(path):
    """The path with what is only a name taken out."""
    path = re.sub(r"(^|/)(d/){5,}d", r"\1DEEP", path)
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
    if kind == "file":
        target = os.path.relpath(os.path.join(place, text.partition(":")[2].strip()), case.project)
        return "gitfile to " + re.sub(r"^\.\./.*", "OUTSIDE", shape(target))
    if kind == "link":
        return "a link .git"
    if is_git_directory(tree, relative if prefix else ""):
        return ("the top" if not prefix else "a directory") + " is a git directory" + (
            " by commondir" if prefix + "commondir" in tree else "")
    return "a parent's"


def manner(sequence):
    """The kinds of steps, in short."""
    steps = [step[0] for step in sequence["steps"]]
    kinds = [what for what in ("kill", "cp", "import", "restore", "apply") if what in steps]
    if kinds:
        return kinds[0] + (", after a run" if kinds[0] == "kill" and steps[0] == "run" else "") + (
            ", layers" if steps.count("session") > 1 else "")
    return "first run" if steps.count("run") == 1 else "later run"


def findings(case):
    """Texts, one for each kind of thing that is wrong."""
    found = set()
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
        how = way(case, place) if by == "git" or by == "zsh" else ""
        held = ", ".join(sorted({shape(path) for path in where if owed[path]} or {shape(path) for path in where}))
        old = " (an old one)" if tag.startswith("old-") else ""
        found.add(f"{manner(case.sequence)}: {by} ran what {held or 'nothing now'}{old} says; {how}".rstrip("; "))
    for path in sorted(set(case.before) | set(case.after)):
        old, new = case.before.get(path), case.after.get(path)
        kind = answer(path, tree, both, common)
        if old == new or not kind or path.endswith((".lock", "/index")):
            continue
        bad = new and new[0] == "file" and case.canary in new[1]
        lost = old and kind == "protected" and old[0] == "file" and not new
        if (bad or lost) and not names.is_said(path, case.said, case.project):
            what = "is gone" if lost else "was changed" if old else "appeared"
            found.add(f"{manner(case.sequence)}: {shape(path)} {what}, and nothing was said")
    if is_git_directory(case.before, ".git") and not is_git_directory(case.after, ".git") and not re.search(
            r"(^|[\s/])\.git[\s:,/]", case.said):
        found.add(f"{manner(case.sequence)}: .git is no git directory any more, and nothing was said")
    return sorted(found)
