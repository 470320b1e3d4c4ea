#!/bin/bash
# sbx under a batch system (sbx-scale(7)): Slurm with three nodes on this machine, and GNU parallel over ssh. Nodes n2 and n3
# have their own pid namespaces and share the home with n1. As root, for slurmd starts jobs of another user.
. "$(dirname "$0")/../lib.sh"
tester=${TESTER:-${SUDO_USER:-sbx-tester}}
for each in slurmctld slurmd srun parallel sshd; do
	PATH=$PATH:/usr/sbin command -v $each >/dev/null || { skip "a batch system" "$each is not installed: tests/setup all" && done_testing; }
done
[ "$(id -u)" = 0 ] || { skip "a batch system" "slurmd needs root" && done_testing; }
PATH=$PATH:/usr/sbin
pids=()
trap 'kill -KILL "${pids[@]}" 2>/dev/null; wait; rm -rf "$work"' EXIT
mkdir -p "$work/home/.ssh" "$work/bin" "$work/state" "$work/log" "$work"/spool/n{1,2,3} "$work/project/out"
ln -s "$SBX" "$work/bin/sbx"
export HOME=$work/home PATH=$work/bin:$PATH SLURM_CONF=$work/slurm.conf
git init -q "$work/project"
chown -R "$tester" "$work/home" "$work/project"
cd "$work/project" || exit 1
port=$((20000 + $$ % 10000))

cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
AuthType=auth/none
CredType=cred/none
MpiDefault=none
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/log/ctld.pid
SlurmdPidFile=$work/log/%n.pid
SlurmctldPort=$port
SlurmctldLogFile=$work/log/ctld
SlurmdLogFile=$work/log/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
SlurmdParameters=config_overrides
KillWait=2
NodeName=n[1-3] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 3))] CPUs=16 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
[ -z "${SLURM_PLUGINS:-}" ] || echo "PluginDir=$SLURM_PLUGINS" >>"$SLURM_CONF"
chmod 755 "$work" "$work/log"
slurmctld -D >"$work/log/ctld.out" 2>&1 &
pids+=($!)
node() { exec slurmd -D -N "$1" -d "$(command -v slurmstepd)" >"$work/log/$1.out" 2>&1; }
export -f node
export work
node n1 & pids+=($!)
for each in n2 n3; do
	unshare --pid --fork --kill-child --mount-proc bash -c "node $each" & pids+=($!)
done
as_tester() { setpriv --reuid "$tester" --regid "$(id -g "$tester")" --init-groups "$@"; }
if ! wait_for 30 sh -c 'sinfo -h -o %T | grep -qx idle && [ "$(sinfo -h -N -t idle | wc -l)" = 3 ]'; then
	fail "three nodes are there" "$(sinfo; tail -n 5 "$work"/log/*)"
	done_testing
fi
told() { as_tester "$@" 2>&1 | grep -v '^srun: '; }

is "srun: the box is on the node, its status is the job's" "sbx
7" "$(as_tester srun -Q -w n2 sbx run -- sh -c 'hostname; exit 7' 2>/dev/null | xargs; echo "${PIPESTATUS[0]}")"
is "srun: standard input and variables of Slurm pass" "in n3" "$(echo in | as_tester srun -Q -w n3 sbx run -- sh -c 'echo $(cat) $SLURMD_NODENAME' 2>/dev/null)"

# 240 tasks: each its own status.
job=$(as_tester sbatch --parsable -o /dev/null --array=0-239 --wrap 'exec sbx run -- sh -c "exit $((SLURM_ARRAY_TASK_ID % 120))"')
wait_for 60 sh -c "[ -z \"\$(squeue -h -j $job)\" ]"
is "an array of 240 tasks: each has its status" "240 0" "$(scontrol -o show job "$job" | sed -n 's/.*ArrayTaskId=\([0-9]*\) .* ExitCode=\([0-9]*\):0 .*/\1 \2/p' |
	awk '{ n++; if ($1 % 120 != $2) wrong++ } END { print n + 0, wrong + 0 }')"

# Cancelled: children that ignore the signal, in a session of their own.
job=$(as_tester sbatch --parsable -o /dev/null -w n1 --wrap "exec sbx run -- sh -c 'trap \"\" TERM; setsid sleep 97.$$ & touch begun; sleep 97.$$'")
wait_for 20 test -e begun
is "before scancel they run" 1 "$([ "$(pgrep -fxc "sleep 97.$$")" -ge 2 ] && echo 1)"
as_tester scancel "$job"
wait_for 20 sh -c "! pgrep -fx 'sleep 97.$$'"
is "a cancelled job leaves nothing" "" "$(pgrep -fax "sleep 97.$$")"

# 128 boxes in one project at once: each writes when all have begun.
as_tester bash -c 'for i in {1..128}; do sbx run -- sh -c "touch out/begun.$i; while [ ! -e go ]; do sleep 0.2; done; echo $i >out/$i" & done
	for i in {1..300}; do [ "$(ls out | grep -c begun)" != 128 ] || break; sleep 0.1; done; ls out | grep -c begun >all; touch go; wait' >"$work/log/many" 2>&1
is "128 boxes in one project are there at once" 128 "$(cat all)"
is "each has written, and nothing was said" "128 " "$(ls out | grep -vc begun) $(cat "$work/log/many")"

# One session by 32 tasks of one node; a second node of another pid namespace is refused it.
as_tester sbx session create shared >/dev/null
as_tester sbatch -Q -W -o "$work/home/said.%a" -w n1 --array=1-32 --wrap 'exec sbx run -s shared -- sh -c "echo $SLURM_ARRAY_TASK_ID >task.$SLURM_ARRAY_TASK_ID"' >/dev/null
as_tester sbx session apply shared >/dev/null 2>&1
is "32 tasks write into one session" "32 528 " "$(ls task.* | wc -l) $(cat task.* | awk '{ n += $1 } END { print n }') $(cat "$work"/home/said.*)"
as_tester srun -Q -w n1 sbx run -s shared -- sh -c 'touch held; sleep 8' >/dev/null 2>&1 & pids+=($!)
wait_for 10 sh -c "squeue -h -w n1 -t R | grep -q ." && sleep 1
like "another node is told where it is used" "$(as_tester srun -Q -w n2 sbx run -s shared -- true 2>&1)" "uses the session"
as_tester sbatch -Q -W -o "$work/home/made" -w n2,n3 -N 2 --wrap 'srun -Q -N 2 -n 2 sh -c "for i in \$(seq 20); do sbx session create both-\$i && echo made; done"' >/dev/null
is "a name that two nodes with one home make at once is made once" "20 20" "$(grep -cx made "$work/home/made") $(as_tester sbx session list | grep -c '^both-')"

# GNU parallel over ssh.
ssh-keygen -q -t ed25519 -N '' -f "$work/host" && ssh-keygen -q -t ed25519 -N '' -f "$work/home/.ssh/id" && cp "$work/home/.ssh/id.pub" "$work/home/.ssh/authorized_keys"
chown -R "$tester" "$work/home/.ssh" && mkdir -p /run/sshd
printf 'SetEnv PATH=%s\n' "$PATH" >"$work/sshd.conf"
"$(command -v sshd)" -D -f "$work/sshd.conf" -p $((port + 9)) -h "$work/host" -o ListenAddress=127.0.0.1 -o AuthorizedKeysFile="$work/home/.ssh/authorized_keys" -o StrictModes=no -o UsePAM=yes -o PidFile=none >"$work/log/sshd" 2>&1 & pids+=($!)
wait_for 10 sh -c ": >/dev/tcp/127.0.0.1/$((port + 9))" || wait_for 5 bash -c ": >/dev/tcp/127.0.0.1/$((port + 9))"
mkdir -p "$work/home/.parallel" && touch "$work/home/.parallel/will-cite" && chown -R "$tester" "$work/home/.parallel"
login="ssh -p $((port + 9)) -i $work/home/.ssh/id -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR $tester@127.0.0.1"
is "parallel over ssh: 16 tasks, each with its status" "0 16" "$(as_tester parallel --joblog "$work/home/jobs" --workdir "$work/project" -j4 -S "4/$login" sbx run -- sh -c "'exit {}'" ::: $(seq 16) 2>"$work/log/parallel"
	awk -F '\t' 'NR > 1 { split($9, w, "exit "); if (w[2] + 0 != $7) wrong++ } END { print wrong + 0, NR - 1 }' "$work/home/jobs")"
done_testing
