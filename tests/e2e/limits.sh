#!/bin/bash
# Every limit meets its runaway, by whatever means this machine has; the report names it. Bounded:
# no runaway takes more than a few hundred megabytes or processes, should its limit fail.
. "$(dirname "$0")/../lib.sh"
project=$(new_project)
cd "$project" || exit 1
export XDG_STATE_HOME=$work/state

means() { "$SBX" plan "$@" -- true | sed -n 's/^  kept by *//p'; }
strict=$(means --memory 64M)
echo "# strict limits are kept by: $strict; soft ones by: $(means)"
# A machine of tests/vm has one means, and no other would do.
case ${MACHINE:-}-$(id -u) in
groups-* | systemd-0) is "the means of this machine" "a cgroup of its own, a cgroup of its own" "$strict, $(means)" ;;
systemd-*) is "the means of this machine" "a scope of your systemd, rlimits, and a look now and then" "$strict, $(means)" ;;
esac
case $strict in rlimits*) grouped='' ;; *) grouped=yes ;; esac

run() { # expected status, name, options and command...: leaves what sbx said in $work/log
	local wanted=$1 name=$2 got
	shift 2
	timeout 60 "$SBX" run "$@" >"$work/out" 2>"$work/log"
	got=$?
	if [ $got = "$wanted" ]; then pass "$name"; else fail "$name" "wanted $wanted, got $got: $(cat "$work/out" "$work/log")"; fi
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
is "it did not get it all" "" "$(cat "$work/out")"
run 137 "many small ones together" --memory 100M -- bash -c 'for i in 1 2 3 4 5 6; do python3 -c "
import time
kept = []
for i in range(6): kept.append(bytearray(b\"x\") * (5 << 20)); time.sleep(0.1)
time.sleep(4)" & done; wait; exit 137'
told 'limit memory=100M'
run 0 "what stays below runs" --memory 200M -- python3 -c 'x = bytearray(50 << 20); print(len(x))'
is "and no limit is told" "" "$(grep limit "$work/log")"
run 0 "a percentage" --memory 50% -- true

bomb='
import os, time
children = 0
try:
    for i in range(400):
        if os.fork() == 0:
            time.sleep(1.5)
            os._exit(0)
        children += 1
except OSError:
    pass
print(children)
time.sleep(0.6)'
run 0 "a fork bomb is stopped" --pids 30 -- python3 -c "$bomb"
is "well below its wish" yes "$([ "$(cat "$work/out")" -le 30 ] && echo yes)"
if [ -n "$grouped" ] && [ "$(id -u)" = 0 ]; then
	told 'limit pids=30: no further process could be started; raise it with --pids'
else
	skip "that is told" "an rlimit does not say that it was met"
fi
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
        threading.Thread(target=time.sleep, args=(1,), daemon=True).start()
        n += 1
except RuntimeError:
    pass
print(n)'
is "as processes" yes "$([ "$(cat "$work/out")" -le 30 ] && echo yes)"

run 124 "an endless loop ends" --time 400ms -- sh -c 'while :; do :; done'
told 'limit time=400ms: the run was ended; raise it with --time'
run 124 "a command that does nothing ends" --idle 400ms -- sleep 30
told 'limit idle=400ms: nothing was done'
run 0 "one that works does not" --idle 500ms -- python3 -c '
import time
end = time.time() + 1.5
while time.time() < end: pass'
run 0 "nor one that works now and then" --idle 2s -- python3 -c '
import time
for i in range(6):
    time.sleep(0.4)
    end = time.time() + 0.1
    while time.time() < end: pass'

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
	told "limit 'cpu' cannot be kept here: no cgroup.*loginctl enable-linger"
	run 125 "as is swap" --swap 1M -- true
	run 125 "as is a pool" --pool x -- true
	told 'a pool needs cgroups'
	run 0 "with ? it is only noted" -p "$(printf '[profile]\nextends = default\n[limits]\ncpu = ?0.5\n' >"$work/soft.ini"; echo "$work/soft.ini")" -- true
	like "in the plan" "$("$SBX" plan -p "$work/soft.ini" -- true)" "note +limit 'cpu' has no cgroup here: it is not kept"
fi

run 1 "a filler of /tmp" --tmp 4M -- sh -c 'head -c 100000000 /dev/zero >/tmp/big'
told 'limit tmp=4M: the private directories .* are full; raise it with --tmp'
run 1 "a filler of /tmp with empty files" --tmp 4M -- python3 -c '
for i in range(200000): open("/tmp/%d" % i, "w").close()'
told 'limit tmp=4M'
run 153 "a file that grows" --file-size 64K -- sh -c 'exec head -c 10000000 /dev/zero >/tmp/x'
told 'limit file-size=64K: a file could not grow; raise it with --file-size'

# The disk: 300 M at most, in the project.
run 137 "a filler of the project's disk is killed" --disk 20M -- python3 -c '
import os, time
f = open("big", "wb")
for i in range(300):
    f.write(bytes(1 << 20)); f.flush(); os.fsync(f.fileno())
    time.sleep(0.02)'
told 'limit disk=20M: the box was killed; raise it with --disk'
rm -f big
run 137 "so is one of files" --disk 4M -- python3 -c '
import os, time
os.mkdir("many")
for i in range(20000):
    open("many/%d" % i, "w").close()
    if i % 20 == 0: time.sleep(0.005)
time.sleep(3)'
told 'limit disk=4M'
rm -rf many
run 0 "who writes less is not" --disk 20M -- sh -c 'head -c 1000000 /dev/zero >small; sleep 0.5; rm small'

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
	like "a rate of the disk is refused where nothing keeps it" "$(cat "$work/log")" "limit 'io' cannot be kept here|does not lie on a disk"
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
is "is told in few lines" yes "$([ "$(wc -l <"$work/log")" -le 300 ] && echo yes)"
is "its log is bounded" yes "$([ "$(du -sk "$work/state/sbx/log" | cut -f1)" -le 17000 ] && echo yes)"

# the report
run 0 "the full report" --report full -- sh -c 'head -c 30000000 /dev/zero | sha256sum'
told '^sbx: took [0-9.]+ s, [0-9.]+ s of processors, [0-9.]+[KM] of memory'
run 0 "no report" --report never -- sh -c 'curl -s http://denied.test; true'
is "says nothing" "" "$(cat "$work/log")"
run 7 "the JSON report" --report json --time 9s -- sh -c 'exit 7'
is "is JSON" "exit 7 []" "$(python3 -c '
import json, sys
report = json.loads(sys.stdin.read())
assert report["wall_ms"] >= 0 and report["memory_peak"] > 0 and isinstance(report["told"], list), report
print(report["end"], report["status"], report["limits"])' <"$work/log")"
run 124 "of a limit" --report json --time 200ms -- sleep 9
is "names it" "limit 124 time 200" "$(python3 -c '
import json, sys
report = json.loads(sys.stdin.read())
print(report["end"], report["status"], report["limits"][0]["name"], report["limits"][0]["limit"])' <"$work/log")"
run 125 "of a run that failed" --report json --read /no/such -- true
like "says why" "$(cat "$work/log")" '/no/such'

# Soft limits never refuse; who is not trusted cannot make a strict one soft.
is "the plan names the means" yes "$([ -n "$strict" ] && echo yes)"
printf '[limits]\npids = ?100\n' >.sbx.ini
like "a project may lower a soft limit" "$("$SBX" plan -- true)" 'pids=100'
"$SBX" profile check .sbx.ini >/dev/null
printf '[profile]\nextends = default\n[limits]\npids = 200\n' >"$work/strict.ini"
like "but not soften a strict one" "$("$SBX" plan -p "$work/strict.ini" -- true)" 'pids=200'
rm .sbx.ini

# Nothing is left: no group of ours below any hierarchy.
left() { find /sys/fs/cgroup -maxdepth 6 -name 'sbx-*' -type d 2>/dev/null | sort; }
before=$(left)
run 0 "a run with strict limits" --memory 200M --pids 50 -- sh -c 'sleep 5 & true'
is "leaves no cgroup" "$before" "$(left)"
for step in cgroup group-limits group-ready go; do
	got=$(SBX_TEST_FAIL=$step timeout 20 "$SBX_TESTING" run --memory 200M -- touch was-run 2>/dev/null; echo $?)
	is "step $step fails: nothing is run, nothing is left" "125 no $before" "$got $([ -e was-run ] && echo run || echo no) $(left)"
done
if [ -n "$grouped" ] && [ "$strict" != "a scope of your systemd" ]; then
	is "the twin: without its limits the hog gets all" all "$(SBX_TEST_SKIP=group-limits "$SBX_TESTING" run --memory 64M -- python3 -c "$hog")"
	"$SBX" run --memory 200M -- sleep 30 &
	victim=$!
	sleep 0.5
	kill -9 $victim
	wait $victim 2>/dev/null
	sleep 0.3
	"$SBX" run --memory 200M -- true
	is "after SIGKILL the next start sweeps" "$before" "$(left)"

	# Two runs of a pool share what it has.
	holder=${bomb/400/25} holder=${holder/1.5/60} holder=${holder/0.6/60}
	"$SBX" run --pool p1 --pids 40 -- python3 -u -c "$holder" >"$work/one" &
	holder=$!
	wait_for 30 test -s "$work/one"
	"$SBX" run --pool p1 --pids 40 -- python3 -c "$bomb" >"$work/two"
	kill $holder
	wait $holder 2>/dev/null
	is "a pool is one budget" "25 yes" "$(cat "$work/one") $([ "$(cat "$work/two")" -le 16 ] && echo yes)"
	is "and goes with its last run" "" "$(find /sys/fs/cgroup -maxdepth 6 -name 'pool-p1' 2>/dev/null)"
	# The last run to end removes the pool while the next comes: by two at a time it often is the last.
	seq 12 | xargs -P 6 -I N "$SBX" run --pool p2 --memory 300M --pids 100 -- sh -c 'echo N' >"$work/many" 2>&1
	seq 13 60 | xargs -P 2 -I N "$SBX" run --pool p2 --memory 300M --pids 100 -- sh -c 'echo N' >>"$work/many" 2>&1
	is "sixty runs of a pool by xargs" "$(seq 60)" "$(sort -n "$work/many")"
fi
done_testing
