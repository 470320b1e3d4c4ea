#!/bin/bash
# The whole posture of a process in the box equals a stored snapshot (rule 14).
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
project=$(new_project)
cd "$project" || exit 1
posture() {
	"$SBX" run -- bash -c '
grep -E "^(Cap|NoNewPrivs|Seccomp)" /proc/self/status
echo "securebits $(python3 -c "import ctypes; print(hex(ctypes.CDLL(None).prctl(27, 0, 0, 0, 0)))")"
echo "dumpable pid 1: $(stat -c %U /proc/1/environ 2>/dev/null | sed "s/nobody/not ours/; s/root/not ours/")"
echo "pid $$ parent $PPID"
python3 -c "
import os
for fd in range(3, 64):
    try:
        os.fstat(fd)
        print(\"open descriptor\", fd)
    except OSError:
        pass"
echo "groups: $(id -G | wc -w)"
umask
hostname
echo "user namespaces below: $(cat /proc/sys/user/max_user_namespaces)"
for file in keys key-users; do head -c 1 /proc/$file >/dev/null 2>&1 && echo "/proc/$file is readable"; done
echo 0 2>/dev/null >/proc/self/oom_score_adj && echo "own /proc files are writable"
awk "{ print \$5, \$6 }" /proc/self/mountinfo | sed "s|$PWD|PROJECT|; s|$HOME|HOME|" |
	grep -E "^(/ |/proc |/usr |/etc |/tmp |/dev/(null|pts|shm) |PROJECT |HOME )" | sed "s/,relatime//; s/,noatime//" | sort -u
' 2>&1
}
umask 022
posture >"$work/posture"
for kind in user mnt pid net ipc uts cgroup; do
	[ "$(readlink /proc/self/ns/$kind)" != "$("$SBX" run readlink /proc/self/ns/$kind)" ] &&
		echo "own $kind namespace" >>"$work/posture"
done
if diff -u "$here/posture.expected" "$work/posture" >"$work/diff"; then
	pass "the posture is the stored one"
else
	fail "the posture is the stored one" "$(cat "$work/diff")"
fi
done_testing
