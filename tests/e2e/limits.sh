#!/bin/bash
# Every limit meets its runaway, by whatever means this machine has; the report names it. Bounded:
# no runaway takes more than a few hundred megabytes or processes, should its limit fail.
. "$(dirname "$0")/../lib.sh"
project=$(new_project)
cd "$project" || exit 1
export XDG_STATE_HOME=$work/state

means() { "$SBX" plan "$@" -- true | sed -n 's/^  enforced *by //p'; }
strict=$(means --memory 64M)
echo "# strict limits are kept by: $strict; soft ones by: $(means)"
# A machine of tests/vm has one means, and no other would do.
case ${MACHINE:-}-$(id -u) in
groups-* | systemd-0) is "the means of this machine" "a separate cgroup, a separate cgroup" "$strict, $(means)" ;;
systemd-*) is "the means of this machine" "a scope of your systemd, rlimits and periodic checks" "$strict, $(means)" ;;
esac
case $strict in rlimits*) grouped='' ;; *) grouped=yes ;; esac

within="timeout 300"
run() { # expected status, name, options and command...: leaves what sbx said in $work/log
	local wanted=$1 name=$2 got
	shift 2
	run_box "$@" >"$work/out" 2>"$work/log"
	got=$?
	[ "$wanted" = 125 ] || came || got="$got, in no box"
	if [ "$got" = "$wanted" ]; then pass "$name"; else fail "$name" "wanted $wanted, got $got: $(cat "$work/out" "$work/log")"; fi
}
told() { like "and told: $1" "$(cat "$work/log")" "$1"; }

# 1 G at most, in pieces, slowly enough for who only looks now and then
hog='
import time
kept = []
for i in range(100):
    kept.append(bytearray(b"x") * (10 << 20))
    time.sleep(0.02)
print("all")'
run 137 "a memory hog is killed" --memory 64M -- python3 -c "$hog"
told 'limit memory=64M: .* raise it with --memory'
stays "it did not get it all" "" "$(cat "$work/out")"
run 137 "many small ones together" --memory 100M -- bash -c 'for i in 1 2 3 4 5 6; do python3 -c "
import time
kept = []
for i in range(6): kept.append(bytearray(b\"x\") * (5 << 20)); time.sleep(0.1)
time.sleep(4)" & done; wait; exit 137'
told 'limit memory=100M'
run 0 "what stays below runs" --memory 200M -- python3 -c 'x = bytearray(50 << 20); print(len(x))'
stays "and no limit is told" "" "$(grep limit "$work/log")"
run 0 "pages that eight share count once" --memory 100M -- python3 -c '
import os, time
kept = bytearray(b"x") * (30 << 20)
for i in range(8):
    if os.fork() == 0: time.sleep(2); os._exit(0)
for i in range(8): os.wait()'
run 0 "a percentage" --memory 50% -- true

is "the kernel ends a box before the user's programs" $(($(cat /proc/self/oom_score_adj) + 500)) "$("$SBX" run -- cat /proc/self/oom_score_adj)"
landlock=$("$SBX" doctor --json 2>/dev/null | sed -n 's/.*"wall":"landlock"[^}]*"detail":"ABI \([0-9]*\).*/\1/p')
if [ "${landlock:-0}" -lt 6 ]; then
	skip "also in tier landlock" "this kernel's Landlock is ABI ${landlock:-0}, 6 is needed"
else
	is "also in tier landlock" $(($(cat /proc/self/oom_score_adj) + 500)) "$("$SBX" run --isolation landlock --project read -- cat /proc/self/oom_score_adj)"
fi

# What programs size themselves by. A soft limit changes none of it.
seen='nproc; sed -n "s/^Mem[A-Za-z]*: *//p" /proc/meminfo | sort -u; echo $GOMAXPROCS$PYTHON_CPU_COUNT $NODE_OPTIONS'
run 0 "a program sees its limits" --memory 512M --cpu '?0.5' -- sh -c "$seen"
if [ "$(nproc)" -gt 1 ]; then counts=11; else counts=; fi
is "by processors and memory" "1 524288 kB $counts --max-old-space-size=348" "$(xargs <"$work/out")"
run 0 "and the kernel's names for the rest" --memory 512M -- sed 's/:.*//' /proc/meminfo
is "all of them" "$(sed 's/:.*//' /proc/meminfo)" "$(cat "$work/out")"
run 0 "what is no amount of it" --memory 512M -- grep -E '^(CommitLimit|VmallocTotal|Cached):' /proc/meminfo
is "stays, and nothing is a cache" "Cached: 0 kB $(grep -E '^(CommitLimit|VmallocTotal):' /proc/meminfo | xargs)" "$(xargs <"$work/out")"
run 1 "a command that fails" --open-files 64 --file-size 64K -- false
stays "has no line about limits that nobody saw" "" "$(cat "$work/log")"
run 0 "the caller's own variables stay" --memory 512M --cpu '?0.5' -e NODE_OPTIONS=--no-warnings -e GOMAXPROCS=7 -- sh -c 'echo $GOMAXPROCS $NODE_OPTIONS'
is "as they are" "7 --no-warnings" "$(cat "$work/out")"
run 0 "a soft limit is not shown" --memory '?512M' -- sh -c "sed -n 's/^MemTotal: *//p' /proc/meminfo; echo \$NODE_OPTIONS"
is "but the machine" "$(sed -n 's/^MemTotal: *//p' /proc/meminfo)" "$(xargs <"$work/out")"
if command -v node >/dev/null; then
	run 134 "node ends by itself below the limit" --memory 300M -- node -e 'const a = []; for (;;) a.push({ a: [1, 2, 3] })'
	like "and says so" "$(cat "$work/log")" 'JavaScript heap out of memory'
	run 137 "what is not its heap ends by the limit" --memory 100M -- node -e 'const a = []; for (;;) a.push(Buffer.alloc(1 << 20, 1))'
	told "limit memory=100M: .*; node's own switch: NODE_OPTIONS=--max-old-space-size=MIB; raise it with --memory"
fi

bomb='
import os, signal, time
children = 0
try:
    for i in range(400):
        if os.fork() == 0:
            signal.pause()
        children += 1
except OSError:
    pass
print(children)
time.sleep(0.6)'
run 0 "a fork bomb is stopped" --pids 30 -- python3 -c "$bomb"
is "well below its wish" yes "$([ "$(cat "$work/out")" -le 30 ] && echo yes)"
told 'limit pids=30: no further process could be started; raise it with --pids'
run 0 "as many for a short time, later" --pids 30 -- sh -c "sleep 0.2; exec python3 -c '$bomb'"
told 'limit pids=30: no further process could be started; raise it with --pids'
run 0 "fewer than the limit" --pids 30 -- sh -c 'sleep 0.4 & sleep 0.4'
stays "is not told" "" "$(grep limit "$work/log")"
zombies='
import os, time
count = 0
try:
    for i in range(10000):
        if os.fork() == 0:
            os._exit(0)
        count += 1
except OSError:
    pass
print(count)'
run 0 "10,000 zombies are not had" --pids 200 -- python3 -c "$zombies"
is "each counts as a process" yes "$([ "$(cat "$work/out")" -le 200 ] && echo yes)"
run 0 "threads count too" --pids 30 -- python3 -c '
import threading, time
n = 0
try:
    for i in range(200):
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        n += 1
except RuntimeError:
    pass
print(n)'
is "as processes" yes "$([ "$(cat "$work/out")" -le 30 ] && echo yes)"

run 124 "an endless loop ends" --timeout 400ms -- sh -c 'while :; do :; done'
told 'limit timeout=400ms: the run was ended; raise it with --timeout'

if [ -n "$grouped" ]; then
	run 0 "a share of a processor" --cpu 0.2 --report full -- python3 -c '
import time
begin = time.time(); used = time.process_time()
while time.time() - begin < 1: pass
print(round((time.process_time() - used) * 100))'
	is "is kept" yes "$([ "$(cat "$work/out")" -le 40 ] && echo yes)"
	told 'of waiting for --cpu'
else
	run 125 "a share of a processor is refused where nothing keeps it" --cpu 0.2 -- true
	told "limit 'cpu' cannot be enforced here: .*no cgroup.*loginctl enable-linger"
	run 125 "as is swap" --swap 1M -- true
	run 0 "with ? it is only noted" -p "$(printf '[profile]\nextends = default\n[limits]\ncpu = ?0.5\n' >"$work/soft.ini"; echo "$work/soft.ini")" -- true
	like "in the plan" "$("$SBX" plan -p "$work/soft.ini" -- true)" "note +limit 'cpu' has no cgroup here: it is not enforced"
fi

run 1 "a filler of /tmp" --tmp-size 4M -- sh -c 'head -c 100000000 /dev/zero >/tmp/big'
told 'limit tmp-size=4M: the private directories .* are full; raise it with --tmp-size'
run 1 "a filler of /tmp with empty files" --tmp-size 4M -- python3 -c '
for i in range(200000): open("/tmp/%d" % i, "w").close()'
told 'limit tmp-size=4M'
run 153 "a file that grows" --file-size 64K -- sh -c 'exec head -c 10000000 /dev/zero >/tmp/x'
told 'limit file-size=64K: a file could not grow; raise it with --file-size'

# The disk: 300 M at most, in the project.
# What grew is what the file system lacks since the beginning, so another program that frees space hides it: three tries.
for try in 1 2 3; do
	rm -f big*
	"$SBX" run --disk-growth 20M -- python3 -c '
import os, time
for i in range(300): # in files of which none is too large by itself
    f = open("big%d" % (i % 30), "ab")
    f.write(bytes(1 << 20)); f.flush(); os.fsync(f.fileno())
    time.sleep(0.05)' >"$work/out" 2>"$work/log"
	got=$?
	[ $got != 137 ] || break
done
is "a filler of the project's disk is killed" 137 $got
told 'limit disk-growth=20M: the box was killed; raise it with --disk-growth'
for try in 1 2 3; do # by the last look, or by one before
	rm -f big*
	"$SBX" run --disk-growth 20M -- sh -c 'head -c 30000000 /dev/zero >big; true' >"$work/out" 2>"$work/log"
	! grep -q 'limit disk-growth' "$work/log" || break
done
told 'limit disk-growth=20M: (a disk lost about as much space during the run|the box was killed); raise it with --disk-growth'
rm -f big*
run 137 "so is one of files" --disk-growth 4M -- python3 -c '
import os, time
os.mkdir("many")
for i in range(20000):
    open("many/%d" % i, "w").close()
    if i % 20 == 0: time.sleep(0.005)
time.sleep(3)'
told 'limit disk-growth=4M'
rm -rf many
run 153 "one file is at most as large, sparse or not" --disk-growth 20M -- sh -c 'exec truncate -s 21M big'
told 'limit disk-growth=20M: a file could not grow; raise it with --disk-growth'
is "it is not there" 0 "$(stat -c %s big)"
rm -f big
run 1 "space is not had ahead" --disk-growth 20M -- fallocate -l 10M big
is "by the answer that programs know" "fallocate: fallocate failed: Operation not supported" "$(cat "$work/log")"
run 0 "unless the limit is the built-in one" -- fallocate -l 10M big
run 0 "a file that is only written, too" -- python3 -c 'import os; os.posix_fallocate(os.open("posix", os.O_WRONLY | os.O_CREAT), 0, 1 << 20)'
run 0 "unless disk is unlimited" --disk-growth unlimited -- fallocate -l 10M big
run 0 "a hole is always had" --disk-growth 20M -- fallocate -p -l 10M big
run 0 "the system library writes instead" --disk-growth 20M -- python3 -c 'import os; os.posix_fallocate(os.open("posix", os.O_RDWR | os.O_CREAT), 0, 1 << 20)'
is "it has it all" 1048576 "$(stat -c %s posix)"
rm -f big posix
run 0 "below the limit by any way" --disk-growth 250M -- python3 -c '
import os, shutil
open("a", "wb").write(bytes(90 << 20))
os.posix_fallocate(os.open("b", os.O_WRONLY | os.O_CREAT), 0, 30 << 20)
os.truncate(os.open("c", os.O_WRONLY | os.O_CREAT), 200 << 20)
shutil.copyfile("a", "d")
print(*(os.stat(name).st_size >> 20 for name in "abcd"))'
is "all of it is there" "90 30 200 90" "$(cat "$work/out")"
rm -f a b c d
run 0 "who writes less is not" --disk-growth 1G -- sh -c 'head -c 1000000 /dev/zero >small; sleep 0.5; rm small'

# Bytes per second of the disk under the project, where a controller keeps them.
disk=$(mktemp -d "$HOME/sbx-test-io.XXXXXX")
trap 'rm -rf "$work" "$disk"' EXIT
cd "$disk" && git init -q .
if "$SBX" run --io 1M -- true 2>"$work/log"; then
	run 0 "a rate of the disk" --io 1M -- python3 -c '
import os, time
begin = time.time()
f = open("big", "wb")
f.write(bytes(4 << 20)); f.flush(); os.fsync(f.fileno())
print("slow" if time.time() - begin > 2 else time.time() - begin)'
	is "is kept" slow "$(cat "$work/out")"
else
	like "a rate of the disk is refused where nothing keeps it" "$(cat "$work/log")" "limit 'io' cannot be enforced here|is not on a disk"
fi
cd "$project" && rm -rf "$disk"

# What sbx itself writes for a box that floods it.
run 0 "a flood of denials" -- python3 -c '
import socket, time
end = time.time() + 10
for i in range(3000):
    if time.time() > end: break
    try: socket.create_connection(("n%d.test" % i, 80), 0.5).close()
    except OSError: pass'
stays "is told in few lines" yes "$([ "$(wc -l <"$work/log")" -le 300 ] && echo yes)"
is "its log is bounded" yes "$([ "$(du -sk "$work/state/sbx/log" | cut -f1)" -le 17000 ] && echo yes)"

# the report
run 0 "the full report" --report full -- sh -c 'head -c 30000000 /dev/zero | sha256sum'
told '^sbx: took [0-9.]+ s, [0-9.]+ s of processors, [0-9.]+[KM] of memory'
run 0 "no report" --report never -- sh -c 'curl -s http://denied.test; true'
stays "says nothing" "" "$(cat "$work/log")"
run 7 "the JSON report" --report json --timeout 9s -- sh -c 'exit 7'
is "is JSON" "exit 7 []" "$(python3 -c '
import json, sys
report = json.loads(sys.stdin.read())
assert report["wall_ms"] >= 0 and report["memory_peak"] > 0 and report["version"] == 1 and report["findings"] == [], report
print(report["end"], report["status"], report["limits"])' <"$work/log")"
run 124 "of a limit" --report json --timeout 200ms -- sleep 9
is "names it" "limit 124 timeout 200" "$(python3 -c '
import json, sys
report = json.loads(sys.stdin.read())
print(report["end"], report["status"], report["limits"][0]["name"], report["limits"][0]["limit"])' <"$work/log")"
timeout 300 "$SBX" run --report json --read /no/such -- true >"$work/out" 2>"$work/log"
like "of a run that failed: says why" "$? $(cat "$work/out" "$work/log")" '^125 .*/no/such'

# Soft limits never refuse; who is not trusted cannot make a strict one soft.
is "the plan names the means" yes "$([ -n "$strict" ] && echo yes)"
printf '[limits]\npids = ?100\n' >.sbx.ini
like "a project may lower a soft limit" "$("$SBX" plan -- true)" 'pids=100'
"$SBX" profile check .sbx.ini >/dev/null
printf '[profile]\nextends = default\n[limits]\npids = 200\n' >"$work/strict.ini"
like "but not soften a strict one" "$("$SBX" plan -p "$work/strict.ini" -- true)" 'pids=200'
rm .sbx.ini

# Nothing is left below any hierarchy: no new group of an sbx that has ended. Others run beside this.
left() {
	find /sys/fs/cgroup -maxdepth 6 -name 'sbx-*' -type d 2>/dev/null | sort | while read -r group; do
		name=${group##*/sbx-}
		[ -e "/proc/${name%%-*}" ] || echo "$group"
	done
}
new() { comm -13 <(echo "$before") <(left); }
no_new() { [ -z "$(new)" ]; }
before=$(left)
run 0 "a run with strict limits" --memory 200M --pids 50 -- sh -c 'sleep 5 & true'
wait_for 10 no_new
stays "leaves no cgroup" "" "$(new)"
for step in cgroup group-limits group-ready go; do
	got=$(SBX_TEST_FAIL=$step timeout 120 "$SBX_TESTING" run --memory 200M -- touch was-run 2>"$work/log"; echo $?)
	wait_for 10 no_new
	is "step $step fails: nothing is run, nothing is left" "125 1 no " "$got $(grep -c "step '$step'" "$work/log") $([ -e was-run ] && echo run || echo no) $(new)"
done
# Descriptors that are on their way count for the user: what a box has there keeps no other run from starting.
rm -f held
if [ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 4096 ]; then
	(
		ulimit -Sn 1024
		is "the soft limit of descriptors is the caller's, the hard one half of the caller's" "1024 $(($(ulimit -Hn) / 2))" "$("$SBX" run -- sh -c 'echo $(ulimit -Sn) $(ulimit -Hn)')"
		"$SBX" run --timeout 60s -- python3 -c 'import socket,array,os,time
a, b = socket.socketpair()
for j in range(5): a.sendmsg([b"x"], [(1, 1, array.array("i", [0] * 250))])
open("held", "w").close()
while os.path.exists("held"): time.sleep(0.05)' &
		hog=$!
		wait_for 30 test -e held
		stays "beside 1,250 that another box sends to itself: a run" 0 "$(run_box -- true 2>&1; echo $?)"
		stays "and one with a network" 0 "$(run_box -a x.test -- true 2>&1; echo $?)"
		rm -f held
		wait $hog
		exit $failures
	) || failures=$((failures + 1))
	count=$((count + 3))
fi
if [ -n "$grouped" ] && [ "$strict" != "a scope of your systemd" ]; then
	is "the twin: without its limits the hog gets all" all "$(SBX_TEST_SKIP=group-limits "$SBX_TESTING" run --memory 64M -- python3 -c "$hog")"
	"$SBX" run --memory 200M -- sh -c 'touch begun; sleep 300' &
	victim=$!
	wait_for 60 test -e begun
	kill -9 $victim
	wait $victim 2>/dev/null
	swept() { run_box --memory 200M -- true && no_new; }
	wait_for 30 swept
	stays "after SIGKILL a later start sweeps" "" "$(new)"

fi
done_testing
