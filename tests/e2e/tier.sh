#!/bin/bash
# Tier landlock: what it keeps without namespaces, what it refuses, and when it is chosen.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state
confine=$(dirname "$ATTACK")/confine
mkdir -p "$HOME" "$work/data" && chmod 755 "$HOME"
abi=$("$SBX" doctor --json 2>/dev/null | sed -n 's/.*"wall":"landlock"[^}]*"detail":"ABI \([0-9]*\).*/\1/p')
like "an older Landlock is refused" "$(cd / && SBX_TEST_LANDLOCK=5 "$SBX_TESTING" run --project none --isolation landlock -- true 2>&1)" 'needs Landlock ABI 6'
if [ "${abi:-0}" -lt 6 ]; then
	skip "tier landlock" "this kernel's Landlock is ABI ${abi:-0}, 6 is needed"
	done_testing
fi
is "it runs where Landlock is new enough" ran "$(cd / && "$SBX" run --project none --isolation landlock -- echo ran 2>&1)"
project=$work/plain
mkdir "$project" && echo hello >"$project/file"
cd "$project" || exit 1
box() { timeout 120 "$SBX" run --isolation landlock --read "$(dirname "$ATTACK")" "$@" 2>"$work/log"; }
full() { timeout 120 "$SBX" run --read "$(dirname "$ATTACK")" "$@" 2>"$work/log"; }

is "the command runs, status and output" "hello 7" "$(box -- bash -c 'cat file; exit 7' | tr '\n' ' ')$(box -- bash -c 'exit 7'; echo $?)"
is "the project is writable" yes "$(box -- bash -c 'echo yes >new'; cat new)"
like "the plan lists what is lost" "$("$SBX" plan --isolation landlock -- true)" 'note +tier landlock: no private home'

like "and what an allowed group of calls costs" "$("$SBX" plan --allow-syscalls io_uring -- true)" "note +system calls 'io_uring': .* passes no filter"
like "that openings can be watched is one" "$("$SBX" plan --isolation landlock -- true)" 'note +tier landlock: names.*inotify'

# files
echo secret >"$HOME/secret" && echo secret >"$work/outside" && echo secret >/tmp/sbx-test-tier.$$
is "the home is not readable" 1 "$(box -- cat "$HOME/secret"; echo $?)"
is "a file outside is not readable" 1 "$(box -- cat "$work/outside"; echo $?)"
is "a named one is" secret "$(box --read "$work/outside" -- cat "$work/outside")"
is "/tmp is not writable" 1 "$(box -- bash -c "echo x >/tmp/sbx-test-tier.$$"; echo $?)"
is "/etc is not writable" 1 "$(box -- bash -c "echo x >/etc/sbx-test"; echo $?)"
is "/proc/sys is not writable" 1 "$(box -- bash -c "cat /proc/sys/kernel/hostname >/proc/sys/kernel/hostname"; echo $?)"
is "TMPDIR is a directory of its own" yes "$(box -- bash -c 'f=$(mktemp) && echo yes >$f && cat $f')"
is "and gone afterwards, whatever is in it" "" "$(box -- bash -c 'mkdir -p $TMPDIR/a/b && chmod 0 $TMPDIR/a; echo $TMPDIR' | xargs ls -d 2>/dev/null)"
rm -f "/tmp/sbx-test-tier.$$"
# Two walls stand before TCP where there is no network: the second filter, and Landlock without it.
cat >"$work/tcp.py" <<'END'
import errno, socket
for call in (lambda: socket.socket().bind(("127.0.0.1", 0)), lambda: socket.socket().connect(("127.0.0.1", 9))):
    try:
        call()
        print("done", end=" ")
    except OSError as error:
        print(errno.errorcode[error.errno], end=" ")
END
tcp() { SBX_TEST_SKIP=$1 timeout 120 "$SBX_TESTING" run --isolation landlock --network none --read "$work/tcp.py" -- python3 "$work/tcp.py" 2>&1; }
is "no network: neither bind nor connect" "EACCES EACCES " "$(tcp nothing)"
is "no network: Landlock alone keeps it" "EACCES EACCES " "$(tcp answers)"
is "its twin without both: the kernel answers" "done ECONNREFUSED " "$(tcp answers,landlock)"
# Each right that Landlock knows by itself: refused in what is only readable, granted in the project.
mkdir -p "$work/shelf/full" "$work/shelf/other" && echo x >"$work/shelf/full/file" && mkdir "$work/shelf/full/empty"
chmod -R a+rwX "$work/shelf"
changes='
import os, socket, stat, sys
os.chdir(sys.argv[1])
def name(what, change):
    try:
        change()
        print(what, end=" ")
    except OSError:
        pass
name("make", lambda: os.mknod("new"))
name("directory", lambda: os.mkdir("d"))
name("pipe", lambda: os.mkfifo("p"))
name("link", lambda: os.symlink("file", "l"))
name("socket", lambda: socket.socket(socket.AF_UNIX).bind("s"))
name("node", lambda: os.mknod("n", stat.S_IFSOCK | 0o600))
name("write", lambda: os.close(os.open("file", os.O_WRONLY)))
name("truncate", lambda: os.truncate("file", 0))
name("move", lambda: os.rename("file", "../other/file"))
name("back", lambda: os.rename("../other/file", "file"))
name("unlink", lambda: os.unlink("file"))
name("rmdir", lambda: os.rmdir("empty"))'
is "what is only readable: no change of any kind" "tried" "$(box --read "$work/shelf" -- sh -c 'python3 -c "$1" "$2"; echo tried' - "$changes" "$work/shelf/full")"
is "what is writable: every kind" "make directory pipe link socket node write truncate move back unlink rmdir " \
	"$(box --write "$work/shelf" -- python3 -c "$changes" "$work/shelf/full")"
is "/etc/shadow is hidden, from root too" 1 "$(box -- cat /etc/shadow; echo $?)"
is "the rest of /etc is there" there "$(box -- bash -c 'cat /etc/passwd /etc/hosts >/dev/null && echo there')"
mkdir -p "$work/data/sub" && echo x >"$work/data/sub/key" && echo y >"$work/data/sub/other"
is "hidden below what is readable" "y" "$(box --read "$work/data" --hide "$work/data/sub/key" -- cat "$work/data/sub/key" "$work/data/sub/other")"
mkdir -p "$HOME/.ssh" && echo hosts >"$HOME/.ssh/known_hosts" && echo key >"$HOME/.ssh/id"
denied "secrets stay hidden in a readable home" run --isolation landlock --read "$HOME" -- "cat $HOME/.ssh/id $HOME/.ssh/known_hosts"
is "one that is named is read, the others not" hosts "$(box --read "$HOME" --read "$HOME/.ssh/known_hosts" -- bash -c "cat $HOME/.ssh/id $HOME/.ssh/known_hosts")"
denied "what tmpfs would cover is not shown" run --isolation landlock --read "$work/data" --tmpfs "$work/data/sub" -- "cat $work/data/sub/other"
status "hidden below what is writable: refused" 125 "$SBX" run --isolation landlock --hide ./file -- true
status "read-only below what is writable: refused" 125 "$SBX" run --isolation landlock --read ./file --write . -- true

# metadata, which Landlock does not see
chmod 600 "$work/outside" "$HOME/secret"
ln -sf "$work/outside" link
touch -d 2020-01-01 "$work/outside"
for way in "chmod 777 $work/outside" "chmod 777 link" "chmod 777 ../outside" "touch -h -d 2001-01-01 $work/outside" \
	"touch -d 2001-01-01 link" "chown $(id -u) $work/outside" "python3 -c 'import os; os.chmod(\"/proc/self/root$work/outside\", 0o777)'" \
	"python3 -c 'import os; os.setxattr(\"$work/outside\", \"user.x\", b\"y\")'" "python3 -c 'import os; os.chmod(\"outside\", 0o777, dir_fd=os.open(\"..\", os.O_PATH))'"; do
	is "metadata outside: ${way//$work/}" "tried 600 2020-01-01 " "$(box -- bash -c "$way; echo tried") $(stat -c '%a %y' "$work/outside" | cut -c1-15)$(getfattr -n user.x "$work/outside" 2>/dev/null)"
done
is "chmod and touch inside" "755 2001-01-01" "$(box -- bash -c 'chmod 755 file && touch -d 2001-01-01 file && mkdir -p d && cd d && chmod 700 ../d && chmod 755 ../file'; stat -c '%a %y' file | cut -c1-14)"
is "tar and cp -p keep modes and times" "755 2001-01-01" "$(box -- bash -c 'tar cf t.tar file && mkdir x && tar xf t.tar -C x && cp -p x/file y'; stat -c '%a %y' y | cut -c1-14)"

# sockets
serve() { python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX, getattr(socket, sys.argv[2])); s.bind(sys.argv[1]); s.listen()
while True:
    c, _ = s.accept(); c.send(b"served"); c.close()' "$1" "$2" & server=$!; while [ ! -S "$1" ]; do sleep 0.02; done; }
connect="import socket, sys
s = socket.socket(socket.AF_UNIX, getattr(socket, sys.argv[2]))
s.settimeout(60) if len(sys.argv) > 3 else None
s.connect(sys.argv[1]); print(s.recv(9).decode())"
for type in SOCK_STREAM SOCK_SEQPACKET; do
	rm -f "$project/socket"
	serve "$project/socket" $type
	is "a socket in the project is not reached ($type)" "tried" "$(box -- sh -c 'python3 -c "$@"; echo tried' - "$connect" "$project/socket" $type)"
	is "a named one is ($type)" served "$(box --socket "$project/socket" -- python3 -c "$connect" "$project/socket" $type)"
	is "by a relative name, non-blocking ($type)" served "$(box --socket "$project/socket" -- python3 -c "$connect" ./socket $type 5)"
	is "its twin in tier full is reached ($type)" served "$(full -- python3 -c "$connect" "$project/socket" $type)"
	kill $server
	wait $server 2>/dev/null
done
for kind in "AF_UNIX SOCK_DGRAM" "AF_INET SOCK_STREAM" "AF_INET SOCK_DGRAM" "AF_INET6 SOCK_STREAM" "AF_NETLINK SOCK_RAW"; do
	read -r family type <<<"$kind"
	is "no socket: $kind" 1 "$(box --network none -- python3 -c "import socket; socket.socket(socket.$family, socket.$type)"; echo $?)"
done
is "no datagram pair" 1 "$(box -- python3 -c 'import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)'; echo $?)"
is "a pair of streams" made "$(box -- python3 -c 'import socket; socket.socketpair(); print("made")')"
is "network host: internet sockets, no unix ones" "0 1" "$(box --network host -- python3 -c 'import socket; socket.socket()'; echo -n "$? "; box --network host -- python3 -c 'import socket; socket.socket(socket.AF_UNIX)'; echo $?)"
status "network host and a named socket: refused" 125 "$SBX" run --isolation landlock --network host --socket "$project/socket" -- true

# other processes
sleep 60 &
victim=$!
exec 8<"$work/outside"
chmod 600 "$work/outside"
box -- python3 -c "import os
for fd in range(3, 64):
    for path in (f'/proc/self/fd/{fd}', f'/proc/{os.getppid()}/fd/{fd}', '/proc/self/cwd/../outside'):
        try: os.chmod(path, 0o777)
        except OSError: pass
open('tried', 'w')"
is "descriptors of others are no way to metadata" "tried 600" "$(ls tried) $(stat -c %a "$work/outside")"
exec 8<&-
is "a process outside is not signalled" 1 "$(box -- kill -TERM $victim; echo $?)"
is "nor traced" 1 "$(box -- "$ATTACK" ptrace $victim; echo $?)"
is "nor its environment read" 1 "$(box -- cat /proc/$victim/environ; echo $?)"
is "nor its limits changed" 1 "$(box -- prlimit --pid $victim --nofile=10:10; echo $?)"
is "nor its priority" 1 "$(box -- renice -n 5 -p $victim; echo $?)"
is "nor its processors; it lives" "1 0" "$(box -- taskset -p 1 $victim >/dev/null; echo $?) $(kill -0 $victim; echo $?)"
kill $victim
is "own children are signalled" 143 "$(box -- bash -c 'sleep 60 & kill $!; wait $!; echo $?')"
is "no System V memory" 1 "$(box -- python3 -c 'import ctypes; l = ctypes.CDLL(None); raise SystemExit(l.shmget(1, 4096, 0o1600) < 0)'; echo $?)"
begun=$(box -- bash -c 'for i in 1 2 3; do setsid sleep "61.$1" >/dev/null & done; (setsid bash -c "sleep 61.$1 & sleep 61.$1" >/dev/null &) ; sleep 0.1; echo begun' - $$)
is "nothing of the box is left" "begun" "$begun$(pgrep -fx "sleep 61[.]$$")"
is "no new privileges, no capabilities" "NoNewPrivs:1 CapEff:0000000000000000 Seccomp:2" "$(box -- bash -c 'grep -E "^(NoNewPrivs|CapEff|Seccomp):" /proc/self/status' | tr -d '\t' | sort -r -k1.1,1.1 | tr '\n' ' ' | awk '{ print $1, $2, $3 }' | sed 's/\(Seccomp:2\) \(NoNewPrivs:1\) \(.*\)/\2 \3 \1/')"
is "of all five sets" "0000000000000000 5" "$(box -- grep -E '^Cap(Inh|Prm|Eff|Amb|Bnd):' /proc/self/status | sed "s/Bnd:.*[1-9a-f].*/Bnd: $([ "$(id -u)" = 0 ] && echo kept || echo 0000000000000000)/" | awk '{ print $2 }' | sort | uniq -c | awk '{ print $2, $1 }')"
# What the clone takes over is emptied before it, so that also the supervisor passes nothing on.
supervisor() { # words before sbx...
	"$@" "$SBX" run --isolation landlock --project none -- sleep 2 &
	sleep 0.7
	grep -E '^Cap(Inh|Amb|Bnd):' /proc/$!/status | tr -s '\t\n' '  '
	kill $!
	wait $! 2>/dev/null
}
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	is "the supervisor of a root caller passes no capability on" "CapInh: 0000000000000000 CapBnd: 0000000000000000 CapAmb: 0000000000000000 " "$(cd / && supervisor env)"
	like "nor that of a caller with ambient ones" "$(cd / && supervisor setpriv --reuid 65534 --clear-groups --inh-caps=-all,+net_raw --ambient-caps +net_raw env -u XDG_STATE_HOME HOME=/)" 'CapInh: 0000000000000000 .*CapAmb: 0000000000000000 '
fi

# What it makes sbx do is no more than a part of a processor, and never before others: paths of 18 links.
cat >"$work/walks.py" <<'END'
import os, time
os.makedirs("dd/" + "/".join(["q" * 60] * 20))
there = "dd/" + "/".join(["q" * 60] * 20) + "/" + "../" * 21
open("plain", "w").close()
for i in range(18):
    os.symlink(there + there + (f"link{i - 1}" if i else "plain"), f"link{i}")
os.chmod("link17", 0o600)
print("walks", flush=True)
end = time.monotonic() + 3
while time.monotonic() < end:
    os.chmod("link17", 0o600)
END
mkdir "$work/walked" && cd "$work/walked" || exit 1
"$SBX" run --isolation landlock --read "$work/walks.py" --report never -- python3 "$work/walks.py" >"$work/out" 2>"$work/log" &
walker=$!
until grep -q walks "$work/out" || ! kill -0 $walker; do sleep 0.02; done
ticks() { awk '{ print $14 + $15 }' /proc/$walker/stat; }
begun=$(ticks) && sleep 2 && used=$(($(ticks) - begun))
like "the thread that answers is nice" "$(cat /proc/$walker/task/*/stat | awk '{ print $19 }' | xargs)" "^$(nice) $(($(nice) + 5))\$"
is "walks through links are slow, not dear" yes "$([ "$used" -ge 1 ] && [ "$used" -le $((2 * $(getconf CLK_TCK) * 3 / 10)) ] && echo yes || echo "$used ticks")"
wait $walker
cd "$project" || exit 1

TIMEFORMAT='%U %S'
is "sbx itself sleeps while the command runs" yes "$({ time "$SBX" run --isolation landlock -- sleep 0.6; } 2>&1 | awk '{ print $1 + $2 < 0.2 ? "yes" : $0 }')"

# the project
git init -q repository && cd repository && echo x >f && git add f
like "a writable git project: refused, with the way out" "$("$SBX" run --isolation landlock -- true 2>&1)" 'cannot protect .*--project read, or --no-protect; in a box of sbx: start the outer one with --allow-syscalls namespaces$'
is "readable" x "$(box --project read -- cat f)"
is "unprotected" g "$(box --no-protect -- touch g; ls g)"
cd .. && rm -rf repository

# when it is chosen
unprivileged=(unshare -Ur bash -c 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"' -)
echo input >"$work/input"
is "tier landlock: files outside, given as 0 and 1, open again by their names in /dev, as they are open" "input 1" \
	"$("$SBX" run --isolation landlock -- sh -c 'cat /dev/stdin >/dev/stdout; echo changed >/dev/stdin' <"$work/input" >"$work/output" 2>/dev/null; a=$?; cat "$work/output" "$work/input" | uniq | tr '\n' ' '; echo $((a > 0)))"
# --- nothing runs on: here pid 1 is not the first process of a namespace, with which all others end
stubborn='trap "" TERM HUP; setsid bash -c "while :; do echo >>beat; sleep 0.05; done" & while :; do echo >>beat; sleep 0.05; done'
beats() { stat -c %s beat 2>/dev/null || echo 0; }
still() { # whether nobody writes any more
	local before
	before=$(beats)
	sleep 0.5
	[ "$before" -gt 0 ] && [ "$before" = "$(beats)" ] && echo still
}
box --timeout 300ms -- bash -c "$stubborn"
is "after --timeout nothing of the command is left, also what ignores SIGTERM" "124 still" "$? $(still)"
for victim in sbx "its first process"; do
	rm -f beat
	"$SBX" run --isolation landlock -- bash -c "$stubborn" 2>/dev/null &
	run=$!
	wait_for 30 test -s beat
	if [ "$victim" = sbx ]; then kill -KILL $run; else "$SBX" kill $run >/dev/null; fi
	wait $run 2>/dev/null
	wait_for 10 eval '[ "$(still)" = still ]'
	is "nor when $victim is killed" still "$(still)"
done
rm -f beat
is "a box cannot send the signal by which sbx ends it" "refused 0" "$(box -- bash -c 'kill -62 $PPID 2>/dev/null || echo refused' | tr '\n' ' '; echo ${PIPESTATUS[0]})"
for machine in "$confine docker" "$confine apparmor" "${unprivileged[*]@Q}"; do
	eval "machine=($machine)"
	name=$(basename "${machine[0]}")-${machine[1]}
	if ! "${machine[@]}" true 2>/dev/null; then
		skip "$name" "cannot be had here"
		continue
	fi
	refused_as "$name: tier full is refused, with the step and the command not run" "step '(namespaces|ids|hostname|root|join)'.*the command was not run" "${machine[@]}" "$SBX" run -- true
	is "$name: --isolation landlock runs" hello "$("${machine[@]}" "$SBX" run --isolation landlock -- cat file 2>&1)"
	is "$name: and keeps the home shut" 1 "$("${machine[@]}" "$SBX" run --isolation landlock -- cat "$HOME/secret" >/dev/null 2>&1; echo $?)"
	like "$name: min-isolation = landlock falls back and says so" "$("${machine[@]}" "$SBX" run --min-isolation landlock -- cat file 2>&1 | tr '\n' ' ')" "^sbx: no namespaces here .*tier landlock.* hello $"
	mkdir "$work/shut" && (cd "$work/shut" && "${machine[@]}" "$SBX" run --isolation landlock --protect a/new -- bash -c 'mkdir a; echo x >a/new; chmod 000 a' 2>"$work/log")
	mode=$(stat -c %a "$work/shut/a")
	chmod 700 "$work/shut/a"
	is "$name: what appeared in a directory that is shut is taken away, or reported" "0 yes" "$mode $({ [ ! -e "$work/shut/a/new" ] || grep -q 'could not be checked' "$work/log"; } && echo yes)"
	rm -r "$work/shut"
	is "$name: chmod and a named socket are answered" changed "$("${machine[@]}" "$SBX" run --isolation landlock -- sh -c 'chmod 755 file && echo changed' 2>/dev/null)"
done
is "min-isolation = landlock takes tier full where it can" ran "$("$SBX" run --min-isolation landlock -- echo ran 2>&1)"
# --- what a killed run left in /tmp goes with the next one
"$SBX" run --isolation landlock --no-protect -- sh -c 'echo x >"$TMPDIR/kept"; echo >"$TMPDIR/begun"; sleep 300' 2>/dev/null &
run=$!
wait_for 30 eval 'ls /tmp/sbx-$(id -u)-*/begun'
"$SBX" run --isolation landlock --no-protect -- true 2>/dev/null
is "that of a live run stays" 1 "$(find /tmp/sbx-"$(id -u)"-* -name kept | wc -l)"
kill -9 $run
wait $run 2>/dev/null
"$SBX" run --isolation landlock --no-protect -- true 2>/dev/null
is "that of a killed one goes with the next" 0 "$(find /tmp/sbx-"$(id -u)"-* -name kept 2>/dev/null | wc -l)"
done_testing
