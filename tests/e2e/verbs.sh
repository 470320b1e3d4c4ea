#!/bin/bash
# plan, profile, doctor, help; man pages against the table of keys.
. "$(dirname "$0")/../lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
project=$(new_project)
cd "$project" || exit 1
build=$(dirname "$(dirname "$SBX")")

for flag in allow read write profile command session review network host-port publish pass-env memory timeout; do
	like "the first screen has --$flag" "$("$SBX")" "--$flag\\b"
done
refused_as "sbx help VERB WORD: not another word than all" "everything" "$SBX" help run everything
before=$(tree_hash .)
is "plan --json is JSON" "make" "$("$SBX" plan --json -- make | python3 -c 'import json, sys; print(json.load(sys.stdin)["command"][0])')"
is "plan without a command changes nothing" "network same" "$("$SBX" plan | grep -o ^network) $([ "$before" = "$(tree_hash .)" ] && echo same)"
is "plan --json with odd bytes" 2 "$("$SBX" plan --json -- $'a"\\\n\e' $'\xff\xfe' | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["command"]))')"
like "plan tells what is withheld" "$(GH_TOKEN=x "$SBX" plan)" 'withheld +GH_TOKEN: '
like "profile list" "$("$SBX" profile list)" '^default '
like "profile show" "$("$SBX" profile show default)" 'project = write'
like "profile show --resolved" "$("$SBX" profile show --resolved default)" 'hide = /etc/shadow'
printf '[syscalls]\nallow = nothing\n' >"$work/bad.ini"
printf '[files]\nread = /usr\n' >"$work/good.ini"
for line in 'write = ~' 'read = ~/no/such/thing' 'read = /no/such/thing' 'write = /etc'; do
	printf '[profile]\nextends = default\n[files]\n%s\n' "$line" >"$work/refused.ini"
	is "profile check refuses what run refuses: $line" "125 125 same" "$(echo $(checked=$("$SBX" profile check "$work/refused.ini" 2>&1); echo $?; ran=$("$SBX" run -p "$work/refused.ini" -- true 2>&1); echo $?; [ "$checked" = "$ran" ] && echo same))"
done
printf '[profile]\nextends = default\n[files]\nread = /not-there\n' >"$work/places.ini"
refused_as "profile check sees places, also where no project may be" "'/not-there' does not exist" env -C / "$SBX" profile check "$work/places.ini"
is "profile check of a good one and a bad one" "0 125" "$("$SBX" profile check "$work/good.ini" >/dev/null 2>&1; echo $?) $("$SBX" profile check "$work/bad.ini" >/dev/null 2>&1; echo $?)"
refused_as "profile without an action" "list" "$SBX" profile
for name in base default offline; do
	status "built-in $name passes its own check" 7 "$SBX" run -p $name --project none sh -c 'exit 7'
done
mkdir -p "$work/home/.config/sbx"
printf '[profile]\nextends = default\n[process]\nhostname = mine\n' >"$work/home/.config/sbx/default.ini"
is "a user's default extends the built-in one" mine "$(HOME=$work/home "$SBX" run hostname)"
printf '[files]\nread =\nread = /usr\nread = ?/lib\nread = ?/lib64\nread = ?/bin\n[profile]\nextends = base\n' >"$work/small.ini"
denied "an empty value empties a list" run -p "$work/small.ini" -- 'ls /etc'
is "doctor --json is JSON" "['ok']" "$("$SBX" doctor --json | python3 -c 'import json, sys; print([f["state"] for f in json.load(sys.stdin)["walls"] if f["wall"] == "system call filter"])')"
like "doctor names the caller's capabilities, and the command's" "$("$SBX" doctor)" '^ok +capabilities +yours: .*; the command.s: none;'
like "plan too" "$(cd / && "$SBX" plan --project none -- true)" '^  outside    (none|.*[=+].*)$'
is "plan --json too" "none True" "$(cd / && "$SBX" plan --project none --json -- true | python3 -c 'import json, sys; plan = json.load(sys.stdin); print(plan["command_capabilities"], plan["caller_capabilities"] not in ("", "unreadable"))')"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	one=(setpriv --reuid 65534 --clear-groups "--inh-caps=-all,+net_raw" --ambient-caps +net_raw env HOME=/)
	like "doctor names a single one" "$("${one[@]}" "$SBX" doctor)" 'yours: cap_net_raw=eip; .*--bpf needs more$'
	like "and none" "$(setpriv --reuid 65534 --clear-groups --inh-caps=-all env HOME=/ "$SBX" doctor)" 'yours: none;'
	mkdir -p "$work/others/mine" && git -C "$work/others" init -q && chown 65534 "$work/others/mine" && chmod 711 "$work/others"
	is "another user's directory above that cannot be listed: a run goes on" ran "$(cd "$work/others/mine" && setpriv --reuid 65534 --clear-groups --inh-caps=-all env HOME=/ "$SBX" run -- echo ran 2>/dev/null)"
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
like "and names the way to one's own" "$("$SBX" doctor | grep -A1 '^weak *git ' | tr -s ' \n' ' ')" 'with the fix you name yours: git --git-dir=DIR'
git init -q --bare "$work/own-bare" && mkdir -p "$work/only-explicit" && printf '[safe]\n\tbareRepository = explicit\n' >"$work/only-explicit/.gitconfig"
is "which works, and plain git does not" "128 0" "$(cd "$work/own-bare" || exit; HOME=$work/only-explicit git count-objects >/dev/null 2>&1; echo -n "$? "; HOME=$work/only-explicit git --git-dir="$work/own-bare" count-objects >/dev/null 2>&1; echo $?)"
mkdir -p "$work/explicit" && printf '[safe]\n\tbareRepository = explicit\n' >"$work/explicit/.gitconfig"
like "and is content with it" "$(HOME=$work/explicit XDG_CONFIG_HOME=$work/explicit "$SBX" doctor)" '^ok +git '
SBX_TEST_FAIL=ids refused_as "doctor says what is missing" '^Result: no box can be made here: [0-9]* of the layers are missing\.$' "$SBX_TESTING" doctor
like "doctor names the wall" "$(SBX_TEST_FAIL=ids "$SBX_TESTING" doctor)" 'MISSING +user ids'

# A failure that is tolerated leaves no text behind, which the next real one would be reported with.
mkdir -p "$work/broken/.git" && printf '[core\n' >"$work/broken/.git/config" && ln -s loop "$work/broken/.envrc"
is "verbs, and a project that git cannot read, leave no error behind" "Result: default no" "$({
	for words in doctor "profile list" "session list" "agent status" "quarantine list" ps "why ./x /etc/shadow" "plan -- true"; do
		"$SBX_TESTING" $words 2>&1
	done
	cd "$work/broken" && "$SBX_TESTING" plan -- true 2>&1 && echo no
} | grep -oE '^Result:|^default|^no$|.*left behind.*' | paste -sd' ')"

# one table: every key is in the manual, every flag in help and man
keys=$("$SBX" profile keys | sed -n 's/^\([a-z-]*\) = .*/\1/p')
flags=$("$SBX" run --help all | grep -o -- '--[a-z][a-z-]*' | sort -u | grep -vx -e --help)
is "20 keys and more, each of them in sbx.ini.5" "many" "$(for key in $keys; do grep -q "^.fB${key//-/.-}.fR = " "$build/man/sbx.ini.5" || echo "$key"; done; [ "$(wc -w <<<"$keys")" -lt 20 ] || echo many)"
is "20 flags and more, each of them in sbx.1" "many" "$(for flag in $flags; do grep -q -- "${flag//-/\\\\-}" "$build/man/sbx.1" || echo "$flag"; done; [ "$(wc -w <<<"$flags")" -lt 20 ] || echo many)"
# Names that went: each says what to do instead.
like "a verb that went" "$("$SBX" ls --json 2>&1)" "^sbx: no verb 'ls': the runs that go on now: sbx ps; "
like "an option that went" "$("$SBX" audit --runs 2>&1)" "^sbx: no option '--runs': the runs that go on now: sbx ps$"
like "groups are listed with what they lead to" "$("$SBX" profile groups)" '^@github +[a-z.]+: '
is "every agent is listed" 8 "$("$SBX" agent list | wc -l)"
is "no line of help is wider than a terminal" "long enough" "$({ "$SBX" --help; for verb in run session agent learn code why; do "$SBX" $verb --help; "$SBX" $verb --help all; done; } | awk '/^usage/ { next } length > 80 { print } END { if (NR > 200) print "long enough" }')"
if command -v mandoc >/dev/null; then
	is "20 pages and more are clean" "many" "$(mandoc -T lint -W warning "$build"/man/sbx* "$root"/man/*.[157] 2>&1; [ "$(find "$build/man" -name 'sbx*.1' | wc -l)" -lt 20 ] || echo many)"
else
	skip "20 pages and more are clean" "mandoc is not installed"
fi
done_testing
