#!/bin/bash
# One list of attacks for both tiers: files outside changed by name and by descriptors that only read,
# unix sockets of the host, names of the machine's abstract space. The rows are those of outside.c.
# Each list is run without a box, too, and in tier landlock without the second filter (its twin): what
# has no effect there proves nothing. First word: seconds for the racer (4).
. "$(dirname "$0")/../lib.sh"
outside=$(dirname "$ATTACK")/outside
seconds=${1:-4}
export HOME=$work/home XDG_STATE_HOME=$work/state
mkdir -p "$HOME" "$work/host" "$work/plain" && cd "$work/plain" || exit 1
tiers=(full)
abi=$(cd / && "$SBX" doctor --json 2>/dev/null | sed -n 's/.*"wall":"landlock"[^}]*"detail":"ABI \([0-9]*\).*/\1/p')
if [ "${abi:-0}" -ge 6 ]; then tiers+=(landlock); else skip "tier landlock" "its Landlock is ABI ${abi:-0}, 6 is needed"; fi
within="timeout 120"
box() { # tier, options..., --, command
	local tier=$1
	shift
	run_box --isolation "${tier/full/namespaces}" --read "$outside" "$@" 2>"$work/log"
}
twin() { SBX_TEST_SKIP=answers timeout 120 "$SBX_TESTING" run --isolation landlock --read "$outside" "$@" 2>"$work/log"; }
words() { tr '\n' ' '; }
prepare() { # file or directory
	rm -rf "$1"
	case $1 in */directory) mkdir "$1" ;; *) echo content >"$1" ;; esac
	for i in 1 2 3 4 5 6; do setfattr -n "user.r$i" -v x "$1" 2>/dev/null; done
	chmod 700 "$1"
}
state() { stat -c '%a %u %g %s %h %y %z' "$1"; }

# files
unset="[a-z]*(set|remove)xattr[a-z_]*|flags|flags_high|extended|version"
for what in file directory; do
	prepare "$work/host/$what"
	# Without file_setattr, which no box has, and a link of /proc that stands for a root.
	native=$("$outside" ways "$work/host/$what" | grep -vE '^(file_setattr|chmod_root|verity)$' | words)
	like "the ways are ways: $what" "$native" 'chmod fchmod .*fchmodat2_empty .*fchown .*futimesat_null utimensat utimensat_null .*'
	for tier in "${tiers[@]}"; do
		prepare "$work/host/$what"
		before=$(state "$work/host/$what")
		stays "$tier: a $what that can be read is changed by none" "" "$(box "$tier" --read "$work/host/$what" -- "$outside" ways "$work/host/$what" | words)"
		stays "$tier: nor at all" "$before" "$(state "$work/host/$what")"
		prepare "$work/plain/$what"
		# Tier landlock sets no attributes and no flags.
		[ "$tier" = full ] || native=$(tr ' ' '\n' <<<"$native" | grep -vE "^($unset)?$" | words)
		stays "$tier: one of the box's own by all" "$native" "$(box "$tier" -- "$outside" ways "$work/plain/$what" | grep -vE '^(chmod_root|verity)$' | words)"
		[ "$tier" = full ] || is "$tier: attributes and flags are set by none" "" "$(box "$tier" -- "$outside" ways "$work/plain/$what" | grep -E "^($unset)$" | words)"
	done
	[ "${#tiers[@]}" = 2 ] || continue
	prepare "$work/host/$what"
	like "its twin without the second filter: $what" "$(twin --read "$work/host/$what" -- "$outside" ways "$work/host/$what" | words)" 'fchmod .*fchown .*utimensat_null '
done
for tier in "${tiers[@]}"; do
	is "$tier: a refusal says that it is one" "1 1" "$(box "$tier" --read "$work/host/file" -- python3 -c "
import os
for change in (lambda f: os.fchmod(f, 0o777), lambda f: os.utime(f)):
    try: change(os.open('$work/host/file', os.O_RDONLY))
    except OSError as e: print(1 if e.errno in (1, 30) else e)" | words | sed 's/ $//')"
	is "$tier: tar, cp, install and chattr do their work" "640 1999" "$(box "$tier" -- bash -c 'echo a >a; chmod 640 a; touch -d 1999-06-01 a; setfattr -n user.k -v v a 2>/dev/null; tar --xattrs -cf t.tar a; mkdir -p x && tar --xattrs -xpf t.tar -C x; cp -a x/a y; install -m 640 -p y z; lsattr z >/dev/null 2>&1; chattr +d z 2>/dev/null; stat -c "%a %y" z' | cut -c1-8)"
	is "$tier: memory with a descriptor, a socket without a name" "done" "$(box "$tier" -- python3 -c 'import os, socket
a, b = socket.socketpair(); os.fchmod(a.fileno(), 0o600); os.fchmod(os.memfd_create("m"), 0o600); print("done")')"
done
# Who acts for the box has no more rights than it.
if [ "$(id -u)" = 0 ]; then
	for tier in "${tiers[@]}"; do
		echo x >other && chown 65534 other && chmod 644 other && echo x >own
		box "$tier" -- bash -c 'chmod 777 other; touch -d 1999-01-01 other; chown 0 other; chown 65534 own; setfattr -n trusted.x -v y own; setfattr -n security.capability -v 0x0100000202000000000000000000000000000000 own'
		is "$tier: root's box changes no file of another owner, and gives none away" "644 65534 no 0" "$(stat -c '%a %u' other) $(find other -newermt 2020-01-01 | grep -q . && echo no) $(stat -c %u own)"
		is "$tier: nor gives it privileges" "" "$(getfattr -m '^(trusted|security.capability)' own 2>/dev/null)"
	done
fi

# Where a filter of the machine's keeps descriptors from being taken: files by their own names still.
confine="$(dirname "$ATTACK")/confine docker"
if [ "${#tiers[@]}" = 2 ] && $confine true 2>/dev/null; then
	prepare "$work/host/file" && prepare file
	before=$(state "$work/host/file")
	is "docker: a file that can be read is changed by none" "" "$($confine "$SBX" run --isolation landlock --read "$outside" --read "$work/host/file" -- "$outside" ways "$work/host/file" 2>&1 | words)"
	is "docker: nor at all" "$before" "$(state "$work/host/file")"
	like "docker: one of the box's own by mode, owner and times" "$($confine "$SBX" run --isolation landlock --read "$outside" -- "$outside" ways "$work/plain/file" 2>&1 | words)" '^chmod fchmod .*fchown .*utimensat_null '
	is "docker: no name of the machine's, nor any socket, is bound" "" "$($confine "$SBX" run --isolation landlock --network none --read "$outside" -- "$outside" take sbx-test-docker-$$ close 2>&1 | words)"
fi

# unix datagrams
python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind(sys.argv[1])
while True: open(sys.argv[2], "ab").write(s.recv(99))' "$work/host/datagrams" "$work/received" &
server=$!
wait_for 60 test -S "$work/host/datagrams"
"$outside" send "$work/host/datagrams" >"$work/ways"
like "the ways are ways: datagrams" "$(words <"$work/ways")" 'datagram_socket_sendto .*datagram_pair_sendmsg .*raw_socket_sendto .*raw_pair_connect'
wait_for 60 test -s "$work/received"
if [ "${#tiers[@]}" = 2 ]; then
	for network in none proxy host; do
		is "landlock: no datagram leaves, network $network" "" "$(box landlock --network $network -- "$outside" send "$work/host/datagrams" | words)"
	done
	like "its twin without the second filter" "$(twin -- "$outside" send "$work/host/datagrams" | words)" 'raw_socket_sendto'
	like "a descriptor of such a socket is not passed" "$(python3 -c 'import os, socket, sys
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
os.dup2(a.fileno(), 0); os.execv(sys.argv[1], sys.argv[1:])' "$SBX" run --isolation landlock -- true 2>&1)" 'cannot pass descriptor 0: a unix datagram socket'
	like "nor one that is named" "$(python3 -c 'import os, socket, sys
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
os.dup2(a.fileno(), 9); os.execv(sys.argv[1], sys.argv[1:])' "$SBX" run --isolation landlock --preserve-fd 9 -- true 2>&1)" 'cannot pass descriptor 9: a unix datagram socket'
fi
for network in none proxy host; do
	stays "full: a socket outside of the view is not there, network $network" "" "$(box full --network $network -- "$outside" send "$work/host/datagrams" | words)"
done
kill $server
wait $server 2>/dev/null

# abstract names
name=sbx-test-name-$$
holds() { grep -q "@$name\$" /proc/net/unix; }
twin_full() { SBX_TEST_SKIP=answers timeout 120 "$SBX_TESTING" run --read "$outside" "$@" 2>"$work/log"; }
box_takes() { # words before the command: whether the machine has the name
	: >"$work/taken"
	"$@" -- "$outside" take "$name" hold >"$work/taken" &
	local run=$!
	wait_for 60 grep -q '^end$' "$work/taken"
	if holds; then echo yes; elif grep -q '^end$' "$work/taken"; then echo no; fi
	kill $run 2>/dev/null
	wait $run 2>/dev/null
	sed -i /^end$/d "$work/taken"
}
like "the ways are ways: names" "$("$outside" take "$name" close | words)" '^datagram_socket datagram_pair raw_socket .*stream_socket stream_pair seqpacket_socket '
for tier in "${tiers[@]}"; do
	for network in none proxy host; do
		taken=$(box_takes box "$tier" --network $network)
		is "$tier: no name of the machine's is taken, network $network" no "$taken"
		case $tier-$network in
		full-none | full-proxy) like "$tier: names of the box's own are, network $network" "$(words <"$work/taken")" 'stream_socket' ;;
		*) is "$tier: by no way, network $network" "no " "$taken $(words <"$work/taken")" ;;
		esac
	done
	is "$tier: a name that the kernel chooses can be had" "5" "$(box "$tier" --network "$([ "$tier" = full ] && echo host || echo none)" -- python3 -c 'import socket
s = socket.socket(socket.AF_UNIX); s.bind(""); print(len(s.getsockname()) - 1)')"
	is "$tier: network host: a port, a pair of sockets" "served" "$(box "$tier" --network host -- python3 -c 'import socket
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(("127.0.0.1", 0)); s.listen()
c = socket.create_connection(s.getsockname()); s.accept()[0].send(b"served"); print(c.recv(9).decode())')"
done
is "its twin without the second filter takes it" yes "$(box_takes twin_full --network host)"
# Rings are asked for by no filter.
for options in "--isolation landlock" "--network host"; do
	like "rings go past the second filter: refused with $options" "$("$SBX" run $options --allow-syscalls io_uring -- true 2>&1)" 'io_uring goes past the filter that (tier landlock|network mode host) needs'
done

# Sockets that are files: where the box may write, with its umask, by any path of it.
sockets='import os, socket, stat, sys
os.umask(0o027); os.makedirs("deep/er", exist_ok=True); os.symlink("deep", "short")
for path in ("plain", "deep/er/name", "short/er/linked", os.getcwd() + "/absolute", "./dotted"):
    s = socket.socket(socket.AF_UNIX); s.bind(path); s.listen()
    print(oct(os.stat(path).st_mode & 0o777), end=" ")
for path in ("plain", "absent/name", sys.argv[1] + "/name", "deep/er/", "/proc/self/cwd/magic"):
    try: socket.socket(socket.AF_UNIX).bind(path); print("bound", path)
    except OSError as e: print(e.errno, end=" ")'
for tier in "${tiers[@]}"; do
	rm -rf plain deep short absolute dotted magic
	network=$([ "$tier" = full ] && echo host || echo none)
	like "$tier: unix sockets are bound where the box may write" "$(box "$tier" --network $network --read "$work/host" -- python3 -c "$sockets" "$work/host")" '^0o750 0o750 0o750 0o750 0o750 98 2 (13|30) 2 (40|2) ?$'
	is "$tier: and are there" 5 "$(find . -type s | wc -l)"
	rm -rf plain deep short absolute dotted
done
is "full: with --explain the same" "EPERM bound" "$(box full --network host --explain -- python3 -c 'import errno, socket
try: socket.socket(socket.AF_UNIX).bind("\0'"$name"'")
except OSError as e: print(errno.errorcode[e.errno], end=" ")
socket.socket().bind(("127.0.0.1", 0)); print("bound")')"

# A server that takes nobody, and a limit that is kept all the same.
if [ "${#tiers[@]}" = 2 ]; then
	python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(0)
c = socket.socket(socket.AF_UNIX); c.connect(sys.argv[1]); print("full", flush=True); time.sleep(300)' "$work/host/busy" >"$work/busy" &
	server=$!
	wait_for 60 test -s "$work/busy"
	begin=$(date +%s%N)
	box landlock --socket "$work/host/busy" --timeout 1s -- python3 -c 'import socket, sys
while True:
    try: socket.socket(socket.AF_UNIX).connect(sys.argv[1])
    except OSError: pass' "$work/host/busy"
	is "landlock: --timeout ends a run that waits for a server" "124 yes" "$? $([ $((($(date +%s%N) - begin) / 1000000)) -lt 4500 ] && echo yes)"
	kill $server
	wait $server 2>/dev/null
fi

# The racer: descriptors by dup2, directories by renaming, addresses by writing.
for tier in "${tiers[@]}"; do
	rm -rf race && mkdir -p race/place && echo own >race/place/file
	prepare "$work/host/file" && ln -s "$work/host" race/trap
	before=$(state "$work/host/file")
	network=$([ "$tier" = full ] && echo host || echo none)
	is "$tier: what is exchanged meanwhile is never hit" "turns many, own file changed" \
		"$(within="timeout 300" run_box --isolation "${tier/full/namespaces}" --network $network --read "$outside" --read "$work/host/file" -- "$outside" race "$work/host/file" "$work/plain/race/place/file" race-socket-name "$seconds" 2>"$work/log")"
	stays "$tier: the file is as it was" "$before" "$(state "$work/host/file")"
done
if [ "${#tiers[@]}" = 2 ]; then
	rm -rf race && mkdir -p race/place && echo own >race/place/file && ln -s "$work/host" race/trap
	like "its twin without the second filter is hit" "$(twin --network none --read "$work/host/file" -- "$outside" race "$work/host/file" "$work/plain/race/place/file" race-socket-name 20)" 'HIT metadata'
fi
done_testing
