#!/bin/bash
# A project's own profile, .sbx.ini: only tightens until its text is trusted. Rule 12.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
mkdir -p "$HOME" "$XDG_CONFIG_HOME/sbx"
project=$(new_project)
cd "$project" || exit 1
mkdir -p "$work/data" && echo secret >"$work/data/s" && echo key >file.key
box() { "$SBX" run "$@" 2>"$work/log"; }

refused_as "no file: nothing to trust" "there is nothing to trust" "$SBX" profile trust
for line in "files read $work/data" "files write $work/data" "files cache ~/x" "files overlay $work/data" "files tmpfs ~/y" \
	"files socket ?$work/s" "files device null" "files hide " "network mode host" "limits tmp-size 3G" "limits core-size unlimited" \
	"syscalls allow io_uring" "environment pass GH_TOKEN" "environment set A=B" "process hostname x" \
	"process preserve-fd 9" "profile extends offline" "limits pids 5000" "syscalls deny "; do
	read -r section key value <<<"$line"
	printf '[%s]\n%s = %s\n' "$section" "$key" "$value" >.sbx.ini
	like "untrusted $key = ${value//$work/}: ignored, and told" "$(box -- true; echo $?; cat "$work/log")" "sbx: .sbx.ini:2: '$key = .*' loosens the box and is ignored until you trust this file"
done
before=$("$SBX" plan -- true)
for line in "files project read" "files hide ./file.key" "files hide **/*.key" "files protect ./file" "network mode none" "limits timeout 5s" \
	"limits pids 100" "limits io ?900M" "limits tmp-size 1M" "syscalls deny ptrace" "environment mode minimal" "environment unset LANG" \
	"profile description text"; do
	read -r section key value <<<"$line"
	printf '[%s]\n%s = %s\n' "$section" "$key" "$value" >.sbx.ini
	is "untrusted $key = $value: applied in silence" "ran " "$(box -- echo ran) $(cat "$work/log")"
done
printf '[limits]\npids = ?90\n' >.sbx.ini
like "what was strict becomes no wish" "$("$SBX" run --report never -p default -- true 2>&1; printf '[profile]\nextends = default\n[limits]\npids = 100\n' >"$work/strict.ini"; "$SBX" plan -p "$work/strict.ini" -- true 2>&1)" "'pids = .90' loosens the box"
# What the profile sets may switch something off: it stays. What it passes is taken.
printf '[profile]\nextends = default\n[environment]\nset = A_SWITCH=off\npass = A_THING\n' >"$work/variables.ini"
printf '[environment]\nunset = A_SWITCH\nunset = A_THING\n' >.sbx.ini
is "untrusted unset" off-none "$(A_THING=1 "$SBX" run -p "$work/variables.ini" sh -c 'echo ${A_SWITCH-none}-${A_THING-none}')"
"$SBX" profile trust >/dev/null
is "trusted unset" none-none "$(A_THING=1 "$SBX" run -p "$work/variables.ini" sh -c 'echo ${A_SWITCH-none}-${A_THING-none}')"
"$SBX" profile untrust >/dev/null
printf '[files]\nhide = ./file.key\n' >.sbx.ini
is "untrusted hide works" 1 "$(box -- cat file.key; echo $?)"
# What only takes away shows nothing: no file of the host appears in the box by being named there.
mkdir -p "$HOME/.ssh" "$HOME/apart" && echo key | tee "$HOME/.ssh/id" >"$HOME/apart/key" && ln -s "$HOME/apart" "$HOME/link"
for name in "$HOME/.ssh/id" "$HOME/.ssh" "$HOME/apart/key" "$HOME" "$HOME/link/key" "$HOME/link" ./to-apart ./to-apart/key; do
	for key in protect hide hide-unless-named; do
		printf '[files]\n%s = %s\n' "$key" "$name" >.sbx.ini
		ln -sfn "$HOME/apart" to-apart
		denied "untrusted $key = ${name//$work/}: shows nothing" run -- "cat $HOME/.ssh/id $HOME/apart/key to-apart/key; ls $HOME/apart; readlink $HOME/link"
	done
done
rm to-apart
printf '[files]\nprotect = %s\n' "$HOME/apart/later" >.sbx.ini
(box -- sh -c 'touch begun; while [ ! -e on ]; do sleep 0.05; done') &
wait_for 10 test -e begun
echo mine >"$HOME/apart/later" && touch on && wait
is "and what the host makes meanwhile where the box is not stays" "mine begun" "$(cat "$HOME/apart/later") $(ls begun)"
rm begun on
printf '[files]\nproject = read\n' >.sbx.ini
is "untrusted project = read works" 1 "$(box -- touch new; echo $?)"
is "a flag of the user's wins" new "$(box --project write -- touch new; ls new)"
printf '[files]\nproject = write\n' >.sbx.ini
is "project = write does not loosen a tighter profile" 2 "$(box -p base -- ls file; echo $?)"
printf '[network]\nmode = bogus\n' >.sbx.ini
refused_as "a bad value is an error, trusted or not" "'bogus' is not valid" "$SBX" run -- true
printf '[files]\nnonsense = 1\n' >.sbx.ini
refused_as "so is an unknown key" "unknown key 'nonsense'" "$SBX" run -- true
printf '[files]\nread = %s\n' "$work/data" >.sbx.ini
like "status: not trusted, with its text" "$("$SBX" profile status)" '^\+read = '
"$SBX" profile trust >/dev/null
is "trusted: it loosens, in silence" "secret" "$(box -- cat "$work/data/s"; cat "$work/log")"
like "status: trusted" "$("$SBX" profile status)" ': trusted$'
echo "write = $work/data" >>.sbx.ini
is "changed: it does not loosen any more" 1 "$(box -- cat "$work/data/s"; echo $?)"
like "status: the change" "$("$SBX" profile status)" '^\+write = '
like "status: what stayed" "$("$SBX" profile status)" '^ read = '
"$SBX" profile trust >/dev/null
box -- bash -c "echo x >$work/data/s2"
is "trusted again" x "$(cat "$work/data/s2" 2>/dev/null)"
"$SBX" profile untrust
is "untrust" 1 "$(box -- cat "$work/data/s"; echo $?)"
"$SBX" profile trust >/dev/null
other=$(new_project)
cp .sbx.ini "$other/"
is "trust belongs to one project" 1 "$(cd "$other" && box -- cat "$work/data/s"; echo $?)"
mkdir sub
is "found from a directory below" secret "$(cd sub && box -- cat "$work/data/s" | head -1)"

hash=$(sha256sum <.sbx.ini)
is "never writable inside" "begun ended $hash" "$(attempt run -- 'echo "[network]" >>.sbx.ini; mv .sbx.ini x; rm -f .sbx.ini; echo y >z; mv z .sbx.ini') $(sha256sum <.sbx.ini)"
rm .sbx.ini
is "never made inside" "begun ended no" "$(attempt run -- 'printf "[network]\nmode = host\n" >.sbx.ini') $([ -e .sbx.ini ] && echo yes || echo no)"
is "the state of trust is out of reach" 1 "$(box --read "?$work/state" -- bash -c "echo x >$work/state/sbx/trust/x"; echo $?)"
ln -s /etc/passwd .sbx.ini
refused_as "a symlink" "is a symlink that is not followed" "$SBX" run -- true
rm .sbx.ini
mkfifo .sbx.ini
refused_as "a FIFO" "is not a regular file" timeout 60 "$SBX" run -- true
rm .sbx.ini
head -c 300000 /dev/zero >.sbx.ini
refused_as "too large" "larger than 256 KiB" "$SBX" run -- true
printf '[files]\nread = %s\n' "$work/data" >.sbx.ini
is "sbx-shell says nothing about it" ran "$(cd . && exec -a sbx-shell "$SBX" 'echo ran' 2>&1)"
printf '[nonsense]\nx = y\n' >.sbx.ini
like "a file that a run cannot read is not trusted" "$({ "$SBX" profile trust; echo "status $?"; } 2>&1 | paste -sd' ')" "nonsense.*status 125$"
printf '[network]\nmode = none\n' >.sbx.ini
like "nor was it before" "$("$SBX" profile status)" 'it can only tighten'
rm .sbx.ini

# --- what is trusted was shown, and what loosens is shown last
echo >.sbx.ini && "$SBX" profile untrust
long() { # first lines, last lines: 1,600 between them
	printf '%b' "$1"
	yes ';' | head -1600
	printf '%b' "$2"
}
long "[files]\nread = $work/data\n" '[network]\nallow = *\n' >.sbx.ini
shown=$("$SBX" profile status)
is "status: a long file is shown whole" "$(sed 's/^/+/' .sbx.ini)" "$(grep '^+' <<<"$shown")"
is "status: what loosens comes behind it" "line 2 loosens the box: [files] read = $work/data|line 1604 loosens the box: [network] allow = *" "$(sed -n '/^+allow/,$p' <<<"$shown" | grep '^line' | paste -sd'|')"
like "status as JSON: the same lines, and the text" "$("$SBX" profile status --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print([i["line"] for i in d["ignored"]], d["difference"].count("\n"))')" '^\[2, 1604\] 1604$'
"$SBX" profile trust >/dev/full 2>"$work/log"
is "trust that could not be shown is none, and says why" "125 1" "$? $(grep -c 'could not be shown whole' "$work/log")"
like "and was none" "$("$SBX" profile status)" 'not trusted'
shown=$("$SBX" profile trust)
like "trust: shown whole" "$(tail -4 <<<"$shown")" '^line 1604 loosens the box: \[network\] allow = \*$'
like "and trusted as the last line" "$(tail -1 <<<"$shown")" ': trusted as it is now$'
like "which is in force" "$("$SBX" why example.org)" 'can be reached'
long "[files]\nread = $work/data\nhide = ./file.key\n" '' >.sbx.ini
"$SBX" profile trust >/dev/null
{ printf '[network]\nallow = *\n'; long "[files]\nread = $work/data\n" ''; } >.sbx.ini
is "a change: what is gone, and what is new and loosens, stand last" "line 4 loosens the box: [files] read = $work/data|line 3 was there before, and is gone: [files] hide = ./file.key|line 2 loosens the box: [network] allow = *" \
	"$("$SBX" profile status | sed -n '/^[ +;-]*;$/d; /^line/p' | paste -sd'|')"
"$SBX" profile trust >/dev/null
printf '[network]\nallow = b.test\n' >>.sbx.ini && "$SBX" profile status >/dev/null && echo 'allow = c.test' >>.sbx.ini
like "another text than was shown: what loosens is shown last here, too" "$("$SBX" profile trust 2>/dev/null | tail -1)" 'allow = c.test$'
printf '[files]\nread = %s \342\200\213x\n' "$work/data" >.sbx.ini
like "what cannot be seen is shown" "$("$SBX" profile status)" '^line 2 .*<U\+200B>x$'
printf '[network]\nallow = *\n' >part.ini
printf '[profile]\nextends = default\nextends = ./part.ini\n' >.sbx.ini
like "a file that is not shown is not extended" "$("$SBX" profile trust 2>&1; echo $?)" "extends profiles by name, not files; copy the lines of './part.ini'"
refused_as "nor by a run" "extends profiles by name" "$SBX" run -- true
printf '[profile]\nextends = offline\n' >.sbx.ini
"$SBX" profile status >/dev/null
like "a profile by its name is" "$("$SBX" profile trust)" ': trusted as it is now$'
rm .sbx.ini part.ini
# What each run would refuse is not trusted.
while read -r section line; do
	printf '[%s]\n%s\n' "$section" "$line" >.sbx.ini
	like "not to be trusted: $line" "$("$SBX" profile trust 2>&1 >/dev/null; echo "status $?"; "$SBX" profile status | head -1)" '^sbx: .*
status 125
.*: not trusted'
done <<-'END'
	files read = /no/such/path
	files write = ~
	network allow = localhost:80
	network agent-key = listed
END
rm .sbx.ini

# Files of a repository are no profiles of the user's, wherever in it a variable says that they are.
mkdir -p conf/sbx deeper && printf '[profile]\nextends = default\n[files]\nproject = none\n[network]\nmode = host\n' >conf/sbx/none.ini
grep -v project conf/sbx/none.ini >conf/sbx/open.ini
for place in . deeper; do
	for profile in open none; do
		refused_as "the repository's own profile '$profile', in $place" "whose files would be your profiles" sh -c 'cd "$1" && XDG_CONFIG_HOME=$2/conf exec "$3" run -p "$4" -- true' sh "$place" "$PWD" "$SBX" "$profile"
	done
done
mkdir -p "$HOME/.config/sbx" "$HOME/.config/editor" && git init -q "$HOME/.config" && cp conf/sbx/open.ini "$HOME/.config/sbx"
is "those of the user's own, in a repository of dotfiles" ran "$(cd "$HOME/.config/editor" && XDG_CONFIG_HOME=$HOME/.config "$SBX" run -p open -- echo ran 2>&1)"
done_testing
