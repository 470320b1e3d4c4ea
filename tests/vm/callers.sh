#!/bin/bash
# A box stays in the limits that its caller stands in. As root in the machine "systemd", where the user's manager runs.
. "$(dirname "$0")/../lib.sh"
chmod 755 "$work"
cat >"$work/eat.py" <<'END'
kept = [bytearray(b"x") * (10 << 20) for i in range(30)]
print("ATE", len(kept))
END
cat >"$work/bomb.py" <<'END'
import os, signal
children = 0
try:
    for i in range(200):
        if os.fork() == 0: signal.pause()
        children += 1
except OSError: pass
print("GOT", children)
END
for who in root tester; do
	install -d -o $who "$work/$who" && printf '[user]\nname = x\n' >"$work/$who/.gitconfig" && mkdir "$work/$who/p"
	git init -q "$work/$who/p" && chown -R $who "$work/$who"
done
service() { # who, options of systemd-run... -- command
	local who=$1 options=()
	shift
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	shift
	timeout 600 systemd-run --quiet --wait --pipe -p User=$who -p WorkingDirectory="$work/$who/p" -E HOME="$work/$who" "${options[@]}" "$@" 2>&1
}
killed() { # name, output
	if grep -q ATE <<<"$2"; then fail "$1" "$2"; else pass "$1"; fi
}
cd "$work/root/p" || exit 1
box=("$SBX" run --read "$work")
twin=(env SBX_TEST_SKIP=caller "$SBX_TESTING" run --read "$work")
eat=(-- python3 "$work/eat.py")

for who in root tester; do
	killed "$who: a service with a limit, without sbx" "$(service $who -p MemoryMax=100M -- python3 "$work/eat.py")"
	killed "$who: in a box" "$(service $who -p MemoryMax=100M -- "${box[@]}" "${eat[@]}")"
	killed "$who: in a box with a larger limit" "$(service $who -p MemoryMax=100M -- "${box[@]}" --memory 1G "${eat[@]}")"
	is "$who: the service's own limit is no less" "ATE 30" "$(service $who -p MemoryMax=900M -- "${box[@]}" "${eat[@]}")"
	like "$who: the plan says whose limit holds" "$(service $who -p MemoryMax=100M -- "$SBX" plan --memory 1G -- true)" "$([ $who = root ] && echo 'caller.s cgroup.*/system.slice/.*memory.max=104857600' || echo 'enforced +by rlimits')"
done
like "the twin: root's box at the top has it all" "$(service root -p MemoryMax=100M -- "${twin[@]}" "${eat[@]}")" 'ATE 30'
killed "memory.high is a limit, too" "$(service root -p MemoryHigh=60M -p MemoryMax=100M -- "${box[@]}" --memory 1G "${eat[@]}")"
like "so is a share of processors" "$(service root -p CPUQuota=50% -- "$SBX" plan --memory 1G -- true)" 'cpu.max=50000 100000'
like "so is what systemd lets by of devices" "$(service root -p DevicePolicy=closed -- "$SBX" plan --memory 1G -- true)" 'BPF programs'
like "what needs a group of its own is refused, with the reason" "$(service root -p MemoryMax=100M -- "$SBX" run --cpu 1 -- true)" "limit 'cpu' cannot be enforced here: the box stays .*memory.max.*Delegate=yes"
got=$(service root -p TasksMax=60 -- "${box[@]}" --memory 400M --pids 150 -- python3 "$work/bomb.py")
is "a number of processes is taken along" yes "$([ "$(sed -n 's/^GOT //p' <<<"$got")" -le 60 ] && echo yes || echo "$got")"

# A slice with a limit, and a service in it without: the box's group is made below that slice.
systemctl set-property --runtime sbxtest.slice MemoryMax=100M MemorySwapMax=0
killed "a slice with a limit" "$(service root --slice=sbxtest.slice -- "${box[@]}" --memory 1G "${eat[@]}")"
like "has the box's own group" "$(service root --slice=sbxtest.slice -- "$SBX" plan --memory 1G -- true)" 'sbxtest.slice'
like "which has its own limits" "$(service root --slice=sbxtest.slice -- "$SBX" plan --memory 1G -- true)" 'enforced +by a separate cgroup'
# A unit whose processes are one level down has room for groups.
cat >"$work/down" <<'END'
#!/bin/bash
own=/sys/fs/cgroup$(cut -d: -f3 /proc/self/cgroup)/own
mkdir -p "$own" && echo $$ >"$own/cgroup.procs" && exec "$@"
END
chmod 755 "$work/down"
killed "a unit with Delegate=yes" "$(service root -p Delegate=yes -p MemoryMax=100M -- "$work/down" "${box[@]}" --memory 1G "${eat[@]}")"
like "has the box's own group, too" "$(service root -p Delegate=yes -p MemoryMax=100M -- "$work/down" "$SBX" plan --memory 1G -- true)" 'enforced +by a separate cgroup'
in_top() { (echo $BASHPID >/sys/fs/cgroup/cgroup.procs && exec "$@") 2>&1; }
is "root without any limit is where it was" "a separate cgroup" "$(in_top "$SBX" plan --memory 1G -- true | sed -n 's/^  enforced *by //p')"

# The user's own manager.
uid=$(id -u tester)
under() { # options of systemd-run... -- command
	timeout 600 setpriv --reuid tester --regid tester --init-groups env XDG_RUNTIME_DIR=/run/user/"$uid" HOME="$work/tester" \
		systemd-run --user --quiet --wait --pipe -p WorkingDirectory="$work/tester/p" "$@" 2>&1
}
wait_for 300 test -S /run/user/"$uid"/bus
is "the user's manager answers" up "$(under -- echo up)"
killed "systemd-run --user, without sbx" "$(under -p MemoryMax=100M -p MemorySwapMax=0 -- python3 "$work/eat.py")"
killed "systemd-run --user" "$(under -p MemoryMax=100M -p MemorySwapMax=0 -- "${box[@]}" "${eat[@]}")"
killed "systemd-run --user, with a larger limit" "$(under -p MemoryMax=100M -p MemorySwapMax=0 -- "${box[@]}" --memory 1G "${eat[@]}")"
like "its twin has it all" "$(under -p MemoryMax=100M -p MemorySwapMax=0 -- "${twin[@]}" --memory 1G "${eat[@]}")" 'ATE 30'
like "without a limit it is a scope" "$(under -- "$SBX" plan --memory 1G -- true)" 'enforced +by a scope of your systemd'

# As Slurm has it (cgroup v2): job, step, user, task; the limit stands at the job and at the step.
job=/sys/fs/cgroup/system.slice/slurmstepd.scope/job_9
mkdir -p $job/step_0/user/task_0
for at in ${job%/*} $job $job/step_0 $job/step_0/user; do echo '+memory +cpu +pids' >$at/cgroup.subtree_control; done
for at in $job $job/step_0; do echo 104857600 >$at/memory.max; echo 0 >$at/memory.swap.max; done
in_job() { (echo $BASHPID >$job/step_0/user/task_0/cgroup.procs && cd "$work/$1/p" && shift && exec timeout 600 "$@") 2>&1; }
task=(setpriv --reuid tester --regid tester --init-groups env HOME="$work/tester")
killed "a job with 100 MB, without sbx" "$(in_job tester "${task[@]}" python3 "$work/eat.py")"
killed "a job's box" "$(in_job tester "${task[@]}" "${box[@]}" "${eat[@]}")"
killed "a job's box with a larger limit, beside a user's manager" "$(in_job tester "${task[@]}" "${box[@]}" --memory 1G "${eat[@]}")"
killed "root's job" "$(in_job root env HOME="$work/root" "${box[@]}" --memory 1G "${eat[@]}")"
like "root's box has its group within the job" "$(in_job root env HOME="$work/root" "$SBX" plan --memory 1G -- true)" "job_9"
done_testing
