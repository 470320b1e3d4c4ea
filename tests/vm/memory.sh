#!/bin/bash
# As root in a machine of its own: no cgroup bounds any box, and one takes all memory. The kernel's
# own killer ends what is in boxes and nothing else, also where what it ends first frees next to
# nothing: sleepers that share their pages, beside one that holds what belongs to no process.
. "$(dirname "$0")/../lib.sh"
install -d -o tester /home/tester/work
echo 0 >/proc/sys/vm/oom_dump_tasks # the kernel's log keeps each end then
as_tester() { (cd /home/tester/work && exec prlimit --nofile=100000 setpriv --reuid tester --regid tester --clear-groups env HOME=/home/tester "$@" 2>&1); }
cat >/home/tester/work/take.py <<'END2'
import os, signal, socket, sys, time
kind, most = sys.argv[1], int(sys.argv[2])
kept, size = [], 4 << 20
def available():
    return [int(line.split()[1]) for line in open("/proc/meminfo") if line.startswith("MemAvailable")][0] << 10
def anonymous(): kept.append(bytearray(b"x") * size)
def memfd():
    kept.append(os.memfd_create("x"))
    os.write(kept[-1], bytes(size))
def sockets():
    for i in range(20):
        pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        pair[0].setblocking(False)
        kept.append(pair)
        try:
            while True: pair[0].send(bytes(100000))
        except OSError: pass
def file(): open("/tmp/%d" % time.monotonic_ns(), "wb").write(bytes(size))
begin = os.pipe()
if os.fork() == 0:
    os.read(begin[0], 1)
    try:
        while True: {"anonymous": anonymous, "memfd": memfd, "sockets": sockets, "file": file}[kind]()
    except OSError as error: print(error)
    print("all", flush=True)
    signal.pause()
# Larger than the holder, and nearly all of it shared.
shared, made = bytearray(b"x") * (8 << 20), 0
while made < most and available() > 400 << 20:
    try:
        if os.fork() == 0: signal.pause()
    except OSError as error:
        print(error)
        break
    made += 1
print("sleepers %d, %d MiB available" % (made, available() >> 20), flush=True)
os.write(begin[1], b"x")
while True: time.sleep(600)
END2
chmod 644 /home/tester/work/take.py

for kind in memfd file sockets anonymous; do
	others=()
	dmesg -C
	for i in $(seq 3); do
		as_tester sleep 6000 & others+=($!)
		sleep 6000 & others+=($!)
	done
	as_tester python3 -c 'import time; kept = bytearray(b"x") * (64 << 20); time.sleep(6000)' & others+=($!)
	began=$SECONDS
	as_tester timeout -s KILL 900 "$SBX" run --memory unlimited --tmp-size 8G --open-files 100000 --pids unlimited -- python3 take.py $kind "${SLEEPERS:-200}" >"$work/log"
	is "the box that took all memory ends, not by our timeout: $kind" "137 yes" "$? $([ $((SECONDS - began)) -lt 890 ] && echo yes)"
	printf '# %s: %s s; %s; %s killed\n' "$kind" $((SECONDS - began)) "$(grep sleepers "$work/log")" "$(dmesg | grep -c 'Out of memory')"
	lived=0
	for pid in "${others[@]}"; do kill -0 "$pid" 2>/dev/null && lived=$((lived + 1)); done
	is "and all programs of the host live: $kind" ${#others[@]} $lived
	is "a new one starts" hi "$(sh -c 'echo hi')"
	is "all that was killed was a box's: $kind" "" "$(dmesg | grep 'Out of memory: Killed' | grep -v 'oom_score_adj:500')"
	kill "${others[@]}" 2>/dev/null
	wait
done
done_testing
