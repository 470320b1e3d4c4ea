#!/bin/bash
# scratch, patterns, sockets, devices: what they give, and that they give no more.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home
mkdir -p "$HOME"
project=$(new_project)
cd "$project" || exit 1
box() { "$SBX" run "$@" 2>"$work/log"; }

mkdir -p "$work/data/sub" "$work/data/gone" && echo one >"$work/data/a" && echo key >"$work/data/sub/key" && echo x >"$work/data/gone/f"
hash=$(tree_hash "$work/data")
out=$(box --overlay "$work/data" -- bash -c "cd $work/data && cat a && echo two >a && cat a && rm -r gone && ls && mkdir new && echo y >new/f && cat new/f")
if grep -q 'needs 6.6\|Linux 6.6' "$work/log"; then
	skip "scratch" "this kernel's tmpfs has no extended attributes"
else
	is "scratch: reads through, writes, removes; the host has what it had" "one two a sub y $hash" "$(echo $out) $(tree_hash "$work/data")"
	is "scratch: thrown away" "one" "$(box --overlay "$work/data" -- cat "$work/data/a")"
	is "scratch: what is hidden below stays hidden" 1 "$(box --overlay "$work/data" --hide "$work/data/sub/key" -- cat "$work/data/sub/key"; echo $?)"
	is "scratch: also when moved" "tried" "$(box --overlay "$work/data" --hide "$work/data/sub/key" -- bash -c "cd $work/data; mv sub other; cat other/key sub/key; echo tried")"
	hash=$(tree_hash .)
	is "scratch over the project: the host has what it had" "evil $hash" "$(box --overlay . -- bash -c 'echo evil >file; mkdir .vscode; git config core.fsmonitor x; rm -rf d; cat file') $(tree_hash .)"
	printf '[profile]\nextends = default\n[files]\noverlay = .\n' >"$work/scratch.ini"
	is "scratch over the project, by a profile: the host has what it had" "evil $hash" "$(box -p "$work/scratch.ini" -- bash -c 'echo evil >file; mkdir .vscode; echo >.git/hooks/x; rm -rf d; cat file') $(tree_hash .)"
	is "and written to by a flag: protected all the same" "1 $hash" "$(box -p "$work/scratch.ini" --write . -- bash -c 'echo >.git/hooks/x'; echo $? "$(tree_hash .)")"
	is "scratch: limited by tmp" 1 "$(box --tmp-size 1M --overlay "$work/data" -- bash -c "head -c 4M /dev/zero >$work/data/big"; echo $?)"
fi
status "scratch of a file" 125 "$SBX" run --overlay "$work/data/a" -- true
status "scratch of nothing" 125 "$SBX" run --overlay "$work/none" -- true
status "scratch of the root" 125 "$SBX" run --overlay / -- true
status "a mount in a scratch directory" 7 "$SBX" run --overlay "$work/data" --read "$work/data/sub" -- sh -c 'exit 7'

mkdir -p a/b node_modules/x && echo secret | tee .env a/b/.env.local a/key.pem a/b/deep.pem node_modules/x/.env >/dev/null
denied "hide **/.env*" run --hide '**/.env*' -- 'cat .env a/b/.env.local node_modules/x/.env'
is "hide ./a/*.pem: there, and not below" "secret" "$(box --hide './a/*.pem' -- cat a/key.pem a/b/deep.pem)"
denied "hide by a pattern: cannot be moved away with its directory" run --hide '**/.env*' -- 'mv a x; mv a/b y; cat x/b/.env.local y/.env.local'
echo key >.mcp.json
printf '[profile]\nextends = default\n[files]\nhide-unless-named = ./.mcp.json\n' >"$work/secret.ini"
is "a secret that is protected is a secret" 1 "$(box -p "$work/secret.ini" -- cat .mcp.json; echo $?)"
is "until it is named" key "$(box -p "$work/secret.ini" --read ./.mcp.json -- cat .mcp.json)"
rm .mcp.json
mkdir s && echo part >s/part && echo rest >s/rest
is "a secret with a named part: the part alone" "part" "$(box --hide-unless-named ./s --read ./s/part -- cat s/part s/rest)"
is "also when it is protected" "part" "$(box --protect ./s --hide-unless-named ./s --read ./s/part -- cat s/part s/rest)"
is "what was named before is not" "part" "$(box --read ./s/rest --hide-unless-named ./s --read ./s/part -- cat s/part s/rest)"
is "and what is hidden as well is hidden" 2 "$(box --hide ./s --hide-unless-named ./s --read ./s/part -- ls s; echo $?)"
rm -r s
printf '[profile]\nextends = default\n[files]\nread = ./.git\n' >"$work/git.ini"
is "git's directory, read-only by a profile" 1 "$(box -p "$work/git.ini" -- touch .git/new; echo $?)"

# A link that an earlier command made leads no later option out of where it could write.
mkdir -p "$HOME/private" && echo key >"$HOME/private/key" && mkdir -p "$work/data/in"
box --write "$work/data" -- bash -c "ln -s $HOME/private planted; ln -s $HOME/private $work/data/planted; ln -s ../a/b a/inside; ln -s in $work/data/same"
for words in "--read ./planted" "--write planted" "--overlay ./planted" "--read planted/key" "--write $work/data --read $work/data/planted"; do
	# shellcheck disable=SC2086
	box $words -- true
	ended "${words//$work/}: a planted link is refused" 125 "is reached by the symlink '.*/planted', which a command in a box could have made" "$work/log"
done
is "its target by its own name" key "$(box --read "$HOME/private" -- cat planted/key)"
is "a link that stays inside is followed" there "$(box --read ./a/inside --write "$work/data" --read "$work/data/same" -- sh -c 'test -d a/inside && echo there')"
rm planted "$work/data/planted"

# What an earlier command shut, a later one could open again: hidden all the same.
for name in '**/.env*' './a/b/*.local' ./a/b; do
	chmod 000 a/b .env
	denied "hide $name: nothing of what is shut" run --hide "$name" --hide ./.env -- 'chmod 700 a/b a/b/.env.local .env; cat a/b/.env.local .env'
done
chmod 700 a/b && chmod 600 .env
ln -s "$HOME" a/link && echo secret >"$HOME/.env"
is "a pattern follows no link" ran "$(box --hide '**/.env*' -- echo ran)"
status "a pattern out of the project" 125 "$SBX" run --hide '/etc/*' -- true
status "a pattern with two stars in the way" 125 "$SBX" run --hide '**/a/*.pem' -- true
mkdir many && (cd many && seq 1700 | sed 's/$/.env/' | xargs touch)
refused_as "more matches than a plan can have" 'more than 1536 paths in one plan' "$SBX" run --hide '**/*.env' -- true
rm -r many
mkdir wide && (cd wide && seq 90000 | xargs touch) && mkdir -p wide/z/conf && echo PW >wide/z/conf/keystore.jks
# What the last command took of the processors, in milliseconds: other work does not count.
TIMEFORMAT='%3U %3S'
milliseconds() { tr -d . <"$work/time" | awk '{ print $1 + $2 }'; }
is "without a pattern the file is readable" PW "$(box -- cat wide/z/conf/keystore.jks)"
denied "90,000 files: a pattern finds its file" run --hide '**/*.jks' -- 'cat wide/z/conf/keystore.jks'
for i in $(seq 14); do printf -- "--hide\n**/*.nothing$i\n"; done >"$work/patterns"
mapfile -t patterns <"$work/patterns"
{ time box -- true; } 2>"$work/time"
none=$(milliseconds)
{ time out=$(box "${patterns[@]}" --hide '**/*.jks' -- sh -c 'cat wide/z/conf/keystore.jks 2>/dev/null; echo tried'); } 2>"$work/time"
is "and as the last of fifteen, of which the others have no file, with all of it searched" "tried" "$out$(cat "$work/log")"
is "in 0.3 s more than without a pattern" "tried yes" "$out $([ "$(milliseconds)" -lt $((none + 300)) ] && echo yes || echo "$(milliseconds) ms, without: $none ms")"
rm -r wide
deep=$(printf 'd/%.0s' $(seq 70))
mkdir -p "$deep" && echo PW >"$deep/a.jks" && echo fine >d/fine
like "what is too deep to be searched is hidden as a whole, and said" "$(box --hide '**/*.jks' -- sh -c "cat $deep/a.jks d/fine" 2>&1; cat "$work/log")" "cannot be searched for '\*\*/\*\.jks' and is hidden as a whole"
is "and not readable" fine "$(box --hide '**/*.jks' -- sh -c "cat $deep/a.jks d/fine" 2>/dev/null)"
rm -r d

serve() { python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); time.sleep(20)' "$1" & server=$!; while [ ! -S "$1" ]; do sleep 0.02; done; }
reach="import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect('$work/data/socket'); print('reached')"
serve "$work/data/socket"
is "--socket" reached "$(box --socket "$work/data/socket" -- python3 -c "$reach")"
denied "without --socket" run -- "python3 -c \"$reach\""
kill $server
wait $server 2>/dev/null
status "--socket of a file" 125 "$SBX" run --socket "$work/data/a" -- true
status "--socket of nothing" 125 "$SBX" run --socket "$work/none" -- true
is "--socket '?...' of nothing" ran "$(box --socket "?$work/none" -- echo ran)"

is "--device by name" there "$(box --device null --device /dev/zero -- sh -c 'test -c /dev/zero && echo there')"
if [ -c /dev/rtc0 ]; then
	is "--device: one more" "crw" "$(box --device rtc0 -- stat -c %A /dev/rtc0 | cut -c1-3)"
elif [ -c /dev/loop-control ] || [ -c /dev/fuse ]; then
	is "--device: one more" "crw" "$(box --device "?fuse" --device "?loop-control" -- bash -c 'stat -c %A /dev/fuse /dev/loop-control 2>/dev/null' | cut -c1-3 | head -1)"
else
	skip "--device: one more" "no device to try"
fi
for device in mem /dev/kmem ../etc/passwd /etc/passwd /dev/../etc nothing-here loop0 sda vda shm/x shm pts hugepages mqueue; do
	status "--device $device" 125 "$SBX" run --device "$device" -- true
done
for directory in /dev/net /dev/cpu /dev/dri /dev/snd; do
	[ -d $directory ] || continue
	like "--device of a directory is read-only" "$(box --device $directory -- grep " $directory " /proc/mounts)" " ro,nosuid"
	break
done
exec 9<"$work/data/a"
is "--preserve-fd" one "$(box --preserve-fd 9 -- bash -c 'cat <&9')"
exec 9<&-
# What is mounted below a directory is bound with it, and is as restricted; nothing that the host mounts
# later comes in.
mkdir -p "$work/shelf/sub"
cat >"$work/mounted.sh" <<'END'
mount -t tmpfs none "$1/shelf/sub" && "$SBX" run --read "$1/shelf" -- awk -v at="$1/shelf" '
	index($5, at) == 1 { print $6, $7 }' /proc/self/mountinfo
END
if unshare -Urm --propagation shared true 2>/dev/null; then
	is "what is mounted below a readable directory is read-only, too, and private" "ro,nosuid,nodev - ro,nosuid,nodev -" \
		"$(unshare -Urm --propagation shared sh "$work/mounted.sh" "$work" 2>&1 | sed 's/,relatime//; s/,noatime//' | xargs)"
else
	skip "what is mounted below a readable directory" "unshare makes no user namespace here"
fi

# A mount covers one name of a file.
mkdir "$work/linked" && cd "$work/linked" || exit 1
echo s >secret && ln secret other && echo e >.envrc
is "one name: nothing to say" ran "$("$SBX" run --hide ./.envrc -- echo ran 2>&1)"
like "a hidden file with other names is told" "$("$SBX" run --hide ./secret -- true 2>&1)" "'$work/linked/secret' is hidden, but the file has 1 more names? \\(hard links\\)"
ln .envrc one && ln .envrc two
like "and a protected one" "$("$SBX" run -- true 2>&1)" "/.envrc' is protected, but the file has 2 more names \\(hard links\\)"
is "not one that is nowhere kept from the box" ran "$("$SBX" run --no-protect -- echo ran 2>&1)"
is "nor one that the box may write" ran "$("$SBX" run --no-protect --project read --write ./secret -- echo ran 2>&1)"
git init -q . && ln .git/config kept
like "a configuration that the box has a copy of, too" "$("$SBX" run -- true 2>&1)" "/.git/config' is protected, but the file has 1 more name \\(hard links\\)"
mkdir .vscode && echo {} >.vscode/tasks.json && ln .vscode/tasks.json tasks && "$SBX" run -- true 2>/dev/null
like "a file in a protected directory is reported when the box writes its other name" \
	"$("$SBX" run -- sh -c 'echo x >>tasks' 2>&1)" "changed, and your own programs will run it: .vscode/tasks.json"
is "and not when it does not" "ran" "$("$SBX" run -- echo ran 2>&1 | grep 'tasks\|ran')"

# What a program of the host would write or read through a link that the box left.
mkdir -p "$work/person/project" "$work/person/seen" && cd "$work/person/project" || exit 1
linked() { # text of a link: what is told of it
	rm -f link
	HOME=$work/person "$SBX" run --read "$work/person/seen" -- sh -c "ln -s $1 link; sleep 0.2; echo made" 2>&1 | grep -oE "^made|^sbx: link is a new symlink to '$1', which the box could not see" | cut -d' ' -f-2 | xargs
}
for text in "$work/person/.ssh/id" ../.bashrc .. / "$work" x/../../y /proc/self/root/etc; do
	is "a link to $text is told" "made sbx: link" "$(linked "$text")"
done
for text in . file ../project/file "$work/person/project/x" ../seen/file /usr/bin/python3 /tmp/x; do
	is "one to $text is not" "made" "$(linked "$text")"
done
ln -sfn ../.bashrc link && sleep 0.1 # another tick of the clock of files
is "nor one that was there" ran "$(HOME=$work/person "$SBX" run -- sh -c 'sleep 0.2; echo ran' 2>&1)"
rm link
like "of many the first" "$(HOME=$work/person "$SBX" run -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do ln -s .. $i; done; sleep 0.2' 2>&1 | tail -1)" '^sbx: and 1 more such symlinks?$'
# --- a tmpfs with a size and a mode
is "a tmpfs has its mode" "drwx------" "$("$SBX" run --tmpfs "$work/data:size=1M,mode=0700" -- stat -c %A "$work/data")"
like "and its size" "$("$SBX" run --tmpfs "$work/data:size=1M" -- sh -c "head -c 3M /dev/zero >$work/data/x; stat -c %s $work/data/x" 2>&1)" \
	'^1048576$'
like "never more than tmp-size" "$("$SBX" run --tmp-size 1M --tmpfs "$work/data:size=1G" -- sh -c "head -c 3M /dev/zero >$work/data/x" 2>&1)" 'No space'
is "it can be written" 1 "$("$SBX" run --tmpfs "$work/data:size=1M" -- sh -c "echo 1 >$work/data/x; cat $work/data/x")"
like "the plan shows both" "$("$SBX" plan --tmpfs "$work/data:size=1M,mode=0700" -- true)" "tmpfs +$work/data size=1M mode=0700"
like "an unknown option" "$("$SBX" run --tmpfs "$work/data:exec=1" -- true 2>&1)" "is not valid, expected PATH"
mkdir "$work/with:colon"
is "a colon of the path's own" "." "$("$SBX" run --tmpfs "$work/with:colon" -- find "$work/with:colon" -printf '%P.\n')"

done_testing
