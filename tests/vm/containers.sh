#!/bin/bash
# sbx inside an unprivileged container of an existing engine (podman with crun): what works as it
# is, and with which security context the rest does. In the machine "containers".
. "$(dirname "$0")/../lib.sh"
rootfs=$work/rootfs
mkdir -p "$rootfs"/{bin,usr,etc,proc,sys,dev,tmp,run,vm,work,root}
rmdir "$rootfs/bin"
for link in bin sbin lib lib64; do ln -s "usr/$link" "$rootfs/$link"; done
printf 'root:x:0:0::/root:/bin/sh\ntester:x:1000:1000::/home/tester:/bin/sh\n' >"$rootfs/etc/passwd"

inside() { # options of podman... -- command...
	local options=() said status
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	shift
	said=$(podman run --rm --network none --tmpfs /work:mode=1777 -v /usr:/usr:ro -v /vm:/vm:ro -w /work \
		"${options[@]}" --rootfs "$rootfs" "$@" 2>&1)
	status=$?
	# Without a home nothing is kept for the case that a run is killed: the note is right.
	grep -v '^sbx: the state directory cannot be written (Permission denied): ' <<<"$said"
	return $status
}
walls=(--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt unmask=ALL)
least=(--user 1000:1000 --cap-drop ALL --security-opt no-new-privileges)
echo "# $(podman --version), $(crun --version | head -1)"

is "a container runs" hi "$(inside -- echo hi)"
like "as it is: refused, with the fix" "$(inside -- /vm/sbx run -- true)" 'container.s filter.*seccomp=unconfined.*unmask=ALL'
like "as it is, the lower tier" "$(inside -- /vm/sbx run --isolation landlock --no-protect --network none -- echo hi)" '^hi$'
like "a filter alone is not enough" "$(inside --security-opt seccomp=unconfined --security-opt apparmor=unconfined -- /vm/sbx run -- true)" 'unmask=ALL'
is "with all three: all walls" hi "$(inside "${walls[@]}" -- /vm/sbx run -- echo hi)"
is "as an ordinary user of the container, without a capability and new privileges" hi "$(inside "${walls[@]}" "${least[@]}" -- /vm/sbx run -- echo hi)"
like "uid 0 without capabilities is told what it lacks" "$(inside "${walls[@]}" --cap-drop ALL -- /vm/sbx run -- echo hi)" 'SETFCAP'
is "and runs with that" hi "$(inside "${walls[@]}" --cap-drop ALL --cap-add SETFCAP --security-opt no-new-privileges -- /vm/sbx run -- echo hi)"
is "the project is written" "made" "$(inside "${walls[@]}" "${least[@]}" -- sh -c '/vm/sbx run -- sh -c "echo made >x"; cat x')"
like "the way out is closed" "$(inside "${walls[@]}" "${least[@]}" -- /vm/sbx run -- curl -sS --max-time 20 http://denied.test/)" 'blocked denied.test:80'
like "limits are told" "$(inside "${walls[@]}" "${least[@]}" -- /vm/sbx run --timeout 1s -- sleep 30)" 'limit timeout=1s'
like "memory is kept, whoever keeps it" "$(inside "${walls[@]}" "${least[@]}" -- sh -c '/vm/sbx run --memory 60M -- python3 -c "
import time
kept = []
for i in range(60):
    kept.append(bytearray(b\"x\") * (10 << 20)); time.sleep(0.05)"; echo $?')" '137'
like "doctor names what holds" "$(inside "${walls[@]}" "${least[@]}" -- /vm/sbx doctor)" 'ok +command'
# The kernel kills in the box, or all of the container, or a step of sbx has no memory.
like "the engine's own limit holds around" "$(inside "${walls[@]}" --memory 60m --memory-swap 60m -- sh -c '/vm/sbx run -- python3 -c "x = bytearray(b\"x\") * (200 << 20)" 2>/dev/null; echo $?'; echo $?)" '^(137|125)$'
done_testing
