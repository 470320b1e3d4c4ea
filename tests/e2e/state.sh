#!/bin/bash
# The state directory: what a newer sbx wrote is refused, and a state that is full or cannot be written harms nothing.
. "$(dirname "$0")/../lib.sh"
sbx() { "$SBX" "$@" 2>"$work/log"; }
said() { cat "$work/log"; }

export HOME=$work/old/home XDG_STATE_HOME=$work/old/state
mkdir -p "$HOME" "$work/old/project" && cd "$work/old/project" || exit 1
printf '[files]\nread = %s\n' "$HOME/shown" >.sbx.ini && echo shown >"$HOME/shown"
git init -q . && git init -q nested && printf '[files]\nread = /opt\n' >given.ini
sbx run -p ./given.ini -- true
"$SBX" profile trust >/dev/null
is "trust is by the whole path" "$(echo "$PWD" | sed 's,/,=,g').ini" "$(ls "$XDG_STATE_HOME/sbx/trust")"
is "and works" shown "$(sbx run -- cat "$HOME/shown")"

# --- of a newer one
sbx session create new && sbx run -s new -- true
python3 - "$XDG_STATE_HOME/sbx/sessions/new/state" <<'END'
import sys
text = open(sys.argv[1]).read()
open(sys.argv[1], 'w').write(text.replace('sbx-session ', 'sbx-session 9', 1))
END
cp "$XDG_STATE_HOME/sbx/sessions/new/state" "$work/newer"
for action in "run -s new -- true" "session diff new" "session rm new" "session apply new"; do
	# shellcheck disable=SC2086
	sbx $action >/dev/null
	like "newer: a session: $action: refused, with a sentence" "$? $(said)" '^125 .*written by a newer sbx'
done
is "newer: and nothing of it was touched" "1" "$(said | grep -c 'newer sbx'; cmp "$work/newer" "$XDG_STATE_HOME/sbx/sessions/new/state")"
rm -rf "$XDG_STATE_HOME/sbx/sessions/new"
sbx run -- true
for path in "$XDG_STATE_HOME"/sbx/given "$XDG_STATE_HOME"/sbx/trust/* "$XDG_STATE_HOME"/sbx/known/*; do
	file=${path#"$XDG_STATE_HOME"/sbx/}
	cp "$path" "$work/before"
	if grep -q '^sbx-' "$path"; then sed -i '1s/ 1 / 9 /' "$path"; else printf 'sbx-state 9\n' | cat - "$work/before" >"$path"; fi
	words='of another version of sbx'
	[ "${file%%/*}" != trust ] || words='until you trust this file'
	sbx run -- sh -c 'exit 7'
	like "newer: ${file%%/*}: the run goes on, with a sentence" "$? $(said)" "^7 .*$words"
	cp "$work/before" "$path"
done
status "newer: and without it all works" 7 "$SBX" run -- sh -c 'exit 7'

# --- a list of repositories that a power loss has emptied
"$SBX" run -- true 2>/dev/null
: >"$(ls "$XDG_STATE_HOME"/sbx/known/*)"
sbx run -- true
like "a damaged list of repositories: that is reported" "$(said)" '^sbx: the list of repositories in .*/project was damaged'
run_box -- true 2>"$work/log"
stays "once" "" "$(said)"

# --- a state directory that cannot be made
: >"$work/file"
sbx run -- true
for place in "$work/file/state" /proc/none; do
	XDG_STATE_HOME=$place sbx run --cache '~/.kept' -- sh -c 'echo x >~/.cached; exit 7'
	is "a state that cannot be made: the run goes on, and says so once ($place)" "7 1" "$? $(said | grep -c 'cannot be written.*nothing is cached')"
done

# --- sessions: a name of digits; another one that cannot be read; a look
refused_as "a session's name is no number, as an id is" "could be the id of a run" "$SBX" session create 1124
if sbx session create whole && sbx session create broken; then
	echo damaged >"$XDG_STATE_HOME/sbx/sessions/broken/state"
	sbx session rm whole
	like "rm removed, and says so, where another session is damaged" "$? $(ls "$XDG_STATE_HOME/sbx/sessions") $(said)" '^0 broken sbx: removed; its layers stay'
	rm -rf "$XDG_STATE_HOME/sbx/sessions/broken"
	sbx session create looked
	"$SBX" run -s looked -- sleep 1000 2>/dev/null &
	run=$!
	wait_for 30 eval '"$SBX" session show looked | grep -q "^running"'
	kill -9 $run
	wait $run 2>/dev/null
	runs=$XDG_STATE_HOME/sbx/sessions/looked/runs
	records() { find "$runs" "$XDG_STATE_HOME/sbx/boxes" -printf '%p %T@\n' | sort; }
	records >"$work/runs"
	"$SBX" session list >"$work/listed"
	"$SBX" session show looked >>"$work/listed"
	is "list and show change nothing" "looked 0" "$(grep -o '^looked' "$work/listed") $(records | cmp - "$work/runs"; echo $?)"
	sbx session rm looked
else
	skip "sessions" "they need a file system that this machine has not"
fi

# --- names that a box chose
name=$(printf 'x\033]0;HACK\007')
sbx run -- sh -c "mkdir '$name' && mkdir '$name/.vscode' && sleep 0.3; git init -q '$name'; printf '#!/bin/sh\n' >'$name/.git/hooks/post-commit'; chmod +x '$name/.git/hooks/post-commit'; sleep 0.3"
rm -rf "$name"
for id in $(sbx quarantine list | cut -d' ' -f1); do "$SBX" quarantine show "$id"; "$SBX" quarantine restore "$id"; done >"$work/shown" 2>&1
is "quarantine: no name acts on the terminal" "shown 0" "$([ -s "$work/shown" ] && echo shown) $(grep -c $'\033' "$work/shown")"

# --- a state that cannot be written, as on a file system that is read-only; one that is full
sbx session create still && sbx run -s still -- sh -c 'echo n >n'
alone=(unshare --mount --map-root-user)
[ "$(id -u)" != 0 ] || alone=(unshare --mount)
if "${alone[@]}" mount -t tmpfs none /mnt 2>/dev/null; then
	within() { "${alone[@]}" bash -c "$1" 2>&1; }
	ro="mount --bind '$XDG_STATE_HOME' '$XDG_STATE_HOME' && mount -o remount,bind,ro '$XDG_STATE_HOME' && ! touch '$XDG_STATE_HOME/x' 2>/dev/null &&"
	like "read-only: session list" "$(within "$ro '$SBX' session list")" '^still '
	like "read-only: session diff, by the list where git's box cannot be made" "$(within "$ro '$SBX' session diff still")" '^(\+n|A .* n$)'
	like "read-only: session show" "$(within "$ro '$SBX' session show still")" '^project'
	like "read-only: what would write says so" "$(within "$ro '$SBX' session snapshot still; echo \$?")" 'Read-only file system'
	full="mkdir -p '$work/full'; mount -t tmpfs -o size=256k none '$work/full'; export XDG_STATE_HOME='$work/full' HOME='$work/full/home'; mkdir -p '$work/full/home/.claude' '$work/full/sbx/trust' && chmod -R go-w '$work/full'; printf '{}' >'$work/full/home/.claude/settings.json'; chmod 700 '$work/full/sbx'; cat /dev/zero >'$work/full/zeros' 2>/dev/null;"
	mkdir -p "$work/bin" && cp "$SBX" "$work/bin/sbx" && ln -s sbx "$work/bin/sbx-shell"
	# No inode is left: a directory cannot be made either, as on a disk without a block.
	inodes="mkdir -p '$work/full'; mount -t tmpfs -o size=256k,nr_inodes=3,mode=755 none '$work/full'; export XDG_STATE_HOME='$work/full'; mkdir -m 700 '$work/full/sbx'; touch '$work/full/1'; ! touch '$work/full/2' 2>/dev/null || echo 'it has room';"
	got=$(within "$inodes '$SBX' run --cache '~/.sbx-test' -- sh -c 'echo c >~/.sbx-test/c && cat ~/.sbx-test/c && date >n'; echo \$?")
	is "full: the caches are lost, the command runs" "c 0 1" "$(grep -v '^sbx' <<<"$got" | xargs) $(grep -c 'nothing is cached' <<<"$got")"
	left="find '$work/full' \\( -name '*.new*' -o -name '*.sbx-*' \\); cat '$work/full/home/.claude/settings.json'"
	for action in "'$SBX' profile trust" "'$work/bin/sbx' agent install claude-code" "'$SBX' session create x" "'$SBX' learn -o '$work/full/home/l.ini' -- cat /root/none"; do
		is "full: ${action##*/}: nothing is left half" "{} full" "$(within "$full $action 2>&1 >/dev/null | grep -q 'No space' && full=full; $left; echo \" \$full\"")"
	done
else
	skip "a state that is read-only or full" "no mounts of one's own here"
fi
done_testing
