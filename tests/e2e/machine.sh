#!/bin/bash
# What programs use of a run: --status-fd, --die-with-parent, run --json; and what a box or a bad reader does against it.
. "$(dirname "$0")/../lib.sh"
own=$(cd "$(dirname "$0")" && pwd)
export XDG_STATE_HOME=$work/state
mkdir -m 700 "$XDG_STATE_HOME"
project=$(new_project)
cd "$project" || exit 1

# --- --status-fd
events() { # OPTIONS AND COMMAND: the lines; of the run nothing else
	"$SBX" run --status-fd 5 "$@" 5>&1 >/dev/null 2>&1 </dev/null | cat
}
names() { python3 -c '
import json, sys
print(*(json.loads(line)["event"] for line in sys.stdin))'; }
member() { # EVENT MEMBER...
	python3 -c '
import json, sys
for e in map(json.loads, sys.stdin):
    if e["event"] == sys.argv[1]: print(*(e.get(m) for m in sys.argv[2:]))' "$@"
}
is "the start and the exit, and no report" "started exit" "$(events -- true | names)"
is "the exit as bubblewrap names it" "3 3 exit" "$(events -- sh -c 'exit 3' | member exit exit-code status end)"
is "each denial" "started denied denied exit" "$(events -- curl -s http://one.invalid/ http://two.invalid/ | names)"
is "a limit" "limit timeout 300" "limit $(events --timeout 300ms -- sleep 60 | member limit name limit)"
is "the status at a limit" "124 limit" "$(events --timeout 300ms -- sleep 60 | member exit exit-code end)"
is "a command that is not there has no start" "exit" "$(events -- ./nowhere-to-be-found | names)"
is "its status" 127 "$(events -- ./nowhere-to-be-found | member exit exit-code)"
is "lines are those of sbx-json(5)" "1 text" "$(events --timeout 1s -- sh -c 'curl -s http://one.invalid/; sleep 60' | "$own/json_form.py" event)"
like "the same in a lower tier" "$(sh -c 'exec 5>&1 >/dev/null; "$SBX" run --isolation landlock --no-protect --status-fd 5 -- true 2>/dev/null | cat')" '"event":"exit"'
# The pid is that of the box's first process, while it lives.
mkfifo lines
"$SBX" run --status-fd 5 -- sh -c 'while [ ! -e go ]; do sleep 0.05; done' 5> >(cat >"$work/lines") &
run=$!
rm lines
wait_for 30 grep -q started "$work/lines"
is "the start is there while the command runs" started "$(names <"$work/lines")"
pid=$(member started child-pid <"$work/lines")
is "its pid is a child of sbx" "$run" "$(ps -o ppid= -p "${pid:-0}" | xargs)"
is "and so its first process in the box" 1 "$(awk '/^NSpid/ { print $NF }' "/proc/${pid:-0}/status")"
touch go
wait "$run"
rm go

# --- --status-fd, hostile
refused() { # NAME, WORDS, COMMAND...: nothing ran
	local name=$1 words=$2 output
	shift 2
	output=$("$@" 2>&1 </dev/null)
	is "refused, and it says why: $name" "125 said" "$? $(grep -Eq -- "$words" <<<"$output" && echo said)"
	[ ! -e ran ] || { fail "it ran: $name" && rm ran; }
}
for fd in 0 1 2; do
	refused "descriptor $fd" "expected a number from 3 to" "$SBX" run --status-fd "$fd" -- touch ran
done
refused "a closed one" "descriptor 77 is not open" "$SBX" run --status-fd 77 -- touch ran
refused "one that is open for reading" "not open for writing" sh -c 'exec "$SBX" run --status-fd 5 -- touch ran 5</etc/passwd'
refused "the pipe that is the command's stdout" "where descriptor 1 of the command goes" bash -c '"$SBX" run --status-fd 5 -- touch ran 5>&1 2>"$1/said" | cat; status=${PIPESTATUS[0]}; cat "$1/said"; exit $status' - "$work"
refused "the command's own" "by --preserve-fd; --status-fd needs another one" sh -c 'exec "$SBX" run --preserve-fd 5 --status-fd 5 -- touch ran 5>"$0/x"' "$work"
refused "a file that the box may write" "which the box may write|where boxes write" sh -c 'exec "$SBX" run --status-fd 5 -- touch ran 5>forged'
refused "a terminal or device" "not a pipe, socket or regular file" sh -c 'exec "$SBX" run --status-fd 5 -- touch ran 5>/dev/zero'
refused "two ways at once" "cannot be given together" sh -c 'exec "$SBX" run --status-fd 5 --report-fd 5 -- touch ran 5>"$0/x"' "$work"
"$SBX" run --status-fd 5 -- bash -c 'for fd in /proc/self/fd/* /proc/1/fd/* /proc/[0-9]*/fd/*; do echo forged >"$fd"; done 2>/dev/null
	for fd in {3..255}; do eval "echo forged >&$fd"; done 2>/dev/null; ls /proc/self/fd >has' 5>"$work/kept" >/dev/null 2>&1
is "the command cannot write to it by any number, and has no such descriptor" "started exit no" "$(names <"$work/kept") $(grep -qx 5 has && echo yes || echo no)"
# A pipe that is full before the run, and one that is filled by a flood; nobody reads either.
flood='curl -s -o /dev/null "http://h[1-200].invalid/"; touch all; exit 4'
cat >"$work/unread.py" <<'PY'
import fcntl, json, os, subprocess, sys, time
reader, writer = os.pipe()
fcntl.fcntl(writer, 1031, 4096)
if sys.argv[1] == "full":
    os.write(writer, b"\n" * 4096)
child = subprocess.Popen([os.environ["SBX"], "run", "--status-fd", str(writer), "--", "sh", "-c", sys.argv[2]],
                         pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
os.close(writer)
if sys.argv[1] == "gone":
    os.close(reader)
end = time.time() + 60
while not os.path.exists("all") and time.time() < end:
    time.sleep(0.02)
done = os.path.exists("all")
data = b""
if sys.argv[1] == "flood":
    while got := os.read(reader, 65536):
        data += got
status = child.wait(60)
lines = [json.loads(line) for line in data.splitlines() if line.strip()]
print(done, status, *([len([e for e in lines if e["event"] == "denied"]) + lines[-1]["lost"], lines[0]["event"]] if lines else []))
PY
is "a full pipe that nobody reads ends nothing" "True 4" "$(python3 "$work/unread.py" full "$flood")"
rm -f all
is "a flood of denials: each is told or counted" "True 4 200 started" "$(python3 "$work/unread.py" flood "$flood")"
rm -f all
is "a reader that goes away ends nothing" "True 4" "$(python3 "$work/unread.py" gone 'sleep 0.3; curl -s http://x.invalid/; touch all; exit 4')"
rm -f all

# --- --die-with-parent
cat >"$work/parent.py" <<'PY'
import os, signal, subprocess, sys, threading, time
how, script = sys.argv[1], sys.argv[2]
words = [os.environ["SBX"], "run", *sys.argv[3:], "--", "bash", "-c", script]
def start():
    child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=open(os.environ["OUT"], "w"), stderr=subprocess.STDOUT)
    print(child.pid, flush=True)
if how == "thread":
    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
else:
    start()
end = time.time() + 30
while not os.path.exists("begun") and time.time() < end:
    time.sleep(0.02)
if how == "stopped":
    os.kill(int(open("/proc/self/task/%d/children" % os.getpid()).read().split()[0]), signal.SIGSTOP)
if how == "thread":
    time.sleep(1)
    print(os.path.exists("beat") and time.time() - os.stat("beat").st_mtime < 0.7, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
PY
export OUT=$work/out
beats='while :; do touch beat; sleep 0.1; done'
gone() { ! kill -0 "$1"; }
orphan() { # HOW SCRIPT OPTION...: the pid of sbx in $run, what was printed after it in $said
	rm -f begun beat ended
	{ read -r run; read -r said; } < <(python3 "$work/parent.py" "$@" 2>/dev/null)
	wait_for 30 test -e begun
}
orphan dies "trap 'touch ended; exit 0' TERM; touch begun; $beats" --die-with-parent
is "the run ends with its parent" yes "$(wait_for 30 gone "$run" && echo yes)"
is "its command was asked to" yes "$([ -e ended ] && echo yes)"
like "it says why" "$(cat "$OUT")" "^sbx: the process that started sbx has ended, and the run was ended with it$"
orphan dies "trap '' TERM; touch begun; $beats" --die-with-parent
is "a command that ignores SIGTERM is killed" yes "$(wait_for 30 gone "$run" && sleep 0.5 && rm beat && sleep 0.5 && [ ! -e beat ] && echo yes)"
orphan thread "touch begun; $beats" --die-with-parent
is "the end of the thread that started it is not the end" True "$said"
is "but that of the process is" yes "$(wait_for 30 gone "$run" && echo yes)"
orphan stopped "touch begun; $beats" --die-with-parent
is "sbx that is stopped wakes up and ends" yes "$(wait_for 30 gone "$run" && echo yes)"
orphan dies "touch begun; $beats"
sleep 1
is "without it the run goes on" yes "$(kill -0 "$run" && echo yes)"
kill "$run"
wait_for 30 gone "$run"
orphan dies "touch begun; $beats" --die-with-parent --isolation landlock --no-protect
is "in a lower tier" yes "$(wait_for 30 gone "$run" && echo yes)"
is "a parent that lives changes nothing" "5" "$("$SBX" run --die-with-parent -- sh -c 'exit 5'; echo $?)"
# A parent outside of the pid namespace has no number here.
if unshare -Ur --pid --fork --mount-proc true 2>/dev/null; then
	unshare -Ur --pid --fork --mount-proc sleep 60 &
	space=$!
	wait_for 30 pgrep -P "$space"
	inner=$(pgrep -P "$space" | head -1)
	like "a parent in another pid namespace is refused" "$(nsenter -U --preserve-credentials -p -t "$inner" "$SBX" run --die-with-parent -- true 2>&1)" "is in another pid namespace, and cannot be watched"
	kill -9 "$inner"
else
	skip "a parent in another pid namespace is refused" "no namespaces here"
fi

# --- sessions
if "$SBX" session create one >/dev/null 2>&1; then
	mkdir -p "$work/elsewhere" sub
	like "a session's run from elsewhere says where it runs" "$(cd "$work/elsewhere" && "$SBX" run -s one -- true 2>&1)" "^sbx: .*the command runs in '$project', the project of session 'one'"
	is "not in its project" "one two" "$("$SBX" run -s one -- echo one 2>&1) $(cd sub && "$SBX" run -s one -- echo two 2>&1)"
else
	skip "a session's run from elsewhere says where it runs" "sessions need a file system that this machine has not"
	skip "not in its project" "the same"
fi
is "a session of an image: what to do instead, and no session made" "sbx has no images; to install packages: sbx session create --as-root NAME" "$("$SBX" session create --from image.tar two 2>&1 | grep -o 'sbx has no images; to install packages: sbx session create --as-root NAME'; "$SBX" session list 2>/dev/null | grep -w two)"

done_testing
