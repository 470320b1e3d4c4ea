#!/bin/bash
# Real work, run outside and then inside from the same start: the exit status, the output and the
# tree must be the same.
. "$(dirname "$0")/../lib.sh"
# An ordinary user's own tool directories, not those of whoever started the tests.
export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=$work/home LC_ALL=C
mkdir -p "$HOME"
git config --global user.name tester
git config --global user.email tester@example.org
git config --global init.defaultBranch main
job=$work/job

names() { (cd "$job" && find . -not -path './.git/*' -printf '%y %m %p\n' | sort); }

# name, set-up (outside), work (a shell string); a needed program may be named as fourth
same() {
	local name=$1 setup=$2 task=$3 status_outside status_inside
	if [ $# -gt 3 ] && ! command -v "$4" >/dev/null; then
		skip "$name" "$4 is not installed"
		return
	fi
	rm -rf "$job" "$work/start"
	mkdir "$job"
	if ! (cd "$job" && eval "$setup") >"$work/setup" 2>&1; then
		fail "$name: set-up" "$(tail -5 "$work/setup")"
		return
	fi
	cp -a "$job" "$work/start"
	(cd "$job" && timeout 300 bash -c "$task") >"$work/outside" 2>&1 </dev/null
	status_outside=$?
	names >"$work/tree-outside"
	rm -rf "$job"
	cp -a "$work/start" "$job"
	(cd "$job" && timeout 300 "$SBX" run -- bash -c "$task") >"$work/inside" 2>&1 </dev/null
	status_inside=$?
	# what the host will run later is told; builds write Makefiles
	sed -i '/^sbx: changed, and your own programs will run it: /d' "$work/inside"
	names >"$work/tree-inside"
	if [ $status_outside != $status_inside ]; then
		fail "$name" "status $status_outside outside, $status_inside inside: $(tail -15 "$work/inside")"
	elif ! diff -u "$work/outside" "$work/inside" >"$work/diff"; then
		fail "$name: output" "$(head -30 "$work/diff")"
	elif ! diff -u "$work/tree-outside" "$work/tree-inside" >"$work/diff"; then
		fail "$name: tree" "$(head -30 "$work/diff")"
	else
		pass "$name (status $status_inside)"
	fi
}

repository='git init -q . && for i in 1 2 3; do mkdir -p d$i && echo $i >d$i/f && git add . && GIT_COMMITTER_DATE="2026-01-0$i 12:00" GIT_AUTHOR_DATE="2026-01-0$i 12:00" git commit -qm c$i; done; echo more >>d1/f'
same "git log, status, diff" "$repository" 'git log --stat && git status && git diff && git show HEAD~1 && git blame d1/f | sed "s/Not Committed Yet [^)]*//"'
same "git add, commit, branch, stash" "$repository" 'export GIT_COMMITTER_DATE="2026-02-01 12:00" GIT_AUTHOR_DATE="2026-02-01 12:00"; git stash -q && git checkout -qb other && echo x >new && git add new && git commit -qm new && git log --oneline && git stash pop'

source_package=$(dirname "$SBX")/../zlib-source
if [ -d "$source_package" ]; then
	same "make -j2 of zlib from Debian's source package" "cp -a $source_package/. . && rm -rf .git debian" \
		'./configure >/dev/null && make -j2 >/dev/null 2>&1 && ./minigzip --help; ./example && echo built' make
else
	skip "make -j2 of zlib from Debian's source package" "the mirror has no source of it (tests/work/fetch)"
fi
same "gcc compiles, the program runs" 'printf "#include <stdio.h>\nint main(void){puts(\"hi\");return 7;}\n" >a.c' 'gcc -O2 -o a a.c && ./a' gcc
npm_package=$(dirname "$SBX")/../npm-package
if [ -d "$npm_package" ]; then
	same "node runs a package's tests" "cp -a $npm_package/. ." 'node test.js && node -e "console.log(require(\"./inherits.js\").name)"' node
else
	skip "node runs a package's tests" "npm could not fetch the package"
fi
same "node: workers, child processes, a server on lo" ':' \
	'node -e "const{Worker}=require(\"worker_threads\");new Worker(\"require(\\\"worker_threads\\\").parentPort.postMessage(1)\",{eval:true}).on(\"message\",m=>{require(\"http\").createServer((q,r)=>r.end(String(m))).listen(0,function(){require(\"http\").get({port:this.address().port},r=>r.on(\"data\",d=>{console.log(String(d),require(\"child_process\").execSync(\"echo c\")+\"\");process.exit()}))})})"' node
same "python's unittest of stdlib modules" 'printf "import unittest, json, tempfile, subprocess, os\nclass T(unittest.TestCase):\n def test_t(self):\n  with tempfile.TemporaryDirectory() as d: open(os.path.join(d, \"x\"), \"w\").close()\n def test_s(self): self.assertEqual(subprocess.check_output([\"echo\", \"x\"]), b\"x\\\\n\")\n def test_j(self): self.assertEqual(json.loads(json.dumps([1])), [1])\n" >test_x.py' 'PYTHONDONTWRITEBYTECODE=1 python3 -m unittest -q test_x 2>&1 | sed "s/in [0-9.]*s//"' python3
if (cd "$work" && python3 -c 'import test.test_tempfile' 2>/dev/null); then
	# One of them failed once in some hundred runs, on a busy machine: a second try is enough.
	same "python's own tests of its stdlib" ':' 'set -o pipefail; t() { PYTHONDONTWRITEBYTECODE=1 python3 -m unittest -q test.test_tempfile test.test_glob test.test_thread test.test_json test.test_queue test.test_pipes test.test_mmap 2>&1 | grep -E "^(Ran|OK|FAILED|ERROR|FAIL)" | sed "s/in [0-9.]*s//; s/ (skipped=.*//"; }; out=$(t) || out=$(t); printf "%s\n" "$out"; [[ $out == *OK* ]]'
else
	skip "python's own tests of its stdlib" "libpython3-testsuite is not installed"
fi
same "multiprocessing" ':' 'python3 -c "
import multiprocessing as m
if __name__ == \"__main__\":
    with m.Pool(3) as p: print(p.map(abs, range(-5, 5)))
    q = m.Queue(); q.put(1); print(q.get()); s = m.Semaphore(2); s.acquire(); print(m.shared_memory.SharedMemory if hasattr(m, \"shared_memory\") else 0 and 0 or 1)"' python3
same "cargo build of a local crate, offline" 'USER=x cargo init -q --name thing . 2>/dev/null || cargo init --name thing .' 'cargo build -q --offline && ./target/debug/thing && rm -rf target' cargo
same "go build" 'printf "module x\ngo 1.16\n" >go.mod; printf "package main\nimport \"fmt\"\nfunc main() { fmt.Println(\"go\") }\n" >main.go' 'GOFLAGS=-mod=mod GOTOOLCHAIN=local go build -o x . && ./x' go
same "gdb on an own child" 'printf "int f(int x){return x+1;}\nint main(void){return f(41);}\n" >a.c; gcc -g -O0 -o a a.c' 'gdb -q -batch -ex "break f" -ex run -ex "print x" -ex continue ./a 2>&1 | grep -E "^.1 =|exited" | sed "s/process [0-9]*/process N/"' gdb
same "strace on an own child" ':' 'strace -e trace=openat -o log true; echo $?; grep -c openat log >/dev/null && echo traced; rm -f log' strace
same "mktemp and sort's temporary files" ':' 'f=$(mktemp) && seq 200000 | sort -S 1M -R | sort -n -S 1M | tail -1 && rm $f'
same "tar, gzip, find, xargs, awk" 'mkdir t && seq 1000 | split -l 10 - t/' 'tar czf t.tgz t && tar tzf t.tgz | sort | tail -2 && find t -type f -print0 | xargs -0 cat | sort -n | awk "{ s += \$1 } END { print s }" && rm t.tgz'

postgres=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
if [ -z "$postgres" ]; then
	skip "PostgreSQL: initdb, start, query over its socket" "postgresql is not installed"
else
	same "PostgreSQL: initdb, start, query over its socket (root: refused alike)" ':' \
		"export PATH=$postgres:\$PATH; initdb -D db -A trust -U me >/dev/null 2>log || { grep -o 'cannot be run as root' log; exit 1; }
		pg_ctl -D db -o '-k /tmp -c listen_addresses= -c max_connections=20' -w start >/dev/null && psql -h /tmp -U me -d postgres -Atc 'select 6 * 7; create table t as select generate_series(1, 1000) x; select sum(x) from t'; pg_ctl -D db -m fast stop >/dev/null; rm -rf db log"
fi
done_testing
