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

# --- what the index lists is kept while it is the same, and read again where that is damaged
mkdir lib && : >lib/file && git add given.ini lib && sleep 0.05
kept() { stat -c '%i %s' "$XDG_STATE_HOME"/sbx/index/*; }
run_box -- true
first=$(kept)
run_box -- true
stays "the list of the index's directories is written once" "$first" "$(kept)"
for damage in "truncate -s 70" "truncate -s 0" "sed -i s/sbxindx./sbxindx9/"; do
	$damage "$XDG_STATE_HOME"/sbx/index/*
	bad=$(kept)
	run_box -- true
	stays "a damaged one is written again ($damage)" "${first#* } again" "$(kept | cut -d' ' -f2) $([ "$(kept)" != "$bad" ] && echo again)"
done
mkdir more && : >more/file && git add more && sleep 0.05
run_box -- true
stays "and one of another index" "$((${first#* } + 17))" "$(kept | cut -d' ' -f2)"

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

# --- a place for the records of runs that is none: each verb has a sentence, and a run in front goes on where it may
cat >"$work/tries" <<'END'
"$SBX" run -d -- true >/dev/null 2>"$1"
echo "$? $(cat "$1")"
"$SBX" run --json -- sh -c 'exit 3' 2>/dev/null | grep -o '"status":[0-9]*'
"$SBX" ps 2>&1 | head -1
"$SBX" ps -a >/dev/null 2>&1
echo "ps $?"
find "$XDG_STATE_HOME/sbx/boxes/" -mindepth 1 -newer "$0" 2>/dev/null | wc -l
END
placed() { # WHAT, place, what -d says, --json's status, what ps says, its status, before
	like "records, $1: a sentence, and nothing is left of it" "$(XDG_STATE_HOME=$2 "${@:7}" bash "$work/tries" "$work/said" 2>&1 | xargs -d '\n')" "^125 sbx: .*$3.* .status.:$4 $5.* ps $6 0\$"
}
mkdir -m 700 "$work"/at-{link,group,file,full,other}{,/sbx}
mkdir -m 700 "$work/at-ro"
ln -s "$work/old" "$work/at-link/sbx/boxes"
chmod 770 "$work/at-group/sbx"
: >"$work/at-file/sbx/boxes"
placed "none" /proc/none "make '/proc/none/sbx/boxes': No such file" 3 ID 0
placed "a link" "$work/at-link" "Not a directory" 3 "sbx: .*at-link/sbx/boxes.*Not a directory" 125
placed "a file" "$work/at-file" "Not a directory" 3 "sbx: .*at-file/sbx/boxes.*Not a directory" 125
placed "writable by others" "$work/at-group" "must be your own directory and not writable by others" 125 "sbx: .*chmod go-w it" 125
if "${alone[@]}" mount -t tmpfs none /mnt 2>/dev/null; then
	XDG_STATE_HOME=$work/at-ro "$SBX" run -- true
	placed "read-only" "$work/at-ro" "Read-only file system" 3 ID 0 "${alone[@]}" bash -c 'mount --bind "$XDG_STATE_HOME" "$XDG_STATE_HOME" && mount -o remount,bind,ro "$XDG_STATE_HOME" && exec "$@"' -
	placed "a full disk" "$work/at-full" "No space left" 3 ID 0 "${alone[@]}" bash -c 'mount -t tmpfs -o size=64k,mode=700 none "$XDG_STATE_HOME" && mkdir -m 700 "$XDG_STATE_HOME/sbx"; cat /dev/zero >"$XDG_STATE_HOME/zeros" 2>/dev/null; exec "$@"' -
	[ "$(id -u)" = 0 ] || placed "another user's" "$work/at-other" "belongs to uid 65534" 125 "sbx: .*belongs to uid" 125 "${alone[@]}" bash -c 'mount --bind /etc "$XDG_STATE_HOME/sbx" && exec "$@"' -
else
	skip "records, read-only, full or another user's" "no mounts of one's own here"
fi
mkdir -m 700 "$work/at-unlocked"
export XDG_STATE_HOME=$work/at-unlocked
# The call that locks a record is the n-th of its kind; without -f that of the process itself.
if command -v strace >/dev/null && strace -qq -o "$work/calls" -e trace=fcntl "$SBX" run --no-protect -- true | cat; then
	number() { grep -n OFD_SETLK "$work/calls" | head -1 | cut -d: -f1; }
	got=$(strace -qq -o /dev/null -e trace=fcntl -e inject=fcntl:error=ENOLCK:when="$(number)" "$SBX" run --no-protect -- echo ran 2>&1)
	like "records, a file system without locks: the run goes on, and says so" "$(xargs <<<"$got")" '^ran sbx: the run is not on the list of live runs.*No locks available'
	strace -qq -o "$work/calls" -e trace=fcntl "$SBX" run -d -- true | cat >/dev/null
	rm -rf "$XDG_STATE_HOME/sbx/boxes"
	got=$(strace -qq -o /dev/null -e trace=fcntl -e inject=fcntl:error=ENOLCK:when="$(number)" "$SBX" run -d -- echo ran 2>&1)
	like "and -d is refused: nobody would find it" "$? $got" '^125 sbx: .*No locks available$'
else
	skip "records, a file system without locks" "there is no strace"
fi

# --- a hundred runs that were killed
export XDG_STATE_HOME=$work/hundred
mkdir -m 700 "$XDG_STATE_HOME"
mkdir "$work/killed" && cd "$work/killed" || exit 1
git init -q .
for _ in {1..100}; do
	run=$("$SBX" run -d -- sh -c 'sleep 300')
	kill -9 "$run" $(pgrep -P "$run")
done
wait_for 30 eval '[ "$("$SBX" ps | wc -l)" = 1 ]'
find "$XDG_STATE_HOME" -printf '%p %T@ %C@\n' | sort >"$work/before"
begin=$(date +%s%N)
"$SBX" ps -a -f status=signal >"$work/all"
milliseconds=$((($(date +%s%N) - begin) / 1000000))
is "a hundred killed runs are listed, each by signal 9" "100 9" "$(awk 'NR > 1 { n++; status[$4] } END { for (s in status) print n, s }' "$work/all")"
if [ $milliseconds -lt 1000 ]; then pass "and nobody waits: $milliseconds ms"; else fail "and nobody waits" "$milliseconds ms"; fi
is "nor changes a file" "" "$(find "$XDG_STATE_HOME" -printf '%p %T@ %C@\n' | sort | diff - "$work/before")"
is "the next run checks all, and works" "ran 0" "$("$SBX" run -- echo ran 2>"$work/log") $(find "$XDG_STATE_HOME/sbx/trees" -type f | wc -l)"
status "the status of the last is known yet" 137 "$SBX" wait "$run"

# --- a umask that takes the owner's rights
export XDG_STATE_HOME=$work/masked
is "sbx's own files stay its user's, and the command has the caller's umask" "0777 " "$(umask 777; "$SBX" run -- sh -c umask 2>&1) $(find "$XDG_STATE_HOME" ! -perm -u=rw 2>&1)"
status "and the next run reads them" 0 "$SBX" audit
done_testing
