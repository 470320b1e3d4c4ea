#!/bin/bash
# sbx cache: what boxes kept is listed by project and removed, and nothing behind a link is touched.
. "$(dirname "$0")/../lib.sh"
export XDG_STATE_HOME=$work/state
caches=$XDG_STATE_HOME/sbx/cache
long=$work/$(printf 'l%.0s' {1..180})/$(printf '=%.0s' {1..120})
one="$work/on=e 5%/.two"
mkdir -p "$long" "$one"
keep() { (cd "$1" && "$SBX" run --cache "~/.kept" -- sh -c "$2" 2>/dev/null); }
projects() { "$SBX" cache list | sed 's/  [^ ]*$//'; }

is "none yet" '{"version":1,"form":"caches","caches":[]}' "$("$SBX" cache list 2>&1; "$SBX" cache list --json)"
keep "$one" 'head -c 300000 /dev/urandom >~/.kept/x; ln -s /etc ~/.kept/etc; mkdir -p ~/.kept/shut/in; chmod 0 ~/.kept/shut'
keep "$long" 'echo kept >~/.kept/y; for i in $(seq 300); do mkdir d; cd d; done'
mkdir "$caches/project-0123456789abcdef" && ln -s "$long" "$caches/link" && echo x >"$caches/file"
is "listed by project, whatever its name" "$(printf '%s\n' "$long" "$one" project-0123456789abcdef | sort)" "$(projects | sort)"
like "with its size" "$("$SBX" cache list | grep -F "$one")" '  (29[0-9]|3[0-9][0-9])K$'
is "the same as JSON" "$one True" "$("$SBX" cache list --json | python3 -c '
import json, sys
for c in json.load(sys.stdin)["caches"]:
    if c["project"].endswith(".two"): print(c["project"], 300000 < c["bytes"] < 400000)')"

refused_as "what is none is an error" "^sbx: no caches of a project '/nowhere'; see: sbx cache list$" "$SBX" cache clear /nowhere
like "an action that is none" "$("$SBX" cache show 2>&1)" '^sbx: unknown action .show.; sbx cache has: list clear$'
for words in "" clear "clear --all x" "list x"; do
	like "words that are none: $words" "$("$SBX" cache $words 2>&1)" '^sbx: usage: sbx cache list'
done
like "a project is cleared, by its directory" "$(cd "$one" && "$SBX" cache clear . 2>&1)" "^cleared: $one(  [0-9]+K)?$"
is "and is empty for its next box" "0" "$(keep "$one" 'ls -A ~/.kept | wc -l')"
is "the others are as they were" kept "$(keep "$long" 'cat ~/.kept/y')"

# The caches of a run that goes on are in use.
(cd "$one" && exec "$SBX" run --cache "~/.kept" -- sh -c 'echo a >~/.kept/f; while [ ! -e on ]; do sleep 0.05; done; cat ~/.kept/f && echo b >~/.kept/g' >"$work/live" 2>&1) &
wait_for 30 test -n "$(find "$caches" -path '*two*' -name f)" || wait_for 30 sh -c "find '$caches' -path '*two*' -name f | grep -q ."
like "clear --all leaves the cache of a live run, and says so" "$("$SBX" cache clear --all; echo $?)" "^in use by a run, not cleared: $one$"
is "and clears the others" "$one" "$(projects)"
like "by name: refused, with what to do" "$("$SBX" cache clear "$one" 2>&1; echo $?)" "^sbx: a run of '$one' uses its caches; end it first: sbx ps, sbx stop ID$"
touch "$one/on" && wait
is "the run has its cache to its end" a "$(cat "$work/live")"
like "then it is cleared" "$("$SBX" cache clear "$one")" "^cleared: $one"
rm "$one/on"
keep "$one" 'echo x >~/.kept/x'; keep "$long" 'echo x >~/.kept/x'

# What a link leads to stays, wherever the link is.
mkdir "$work/outside" && echo mine >"$work/outside/file"
ln -s "$work/outside" "$(find "$caches" -name .kept -path '*two*' | head -1)/link"
ln -s "$work/outside" "$caches/=outside"
is "a link is no project" "$(printf '%s\n' "$long" "$one" | sort)" "$(projects | sort)"
is "all are cleared, none is left, nothing aside, nothing behind a link removed" "cleared cleared mine" "$("$SBX" cache clear --all | sed 's/:.*//' | xargs; "$SBX" cache list; find "$caches" -type d -name '%cleared*') $(cat "$work/outside/file")"
mv "$caches" "$work/moved" && mkdir -p "$work/moved/=x" && ln -s "$work/moved" "$caches"
refused_as "a link in the place of all is refused" 'cache' "$SBX" cache clear --all
is "and what it leads to stays" yes "$(test -d "$work/moved/=x" && echo yes)"

# A place that a variable of the caller names: a cache of the box's own, or the host's, read-only.
export XDG_STATE_HOME=$work/other-state
disk=$work/disk
mkdir -p "$disk/models" "$work/project" && echo large >"$disk/models/weights" && echo secret >"$disk/models/token" && cd "$work/project" || exit
for name in UV_CACHE_DIR PIP_CACHE_DIR CARGO_HOME GOMODCACHE npm_config_cache CCACHE_DIR; do
	is "\$$name is a cache of the box's own" "made" "$(env "$name=$disk/$name" "$SBX" run -- sh -c "mkdir -p \$$name/made && ls \$$name" 2>&1)"
	is "which is kept" "made" "$(env "$name=$disk/$name" "$SBX" run -- ls "$disk/$name" 2>&1)"
done
is "a place that the host has: its files are not the box's" "." "$(UV_CACHE_DIR=$disk/models "$SBX" run -- find "$disk/models" -printf '%P.\n' 2>&1)"
is "models are the host's, read-only" "large 1" "$(HF_HOME=$disk/models "$SBX" run -- sh -c 'cat $HF_HOME/weights; touch $HF_HOME/x 2>/dev/null; echo $?' | xargs)"
HF_HOME=$disk/models denied "without their token" run -- "cat $disk/models/token"
is "a place in the project is the project's" made "$(UV_CACHE_DIR=$PWD/uv "$SBX" run -- mkdir -p uv/made; ls uv)"
without=$("$SBX" run -- ls -d "$HOME"/* "$work"/* /usr/bin /etc/shadow 2>&1)
like "without such a variable" "$without" '^/usr/bin$'
[[ $without == */usr/bin* ]] || without="a list of files"
for place in / /usr /tmp "$HOME" "$work" /etc/passwd "$PWD" relative; do
	for name in UV_CACHE_DIR PUPPETEER_CACHE_DIR; do
		is "\$$name is $place: as without it" "$without" "$(env "$name=$place" "$SBX" run -- ls -d "$HOME"/* "$work"/* /usr/bin /etc/shadow 2>&1)"
	done
done
done_testing
