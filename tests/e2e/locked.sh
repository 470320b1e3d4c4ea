#!/bin/bash
# The administrator's file, /etc/sbx/locked.ini: it tightens each run, nothing of a user's undoes it, and a file that
# is not root's alone to write lets nothing run. In a mount namespace of the test's own, where /etc is a copy.
if [ "$(id -u)" = 0 ] && [ -z "${SBX_TEST_ETC:-}" ]; then
	exec env SBX_TEST_ETC=1 unshare --mount --propagation private bash "$0"
fi
. "$(dirname "$0")/../lib.sh"
if [ "$(id -u)" != 0 ]; then
	skip "the administrator's file" "only root can make one"
	done_testing
fi
cp -a /etc "$work/etc" && mount --bind "$work/etc" /etc && mkdir -p /etc/sbx && chmod 755 /etc/sbx || exit 1
file=/etc/sbx/locked.ini
export HOME=$work/home XDG_STATE_HOME=$work/home/state
project=$(new_project)
echo key >"$project/hidden"
chmod 755 "$work"
mkdir -p "$HOME"
chown -R 12345:12345 "$HOME" "$project"
cd "$project" || exit 1
user() { setpriv --reuid 12345 --regid 12345 --clear-groups -- "$@"; }
locked() { printf '%s\n' "$@" >$file; }
# A member of the plan of a run with these options.
planned() { user "$SBX" plan --json "${@:2}" -- true | python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }
refused() { echo "$(user "$SBX" run -- true 2>&1)" $?; }

status "without the file all is as before" 0 user "$SBX" run -- true
locked '[network]' 'mode = none'
is "the network is none" "none" "$(planned network)"
is "no flag opens it" "none" "$(planned network --network host)"
like "the plan says so" "$(user "$SBX" plan -- true)" '1 line of /etc/sbx/locked.ini hold'
like "so does doctor" "$(user "$SBX" doctor)" '1 line of /etc/sbx/locked.ini'
status "a run begins" 0 user "$SBX" run -- true
like "by effect: nothing is reached" "$(user "$SBX" run --network host -- sh -c 'ls /sys/class/net 2>/dev/null; cat /proc/net/dev' | grep -c :)" '^1$'

locked '[limits]' 'timeout = 1s' 'open-files = 100'
is "a limit holds" 100 "$(user "$SBX" run --open-files 500 -- sh -c 'ulimit -n')"
is "a smaller one of the user's stays" 80 "$(user "$SBX" run --open-files 80 -- sh -c 'ulimit -n')"
status "time" 124 user "$SBX" run --timeout 1h -- sleep 30
locked '[limits]' 'memory = 1G'
is "a wish of the user's does not weaken it" "$(planned limits --memory 1G)" "$(planned limits --memory '?2G')"

locked '[files]' 'hide = ./hidden' 'protect = ./kept'
status "what it hides is hidden" 2 user "$SBX" run --read "$project/hidden" -- grep -q key hidden
user touch kept
status "what it protects stays, also with --no-protect" 2 user "$SBX" run --no-protect -- sh -c 'echo x >>kept'
printf '[files]\nread = %s/hidden\n' "$project" >"$work/own.ini" && chown 12345 "$work/own.ini"
status "a profile of the user's shows nothing of it" 2 user "$SBX" run -p default -p "$work/own.ini" -- grep -q key hidden
locked '[environment]' 'unset = LEAKED'
is "a variable" "" "$(LEAKED=1 user "$SBX" run --pass-env LEAKED -e LEAKED=2 -- sh -c 'echo $LEAKED')"
locked '[network]' 'deny = example.com'
like "a host" "$(user "$SBX" why --allow example.com example.com)" 'denied|locked.ini'
locked '[profile]' 'min-isolation = namespaces'
status "a weaker tier is refused" 125 user "$SBX" run --isolation landlock -- true

# --- what the file may not say, and who may write it
for line in '[network]|allow = example.com' '[files]|write = /srv' '[profile]|extends = git' '[limits]|memory = unlimited' \
	'[network]|deny =' '[syscalls]|allow = ptrace'; do
	locked "${line%%|*}" "${line#*|}"
	like "loosens: $line" "$(refused)" "locked.ini:2: .* can loosen a box; this file only tightens.*125"
done
locked '[network]' 'mod = none'
like "an unknown key" "$(refused)" "locked.ini:2: unknown key 'mod'.*125"
locked '[network]' 'mode = none'
chmod 666 $file
like "writable by others" "$(refused)" 'locked.ini: is writable by others; chmod go-w .*125'
chmod 644 $file && chown 12345 $file
like "not root's" "$(refused)" 'locked.ini: belongs to uid 12345, expected root.*125'
chown 0 $file && chmod 600 $file
status "what cannot be read lets nothing run" 125 user "$SBX" run -- true
chmod 644 $file && chmod 777 /etc/sbx
like "a directory that others write" "$(refused)" '/etc/sbx: is writable by others.*125'
chmod 755 /etc/sbx && mv $file $file.x && ln -s locked.ini.x $file
status "a link" 125 user "$SBX" run -- true
rm $file && mkfifo $file
refused_as "a FIFO" "is not a regular file" timeout 20 setpriv --reuid 12345 --regid 12345 --clear-groups -- "$SBX" run -- true
rm $file && mv $file.x $file
chown -R 0:0 "$HOME" "$project"
is "for root it holds, too" 1 "$("$SBX" run --network host -- cat /proc/net/dev | grep -c :)"
status "a box in a box" 0 "$SBX" run --allow-syscalls namespaces --read "$SBX" -- "$SBX" run -- true
chown -R 12345:12345 "$HOME" "$project"
status "a box in a box, as a user" 0 user "$SBX" run --allow-syscalls namespaces --read "$SBX" -- "$SBX" run -- true
done_testing
