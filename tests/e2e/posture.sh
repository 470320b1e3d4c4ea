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
# By the axes of a public benchmark, 0 to 100 points (README). A name that no rule allows is answered in words, behind a
# connect that succeeds: 40 points where connects alone are counted, and no byte comes back.
printf '[user]\nname = a\n' >"$HOME/.gitconfig"
printf 'fund=false\n' >"$HOME/.npmrc"
axes() { run_box --read "${here%/*}/net" "$@" -- python3 "${here%/*}/net/axes.py" ${rule:-} 2>"$work/log" | tee "$work/axes"; }
few() { if [ "${1%% *}" -le 23 ] 2>/dev/null; then echo few; else cat "$work/axes"; fi; }
is "no network: at most 23 points" few "$(few "$(axes --network none | tail -1)")"
is "names without words: at most 23" few "$(few "$(axes --dns fail | tail -1)")"
is "the default, one byte there and back: at most 23" few "$(rule=byte; few "$(axes | tail -1)")"
is "the default, by connects" "15 egress 25 metadata" "$(axes | grep -E 'egress|metadata' | tr '\n' ' ' | sed 's/ $//')"
rm -f "$HOME/.gitconfig" "$HOME/.npmrc"
is "what is shut is empty" "begun ended" "$(attempt run -- 'for name in acpi scsi kcore keys key-users timer_list kpagecount kpageflags kpagecgroup slabinfo vmallocinfo pagetypeinfo; do head -c 1 /proc/$name; ls /proc/$name; done | grep -v ^/proc/')"
done_testing
