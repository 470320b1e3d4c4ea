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
	local name=$1 left=$2 right=$3 attempt=$4 hits=0 runs=0 refused=0 end pid
	shift 4
	swapper "$left" "$right" &
	pid=$!
	end=$((SECONDS + seconds))
	while [ $SECONDS -lt $end ]; do
		output=$("$SBX" run "$@" -- sh -c "$attempt" 2>&1)
		runs=$((runs + 1))
		case $output in
		*HIT*) hits=$((hits + 1)) ;;
		*"changed while"* | *"No such file"* | *"does not exist"* | *"Not a directory"* | *loop* | *levels* | *"your home"*) refused=$((refused + 1)) ;;
		esac
	done
	kill $pid
	wait $pid 2>/dev/null
	is "$name: $runs runs, no hit" 0 $hits
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
done_testing
