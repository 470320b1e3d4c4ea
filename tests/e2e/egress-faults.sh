#!/bin/bash
# Bad peers on both sides of the proxy: it names what is wrong, stays small, and serves the others.
. "$(dirname "$0")/../net/inside.sh"
box() { timeout 300 "$SBX" run --read "$LAB" --read "$tests" -a '*.allowed.test' -a slow.test -a none.test "$@" 2>"$work/log"; }
fetch="curl -sS -m 60"

# 1,000 half requests, and 1,000 tunnels that say nothing: a fresh one is as fast as before.
box -- python3 -c '
import resource, socket, time, urllib.request
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
def fresh():
    begin = time.time(); urllib.request.urlopen("http://www.allowed.test/", timeout=60).read(); return time.time() - begin
def median(): return sorted(fresh() for i in range(100))[50] * 1000
fresh()
before, held = median(), []
for i in range(1000):
    s = socket.create_connection(("www.allowed.test", 80)); s.send(b"GET / HTTP/1.1\r\nHo"); held.append(s)
for i in range(1000):
    held.append(socket.create_connection(("www.allowed.test", 7000)))
after = median()
print("as fast" if after < 5 * before + 50 else "slower", "%.1f ms, %.1f before" % (after, before))' >"$work/slow" 2>&1
like "2,000 idle connections: a fresh request: $(tail -1 "$work/slow")" "$(cat "$work/slow" "$work/log")" '^as fast'

# Half heads of 16 KB: what they take of the host is bounded, and given back when they are gone.
"$SBX" run -a www.allowed.test -- python3 -c '
import os, resource, socket, time, urllib.request
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
urllib.request.urlopen("http://www.allowed.test/", timeout=60).read()
def step(name):
    open(name, "w").close()
    while not os.path.exists("on-" + name): time.sleep(0.05)
step("empty")
held, head = [], b"GET / HTTP/1.1\r\nHost: www.allowed.test\r\n" + (b"x: " + b"a" * 1000 + b"\r\n") * 15
for i in range(3000):
    s = socket.create_connection(("www.allowed.test", 80)); s.send(head); held.append(s)
step("full")
for s in held: s.close()
print(urllib.request.urlopen("http://www.allowed.test/fresh", timeout=60).read().decode())
step("gone")' >"$work/half" 2>&1 &
run=$!
# The proxy's: of the two children the one that is in no other namespace of processes.
memory() {
	for child in $(children_of $run); do
		awk '/^NSpid/ && NF > 2 { exit } /^NSpid/ { ours = 1 } /^RssAnon/ { memory = $2 } END { if (ours) print memory }' "/proc/$child/status" 2>/dev/null
	done
}
below() { [ "$(memory)" -lt "$1" ]; }
wait_for 120 test -e empty
empty=$(memory)
touch on-empty
wait_for 120 test -e full
sleep 1
full=$(memory)
touch on-full
wait_for 120 test -e gone
if [ -n "$full" ] && [ "$full" -lt $((3000 * 16 + 2000)) ]; then pass "3,000 half heads of 15 KB take $full KiB"; else fail "3,000 half heads of 15 KB" "${full:-?} KiB"; fi
# The places of 3,000 connections stay, of less than 1 KiB each.
if wait_for 10 below $((empty + 3000)); then pass "and are given back within seconds"; else fail "and are given back within seconds" "$empty KiB before, $(memory) KiB after"; fi
touch on-gone
wait $run
like "the next one is served" "$(cat "$work/half")" '^GET /fresh'
rm -f on-* empty full gone

# An endless body is passed on as fast as it is read, and kept nowhere.
timeout 300 "$SBX" run -a www.allowed.test -- bash -c "curl -s -m 3 http://www.allowed.test/endless >/dev/null
	curl -s -m 250 http://www.allowed.test/endless | { head -c 1000 >/dev/null; touch begun; until [ -e on ]; do sleep 0.1; done; }; true" >"$work/log" 2>&1 &
run=$!
wait_for 120 test -e begun
sleep 1
worker=$(worker_of "$(pgrep -P $run)")
memory=$(awk '/^RssAnon/ { print $2 }' "/proc/$worker/status" 2>/dev/null)
touch on
wait $run
rm -f on begun
if [ "${memory:-99999}" -lt 20000 ]; then pass "an endless body takes ${memory} KiB"; else fail "an endless body" "${memory:-?} KiB"; fi
like "a reset in the middle of a body" "$(box -- $fetch http://www.allowed.test/reset 2>&1; cat "$work/log")" 'reset|closed with'
like "and the next one works" "$(box -- bash -c "$fetch http://www.allowed.test/reset; $fetch http://www.allowed.test/after")" 'GET /after'
like "nobody listens there" "$(box -- $fetch http://www.allowed.test:9/ 2>&1; cat "$work/log")" 'could not reach www.allowed.test:9 .*refused'
begin=$(date +%s)
like "a name server that does not answer is given up in time" "$(box -- curl -sS -m 100 http://slow.test/ 2>&1; [ $(($(date +%s) - begin)) -ge 60 ] || cat "$work/log")" 'could not reach slow.test:80'

# The host changes networks while a run lasts.
printf 'nameserver 203.0.113.77\n' >"$LAB/resolv.conf"
timeout 300 "$SBX" run -a www.allowed.test -- bash -c "for i in \$(seq 100); do curl -s -f -m 12 http://www.allowed.test/moved && break; sleep 0.3; done" >"$work/moved" 2>&1 &
run=$!
sleep 2
printf 'nameserver 203.0.113.53\n' >"$LAB/resolv.conf"
wait $run
like "another resolv.conf is taken up" "$(cat "$work/moved")" '^GET /moved'
timeout 300 "$SBX" run -a late.allowed.test -- bash -c "for i in \$(seq 300); do curl -s -f -m 60 http://late.allowed.test/late && break; sleep 0.3; done" >"$work/moved" 2>&1 &
run=$!
sleep 1.5
echo "203.0.113.10 late.allowed.test" >>"$LAB/hosts"
wait $run
like "another /etc/hosts too" "$(cat "$work/moved")" '^GET /late'

# Descriptors run out: told by 503, and over when they are free again.
like "too many connections for its descriptors" "$(ulimit -n 60; box -- python3 -c '
import select, socket, time, urllib.request
held, refused, end = [], 0, time.time() + 60
for i in range(100):
    held.append(socket.create_connection(("198.18.0.1", 80)))
while refused <= 20 and time.time() < end:
    for s in select.select(held, [], [], 1)[0]:
        try: refused += s.recv(12) == b"HTTP/1.1 503"
        except OSError: pass
        held.remove(s)
for s in held: s.close()
while True:
    try: free = urllib.request.urlopen("http://www.allowed.test/free", timeout=60).read().decode(); break
    except OSError as e:
        free = str(e)
        if time.time() > end: break
        time.sleep(0.1)
print(refused > 20, free)' 2>&1; cat "$work/log")" '^True GET /free|Too many open files'

# Nonsense on every port: the worker lives.
like "random bytes" "$(box -- python3 -c '
import os, random, socket, urllib.request
random.seed(7)
heads = [b"", b"\x16\x03\x01", b"\x05\x01\x00", b"\x05\xff", b"GET ", b"POST / HTTP/1.1\r\n", b"CONNECT a:1 HTTP/1.1\r\n\r\n", b"\x00\x0c"]
for i in range(400):
    for host, port in (("www.allowed.test", 80), ("198.18.0.1", 1), ("9.9.9.9", 53), ("www.allowed.test", 7000), ("denied.test", 443))[i % 5:][:1]:
        try: s = socket.create_connection((host, port))
        except ConnectionRefusedError: continue
        s.settimeout(0.02)
        try:
            s.send(random.choice(heads) + os.urandom(random.randrange(300))); s.recv(100)
        except OSError: pass
        s.close()
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(300): u.sendto(os.urandom(random.randrange(80)), ("9.9.9.9", 53))
print(urllib.request.urlopen("http://www.allowed.test/alive", timeout=60).read().decode())')" '^GET /alive'
# The first connection starts it.
serves() { [ "$(worker_of "$(pgrep -P "$1")")" ]; }
# Killed at any moment, the run ends: it never goes on without its proxy.
bad=0
for _ in $(seq "${KILLS:-8}"); do
	timeout 120 "$SBX" run -a www.allowed.test -- bash -c "while :; do curl -s -m 60 -o /dev/null http://www.allowed.test/; done" 2>/dev/null &
	run=$!
	wait_for 60 serves $run
	sleep 0.$((RANDOM % 5))
	worker=$(worker_of "$(pgrep -P $run)")
	kill -9 "$worker" 2>/dev/null
	wait $run
	[ $? = 125 ] && [ "$worker" ] || bad=$((bad + 1))
done
is "the proxy killed at random moments" 0 "$bad"
done_testing
