#!/bin/bash
# sbx exec: one more command in a box that lives, behind all walls of the first one.
. "$(dirname "$0")/../lib.sh"
export XDG_STATE_HOME=$work/state HOME=$work/home
mkdir -m 700 "$XDG_STATE_HOME" "$HOME"
mkdir "$HOME/.ssh"
echo key >"$HOME/.ssh/id_rsa"
project=$(new_project)
cd "$project" || exit 1
echo hidden >.secret
mkdir sub
begin() { "$SBX" run -d "$@" -- sh -c 'trap "exit 3" TERM; echo $$ >first; echo ready; while :; do sleep 0.1; done'; }
gone() { ! "$SBX" ps | awk '{ print $1 }' | grep -qx "$1"; }
inside() { "$SBX" exec "$run" -- "$@"; }
said() { # its status, and what it says
	local got
	got=$("$@" 2>&1)
	echo "$? $got"
}

run=$(SECRET_TOKEN=t0ken HERE=first begin --hide .secret -e GIVEN=1 --memory 300M --pids 60 --open-files 128 --network none)
wait_for 30 test -s first

# --- it is the same box
is "it runs, with its words" "a b|c" "$(inside printf '%s|%s' 'a b' c)"
is "its status" 7 "$(inside sh -c 'exit 7'; echo $?)"
is "a status from a signal" 143 "$(sh -c '"$@"; exit $?' - "$SBX" exec "$run" -- sh -c 'kill -TERM $$'; echo $?)"
is "the same pid namespace: the first command is there" "sh" "$(inside sh -c 'cat /proc/$(cat first)/comm')"
ns='for n in pid net mnt user ipc uts cgroup; do [ "$(readlink /proc/self/ns/$n)" = "$(readlink /proc/$(cat first)/ns/$n)" ] || echo "another $n"; done; echo same'
is "the same namespaces" same "$(inside sh -c "$ns")"
is "pid 1 is its parent" 1 "$(inside sh -c 'echo $PPID')"
is "the first command's directory" "$project" "$(inside pwd)"
is "another one" "$project/sub $project/sub" "$("$SBX" exec -C "$project/sub" "$run" -- sh -c 'echo "$(pwd) $PWD"')"
is "one as seen from there" "$project/sub $project/sub" "$("$SBX" exec -C sub "$run" -- sh -c 'echo "$(pwd) $(env | sed -n s/^PWD=//p)"')"
is "one that the box has not" "125 sbx: --chdir: '$HOME/.ssh' in run $run: No such file or directory" "$(said "$SBX" exec -C "$HOME/.ssh" "$run" -- pwd)"
is "a command that the box has not, in the words of run" "127 sbx: cannot run 'no-such-program' in run $run: No such file or directory" "$(said "$SBX" exec "$run" -- no-such-program)"
is "a relative one" "125 sbx: --chdir: 'no/such' in run $run: No such file or directory" "$(said "$SBX" exec -C no/such "$run" -- pwd)"
is "the first command's variables, not the caller's" "first 1 - -" "$(HERE=second MORE=2 inside sh -c 'echo "$HERE $GIVEN ${MORE:--} ${SECRET_TOKEN:--}"')"
is "variables that are given" "a b 2" "$("$SBX" exec -e "HERE=a b" -e GIVEN=2 "$run" -- sh -c 'echo "$HERE $GIVEN"')"
is "its own variables appear once" 1 "$("$SBX" exec -e HERE=x "$run" -- sh -c 'tr "\0" "\n" </proc/$$/environ' | grep -c ^HERE=)"

# --- each wall, from inside
status_lines() { awk '/^(NoNewPrivs|Seccomp|CapInh|CapPrm|CapEff|CapBnd|CapAmb):/ { print $1 $2 }' "$1"; }
is "no new privileges, a filter, no capability" "$(inside cat "/proc/$(cat first)/status" | status_lines /dev/stdin)" "$(inside cat /proc/self/status | status_lines /dev/stdin)"
like "which are these" "$(inside cat /proc/self/status | status_lines /dev/stdin | xargs)" '^CapInh:0+ CapPrm:0+ CapEff:0+ CapBnd:0+ CapAmb:0+ NoNewPrivs:1 Seccomp:2$'
is "limits as the first one's" "$(inside sh -c 'cat /proc/$(cat first)/limits')" "$(inside cat /proc/self/limits)"
is "open files" 128 "$(inside sh -c 'ulimit -n')"
is "a hidden file" 1 "$(inside cat .secret >/dev/null 2>&1; echo $?)"
is "a key in the home" 1 "$(inside cat "$HOME/.ssh/id_rsa" >/dev/null 2>&1; echo $?)"
is "a hook of git" 1 "$(inside sh -c 'echo x >.git/hooks/pre-commit' >/dev/null 2>&1; echo $((! ! $?)))"
is "the state directory" 1 "$(inside ls "$XDG_STATE_HOME" >/dev/null 2>&1; echo $((! ! $?)))"
is "the network" 1 "$(inside bash -c ': </dev/tcp/192.0.2.1/80' >/dev/null 2>&1; echo $?)"
is "its interfaces" lo "$(inside sh -c 'ls /sys/class/net 2>/dev/null || sed -n "s/^ *\([a-z0-9]*\):.*/\1/p" /proc/net/dev' | xargs)"
is "no mount, no namespace" "1 1" "$(inside mount -t tmpfs none /tmp >/dev/null 2>&1; echo $((! ! $?))) $(inside unshare -U true >/dev/null 2>&1; echo $((! ! $?)))"
like "the kernel's keyrings" "$(inside python3 -c 'import ctypes; l = ctypes.CDLL(None, use_errno=True); l.syscall(250, 0, 0); print(ctypes.get_errno())')" '^(1|38)$'
is "Landlock: files that the view has read-only" 1 "$(inside sh -c 'echo x >/usr/x' >/dev/null 2>&1; echo $((! ! $?)))"
like "a number of processes" "$(inside python3 -c 'import os, signal
made = []
try:
    for i in range(80):
        child = os.fork()
        if not child: signal.pause()
        made.append(child)
    print("no limit")
except OSError: print("limit")
for child in made: os.kill(child, 9), os.waitpid(child, 0)')" '^limit$'
is "pid 1 cannot be traced, nor read" "1 1" "$(inside sh -c 'cat /proc/1/environ >/dev/null 2>&1; echo $?') $(inside sh -c 'ls /proc/1/fd/ 2>/dev/null | grep -q . ; echo $?')"
is "no descriptor but its own three" "0 1 2" "$(inside python3 -c 'import os; print(*sorted(int(f) for f in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + f)))')"

# --- nothing of the caller's goes in
is "pipes" "pipe pipe pipe" "$(inside sh -c 'for f in 0 1 2; do readlink /proc/self/fd/$f; done | cut -d: -f1 | xargs' </dev/null 2>"$work/err")"
cat >"$work/terminal.py" <<'P'
import os, pty, sys
def read(fd):
    try: return os.read(fd, 65536)
    except OSError: return b""
pid, terminal = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
text = b""
while chunk := read(terminal): text += chunk
os.waitpid(pid, 0)
print(text.decode().replace("\r", ""), end="")
P
is "nor the terminal" "not a tty none pipe" "$(python3 "$work/terminal.py" "$SBX" exec "$run" -- sh -c 'tty; (: >/dev/tty) 2>/dev/null || echo none; readlink /proc/self/fd/2 | cut -d: -f1' | xargs)"
"$SBX" exec "$run" -- sh -c 'echo $$ >other; sleep 1357' &
client=$!
wait_for 30 test -s other
is "another process of the box finds pipes alone" "pipe pipe pipe" "$(inside sh -c 'for f in /proc/$(cat other)/fd/*; do readlink $f; done | cut -d: -f1 | xargs')"
kill $client
wait $client
is "a signal of the caller ends it" 143 $?


# --- stdin is the command's own, as with sbx run
seq 5 >"$work/list"
is "a loop reads its own lines" "1 2 3 4 5" "$(while read -r line; do inside echo "$line"; done <"$work/list" | xargs)"
is "from a pipe, too" "1 2 3 4 5" "$(seq 5 | while read -r line; do inside echo "$line"; done | xargs)"
is "what it reads is gone, and no more" "in 1 in 2 3" "$({ inside sh -c 'echo in; head -c 2'; inside sh -c 'echo in; head -c 2'; cat; } <"$work/list" | head -5 | xargs)"
is "the rest of a script runs" "in the rest" "$(printf '"$SBX" exec %s -- echo in\necho the rest\n' "$run" | bash | xargs)"
is "a script for a shell of the box" hi "$(printf 'echo hi\n' | inside sh -s)"
is "a socket" hi "$(python3 -c 'import socket, subprocess, sys; a, b = socket.socketpair(); a.sendall(b"hi"); a.shutdown(1); print(subprocess.run(sys.argv[1:], stdin=b, capture_output=True, text=True).stdout)' "$SBX" exec "$run" -- cat)"
is "a directory leads out of the box" "125 sbx: descriptor 0 is a directory, which would lead out of the box; give it another: 0</dev/null" "$(said inside true <"$project")"
is "a device is none of the box's files" "pipe:" "$(inside sh -c 'readlink /proc/self/fd/0 | grep -o pipe:' </dev/zero)"
is "its flags are given back" "set 0" "$(: | { inside python3 -c 'import fcntl, os; fcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK); print("set")'; python3 -c 'import fcntl, os; print(fcntl.fcntl(0, fcntl.F_GETFL) & os.O_NONBLOCK)'; } | xargs)"
is "-i has no meaning" "in in" "$({ echo in | "$SBX" exec -i "$run" -- cat; echo in | "$SBX" exec --interactive "$run" cat; } | xargs)"

# --- streams
is "stdin" "$(seq 100000 | sha256sum)" "$(seq 100000 | inside cat | sha256sum)"
is "an empty stdin" 0 "$(inside wc -c </dev/null)"
is "a large output" "$(head -c 50000000 /dev/zero | sha256sum)" "$(inside head -c 50000000 /dev/zero | sha256sum)"
is "both ways at once" "$(seq 300000 | sha256sum)" "$(seq 300000 | inside sh -c 'cat; cat /proc/self/comm >&2' 2>/dev/null | sha256sum)"
is "stderr apart" "out err" "$(inside sh -c 'echo out; echo err >&2' 2>"$work/err" | xargs) $(cat "$work/err")"
is "a reader that leaves" 0 "$(inside seq 10000000 | head -1 | grep -c '^1$' >/dev/null; echo $?)"
is "a command that does not read" 0 "$(seq 1000000 | inside true; echo $?)"
is "what a command leaves does not hold it" "left 0" "$({ inside sh -c 'sleep 1357 & echo $! >left; echo left'; echo $?; } | xargs)"
is "but lives in the box" sleep "$(inside sh -c 'cat /proc/$(cat left)/comm')"
inside sh -c 'kill $(cat left)'
many=$(seq 20000)
# shellcheck disable=SC2086 # words
is "many words" 20000 "$(inside sh -c 'echo $#' - $many)"

# --- what is denied
net=$("$SBX" run -d -- sh -c 'echo up; until [ -e noise ]; do sleep 0.05; done; curl -s http://noise.invalid >/dev/null; echo >made; while :; do sleep 0.1; done')
"$SBX" logs -f "$net" >"$work/followed" 2>&1 &
follower=$!
denied() { "$SBX" exec "$net" -- "$@" 2>&1 >/dev/null | sed -n 's/^sbx: blocked \([^ ]*\) .*to allow: sbx allow [0-9]* .*/\1/p' | xargs; }
is "what its command is denied is said to who called" "one.invalid:80" "$(denied curl -s http://one.invalid)"
is "the second time, too" "one.invalid:80" "$(denied curl -s http://one.invalid)"
is "once for a command, also below another session" "two.invalid:80" "$(denied sh -c 'setsid -w curl -s http://two.invalid; curl -s http://two.invalid')"
(denied sh -c 'sleep 0.3; curl -s http://three.invalid' >"$work/three") &
other=$!
is "each of two its own" "four.invalid:80 three.invalid:80" "$(denied sh -c 'sleep 0.3; curl -s http://four.invalid') $(wait_for 30 test -s "$work/three"; cat "$work/three")"
wait_for 30 eval 'grep -q three.invalid "$work/followed" && grep -q four.invalid "$work/followed"'
is "logs -f shows it while the box lives" "one two three four" "$(for n in one two three four; do grep -q "^sbx: blocked $n.invalid" "$work/followed" && echo $n; done | xargs)"
is "what others of the box are denied is not the command's" "made" "$(denied sh -c 'echo >noise; until [ -e made ]; do sleep 0.05; done')$(ls made)"
is "JSON has it" "one.invalid:80 2 allow" "$("$SBX" exec --json "$net" -- sh -c 'curl -s http://one.invalid; curl -s http://one.invalid; :' | python3 -c 'import json, sys; print(*[(d["what"], d["count"], d["flag"]) for d in json.load(sys.stdin)["denied"]][0])')"
group=$("$SBX" exec "$net" -- curl -s http://registry.npmjs.org 2>&1 | sed -n 's/.*to allow: \(sbx allow .*\)/\1/p')
is "what it says opens the group for the box" "sbx allow $net @npm 0" "$group $(eval "\"$SBX\" ${group#sbx }"; echo $?)"
records=${XDG_STATE_HOME:-$HOME/.local/state}
mkdir -p "$work/other-home" && echo 'registry=https://private.invalid/' >"$work/other-home/.npmrc"
like "but not where a file of the user's names its hosts" "$(XDG_STATE_HOME=$records HOME=$work/other-home "$SBX" allow "$net" @npm 2>&1; echo $?)" "/.npmrc' sets the hosts of @npm; allow them by name: sbx allow $net HOST
125"
for own in localhost:8891 127.0.0.1:8891; do
	is "the box itself is no destination ($own)" "125 sbx: $own is the box itself; for a port of this machine, as localhost: --host-port 8891" "$("$SBX" allow "$net" $own 2>"$work/err"; echo "$? $(cat "$work/err")")"
done
wait_for 30 grep -q npmjs "$work/followed"
"$SBX" kill "$net" >/dev/null
wait $follower
is "and the run's end lists none of them again" "6" "$(grep -c '^sbx: blocked' "$work/followed")"
rm -f noise made
run2=$("$SBX" run -d --explain -- sleep 1000)
like "a file, with --explain" "$("$SBX" exec "$run2" -- cat "$HOME/.ssh/id_rsa" 2>&1)" "sbx: blocked reading .*id_rsa"
"$SBX" kill "$run2" >/dev/null

echo "github.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl" >"$HOME/.ssh/known_hosts"
eval "$(ssh-agent)" >/dev/null && ssh-keygen -qt ed25519 -N "" -f "$HOME/.ssh/own" && ssh-add -q "$HOME/.ssh/own"
run2=$("$SBX" run -d --agent-key "$HOME/.ssh/own.pub" --agent-host github.com -- sleep 1000)
"$SBX" exec "$run2" -- ssh-add -q -D >/dev/null 2>&1
"$SBX" exec "$run2" -- sh -c 'ssh-add -q -D; until [ -e heard ]; do sleep 0.05; done' </dev/null >"$work/agent" 2>&1 &
other=$!
wait_for 30 grep -q '^sbx: blocked removing all keys' "$work/agent"
is "what the ssh-agent's door refuses is said while the command runs" "sbx: blocked removing all keys from your ssh-agent: a box can list keys and log in; do it outside" "$(grep 'removing all' "$work/agent")"
echo >heard && wait $other
is "and is in its JSON" "agent removing all keys from your ssh-agent 1" "$("$SBX" exec --json "$run2" -- ssh-add -q -D 2>/dev/null | python3 -c 'import json, sys; print(*["%(kind)s %(what)s %(count)s" % d for d in json.load(sys.stdin)["denied"]][:1])')"
is "exec -t says it" 1 "$(script -qec "'$SBX' exec -t $run2 -- ssh-add -q -D" /dev/null </dev/null | grep -c '^.*sbx: blocked removing all keys')"
is "but not what another was refused" "" "$("$SBX" exec "$run2" -- ssh-add -q -l 2>&1 >/dev/null)"
"$SBX" kill "$run2" >/dev/null
ssh-agent -k >/dev/null
rm -f heard

# --- the end of a client
(exec "$SBX" exec "$run" -- sh -c 'trap "" TERM HUP INT; echo $$ >killed; while :; do sleep 0.1; done') &
client=$!
wait_for 30 test -s killed
kill -9 $client
wait $client 2>/dev/null
wait_for 30 inside sh -c '! [ -e /proc/$(cat killed) ]' && pass "a client that is killed: so is its command" || fail "a client that is killed: so is its command"
for i in 1 2 3 4 5 6 7 8; do (inside sh -c "sleep 0.3; echo $i; exit $i" >"$work/parallel-$i"; echo $? >>"$work/parallel-$i") & done
wait
is "eight at once" "1 1 2 2 3 3 4 4 5 5 6 6 7 7 8 8" "$(cat "$work"/parallel-* | xargs)"

# --- 64 at once, and what is refused says why
mkfifo gate
run_before=$run
run=$("$SBX" run -d --network none -- sleep 1357)
for i in {1..66}; do (inside sh -c 'echo >began-$$; read -r line <gate' 2>"$work/many-$i"; echo $? >>"$work/many-$i") & done
began() { set -- began-*; [ $# -ge 64 ]; }
wait_for 60 began
wait_for 60 eval '[ "$(cat "$work"/many-* | wc -l)" -ge 4 ]'
is "64 at once, and two more are refused" "2 2" "$(cat "$work"/many-* | grep -c "^sbx: run $run has 64 commands of sbx exec; wait until one has ended$") $(grep -lx 125 "$work"/many-* | wc -l)"
exec 7<>gate
for i in {1..64}; do echo; done >&7
wait_for 60 eval '[ "$(grep -lx 0 "$work"/many-* | wc -l)" = 64 ]'
is "all 64 come to their end" 64 "$(grep -lx 0 "$work"/many-* | wc -l)"
exec 7>&-
"$SBX" kill "$run" >/dev/null
run=$run_before

# --- refusals
is "no such run" "125 sbx: no live run '1' of yours; to list the runs: sbx ps" "$("$SBX" exec 1 -- true 2>&1 | sed "s/^/125 /")"
is "no such program" 127 "$(inside no-such-program >/dev/null 2>&1; echo $?)"
is "one that cannot be executed" 126 "$(inside "$project/file" >/dev/null 2>&1; echo $?)"
"$SBX" run --network none -- sh -c 'echo >plain; sleep 1357' &
plain=$!
wait_for 30 test -e plain
like "a run without a control socket says how" "$("$SBX" exec $plain -- true 2>&1)" "takes no further command; one with -d"
kill $plain
wait $plain 2>/dev/null
if [ "$("$SBX" run --isolation landlock --no-protect -- echo in 2>/dev/null)" = in ]; then
	lower=$(begin --isolation landlock --no-protect)
	like "tier landlock" "$("$SBX" exec "$lower" -- true 2>&1)" "^sbx: run $lower is in tier landlock"
	"$SBX" kill "$lower" >/dev/null
else
	skip "tier landlock" "the kernel has no Landlock with scopes"
fi
socket=$(echo "$XDG_STATE_HOME/sbx/boxes/$run"-*/socket)
forged='import array, os, socket, struct, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.connect(sys.argv[1])
def size():  # of the wish: that of sbx allow, found by trying
    return int(sys.argv[2])
f = [os.open("/dev/null", os.O_RDWR) for i in range(4)]
s.sendmsg([struct.pack("IIi", 0x63786273, int(sys.argv[3]), 2) + bytes(size() - 12)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", f))])
got = s.recv(64)
print(got[:4].decode(), *struct.unpack("i" * (len(got) // 4 - 1), got[4:]) if got else "nothing")'
sealed='import ctypes, fcntl, struct
try: fd = os.memfd_create("sbx", os.MFD_ALLOW_SEALING | 8)  # MFD_NOEXEC_SEAL, Linux 6.3
except OSError: print("no such flag"); sys.exit()
os.write(fd, struct.pack("II", 2, 0) + b"\0echo\0in\0")
fcntl.fcntl(fd, 1033, 15)
f = [fd, os.open("/dev/null", os.O_RDWR), *os.pipe()[::-1]]
s.sendmsg([struct.pack("IIi", 0x63786273, int(sys.argv[3]), 2) + bytes(size() - 12)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [f[0], f[1], f[2], f[2]]))])
while s.recv(64)[8:12] == bytes(4): pass
os.set_blocking(f[3], False)
try: print(os.read(f[3], 100).decode(), end="")
except OSError as e: print(e)'
sealed="$(sed '/^f = /,$d' <<<"$forged")
$sealed"
wish=$(strace -f -e trace=sendmsg -o "$work/trace" "$SBX" exec "$run" -- true 2>/dev/null; sed -n 's/.*SCM_RIGHTS.*= \([0-9]*\)$/\1/p' "$work/trace" | head -1)
if [ -n "$wish" ]; then
	is "descriptors that are no sealed text are refused" "sbxc 4 12 22" "$(python3 -c "$forged" "$socket" "$wish" 4)"
	is "a client of another version is answered in ours" "sbxc 4 71" "$(python3 -c "$forged" "$socket" "$wish" 3)"
	is "one that sends something else" "sbxc 4 71" "$(python3 -c "$forged" "$socket" 40 4)"
	like "a text with more seals than it needs (vm.memfd_noexec=1)" "$(python3 -c "$sealed" "$socket" "$wish" 4)" '^(in|no such flag)$'
else
	for name in "descriptors that are no sealed text are refused" "a client of another version is answered in ours" "one that sends something else"; do skip "$name" "strace does not work here"; done
fi
cat >"$work/other.py" <<'P'
import fcntl, os, signal, socket, struct, sys
name = os.path.join(sys.argv[1], "%d-5f1" % os.getpid())
os.mkdir(name, 0o700)
lock = os.open(name + "/entry", os.O_RDWR | os.O_CREAT, 0o600)
os.write(lock, b"sbxbox99" + bytes(64))
fcntl.lockf(lock, fcntl.LOCK_EX)
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.bind(name + "/socket")
s.listen(8)
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
print("ready", flush=True)
while True:
    client = s.accept()[0]
    client.recv(4096)
    if sys.argv[2] != "0": client.send(struct.pack("III", 0x63786273, int(sys.argv[2]), 0))
    client.close()
P
for version in 99 0; do
	words=$([ $version = 0 ] && echo "does not answer: an older version" || echo "was started by another version of sbx, which")
	python3 "$work/other.py" "$XDG_STATE_HOME/sbx/boxes" $version >"$work/other-$version" &
	other=$!
	wait_for 30 test -s "$work/other-$version"
	like "a box of another version ($version): exec says so, and the fix" "$("$SBX" exec $other -- true 2>&1)" "^sbx: run $other $words.*to end it: sbx stop $other"
	like "so does allow ($version)" "$("$SBX" allow $other github.com 2>&1)" "^sbx: run $other $words.*to end it: sbx stop $other"
	like "ps lists it ($version)" "$("$SBX" ps)" "^$other .*another version"
	is "JSON has what is known ($version)" "None True" "$("$SBX" ps --json | python3 -c 'import json, sys; print(*[(b.get("network"), b["here"]) for b in json.load(sys.stdin)["boxes"] if b["id"] == sys.argv[1]][0])' $other)"
	is "and the fix ends it ($version)" "stopped: $other" "$("$SBX" stop $other)"
done
unshare -U --map-current-user true 2>/dev/null && is "a user namespace of another's has no answer" "" "$(unshare -U --map-current-user "$SBX" exec "$run" -- echo in 2>/dev/null)"
is "the box lives after all that" "still here" "$(inside echo still here)"

few=$("$SBX" run -d --network none --pids 3 -- sh -c 'exec 9<>gate; read -r line <&9')
"$SBX" exec "$few" -- sh -c 'echo >fewer; read -r line <gate; exit' 2>"$work/err" &
client=$!
wait_for 30 test -e fewer
like "no process is left: it says so" "$(for i in 1 2 3; do inside=$few; (said "$SBX" exec "$few" -- sleep 1) & done; wait -n; wait -n)" "^125 sbx: run $few has no process left for it; .*--pids"
"$SBX" kill "$few" >/dev/null
wait $client

# --- a box against its first process
reads=$(dirname "$ATTACK")
mkdir hostile late
cat >hostile/command.sh <<'S'
exec 9<>../gate
"$1" signal-next "$2" & # and no process more
until [ -e enough ]; do read -rt 0.1 <&9; done
wait
echo >calm
until [ -e over ]; do read -rt 0.1 <&9; done
exit 5
S
for number in 19 9; do
	rm -f hostile/{enough,calm,over}
	run=$(cd hostile && "$SBX" run -d --network none --read "$reads" -- bash command.sh "$ATTACK" $number)
	sleep 0.5
	for i in {1..12}; do said timeout -k 10 5 "$SBX" exec "$run" -- echo hello; done >"$work/said"
	is "signal $number to each new process: it ran, was stopped or killed, or did not begin" "" "$(grep -vx "0 hello\|124 \(hello\)*\|137 \(hello\)*\|125 sbx: run $run stopped or killed the command before it began; it was not run" "$work/said")"
	late=$(cd late && SBX_TEST_SKIP=exec-haste "$SBX_TESTING" run -d --network none --read "$reads" -- bash ../hostile/command.sh "$ATTACK" $number)
	met() { said timeout -k 10 20 "$SBX" exec "$late" -- echo hello | grep -qx "125 sbx: run $late stopped or killed the command before it began; it was not run"; }
	wait_for 30 met && pass "one that it meets before its exec does not begin ($number)" || fail "one that it meets before its exec does not begin ($number)"
	"$SBX" kill "$late" >/dev/null
	touch hostile/enough
	wait_for 60 test -e hostile/calm
	is "the next one runs ($number)" "0 hello" "$(said timeout -k 1 20 "$SBX" exec "$run" -- echo hello)"
	touch hostile/over
	is "and the run ends with its command ($number)" 5 "$(timeout 20 "$SBX" wait "$run" >/dev/null 2>&1; echo $?)"
done
"$SBX" kill "$run" >/dev/null
run=$(begin --network none)
wait_for 30 test -s first

is "nor changes its limits, priority or scheduling" "3 in" "$(inside sh -c 'prlimit --pid 1 --nofile=8:8; renice -n 19 -p 1; chrt -i -p 0 1' 2>&1 | grep -c 'Operation not permitted') $(inside echo in)"

# --- a run that does not answer
silent() { # name, seconds that it may take, words...: while the supervisor is stopped
	local before=$SECONDS got
	kill -STOP "$run"
	got=$(said timeout -k 1 20 "${@:3}")
	kill -CONT "$run"
	is "$1" "125 sbx: run $run does not answer; the command was not run yes" "$got $([ $((SECONDS - before)) -le "$2" ] && echo yes)"
}
rm -f ran
silent "a stopped supervisor: exec says so after 2 s" 12 "$SBX" exec "$run" -- touch ran
is "and nothing was run" "in no" "$(inside echo in) $([ -e ran ] && echo yes || echo no)"
"$SBX" exec "$run" -- sh -c 'trap "echo >heard" INT; echo $$ >begun; while :; do sleep 0.1; done' 2>"$work/err" &
client=$!
wait_for 30 test -s begun
kill -STOP "$run"
kill -INT $client
wait $client
is "after a signal that nobody answered it ends" "125 sbx: run $run does not answer; the command ends as soon as it does" "$? $(cat "$work/err")"
kill -CONT "$run"
wait_for 30 inside sh -c '! [ -e /proc/$(cat begun) ]' && pass "so does the command" || fail "so does the command"
init=$(init_of "$run")
"$SBX" exec "$run" -- sh -c 'trap "" USR1; echo $$ >held; while :; do sleep 0.1; done' &
client=$!
wait_for 30 test -s held
kill -STOP "$init" # what it does not take is kept
python3 -c 'import os, sys, time
for i in range(1500): os.kill(int(sys.argv[1]), 10), time.sleep(0.001)' $client
kill -9 $client
wait $client 2>/dev/null
is "a first process that does not answer" "125 sbx: run $run does not answer; the command was not run" "$(said "$SBX" exec "$run" -- true)"
kill -CONT "$init"
wait_for 30 inside sh -c '! [ -e /proc/$(cat held) ]' && pass "the end of a client comes behind a full queue" || fail "the end of a client comes behind a full queue"
rm -f begun heard
"$SBX" exec "$run" -- sh -c 'trap "echo >>heard" INT; echo >begun; until [ -e enough ]; do sleep 0.1; done; exit 6' &
client=$!
wait_for 30 test -e begun
kill -INT $client
wait_for 30 test -e heard
sleep 0.4
kill -INT $client
wait_for 30 eval '[ "$(wc -l <heard)" = 2 ]'
touch enough
wait $client
is "a program that takes ^C has each of them" 6 $?
(exec "$SBX" exec "$run" -- sh -c 'kill -STOP $$; exit 1') &
client=$!
wait_for 30 eval 'inside sh -c "cat /proc/[0-9]*/stat" | grep -q " T "'
kill -TERM $client
wait $client
is "a command that stands still is ended by a signal" 143 $?
rm -f enough begun

# --- the end of the box
rm -f begun
inside sh -c 'echo >begun; sleep 1357' 2>"$work/err" &
client=$!
wait_for 30 test -e begun
"$SBX" stop "$run" >/dev/null
wait $client
is "the command ends with the box" "137 sbx: run $run has ended, and this command with it" "$? $(cat "$work/err")"
is "no process is left" 0 "$(pgrep -f "sleep 1357" -u "$(id -u)" -c)"
run=$(begin --network none)
wait_for 30 test -s first
inside sleep 1357 2>/dev/null &
client=$!
sleep 0.5
kill -9 "$run"
wait $client
is "its supervisor is killed" 137 $?
wait_for 30 gone "$run"

# --- in a session, by name
if "$SBX" session create one >/dev/null 2>&1; then
	run=$(begin -s one)
	wait_for 30 eval '"$SBX" logs one | grep -q ready'
	is "by the session's name" "made here" "$("$SBX" exec one -- sh -c 'echo made >made; cat made; echo here' | xargs)"
	is "the host has nothing of it" no "$([ -e made ] && echo yes || echo no)"
	"$SBX" session pause one >/dev/null 2>&1
	is "one that is paused" "125 sbx: run $run is paused; to continue it: sbx session resume NAME, or answer its question" "$(said "$SBX" exec one -- true)"
	is "the fix continues it" in "$("$SBX" session resume one >/dev/null 2>&1; inside echo in)"
	"$SBX" kill one >/dev/null
else
	skip "in a session" "sessions need a file system that this machine has not"
fi
# --- a kernel that makes no file in memory which could be run: vm.memfd_noexec=2, as a filter of calls
cat >"$work/noexec.py" <<'P'
import ctypes, os, struct, sys
rules = [(0x20, 0, 0, 0), (0x15, 0, 3, 319), (0x20, 0, 0, 24), (0x45, 1, 0, 8), (6, 0, 0, 0x5000d), (6, 0, 0, 0x7fff0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(rules), ctypes.addressof(code)))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
os.execvp(sys.argv[1], sys.argv[1:])
P
strictly() { python3 "$work/noexec.py" "$@"; }
if [ "$(uname -m)" = x86_64 ]; then
	is "its twin: such a file is refused" "13" "$(strictly python3 -c 'import os
try: os.memfd_create("x")
except OSError as e: print(e.errno)')"
	is "vm.memfd_noexec=2: a result" '0 "stdout":"hi\n"' "$(strictly "$SBX" run --json -- echo hi >"$work/out" 2>&1; echo "$? $(grep -o '"stdout":"hi.n"' "$work/out")")"
	is "code" 3 "$(strictly "$SBX" code -l python -c 'print(1 + 2)')"
	run=$(strictly "$SBX" run -d --network none -- sh -c 'echo ready; exec sleep 60')
	wait_for 30 eval '"$SBX" logs "$run" | grep -q ready'
	is "a box in the background, and a command in it" "in" "$(strictly "$SBX" exec "$run" -- echo in)"
	"$SBX" kill "$run" >/dev/null
	printf '[profile]\nextends = default\n[network]\nallow = a.test\n[secret a]\nhost = a.test\nfrom = env A_KEY\nenv = A_KEY\n' >"$work/secret.ini"
	is "a secret is refused" "125 sbx: step 'secrets': secrets cannot be used: this kernel runs no program from memory (sysctl vm.memfd_noexec=2); the command was not run" "$(A_KEY=abcdefghijklmnop said strictly "$SBX" run -p "$work/secret.ini" -- true)"
else
	skip "vm.memfd_noexec=2" "the filter is for x86_64"
fi
"$SBX" kill --all >/dev/null 2>&1
done_testing
