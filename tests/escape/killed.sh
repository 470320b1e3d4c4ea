#!/bin/bash
# SIGKILL at each system call on the files of a project's runs: the next sbx there is never refused, and does the
# check that is due. Each time the box has left repositories with a command in them, before or behind the kill.
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
"$SBX" run -- true && runs=$(echo "$XDG_STATE_HOME"/sbx/trees/*) boxes=$XDG_STATE_HOME/sbx/boxes
# NAME: a repository with a command for git, unless one is there.
cat >"$work/plant" <<END
mkdir -p \$1/.git/objects \$1/.git/refs && echo ref: refs/heads/main >\$1/.git/HEAD && printf '[core]\n\tfsmonitor = "touch $canary;"\n' >\$1/.git/config
END
readers() { for place in "$@"; do git -C "$place" status; done >/dev/null 2>&1; }

# Kills whoever makes the N-th call CALL (of several processes each counts for itself), of those that name files only
# on the directories of runs; false when nobody does.
dies() { # CALL N NAME
	local on=(-P "$runs" -P "$boxes")
	case $1 in mknodat | unlink) on=() ;; esac
	strace -f -qq -o "$work/trace" "${on[@]}" -e trace="$1" -e inject="$1:signal=KILL:when=$2" \
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

each() { # what the directory holds, command before, command after, calls, kills at least
	local call n status kills=0 refused='' found='' lost=''
	for call in $4; do
		for n in {1..12}; do
			rm -rf own due later "$canary"
			eval "$2"
			dies "$call" "$n" own || n=none
			eval "$3"
			run_box -- true >"$work/log" 2>&1
			status=$?
			came && [ $status = 0 ] || refused+=" $call:$n:$status"
			readers own due later
			[ ! -e "$canary" ] || found+=" $call:$n"
			[ -z "$(ls "$runs")" ] || lost+=" $call:$n"
			[ "$n" != none ] || break
			kills=$((kills + 1))
		done
	done
	is "$1, $kills kills: the next run is not refused" "yes" "$([ $kills -ge "$5" ] && echo yes)$refused"
	stays "$1: nothing runs of what the boxes left, and no file of a run is left" "; " "$found; $lost"
}
was_killed due
rm "$runs"/*
"$SBX" run -- true && readers due
is "twin: without the file of the killed run the command runs" "$canary" "$(ls "$canary" 2>&1)"
rm -rf due
each "alone" true true "openat mkdirat renameat mknodat getdents64 unlinkat unlink" 8
each "with one that is due" "was_killed due" true "openat renameat mknodat getdents64 unlinkat unlink" 10
each "beside one that is killed later" "lives due" killed "openat renameat mknodat" 4
# A run that began before the kill does it when it ends.
rm -rf own due later "$canary"
lives due
"$SBX" run -- sh -c ': >waits; while [ -e waits ]; do sleep 0.02; done' >"$work/log" 2>&1 &
beside=$!
wait_for 60 test -e waits
killed
rm waits
wait "$beside"
readers due later
stays "the end of a run that lived beside one that was killed: nothing runs of its repositories, no file of a run is left" "|" "$(ls "$canary" 2>/dev/null)|$(ls "$runs")"
like "and says so" "$(cat "$work/log")" 'was killed; it left this'
# Files that are none, or of a run whose command had not begun, or of another directory of that name.
: >"$runs/empty"; printf '1 %s\nr %s\n' "$(stat -c %i .)" "$project/x" >"$runs/cut"; printf '1 1\n.\n' >"$runs/other"; ln -s /etc/passwd "$runs/link"; mkdir "$runs/directory"; mkfifo "$runs/pipe"
mkdir mine && sh "$work/plant" mine
stays "what is no run's file takes nothing away" "0 " "$(run_box -- true 2>"$work/log"; echo $?) $(cat "$work/log")"
is "and is removed" "directory" "$(ls "$runs" | paste -sd' ')"
readers mine
stays "what the user made stays" "$canary" "$(ls "$canary" 2>&1)"
# The project's directory is another one by then: what lies there is the user's.
rm -f "$runs"/{link,pipe} && rmdir "$runs/directory" && was_killed due
cd .. && mv "$project" "$project.old" && git init -q "$project" && cd "$project" && mkdir .vscode && echo mine >.vscode/settings.json && printf '#!/bin/sh\n' >.git/hooks/pre-push
stays "a project that was renamed, and another one in its place: nothing is taken" "0  mine pre-push" "$(run_box -- true 2>"$work/log"; echo $?) $(cat "$work/log") $(cat .vscode/settings.json) $(ls .git/hooks | grep -v sample)"
stays "and no file of a run is left" "" "$(ls "$runs")"
rm -rf "$runs" && : >"$runs"
like "where the file cannot be made it is said" "$("$SBX" run -- true 2>&1)" 'the state directory cannot be written .*changes of a killed run are not checked'
done_testing
