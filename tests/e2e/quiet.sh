#!/bin/bash
# The commands of an agent's day: none of them prints a line of sbx when it succeeds. Those whose program is not
# installed are left out; servers are local, packages are files.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
unset HTTPS_PROXY https_proxy HTTP_PROXY http_proxy NO_PROXY no_proxy
mkdir -p "$HOME" "$XDG_CONFIG_HOME"
git config --global user.name tester
git config --global user.email tester@example.org
project=$(new_project)
cd "$project" || exit 1

mkdir -p .github/workflows .vscode src dep && echo '{}' >.vscode/settings.json && echo 'on: push' >.github/workflows/ci.yml
printf 'all:\n\tcc -o src/main src/main.c\ntest:\n\t./src/main\n' >Makefile
echo 'int main(void) { return 0; }' >src/main.c
printf 'cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_executable(p src/main.c)\n' >CMakeLists.txt
printf '{"name":"app","version":"1.0.0","scripts":{"test":"node -e 0","build":"echo built","start":"node -e 0"}}\n' >package.json
printf '{"name":"dep","version":"1.0.0"}\n' >dep/package.json
printf 'import unittest\nclass T(unittest.TestCase):\n    def test_one(self):\n        pass\n' >test_one.py
printf '[package]\nname = "app"\nversion = "0.1.0"\n' >Cargo.toml && echo 'fn main() {}' >src/main.rs
printf 'module example.org/app\n\ngo 1.19\n' >go.mod && printf 'package main\n\nfunc main() {}\n' >main.go
printf 'node_modules\nbuild\ntarget\nsrc/main\n__pycache__\n.venv\n' >.gitignore
git add -A && git commit -qm first
git init -q --bare "$work/remote.git" && git remote add origin "$work/remote.git" && git push -q origin HEAD
"$SBX" run -- true >/dev/null 2>&1

port_file=$work/port
python3 - "$port_file" <<'P' &
import http.server, sys
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
server.RequestHandlerClass.log_message = lambda *words: None
open(sys.argv[1], "w").write(str(server.server_port))
server.serve_forever()
P
server=$!
trap 'kill $server 2>/dev/null; chmod -R u+rwx "$work" 2>/dev/null; rm -rf "$work"' EXIT
wait_for 30 test -s "$port_file"
port=$(cat "$port_file")

used=0
quiet() { # words of sbx run
	local said status program=$1
	[ "$1" != -- ] || program=$2
	case $1 in --host-port | --write) program=$4 ;; esac
	PATH=/usr/local/bin:/usr/bin:/bin command -v "$program" >/dev/null || return 0
	used=$((used + 1))
	said=$(run_box "$@" 2>&1)
	status=$?
	stays "$*" "0 $told" "$status $(grep '^sbx' <<<"$said")"
	[ $status = 0 ] || printf '%s\n' "$said" | tail -n 3 | sed 's/^/# /'
}
while read -r line; do
	told=
	# What it writes runs when the project is installed.
	[[ $line != "npm install"* ]] || told="sbx: changed, and your own programs will run it: package.json"
	eval "quiet $line"
done <<'LIST'
git status
git diff
git log --oneline
git show --stat
git branch
git checkout -q -b topic
sh -c 'echo more >>file; git add file'
git commit -qm second
git stash list
git blame file
git grep hello
git rev-parse HEAD
git ls-files
git remote -v
git checkout -q -
git merge -q topic
--write "$work/remote.git" -- git push -q origin HEAD
--write "$work/remote.git" -- git fetch -q
ls -la
cat file
grep -rn hello .
find . -name '*.c'
sed -n 1,2p file
head -n 1 file
wc -l file
mkdir -p build
rm -rf build
bash -c 'for i in 1 2; do echo $i; done | sort -r'
--host-port "$port" -- curl -sS "http://localhost:$port/file"
make
make test
cmake -S . -B build
cmake --build build
node -e 'console.log(1)'
npm test
npm run build
npm start
npm install --no-audit --no-fund ./dep
npm ci --no-audit --no-fund
npm ls
npx --no-install --yes npm --version
python3 -m unittest
python3 -c 'print(1)'
python3 -m venv .venv
python3 -m pip --version
python3 -m pip list
cargo --version
cargo build --offline -q
cargo test --offline -q
go version
go build ./...
go vet ./...
go test ./...
rg hello
fd file
jq . package.json
tsc --version
pytest -q
java -version
perl -e 'print 1'
php -v
ruby -e 'puts 1'
tar cf build/x.tar file
LIST
[ $used -ge 40 ] || fail "40 commands and more ($used)"
done_testing
