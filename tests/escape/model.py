#!/usr/bin/python3
"""Random lines about a few paths, in a profile, in a project's own untrusted file and as flags: what can
be read and changed in the box is compared with a model of what sbx.ini(5) says.
  CASES=200 SEED=1 MODE=full|session|landlock tests/escape/model.py      TAP; $SBX is the program;
  without MODE all three. ONLY="3 7" runs these cases alone and shows what sbx said.
"""
import os, random, shutil, subprocess, sys, tempfile

SBX = os.environ["SBX"]
CASES, SEED = int(os.environ.get("CASES", "200")), int(os.environ.get("SEED", "1"))
MODE = "full"
work = os.path.realpath(tempfile.mkdtemp(prefix="sbx-model."))
home, out = work + "/home", work + "/out"
project = home + "/project"
FILES = ["home/project/file", "home/project/a/f", "home/project/a/b/f", "home/project/c/f",
         "home/project/.mcp.json", "home/project/a/.mcp.json", "home/project/.vscode/tasks.json",
         "home/project/.git/hooks/pre-commit", "home/q/f", "home/q/r/f", "home/q/.vscode/t", "home/.ssh/id",
         "out/f", "out/in/f", "out/in/deep/f"]
LINKS = {"home/project/to-a": "a", "home/link": "q", "home/project/a/up": "../c", "out/to-q": "../home/q"}
# What is protected by name below each directory that is writable as such.
TRUSTED = [".mcp.json", ".vscode"]
PROJECT_ORDER = (1 << 30) - 1
DIRS = sorted({os.path.dirname(f) for f in FILES})
PLACES = FILES + DIRS + list(LINKS) + ["home", "home/project/.git"]
KEYS = {"read": 6, "write": 5, "hide": 4, "hide-unless-named": 4, "protect": 4}
PUT = {"scratch": 2, "tmpfs": 2, "cache": 1}  # in tier landlock nothing can be put anywhere
# The share of the cases that may run nothing. Above it the test would compare too little.
REFUSED_AT_MOST = {"full": 0.15, "session": 0.4, "landlock": 0.75}
MOUNTS = ("read", "write", "scratch", "tmpfs", "cache")


class Line:
    def __init__(self, key, path, order, real=None):
        self.key, self.path, self.order = key, path, order
        self.real = real or os.path.realpath(path)


def within(path, directory):
    return path == directory or path.startswith(directory + "/")


def make_tree():
    for name in ("home", "out"):
        subprocess.run(["chmod", "-R", "u+rwX", work + "/" + name], stderr=subprocess.DEVNULL)
        shutil.rmtree(work + "/" + name, ignore_errors=True)
    os.makedirs(project)
    subprocess.run(["cp", "-r", work + "/template", project + "/.git"], check=True)
    for number, name in enumerate(FILES):
        os.makedirs(os.path.dirname(f"{work}/{name}"), exist_ok=True)
        with open(f"{work}/{name}", "w") as file:
            file.write(f"marker-{number}-\n")
    for name, target in LINKS.items():
        os.symlink(target, f"{work}/{name}")


def choose(generator):
    """Lines of the profile, of the untrusted file, flags, and the key project."""
    def some(most, keys, base):
        lines = []
        for i in range(generator.randint(0, most)):
            key = generator.choices(list(keys), list(keys.values()))[0]
            place = generator.choice(DIRS if key in ("tmpfs", "scratch", "cache") else PLACES)
            lines.append(Line(key, f"{work}/{place}", base + i))
        return lines
    keys = KEYS if MODE == "landlock" else {**KEYS, **PUT}
    return (some(4, keys, 1 << 10), some(2, {"hide": 1, "hide-unless-named": 1, "protect": 2}, 1 << 29),
            some(3, keys, 1 << 30), generator.choice(["write", "write", "write", "read", "none"]))


class Model:
    """What sbx.ini(5) promises. Deepest first; of two lines for one path the later."""
    def __init__(self, profile, own, flags, kind):
        lines = [Line("hide-unless-named", home + "/.ssh", 1)] + profile + own + flags
        self.mounts = [line for line in lines if line.key in MOUNTS]
        if kind != "none" and not (self.top(project) and self.top(project).real == project and self.top(project).key == "scratch"):
            self.mounts.append(Line(kind, project, PROJECT_ORDER))
        self.hidden = [(l.real, []) for l in lines if l.key == "hide"]
        for secret in [l for l in lines if l.key == "hide-unless-named"]:
            later = [m.real for m in self.mounts if m.key in ("read", "write", "scratch") and
                     m.order > secret.order and within(m.real, secret.real)]
            if secret.real not in later:
                self.hidden.append((secret.real, later))
        if MODE != "session":
            self.protect_by_name(kind)
        for line in lines:
            if line.key == "protect":
                self.protect(os.path.realpath(os.path.dirname(line.path)) + "/" + os.path.basename(line.path))
                self.protect(line.real)

    def protect(self, path):
        top = self.top(path)
        if top and top.key == "write":
            self.mounts.append(Line("read", path, 1 << 32, path))
        for mount in self.mounts:
            if mount.key == "write" and within(mount.real, path):
                mount.key = "read"

    def protect_by_name(self, kind):
        whole = kind != "none" and self.top(project).key == "write"
        roots = {m.real for m in self.mounts if m.key == "write" and os.path.isdir(m.real) and
                 self.top(m.real).key == "write" and not (whole and within(m.real, project))}
        for root in roots | ({project} if whole else set()):
            git = root if os.path.basename(root) == ".git" else root + "/.git"
            if os.path.isdir(git) and self.top(git).key == "write":
                self.mounts += [Line("write", git, PROJECT_ORDER), Line("read", git + "/hooks", PROJECT_ORDER)]
            self.mounts += [Line("read", f"{root}/{name}", PROJECT_ORDER) for name in TRUSTED
                            if os.path.exists(f"{root}/{name}")]

    def top(self, path):
        over = [m for m in self.mounts if within(path, m.real)]
        return max(over, key=lambda m: (len(m.real), m.order), default=None)

    def readable(self, path):
        top = self.top(path)
        return bool(top) and top.key in ("read", "write", "scratch") and not any(
            within(path, hidden) and not any(within(path, name) for name in named)
            for hidden, named in self.hidden)

    def writable(self, path):
        return self.readable(path) and self.top(path).key == "write"


PROBE = "".join(f"cat {work}/{f} 2>/dev/null; " for f in FILES) + "echo; " + \
    "".join(f"echo changed >>{work}/{f}; " for f in FILES) + \
    "".join(f"mv {work}/{d} {work}/{d}.moved; mkdir -p {work}/{d}; " for d in DIRS) + \
    "".join(f"rm -f {work}/{f}; echo other >{work}/{f}; " for f in FILES) + "true"


def describe(profile, own, flags, kind):
    def text(lines):
        return "; ".join(f"{l.key} = {l.path[len(work):]}" for l in lines)
    return f"project = {kind} | profile: {text(profile)} | own: {text(own)} | flags: {text(flags)}"


def ask_why(words):
    """What `sbx why` says of each file: {path: the rest of the line}."""
    options = [word for word in words[2:] if word not in ("--report", "never")]
    told = subprocess.run([SBX, "why"] + options + [f"{work}/{f}" for f in FILES], cwd=project,
                          capture_output=True, text=True)
    return dict(line.partition(" ")[::2] for line in told.stdout.splitlines() if line.startswith(work))


def run_case(case):
    generator = random.Random(SEED * 1000003 + case)
    make_tree()
    profile, own, flags, kind = choose(generator)
    with open(work + "/p.ini", "w") as file:
        file.write(f"[profile]\nextends = default\n[files]\nproject = {kind}\n")
        file.writelines(f"{l.key} = {l.path}\n" for l in profile)
    if own:
        with open(project + "/.sbx.ini", "w") as file:
            file.write("[files]\n")
            file.writelines(f"{l.key} = {l.path}\n" for l in own)
    words = [SBX, "run", "--report", "never", "-p", work + "/p.ini"]
    if MODE == "session":
        subprocess.run([SBX, "session", "create", "s"], cwd=project, check=True)
        words += ["-s", "s"]
    elif MODE == "landlock":
        words += ["--isolation", "landlock"]
    for line in flags:
        words += ["--" + line.key, line.path]
    model = Model(profile, own, flags, kind)
    said = ask_why(words)
    done = subprocess.run(words + ["--", "/bin/sh", "-c", PROBE], cwd=project, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=300)
    # Nothing ran: refused by name, or the project is nowhere to begin in.
    refused = done.returncode == 125 and "marker" not in done.stdout
    problems = []
    for number, name in enumerate(FILES):
        path = f"{work}/{name}"
        with_marker = f"marker-{number}-\n" in done.stdout
        try:
            with open(path) as file:
                same = file.read() == f"marker-{number}-\n"
        except OSError:
            same = False
        if refused:
            if not same:
                problems.append(f"/{name} was changed by a refused run")
            continue
        if MODE != "landlock":
            told = said.get(path, " nothing")
            if ("can be read" in told) != model.readable(path):
                problems.append(f"/{name}: why says {told}")
            if MODE == "full" and ("and written" in told) != model.writable(path):
                problems.append(f"/{name}: why says {told}")
        if with_marker != model.readable(path):
            problems.append(f"/{name} is {'readable' if with_marker else 'not readable'}")
        if same == (MODE != "session" and model.writable(path)):
            problems.append(f"/{name} was {'not ' if same else ''}changed")
    if MODE == "session":
        subprocess.run([SBX, "session", "rm", "s"], cwd=project, check=True)
    return refused, problems, describe(profile, own, flags, kind), done.stderr


def main():
    global MODE
    os.environ.update(HOME=home, XDG_STATE_HOME=work + "/state", XDG_CONFIG_HOME=work + "/config",
                      GIT_CONFIG_GLOBAL="/dev/null")
    subprocess.run(["git", "init", "-q", work + "/scheme"], check=True)
    os.rename(work + "/scheme/.git", work + "/template")
    only = [int(c) for c in os.environ.get("ONLY", "").split()]
    modes = os.environ.get("MODE", "full session landlock").split()
    failures = 0
    for number, MODE in enumerate(modes):
        refusals, wrong, cases = 0, 0, only or range(CASES)
        for case in cases:
            refused, problems, text, stderr = run_case(case)
            refusals += refused
            wrong += bool(problems)
            if only:
                print("#", "refused:" if refused else "ran:", stderr)
            if problems or only:
                print(f"# case {case}: {text}")
            for problem in problems:
                print(f"#   {problem}")
        if MODE == "landlock" and refusals == len(cases) and not only:
            why = stderr.strip().replace("\n", " ")
            print(f"ok {number + 1} # SKIP {MODE}: {why}")
            continue
        few = refusals > len(cases) * REFUSED_AT_MOST[MODE]
        print(f"{'not ' if wrong or few else ''}ok {number + 1} - {MODE}: {len(cases)} random views are what the model says, {refusals} refused by name")
        failures += bool(wrong) or few
    print(f"1..{len(modes)}")
    return failures > 0


try:
    result = main()
finally:
    subprocess.run(["chmod", "-R", "u+rwX", work], stderr=subprocess.DEVNULL)
    shutil.rmtree(work, ignore_errors=True)
sys.exit(result)
