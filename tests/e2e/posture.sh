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
umask
hostname
echo "user namespaces below: $(cat /proc/sys/user/max_user_namespaces)"
for file in keys key-users; do head -c 1 /proc/$file >/dev/null 2>&1 && echo "/proc/$file is readable"; done
echo 0 2>/dev/null >/proc/self/oom_score_adj && echo "own /proc files are writable"
awk "{ print \$5, \$6 }" /proc/self/mountinfo | sed "s|$PWD|PROJECT|; s|$HOME|HOME|" |
	grep -E "^(/ |/proc |/usr |/etc |/tmp |/dev/(null|pts|shm) |PROJECT |HOME )" | sed "s/,relatime//; s/,noatime//; s/,idmapped//" | sort -u
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
# A user's other groups cannot be given up without a second id; they show as one that owns nothing.
inside=$("$SBX" run id -G | wc -w)
if [ "$inside" -gt 0 ] && [ "$inside" -le "$(id -G | wc -w)" ]; then pass "no group is added"; else fail "no group is added" "$inside"; fi
# What lies over the fresh /proc: for a root caller also what uid 0 owns there, read-only or shut.
over_proc() {
	local name
	for name in keys key-users; do [ ! -e /proc/$name ] || echo "/proc/$name ro,nosuid,nodev,noexec"; done
	if [ "$(id -u)" = 0 ]; then
		for name in sys sysrq-trigger irq bus fs; do [ ! -e /proc/$name ] || echo "/proc/$name ro,nosuid,nodev,noexec"; done
		for name in acpi scsi kcore timer_list sched_debug latency_stats kpagecount kpageflags kpagecgroup slabinfo vmallocinfo pagetypeinfo; do
			[ ! -e /proc/$name ] || echo "/proc/$name ro,nosuid,nodev,noexec"
		done
	fi
}
inside=$("$SBX" run -- awk '$5 ~ "^/proc/" { print $5, $6 }' /proc/self/mountinfo | sed 's/,relatime//; s/,noatime//')
is "what lies over /proc" "$(over_proc | sort)" "$(echo "$inside" | sort)"
is "what is shut is empty" "begun ended" "$(attempt run -- 'for name in acpi scsi kcore keys key-users timer_list kpagecount kpageflags kpagecgroup slabinfo vmallocinfo pagetypeinfo; do head -c 1 /proc/$name; ls /proc/$name; done | grep -v ^/proc/')"
done_testing
