#!/bin/bash
# Many at once: a full queue ends nothing, and each connection is answered.
#   crowd.sh [large]     large: 9,000 at once, a fresh request beside each within a second, more names and protocols
one=3000 patience=20 names=70000 kinds=head
[ "${1:-}" != large ] || { one=9000 patience=1 names=140000 kinds="head burst hellos"; }
. "$(dirname "$0")/../net/inside.sh"

# A worker that does not take new rules would still carry what they deny.
touch held
timeout 60 "$SBX" run -a www.allowed.test -- sh -c "curl -s -m 60 -o /dev/null http://www.allowed.test/; : >begun; while [ -e held ]; do sleep 0.1; done" 2>"$work/deaf" &
run=$!
wait_for 60 test -e begun
box=$(pgrep -P $run) && worker=$(worker_of "$box")
is "who waits for a processor goes before the proxy" $(($(ps -o ni= $$) + 5)) "$(($(ps -o ni= "$worker")))"
kill -STOP "$worker"
begin=$(date +%s)
"$SBX" deny "$box" www.allowed.test

# Too much is watched by the user: a connection is answered, and the report says why.
is "a connection that the kernel does not watch is answered" 503 "$(SBX_TEST_SKIP=watch "$SBX_TESTING" run -a www.allowed.test -- curl -s -m 20 -o /dev/null -w '%{http_code}' http://www.allowed.test/ 2>"$work/log")"
like "and reported" "$(cat "$work/log")" 'could not reach www.allowed.test:80 .*fs.epoll.max_user_watches'

crowd() { timeout 120 "$SBX" run --read "$LAB" --read "$tests" -a '*.allowed.test' -- python3 "$tests/net/crowd.py" "$@" 2>"$work/log"; echo "status $?"; }
for kind in "names 2000" "ports 2000" "one $one"; do
	# shellcheck disable=SC2086
	is "at once: $kind" "${kind#* } in time;status 0;" "$(crowd $kind $patience | tr '\n' ';'; grep -E 'proxy' "$work/log")"
done

# More look-ups than there are places for names.
like "after $names look-ups an allowed name resolves" "$("$SBX" run -a '*.allowed.test' -- python3 -c '
import socket, struct, sys, urllib.request
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.settimeout(5)
for i in range(int(sys.argv[1])):
    label = b"n%d" % i
    u.sendto(struct.pack("!HHHHHH", i & 65535, 256, 1, 0, 0, 0) + bytes([len(label)]) + label + b"\x04evil\x00\x00\x01\x00\x01", ("9.9.9.9", 53))
    try: u.recv(512)
    except TimeoutError: pass
print(urllib.request.urlopen("http://www.allowed.test/after", timeout=60).read().decode())' $names 2>&1)" '^GET /after'

# Byte by byte: the proxy reads each byte once. As many bytes in a few long heads as in many short ones.
touch "$work/slow"
cat >slow.py <<'END'
import os, socket, sys, time
kind, count, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
port, begin = {"head": (80, b"GET / HTTP/1.1\r\n"), "burst": (7000, b""), "hellos": (7000, b"")}[kind]
more = {"head": b"a:\r\n", "burst": b"A", "hellos": b"\x16\x03\x01\x3f\xff\x01\x00\x3f\x00"}[kind]
text = (begin + more * size)[:size]
held = [socket.create_connection(("www.allowed.test", port)) for i in range(count)]
for s in held: s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for i in range(size):
    for s in held:
        try: s.send(text[i:i + 1])
        except OSError: pass
    time.sleep(0.00005 * count)
open("sent", "w").close()
while not os.path.exists("on"): time.sleep(0.02)
END
spent() { # kind, connections, bytes of each: the worker's ticks
	rm -f sent on
	timeout 120 "$SBX" run -a www.allowed.test:80,443,7000/tcp -- python3 slow.py "$@" 2>>"$work/slow" &
	box=$!
	wait_for 60 test -e sent
	awk '{ print $14 + $15 }' "/proc/$(worker_of "$(pgrep -P $box)")/stat"
	: >on
	wait $box
}
for kind in $kinds; do
	few=$(spent $kind 3 12000) many=$(spent $kind 36 1000)
	if [ "$few" -le $((many * 4 + 20)) ]; then pass "$kind, byte by byte: linear ($few and $many ticks)"; else fail "$kind, byte by byte" "$few ticks, $many in short ones; $(cat "$work/slow")"; fi
done

wait $run
is "a worker that does not take a new rule ends the run" 125 $?
like "and is named" "$(cat "$work/deaf")" 'the proxy does not take new rules'
took=$(($(date +%s) - begin))
if [ $took -ge 9 ]; then pass "not before its time"; else fail "not before its time" "$took s"; fi
rm -f held
done_testing
