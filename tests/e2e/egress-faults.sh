#!/bin/bash
# Bad peers on both sides of the proxy: it names what is wrong, stays small, and serves the others.
. "$(dirname "$0")/../net/inside.sh"
box() { timeout 60 "$SBX" run --read "$LAB" --read "$tests" -a '*.allowed.test' -a slow.test -a none.test "$@" 2>"$work/log"; }
fetch="curl -sS -m 5"

# 1,000 half requests, and 1,000 tunnels that say nothing: a fresh one is as fast as before.
box -- python3 -c '
import socket, time, urllib.request
def fresh():
    begin = time.time(); urllib.request.urlopen("http://www.allowed.test/", timeout=5).read(); return time.time() - begin
fresh()
held = []
for i in range(1000):
    s = socket.create_connection(("www.allowed.test", 80)); s.send(b"GET / HTTP/1.1\r\nHo"); held.append(s)
for i in range(1000):
    held.append(socket.create_connection(("www.allowed.test", 7000)))
times = sorted(fresh() for i in range(100))
print("%d" % (times[98] * 1000))' >"$work/slow"
if [ "$(cat "$work/slow")" -lt 100 ]; then pass "2,000 idle connections: fresh request p99 $(cat "$work/slow") ms"; else fail "2,000 idle connections" "$(cat "$work/slow") ms, $(cat "$work/log")"; fi

# An endless body is passed on as fast as it is read, and kept nowhere.
timeout 60 "$SBX" run -a www.allowed.test -- bash -c "curl -s -m 3 http://www.allowed.test/endless >/dev/null; curl -s -m 3 http://www.allowed.test/endless | sleep 2; true" >"$work/log" 2>&1 &
run=$!
sleep 4.5
worker=$(pgrep -P "$(pgrep -P $run)" | tail -1)
memory=$(awk '/^RssAnon/ { print $2 }' "/proc/$worker/status" 2>/dev/null)
wait $run
if [ "${memory:-99999}" -lt 20000 ]; then pass "an endless body takes ${memory} KiB"; else fail "an endless body" "${memory:-?} KiB"; fi
like "a reset in the middle of a body" "$(box -- $fetch http://www.allowed.test/reset 2>&1; cat "$work/log")" 'reset|closed with'
like "and the next one works" "$(box -- bash -c "$fetch http://www.allowed.test/reset; $fetch http://www.allowed.test/after")" 'GET /after'
like "nobody listens there" "$(box -- $fetch http://www.allowed.test:9/ 2>&1; cat "$work/log")" 'could not reach www.allowed.test:9 .*refused'
begin=$(date +%s)
like "a name server that does not answer" "$(box -- curl -sS -m 20 http://slow.test/ 2>&1; cat "$work/log")" 'could not reach slow.test:80'
if [ $(($(date +%s) - begin)) -lt 14 ]; then pass "is given up in time"; else fail "is given up in time"; fi

# The host changes networks while a run lasts.
printf 'nameserver 203.0.113.77\n' >"$LAB/resolv.conf"
timeout 60 "$SBX" run -a www.allowed.test -- bash -c "for i in \$(seq 100); do curl -s -f -m 12 http://www.allowed.test/moved && break; sleep 0.3; done" >"$work/moved" 2>&1 &
run=$!
sleep 2
printf 'nameserver 203.0.113.53\n' >"$LAB/resolv.conf"
wait $run
like "another resolv.conf is taken up" "$(cat "$work/moved")" '^GET /moved'
timeout 60 "$SBX" run -a late.allowed.test -- bash -c "for i in \$(seq 50); do curl -s -f -m 5 http://late.allowed.test/late && break; sleep 0.3; done" >"$work/moved" 2>&1 &
run=$!
sleep 1.5
echo "203.0.113.10 late.allowed.test" >>"$LAB/hosts"
wait $run
like "another /etc/hosts too" "$(cat "$work/moved")" '^GET /late'

# Descriptors run out: told by 503, and over when they are free again.
like "too many connections for its descriptors" "$(ulimit -n 60; box -- python3 -c '
import socket, urllib.request
held, refused = [], 0
for i in range(100):
    s = socket.create_connection(("198.18.0.1", 80)); s.settimeout(0.05); held.append(s)
for s in held:
    try: refused += s.recv(12) == b"HTTP/1.1 503"
    except OSError: pass
for s in held: s.close()
import time; time.sleep(0.3)
print(refused > 20, urllib.request.urlopen("http://www.allowed.test/free", timeout=5).read().decode())' 2>&1; cat "$work/log")" '^True GET /free|Too many open files'

# Nonsense on every port: the worker lives.
like "random bytes" "$(box -- python3 -c '
import os, random, socket, urllib.request
random.seed(7)
heads = [b"", b"\x16\x03\x01", b"\x05\x01\x00", b"\x05\xff", b"GET ", b"POST / HTTP/1.1\r\n", b"CONNECT a:1 HTTP/1.1\r\n\r\n", b"\x00\x0c"]
for i in range(400):
    for host, port in (("www.allowed.test", 80), ("198.18.0.1", 1), ("9.9.9.9", 53), ("www.allowed.test", 7000), ("denied.test", 443))[i % 5:][:1]:
        s = socket.create_connection((host, port)); s.settimeout(0.02)
        try:
            s.send(random.choice(heads) + os.urandom(random.randrange(300))); s.recv(100)
        except OSError: pass
        s.close()
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(300): u.sendto(os.urandom(random.randrange(80)), ("9.9.9.9", 53))
print(urllib.request.urlopen("http://www.allowed.test/alive", timeout=5).read().decode())')" '^GET /alive'
# Killed at any moment, the run ends: it never goes on without its proxy.
bad=0
for _ in $(seq "${KILLS:-8}"); do
	timeout 20 "$SBX" run -a www.allowed.test -- bash -c "while :; do curl -s -m 2 -o /dev/null http://www.allowed.test/; done" 2>/dev/null &
	run=$!
	sleep 0.$((RANDOM % 5 + 4))
	worker=$(pgrep -P "$(pgrep -P $run)" | tail -1)
	kill -9 "$worker" 2>/dev/null
	wait $run
	[ $? = 125 ] || bad=$((bad + 1))
done
is "the proxy killed at random moments" 0 "$bad"
done_testing
