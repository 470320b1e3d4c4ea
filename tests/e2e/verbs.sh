#!/bin/bash
# plan, profile, doctor, help; man pages against the table of keys.
. "$(dirname "$0")/../lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
project=$(new_project)
cd "$project" || exit 1
build=$(dirname "$(dirname "$SBX")")

for verb in run shell plan profile doctor; do
	status "$verb --help" 0 "$SBX" $verb --help
	is "$verb --help fits 80 columns" "" "$("$SBX" $verb --help | awk 'length > 80')"
done
status "--help" 0 "$SBX" --help
for words in "" --help help "run --help" "help run" "shell --help"; do
	# shellcheck disable=SC2086
	is "sbx $words: one screen, 24 lines of 80 columns" "" "$("$SBX" $words | awk 'length > 80 { print } END { if (NR > 24) print NR }')"
done
for flag in allow read write profile command session review network host-port publish pass-env memory timeout; do
	like "the first screen has --$flag" "$("$SBX")" "--$flag\\b"
done
is "help of a verb says nothing of other verbs" "" "$("$SBX" session --help | grep -E '\(agent|\(code')"
status "sbx help VERB WORD: not another word than all" 125 "$SBX" help run everything
like "--version" "$("$SBX" --version)" '^sbx [0-9]+\.[0-9]+\.[0-9]+$'
before=$(tree_hash .)
status "plan" 0 "$SBX" plan -- make
status "plan without a command" 0 "$SBX" plan
is "plan changes nothing" "$before" "$(tree_hash .)"
is "plan --json is JSON" "make" "$("$SBX" plan --json -- make | python3 -c 'import json, sys; print(json.load(sys.stdin)["command"][0])')"
is "plan --json with odd bytes" 2 "$("$SBX" plan --json -- $'a"\\\n\e' $'\xff\xfe' | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["command"]))')"
like "plan tells what is withheld" "$(GH_TOKEN=x "$SBX" plan)" 'withheld +GH_TOKEN: '
like "profile list" "$("$SBX" profile list)" '^default '
like "profile show" "$("$SBX" profile show default)" 'project = write'
like "profile show --resolved" "$("$SBX" profile show --resolved default)" 'hide = /etc/shadow'
printf '[files]\nread = /usr\n' >"$work/good.ini"
status "profile check of a good one" 0 "$SBX" profile check "$work/good.ini"
printf '[syscalls]\nallow = nothing\n' >"$work/bad.ini"
status "profile check of a bad one" 125 "$SBX" profile check "$work/bad.ini"
status "profile without an action" 125 "$SBX" profile
for name in base default offline; do
	status "built-in $name passes its own check" 0 "$SBX" run -p $name --project none true
done
mkdir -p "$work/home/.config/sbx"
printf '[profile]\nextends = default\n[process]\nhostname = mine\n' >"$work/home/.config/sbx/default.ini"
is "a user's default extends the built-in one" mine "$(HOME=$work/home "$SBX" run hostname)"
printf '[files]\nread =\nread = /usr\nread = ?/lib\nread = ?/lib64\nread = ?/bin\n[profile]\nextends = base\n' >"$work/small.ini"
is "an empty value empties a list" 1 "$("$SBX" run -p "$work/small.ini" ls /etc >/dev/null 2>&1; [ $? != 0 ] && echo 1)"
status "doctor" 0 "$SBX" doctor
is "doctor --json is JSON" "['ok']" "$("$SBX" doctor --json | python3 -c 'import json, sys; print([f["state"] for f in json.load(sys.stdin)["walls"] if f["wall"] == "system call filter"])')"
like "doctor names the caller's capabilities, and the command's" "$("$SBX" doctor)" '^ok +capabilities +yours: .*; the command.s: none;'
like "plan too" "$(cd / && "$SBX" plan --project none -- true)" '^  yours      (none|.*[=+].*)$'
is "plan --json too" "none True" "$(cd / && "$SBX" plan --project none --json -- true | python3 -c 'import json, sys; plan = json.load(sys.stdin); print(plan["command_capabilities"], plan["caller_capabilities"] not in ("", "unreadable"))')"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	one=(setpriv --reuid 65534 --clear-groups "--inh-caps=-all,+net_raw" --ambient-caps +net_raw env HOME=/)
	like "doctor names a single one" "$("${one[@]}" "$SBX" doctor)" 'yours: cap_net_raw=eip; .*--bpf needs more$'
	like "and none" "$(setpriv --reuid 65534 --clear-groups --inh-caps=-all env HOME=/ "$SBX" doctor)" 'yours: none;'
	like "and all" "$("$SBX" doctor)" 'yours: =.*; .*--bpf may be loaded$'
fi
mkdir "$work/bin" && printf '#!/bin/sh\n' >"$work/bin/sbx" && chmod +x "$work/bin/sbx"
like "doctor notices another sbx" "$(PATH=$work/bin:$PATH "$SBX" doctor)" "another program: $work/bin/sbx"
like "doctor tries an overlay" "$("$SBX" doctor)" '^ok +sessions '
mkdir -p "$HOME/own-tools" "$HOME/.local/bin"
for tool in 1 2 3 4 5 6 7 sh; do
	printf '#!/bin/sh\n' >"$HOME/own-tools/own-tool-$tool" && chmod +x "$HOME/own-tools/own-tool-$tool"
done
mv "$HOME/own-tools/own-tool-sh" "$HOME/own-tools/sh" # another of that name is there
seven=$(PATH=$PATH:$HOME/own-tools "$SBX" doctor)
like "doctor counts programs of PATH that no box has, and names five" "$seven" '^weak +PATH +a box does not have 7 of your programs: (own-tool-[1-7], ){4}own-tool-[1-7] and 2 more$'
like "with a command that shows them" "$(PATH=$PATH:$HOME/own-tools sh -c "$(printf '%s\n' "$seven" | sed -n "s|.*fix: sbx run -r|'$SBX' run -r|p") && echo done")" '^done$'
is "it ends with one line of result" 1 "$(printf '%s\n' "$seven" | tail -1 | grep -c '^Result: boxes work here; [0-9]* things* could be better')"
like "doctor recommends that git uses no bare repository by itself" "$("$SBX" doctor | grep -A1 '^weak *git ')" 'fix: git config --global safe.bareRepository explicit$'
mkdir -p "$work/explicit" && printf '[safe]\n\tbareRepository = explicit\n' >"$work/explicit/.gitconfig"
like "and is content with it" "$(HOME=$work/explicit XDG_CONFIG_HOME=$work/explicit "$SBX" doctor)" '^ok +git '
SBX_TEST_FAIL=ids status "doctor says what is missing" 125 "$SBX_TESTING" doctor
like "and the result" "$(SBX_TEST_FAIL=ids "$SBX_TESTING" doctor | tail -1)" '^Result: no box can be made here: [0-9]* of the layers are missing\.$'
like "doctor names the wall" "$(SBX_TEST_FAIL=ids "$SBX_TESTING" doctor)" 'MISSING +user ids'

# A failure that is tolerated leaves no text behind, which the next real one would be reported with.
mkdir -p "$work/broken/.git" && printf '[core\n' >"$work/broken/.git/config" && ln -s loop "$work/broken/.envrc"
for words in doctor "plan -- true" "profile list" "session list" "agent status" "quarantine list" ps "why ./x /etc/shadow"; do
	is "sbx $words leaves no error behind" "" "$("$SBX_TESTING" $words 2>&1 | grep 'left behind')"
done
is "nor does a project that git cannot read" "" "$(cd "$work/broken" && "$SBX_TESTING" plan -- true 2>&1 | grep 'left behind')"

# one table: every key is in the manual, every flag in help and man
keys=$("$SBX" profile keys | sed -n 's/^\([a-z-]*\) = .*/\1/p')
flags=$("$SBX" run --help all | grep -o -- '--[a-z][a-z-]*' | sort -u | grep -vx -e --help)
is "there are keys" 1 "$([ "$(echo "$keys" | wc -l)" -ge 20 ] && echo 1)"
for key in $keys; do
	grep -q "^.fB$key.fR = " "$build/man/sbx.ini.5" || fail "key $key is in sbx.ini.5"
done
pass "every key was looked up in sbx.ini.5"
for flag in $flags; do
	roff=$(printf '%s' "$flag" | sed 's/-/\\\\-/g')
	grep -q "$roff" "$build/man/sbx.1" || fail "$flag is in sbx.1"
done
pass "every flag was looked up in the man page"
# Names that went: each says what to do instead.
like "a verb that went" "$("$SBX" ls --json 2>&1)" "^sbx: no verb 'ls': the runs that go on now: sbx ps; "
like "an option that went" "$("$SBX" audit --runs 2>&1)" "^sbx: no option '--runs': the runs that go on now: sbx ps$"
like "groups are listed with what they lead to" "$("$SBX" profile groups)" '^@github +[a-z.]+: '
is "every agent is listed" 8 "$("$SBX" agent list | wc -l)"
is "no line of help is wider than a terminal" "" "$({ "$SBX" --help; for verb in run session agent learn code why; do "$SBX" $verb --help; "$SBX" $verb --help all; done; } | grep '.\{81\}' | grep -v '^usage')"
for page in sbx.1 sbx.ini.5 sbx.7; do
	if command -v mandoc >/dev/null; then
		is "$page is clean" "" "$(mandoc -T lint -W warning "$build/man/$page" 2>&1)"
	else
		skip "$page is clean" "mandoc is not installed"
	fi
done
done_testing
