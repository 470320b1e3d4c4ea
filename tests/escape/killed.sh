#!/bin/bash
# SIGKILL at each system call on the journal of a project: the next sbx there is never refused, and does the check
# that is due. Each time the box has left repositories with a command in them, before or behind the kill.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state LC_ALL=C GIT_CONFIG_NOSYSTEM=1
mkdir -p "$HOME"
canary=$work/canary
if ! command -v strace >/dev/null; then
	skip "kills at each call" "strace is not installed"
	done_testing
fi
project=$(new_project)
cd "$project" || exit 1
"$SBX" run -- true && journal=$(echo "$XDG_STATE_HOME"/sbx/journal/*)
# NAME: a repository with a command for git, unless one is there.
cat >"$work/plant" <<END
mkdir -p \$1/.git/objects \$1/.git/refs && echo ref: refs/heads/main >\$1/.git/HEAD && printf '[core]\n\tfsmonitor = "touch $canary;"\n' >\$1/.git/config
END
readers() { for place in "$@"; do git -C "$place" status; done >/dev/null 2>&1; }

# Kills whoever makes the N-th call CALL on the journal (of several processes each counts for itself); false when
# nobody does.
dies() { # CALL N NAME
	strace -f -qq -o "$work/trace" -P "$journal" -e trace="$1" -e inject="$1:signal=KILL:when=$2" \
		-- "$SBX" run --read "$work/plant" -- sh "$work/plant" "$3" >"$work/log" 2>&1
	[ $? = 137 ] || grep -q 'did not finish' "$work/log"
} 2>/dev/null

# A box that lives, behind what it has planted; it plants another before its supervisor is killed from outside.
lives() { # NAME
	"$SBX" run --read "$work/plant" -- sh -c "sh $work/plant $1; : >ready; while [ -e ready ]; do sleep 0.02; done; sh $work/plant later; : >ready; exec sleep 100" >/dev/null 2>&1 &
	box=$!
	wait_for 60 test -e ready
}
killed() {
	rm ready
	wait_for 60 test -e ready
	kill -9 "$box"
	wait "$box"
	rm ready
} 2>/dev/null
was_killed() { lives "$1" && killed; }
lines() {
	local from to
	read -r _ from to < <(head -c 48 "$journal")
	tail -c +$((10#$from + 1)) "$journal" | head -c $((10#$to - 10#$from))
}

each() { # what the journal holds, command before, command after, calls, kills at least
	local call n status kills=0 refused='' found='' lost=''
	for call in $4; do
		for n in {1..12}; do
			rm -rf own due later "$canary"
			eval "$2"
			dies "$call" "$n" own || n=none
			eval "$3"
			"$SBX" run -- true >"$work/log" 2>&1
			status=$?
			[ $status = 0 ] || refused+=" $call:$n:$status"
			readers own due later
			[ ! -e "$canary" ] || found+=" $call:$n"
			[ -z "$(lines | grep -a '^[RBE] ')" ] || lost+=" $call:$n"
			[ "$n" != none ] || break
			kills=$((kills + 1))
		done
	done
	is "$1, $kills kills: the next run is not refused" "yes" "$([ $kills -ge "$5" ] && echo yes)$refused"
	is "$1: nothing runs of what the boxes left" "" "$found"
	is "$1: no record is left in the journal" "" "$lost"
}
was_killed due
: >"$journal"
"$SBX" run -- true && readers due
is "twin: without the journal the command runs" "$canary" "$(ls "$canary" 2>&1)"
each "alone" true true "openat fcntl pread64 pwrite64" 8
each "with one that is due" "was_killed due" true "openat fcntl pread64 pwrite64" 8
each "beside one that is killed later" "lives due" killed pwrite64 2
done_testing
