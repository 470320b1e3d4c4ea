#!/bin/bash
# The machine is nearly out of memory, as a file in place of /proc/meminfo says: of ten boxes without a cgroup the one
# ends that has what went, and the nine others live. tests/vm/danger.sh does it in a machine that is.
. "$(dirname "$0")/../lib.sh"
cd "$(new_project)" || exit 1
export XDG_STATE_HOME=$work/state SBX_TEST_MEMINFO=$work/meminfo
if [ "$("$SBX" plan --memory '?4G' -- true | sed -n 's/^  enforced *by //p')" != "rlimits and periodic checks" ]; then
	skip "a machine nearly out of memory" "a cgroup bounds the memory of boxes here"
	done_testing
fi

meminfo() { printf 'MemTotal: 16000000 kB\nMemAvailable: %s kB\nAnonPages: %s kB\n' "$1" "$2" >"$work/meminfo"; }
short_of_memory() { # name, kB of processes afterwards, command of the hog: it makes the file "taken"
	local name=$1 pages=$2 quiet=() lived=0 hog
	shift 2
	meminfo 800000 1000000
	for i in 1 2 3 4 5 6 7 8 9; do
		"$SBX_TESTING" run --memory '?4G' -- sh -c "touch quiet$i; exec sleep 600" 2>/dev/null &
		quiet+=($!)
	done
	timeout 100 "$SBX_TESTING" run --memory '?4G' -- "$@" 2>"$work/log" &
	hog=$!
	wait_for 60 test -e taken -a -e quiet1 -a -e quiet2 -a -e quiet3 -a -e quiet4 -a -e quiet5 -a -e quiet6 -a -e quiet7 -a -e quiet8 -a -e quiet9
	sleep 2 # each supervisor has had its first look: what it saw then is its measure
	meminfo 200000 "$pages"
	wait $hog
	is "$name: the box that has it ends" 137 $?
	sleep 1.5
	for pid in "${quiet[@]}"; do kill -0 "$pid" 2>/dev/null && lived=$((lived + 1)); done
	is "nine others live" 9 $lived
	like "and the user is told" "$(cat "$work/log")" 'this machine was nearly out of memory, and this box used the most'
	kill "${quiet[@]}" 2>/dev/null
	wait "${quiet[@]}" 2>/dev/null
	rm -f taken quiet?
}
short_of_memory "its processes" 1600000 python3 -c 'kept = bytearray(b"x") * (330 << 20); open("taken", "w"); import time; time.sleep(600)'
short_of_memory "sockets" 1000000 python3 -c '
import socket, time
kept = [socket.socketpair() for i in range(300)]
open("taken", "w"); time.sleep(600)'
short_of_memory "memfds and pipes" 1000000 python3 -c '
import os, time
kept = [(os.memfd_create("x"), os.pipe()) for i in range(20)]
for each in kept: os.write(each[0], bytes(3 << 20))
open("taken", "w"); time.sleep(600)'
short_of_memory "private files" 1000000 python3 -c '
import time
open("/tmp/big", "wb").write(bytes(60 << 20))
open("taken", "w"); time.sleep(600)'
done_testing
