#!/bin/bash
# sbx agent and sbx-shell as agents use it. The agents themselves: tests/agents/run.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state
unset CLAUDECODE CLAUDE_CONFIG_DIR CLAUDE_CODE_TMPDIR OPENCODE GEMINI_CLI QWEN_CODE CODEX_THREAD_ID CODEX_HOME COPILOT_CLI COPILOT_HOME TMPDIR
mkdir -p "$HOME" "$work/bin" "$work/elsewhere"
cp "$SBX" "$work/bin/sbx" && ln -s sbx "$work/bin/sbx-shell"
project=$(new_project)
cd "$project" || exit 1
sbx() { "$work/bin/sbx" "$@" >"$work/out" 2>"$work/err"; }
settings=$HOME/.claude/settings.json
shell=$work/bin/sbx-shell

# --- install and remove
sbx agent install claude-code --dry-run
is "a dry run writes nothing" "0 yes no" "$? $(grep -q CLAUDE_CODE_SHELL_PREFIX "$work/out" && echo yes) $([ -e "$HOME/.claude" ] && echo yes || echo no)"
like "and shows the change" "$(cat "$work/out")" 'CLAUDE_CODE_SHELL_PREFIX'
like "and what is needed besides: the program, its log-in" "$(tr -s ' \n' ' ' <"$work/out")" 'note claude is in no directory of your PATH .* log-in ~/.claude/.credentials.json is not in the boxes of its commands; with -p claude-code it is'
sbx agent install codex --dry-run
like "the hook that is to be trusted, and the flag" "$(tr -s ' \n' ' ' <"$work/out")" 'now start codex and trust the hook .*: until then commands run outside .* codex --sandbox danger-full-access'
sbx agent status claude-code
like "an agent that is not there" "$? $(cat "$work/out")" '^125 claude-code  not on this machine$'
mkdir "$work/agents" && printf '#!/bin/sh\n' >"$work/agents/claude" && chmod +x "$work/agents/claude"
PATH=$PATH:$work/agents sbx agent status claude-code
like "not installed: status says what to do" "$? $(cat "$work/out")" '^125 .*its commands run in no box. Fix: sbx agent install claude-code'
sbx agent install claude-code
is "install where there was no file" "$shell" "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["env"]["CLAUDE_CODE_SHELL_PREFIX"])' "$settings")"
is "the file is the user's alone" 600 "$(stat -c %a "$settings")"
sbx agent install claude-code
like "a second install says that it is there" "$(cat "$work/out")" 'is installed'
sbx agent remove claude-code
is "remove: no file, as before" "0 1 no" "$? $(grep -c "as they did before" "$work/out") $([ -e "$settings" ] && echo yes || echo no)"

printf '{\n    "model": "x", // mine\n    "env": {\n        "A": "1"\n    }\n}' >"$work/elsewhere/s.json"
chmod 640 "$work/elsewhere/s.json"
cp "$work/elsewhere/s.json" "$work/before"
ln -s "$work/elsewhere/s.json" "$settings"
sbx agent install claude-code
is "only the one line is new" "$(printf '5c5,6\n<         "A": "1"\n---\n>         "A": "1",\n>         "CLAUDE_CODE_SHELL_PREFIX": "%s"' "$shell" | sed 1d)" \
	"$(diff "$work/before" "$settings" | sed 1d)"
is "linked settings stay linked, with their mode" "yes 640" "$([ -L "$settings" ] && echo yes) $(stat -Lc %a "$settings")"
sbx agent remove claude-code
status "remove gives every byte back" 0 cmp "$work/before" "$settings"
rm "$settings"

sbx agent install claude-code && sbx agent install opencode && sbx agent install gemini
sbx agent remove --all
is "remove --all: each that is installed, and no other" "0 3 no no" "$? $(grep -c 'as they did before' "$work/out") $([ -e "$settings" ] && echo yes || echo no) $([ -e "$HOME/.config/opencode/opencode.json" ] && echo yes || echo no)"
sbx agent remove --all
is "again: there is none" "0 no agent is installed" "$? $(cat "$work/out")"
refused_as "--all and a name" "gemini|--all" "$work/bin/sbx" agent remove --all gemini
refused_as "neither" "agent|--all" "$work/bin/sbx" agent remove
status "--all is for remove" 125 "$work/bin/sbx" agent status --all
rm -rf "$HOME/.claude" "$HOME/.config" "$HOME/.gemini"
mkdir -p "$HOME/.claude"

# --- an agent that sets no variable
echo SECRET=1 >.env && echo SECRET=1 >.env.local
like "sbx-shell hides .env from it" "$("$shell" 'cat .env .env.local; ls -A' 2>&1)" 'cat: .env: No such file'
is "all of them" "0 read" "$("$shell" -c 'cat .env .env.local; echo read' 2>&1 | grep -c SECRET) $("$shell" -c 'cat .env .env.local; echo read' 2>/dev/null)"
rm .env .env.local

# --- what a person has written
echo '{"env": {' >"$settings"
sbx agent install claude-code
like "settings that do not parse: the line, and that nothing was written" "$? $(cat "$work/err")" '^125 .*settings.json: line 2: .*; nothing was written'
is "and nothing was" '{"env": { 1' "$(cat "$settings") $(grep -c settings.json "$work/err")"
for text in '[]' '"x"' '{"env": 3}' '{"env": {"CLAUDE_CODE_SHELL_PREFIX": "firejail"}}'; do
	echo "$text" >"$settings"
	sbx agent install claude-code
	is "settings $text: refused, unchanged" "125 $text yes" "$? $(cat "$settings") $(grep -q settings.json "$work/out" "$work/err" && echo yes)"
done
like "the difference is shown" "$(cat "$work/out")" '^\+.*sbx-shell'
sbx agent install claude-code --force
like "--force replaces another value" "$(cat "$settings")" "\"CLAUDE_CODE_SHELL_PREFIX\": \"$shell\""
sed -i 's/^{/{"mine": 1, /' "$settings"
sbx agent remove claude-code
like "remove of what was changed since: refused, with the difference" "$? $(cat "$work/out")" '^125 -.*sbx-shell'
sbx agent remove claude-code --force
own='{"mine": 1, "env": {"CLAUDE_CODE_SHELL_PREFIX": "firejail"}}'
is "--force takes its own part away, and the value of before is back" "$own 1" "$(cat "$settings") $(grep -c 'as they did before' "$work/out")"
sbx agent remove claude-code --force
is "what is there now is the user's: it stays, and remove says so" "$own 1" "$(cat "$settings") $(grep -c 'has nothing of sbx' "$work/err")"
rm "$settings" && mkfifo "$settings"
refused_as "a FIFO instead of settings" settings.json timeout 60 "$work/bin/sbx" agent install claude-code
rm "$settings"
sbx agent install nothing
like "an unknown agent: the known are named" "$(cat "$work/err")" "no agent 'nothing', expected one of claude-code opencode"
sbx agent install aider
like "an agent without a file: what to do by hand" "$(cat "$work/err")" 'SHELL=.*sbx-shell.* aider'
(cp "$SBX" "$work/alone" && "$work/alone" agent install claude-code) 2>"$work/err"
like "without sbx-shell beside sbx nothing is installed" "$(cat "$work/err")" 'install sbx first'

# --- each byte comes back: settings of many kinds, as they are and with what the user writes meanwhile
mkdir "$work/kinds"
python3 - "$work/kinds" <<'END'
import sys
kinds = ['', ' \n', '\n\n', '\ufeff', '\ufeff{}', '{}', '{ }', '{\n}', '{\r\n}', '{}\n', '// none\n', '/* none */',
    '{ // mine\n}', '{/* mine */}', '\ufeff{\r\n\t"a": 1 // mine\r\n}\r\n', '{"env": {}}', '{"env": { // mine\n}}',
    '{\n  "env": {\n    "A": "1" // mine\n  }, // theirs\n}', '{"a": 1,}', '{"a": 1 ,\n\n}', '{"env": {}, "env": {"A": "1"}}',
    '{"env": {"CLAUDE_CODE_SHELL_PREFIX": "firejail"}}', '{"env": {"CLAUDE_CODE_SHELL_PREFIX": ""}}',
    '{"env": {"CLAUDE_CODE_SHELL_PREFIX": 3, "A": /* b */ "1"}}', '{"shell": "/bin/zsh" /* mine */}', '{"\\u0065nv": {"A": "1"}}',
    '{"hooks": {}}', '{"hooks": {"BeforeTool": []}}', '{"hooks": {"BeforeTool": [ /* none */ ]}}',
    '{"hooks": {"BeforeTool": [{"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "mine"}]},]}}',
    '{"a": ' + '[' * 50 + ']' * 50 + '}', '{"text": "\u00e9 \u202e // }"}', '{' + ', '.join('"k%d": %d' % (i, i) for i in range(9000)) + '}']
for number, text in enumerate(kinds):
    open('%s/%02d' % (sys.argv[1], number), 'w', newline='').write(text)
END
for name in claude-code opencode gemini; do
	case $name in
	claude-code) place=$HOME/.claude/settings.json ;;
	opencode) place=$HOME/.config/opencode/opencode.json ;;
	gemini) place=$HOME/.gemini/settings.json ;;
	esac
	mkdir -p "$(dirname "$place")"
	wrong='' wrote=''
	for kind in "$work"/kinds/*; do
		cp "$kind" "$place"
		sbx agent install $name --force && ! cmp -s "$kind" "$place" || wrote="$wrote ${kind##*/}"
		sbx agent remove $name && cmp -s "$kind" "$place" || wrong="$wrong ${kind##*/}"
		# The same with a comment of the user's at the end, and at the beginning.
		cp "$kind" "$place" && sbx agent install $name --force
		printf '\n// mine\n' >>"$place"
		sbx agent remove $name --force
		if [ -n "$(tr -d ' \r\n' <"$kind" | sed 's/^\xef\xbb\xbf//; s,^//.*,,; s,^/\*.*,,')" ]; then
			printf '\n// mine\n' | cat "$kind" - | cmp -s - "$place" || wrong="$wrong +${kind##*/}"
		fi
	done
	is "$name: settings of 33 kinds: install writes, and remove gives each byte back" "; " "$wrote; $wrong"
	rm "$place"
done
place=$HOME/.claude/settings.json
ln -s "$work/elsewhere/dangling.json" "$place"
sbx agent install claude-code
made="$([ -L "$place" ] && echo yes) $([ -f "$work/elsewhere/dangling.json" ] && echo yes)"
sbx agent remove claude-code
is "a dangling link: what it names is made, and gone again, the link stays" "yes yes yes no" "$made $([ -L "$place" ] && echo yes) $([ -e "$work/elsewhere/dangling.json" ] && echo yes || echo no)"
rm "$place"
: >"$place" && sbx agent install claude-code && sbx agent remove claude-code
is "an empty file stays one" "1 yes 0" "$(grep -c 'as they did before' "$work/out") $([ -f "$place" ] && echo yes) $(stat -c %s "$place")"
printf '{\n  "mine": 1\n}\n' >"$place" && chmod 444 "$place" && sbx agent install claude-code && sed -i 's/"mine": 1/"mine": 2, "more": [3]/' "$place" && sbx agent remove claude-code --force
is "what was edited meanwhile stays as it was edited" "$(printf '1 {\n  "mine": 2, "more": [3]\n}')" "$(grep -c 'as they did before' "$work/out") $(cat "$place")"
rm -f "$place"
echo '{"hooks": {"BeforeTool": []}}' >"$HOME/.gemini/settings.json" && sbx agent install gemini
sed -i 's/|| exit 2"}/&, {"type": "command", "command": "mine"}/' "$HOME/.gemini/settings.json"
sbx agent remove gemini
like "a hook of the user's beside: told first" "$? $(cat "$work/err")" '^125 .*--force'
sbx agent remove gemini --force
is "the user's hook in sbx's entry stays" '{"hooks": {"BeforeTool": [{"matcher":"run_shell_command","hooks":[{"type":"command","command":"mine"}]}]}}' \
	"$(python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print("{\"hooks\": {\"BeforeTool\": " + json.dumps(d["hooks"]["BeforeTool"], separators=(",", ":")) + "}}")' "$HOME/.gemini/settings.json" | sed 's/, "/,"/g; s/{"hooks": {"B/{"hooks": {"B/')"
# What the user writes around sbx's part stays, and no comma is left over.
beside() { # name, agent, settings of before, sed script between, what is left
	echo "$3" >"$place"
	sbx agent install "$2" && sed -i "$4" "$place" && sbx agent remove "$2" --force
	is "remove after an edit: $1" "$5" "$(tr -d ' \n' <"$place")"
}
place=$settings
beside "a member in front of an object that sbx made" claude-code '{}' '0,/{/s//{"b": 1,/' '{"b":1}'
beside "a member in front, in an object that was there" claude-code '{"env": {}}' 's/"env": {/&"b": 1,/' '{"env":{"b":1}}'
beside "a member behind" claude-code '{}' 's/^}$/, "b": 1}/' '{"b":1}'
place=$HOME/.gemini/settings.json
beside "a member in front, in hooks that were there" gemini '{"hooks": {}}' 's/"hooks": {/&"b": 1,/' '{"hooks":{"b":1}}'
beside "an entry in front, in a list that was there" gemini '{"hooks": {"BeforeTool": []}}' 's/"BeforeTool": \[/&{"hooks": []},/' '{"hooks":{"BeforeTool":[{"hooks":[]}]}}'
beside "a member in sbx's entry" gemini '{"hooks": {"BeforeTool": []}}' 's/{"matcher/{"mine": 1, "matcher/' '{"hooks":{"BeforeTool":[{"mine":1,"matcher":"run_shell_command","hooks":[]}]}}'
beside "a comment in sbx's entry" gemini '{"hooks": {"BeforeTool": []}}' 's,{"matcher,{/*mine*/"matcher,' '{"hooks":{"BeforeTool":[{/*mine*/"matcher":"run_shell_command","hooks":[]}]}}'
beside "a comment beside sbx's hook" gemini '{"hooks": {"BeforeTool": []}}' 's,"hooks": \[{"t,"hooks": [/*mine*/{"t,' '{"hooks":{"BeforeTool":[{"matcher":"run_shell_command","hooks":[/*mine*/]}]}}'
rm "$settings" "$HOME/.gemini/settings.json"
for place in one two; do mkdir "$work/$place" && echo "{\"$place\": 1}" >"$work/$place/settings.json"; CLAUDE_CONFIG_DIR=$work/$place sbx agent install claude-code; done
for place in one two; do CLAUDE_CONFIG_DIR=$work/$place sbx agent remove claude-code; done
is "each CLAUDE_CONFIG_DIR gets its own back" '1 {"one": 1} {"two": 1}' "$(grep -c 'as they did before' "$work/out") $(cat "$work/one/settings.json" "$work/two/settings.json" | tr '\n' ' ' | sed 's/ $//')"
printf '{"a": 1}' >"$settings"
for i in 1 2 3 4 5 6 7 8; do (status=0; "$work/bin/sbx" agent install claude-code >/dev/null 2>"$work/at-once.$i" || status=$?; echo $status >"$work/status.$i") & done
wait
is "8 installs at once: each succeeds" "0 0 0 0 0 0 0 0 1" "$(cat "$work"/status.? | tr '\n' ' ')$(grep -c sbx-shell "$settings")"
sbx agent remove claude-code
is "and remove gives the bytes of before them all, and nothing is left, in the state neither" '1 {"a": 1} settings.json ' "$(grep -c 'as they did before' "$work/out") $(cat "$settings"; echo " $(ls -A "$HOME/.claude" | tr '\n' ' ')"
	find "$XDG_STATE_HOME/sbx/agents" -name '*.sbx-*' -o -name '*.before' -o -name '*.written')"
rm "$settings"

# --- status proves it
sbx agent install claude-code
sbx agent status claude-code
like "status of what works" "$? $(cat "$work/out")" '^0 .*in a box'
like "and that no command came in yet" "$(cat "$work/out")" 'no command of this agent has been seen yet'
(cd "$work" && mkdir -p sub && CLAUDECODE=1 "$shell" true 2>/dev/null) || true
CLAUDECODE=1 "$shell" true
sbx agent status claude-code && seen=$(grep -o 'its last command: .*' "$work/out")
like "after one, when" "$seen" '20[0-9][0-9]-'
sleep 1.1
sbx agent status claude-code
is "the probe is not one" "${seen:-none}" "$(grep -o 'its last command: .*' "$work/out")"
mkdir -p .claude && echo '{"env": {"CLAUDE_CODE_SHELL_PREFIX": ""}}' >.claude/settings.json
sbx agent status claude-code
like "a project's settings that say otherwise are named" "$? $(cat "$work/out")" '125 claude-code  OUTSIDE: .*/.claude/settings.json'
rm -r .claude
printf '#!/bin/sh\neval "$1"\n' >"$work/fake" && chmod +x "$work/fake"
printf '{"env": {"CLAUDE_CODE_SHELL_PREFIX": "%s"}}' "$work/fake" >"$settings"
sbx agent status claude-code
like "a wrapper that makes no box is found out" "$? $(tr -s ' \n' ' ' <"$work/out")" '125 claude-code OUTSIDE: .* was in no box'
printf '{"env": {"CLAUDE_CODE_SHELL_PREFIX": "%s"}}' "$work/gone" >"$settings"
sbx agent status claude-code
like "a wrapper that is gone, too" "$? $(tr -s ' \n' ' ' <"$work/out")" '125 claude-code FAILS: .* not found'
rm "$settings"
sbx agent status
is "status of all" "0 8" "$? $(grep -c '^[a-z]' "$work/out")"
lacks "no line is wider than a terminal" "$(cat "$work/out")" '.{80}'
CLAUDECODE=1 sbx agent status
like "a command of an agent outside of a box is told so" "$? $(cat "$work/err")" '125 .*runs in NO box'
like "one inside, too" "$("$SBX" run --read "$work/bin" -- "$work/bin/sbx" agent status)" 'runs in a box of sbx'

# --- the calling forms of agents
boxed() { # name, wanted, words...: sbx-shell with them
	local name=$1 wanted=$2
	shift 2
	is "$name" "$wanted" "$("$shell" "$@" 2>&1)"
}
boxed "one word" "1 it's" 'echo $SBX "it'"'"'s"'
boxed "-c" 1 -c 'echo $SBX'
boxed "-lc" 1 -lc 'echo $SBX'
boxed "-l -c STRING name args" "1 n a b" -l -c 'echo $SBX $0 $1 $2' n a b
is "-l -i -c" 1 "$("$shell" -l -i -c 'echo $SBX' 2>/dev/null)"
is "the exit status is the command's" 7 "$("$shell" 'exit 7'; echo $?)"
is "SHLVL stays" "$(SHLVL=4 bash -c 'echo $SHLVL')" "$(SHLVL=4 "$shell" -c 'echo $SHLVL')"
mkdir -p "$HOME/.claude/shell-snapshots" "$HOME/.claude/projects"
echo 'greet() { echo hello; }' >"$HOME/.claude/shell-snapshots/snapshot-bash-1.sh"
echo secret >"$HOME/.claude/projects/x"
claude() { # command: as Claude Code builds it
	cwd=/tmp/claude-$$-$RANDOM-cwd
	CLAUDECODE=1 SHELL=/bin/bash bash -c "'$shell' 'source $HOME/.claude/shell-snapshots/snapshot-bash-1.sh 2>/dev/null || true && eval '\\''$1'\\'' < /dev/null && pwd -P >| $cwd'" 2>&1
}
is "Claude Code's own line: its snapshot is read" hello "$(claude greet)"
is "nothing else of its directory" "cat: $HOME/.claude/projects/x: No such file or directory" "$(claude "cat $HOME/.claude/projects/x")"
claude "cd /usr" >/dev/null
is "the directory comes back" /usr "$(cat $cwd)"
rm -f $cwd
is "not of a command that failed, and no file is left" "in no" "$(claude "echo in && cd /usr && false") $([ -e $cwd ] && echo yes || echo no)"
ln -s "$work/target" "$(cwd=/tmp/claude-$$-link-cwd; echo $cwd)"
CLAUDECODE=1 "$shell" "true && pwd -P >| /tmp/claude-$$-link-cwd" 2>"$work/err"
is "a link in its place is not followed" "125 no" "$? $([ -e "$work/target" ] && echo yes || echo no)"
rm -f /tmp/claude-$$-link-cwd
CLAUDECODE=1 "$shell" "true && pwd -P >| $project/claude-$$-1-cwd" 2>/dev/null
is "elsewhere the box's own rules decide" "$project" "$(cat "$project/claude-$$-1-cwd")"
rm -f "$project"/claude-*
is "and what is written stays in it" "in no" "$(CLAUDECODE=1 "$shell" "echo in && pwd -P >| $HOME/claude-$$-1-cwd" 2>/dev/null) $([ -e "$HOME/claude-$$-1-cwd" ] && echo yes || echo no)"
is "other names in /tmp stay the box's" "x no" "$(CLAUDECODE=1 "$shell" "echo x | tee /tmp/claude-$$-other") $([ -e /tmp/claude-$$-other ] && echo yes || echo no)"

# --- in the box of a whole agent
is "sbx-shell in a box is the shell" "1 inner" "$("$SBX" run --read "$work/bin" -- "$shell" 'echo $SBX inner')"
stays "a hook in a box lets the command be" "" "$(echo '{"tool_input": {"command": "ls"}}' | run_box --read "$work/bin" -- "$work/bin/sbx" agent hook gemini)"
is "a variable alone makes no box" 2 "$(SBX=1 "$shell" "sed -n 's/^Seccomp:[^0-9]*//p' /proc/self/status")"
refused_as "nor does it under somebody else's filter" "^sbx: .*step 'namespaces'" env SBX=1 "$(dirname "$ATTACK")/confine" docker "$shell" 'echo unboxed'

# --- hooks
sbx agent install gemini
hook=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["hooks"]["BeforeTool"][0]["hooks"][0]["command"])' "$HOME/.gemini/settings.json")
ask() { printf '%s' "$1" | sh -c "$hook" 2>"$work/err"; }
line=$(ask '{"tool_name": "run_shell_command", "tool_input": {"command": "echo $SBX \"it'"'"'s\"; cat ~/.gemini/settings.json"}}' |
	python3 -c 'import json, sys; print(json.load(sys.stdin)["hookSpecificOutput"]["tool_input"]["command"])')
is "a hook's command runs in a box" "1 it's" "$(bash -c "$line" 2>/dev/null | head -1)"
for question in '' '{' '{"tool_name": "x"}' '{"tool_input": {"command": 3}}'; do
	ask "$question" >/dev/null
	is "a question that is '$question' is denied" 2 $?
done
sbx agent status gemini
like "status of a hook that works" "$? $(cat "$work/out")" '^0 .*in a box'
sed -i 's/"hooks"/"hooksConfig": {"enabled": false}, "hooks"/' "$HOME/.gemini/settings.json"
sbx agent status gemini
like "of one that is switched off" "$? $(cat "$work/out")" '125 gemini       OUTSIDE'
sbx agent install qwen
sbx agent status qwen
like "status of a hook that refuses bare commands" "$? $(cat "$work/out")" '^0 .*in a box'
# Copilot CLI takes the whole input again; Codex CLI only from a hook that its user trusts.
updated() { # AGENT FILE: the command that its hook makes of one
	local hook
	hook=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["hooks"]["PreToolUse"][0]["hooks"][0]["command"])' "$2")
	echo '{"tool_name": "Bash", "tool_input": {"command": "echo $SBX \"it'"'"'s\"", "timeout": 5}}' | sh -c "$hook" 2>"$work/err" |
		python3 -c 'import json, sys; given = json.load(sys.stdin)["hookSpecificOutput"]["updatedInput"]; assert given["timeout"] == 5; print(given["command"])'
}
sbx agent install copilot
is "copilot: a hook's command runs in a box" "1 it's" "$(bash -c "$(updated copilot "$HOME/.copilot/settings.json")" 2>/dev/null | head -1)"
sbx agent status copilot
like "copilot: status" "$? $(cat "$work/out")" '^0 .*in a box'
mkdir -p .github/copilot && echo '{"disableAllHooks": true}' >.github/copilot/settings.json
sbx agent status copilot
like "copilot: a project that switches hooks off is named" "$? $(tr -s ' \n' ' ' <"$work/out")" '125 copilot OUTSIDE: .*/.github/copilot/settings.json'
rm -r .github
sbx agent install codex
like "codex: that the hook waits for trust is told" "$(tr -s ' \n' ' ' <"$work/out")" 'from its next start, once you trust its hook, each of its commands runs in a box .*trust the hook when it asks .*: until then commands run outside'
is "codex: a hook's command runs in a box" "1 it's" "$(bash -c "$(updated codex "$HOME/.codex/hooks.json")" 2>/dev/null | head -1)"
sbx agent status codex
like "codex: a hook that is not trusted is not run" "$? $(tr -s ' \n' ' ' <"$work/out")" '125 codex OUTSIDE: .* not trusted. Fix: start codex'
printf '[hooks.state."%s:pre_tool_use:0:0"]\ntrusted_hash = "sha256:00"\n' "$HOME/.codex/hooks.json" >"$HOME/.codex/config.toml"
sbx agent status codex
like "codex: one that is" "$? $(cat "$work/out")" '^0 .*in a box'
lacks "and is not asked for again" "$(cat "$work/out")" 'until then'
printf '[features]\nhooks = false\n' >>"$HOME/.codex/config.toml"
sbx agent status codex
like "codex: hooks that are switched off" "$? $(tr -s ' \n' ' ' <"$work/out")" '125 codex OUTSIDE: .* switched off'
for name in copilot codex; do
	sbx agent remove $name
	like "remove $name" "$? $(cat "$work/out")" '^0 .*as they did before'
done
sbx agent install opencode
sbx agent status opencode
like "status of a shell by setting" "$? $(cat "$work/out")" '^0 .*in a box'
(export XDG_CONFIG_HOME=$work/xdg && sbx agent install opencode)
is "by the agent's own variables" "yes" "$([ -e "$work/xdg/opencode/opencode.json" ] && echo yes)"
for name in opencode qwen; do
	sbx agent remove $name
	like "remove $name" "$? $(cat "$work/out")" '^0 .*as they did before'
done
done_testing
