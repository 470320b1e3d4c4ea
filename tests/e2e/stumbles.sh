#!/bin/bash
# What a newcomer meets in the first hours: each message is true, its fix works as printed, and no other line is there.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
unset HTTPS_PROXY https_proxy HTTP_PROXY http_proxy NO_PROXY no_proxy CLAUDECODE
mkdir -p "$HOME" "$XDG_CONFIG_HOME"
project=$(new_project)
cd "$project" || exit 1
sbx() { "$SBX" "$@"; } # the word that messages print
says() { # words of sbx: its lines
	if [ "$1" = run ]; then run_box "${@:2}"; else "$SBX" "$@"; fi 2>&1 | grep '^sbx: '
}

# --- a command that fails is no reason to open the box
mkdir .vscode && echo 1 >.vscode/settings.json && git add -A && git commit -qm one
touch -d '-1 hour' .vscode/settings.json file && git status >/dev/null
for command in "git log nosuch" "git grep -q nothing-like-it" "git commit -m again" "make github" "test -f nosuch.git"; do
	stays "$command fails without a word of sbx" "" "$(says run -- $command)"
done
echo mine >.vscode/settings.json
stays "nor when the user changed a protected file, and git adds another" "" "$(says run -- sh -c 'echo more >>file; git add file')"
git checkout -q .vscode && git commit -qm two
git sparse-checkout set --no-cone '/*' '!.vscode' 2>/dev/null
stays "nor in a sparse checkout without it" "" "$(says run -- sh -c 'echo again >>file; git add file')"
git sparse-checkout disable && git commit -qm three


# --- what a variable names, and the box lacks
mkdir -p "$work/libs" "$HOME/agents" "$HOME/.vscode-server/x" && echo jar >"$HOME/agents/a.jar" && : >"$HOME/.vscode-server/x/bootloader.js"
is "a search path that was withheld: by its flag" "sbx: \$LD_LIBRARY_PATH was withheld: it steers loaders and shells; to pass it: --pass-env LD_LIBRARY_PATH" \
	"$(LD_LIBRARY_PATH=$PWD/libs says run -- sh -c 'exit 127')"
stays "with the flag nothing is said" "" "$(LD_LIBRARY_PATH=$PWD/libs says run --pass-env LD_LIBRARY_PATH -- sh -c 'exit 127')"
mkdir -p "$work/curl" && echo 'user = "me:secret"' >"$work/curl/.curlrc"
is "CURL_HOME: by its flag" "sbx: \$CURL_HOME names $work/curl, which is not in the box; to show it: --read $work/curl" "$(CURL_HOME=$work/curl says run -- sh -c 'exit 2')"
stays "then without its passwords" "" "$(CURL_HOME=$work/curl run_box --read "$work/curl" -- cat "$work/curl/.curlrc" 2>/dev/null)"
stays "nor where the command succeeds" "" "$(LD_LIBRARY_PATH=$PWD/libs says run -- true)"
is "a file in an option" "sbx: \$JAVA_TOOL_OPTIONS names $HOME/agents/a.jar, which is not in the box; to show it: --read $HOME/agents/a.jar" \
	"$(JAVA_TOOL_OPTIONS=-javaagent:$HOME/agents/a.jar=x says run -- false)"
stays "and with that flag nothing is said" "" "$(JAVA_TOOL_OPTIONS=-javaagent:$HOME/agents/a.jar=x says run --read "$HOME/agents/a.jar" -- false)"
like "a search path" "$(PYTHONPATH=/nowhere:$work/libs says run -- false)" "PYTHONPATH names $work/libs, which is not in the box; to show it: --read $work/libs\$"
stays "what is not there outside, or is in the box, is not said" "" "$(PYTHONPATH=/nowhere:$PWD NODE_PATH=/usr/lib says run -- false)"
options="--max-old-space-size=300 --require $HOME/.vscode-server/x/bootloader.js --inspect-publish-uid=http"
is "what VS Code's debugger puts into NODE_OPTIONS stays outside with it" "NODE_OPTIONS=--max-old-space-size=300  --inspect-publish-uid=http" \
	"$(NODE_OPTIONS=$options "$SBX" run -- sh -c 'env | grep ^NODE_OPTIONS')"
is "but with the flag" "NODE_OPTIONS=$options" "$(NODE_OPTIONS=$options "$SBX" run --pass-env NODE_OPTIONS -- sh -c 'env | grep ^NODE_OPTIONS')"
is "and where the box has the file" "NODE_OPTIONS=$options" "$(NODE_OPTIONS=$options "$SBX" run --read "$HOME/.vscode-server" -- sh -c 'env | grep ^NODE_OPTIONS')"
like "the plan says so" "$(NODE_OPTIONS=$options "$SBX" plan -- true)" "note .*NODE_OPTIONS is passed without what VS Code's debugger adds; to pass all of it: --pass-env NODE_OPTIONS"

# --- places that are not there
: >"$work/plain"
is "a HOME that is a file" "sbx: HOME names '$work/plain', which is not a directory; set it to one: HOME=DIR" "$(HOME=$work/plain says run -- true)"
is "one that is not there is empty in the box" "0" "$(HOME=$work/nowhere "$SBX" run -- sh -c 'ls -A ~ | wc -l')"
like "a profile in no directory: both are made" "$(says learn -o ./none/x.ini -- cat "$HOME/agents/a.jar"; ls none)" "^x.ini$"
rm -r none

# --- profiles, where the user's own links lead to them
mkdir -p "$XDG_CONFIG_HOME/sbx" "$work/dotfiles"
printf '[profile]\nextends = default\n' >"$work/dotfiles/mine.ini"
ln -s "$work/dotfiles/mine.ini" "$XDG_CONFIG_HOME/sbx/mine.ini"
ln -s "$work/dotfiles/later.ini" "$XDG_CONFIG_HOME/sbx/later.ini"
(cd "$work/dotfiles" && "$SBX" run -- sh -c 'echo "; box" >>mine.ini; echo "[profile]" >later.ini; touch other') >/dev/null 2>&1
is "a box changes and makes none of them, used or not" "0 mine.ini other" "$(grep -c box "$work/dotfiles/mine.ini") $(ls "$work/dotfiles" | paste -sd' ')"
rm "$XDG_CONFIG_HOME/sbx/later.ini"

# --- a line for good
rm -rf "$XDG_CONFIG_HOME/sbx"
said=$(CLAUDECODE=1 "$SBX" run --report agent -- curl -sS https://blocked.example 2>&1)
like "an agent's box: the command for good is said" "$said" "the user could allow it: sbx profile add '\[network\] allow = blocked.example:443'\$"
add=$(printf '%s\n' "$said" | sed -nE 's/.*could allow it: (sbx profile add .*)/\1/p')
eval "$add" >"$work/added" 2>&1
like "it writes the file, and its directory" "$(cat "$XDG_CONFIG_HOME/sbx/default.ini" "$work/added")" '^sbx: added to .*/sbx/default.ini:$'
is "every command runs as before" "runs" "$("$SBX" run -- echo runs 2>&1)"
like "and the host is allowed" "$("$SBX" why blocked.example)" 'blocked.example, port 443, can be reached .*default.ini, line 5'
like "for the profile that was given" "$("$SBX" run -p node --report agent -- curl -sS https://blocked2.example 2>&1)" "allow = blocked2.example:443' -p node\$"
printf '; mine\n[network]\n; why\nallow = a.example\n' >"$XDG_CONFIG_HOME/sbx/default.ini"
is "a profile named like a built-in one extends it" "runs" "$("$SBX" run -- echo runs 2>&1)"
like "check says so" "$("$SBX" profile check default)" "no 'extends': it extends the built-in profile 'default'"
sbx profile add 'read = ?~/none' >/dev/null
is "a line that could stand alone: it still does, comments stay" "runs; mine; why" "$("$SBX" run -- echo runs 2>&1)$(grep '^;' "$XDG_CONFIG_HOME/sbx/default.ini" | tr -d '\n')"
printf '[files]\nread = /usr\n' >"$XDG_CONFIG_HOME/sbx/git.ini"
like "one that stands alone is as it was, and check says so" "$("$SBX" profile check git)" "no 'extends': a box of it has nothing else"
is "nothing is added twice" "1" "$(sbx profile add 'memory = 3G' >/dev/null; sbx profile add '[limits] memory = 3G' >/dev/null; grep -c 'memory = 3G' "$XDG_CONFIG_HOME/sbx/default.ini")"
mv "$XDG_CONFIG_HOME/sbx/default.ini" "$work/dotfiles/" && ln -s "$work/dotfiles/default.ini" "$XDG_CONFIG_HOME/sbx/"
is "the user's own link is followed" "link 1" "$(sbx profile add 'pids = 900' >/dev/null; [ -L "$XDG_CONFIG_HOME/sbx/default.ini" ] && echo link) $(grep -c 'pids = 900' "$work/dotfiles/default.ini")"
like "what a box may write is refused" "$(sbx profile add 'allow = c.example' -p ./own.ini 2>&1)" 'own.ini. is in the project, where a box may write it'
is "with -p NAME it goes to one of the user's" 1 "$(sbx profile add 'allow = c.example' -p own >/dev/null; grep -c 'allow = c.example' "$XDG_CONFIG_HOME/sbx/own.ini")"
like "the keys have their sections" "$(eval "$(sbx profile add 'hots = x' 2>&1 | sed -nE 's/.*see: (.*)/\1/p')")" '^\[network\]'
is "and is not made" 1 "$(sbx profile add 'allow = c.example' -p ./own.ini 2>&1 | grep -c own.ini; ls own.ini 2>/dev/null)"
for line in 'host-port = x' '[nets] allow = x' 'hots = x' 'allow' '[network] allow = a b' "$(printf 'allow = x\nmode = host')"; do
	refused_as "no line: $(printf '%s' "$line" | head -1)" '^sbx: (the|a) line|^sbx: .*(expected|key|host-port)' "$SBX" profile add "$line" -p other
done
[ ! -e "$XDG_CONFIG_HOME/sbx/other.ini" ] || fail "nothing was made of them"
echo notes >"$HOME/notes"
rm -rf "$XDG_CONFIG_HOME/sbx"
"$SBX" learn -o tool -- cat "$HOME/notes" >/dev/null 2>&1
is "learn -o NAME writes a profile of yours" "notes" "$("$SBX" run -p tool -- cat "$HOME/notes" 2>&1)"
rm -rf "$XDG_CONFIG_HOME/sbx"

# --- words that are not there: the right one, what to use instead, or nothing
refuses() { # pattern of the message, words of sbx
	local wanted=$1
	shift
	like "sbx $*" "$("$SBX" "$@" 2>&1)" "$wanted"
}
fixed() { # pattern of what the printed command prints, words of sbx
	local wanted=$1
	shift
	like "sbx $*: what is printed works" "$(eval "$("$SBX" "$@" 2>&1 | sed -nE 's/.*; fix: (sbx .*)/\1/p')" 2>&1)" "$wanted"
}
fixed '^two words$' run 'echo two words && true'
fixed '^/usr$' run cd /usr '&& pwd'
fixed '^FOO=b r$' run 'FOO=b r' sh -c 'env | grep "^FOO"'
refuses "use -w PATH" run --writable . true
refuses "use -r PATH" run --readonly . true
refuses "use: sbx version" run --version
refuses "HTTPS_PROXY" run --proxy x true
refuses "unknown option '--verson', see --help\$" run --verson true
refuses "^sbx: --read needs a value: --read PATH\$" run --read -- ls
refuses "no profile 'npm': use -p node\$" run -p npm true
refuses "no profile 'tool'; see: sbx profile list\$" run -p tool true
printf '[profile]\nextends = default\n' >tool.ini
like "-p FILE without a slash: what is printed works" "$(eval "sbx run $("$SBX" run -p tool.ini true 2>&1 | sed -nE "s/.*has a '.'*: (-p .*)/\1/p") echo worked" 2>&1)" '^worked$'
refuses "did you mean 'claude-code'" agent install claude
refuses "did you mean 'sbx session list'" session lst
refuses "yours: sbx session list; to make it: sbx session create gone\$" session discard gone
refuses "no .sbx.ini: there is nothing to trust" profile trust
refuses "with its group: +--allow @npm" why npm
"$SBX" run --cpu 1 true 2>/dev/null || refuses "[?]VALUE" run --cpu 1 true
is "a limit that is not enforced: with a '?' the command runs" "runs" "$("$SBX" run --cpu '?1' echo runs 2>&1)"
rm -f tool.ini

# --- a published port is there for those that take localhost for ::1 first
if python3 -c 'import socket; socket.socket(socket.AF_INET6).bind(("::1", 0))' 2>/dev/null; then
	port=$((20000 + RANDOM % 10000))
	timeout 60 "$SBX" run --publish "8099:$port" -- python3 -m http.server -b 127.0.0.1 8099 >/dev/null 2>&1 &
	server=$!
	wait_for 30 curl -s -o /dev/null -m 5 "http://127.0.0.1:$port/"
	is "a published port on ::1, and on 127.0.0.1" "hello 3" "$(for host in '[::1]' 127.0.0.1 '[::1]'; do curl -s -m 20 "http://$host:$port/file"; done | sort | uniq -c | sort -rn | awk '$2 == "hello" { print $2, $1 }')"
	kill $server && wait $server 2>/dev/null
	python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_INET6); s.bind(("::1", 0)); s.listen(); print(s.getsockname()[1], flush=True); time.sleep(60)' >"$work/six" &
	six=$!
	wait_for 20 test -s "$work/six"
	like "a port that another program has on ::1 is taken" "$("$SBX" run --publish "$(cat "$work/six")" -- true 2>&1)" 'is used by another program outside; take a free one: --publish'
	kill $six
else
	skip "a published port on ::1" "this machine has no ::1"
fi

cp "$(command -v curl)" "npm install lef"
like "a program named by its words, cut" "$(says run -- ./"npm install lef" -s -m 9 http://named.example/)" 'blocked named.example:80 \(npm\)'
rm "npm install lef"
like "doctor: root needs no advice to be root" "$("$SBX" doctor | grep -c 'or as root') $("$SBX" doctor | grep -c 'limits')" '^0 [1-9]'

# --- quiet where nothing is wrong (quiet.sh has the commands of a day)
like "checks for updates are off" "$("$SBX" run -- env)" '^npm_config_update_notifier=false$'
is "the caller's own value wins" "true" "$(npm_config_update_notifier=true "$SBX" run -- printenv npm_config_update_notifier)"
cp "$(command -v curl)" yarn
check() { run_box "${@:2}" -- sh -c "$1" 2>&1 | grep -c 'blocked yarnpkg.com'; }
stays "a check for updates of a known program is silent where the command succeeds" 0 "$(check './yarn -s -m 9 https://yarnpkg.com/; true')"
is "not where it fails" 1 "$(check './yarn -s -m 9 https://yarnpkg.com/; exit 3')"
is "not more than two" 1 "$(check 'for i in 1 2 3; do ./yarn -s -m 9 https://yarnpkg.com/; done; true')"
is "no other host, program or port" 3 "$(says run -- sh -c './yarn -s -m 9 https://yarnpkg.example/; curl -s -m 9 https://yarnpkg.com/; ./yarn -s -m 9 http://yarnpkg.com/; true' | grep -c blocked)"
like "JSON has it" "$("$SBX" run --report json -- sh -c './yarn -s -m 9 https://yarnpkg.com/; true' 2>&1)" '"what":"yarnpkg.com:443"'
like "and the audit" "$("$SBX" audit --denied | tail -1)" 'yarnpkg.com:443 .yarn.'
rm yarn
stays "a directory 'build' is none of Bazel's" "" "$(says run -- sh -c 'mkdir build && echo x >build/y')$(says run -- sh -c 'echo x >build/z')"
like "a file of that name is" "$(says run -- sh -c 'echo x >BUILD')" 'will run it: BUILD$'
rm -r build BUILD
echo '{ "name": "app", "scripts": { "test": "true" } }' >package.json
sleep 0.05
package() { says run -- sh -c "printf '%s' '$1' >package.json"; }
like "package.json: an address among the dependencies is news" "$(package '{"name":"app","scripts":{"test":"true"},"dependencies":{"a":"file:lib/a.tgz"}}')" 'will run it: package.json$'
like "package.json: a script is" "$(package '{"name":"app","scripts":{"test":"true","install":"x"},"dependencies":{"a":"^1"}}')" 'will run it: package.json$'
like "package.json: what is no JSON, too" "$(package '{')" 'will run it: package.json$'
rm package.json

# --- what a box changed and the host runs: once for each content, and until a person was shown it
# Without what sbx sends to the terminal before its first line (run/report.c).
terminal() { script -qec "$*" /dev/null </dev/null | tr -d '\r\030\016\017' | sed -E 's/\x1b(\[[0-9;?]*[a-zA-Z]|[()].|[^[()])//g'; }
agent_run() { CLAUDECODE=1 run_box --report agent -- sh -c "$1" 2>&1; }
terminal "$SBX run -- true" >/dev/null
stays "a model is not shown it" "" "$(agent_run 'echo all: >Makefile; echo x >AGENTS.md')"
stays "nor a person whose run is no terminal's" "" "$(says run -- true)"
like "sbx agent status names it" "$("$SBX" agent status)" '^changed here by boxes, .*: (Makefile, AGENTS.md|AGENTS.md, Makefile)$'
is "an agent's own terminal is no person" ran "$(CLAUDECODE=1 terminal "$SBX run -- echo ran" | grep -o 'changed\|ran')"
like "the next run of a person on a terminal does" "$(terminal "$SBX run -- true")" '^sbx: changed in earlier runs, and your own programs will run it: (Makefile, AGENTS.md|AGENTS.md, Makefile)$'
is "once" ran "$(terminal "$SBX run -- echo ran" | grep -o 'changed\|ran')$("$SBX" agent status | grep '^changed')"
stays "the same bytes again are no news" "" "$(says run -- sh -c 'echo all: >Makefile')"
like "others are" "$(says run -- sh -c 'echo all: test >Makefile')" 'will run it: Makefile$'
stays "and once" "" "$(says run -- sh -c 'echo all: test >Makefile')"
git checkout -q -- Makefile 2>/dev/null || echo mine: >Makefile
like "what you took back and a box wrote again is news" "$(says run -- sh -c 'echo all: test >Makefile')" 'will run it: Makefile$'
like "a program's report has each" "$("$SBX" run --report json -- sh -c 'echo all: test >Makefile' 2>&1)" '"kind":"changed"'
agent_run 'for i in $(seq 120); do mkdir d$i; echo x >d$i/package.json; done; for i in $(seq 120); do echo x >d$i/AGENTS.md; done' >/dev/null
like "more than are listed: said, too" "$(terminal "$SBX run -- true")" 'changed in earlier runs, .*package.json \([0-9]+ more\)'
rm -rf d[0-9]* Makefile AGENTS.md
agent_run 'echo all: new >Makefile' >/dev/null
like "sbx audit --changed: what no person was shown" "$("$SBX" audit --changed | grep Makefile)" '^Makefile  \(not shown to a person yet\)$'
like "sbx shell of a person shows it, too" "$(timeout 20 script -qec "$SBX shell" /dev/null <<<exit | tr -d '\r')" 'changed in earlier runs, .*Makefile'
is "then it is not named so" "Makefile" "$("$SBX" audit --changed --project . | grep Makefile)"
is "as JSON" "Makefile True" "$("$SBX" audit --changed --json | python3 -c 'import json, sys; print(*[x["path"] + " " + str(x["shown"]) for x in json.load(sys.stdin)["changed"] if x["path"] == "Makefile"])')"
exec {held}<"$XDG_STATE_HOME/sbx/changed" && flock $held
agent_run 'echo all: late >late.mk' {held}<&- >/dev/null &
sleep 1
before=$("$SBX" audit --changed | grep -c late.mk)
flock -u $held
wait
is "two runs that end do not write the list at once" "0 1" "$before $("$SBX" audit --changed | grep -c late.mk)"
exec {held}<&-
rm Makefile late.mk

# --- what a run that failed prints: at most 8 lines and 120 words, the worst first; the rest is in the audit
many='for i in 1 2 3 4 5 6 7 8 9; do curl -s -m 9 http://h$i.example >/dev/null; done; mkdir .idea; echo a: >Makefile'
said=$("$SBX" run -- sh -c "$many; exit 3" 2>&1)
is "8 lines" 8 "$(wc -l <<<"$said")"
is "at most 120 words" 1 "$(($(wc -w <<<"$said") <= 120))"
is "what stays comes first, then what was undone" "1 2" "$(grep -n Makefile <<<"$said" | cut -d: -f1) $(grep -n '/.idea appeared, ' <<<"$said" | cut -d: -f1)"
rest=$(sed -nE 's/^sbx: [0-9]+ more: (sbx audit --run [0-9]+)$/\1/p' <<<"$said")
like "what is printed last shows all" "$(eval "$rest")" 'reported .*h9.example:80 .*; to allow: '
is "each line of it" "9 1" "$(eval "$rest" | grep -c 'reported.* to allow: ') $(eval "$rest" | grep -c 'will run it: Makefile')"
is "as JSON" "11" "$(eval "$rest --json" | python3 -c 'import json, sys; print(sum(json.loads(x)["form"] == "reported" for x in sys.stdin))')"
is "sbx audit without a run has connections alone" 0 "$("$SBX" audit | grep -c reported)"
like "what fits is as it was" "$("$SBX" run -- sh -c 'curl -s http://one.example; exit 3' 2>&1)" '^sbx: blocked one.example:80 .*; to allow: --allow one.example:80$'
# Of each kind there is a line, whatever a box makes many of.
judge=$(mktemp -d "$work/judge.XXXXXX") && (cd "$judge" && git init -q && mkdir lib && echo x >lib/a && git add lib && git -c user.name=x -c user.email=x@x commit -qm x)
kinds='git update-index --assume-unchanged lib/a; echo evil >lib/a; echo x >Makefile; echo x >.envrc; mkdir .vscode .idea; mkfifo .gitignore
	git config core.fsmonitor x; git config core.pager y; for i in 1 2 3 4 5 6 7 8 9; do curl -s -m 9 http://h$i.example >/dev/null; done'
for status in 1 0; do
	said=$(cd "$judge" && "$SBX" run -- sh -c "$kinds; exit $status" 2>&1)
	for kind in 'whose changes git does not show: 1' 'will run it: .*Makefile' '/.(envrc|vscode|idea|gitignore) appeared, ' 'core.(fsmonitor|pager)' 'blocked h[0-9].example:80'; do
		like "status $status: of each kind a line: $kind" "$said" "$kind"
	done
	is "status $status: what stays comes before what was undone" yes "$([ "$(grep -n 'git does not show:' <<<"$said" | cut -d: -f1)" -lt "$(grep -nm1 appeared <<<"$said" | cut -d: -f1)" ] && echo yes)"
	(cd "$judge" && git update-index --no-assume-unchanged lib/a && git checkout -q lib && rm -f Makefile)
done
is "--report full prints all" 1 "$("$SBX" run --report full -- sh -c "$many; exit 3" 2>&1 | grep -c 'h8.example')"
rm -f Makefile

# --- what is said once
session() { # commands that one agent runs, status and all
	python3 -c '
import subprocess, sys
for command in sys.argv[2:]:
    subprocess.run([sys.argv[1], "run", "--report", "agent", "--", "sh", "-c", command], env=dict(__import__("os").environ, CLAUDECODE="1"))' "$SBX" "$@" 2>&1 | grep -c "user's policy"
}
blocked='curl -s -m 9 http://a.example >/dev/null'
is "the policy: once in an agent's session" 1 "$(session "$blocked; exit 1" "$blocked; exit 1")"
is "and in the next one" 1 "$(session "$blocked; exit 1")"
is "not where the command succeeded" 0 "$(session "$blocked; true")"
is "background programs: once in a session" "1 0" "$(agent_run 'sleep 9 & true' | grep -c background) $(agent_run 'sleep 9 & exit 3' | grep -c background)"
printf '[network]\nallow = x.example\n' >.sbx.ini
is "lines of a file that is not trusted: once" "1 0" "$(says run -- true | grep -c sbx.ini) $(says run -- true | grep -c sbx.ini)"
echo 'allow = y.example' >>.sbx.ini
is "until they change" "1 0" "$(says run -- true | grep -c sbx.ini:3) $(says run -- true | grep -c sbx.ini)"
mv .sbx.ini ini && "$SBX" run -- true && mv ini .sbx.ini
like "or come again" "$(says run -- true)" 'sbx.ini:2'
rm .sbx.ini

# --- rights to the project that a command took
rights=$(new_project) && cd "$rights" || exit 1
for mode in 444 000 111; do
	said=$("$SBX" run -- chmod $mode . 2>&1)
	is "rights that a command took ($mode): said, and in the next run" "sbx: the command took your rights to $rights; to have them back: chmod u+rwx $rights
sbx: you have no rights to '$rights'; to have them back: chmod u+rwx $rights" "$said
$("$SBX" run -- true 2>&1)"
	is "rights that a command took: back by what is printed" 7 "$(eval "${said##*back: }"; "$SBX" run -- sh -c 'exit 7' 2>&1; echo $?)"
done
blank="$rights/a b" && mkdir "$blank" && git -C "$blank" init -q && cd "$blank" || exit 1
is "rights that a command took, of a name with a blank: back by what is printed" 7 "$(said=$("$SBX" run -- chmod 0 . 2>&1); eval "${said##*back: }"; "$SBX" run -- sh -c 'exit 7' 2>&1; echo $?)"
cd "$rights" || exit 1
is "a project without its write mode runs, and is not named" "555 7" "$("$SBX" run -- sh -c 'chmod 555 . && stat -c %a .' 2>&1) $("$SBX" run -- sh -c 'exit 7' 2>&1; echo $?)"
chmod 755 "$rights" && cd "$project" || exit 1

# --- files that a command leaves in the private home
gone='written to the private home, and gone with the box:'
stays "nothing left there: nothing said" "" "$(says run -- sh -c 'echo 1 >own; mkdir -p ~/empty; echo 1 >/tmp/x; echo 1 >~/.rc; mkdir ~/.d; echo 1 >~/.d/x; ln -s x ~/link')"
is "a file: said, whatever the status" "sbx: $gone ~/notes.txt; to keep what is written to a directory: --write DIR" "$(says run -- sh -c 'echo 1 >~/notes.txt')"
stays "the same one again: once" "" "$(says run -- sh -c 'echo 1 >~/notes.txt; exit 1')"
is "a shell's settings, git's and a key of GnuPG's" "~/.bashrc ~/.gitconfig ~/.gnupg/private-keys-v1.d/K.key" "$(for made in .bashrc .gitconfig .gnupg/private-keys-v1.d/K.key; do says run -- sh -c 'mkdir -p ~/.gnupg/private-keys-v1.d; echo 1 >~/"$1"' - "$made" | sed -n "s/^sbx: $gone \([^;]*\);.*/\1/p"; done | xargs)"
like "another one" "$(says run -- sh -c 'mkdir -p ~/a/b; echo 1 >~/a/b/c; exit 3')" "$gone ~/a/b/c; "
like "of many three are named" "$(says run -- sh -c 'mkdir ~/many; for i in 1 2 3 4 5 6 7 8 9; do echo 1 >~/many/$i; done')" "$gone ~/many/[1-9], ~/many/[1-9], ~/many/[1-9], \.\.\.; "
mkdir "$HOME/kept" "$HOME/beside" && git -C "$HOME/beside" init -q && echo 1 >"$HOME/seen"
is "in a directory that is given it stays: nothing said" "1 " "$(says run --write "$HOME/kept" -- sh -c 'echo 1 >~/kept/x'; cat "$HOME/kept/x") $(says run --read "$HOME/seen" --cache "$HOME/store" -- sh -c 'cat ~/seen >~/store/x')"
like "beside the project" "$(cd "$HOME/beside" && says run -- sh -c 'echo 1 >../x')" "$gone ~/x; "
like "a hostile name does nothing" "$(says run -- sh -c 'printf 1 >"$(printf "$HOME/a\033[2J\nsbx: b")"')" "$gone ~/a[^[:cntrl:]]*sbx: b; "
is "an agent: once in its session, without the flag" "sbx: $gone ~/one; files below the project stay" "$(python3 -c '
import os, subprocess, sys
for name in "one", "two":
    subprocess.run([sys.argv[1], "run", "--report", "agent", "--", "sh", "-c", "echo 1 >~/" + name], env=dict(os.environ, CLAUDECODE="1"))' "$SBX" 2>&1)"
installed='installed in the private home, and gone with the box:'
is "programs below a name with a dot: each" "sbx: $installed ~/.local/bin/by-pip; to keep it, install it again with: --cache ~/.local
sbx: $installed ~/.npm-global/bin/by-npm; to keep it, install it again with: --cache ~/.npm-global" "$(says run -- sh -c 'mkdir -p ~/.npm-global/bin ~/.local/bin ~/.local/lib ~/.config/bin.d; echo 1 >~/.local/bin/by-pip; ln -s ../lib/x ~/.npm-global/bin/by-npm; echo 1 >~/.local/lib/x; echo 1 >~/.config/bin.d/x' | sort)"
like "a fifth program: no line of its own, and no fix of nothing" "$(says run -- sh -c 'mkdir -p ~/.cargo/bin; for i in 1 2 3 4 5; do echo 1 >~/.cargo/bin/p$i; done' | tail -1)" "$installed other files\$"
odd=$(says run -- sh -c 'mkdir -p "$HOME/.my tools/bin"; echo 1 >"$HOME/.my tools/bin/x"')
like "a directory with a blank: as a shell takes it" "$odd" "with: --cache ~/'.my tools'\$"
is "and with what is printed it is there in the next run" 1 "$(eval "set -- ${odd##*with: }"; says run "$@" -- sh -c 'mkdir -p "$HOME/.my tools/bin"; echo 1 >"$HOME/.my tools/bin/x"'; "$SBX" run "$@" -- cat "$HOME/.my tools/bin/x" 2>&1)"
is "that cache keeps them: nothing said" "1 " "$("$SBX" run --cache '~/.local' -- sh -c 'mkdir -p ~/.local/bin; echo 1 >~/.local/bin/by-pip' 2>&1)$("$SBX" run --cache '~/.local' -- cat "$HOME/.local/bin/by-pip" 2>&1) "
like "an agent: without the flag" "$(says run --report agent -- sh -c 'mkdir -p ~/.cargo/bin; echo 1 >~/.cargo/bin/tt')" "$installed ~/.cargo/bin/tt; your next command does not have it\$"
is "none of it in a session, which keeps them" "" "$(sbx session create left >/dev/null 2>&1; says run -s left -- sh -c 'echo 1 >~/kept.txt'; sbx session discard left >/dev/null 2>&1)"

done_testing
