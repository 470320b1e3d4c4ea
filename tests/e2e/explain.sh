#!/bin/bash
# What is told of a run that was refused something: by --explain, in each form of --report, and
# before it by sbx why.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
mkdir -p "$HOME/own" "$HOME/data" "$work/read" "$HOME/.ssh"
echo key >"$HOME/.ssh/id"
printf '#!/bin/sh\necho tool\n' >"$HOME/own/tool" && chmod +x "$HOME/own/tool"
project=$(new_project)
cd "$project" || exit 1
explain() { # script: what it is told
	"$SBX" run --read "$work/read" --explain "${options[@]}" -- bash -c "$1" 2>&1 >/dev/null | grep '^sbx: \|^ran$'
}
options=()

# --- files, programs, sockets
rows=( # script | what is told
	"echo x >$work/read/f|blocked writing $work/read/f (bash): the directory is read-only in the box (--read); to allow: --write $work/read"
	"touch $work/read/f|blocked writing $work/read/f (touch): the directory is read-only in the box (--read); to allow: --write $work/read"
	"mkdir $work/read/d|blocked writing $work/read/d (mkdir): the directory is read-only in the box (--read); to allow: --write $work/read"
	"ln -s x $work/read/l|blocked writing $work/read/l (ln): the directory is read-only in the box (--read); to allow: --write $work/read"
	"mv file $work/read/|blocked writing $work/read (mv)"
	"mv file $HOME/data/x|blocked writing $HOME/data/x (mv): the directory is not in the box"
	"echo x >$HOME/data/x|blocked writing $HOME/data/x (bash): the directory is not in the box; to allow: --write $HOME/data"
	"cd $work/read && echo x >f|blocked writing $work/read/f (bash): the directory is read-only in the box"
	"cd $work/read && echo x >../read/./f|blocked writing $work/read/f (bash): the directory is read-only in the box"
	"ln -s $work/read to; echo x >to/f; rm to|blocked writing $project/to/f (bash): the directory is read-only in the box"
	"python3 -c 'import os; os.open(\"f\", os.O_CREAT, dir_fd=os.open(\"$work/read\", os.O_RDONLY))'|blocked writing $work/read/f (python3)"
	"echo evil >.git/hooks/post-merge|blocked writing $project/.git/hooks/post-merge (bash): the directory is read-only in the box (protect); to allow: --write $project/.git/hooks"
	"$HOME/own/tool|blocked running $HOME/own/tool (bash): is not in the box"
	"mkdir sub; ln -s $work/read/new sub/to; echo x >sub/one; echo x >sub/to; rm -r sub|blocked writing $project/sub/to (bash): the directory is read-only in the box (--read); to allow: --write $work/read"
	"for i in 1 2 3; do echo x >$work/read/f; done|blocked writing $work/read/f (bash), 3 times"
)
for row in "${rows[@]}"; do
	told=$(explain "${row%%|*}")
	case $told in
	"sbx: ${row#*|}"*) pass "told: ${row%%|*}" ;;
	*) fail "told: ${row%%|*}" "wanted: sbx: ${row#*|}
got:    $told" ;;
	esac
done
echo old >"$work/read/old"
like "what is there and read-only" "$(explain "echo x >>$work/read/old")" "writing $work/read/old "
is "what is there, by a link in a directory that was written" "sbx: blocked writing $project/sub/to (bash): is read-only in the box (--read); to allow: --write $work/read/old" "$(explain "mkdir sub; ln -s $work/read/old sub/to; echo x >sub/one; echo x >>sub/to; rm -r sub")"
is "what is read by a link in a directory that was read" "sbx: blocked reading $project/sub/to (cat): is not in the box; to allow: --read $HOME/.ssh/id" "$(explain "mkdir sub; ln -s ~/.ssh/id sub/to; echo x >sub/one; cat sub/one sub/to; rm -r sub")"
cat >other-root.py <<'P'
import ctypes, os, sys
assert ctypes.CDLL(None).unshare(0x10000000) == 0
os.mkdir("root")
os.chroot("root")
for path in sys.argv[1:]:
    try:
        open(path, "w")
    except OSError:
        pass
P
options=(--allow-syscalls namespaces)
is "a process with another root: its places are not the box's" "sbx: blocked writing $work/read/g (bash): the directory is read-only in the box (--read); to allow: --write $work/read" "$(explain "python3 other-root.py $work/read/f; rmdir root; echo x >$work/read/g")"
options=()
rm other-root.py
echo secret >secret.txt && options=(--hide ./secret.txt)
like "what is hidden" "$(explain "echo x >>secret.txt")" "writing $project/secret.txt .*is hidden"
options=()
rm secret.txt
python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); time.sleep(60)' "$HOME/s" &
server=$!
wait_for 20 test -S "$HOME/s"
connect="python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"$HOME/s\")'"
like "a socket of the host" "$(explain "$connect")" "blocked $HOME/s \(python3\): is not in the box; to allow: --socket $HOME/s"
options=(--socket "$HOME/s")
is "none when it is there" ran "$(explain "$connect; echo ran >&2")"
options=()
kill $server
python3 -c 'import socket, time
s = socket.socket(socket.AF_UNIX); s.bind("answers.sock"); s.listen(); time.sleep(60)' &
server=$!
wait_for 20 test -S answers.sock
like "plan: a program outside that listens in the project" "$("$SBX" plan -- true)" "a program outside answers the box at $project/answers.sock"
is "plan: but one that is hidden is not named" "hide 0" "$("$SBX" plan --hide ./answers.sock -- true | awk '/answers.sock/ && $1 == "hide" { hide = $1 } /program outside/ { n++ } END { print hide, n + 0 }')"
kill $server
rm answers.sock
is "nothing is told of what works, or fails on the host as well" ran \
	"$(explain 'echo x >file; mkdir d; rmdir d; : >/tmp/x; : >~/.y; cat /nowhere; : >/nowhere/x; echo 0 >/proc/self/oom_score_adj; echo x >/proc/self/uid_map; /proc/self/exe; nothing; ls >/dev/null; cat <file; echo ran >&2')"
like "without --explain the same is not told" "$("$SBX" run --read "$work/read" -- bash -c "echo x >$work/read/f" 2>&1)" "^bash: [^[:cntrl:]]*$work/read/f: [A-Z][a-z -]*$"
is "what was asked goes on as it would" "written tool" "$("$SBX" run --explain --read "$HOME/own" -- bash -c 'echo written >new; cat new; ~/own/tool; rm new' | xargs)"
is "threads and many processes" 200 "$("$SBX" run --explain -- bash -c 'for i in $(seq 200); do (echo $i >f-$i) & done; wait; ls f-* | wc -l; rm f-*')"
like "more than are listed singly" "$(explain "for i in \$(seq 300); do mkdir -p $work/read/\$i/x; done; for i in \$(seq 400); do ln -s x $HOME/data-\$i/x; done")" '^sbx: blocked writing '
status "the status is the command's" 3 "$SBX" run --explain -- sh -c 'exit 3'
refused_as "not in tier landlock" 'explain needs namespaces' "$SBX" run --explain --isolation landlock --project none -- true

# --- writes alone, after a command that failed: --refused-writes, and the profiles of agents' commands
refused() { # script, option...: what is said
	local script=$1
	shift
	"$SBX" run --read "$work/read" --refused-writes yes "$@" -- bash -c "$script" 2>&1 >/dev/null | grep '^sbx: '
}
touches="touch $work/read/f1 $work/read/f2 $work/read/f3 $work/read/f4 $work/read/f5 2>/dev/null"
seven="sbx: blocked writing $work/read/f1, $work/read/f2, $work/read/f3 and 2 more (touch): the directory is read-only in the box (--read); to allow: --write $work/read"
is "writes: the first three, and how many more" "$seven" "$(refused "$touches")"
is "writes: that flag allows them" "0 5" "$("$SBX" run --read "$work/read" --refused-writes yes --write "$work/read" -- bash -c "$touches"; echo $?) $(ls "$work"/read/f? | wc -l)"
rm -f "$work"/read/f?
is "writes: JSON has each" "f1 f2 f3 f4 f5" "$("$SBX" run --report json --read "$work/read" --refused-writes yes -- bash -c "$touches" 2>&1 | python3 -c 'import json, os, sys; print(*[os.path.basename(d["what"]) for d in json.load(sys.stdin)["denied"] if d["flag"] == "write" and d["value"] == os.path.dirname(d["what"])])')"
is "writes: nothing of a command that succeeded" "sbx: ran" "$(refused "$touches; echo sbx: ran >&2")"
is "writes: no reads, no programs" "sbx: ran" "$(refused "cat $HOME/data/none ~/.ssh/id; $HOME/own/tool; echo sbx: ran >&2; false")"
printf '[profile]\nextends = default\n[report]\nrefused-writes = yes\n' >"$work/writes.ini"
is "writes: by a line of a profile" "$seven" "$("$SBX" run -p "$work/writes.ini" --read "$work/read" -- bash -c "$touches" 2>&1)"
is "writes: to a model, with the line that its user could add" "the user could allow it: sbx profile add '[files] write = $work/read' -p $work/writes.ini" "$("$SBX" run -p "$work/writes.ini" --read "$work/read" --report agent -- bash -c "$touches" 2>&1 | sed -n 's/.*; \(the user could allow it.*\)/\1/p')"
is "writes: a flag takes them away" "ran" "$("$SBX" run -p "$work/writes.ini" --refused-writes no --read "$work/read" -- bash -c "echo ran; $touches" 2>&1)"
mkdir "$work/read/there" && touch "$work/read/there/file"
is "writes: what is refused by nothing but itself" "sbx: ran" "$(refused "echo sbx: ran >&2; cd $work/read; mkdir there; mkdir -p there; rm -f none; rmdir none; mv none some; ln -s x there/file; : >none/x; chmod +x none; truncate -s 0 /nowhere/x; false")"
like "writes: a file that is there" "$(refused "echo >>$work/read/there/file")" "writing $work/read/there/file \(bash\): is read-only in the box \(--read\); to allow: --write $work/read/there/file$"
like "writes: that is removed" "$(refused "rm -f $work/read/there/file")" "writing $work/read/there/file \(rm\): the directory is read-only in the box .*--write $work/read/there$"
like "writes: of the home" "$(refused "echo x >$HOME/data/new")" "writing $HOME/data/new \(bash\): the directory is not in the box; to allow: --write $HOME/data$"
is "writes: a home that cannot be written has no flag" "sbx: ran" "$(refused "echo sbx: ran >&2; mkdir $HOME/../x; false" | grep -e --write -e ran)"
for script in 'mkdir .claude/skills' 'echo b >.claude/agents/x.md' 'rm .claude/agents/x.md' 'chmod +x .claude/agents/x.md' \
	'mv .claude/agents/x.md .claude/agents/y.md' 'echo x >.git/hooks/post-merge' 'echo x >~/data/new' 'mkdir ~/data/directory'; do
	rm -rf .claude && mkdir -p .claude/agents && echo a >.claude/agents/x.md
	fix=$(refused "$script" | sed -n 's/.*; to allow: //p')
	is "writes: the flag lets it be done: $script" "--write 0" "${fix%% *} $("$SBX" run $fix -- bash -c "$script" >/dev/null 2>&1; echo $?)"
done
rm -rf .claude .git/hooks/post-merge "$HOME/data/new" "$HOME/data/directory"
cat >writes.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
static int directory;
static void *run(void *name) { openat(directory, name, O_WRONLY | O_CREAT, 0600); return 0; }
int main(int count, char **words)
{
	pthread_t thread;
	directory = open(words[1], O_PATH | O_DIRECTORY);
	pthread_create(&thread, 0, run, "by-thread");
	pthread_join(thread, 0);
	mkdirat(directory, "by-program", 0700);
	return count;
}
C
gcc -static -pthread -o writes writes.c
is "writes: of a static program, of a thread, relative to a descriptor" "sbx: blocked writing $work/read/by-thread, $work/read/by-program (writes): the directory is read-only in the box (--read); to allow: --write $work/read" "$(refused "./writes $work/read")"
printf 'all: prog\nprog: writes.o\n\tgcc -pthread -o $@ $^\n%%.o: %%.c\n\tgcc -c -o $@ $<\n' >Makefile
is "writes: nothing of a build and of git that fail" "sbx: ran" "$(refused "echo sbx: ran >&2; make; git add -A; git status; git commit -qm one; git commit -qm two; git checkout -b x; git gc -q; make clean none; python3 -c 'import json, none'" 2>&1)"
is "writes: while it runs, to a program" "write $work/read/live" "$("$SBX" run --read "$work/read" --refused-writes yes --report-fd 9 -- bash -c "echo x >$work/read/live; read -r -t 20 <gate" 2>/dev/null 9> >(head -1 | tee events | python3 -c 'import json, sys; d = json.loads(sys.stdin.readline()); print(d["kind"], d["what"])'; echo >gate) & wait_for 20 test -s events; wait; :)"
id=$("$SBX" run -d --read "$work/read" --refused-writes yes -- bash -c "until [ -e go ]; do sleep 0.1; done; $touches")
mkdir "$HOME/nest" && cp "$SBX" "$HOME/nest/sbx" && cp "$SBX" "$HOME/nest/other"
is "writes: a command that names sbx can make a box in it" "in" "$("$SBX" run --refused-writes yes --read "$HOME/nest" -- sh -c '~/nest/sbx run --project none -- echo in 2>/dev/null')"
like "writes: for another the message names the flag" "$("$SBX" run --refused-writes yes --read "$HOME/nest" -- sh -c '~/nest/other run --project none -- echo in' 2>&1)" '--refused-writes'
is "writes: where they cannot be named, a command that failed hears why" "sbx: refused writes are not named in this run: the command names sbx, whose box may need the kernel's one listener" "$(refused "sbx; false" 2>&1)"
is "writes: one that succeeded does not" "" "$(refused "sbx; true" 2>&1)"
is "writes: more than are listed: nothing of a command that succeeded, and another kind has its place" "blocked none.invalid:80" "$(refused "python3 -c 'import os
for i in range(900):
    try: os.mkdir(f\"$work/read/{i}/\")
    except OSError: pass'; curl -s http://none.invalid; true" | sed 's/^sbx: \(.*\) (curl).*/\1/')"
is "writes: which works" "in" "$("$SBX" run --refused-writes no --read "$HOME/nest" -- sh -c '~/nest/other run --project none -- echo in 2>/dev/null')"
rm -r "$HOME/nest"
idle=$("$SBX" run -d --refused-writes yes -- sleep 1000)
is "writes: no thread before the first question" 1 "$(sed -n 's/^Threads:[[:space:]]*//p' "/proc/$idle/status")"
"$SBX" kill "$idle" >/dev/null
is "writes: of sbx exec, when it failed" "${seven/to allow:/to allow in the next run:}" "$("$SBX" exec "$id" -- sh -c "$touches" 2>&1; "$SBX" exec "$id" -- sh -c "$touches; true" 2>&1)"
is "writes: of sbx exec, as JSON" "5" "$("$SBX" exec --json "$id" -- sh -c "$touches" | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["denied"]))')"
touch go
wait_for 20 eval '! "$SBX" ps -q 2>/dev/null | grep -q "$id"'
wait_for 20 eval '"$SBX" logs "$id" | grep -q "^sbx: blocked writing"'
is "writes: of a run in the background" "$seven" "$("$SBX" logs "$id" | grep '^sbx: blocked')"
rm -rf go writes writes.c prog ./*.o Makefile events "$work/read/there"

# --- forms of the report
refused="echo x >$work/read/f"
report() { "$SBX" run --read "$work/read" --explain --report "$1" -- bash -c "$refused; echo a >>Makefile; ${2:-true}" 2>&1 >/dev/null | grep -v '^bash'; }
echo all: >Makefile
sleep 0.1
is "never" ran "$(report never "echo ran >&2")"
like "short" "$(report short)" "to allow: --write $work/read"
like "short: what the host will run" "$(report short)" "changed, and your own programs will run it: Makefile"
like "full: with what it took" "$(report full)" '^sbx: took '
json=$(report json)
is "json: one object on one line: what was refused" "write $work/read/f bash 1 write files write $work/read" "$(printf '%s' "$json" | python3 -c '
import json, sys
d = json.load(sys.stdin)["denied"][0]
print(d["kind"], d["what"], d["program"], d["count"], d["flag"], d["section"], d["key"], d["value"])')"
is "json: what changed" '["Makefile"]' "$(printf '%s' "$json" | python3 -c 'import json, sys; print(json.dumps([f["path"] for f in json.load(sys.stdin)["findings"] if f["kind"] == "changed"]))')"
model=$(cd "$(new_project)" && report agent "exit 3") # a project of which this agent has heard nothing
like "model: the command that its user could run" "$model" "the user could allow it: sbx profile add '\[files\] write = $work/read'"
like "model: who runs it" "$model" "ask the user to run that command\$"
printf '[profile]\nextends = default\n' >"$work/mine.ini"
like "model: or for the file that was named" "$("$SBX" run -p "$work/mine.ini" --read "$work/read" --explain --report agent -- bash -c "$refused" 2>&1)" "sbx profile add .* -p $work/mine.ini$"
is "model: no flags, and nothing of switching off" "sbx profile add" "$(printf '%s\n' "$model" | sed 's/(--read)//' | grep -ioE -- '--[a-z]|disable|unprotected|without sbx|network host|sbx profile add' | sort -u)"
like "model: a limit" "$("$SBX" run --report agent --timeout 100ms -- sleep 9 2>&1)" 'limit timeout=100ms: .*; the user could raise it: \[limits\] timeout'
like "short: a limit" "$("$SBX" run --timeout 100ms -- sleep 9 2>&1)" 'raise it with --timeout'
printf '[profile]\nextends = default\n[files]\nwrite = %s\n' "$work/read" >"$work/own.ini"
is "that line allows it" ran "$("$SBX" run -p "$work/own.ini" --explain -- bash -c "$refused; echo ran" 2>&1)"
rm -f "$work/read/f"
like "model: what ran in the background" "$("$SBX" run --report agent -- sh -c 'sleep 9 >/dev/null 2>&1 &' 2>&1)" '^sbx: background programs ended with this command'
is "but not what it waited for, nor to people" "ran ran" "$("$SBX" run --report agent -- sh -c 'sleep 0.1 & wait; echo ran' 2>&1) $("$SBX" run -- sh -c 'sleep 9 >/dev/null 2>&1 & echo ran' 2>&1)"
mkdir -p "$HOME/own-tools" "$HOME/.local/bin"
unseen() { PATH=$HOME/.local/bin:$HOME/own-tools:$HOME/nowhere:$PATH "$SBX" run -- bash -c "$1" 2>&1; }
like "a program of a directory of PATH that the box does not have" "$(unseen own-tool)" "^sbx: these directories of your PATH are not in the box: $HOME/own-tools; "
is "told with that status alone" "126 127" "$(unseen 'exit 126'; echo $?) $("$SBX" run -- bash -c 'exit 127' 2>&1; echo $?)"
like "sbx-shell speaks to a model" "$("${SBX_TESTING%-testing}" run --report agent -a none.invalid -- curl -sS http://refused.invalid/ 2>&1)" '\[network\] allow = refused.invalid:80'

# A place of the host's that does not answer, as a server that is gone: FUSE without a server behind it.
if [ -w /dev/fuse ] && [ "$(id -u)" = 0 ]; then
	mkdir "$HOME/gone"
	begun=$(date +%s)
	is "a place that does not answer keeps no limit waiting" 124 "$(timeout -s KILL 30 python3 -c '
import ctypes, os, struct, subprocess, sys, threading
libc = ctypes.CDLL(None)
place = sys.argv[1].encode()
libc.unshare(0x20000)
libc.mount(b"none", b"/", None, 0x44000, None)
fuse = os.open("/dev/fuse", os.O_RDWR)
assert libc.mount(b"gone", place, b"fuse", 0, b"fd=%d,rootmode=40000,user_id=0,group_id=0" % fuse) == 0
def serve():
    for reply in (struct.pack("<4I2H2I2H8I", 7, 31, 4096, 0, 1, 1, 4096, 1, 1, 0, *[0] * 8),
                  struct.pack("<QII6Q10I", 1 << 30, 0, 0, 1, 0, 0, 0, 0, 0, *[0] * 3, 0o40755, 2, *[0] * 5)):
        unique = struct.unpack_from("<IIQ", os.read(fuse, 65536))[2]
        os.write(fuse, struct.pack("<IiQ", 16 + len(reply), 0, unique) + reply)
thread = threading.Thread(target=serve)
thread.start()
os.stat(place)
thread.join()
print(subprocess.run(sys.argv[2:], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode)
' "$HOME/gone" "$SBX" run --explain --timeout 2s -- bash -c "echo x >$HOME/gone/x")"
	check "and the run ends in time" [ $(($(date +%s) - begun)) -le 15 ]
	rmdir "$HOME/gone"
fi

# --- why
why() { "$SBX" why "$@" 2>&1; }
like "why: scratch" "$("$SBX" why --overlay . ./file)" "^$project/file can be read; writes are discarded at the end \(--overlay\)"
is "why: hidden, and no option shows it" "$project/file is hidden (--hide)
  no option shows it" "$("$SBX" why --hide ./file ./file)"
is "why: protected, and no option lets it be written" "$project/file can be read, not written (--protect)
  no option lets it be written (--protect)" "$("$SBX" why --protect ./file --write ./file ./file)"
is "explain: what no option lets be written has none" "sbx: blocked writing $project/file (sh): is read-only in the box (--protect)" "$("$SBX" run --explain --protect ./file -- sh -c 'exec 2>/dev/null; echo x >file' 2>&1)"
is "why: left out by a line" '$LANG is withheld: the profile leaves it out
  to pass it: --pass-env LANG' "$(LANG=C "$SBX" why --unset-env LANG '$LANG')"
like "why: the project" "$(why ./file)" "^$project/file can be read and written \(project\)"
like "why: the system" "$(why /usr/bin/env)" '^/usr/bin/[a-z]+ can be read, not written \(base.ini \(built in\), line [0-9]+\)'
like "why: the home" "$(why '~/data/x')" "^$HOME/data/x is not in the box: .*temporary"
touch "$HOME/data/x"
like "why: and what would show it" "$(why '~/data/x')" "to read it: +--read $HOME/data/x"
like "why: a secret of a readable home" "$(why --read "$HOME" '~/.ssh/id')" "^$HOME/.ssh/id is hidden \(secrets.ini"
mkdir -p "$HOME/data/w"
like "why: named before the line that hides it" "$(why --write "$HOME/data/w" --hide-unless-named "$HOME/data" "$HOME/data/w")" '--write names it, but a later line hides it \(--hide-unless-named\)$'
like "why: and the flag that is put behind it" "$(why --write "$HOME/data/w" --hide-unless-named "$HOME/data" "$HOME/data/w")" "put behind that line: --write $HOME/data/w\$"
like "why: and behind it it can be written" "$(why --hide-unless-named "$HOME/data" --write "$HOME/data/w" "$HOME/data/w")" "^$HOME/data/w can be read and written \(--write\)\$"
like "why: a protected name" "$(why .git/hooks)" 'can be read, not written \(protect\)'
like "why: a name that is not there yet, in a directory that is read-only" "$(why .git/hooks/new)" "to write it: --write $project/.git/hooks\$"
is "why: and with what it prints it can be made" made "$("$SBX" run --write "$project/.git/hooks" -- sh -c 'echo >.git/hooks/new && echo made'; rm -f .git/hooks/new)"
like "why: /tmp" "$(why /tmp)" 'private to the box'
like "why: what nothing names" "$(why /srv/x)" '^/srv/x is not in the box: no line names it'
ln -s /etc/hostname link
like "why: a link is followed" "$(why ./link)" "^$project/link leads to /etc/hostname"
rm link
like "why: a host" "$(why example.org)" 'example.org, port 443, cannot be reached: not in the allowlist'
like "why: with a flag" "$(why -a example.org:80 example.org:80)" 'can be reached \(example.org:80; --allow\)'
like "why: another port" "$(why -a example.org:80 example.org)" 'cannot be reached'
like "why: by a group" "$(why -a @github github.com)" 'can be reached \(github.com: '
like "why: denied" "$(why -a '*.example.org' --deny x.example.org x.example.org)" 'is denied \(x.example.org\)'
like "why: an address that a wide line does not open" "$(why -a 8.0.0.0/5 -a 0.0.0.0/0 10.9.9.9)" 'cannot be reached: a rule so wide does not open this address'
like "why: but its own does, wherever it stands" "$(why -a 0.0.0.0/0 -a 10.9.9.9 10.9.9.9)" 'can be reached \(10.9.9.9; --allow\)'
is "why: the loopback is the box's own" "127.0.0.1:80, port 80, is the box's own
  to reach the host's: --host-port 80" "$(why 127.0.0.1:80)"
is "why: by its name" "localhost:80, port 80, is the host's (--host-port)" "$(why --host-port 80 localhost:80)"
like "why: in tier landlock it is nobody's" "$(why --isolation landlock --no-protect localhost:80)" '^localhost:80, port 80, cannot be reached$'
like "why: mode host" "$(why --network host 10.9.9.9)" 'can be reached as on the host'
like "why: no network" "$(why --network none example.org)" 'mode none'
like "why: a secret variable" "$(GH_TOKEN=x why '$GH_TOKEN')" '^\$GH_TOKEN is withheld: .*'
like "why: a harmless one" "$(why '$HOME')" 'is passed'
like "why: one that is not there" "$(why '$NOTHING_HERE')" 'is not set here'
status "why: no host" 125 "$SBX" why '*.example.org'
done_testing
