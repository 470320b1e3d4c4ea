#!/bin/bash
# A newcomer's hour: commands as they are typed in the first days with sbx, those that work and those that provoke
# it. Counts how many make sbx print a line, and its words. With SBX of another version the figures are those before
# a change.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
unset HTTPS_PROXY https_proxy HTTP_PROXY http_proxy NO_PROXY no_proxy CLAUDECODE
mkdir -p "$HOME" "$XDG_CONFIG_HOME"
git config --global user.name tester
git config --global user.email tester@example.org
project=$(new_project)
cd "$project" || exit 1
mkdir -p .vscode src .github/workflows && echo '{}' >.vscode/settings.json && echo 'on: push' >.github/workflows/ci.yml
printf 'all:\n\ttrue\ntest:\n\ttrue\nfail:\n\tfalse\n' >Makefile
printf '{"name":"app","version":"1.0.0","scripts":{"test":"node -e 0","build":"node -e 0","start":"node -e 0"}}\n' >package.json
echo 'int main(void) { return 0; }' >src/main.c
printf 'import unittest\nclass T(unittest.TestCase):\n    def test_one(self):\n        pass\n' >test_one.py
printf 'node_modules\n.env\n__pycache__\n.venv\n' >.gitignore
echo KEY=1 >.env && echo key >"$HOME/notes"
git add -A && git commit -qm first
"$SBX" run -- true >/dev/null 2>&1

runs=0 printed=0 words=0 all=""
while read -r line; do
	[ -n "$line" ] || continue
	set -- $line
	agent=
	[ "$1" != agent: ] || { agent=--report\ agent line=${line#agent: }; }
	said=$(eval "${agent:+CLAUDECODE=1} timeout 30 '$SBX' run $agent $line" 2>&1 </dev/null | grep '^sbx: ')
	runs=$((runs + 1))
	[ -n "$said" ] || continue
	printed=$((printed + 1))
	words=$((words + $(wc -w <<<"$said")))
	all="$all$line: $(wc -w <<<"$said")"$'\n'
done <<'LIST'
-- ls
-- ls -la
-- cat file
-- git status
-- git diff
-- git log --oneline
-- git show --stat
-- git branch
-- git log nosuch
-- git grep -q nothing-like-it
-- git commit -m again
-- git checkout -q nosuch
-- git push -q nowhere
-- git stash list
-- git checkout -q -b topic
-- sh -c 'echo one >>file; git add file; git commit -qm one'
-- git checkout -q -
-- git merge -q topic
-- git rebase -q nosuch
-- git blame file
-- git rev-parse HEAD
-- git ls-files
-- git remote -v
-- git fetch -q nowhere
-- make
-- make test
-- make fail
-- make github
-- test -f nosuch.git
-- npm test
-- npm test
-- npm start
-- npm run build
-- npm run nosuch
-- npm ls
-- node -e 0
-- node -e 'process.exit(3)'
-- node -p 1
-- npx --no-install --yes npm --version
-- npm install --no-audit --no-fund
-- npm install --no-audit --no-fund
-- python3 -m unittest
-- python3 -c 'print(1)'
-- python3 -c 'import nosuch'
-- python3 -m pip --version
-- python3 -m pip list
-- python3 -m venv .venv
-- gcc -o /tmp/x src/main.c
-- gcc -o src/x src/main.c
-- src/x
-- rm src/x
-- grep -rn hello .
-- grep -q nothing file
-- find . -name '*.c'
-- sed -n 1p file
-- head -1 file
-- wc -l file
-- mkdir -p build
-- sh -c 'echo x >build/y'
-- rm -r build
-- touch BUILD.md
-- rm BUILD.md
-- env
-- id
-- pwd
-- date
-- uname -a
-- ps
-- df .
-- true
-- false
-- sh -c 'exit 7'
-- sh -c 'kill -9 $$'
-- sh -c 'kill -TERM $$'
-- nosuch
-- sh -c nosuch
-- cat nosuch
-- cat ~/notes
-- cat ~/.ssh/id_ed25519
-- sh -c 'echo hi >~/own; cat ~/own'
-- sh -c 'echo hi >/tmp/own; cat /tmp/own'
-- touch /etc/x
-- cat /etc/shadow
-- sudo true
-- apt-get install sl
-- curl -s -m 9 https://one.example
-- curl -s -m 9 https://two.example
-- sh -c 'curl -s -m 9 https://one.example; true'
-- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do curl -s -m 9 http://h$i.example; done'
-- curl -s -m 9 http://localhost:1
-- sh -c 'echo x: >>Makefile'
-- sh -c 'echo y: >>Makefile'
-- sh -c 'echo "on: pull" >.github/workflows/ci.yml'
-- sh -c 'echo a >AGENTS.md'
-- sh -c 'echo a >AGENTS.md'
-- sh -c 'echo {} >.mcp.json'
-- sh -c 'mkdir .idea && echo x >.idea/x'
-- git config core.hooksPath /tmp/x
-- git config user.name other
-- git config alias.x '!true'
-- sh -c 'echo x >.git/hooks/pre-commit'
-- sh -c 'echo x >.vscode/settings.json'
-- git worktree add -q ../wt
-- sh -c 'sleep 5 & true'
--timeout 1s -- sleep 5
--hide ./.env -- cat .env
--memory 200M -- python3 -c 'x = bytearray(400 << 20)'
--open-files 64 -- sh -c 'exit 2'
--report full -- true
-- cat .env
--hide-untracked .env -- cat .env
-- ln -s /nowhere link
-- rm link
agent: -- git status
agent: -- git log nosuch
agent: -- make test
agent: -- make fail
agent: -- npm test
agent: -- npm start
agent: -- python3 -m unittest
agent: -- curl -s -m 9 https://one.example
agent: -- curl -s -m 9 https://two.example
agent: -- curl -s -m 9 https://three.example
agent: -- sh -c 'curl -s -m 9 https://four.example; true'
agent: -- sh -c 'echo z: >>Makefile'
agent: -- sh -c 'echo w: >>Makefile; false'
agent: -- sh -c 'sleep 5 & true'
agent: -- sh -c 'sleep 5 & true'
agent: --hide-untracked .env -- cat .env
agent: -- touch /etc/x
agent: -- cat nosuch
agent: -- grep -rn hello .
agent: -- git commit -m again
agent: -- ls -la
agent: -- cat file
agent: -- sh -c 'git diff | head -1'
agent: -- sh -c 'echo b >AGENTS.md'
agent: -- sh -c 'echo {} >.mcp.json'
agent: -- git push -q nowhere
agent: -- sh -c 'echo done'
LIST
printf '%s' "$all" | sed 's/^/# /'
echo "# $runs runs, $printed print a line of sbx, $words words"
is "of 137 runs and more some print a line, at most 30, and 660 words in all" "1 1 1" "$((runs >= 137)) $((printed > 5 && printed <= 30)) $((words <= 660))"
done_testing
