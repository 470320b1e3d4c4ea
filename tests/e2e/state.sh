#!/bin/bash
# The state directory: what version 0.1.0 left is read or carried over, what a newer sbx wrote is
# refused, and a state that is full or cannot be written harms nothing.
. "$(dirname "$0")/../lib.sh"
state=$(cd "$(dirname "$0")/../state" && pwd)
sbx() { "$SBX" "$@" 2>"$work/log"; }
said() { cat "$work/log"; }

# --- of 0.1.0: tests/state/make made it in /tmp/sbx-0.1.0; it is used in another place
old=$work/old
mkdir "$old" "$old/project" && sleep 0.1 # the project is older than its caches
tar -xzf "$state/0.1.0.tar.gz" --xattrs --xattrs-include='user.*' --no-same-owner -C "$old" --strip-components=1 2>/dev/null
export HOME=$old/home XDG_STATE_HOME=$old/state
# Paths, the project's identity and the sums are of this place, and the names that were made of the path.
python3 - "$old" <<'END'
import os, sys, time
top, then = sys.argv[1], '/tmp/sbx-0.1.0'
def hashed(data):
    value = 0xcbf29ce484222325
    for byte in data: value = (value ^ byte) * 0x100000001b3 % 2 ** 64
    return value
def name(path): return '%s-%016x' % (os.path.basename(path), hashed(path.encode()))
sbx, project = top + '/state/sbx', top + '/project'
for kind, end in ('cache', ''), ('nested', ''), ('trust', '.ini'):
    os.rename('%s/%s/%s%s' % (sbx, kind, name(then + '/project'), end), '%s/%s/%s%s' % (sbx, kind, name(project), end))
files = [os.path.join(d, n) for d, _, names in os.walk(top) for n in names if '/layers/' not in d]
for path in files:
    data = open(path, 'rb').read()
    data = data.replace(then.encode(), top.encode())
    if path.endswith('/sessions/one/state'):
        status = os.stat(project)
        lines = data.split(b'\n')
        lines[1] = b'project %s %d %d' % (project.encode(), status.st_dev, status.st_ino)
        # The session is younger than its project: a directory born later is another one.
        lines[2] = b'times 1795557315 %d %d' % divmod(time.time_ns(), 10 ** 9)
        data = b'\n'.join(lines)
    if data.startswith(b'sbx-'):
        data = data[:data.rindex(b'sum ')]
        data += b'sum %016x\n' % hashed(data)
    open(path, 'wb').write(data)
END
kept() { find "$old/state/sbx" ! -path '*/layers/*' ! -path '*/sessions/*' -type f -printf '%P ' | tr ' ' '\n' | sort; }
cd "$old/project" || exit 1
git init -q . && git init -q nested
is "0.1.0: sessions are listed" "one" "$(sbx session list | cut -d' ' -f1)"
like "0.1.0: with their snapshots" "$(sbx session log one)" 'first'
like "0.1.0: the difference" "$(sbx session diff --stat one | tr -s ' \n' ' ')" 'M? ?file.*gone'
is "0.1.0: a session goes on" "hello more again other h" "$(echo $(sbx run -s one -- sh -c 'cat file new/f ~/h'))"
sbx session restore one first
is "0.1.0: a snapshot of it is restored" "hello more n" "$(echo $(sbx run -s one -- cat file new/f))"
like "0.1.0: what is trusted stays so" "$(sbx profile status)" 'trusted'
is "0.1.0: and works" shown "$(sbx run -- cat "$HOME/shown")"
is "0.1.0: a cache is taken over" cached "$(sbx run --cache "$HOME/kept" -- cat "$HOME/kept/y")"
is "0.1.0: and stays" "cached =" "$(sbx run --cache "$HOME/kept" -- cat "$HOME/kept/y") $(ls "$old/state/sbx/cache" | cut -c1)"
like "0.1.0: the quarantine is listed" "$(sbx quarantine list)" "$old/project/.vscode"
sbx quarantine restore "$(sbx quarantine list | cut -d' ' -f1)"
is "0.1.0: and given back" evil "$(cat .vscode/tasks.json)"
like "0.1.0: a profile that was given is still not the box's" "$(sbx run -- sh -c "echo >>given.ini" 2>&1; said)" 'given.ini: Read-only file system'
mkdir "$work/bin" && cp "$SBX" "$work/bin/sbx" && ln -s sbx "$work/bin/sbx-shell"
for name in claude-code gemini; do "$work/bin/sbx" agent remove $name >/dev/null 2>"$work/log"; done
is "0.1.0: installed agents are removed, each byte as before" '{"mine": 1} {}' "$(cat "$HOME/.claude/settings.json" "$HOME/.gemini/settings.json" | sed 's/}{/} {/')"
is "0.1.0: nothing is left of them" "" "$(kept | grep '^agents.*\(before\|written\)')"
sbx profile untrust
like "0.1.0: trust is taken back" "$(sbx profile status)" 'not trusted'
"$SBX" profile trust >/dev/null
is "trust is by the whole path" "$(echo "$old/project/.sbx.ini" | sed 's,/.sbx.ini$,,; s,/,=,g').ini" "$(ls "$old/state/sbx/trust")"

# --- of a newer one
sbx session rm one && sbx session create new && sbx run -s new -- true
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
is "newer: and nothing of it was touched" "" "$(cmp "$work/newer" "$XDG_STATE_HOME/sbx/sessions/new/state")"
rm -rf "$XDG_STATE_HOME/sbx/sessions/new"
sbx run -- true
for path in "$XDG_STATE_HOME"/sbx/given "$XDG_STATE_HOME"/sbx/trust/* "$XDG_STATE_HOME"/sbx/known/*; do
	file=${path#"$XDG_STATE_HOME"/sbx/}
	cp "$path" "$work/before"
	if grep -q '^sbx-' "$path"; then sed -i '1s/ 1 / 9 /' "$path"; else printf 'sbx-state 9\n' | cat - "$work/before" >"$path"; fi
	sbx run -- true
	like "newer: ${file%%/*}: refused, with a sentence" "$? $(said)" '^125 .*written by a newer sbx'
	cp "$work/before" "$path"
done
status "newer: and without it all works" 0 "$SBX" run -- true

# --- a list of repositories that a power loss has emptied
"$SBX" run -- true 2>/dev/null
: >"$(ls "$XDG_STATE_HOME"/sbx/known/*)"
sbx run -- true
like "a damaged list of repositories: that is reported" "$(said)" '^sbx: the list of repositories in .*/project was damaged'
sbx run -- true
is "once" "" "$(said)"

# --- names that a box chose
name=$(printf 'x\033]0;HACK\007')
sbx run -- sh -c "mkdir '$name' && mkdir '$name/.vscode' && sleep 0.3; git init -q '$name'; printf '#!/bin/sh\n' >'$name/.git/hooks/post-commit'; chmod +x '$name/.git/hooks/post-commit'; sleep 0.3"
rm -rf "$name"
for id in $(sbx quarantine list | cut -d' ' -f1); do "$SBX" quarantine show "$id"; "$SBX" quarantine restore "$id"; done >"$work/shown" 2>&1
is "quarantine: no name acts on the terminal" 0 "$(grep -c $'\033' "$work/shown")"

# --- a state that cannot be written, as on a file system that is read-only; one that is full
sbx session create still && sbx run -s still -- sh -c 'echo n >n'
alone=(unshare --mount --map-root-user)
[ "$(id -u)" != 0 ] || alone=(unshare --mount)
if "${alone[@]}" mount -t tmpfs none /mnt 2>/dev/null; then
	within() { "${alone[@]}" bash -c "$1" 2>&1; }
	ro="mount --bind '$XDG_STATE_HOME' '$XDG_STATE_HOME' && mount -o remount,bind,ro '$XDG_STATE_HOME' && ! touch '$XDG_STATE_HOME/x' 2>/dev/null &&"
	like "read-only: session list" "$(within "$ro '$SBX' session list")" '^still '
	like "read-only: session diff" "$(within "$ro '$SBX' session diff still")" '^\+n'
	like "read-only: session show" "$(within "$ro '$SBX' session show still")" '^project'
	like "read-only: what would write says so" "$(within "$ro '$SBX' session snapshot still; echo \$?")" 'Read-only file system'
	full="mkdir -p '$work/full'; mount -t tmpfs -o size=256k none '$work/full'; export XDG_STATE_HOME='$work/full' HOME='$work/full/home'; mkdir -p '$work/full/home/.claude' '$work/full/sbx/trust' && chmod -R go-w '$work/full'; printf '{}' >'$work/full/home/.claude/settings.json'; chmod 700 '$work/full/sbx'; cat /dev/zero >'$work/full/zeros' 2>/dev/null;"
	left="find '$work/full' \\( -name '*.new*' -o -name '*.sbx-*' \\); cat '$work/full/home/.claude/settings.json'"
	for action in "'$SBX' profile trust" "'$work/bin/sbx' agent install claude-code" "'$SBX' session create x" "'$SBX' learn -o '$work/full/home/l.ini' -- cat /root/none"; do
		is "full: ${action##*/}: nothing is left half" "{}" "$(within "$full $action >/dev/null 2>&1; $left")"
	done
else
	skip "a state that is read-only or full" "no mounts of one's own here"
fi
done_testing
