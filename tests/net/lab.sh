#!/bin/bash
# Runs a command in a network namespace of its own, as on a host, with another behind a cable: the servers of
# servers.py are there, and some on the host itself; names, resolv.conf, a CA. As root, or as an ordinary user
# by a user namespace, in which the command keeps its uid.
#   tests/net/lab.sh COMMAND [ARGUMENT]...      LAB is a directory with ca.pem, removed at the end; what is
#                                               written to $LAB/outside a shell out there runs
# LAB_ADDRESSES are more addresses for the other end of the cable.
here=$(cd "$(dirname "$0")" && pwd)
if [ "${LAB_STAGE:-}" = "" ]; then
	LAB_UID=$(id -u) LAB_GID=$(id -g) LAB_STAGE=inside
	export LAB_UID LAB_GID LAB_STAGE
	if [ "$LAB_UID" = 0 ]; then
		exec unshare --net --mount --propagation private -- "$0" "$@"
	fi
	exec unshare --user --map-root-user --net --mount --propagation private -- "$0" "$@"
fi
unset LAB_STAGE
set -e
servers=
LAB=$(mktemp -d "${TMPDIR:-/var/tmp}/sbx-lab.XXXXXX")
export LAB
chmod 755 "$LAB"
ip link set lo up
mkfifo "$LAB/outside"
setsid unshare --net -- bash <>"$LAB/outside" >"$LAB/outside.log" 2>&1 &
outside=$!
trap 'kill -- -$outside $servers 2>/dev/null; rm -rf "$LAB"' EXIT
until [ "$(readlink "/proc/$outside/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
ip link add lab type veth peer name lab netns "$outside"
ip link set lab up mtu 65535 # as the loopback has
echo 'ip link set lo up; ip link set lab up mtu 65535' >"$LAB/outside"
cable() { # address, whose: host or outside, how it is added
	if [ "$2" = host ]; then
		# shellcheck disable=SC2086
		ip address add "$1" dev lab $3
		echo "ip route add $1 dev lab" >"$LAB/outside"
	else
		ip route add "$1" dev lab
		echo "ip address add $1 dev lab $3" >"$LAB/outside"
	fi
}
cable 2001:db8::7/128 host nodad
cable 2001:db8::10/128 outside nodad
for address in 198.51.100.7 10.9.9.8 198.18.0.6; do cable $address/32 host ''; done
for address in 203.0.113.10 203.0.113.11 203.0.113.53 10.9.9.9 198.18.0.5 169.254.169.254 ${LAB_ADDRESSES:-}; do cable $address/32 outside ''; done
printf 'nameserver 203.0.113.53\n' >"$LAB/resolv.conf"
printf '127.0.0.1 localhost\n203.0.113.10 table.test\n' >"$LAB/hosts"
# /etc/resolv.conf may be a link to a place that is not there.
mount --bind "$LAB/resolv.conf" "$(readlink -f /etc/resolv.conf)"
mount --bind "$LAB/hosts" /etc/hosts
(
	cd "$LAB"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=lab \
		-addext keyUsage=critical,keyCertSign,cRLSign -keyout ca.key -out ca.pem
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=www.allowed.test \
		-keyout server.key -out server.csr
	printf 'subjectAltName=DNS:*.allowed.test,DNS:other.test,DNS:denied.test,DNS:table.test,IP:203.0.113.10,IP:2001:db8::10\nauthorityKeyIdentifier=keyid\n' >ext
	openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out server.pem
) 2>"$LAB/openssl.log" >&2
ip route add local 198.51.100.64/26 dev lo
python3 "$here/redirect.py" 7070 7000 2>"$LAB/nat.log" && touch "$LAB/nat"
mkfifo "$LAB/ready"
echo "python3 '$here/servers.py' '$LAB' outside >'$LAB/ready' 2>'$LAB/servers.log' </dev/null &" >"$LAB/outside"
read -r word <"$LAB/ready" && [ "$word" = ready ] || { cat "$LAB/servers.log" "$LAB/outside.log"; exit 1; }
python3 "$here/servers.py" "$LAB" host >"$LAB/ready" 2>"$LAB/servers.log" &
servers=$!
read -r word <"$LAB/ready" && [ "$word" = ready ] || { cat "$LAB/servers.log"; exit 1; }
set +e
if [ "$LAB_UID" = 0 ]; then
	"$@"
else
	unshare --user --map-user="$LAB_UID" --map-group="$LAB_GID" -- "$@"
fi
