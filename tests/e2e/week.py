#!/usr/bin/env python3
"""A developer's week: a home, and seven days of commands as people type them, each with what must be seen. TAP.

  tests/e2e/week.py             all days
  tests/e2e/week.py DAY...      some of them: monday ... sunday
  tests/e2e/week.py --show      prints what each step printed, too

A step is (COMMAND, STATUS, SEEN): bash runs COMMAND in the day's project; SEEN is a regular expression that stdout
and stderr together must match, "" when nothing at all may be printed, None when it does not matter. A fourth
member lists what a person at a terminal sees and types, as pairs; SEEN then holds for the rest. A step that begins
with PROGRAM? is skipped where that program lacks, with "user?" for root. Steps build on each other; one without sbx and
without SEEN sets up, and counts when it fails."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pexpect

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SBX = os.environ.get("SBX", os.path.join(TREE, "build/src/sbx"))

MONDAY = [  # the first hour, and git
    ("sbx --version", 0, r"^sbx [0-9.]+$"),
    ("sbx", 0, r"sbx run"),
    ("sbx help | head -3", 0, r"not read your keys"),
    ("sbx run --help | wc -l", 0, r"^(1[0-9]|2[0-4])$"),
    ("sbx doctor | tail -1", 0, r"^Result: "),
    ("echo 'all: ; @echo built' >Makefile && git add . && git commit -qm first", 0, ""),
    ("sbx run -- true", 0, ""),
    ("sbx run true", 0, ""),
    ("sbx run -- false", 1, ""),
    ("sbx run -- sh -c 'exit 42'", 42, ""),
    ("sbx run -- make", 0, r"^built$"),
    ("sbx run -- sh -c 'echo new >file && cat file'", 0, r"^new$"),
    ("cat file", 0, r"^new$"),
    ("echo one two | sbx run -- wc -w", 0, r"^2$"),
    ("sbx run -- sh -c 'kill -TERM $$'", 143, ""),
    ("yes | sbx run -- head -1", 0, r"^y$"),
    ("sbx run -- nosuchprogram", 127, r"nosuchprogram"),
    ("sbx rum -- true", 125, r"to run a command: sbx run -- true"),
    ("sbx run --memroy 1G -- true", 125, r"--memory"),
    ("echo key >~/.ssh/id_ed25519; sbx run -- cat ~/.ssh/id_ed25519", 1, r"No such file"),
    ("TOKEN=x GH_TOKEN=secret sbx run -- sh -c 'echo \"<$GH_TOKEN>\"'", 0, r"<>"),
    ("sbx run -- sh -c 'echo evil >>.git/hooks/pre-commit'", 2, r"(?i)read-only|permission"),
    ("sbx run -- sh -c 'echo x >~/notes; cat ~/notes'; ls ~/notes", 2, r"(?s)^x\n.*No such file"),
    ("sbx run -- git status --short", 0, r"^\?\? file$"),
    ("sbx run -- git add file", 0, ""),
    ("sbx run -- git commit -qm second", 0, ""),
    ("git log --oneline | wc -l", 0, r"^2$"),
    ("sbx run -- git checkout -qb topic", 0, ""),
    ("sbx run -- sh -c 'echo more >>file && git stash -q && git stash pop -q && git diff --stat'", 0, r"1 file changed"),
    ("sbx run -- git commit -qam third", 0, ""),
    ("sbx run -- git rebase -q main", 0, ""),
    ("sbx run -- git bisect start HEAD HEAD~1 2>&1; sbx run -- git bisect reset", 0, r"first bad|Bisecting"),
    ("git checkout -q topic; sbx run -- git fsck", 0, None),
    ("sbx run -- git gc -q", 0, ""),
    ("git status --short", 0, ""),
    ("sbx run -- touch /etc/x", 1, r"(?i)read-only|permission"),
    ("sbx why /etc/x", 0, r"/etc/x"),
    ("sbx why 'Host key verification failed'", 0, r"-p ssh"),
    ("sbx run --explain -- cat ~/.bashrc", 1, r"(?s)No such file.*--read"),
    ("sbx run -- sudo true", 1, r"(?i)sudo"),
    ("sbx plan -- true | head -1", 0, r"^project "),
]

TUESDAY = [  # node
    ("npm? npm init -y >/dev/null", 0, None),
    ("npm? sbx run -- node -e 'console.log(6 * 7)'", 0, r"^42$"),
    ("npm? sbx run -- npm pkg set scripts.test='node --test' scripts.start='node server.js' scripts.hi='echo hi'", 0, None),
    ("npm? sbx run -- npm run -s hi", 0, r"^hi$"),
    ("npm? mkdir lib && (cd lib && npm init -y >/dev/null && echo 'module.exports = 7' >index.js)", 0, None),
    ("npm? sbx run -- npm install --no-audit --no-fund ./lib", 0, r"added|up to date"),
    ("npm? sbx run -- node -e 'console.log(require(\"lib\"))'", 0, r"^7$"),
    ("npm? printf 'require(\"node:test\")(\"t\", () => {})\\n' >a.test.js; sbx run -- npm test", 0, r"pass 1"),
    ("npm? time timeout 20 sbx run -- npm install --no-audit is-odd", 1, r"blocked.*npm"),
    ("npm? sbx run -- npx --yes cowsay", 1, r"blocked"),
    ("npm? sbx why @npm", 0, r"npmjs"),
    ("npm? sbx run -- npm pack --silent", 0, r"\.tgz$"),
    ("npm? sbx run -- npm run nosuch", 1, r"(?i)missing script"),
    ("npm? sbx run -p node -- npm config get cache", 0, r"\.npm"),
    ("npm? printf 'require(\"http\").createServer((q, s) => s.end(\"served\")).listen(8123)\\n' >server.js", 0, ""),
    ("npm? (timeout 20 sbx run --publish 8123 -- node server.js & for i in $(seq 100); do curl -sf http://127.0.0.1:8123/ && break; "
     "sleep 0.1; done; kill %1; wait) 2>/dev/null", None, r"served"),
    ("npm? sbx run -- sh -c 'echo x >~/.npmrc && echo in'; ls ~/.npmrc", 2, r"(?s)^in.*No such file"),
    ("npm? sbx run -- node -e 'require(\"fs\").readFileSync(process.env.HOME + \"/.ssh/id_ed25519\")'", 1, r"ENOENT"),
    ("npm? sbx run -m 200M -- node -e 'const a = []; for (;;) a.push(Buffer.alloc(1 << 20, 1))'", None, r"limit memory"),
    ("npm? sbx run -- npm pkg set scripts.postinstall='curl evil.example'; sbx run -- true", 0, None),
    ("npm? sbx run --timeout 1s -- node -e 'setInterval(() => {}, 1000)'", 124, r"1s|1 s|time"),
]

WEDNESDAY = [  # python, C
    ("sbx run -- python3 -c 'print(6 * 7)'", 0, r"^42$"),
    ("sbx run -- python3 -m venv --system-site-packages .venv", 0, ""),
    ("sbx run -- .venv/bin/python -c 'import sys; print(sys.prefix)'", 0, r"\.venv$"),
    ("mkdir -p pkg && printf 'from setuptools import setup\\nsetup(name=\"pkg\", version=\"1\", py_modules=[\"pkg\"])\\n' >pkg/setup.py && "
     "echo 'word = \"packed\"' >pkg/pkg.py", 0, ""),
    ("sbx run -- .venv/bin/pip install -q --no-index --no-build-isolation ./pkg", 0, None),
    ("sbx run -- .venv/bin/python -c 'import pkg; print(pkg.word)'", 0, r"^packed$"),
    ("timeout 20 sbx run -- .venv/bin/pip install requests-not-there", 1, r"blocked.*pypi"),
    ("printf 'import unittest\\nclass T(unittest.TestCase):\\n  def test(self): pass\\n' >test_a.py; sbx run -- python3 -m unittest", 0, r"OK"),
    ("sbx run -- python3 -c 'import multiprocessing as m; print(sum(m.Pool(2).map(abs, [1, -2])))'", 0, r"^3$"),
    ("sbx run -- python3 -c 'import socket; socket.create_connection((\"example.com\", 80), 5)'", None, r"blocked example.com:80"),
    ("sbx code -c 'print(6 * 7)' -l python", 0, r"^42$"),
    ("printf 'print(input())\\n' >ask.py; echo typed | sbx run -- python3 ask.py", 0, r"^typed$"),
    ("python3 -c 1 && true", 0, "", ),
    ("sbx run -- python3 -q", 0, None, [(">>> ", "6 * 7\r"), ("42\r\n>>> ", "exit()\r")]),
    ("mkdir c && printf 'cmake_minimum_required(VERSION 3.10)\\nproject(p C)\\nadd_executable(p main.c)\\nenable_testing()\\n"
     "add_test(t p)\\n' >c/CMakeLists.txt && printf 'int main(void) { return 0; }\\n' >c/main.c", 0, ""),
    ("cmake? sbx run -- cmake -S c -B c/build", 0, r"(?s)Generating done.*"),
    ("cmake? sbx run -- cmake --build c/build", 0, r"Built target p"),
    ("cmake? sbx run -- sh -c 'cd c/build && ctest'", 0, r"100% tests passed"),
    ("sbx run -- gcc -g -o crash -xc - <<<'int main(void) { return *(volatile int *)0; }'", 0, ""),
    ("sbx run -- ./crash", 139, None),
    ("gdb? sbx run -- gdb -q -batch -ex run -ex bt ./crash", 0, r"SIGSEGV(?s:.*)main"),
    ("gdb? sbx run --allow-syscalls ptrace -- gdb -q -batch -ex 'set startup-with-shell off' -ex run -ex bt ./crash", 0, r"SIGSEGV(?s:.*)main"),
    ("strace? sbx run --allow-syscalls ptrace -- strace -e trace=exit_group true", 0, r"exit_group\(0\)"),
    ("printf 'all: a.o\\na.o: a.c\\n\\tgcc -c a.c\\n' >Makefile; echo 'int a;' >a.c; sbx run -- make -s", 0, ""),
    ("sbx run -- sh -c 'make -s -q && echo made'", 0, r"^made$"),
    ("sbx run -- sh -c 'echo \"x: ; touch /tmp/evil\" >>Makefile'", 0, r"Makefile"),
    ("sbx run -- true", 0, ""),
    ("printf '#!/bin/bash\\r\\necho x\\r\\n' >dos.sh; chmod +x dos.sh; sbx run -- ./dos.sh", 127, r"carriage return"),
    ("printf '#!/usr/bin/nosuch\\n' >bad.sh; chmod +x bad.sh; sbx run -- ./bad.sh", 127, r"/usr/bin/nosuch"),
    ("echo 'echo plain' >plain.sh; sbx run -- ./plain.sh", 126, r"(?i)permission"),
]

THURSDAY = [  # go, rust, others
    ("go? sbx run -- go mod init example.com/p", 0, None),
    ("go? printf 'package main\\nimport \"fmt\"\\nfunc main() { fmt.Println(42) }\\n' >main.go; sbx run -- go run .", 0, r"(?m)^42$"),
    ("go? printf 'package main\\nimport \"testing\"\\nfunc TestA(t *testing.T) {}\\n' >main_test.go; sbx run -- go test ./...", 0, r"ok\s+example.com/p"),
    ("go? sbx run -- go vet ./...", 0, None),
    ("go? sbx run -- go build -o p . && ./p", 0, r"^42$"),
    ("go? timeout 20 sbx run -- go get golang.org/x/text", 1, r"blocked"),
    ("cargo? sbx run -- cargo new -q --vcs none r", 0, None),
    ("cargo? cd r && sbx run -- cargo build -q --offline", 0, None),
    ("cargo? cd r && sbx run -- cargo run -q --offline", 0, r"Hello, world!"),
    ("cargo? cd r && sbx run -- cargo test -q --offline", 0, r"test result: ok"),
    ("cargo? cd r && timeout 20 sbx run -- cargo add serde", 101, r"blocked"),
    ("ruby? sbx run -- ruby -e 'puts 6 * 7'", 0, r"^42$"),
    ("perl? sbx run -- perl -e 'print 6 * 7'", 0, r"^42$"),
    ("php? sbx run -- php -r 'echo 6 * 7;'", 0, r"^42$"),
    ("javac? mkdir j && echo 'class A { public static void main(String[] a) { System.out.println(42); } }' >j/A.java && "
     "sbx run -p java -- sh -c 'cd j && javac A.java && java A'", 0, r"42"),
    ("sbx run -- bash -c 'diff <(echo a) <(echo a) && echo same'", 0, r"^same$"),
    ("sbx run -- sh -c 'ls /dev/shm && df /tmp >/dev/null && echo fine'", 0, r"fine$"),
    ("sbx run -c 'echo $0 | grep -c sh'", 0, r"^1$"),
    ("sbx run -- env | grep -c ^HOME=", 0, r"^1$"),
    ("sbx run -e A=1 -- sh -c 'echo $A'", 0, r"^1$"),
    ("sbx run --pids 100 -m 512M --timeout 30s -- true", 0, ""),
    ("sbx run -p node,python -- true", 0, ""),
    ("sbx run -- date +%Z; date +%Z", 0, r"^(\S+)\n\1$"),
    ("sbx run -- id -un; id -un", 0, r"^(\S+)\n\1$"),
    ("sbx run -- pwd; pwd", 0, r"^(\S+)\n\1$"),
]

FRIDAY = [  # the network, a database, git over ssh
    ("sbx run -- curl -sf http://example.com/", None, r"blocked example.com:80 \(curl\): .*--allow example.com:80"),
    ("sbx run -- curl -sS https://example.com/", 35, r"blocked example.com(:443)?"),
    ("python3 -m http.server --bind 127.0.0.1 8765 >/dev/null 2>&1 & echo $! >~/server.pid; "
     "for i in $(seq 100); do curl -sf http://127.0.0.1:8765/ >/dev/null && break; sleep 0.1; done", 0, ""),
    ("sbx run -- curl -sS http://127.0.0.1:8765/", 7, None),
    ("sbx run --host-port 8765 -- curl -sf http://127.0.0.1:8765/ | grep -c html", 0, r"^[1-9]"),
    ("sbx why localhost:8765", 0, r"--host-port 8765"),
    ("sbx run --network none -- curl -sS http://127.0.0.1:8765/", 7, None),
    ("sbx run --network host -- curl -sf http://127.0.0.1:8765/ | grep -c html", 0, r"^[1-9]"),
    ("kill $(cat ~/server.pid)", 0, None),
    ("sbx learn -- curl -sf http://example.com/", None, r"allow = example.com:80"),
    ("sbx audit | tail -3", 0, r"example.com"),
    ("sbx run -a example.com --deny example.com -- curl -sf http://example.com/", None, r"blocked example.com"),
    ("sbx run -a '*.com' -- true", 0, r"(?i)\*\.com"),
    ("user? sbx run -- sh -c 'initdb -D db -A trust -U me >/dev/null && pg_ctl -D db -w -l log -o \"-k /tmp -h localhost\" start >/dev/null && "
     "psql -h localhost -U me -Atc \"select 6 * 7\" postgres; pg_ctl -D db -m fast stop >/dev/null'", 0, r"^42$"),
    ("redis-server? sbx run -- sh -c 'redis-server --port 6399 --save \"\" --daemonize yes >/dev/null; sleep 0.5; "
     "redis-cli -p 6399 ping; redis-cli -p 6399 shutdown nosave'", 0, r"PONG"),
    ("rm -f ~/.ssh/*; ssh-keygen -qt ed25519 -N '' -f ~/.ssh/id_ed25519; ssh-keygen -qt ed25519 -N '' -f ~/host_key; "
     "cp ~/.ssh/id_ed25519.pub ~/.ssh/authorized_keys; git init -q --bare ~/far.git", 0, None),
    ("sshd? printf 'Port 2299\\nListenAddress 127.0.0.1\\nHostKey %s/host_key\\nAuthorizedKeysFile %s/.ssh/authorized_keys\\nStrictModes no\\n"
     "PidFile none\\nUsePAM no\\n' ~ ~ >~/sshd_config; $(command -v sshd) -D -f ~/sshd_config -E ~/sshd.log >~/sshd.out 2>&1 & echo $! >~/sshd.pid; "
     "for i in $(seq 100); do ssh-keyscan -p 2299 127.0.0.1 >~/.ssh/known_hosts 2>/dev/null && [ -s ~/.ssh/known_hosts ] && break; sleep 0.1; done", 0, None),
    ("sshd? git commit -q --allow-empty -m one; git remote add far ssh://$USER@127.0.0.1:2299$HOME/far.git; "
     "git config core.sshCommand \"ssh -i $HOME/.ssh/id_ed25519 -o UserKnownHostsFile=$HOME/.ssh/known_hosts\"; sbx run -- git push -q far main", 128,
     r"(?i)refused|denied|blocked|Could not read"),
    ("sshd? sbx run -p ssh --read ~/.ssh/id_ed25519 --host-port 2299 -- git push -q far main", 0, ""),
    ("sshd? git -C ~/far.git log --oneline main | wc -l", 0, r"^1$"),
    ("sshd? sbx run -p ssh --read ~/.ssh/id_ed25519 --host-port 2299 -- git fetch far", 0, None),
    ("sshd? kill $(cat ~/sshd.pid)", 0, None),
]

SATURDAY = [  # sessions, review, profiles
    ("echo a >a && git add . && git commit -qm a", 0, ""),
    ("sbx session create try", 0, None),
    ("sbx run -s try -- sh -c 'echo b >b; echo more >>a; rm -rf /tmp/x'", 0, ""),
    ("git status --short", 0, ""),
    ("sbx session diff try --stat", 0, r"(?s)a.*b"),
    ("sbx session diff try", 0, r"\+more"),
    ("sbx session snapshot try before", 0, None),
    ("sbx run -s try -- rm a b", 0, ""),
    ("sbx session restore try before", 0, None),
    ("sbx session fork try other", 0, None),
    ("sbx session list", 0, r"(?s)other.*try|try.*other"),
    ("echo mine >>a; sbx session apply try a", 125, r"conflict"),
    ("git checkout -q a; sbx session apply --force try", 0, r"2 changes applied"),
    ("cat b", 0, r"^b$"),
    ("sbx session rm try && sbx session rm other", 0, None),
    ("sbx run -s nosuch -- true", 125, r"nosuch"),
    ("git add . && git commit -qm b; sbx run --review -- sh -c 'echo c >c'", None, None, [(r"the text\? ", "a\r")]),
    ("cat c", 0, r"^c$"),
    ("sbx run --review --apply no -- sh -c 'echo d >d && echo in'; ls d", 2, r"(?s)^in.*No such file"),
    ("sbx run --review --apply yes -- sh -c 'echo d >d'; cat d", 0, r"d"),
    ("sbx run --overlay ~/.ssh -- sh -c 'echo x >~/.ssh/x && echo in'; ls ~/.ssh/x", 2, r"(?s)^in.*No such file"),
    ("sbx profile list", 0, r"(?s)default.*node"),
    ("sbx profile show git | head -5", 0, r"^; git: "),
    ("printf '[profile]\\nextends = default\\n[limits]\\nmemory = 1G\\n' >.sbx.ini; sbx profile check ./.sbx.ini", 0, None),
    ("sbx run -- true", 0, None),
    ("sbx profile trust && sbx run -- true", 0, None),
    ("sbx profile status", 0, r"\.sbx\.ini"),
    ("printf '[limits]\\nmemroy = 1G\\n' >bad.ini; sbx run -p ./bad.ini -- true", 125, r"memory"),
    ("printf '[network]\\nallow = example.com\\n' >.sbx.ini; sbx run -- true", None, r"\.sbx\.ini"),
    ("rm .sbx.ini bad.ini; sbx quarantine list", 0, None),
    ("sbx run -- sh -c 'mkdir -p .vscode && echo {} >.vscode/tasks.json'", None, r"\.vscode"),
    ("ls .vscode/tasks.json", 2, None),
    ("sbx quarantine list", 0, r"tasks\.json|\.vscode"),
    ("sbx run --hide ./c -- cat c", 1, r"No such file|Permission"),
    ("sbx run --project read -- touch e", 1, r"(?i)read-only|permission"),
]

SUNDAY = [  # editors, terminals, agents
    ("vim? sbx run -- vim -u NONE -N note", 0, None, [("note", "ihello\x1b:wq\r")]),
    ("vim? cat note", 0, r"^hello$"),
    ("less? seq 500 >many; sbx run -- less many", 0, None, [("1\r\n2", "q")]),
    ("sbx run -- sh -c 'stty size'", 0, r"33 120", []),
    ("sbx run -- cat", 130, None, [("", "typed\r"), ("typed\r\ntyped", "\x03")]),
    ("sbx shell", 5, None, [(r"[$#>] ", "echo in=$SBX\r"), ("in=1", "exit 5\r")]),
    ("tmux? sbx run -- tmux -f /dev/null new 'echo in-tmux; sleep 1'", 0, None, [("in-tmux", "")]),
    ("tmux? tmux -L out -f /dev/null new 'sbx run -- echo boxed; sleep 1'", 0, None, [("boxed", "")]),
    ("script? sbx run -- script -qc 'echo scripted' /dev/null", 0, r"scripted", []),
    ("sbx run -- watch -n 1 -g date >/dev/null", None, None, []),
    ("sbx run -- dd if=/dev/zero of=big bs=1M count=5 status=none && stat -c %s big", 0, r"^5242880$"),
    ("sbx agent list", 0, r"(?s)claude.*codex"),
    ("mkdir -p ~/.claude && sbx agent install claude-code --dry-run", 0, r"sbx-shell"),
    ("ls ~/.claude/settings.json", 2, None),
    ("sbx agent install claude-code", 0, None),
    ("grep -c sbx ~/.claude/settings.json", 0, r"^[1-9]"),
    ("echo '{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"ls\"}}' | sbx agent hook gemini", 0, r"run -p gemini-shell"),
    ("sbx agent status claude-code", None, r"claude"),
    ("sbx agent remove claude-code", 0, None),
    ("sbx agent install nosuch", 125, r"nosuch"),
    ("sbx run --report json -- curl -sf http://example.com/ 2>&1 | tail -1 | python3 -c 'import json, sys; print(json.load(sys.stdin)[\"status\"])'", 0, r"^[0-9]+$"),
    ("sbx run --report full -- true", 0, r"^sbx: took "),
    ("sbx run --report never -- curl -sf http://example.com/", None, ""),
    ("sbx run --isolation landlock -- echo in", None, r"^in$|--project read"),
    ("(sbx run -- sleep 5 & sleep 1; kill $!; wait $!; echo =$?) 2>/dev/null", 0, r"=143"),
    ("sbx run -- sh -c 'sleep 300 & echo left'", 0, r"^left$"),
    ("for i in 1 2 3 4 5 6 7 8; do sbx run -- true & done; wait", 0, ""),
    ("cd / && sbx run -- echo in", None, r"^in$|the project"),
    ("cd ~ && sbx run -- true", 125, r"(?i)home"),
    ("sbx run -C .. -- echo in", None, r"^in$|the project|-C"),
    ("sbx help nosuch", 125, r"nosuch"),
    ("sbx cache", 125, r"usage: sbx cache"),
    ("sbx ps", 0, None),
]

DAYS = {"monday": MONDAY, "tuesday": TUESDAY, "wednesday": WEDNESDAY, "thursday": THURSDAY, "friday": FRIDAY,
        "saturday": SATURDAY, "sunday": SUNDAY}


class Home:
    def __init__(self, top):
        self.top = top
        self.path = os.path.join(top, "home")
        os.makedirs(os.path.join(self.path, ".ssh"), 0o700)
        with open(os.path.join(self.path, ".bashrc"), "w", encoding="utf-8") as file:
            file.write("alias l=ls\n")
        os.makedirs(os.path.join(top, "bin"))
        shutil.copy(SBX, os.path.join(top, "bin/sbx"))
        os.symlink("sbx", os.path.join(top, "bin/sbx-shell"))
        servers = sorted(os.path.join("/usr/lib/postgresql", each, "bin") for each in os.listdir("/usr/lib/postgresql")
                         ) if os.path.isdir("/usr/lib/postgresql") else []
        path = [os.path.join(top, "bin"), "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin", *servers[-1:]]
        self.environment = {"HOME": self.path, "PATH": ":".join(path), "USER": os.environ.get("USER") or "root", "SHELL": "/bin/bash",
                            "LANG": "C.UTF-8", "TERM": "xterm", "GIT_PAGER": "cat", "PS1": "$ ",
                            "GIT_AUTHOR_NAME": "dev", "GIT_AUTHOR_EMAIL": "dev@example.org",
                            "GIT_COMMITTER_NAME": "dev", "GIT_COMMITTER_EMAIL": "dev@example.org"}

    def project(self, day):
        place = os.path.join(self.path, day)
        os.makedirs(place)
        subprocess.run(["git", "init", "-q", "-b", "main", place], env=self.environment, check=True)
        return place


def by_pipe(home, project, command):
    result = subprocess.run(["bash", "-c", command], cwd=project, env=home.environment, timeout=180, check=False,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    status = result.returncode
    return status if status >= 0 else 128 - status, result.stdout.decode(errors="replace")


def by_terminal(home, project, command, typed):
    child = pexpect.spawn("/bin/bash", ["-c", command], cwd=project, env=home.environment, encoding="utf-8",
                          codec_errors="replace", timeout=60, dimensions=(33, 120))
    text = ""
    for seen, keys in typed:
        child.expect(seen)
        text += child.before + child.after
        child.send(keys)
    child.expect(pexpect.EOF)
    child.close()
    status = child.exitstatus if child.signalstatus is None else 128 + child.signalstatus
    return status, text + child.before


def play(home, project, step):
    """None when it was as it must be, else why not."""
    command, status, seen, *typed = step
    try:
        got, text = by_terminal(home, project, command, typed[0]) if typed else by_pipe(home, project, command)
    except (subprocess.TimeoutExpired, pexpect.TIMEOUT, pexpect.EOF) as problem:
        return "", "no end, or not what was waited for: " + str(problem)[:600]
    text = text.replace(home.path, "~")
    if status is not None and got != status:
        return text, "status %d, expected %d" % (got, status)
    if seen is not None and not (re.search(seen, text.rstrip("\n")) if seen else text == ""):
        return text, "expected to see %r" % seen
    return text, None


def lacking(home, program):
    if program == "user":
        return "this program does not run as root" if os.getuid() == 0 else None
    return None if shutil.which(program, path=home.environment["PATH"]) else program + " is not installed"


def main():
    days = [word for word in sys.argv[1:] if word in DAYS] or list(DAYS)
    show = "--show" in sys.argv
    top = tempfile.mkdtemp(prefix="sbx-week.", dir=os.environ.get("TMPDIR", "/var/tmp"))
    number = failed = 0
    try:
        home = Home(top)
        for day in days:
            project = home.project(day)
            for step in DAYS[day]:
                number += 1
                need = re.match(r"([a-z-]+)\? ", step[0])
                command = step[0][need.end():] if need else step[0]
                name = "%s: %s" % (day, command.replace("\n", " ").replace("#", "\\#")[:90])
                why = need and lacking(home, need[1])
                if why:
                    print("ok %d - %s # SKIP %s" % (number, name, why), flush=True)
                    continue
                text, problem = play(home, project, (command, *step[1:]))
                if not problem and "sbx" not in command and step[2] in ("", None):  # it sets up
                    number -= 1
                    continue
                failed += problem is not None
                print("%s %d - %s" % ("not ok" if problem else "ok", number, name), flush=True)
                for line in ([problem] if problem else []) + (text.splitlines() if problem or show else []):
                    print("# " + line[:200])
    finally:
        subprocess.run(["chmod", "-R", "u+w", top], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(top, ignore_errors=True)
    print("1..%d" % number)
    sys.exit(failed > 0)


main()
