#!/bin/bash
# plan, profile, doctor, help; man pages and completions against the table of keys.
. "$(dirname "$0")/../lib.sh"
project=$(new_project)
cd "$project" || exit 1
build=$(dirname "$(dirname "$SBX")")

for verb in run shell plan profile doctor; do
	status "$verb --help" 0 "$SBX" $verb --help
	is "$verb --help fits 80 columns" "" "$("$SBX" $verb --help | awk 'length > 80')"
done
status "--help" 0 "$SBX" --help
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
is "doctor --json is JSON" "['ok']" "$("$SBX" doctor --json | python3 -c 'import json, sys; print([f["state"] for f in json.load(sys.stdin) if f["wall"] == "system call filter"])')"
like "doctor names the caller's capabilities, and the command's" "$("$SBX" doctor)" '^ok +capabilities +yours: .*; the command.s: none;'
like "plan too" "$(cd / && "$SBX" plan --project none -- true)" '^  yours      (none|.*[=+].*)$'
is "plan --json too" "none True" "$(cd / && "$SBX" plan --project none --json -- true | python3 -c 'import json, sys; plan = json.load(sys.stdin); print(plan["command_capabilities"], plan["caller_capabilities"] not in ("", "unreadable"))')"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	one=(setpriv --reuid 65534 --clear-groups "--inh-caps=-all,+net_raw" --ambient-caps +net_raw env HOME=/)
	like "doctor names a single one" "$("${one[@]}" "$SBX" doctor)" 'yours: cap_net_raw=eip; .*--guard needs more$'
	like "and none" "$(setpriv --reuid 65534 --clear-groups --inh-caps=-all env HOME=/ "$SBX" doctor)" 'yours: none;'
	like "and all" "$("$SBX" doctor)" 'yours: =.*; .*--guard may be loaded$'
fi
mkdir "$work/bin" && printf '#!/bin/sh\n' >"$work/bin/sbx" && chmod +x "$work/bin/sbx"
like "doctor notices another sbx" "$(PATH=$work/bin:$PATH "$SBX" doctor)" "another program: $work/bin/sbx"
like "doctor tries an overlay" "$("$SBX" doctor)" '^ok +sessions '
mkdir -p "$HOME/own-tools" "$HOME/.local/bin"
like "doctor names directories of PATH that no box has" "$(PATH=$HOME/.local/bin:$HOME/own-tools:$PATH "$SBX" doctor)" "not in a box: $HOME/own-tools\$"
like "doctor recommends that git uses no bare repository by itself" "$("$SBX" doctor | grep -A1 '^weak *git ')" '-> git config --global safe.bareRepository explicit$'
mkdir -p "$work/explicit" && printf '[safe]\n\tbareRepository = explicit\n' >"$work/explicit/.gitconfig"
like "and is content with it" "$(HOME=$work/explicit XDG_CONFIG_HOME=$work/explicit "$SBX" doctor)" '^ok +git '
SBX_TEST_FAIL=ids status "doctor says what is missing" 125 "$SBX_TESTING" doctor
like "doctor names the wall" "$(SBX_TEST_FAIL=ids "$SBX_TESTING" doctor)" 'MISSING +user ids'

# one table: every key is in the manual, every flag in help, man and completions
keys=$("$SBX" profile keys | sed -n 's/^\([a-z-]*\) = .*/\1/p')
flags=$("$SBX" run --help | grep -o -- '--[a-z][a-z-]*' | sort -u | grep -v -- '--help')
is "there are keys" 1 "$([ "$(echo "$keys" | wc -l)" -ge 20 ] && echo 1)"
for key in $keys; do
	grep -q "^.fB$key.fR = " "$build/man/sbx.ini.5" || fail "key $key is in sbx.ini.5"
done
pass "every key was looked up in sbx.ini.5"
for flag in $flags; do
	roff=$(printf '%s' "$flag" | sed 's/-/\\\\-/g')
	grep -q "$roff" "$build/man/sbx.1" || fail "$flag is in sbx.1"
	grep -q -- "$flag " "$build/completions/sbx" || fail "$flag is in bash completion"
	grep -q -- "$flag" "$build/completions/_sbx" || fail "$flag is in zsh completion"
	grep -q -- "-l ${flag#--}\( \|$\)" "$build/completions/sbx.fish" || fail "$flag is in fish completion"
done
pass "every flag was looked up in man page and completions"
status "bash completion parses" 0 bash -n "$build/completions/sbx"
is "bash completion completes" "--network" "$(bash -c '. "$0"; COMP_WORDS=(sbx run --netw); COMP_CWORD=2; _sbx 2>/dev/null; echo "${COMPREPLY[@]}"' "$build/completions/sbx")"
# what bash offers for words of sbx, the last of which is begun
mkdir -p "$work/path" && ln -sf "$SBX" "$work/path/sbx"
offers() { PATH=$work/path:$PATH bash -c '. "$0"; COMP_WORDS=(sbx "$@"); COMP_CWORD=$#; _sbx 2>/dev/null; echo "${COMPREPLY[@]}"' "$build/completions/sbx" "$@"; }
is "profiles are completed" "claude-code claude-code-shell" "$(offers run -p claude)"
is "groups of hosts are" "@npm" "$(offers run -a @np)"
is "agents are" "opencode" "$(offers agent install openc)"
is "actions are" "install" "$(offers agent ins)"
is "languages are, all of them" "$("$SBX" code -l none -c x 2>&1 | sed 's/.*expected one of //' | tr ' ' '\n' | sort | xargs)" "$(offers code -l "" | tr ' ' '\n' | sort | xargs)"
like "groups are listed with what they lead to" "$("$SBX" profile groups)" '^@github +[a-z.]+: '
is "every agent is listed" 8 "$("$SBX" agent list | wc -l)"
is "no line of help is wider than a terminal" "" "$({ "$SBX" --help; for verb in run session agent learn code why; do "$SBX" $verb --help; done; } | grep '.\{81\}' | grep -v '^usage')"
for page in sbx.1 sbx.ini.5 sbx.7; do
	if command -v mandoc >/dev/null; then
		is "$page is clean" "" "$(mandoc -T lint -W warning "$build/man/$page" 2>&1)"
	else
		skip "$page is clean" "mandoc is not installed"
	fi
done
done_testing
