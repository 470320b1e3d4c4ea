#!/bin/bash
# The second wall of BPF programs, for root. Each wall is shown by a process that is put into the
# box's cgroup from outside, as one that got out of all others would be; its twin has no guard.
. "$(dirname "$0")/../lib.sh"
cd "$(new_project)" || exit 1
if "$SBX" doctor | grep -q '^weak *guard *guard: not built in'; then
	like "a program without the guard refuses it" "$("$SBX" run --bpf yes -- touch ran 2>&1)" '^sbx: guard: not built in: meson .*-Dbpf=enabled'
	[ ! -e ran ] || fail "and the command was not run"
	done_testing
fi
if [ "$(id -u)" != 0 ]; then
	like "an ordinary user is told" "$("$SBX" run --bpf yes -- touch ran 2>&1)" 'guard: (BPF programs need root|cgroup v2 is needed)'
	[ ! -e ran ] || fail "and the command was not run"
	done_testing
fi
if ! "$SBX" run --bpf yes -- true 2>"$work/log"; then
	# Any other reason is a failure: a guard that broke must not be skipped.
	if grep -q 'cgroup v2 is needed\|need root' "$work/log"; then
		skip "the guard" "$(head -1 "$work/log")"
	else
		fail "the guard" "$(cat "$work/log")"
	fi
	done_testing
fi

like "doctor says that it works" "$("$SBX" doctor)" '^ok +guard '
if command -v strace >/dev/null; then
	old=$(strace -f -o "$work/trace" -e trace=getsockopt -e inject=getsockopt:error=ENOPROTOOPT "$SBX" run --bpf yes -- touch ran 2>&1)
	like "a kernel before 5.14 is named" "$old" 'guard: Linux 5.14 or later is needed'
	old=$(strace -f -o "$work/trace" -e trace=bpf -e inject=bpf:error=EINVAL:when=3 "$SBX" run --bpf yes -- touch ran 2>&1)
	like "programs that do not load are a failure" "$old" 'guard: BPF programs need .*; the command was not run'
	is "and nothing was run" no "$([ -e ran ] && echo yes || echo no)"
else
	skip "a kernel before 5.14" "strace is not installed"
fi

guarded=(why --network host --bpf yes -a 0.0.0.0/0 --deny 10.0.0.0/8)
is "why: what the guard keeps from" "10.1.1.1, port 443, is denied (10.0.0.0/8; --deny)" "$("$SBX" "${guarded[@]}" 10.1.1.1)"
is "why: and what not" "127.0.0.1:80, port 80, can be reached (0.0.0.0/0; --allow)" "$("$SBX" "${guarded[@]}" 127.0.0.1:80)"
like "why: a name" "$("$SBX" "${guarded[@]}" example.org)" 'is a name: .*the address'
like "why: what no line allows" "$("$SBX" "${guarded[@]}" 2001:db8::1)" 'cannot be reached: not in the allowlist'

server=$work/server.py
cat >"$server" <<'END'
import socket, sys, threading
def serve(family, kind, port):
    s = socket.socket(family, kind)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6: s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    s.bind(("", port))
    if kind == socket.SOCK_DGRAM:
        while True: s.sendto(*s.recvfrom(100))
    s.listen(50)
    while True:
        c, _ = s.accept()
        def talk(c=c):
            c.sendall(b"hello")
            try:
                while c.recv(65536): pass
            except OSError: pass
            c.close()
        threading.Thread(target=talk, daemon=True).start()
for family in (socket.AF_INET, socket.AF_INET6):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        for port in (7001, 7002):
            threading.Thread(target=serve, args=(family, kind, port), daemon=True).start()
print("ready", flush=True)
threading.Event().wait(300)
END
client=$work/client.py
cat >"$client" <<'END'
import errno, socket, sys
def attempt(host, port, kind):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    s = socket.socket(family, socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM)
    s.settimeout(3)
    try:
        if kind == "udp":
            s.sendto(b"hello", (host, port))
            return s.recv(5).decode()
        s.connect((host, port))
        return s.recv(5).decode()
    except OSError as e:
        return errno.errorcode.get(e.errno, str(e))
print(" ".join(attempt(h, int(p), k) for h, p, k in (w.split(",") for w in sys.argv[1:])))
END

# Two networks of this test's own, and a wire between them.
unshare -n python3 "$server" >"$work/ready" &
serving=$!
for i in $(seq 50); do grep -q ready "$work/ready" && break; sleep 0.1; done
unshare -n sleep 300 &
calling=$!
trap 'kill $serving $calling 2>/dev/null; rm -rf "$work"' EXIT
sleep 0.2
in_server() { nsenter -t $serving -n "$@"; }
in_client() { nsenter -t $calling -n "$@"; }
in_client ip link add wire type veth peer name wire netns $serving
for side in server client; do
	number=$([ $side = server ] && echo 1 || echo 2)
	in_$side ip link set lo up
	in_$side ip link set wire up
	in_$side ip address add 10.77.0.$number/24 dev wire
	in_$side ip address add fd77::$number/64 dev wire nodad
done

host() { # options... -- attempts
	local options=()
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	shift
	in_client "$SBX" run --network host "${options[@]}" --read "$client" -- python3 "$client" "$@" 2>&1
}
# shellcheck disable=SC2054
all=(10.77.0.1,7001,tcp 10.77.0.1,7002,tcp 10.77.0.1,7001,udp fd77::1,7001,tcp ::ffff:10.77.0.1,7001,tcp)
like "the plan says so" "$("$SBX" plan --network host --bpf yes -a 10.77.0.1:7001 -- true)" 'allow +10.77.0.1:7001'
is "mode host without a guard reaches all" "hello hello hello hello hello" "$(host -- "${all[@]}")"
is "with one, nothing that is not allowed" "EPERM EPERM EPERM EPERM EPERM" "$(host --bpf yes -- "${all[@]}")"
is "an address and a port" "hello EPERM hello EPERM hello" "$(host --bpf yes -a 10.77.0.1:7001 -- "${all[@]}")"
is "a network" "hello hello hello EPERM hello" "$(host --bpf yes -a 10.77.0.0/16 -- "${all[@]}")"
is "a network that ends within a byte" "EPERM EPERM EPERM EPERM EPERM" "$(host --bpf yes -a 10.77.0.8/29 -- "${all[@]}")"
is "IPv6" "EPERM EPERM EPERM hello EPERM" "$(host --bpf yes -a fd77::/64 -- "${all[@]}")"
is "IPv6 by UDP" "EPERM hello" "$(host --bpf yes -a 10.77.0.1 -- fd77::1,7001,udp) $(host --bpf yes -a fd77::1 -- fd77::1,7001,udp)"
is "all of IPv6 is none of IPv4" "EPERM EPERM EPERM hello EPERM" "$(host --bpf yes -a ::/0 -- "${all[@]}")"
is "and the other way round" "hello hello hello EPERM hello" "$(host --bpf yes -a 0.0.0.0/0 -- "${all[@]}")"
is "what stands behind all of it" "hello hello hello hello hello" "$(host --bpf yes -a 0.0.0.0/0 -a ::/0 -a 10.77.0.1 -- "${all[@]}")"
is "all of it denied" "EPERM EPERM EPERM hello EPERM" "$(host --bpf yes --deny 0.0.0.0/0 -a fd77::1 -a 10.77.0.1 -- "${all[@]}")"
is "two ports" "hello hello hello EPERM hello" "$(host --bpf yes -a 10.77.0.1:7001,7002 -- "${all[@]}")"
is "deny wins" "hello EPERM hello EPERM hello" "$(host --bpf yes -a 10.77.0.0/16 --deny 10.77.0.1:7002 -- "${all[@]}")"
is "several rules for one address, of any length" "hello hello EPERM EPERM hello" "$(host --bpf yes -a 10.77.0.1:7001 -a 10.77.0.0/24:7002,7003 -a 10.0.0.0/8:53 -a '[fd77::1]:7002' --deny '[fd77::1]:7003' -- "${all[@]:0:2}" 10.77.0.1,7004,udp "${all[@]:3}")"
is "the shorter of two rules denies" "EPERM hello EPERM EPERM EPERM" "$(host --bpf yes -a 10.77.0.1 --deny 10.77.0.0/24:7001 -- "${all[@]}")"
many=()
for ((i = 0; i < 1024; i++)); do many+=(-a "10.78.$((i / 256)).$((i % 256)):1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"); done
is "a thousand rules" "hello EPERM" "$(host --bpf yes "${many[@]:2}" -a 10.77.0.1:7001 -- "${all[@]:0:2}")"
like "more than fit are an error that names the number" "$(host --bpf yes "${many[@]}" -a 10.77.0.1:7001 -- true)" 'guard: more than 16384 addresses and ports'
like "a name is refused" "$(host --bpf yes -a example.com -- "${all[0]}")" "'example.com' is a host name: with --network host the BPF programs support only addresses and ports"

other='
import errno, socket
for kind, protocol in ((socket.SOCK_STREAM, 262), (socket.SOCK_DGRAM, 1), (socket.SOCK_DGRAM, 136)):
    try:
        s = socket.socket(socket.AF_INET, kind, protocol)
        s.settimeout(2)
        s.connect(("10.77.0.1", 7002))
        s.send(b"hello")
        print("sent", protocol)
    except OSError: pass'
is "MPTCP, ICMP and UDP-Lite do not lead past it" "" "$(in_client env SBX_TEST_SKIP=filter "$SBX_TESTING" run --network host --bpf yes -a 10.77.0.1:7001 -- python3 -c "$other" 2>/dev/null)"
send='
import socket
s = socket.create_connection(("10.77.0.1", 7001), 3)
s.settimeout(2)
try:
    for i in range(400): s.sendall(bytes(10000))
    s.shutdown(socket.SHUT_WR)
    while s.recv(100): pass
    print("all")
except OSError: print("stopped")'
is "bytes are counted" "all
yes" "$(in_client "$SBX" run --network host --bpf yes -a 10.77.0.1 --report json -- python3 -c "$send" 2>"$work/log"; python3 -c '
import json, sys
r = json.load(sys.stdin)
print("yes" if 4000000 < r["bytes_sent"] < 6000000 and r["bytes_received"] > 1000 else r)' <"$work/log")"
is "and bounded" stopped "$(in_client "$SBX" run --network host --bpf yes -a 10.77.0.1 --upload 500K -- python3 -c "$send" 2>/dev/null)"
like "a budget for one host, which it does not keep, is told" "$(in_client "$SBX" run --network host --bpf yes -a 10.77.0.1 --upload '10.77.0.1 1M' -- true 2>&1)" 'upload 10.77.0.1 1M has no effect in mode host'
is "without a guard mode host counts nothing" all "$(in_client "$SBX" run --network host --upload 500K -- python3 -c "$send" 2>/dev/null)"

# What a box listens on. It has no host of its own here: 10.77.0.2 is where the box is, 10.77.0.1 calls.
called() { # skip, options of run... -- attempts from 10.77.0.1 at a server in such a box
	local options=() skipped=$1 box
	shift
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	shift
	rm -f "$work/listening"
	(exec env SBX_TEST_SKIP="$skipped" nsenter -t $calling -n "$SBX_TESTING" run --network host --bpf yes "${options[@]}" --read "$server" -- python3 "$server" >"$work/listening") &
	box=$!
	wait_for 60 grep -q ready "$work/listening"
	in_server python3 "$client" "$@"
	kill $box
	wait $box 2>/dev/null
}
# shellcheck disable=SC2054
callers=(10.77.0.2,7001,tcp fd77::2,7001,udp)
is "a server in the box is reached by nobody who is not allowed" "timed out timed out" "$(called '' -a 10.99.0.1 -- "${callers[@]}")"
is "its twin: without that wall by all" "hello hello" "$(called packets-in,packets-out,addresses -a 10.99.0.1 -- "${callers[@]}")"
is "by an allowed address" "hello timed out" "$(called '' -a 10.77.0.1 -- "${callers[@]}")"
is "of IPv6, too" "timed out hello" "$(called '' -a fd77::1 -- "${callers[@]}")"
is "not by one of whose ports another is allowed" "timed out" "$(called '' -a 10.77.0.1:9 -- 10.77.0.2,7001,tcp)"
is "nor by a denied one" "timed out" "$(called '' -a 10.77.0.0/24 --deny 10.77.0.1 -- 10.77.0.2,7001,tcp)"
is "it talks to itself where a rule says so" hello "$(in_client "$SBX" run --network host --bpf yes -a 127.0.0.1:7001 --read "$server" --read "$client" -- sh -c "python3 $server >ready & while ! grep -qs ready ready; do sleep 0.1; done; python3 $client 127.0.0.1,7001,tcp" 2>&1)"
rm -f ready

# Somebody who got out of every other wall, but not out of the cgroup.
escaped() { # options of run... -- command: runs the command outside, in the group of such a box
	local options=() box group got=99
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	shift
	(exec nsenter -t $calling -n "$SBX_TESTING" run --memory 200M "${options[@]}" -- sleep 20.$$) &
	box=$!
	for i in $(seq 300); do
		group=$(find /sys/fs/cgroup -name "sbx-$box-*" -type d | grep -E 'unified|sbx.slice')
		[ -n "$group" ] && pgrep -f "^sleep 20[.]$$\$" >/dev/null && break
		sleep 0.1
	done
	if [ -n "$group" ]; then
		(echo $BASHPID >"$group/cgroup.procs" && in_client "$@" 2>&1)
		got=$?
	fi
	kill $box
	wait $box 2>/dev/null
	return $got
}
is "mode proxy: one in the host's network reaches nobody" "EPERM EPERM EPERM" "$(escaped --bpf yes -- python3 "$client" 10.77.0.1,7001,tcp 10.77.0.1,7001,udp fd77::1,7001,tcp)"
is "packets do not leave, were addresses not looked at" EPERM "$(SBX_TEST_SKIP=addresses escaped --bpf yes -- python3 "$client" 10.77.0.1,7001,udp)"
is "their twin: with neither they do" hello "$(SBX_TEST_SKIP=addresses,packets-out,packets-in escaped --bpf yes -- python3 "$client" 10.77.0.1,7001,udp)"
is "a raw socket is not had" 1 "$(escaped --bpf yes -- python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)' >/dev/null 2>&1; echo $?)"
is "its twin is" 0 "$(SBX_TEST_SKIP=sockets escaped --bpf yes -- python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)' >/dev/null 2>&1; echo $?)"
is "no device but the view's" "" "$(escaped --bpf yes -- sh -c ': </dev/kmsg && echo opened' 2>/dev/null | grep opened)"
is "those work" ok "$(escaped --bpf yes -- sh -c 'head -c 1 /dev/zero >/dev/null && echo ok')"
is "and no node is made" 1 "$(escaped --bpf yes -- mknod "$work/node" c 1 3 >/dev/null 2>&1; echo $?)"
if [ -e /dev/kmsg ]; then
	is "its twin opens it" opened "$(SBX_TEST_SKIP=devices escaped --bpf yes -- sh -c ': </dev/kmsg && echo opened')"
else
	skip "its twin opens it" "this machine has no /dev/kmsg"
fi
if [ -d /sys/fs/cgroup/sbx.slice ] && [ -e /dev/kmsg ]; then
	is "their twin: without a guard each is had" "hello ok" "$(escaped -- sh -c "python3 $client 10.77.0.1,7001,tcp; : </dev/kmsg && mknod $work/node c 1 3 && echo ok" | tr '\n' ' ' | sed 's/ $//')"
fi
# Without nf_tables: every port is caught all the same, and the box's own are its own.
port=$(SBX_TEST_SKIP=redirect "$SBX_TESTING" run --bpf yes -- curl -sS --max-time 9 http://denied.test:8443/ 2>&1)
like "without nf_tables a guard catches every port" "$port" 'blocked denied.test:8443'
like "IPv6, too" "$(SBX_TEST_SKIP=redirect "$SBX_TESTING" run --bpf yes -- curl -sS --max-time 9 'http://[2001:db8::1]:8443/' 2>&1)" 'blocked .2001:db8::1.:8443'
like "its twin: without a guard only ports of a list are" "$(SBX_TEST_SKIP=redirect "$SBX_TESTING" run -- curl -sS --max-time 9 http://denied.test:8443/ 2>&1)" "Failed to connect|Couldn't connect|refused"
is "servers of the box are its own" "hello hello" "$(SBX_TEST_SKIP=redirect "$SBX_TESTING" run --bpf yes --read "$server" --read "$client" -- sh -c "python3 $server >ready & while ! grep -qs ready ready; do sleep 0.1; done; python3 $client 127.0.0.1,7001,tcp ::1,7001,tcp" 2>&1)"
rm -f ready
is "nothing is left" "" "$(find /sys/fs/cgroup -name 'sbx-*' -type d | grep -v sbx.slice$)"
done_testing
