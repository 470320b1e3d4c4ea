#!/bin/bash
# As root in a machine of its own: what would change a machine that somebody uses. Each is tried by
# a box of root's and must leave the machine as it was; the twin shows that root could.
. "$(dirname "$0")/../lib.sh"
cd "$(new_project)" || exit 1

unchanged() { # name, file, text to write
	local before
	before=$(cat "$2")
	"$SBX" run -- sh -c "echo '$3' >$2" 2>/dev/null
	is "$1 stays" "$before" "$(cat "$2")"
	echo "$3" >"$2"
	is "its twin: root outside changes it" "$3" "$(cat "$2")"
	echo "$before" >"$2"
}
unchanged core_pattern /proc/sys/kernel/core_pattern '|/tmp/evil %p'
unchanged modprobe /proc/sys/kernel/modprobe /tmp/evil
unchanged hostname /proc/sys/kernel/hostname evil
unchanged "the pid limit" /proc/sys/kernel/pid_max 5000
unchanged swappiness /proc/sys/vm/swappiness 7

# The magic key with the letter that only shows help: the kernel's log says whether it arrived.
asked() { dmesg | grep -c 'sysrq: HELP'; }
before=$(asked)
"$SBX" run -- sh -c 'echo h >/proc/sysrq-trigger' 2>/dev/null
is "the magic key is not pressed" "$before" "$(asked)"
echo h >/proc/sysrq-trigger
is "its twin: root outside presses it" $((before + 1)) "$(asked)"

# A crash in a box starts no program of the host's.
cat >/tmp/cores <<'END'
#!/bin/sh
cat >/tmp/a-core
END
chmod 755 /tmp/cores
pattern=$(cat /proc/sys/kernel/core_pattern)
echo '|/tmp/cores' >/proc/sys/kernel/core_pattern
crash='import ctypes; ctypes.string_at(0)'
"$SBX" run -- python3 -c "$crash" 2>/dev/null
sleep 1
is "a crash is no work for the host's handler" no "$([ -e /tmp/a-core ] && echo yes || echo no)"
"$SBX" run -- python3 -c "import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); $crash" 2>/dev/null
sleep 1
is "nor after its limit was set to 0, which would not keep the kernel from it" no "$([ -e /tmp/a-core ] && echo yes || echo no)"
"$SBX" run --core-size unlimited -- python3 -c "$crash" 2>/dev/null
is "unless it was asked for" yes "$(wait_for 10 test -e /tmp/a-core && echo yes)"
echo "$pattern" >/proc/sys/kernel/core_pattern

is "no module is loaded" 1 "$("$SBX" run -- sh -c 'modprobe dummy || insmod /lib/modules/*/kernel/drivers/net/dummy.ko' >/dev/null 2>&1; [ -d /sys/module/dummy ]; echo $?)"
# Drivers of bridges and VLANs are loaded for whoever asks, without any right.
cat >ask.py <<'END'
import fcntl, socket
for request in 0x8940, 0x8941, 0x89a0, 0x89a1, 0x8982, 0x8983:
    try: fcntl.ioctl(socket.socket(), request, bytearray(64))
    except OSError: pass
END
loaded() { for each in bridge 8021q; do [ ! -d /sys/module/$each ] || echo $each; done; }
is "no driver of networks is loaded" "" "$("$SBX" run -- python3 ask.py 2>&1; loaded)"
python3 ask.py
is "its twin: outside they are" "bridge 8021q" "$(loaded | xargs)"
is "the kernel's log is not read" 1 "$("$SBX" run -- dmesg >/dev/null 2>&1; echo $?)"
is "the clock is not set" 1 "$("$SBX" run -- date -s 2001-01-01 >/dev/null 2>&1; [ "$(date +%Y)" = 2001 ]; echo $?)"
is "nothing is mounted" 1 "$("$SBX" run -- mount -t tmpfs none /mnt >/dev/null 2>&1; grep -q ' /mnt ' /proc/mounts; echo $?)"
is "no disk is opened" 1 "$("$SBX" run -- head -c 1 /dev/vda >/dev/null 2>&1; echo $?)"
is "no node of one is made" 1 "$("$SBX" run -- mknod /tmp/disk b 254 0 >/dev/null 2>&1; echo $?)"
is "the machine is not rebooted" 1 "$("$SBX" run -- python3 -c '
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
raise SystemExit(0 if libc.reboot(0x89abcdef) == 0 else 1)' >/dev/null 2>&1; echo $?)"

# Whoever may go before all others (audio groups) keeps that from the box: no cgroup bounds such threads.
install -d -o tester /home/tester/work
first() { (cd /home/tester/work && prlimit --rtprio=95 --nice=40 --nofile=100000 setpriv --reuid tester --regid tester --clear-groups env HOME=/home/tester "$@" 2>&1); }
is "a box has no right to realtime or nicer threads" "0 0" "$(first "$SBX" run -- bash -c 'echo $(ulimit -r) $(ulimit -e)')"
like "and gets none" "$(first "$SBX" run -- sh -c 'chrt -f 50 true; nice -n -5 nice')" 'Operation not permitted'
is "its twin outside" "-5 FF" "$(first sh -c "echo \$(nice -n -5 nice) \$(chrt -f 50 sh -c 'ps -o cls= \$\$')" | tail -1)"

# A fork bomb without a bound of its own, as root: the machine stays usable.
cat >bomb.py <<'END'
import os
while True:
    try: os.fork()
    except OSError: pass
END
"$SBX" run --pids 200 --timeout 4s -- python3 bomb.py 2>"$work/log" &
sleep 2
is "beside a fork bomb others can start programs" hi "$(sh -c 'echo hi')"
wait
like "it met its limit" "$(cat "$work/log")" 'limit pids=200'
is "nothing of it is left" "" "$(pgrep -f bomb.py)"
"$SBX" run --memory 100M -- python3 -c '
kept = []
while True: kept.append(bytearray(b"x") * (10 << 20))' 2>"$work/log"
is "a memory hog without bound is killed" 137 $?
like "and told" "$(cat "$work/log")" 'limit memory=100M: the kernel killed it'

# Without a cgroup memory is looked at, and what no process has mapped is nobody's: half of the machine.
cat >/home/tester/work/keep.py <<'END'
import ctypes, os, sys
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
size = 10 << 20
for i in range(int(sys.argv[2])):
    if sys.argv[1] == "memfd":
        os.write(os.memfd_create("x"), bytes(size))
    elif sys.argv[1] == "file":
        open("/dev/shm/%d" % i, "wb").write(bytes(size))
    else:
        at = ctypes.c_void_p(libc.shmat(libc.shmget(0, size, 0o1600), None, 0))
        ctypes.memset(at, 1, size)
        libc.shmdt(at)
print("all")
END
chmod 644 /home/tester/work/keep.py
for kind in memfd file segment; do
	# A segment stays until its box is gone.
	first "$SBX" run --memory '?64M' --tmp-size 2G -- python3 keep.py $kind 130 >"$work/log"
	is "memory that no process has mapped is an end: $kind" 137 $?
	like "and told" "$(cat "$work/log")" 'limit memory=64M'
done
is "less than that is none" all "$(first "$SBX" run --memory '?64M' -- python3 keep.py memfd 30 | tail -1)"

done_testing
