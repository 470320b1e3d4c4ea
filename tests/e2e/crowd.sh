#!/bin/bash
# Many at once: a full queue ends nothing, and each connection is answered.
#   crowd.sh [large]     large: 9,000 at once, and a fresh request beside each within a second
one=3000 patience=20
[ "${1:-}" != large ] || one=9000 patience=1
. "$(dirname "$0")/../net/inside.sh"

# A worker that does not take new rules would still carry what they deny.
touch held
timeout 60 "$SBX" run -a www.allowed.test -- sh -c "curl -s -m 60 -o /dev/null http://www.allowed.test/; : >begun; while [ -e held ]; do sleep 0.1; done" 2>"$work/deaf" &
run=$!
wait_for 60 test -e begun
box=$(pgrep -P $run) && worker=$(pgrep -P "$box" | tail -1)
kill -STOP "$worker"
begin=$(date +%s)
"$SBX" deny "$box" www.allowed.test

crowd() { timeout 120 "$SBX" run --read "$LAB" --read "$tests" -a '*.allowed.test' -- python3 "$tests/net/crowd.py" "$@" 2>"$work/log"; echo "status $?"; }
for kind in "names 2000" "ports 2000" "one $one"; do
	# shellcheck disable=SC2086
	is "at once: $kind" "${kind#* } in time;status 0;" "$(crowd $kind $patience | tr '\n' ';'; grep -E 'proxy' "$work/log")"
done

# More look-ups than there are places for names.
like "after 140,000 look-ups an allowed name resolves" "$("$SBX" run -a '*.allowed.test' -- python3 -c '
import socket, struct, urllib.request
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.settimeout(5)
for i in range(140000):
    label = b"n%d" % i
    u.sendto(struct.pack("!HHHHHH", i & 65535, 256, 1, 0, 0, 0) + bytes([len(label)]) + label + b"\x04evil\x00\x00\x01\x00\x01", ("9.9.9.9", 53))
    try: u.recv(512)
    except TimeoutError: pass
print(urllib.request.urlopen("http://www.allowed.test/after", timeout=60).read().decode())' 2>&1)" '^GET /after'

wait $run
is "a worker that does not take a new rule ends the run" 125 $?
like "and is named" "$(cat "$work/deaf")" 'the proxy does not take new rules'
took=$(($(date +%s) - begin))
if [ $took -ge 9 ]; then pass "not before its time"; else fail "not before its time" "$took s"; fi
rm -f held
done_testing
