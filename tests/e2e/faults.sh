#!/bin/bash
# After any failed step or system call of the start the command is not run, the step is named,
# and nothing is left. Then random SIGKILLs.
. "$(dirname "$0")/../lib.sh"
project=$(new_project)
cd "$project" || exit 1
before=$(tree_hash .)

# every step of the table
steps=$("$SBX" run --timing true 2>&1 | awk '$1 == "sbx:" && $2 != "all" { print $3 }')
lower=$("$SBX" run --isolation landlock --no-protect --timing true 2>&1 | awk '$1 == "sbx:" && $2 != "all" && $3 ~ /^(inheritance|temporary|adopt|answers)$/ { print $3 }')
for step in $lower; do
	output=$(SBX_TEST_FAIL=$step timeout 120 "$SBX_TESTING" run --isolation landlock --no-protect touch was-run 2>&1)
	is "tier landlock, step $step fails: nothing is run" "125 absent" "$? $([ -e was-run ] && echo run || echo absent)"
	rm -f was-run
done
is "the table has its steps" 1 "$([ "$(echo "$steps" | wc -l)" -ge 18 ] && echo 1)"
for step in $steps; do
	output=$(SBX_TEST_FAIL=$step timeout 120 "$SBX_TESTING" run --project write touch was-run 2>&1)
	got=$?
	if [ $got = 125 ] && [ ! -e was-run ] && [ -z "$(find "${XDG_STATE_HOME:-$HOME/.local/state}/sbx/trees" -type f 2>/dev/null)" ] && printf '%s' "$output" | grep -q "made to fail by a test"; then
		pass "step $step fails: nothing is run"
	else
		fail "step $step fails: nothing is run" "status $got, $output"
	fi
	rm -f was-run
done

# Once the box has its plan the command may run, so what fails then is not "not run".
rm -f was-run
timeout 120 strace -f -qq -o /dev/null -e trace=dup2 -e inject=dup2:error=EPERM:when=1 \
	-- "$SBX" run --no-protect touch was-run >"$work/output" 2>&1
is "stdin cannot be let go: the run is ended, and says so" "125 sbx: dup2: Operation not permitted; the run was ended" "$? $(cat "$work/output")"
rm -f was-run

# every n-th call of the start path, with errors that kernels really give
calls="openat lstat open pipe2 clone3 signalfd4 rt_sigprocmask prctl fsopen fsconfig fsmount open_tree
	mount_setattr move_mount mkdirat mknodat symlinkat fstat unlinkat fchdir pivot_root umount2 openat2
	setns landlock_create_ruleset landlock_add_rule landlock_restrict_self capset seccomp close_range
	flock statx socketpair sendmsg recvmsg getdents64 faccessat2
	vfork execve setrlimit prlimit64 write read mmap mprotect dup2 sethostname socket ioctl unshare"
runs=0 wrong=0
command -v strace >/dev/null || skip "fault injection by strace" "strace is not installed"
reference=$("$SBX" run cat file)
# How often a single process makes each call, the most of them: an error at a later one would hit nothing.
# shellcheck disable=SC2086
strace -f -qq -o "$work/calls" -e trace="$(printf '?%s\n' $calls | paste -sd,)" -- "$SBX" run cat file >/dev/null 2>&1
most() { # call: 3 more, as not every run makes the same number
	awk -v call="$1" 'index($2, call "(") == 1 { if (++made[$1] > most) most = made[$1] } END { print most + 3 }' "$work/calls"
}
# A short run (ROUNDS below 300: the gate) tries one error for each call, by turns.
errors=(EPERM ENOMEM EMFILE) turn=$((RANDOM % 3))
echo "# turn $turn"
for call in $calls; do
	most=$(most "$call")
	turn=$((turn + 1))
	tried=("${errors[@]}")
	[ "${ROUNDS:-300}" -ge 300 ] || tried=("${errors[turn % 3]}")
	for error in "${tried[@]}"; do
		for n in 1 2 3 5 8 13 21; do
			[ $n -le "$most" ] || break
			output=$(timeout 120 strace -f -qq -o /dev/null -e trace="?$call" \
				-e inject="?$call:error=$error:when=$n" -- "$SBX" run cat file 2>&1)
			got=$?
			runs=$((runs + 1))
			# Fine: an error of ours; or the call failed in (or was not needed by) the command's
			# own start, which then ran in a whole box. Never: success with a step left out.
			case $got in
			125) [ "$call" = write ] && continue ;; # the message itself could not be written
			esac
			case $got in
			0) [ "$output" = "$reference" ] && continue ;;
			125 | 126 | 127) printf '%s' "$output" | grep -q '^sbx: ' && continue ;;
			esac
			# Past the start the command itself sees the error.
			printf '%s' "$output" | grep -Eq '^sbx: |cat:|error while loading|cannot' && continue
			[ $got -gt 128 ] && [ "$call" = execve ] && continue
			wrong=$((wrong + 1))
			printf '# %s %s when=%s: status %s: %s\n' "$call" "$error" $n $got "$output"
		done
	done
done
is "fault injection, $runs runs: each ends in a named error or an unharmed run" 0 $wrong
is "most calls are made, so that their errors hit" yes "$([ "$(awk '{ sub(/\(.*/, "", $2); print $2 }' "$work/calls" | sort -u | wc -l)" -ge 35 ] && echo yes)"

# Each wall's own calls: when the injected error hits, the command must not have run.
for call in setns pivot_root umount2 landlock_restrict_self capset seccomp close_range; do
	rm -f was-run
	timeout 120 strace -f -qq -o /dev/null -e trace=$call -e inject=$call:error=EPERM:when=1 \
		-- "$SBX" run touch was-run >"$work/log" 2>&1
	is "$call fails: the command is not run" 125,step,absent "$?,$(grep -o "^sbx: step" "$work/log" | cut -c6- | head -1),$([ -e was-run ] && echo run || echo absent)"
	rm -f was-run
done

# limits of descriptors
for n in 8 16 32 64; do
	output=$( (ulimit -n $n; "$SBX" run echo ran) 2>&1)
	got=$?
	if [ "$got $output" = "0 ran" ] || { [ $got = 125 ] && printf '%s' "$output" | grep -q '^sbx: step'; }; then
		pass "with $n descriptors it runs or says why"
	else
		fail "with $n descriptors it runs or says why" "status $got: $output"
	fi
done
is "the project is as before" "$before" "$(tree_hash .)"

# Killed behind the plan, when the box's first process has no lifeline yet: its first prctl(2) takes a second.
boxes=${XDG_STATE_HOME:-$HOME/.local/state}/sbx/boxes
for act in kill leave; do
	strace -f -qq -o /dev/null -e trace=prctl -e inject=prctl:delay_enter=1000000:when=1 \
		-- "$SBX" run --network none -- sh -c "echo >was-run; sleep 0.31$$" 2>/dev/null &
	late=$!
	wait_for 30 eval 'supervisor=$(pgrep -P $late -f "sleep 0.31") && compgen -G "$boxes/$supervisor-*" >/dev/null'
	sleep 0.2
	[ $act = leave ] || kill -9 "$supervisor"
	wait $late 2>/dev/null
	sleep 1
	is "the supervisor ends before the lifeline is there: the command is not run, else it is ($act)" "$([ $act = kill ] && echo absent || echo run)" "$([ -e was-run ] && echo run || echo absent)"
	rm -f was-run
done

# SIGKILL of any of the processes at random moments
rounds=${ROUNDS:-300}
left=0
for ((i = 0; i < rounds; i++)); do
	"$SBX" run -- sh -c "sleep 31.$$ & sleep 31.$$" 2>/dev/null &
	pid=$!
	read -r -t "0.0$((RANDOM % 10))$((RANDOM % 10))" <> <(:)
	if [ $((i % 3)) = 0 ]; then
		inner=$(pgrep -P $pid 2>/dev/null | head -1)
		kill -9 ${inner:-$pid} 2>/dev/null
		sleep 0.01
	fi
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
done
for ((i = 0; i < 3000; i++)); do
	left=$(pgrep -cf "sleep 31[.]$$")
	[ "$left" = 0 ] && break
	sleep 0.01
done
is "$rounds SIGKILLs at random: no process is left" 0 "$left"
is "no mount of the boxes is left on the host" "" "$(grep -F "$work" /proc/self/mountinfo)"
is "the tree is as before" "$before" "$(tree_hash .)"
done_testing
