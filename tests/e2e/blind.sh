#!/bin/bash
# What a box does to keep its supervisor busy: it costs the host little, and limits, guards and the log are as they
# are without it. None of this is decided by time: tests/bench/blind measures that.
. "$(dirname "$0")/../net/inside.sh"
stall=$(dirname "$ATTACK")/stall
cp "$stall" ./stall
log() { "$SBX" audit "$@"; }
files() { ls "$XDG_STATE_HOME/sbx/log" 2>/dev/null; }

# --- owners: 60 programs with 1,000 descriptors each, of which none is the one that connects, 40 times over. Once
# through all of them is what a walk without a bound takes each time.
"$SBX" run --timeout 300s -- ./stall apart 60 1000 40 >out 2>"$work/log" &
box=$!
wait_for 120 grep -q ready out
spent=$(awk '{ print int($1 / 1000) }' /proc/$box/schedstat)
walk=$(python3 -c '
import os, sys, time
pids, begin = [int(sys.argv[1])], time.process_time()
for pid in pids:
    try:
        for task in os.listdir("/proc/%d/task" % pid):
            pids += [int(word) for word in open("/proc/%d/task/%s/children" % (pid, task)).read().split()]
        for fd in os.listdir("/proc/%d/fd" % pid): os.readlink("/proc/%d/fd/%s" % (pid, fd))
    except OSError: pass
print(int((time.process_time() - begin) * 1e6), len(pids))' $box)
kill $box
wait $box
like "the box was there" "${walk#* }" "^6[0-9]$"
walk=${walk% *}
if [ "$spent" -lt $((walk * 8)) ]; then
	pass "40 owners among 60,000 descriptors take less than 8 walks"
else
	fail "40 owners among 60,000 descriptors" "$spent us, one walk takes $walk us"
fi
like "each is told, by whom or not" "$(log | grep -Ec 'denied +1 .* 8\.0\.1\.1:')" '^40$'

# --- names: one that comes again and again ends the run, and holds up no other
"$SBX" run --timeout 300s -- ./stall trusted . 100 >out 2>"$work/log"
like "a name that comes for the 8th time ends the run, and each is kept" "$? $("$SBX" quarantine list | grep -c '/.vscode$')" '^125 ([89]|10)$'
before=$("$SBX" quarantine list | grep -c '/.vscode$')
"$SBX" run --timeout 300s -- sh -c './stall trusted . 7 >out & until [ -s out ]; do sleep 0.1; done
	for i in $(seq 7); do echo evil >.envrc; while [ -e .envrc ]; do sleep 0.01; done; done; wait' 2>"$work/log"
is "another is moved away beside it" "7 7" "$("$SBX" quarantine list | grep -c '/.envrc$') $(($("$SBX" quarantine list | grep -c '/.vscode$') - before))"

# --- the log: refusals without end push out nothing
"$SBX" run -a www.allowed.test -- curl -s -m 60 http://www.allowed.test/before >/dev/null 2>&1
"$SBX" run --read "$LAB" -a '*.allowed.test' -- sh -c './stall connect 8000 8000 >/dev/null; curl -s -m 60 http://www.allowed.test/after' >out 2>"$work/log"
like "the one that is let through is reached" "$(cat out)" '^GET /after host=www.allowed.test'
is "and logged, with their addresses" 2 "$(cat "$XDG_STATE_HOME"/sbx/log/run-* | grep -c '"name":"www.allowed.test","address":"203.0.113.10","port":80,"verdict":"allowed".*"connections":1,')"
like "with its bytes" "$(log | grep 'allowed .*www.allowed.test:80')" ' 1 +[1-9][0-9.]*K? +[1-9][0-9.]*K? www'
is "the other run's too" 2 "$(log | grep -Ec ' allowed +1 .* www.allowed.test:80')"
largest=$(stat -c %s "$XDG_STATE_HOME"/sbx/log/run-* | sort -n | tail -1)
if [ "$largest" -lt 1200000 ]; then pass "the log of 8,000 refusals has $largest bytes"; else fail "the log of 8,000 refusals" "$largest bytes"; fi
singles=$(log | grep -c ' denied .* 8\.0\.1\.1:[0-9]')
is "what has no line of its own is counted (with the 40 of before)" 8040 $((singles + $(log | awk '$3 == "denied" && $7 ~ /^others/ { sum += $4 } END { print sum + 0 }')))
is "each line is JSON" connection "$(log --json | python3 -c 'import json,sys
for line in sys.stdin:
    try: form = json.loads(line)["form"]
    except ValueError: print(line)
print(form)')"
is "no line stands for others, of which it lists eight" "0 8" "$(grep -c times "$work/log") $(grep -c '^sbx: blocked 8\.' "$work/log")"
is "and counts the rest" 248 "$(sed -n 's/^sbx: \([0-9]*\) more refusals (connect) are counted here only.*/\1/p' "$work/log")"
is "the report says how many it leaves out" 7744 "$(sed -n 's/^sbx: \([0-9]*\) more refusals are not listed singly$/\1/p' "$work/log")"
done_testing
