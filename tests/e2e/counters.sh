#!/bin/bash
# One box takes all that it can get of what the kernel counts for its user: beside it runs start, and old ones go on.
#   counters.sh [all]
kinds="flight signals" runs=2
[ "${1:-}" != all ] || { kinds="flight signals epoll inotify pids ptys pipes timers locks memory aio" runs=10; }
. "$(dirname "$0")/../net/inside.sh"

fetch='curl -s -m 20 -o /dev/null -w "%{http_code}\n" http://www.allowed.test/'
beside() { "$SBX" run -a www.allowed.test -- sh -c "$1" sh "${@:2}" 2>>"$work/log"; }
ulimit -Sn 1024 # as usual; of a hard limit that is as low a box can take all
mkdir got new old
seq $runs >numbers
in_session() { "$SBX" run -s full -- "$@" 2>/dev/null; }
answers() { sort "$1"/* 2>/dev/null | uniq -c | tr -s ' \n' ' '; }

for kind in $kinds; do
	rm -rf full enough over go got/* old/* new/*
	: >"$work/log"
	# Half of them had a connection before, and so a proxy.
	for i in $(seq $runs); do
		beside "[ \$((\$1 % 2)) = 0 ] || $fetch >/dev/null; : >got/\$1; while [ ! -e go ]; do sleep 0.1; done; $fetch >old/\$1
			while [ ! -e over ]; do sleep 0.1; done; $fetch >>old/\$1" "$i" &
	done
	wait_for 60 eval '[ $(ls got | wc -l) = $runs ]'
	if [ "$kind" = flight ]; then
		"$SBX" run --publish 8080:18080 -- python3 -m http.server 8080 >"$work/server" 2>&1 &
		server=$!
		wait_for 60 curl -s -o /dev/null http://127.0.0.1:18080/
	fi
	"$SBX" run --read "$tests" -- python3 "$tests/net/hog.py" "$kind" >"$work/hog" 2>&1 &
	hog=$!
	wait_for 120 test -e full
	if [ "$kind" = flight ]; then
		is "a published port is served beside it" "     40 200" "$(for i in $(seq 40); do curl -s -m 20 -o /dev/null -w '%{http_code}\n' http://127.0.0.1:18080/; done | sort | uniq -c)"
		kill $server
	fi
	: >go
	wait_for 60 eval '[ $(ls old | wc -l) = $runs ]'
	for i in $(seq $runs); do beside "$fetch" >"new/$i" || echo "status $?" >>"new/$i"; done
	wanted=200 said=
	[ $kind != epoll ] || wanted=503 said='could not reach .*max_user_watches'
	is "$(cat "$work/hog"): runs beside it start" " $runs $wanted " "$(answers new; grep '^sbx' "$work/log" | grep -v "${said:-^$}")"
	: >enough
	wait $hog 2>/dev/null
	: >over
	wait
	all=" $((2 * runs)) 200 "
	[ $wanted = 200 ] || all=" $runs 200 $runs 503 "
	is "and old ones go on" "$all" "$(answers old; grep '^sbx' "$work/log" | grep -v "${said:-^$}")"
done

# An order to the first process of a box is no signal that the box's own keep from coming.
rm -f full enough
"$SBX" session create full 2>/dev/null
"$SBX" run -s full --read "$tests" -- sh -c 'python3 "$1" signals & while :; do sleep 0.05; done' sh "$tests/net/hog.py" >"$work/hog" 2>&1 &
wait_for 60 in_session test -e full
is "with all of the box's signals on their way it is paused" "0 1" "$("$SBX" session pause full 2>&1; echo "$? $("$SBX" ps | grep -c full)")"
kill -KILL $!
wait 2>/dev/null

# One that has itself continued by timers: a stop takes what one of them has on its way, and then that one is silent.
"$SBX" run -s full -- python3 -c '
import ctypes as c, signal, time
signal.signal(signal.SIGCONT, lambda *_: None)
libc, timer = c.CDLL(None), c.c_void_p()
for i in range(20):
    assert libc.timer_create(0, (c.c_int * 16)(0, 0, 18), c.byref(timer)) == 0
    assert libc.timer_settime(timer, 0, (c.c_long * 4)(0, 10 ** 7, 0, (i + 10) * 10 ** 6), None) == 0
open("runs", "w").close()
while True: time.sleep(1)' 2>/dev/null &
wait_for 60 in_session test -e runs
like "what could not be stopped is reported" "$("$SBX" session pause full 2>&1; echo "status $?")" "session 'full': processes that could not be stopped: 1"
kill -KILL $!
wait 2>/dev/null
done_testing
