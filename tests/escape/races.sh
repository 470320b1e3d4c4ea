#!/bin/bash
# A swapper exchanges sources of mounts with symlinks while boxes start: what the plan refuses is
# never what gets mounted. Rule 1. RACE_SECONDS (6) for each kind.
. "$(dirname "$0")/../lib.sh"
seconds=${RACE_SECONDS:-6}
project=$(new_project)
cd "$project" || exit 1

swapper() { # left, right: exchanges them until killed
	exec python3 - "$1" "$2" <<'P'
import ctypes, os, sys
libc = ctypes.CDLL(None)
a, b = (os.fsencode(x) for x in sys.argv[1:])
while os.getppid() != 1:
    libc.renameat2(-100, a, -100, b, 2)
P
}

race() { # name, left, right, command that prints HIT when it got through, options of sbx...
	local name=$1 left=$2 right=$3 attempt=$4 hits=0 runs=0 refused=0 began=0 end pid
	shift 4
	swapper "$left" "$right" &
	pid=$!
	end=$((SECONDS + seconds))
	while [ $SECONDS -lt $end ]; do
		output=$(run_box "$@" -- sh -c "$attempt" 2>&1)
		came && began=1
		runs=$((runs + 1))
		case $output in
		*HIT*) hits=$((hits + 1)) ;;
		*"changed while"* | *"No such file"* | *"does not exist"* | *"Not a directory"* | *loop* | *levels* | *"your home"*) refused=$((refused + 1)) ;;
		esac
	done
	kill $pid
	wait $pid 2>/dev/null
	is "$name: $runs runs, some with a box, no hit" "0 1" "$hits $began"
	is "$name: the race was run, some were refused" yes "$([ $refused -gt 0 ] && echo yes)"
}

# What the plan must refuse (the home as a writable directory) stands behind a symlink that comes
# and goes: seen by the check it is refused, after the check it must not be what gets mounted.
export HOME=$work/home
mkdir -p "$HOME" "$work/real" && echo HIT >"$HOME/f" && echo fine >"$work/real/f"
ln -s "$HOME" "$work/trap"
race "a writable source against a symlink" "$work/real" "$work/trap" "cat $work/real/f" --write "$work/real"
rm -rf "$work/real" "$work/trap"
mkdir -p "$work/outer/home" "$HOME" && echo fine >"$work/outer/home/f"
ln -s "$work" "$work/outer-trap"
race "a directory above a writable source" "$work/outer" "$work/outer-trap" "cat $work/outer/home/f" --write "$work/outer/home"
rm -rf "$work/outer" "$work/outer-trap"
mkdir -p cache-trap && mkdir -p "$HOME/.local/state/sbx"
ln -s "$HOME" "$work/state-trap"
mkdir -p "$work/state" && export XDG_STATE_HOME=$work/state
race "the directory of caches against a symlink" "$work/state" "$work/state-trap" 'cat ~/.thing/f; ls ~/.thing' --cache '~/.thing'
# Each kind of mount of a protected project, while a program of the host exchanges the name with
# something else. When that has stopped, the wall stands again, wherever it was carried: soon, and
# on a busy machine within ten seconds.
protected() { # name, what it is, what it is exchanged with, what the box writes to, a command that fails until the wall stands, options...
	local box name=$1 left=$2 right=$3 targets=$4 stands=$5 hits=0 runs=0 refused=0 began=0 end pid place status
	shift 5
	place=$(new_project)
	cd "$place" || exit 1
	mkdir -p .git/hooks other/hooks && echo good >.git/hooks/good && cp .git/config other/config && echo good >.envrc && echo bad >other/envrc && mkdir -p a/b && echo good >a/b/c
	ln -s "$place/other" trap
	end=$((SECONDS + seconds))
	while [ $SECONDS -lt $end ]; do
		rm -f stop begun
		[ -n "${AFTER:-}" ] || { swapper "$left" "$right" & pid=$!; }
		"$SBX" run "$@" -- sh -c ": >begun; while [ ! -e stop ]; do sleep 0.02; done; sleep 0.2; i=0; until { $stands; } 2>/dev/null || [ \$((i += 1)) -gt 200 ]; do sleep 0.05; done; for f in $targets; do echo evil >>\$f; done 2>/dev/null" >"$work/said" 2>&1 &
		box=$!
		[ -z "${AFTER:-}" ] || { wait_for 30 test -e begun; swapper "$left" "$right" & pid=$!; }
		sleep 0.3
		kill $pid
		wait $pid 2>/dev/null
		touch stop
		wait $box
		status=$?
		[ ! -e begun ] || began=1
		case $status in 125) refused=$((refused + 1)) ;; esac
		runs=$((runs + 1))
		[ -z "$(grep -rlE '^evil' .git/hooks .git/config .envrc a trap 2>/dev/null)" ] || hits=$((hits + 1))
	done
	is "$name: $runs runs ($refused refused), no hit" "0 1" "$hits $began"
}
protected "masked hooks against a directory beside" .git/hooks other/hooks '.git/hooks/evil .git/hooks/good' '! (: >>.git/hooks/good)' --read other
protected "the copied configuration against a file" .git/config other/config .git/config '[ -L .git/config ]' --read other
protected "a masked file against a file" .envrc other/envrc .envrc '! (: >>.envrc)' --read other
# What a path leads to is protected as it was when the plan was made, so a link on the way is exchanged after that.
AFTER=yes protected "a pinned directory against a link" a trap 'a/b/c trap/b/c' '! (: >>a/b/c) && ! (: >>trap/b/c)' --protect a/b/c --read other --read trap
done_testing
