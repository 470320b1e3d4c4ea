#!/bin/bash
# --ask-program: connections to what is only not listed wait for a program's answer; nothing else is asked for,
# whatever goes wrong means no, and the program is none that a box may write.
. "$(dirname "$0")/../net/inside.sh"
unlike() { stays "$1" "" "$(grep -E -- "$3" <<<"$2")"; } # after a run
check() { if "${@:2}"; then pass "$1"; else fail "$1"; fi; }

tools=$work/tools requests=$work/requests
mkdir -p "$tools" "$work/given" && chmod 755 "$work" "$tools"
# A program that keeps what it was asked and runs these lines; PROGRAM is its path.
answers() {
	PROGRAM=$tools/answer
	printf '#!/bin/sh\nread -r line\necho "$line" >>%s\n%s\n' "$requests" "$1" >"$PROGRAM"
	chmod 755 "$PROGRAM"
	: >"$requests"
}
within="timeout 120"
box() { run_box --ask-program "$PROGRAM" --read "$LAB" --read "$tests" "$@" 2>"$work/log"; }
fetch="curl -sS -m 60 --cacert $LAB/ca.pem"
asked() { python3 -c 'import json, sys; print(*("%s:%d" % (r["host"], r["port"]) for r in map(json.loads, open(sys.argv[1]))))' "$requests"; }
say() { echo "echo '{\"answer\":\"$1\"}'"; }

# --- the four answers
answers "$(say run)"
# shellcheck disable=SC2086
like "run: the connection goes on" "$(box -- $fetch http://www.allowed.test/a)" '^GET /a host=www.allowed.test'
stays "and nothing is reported" "" "$(cat "$work/log")"
is "it was asked for by host and port" www.allowed.test:80 "$(asked)"
is "with the program, the project and what may be answered" "curl $PWD ['no', 'once', 'run', 'project'] question 1" "$(python3 -c '
import json, sys
r = json.loads(open(sys.argv[1]).readline())
print(r["program"], r["project"], r["answers"], r["form"], r["version"])' "$requests")"
like "TLS" "$(answers "$(say run)"; box -- $fetch https://www.allowed.test/b)" '^GET /b'
like "by SOCKS" "$(answers "$(say run)"; box -- env -u https_proxy -u http_proxy $fetch -x socks5h://198.18.0.1:1080 https://www.allowed.test/s)" '^GET /s'
like "without a proxy" "$(answers "$(say run)"; box -- env -u https_proxy -u http_proxy $fetch http://www.allowed.test/d)" '^GET /d'
like "a public address" "$(answers "$(say run)"; box -- $fetch http://203.0.113.10/)" '^GET /'
answers "$(say run)"
is "run: asked for once" "2 www.allowed.test:80" "$(box -- bash -c "$fetch http://www.allowed.test/1; $fetch http://www.allowed.test/2" | grep -c '^GET') $(asked)"
answers "$(say once)"
is "once: again for the next connection" "2 www.allowed.test:80 www.allowed.test:80" "$(box -- bash -c "$fetch http://www.allowed.test/1; $fetch http://www.allowed.test/2" | grep -c '^GET') $(asked)"
answers "$(say no)"
like "no: refused in the client's language" "$(box -- bash -c "$fetch http://www.allowed.test/; $fetch -i http://www.allowed.test/")" '"error":"blocked by sbx","host":"www.allowed.test"'
is "asked for once" www.allowed.test:80 "$(asked)"
like "and reported, with nothing else" "$(grep -c . "$work/log") $(cat "$work/log")" '^1 .*blocked www.allowed.test:80 .*and the answer was no; to allow: --allow www.allowed.test:80'

# --- project
answers "$(say project)"
like "project: the connection goes on" "$(box -- $fetch http://www.allowed.test/p)" '^GET /p'
like "it is stored" "$("$SBX" profile show)" '^allow = www.allowed.test:80$'
answers "$(say no)"
like "the next run does not ask" "$(box -- $fetch http://www.allowed.test/q; asked)" '^GET /q'
stays "at all" "" "$(asked)"
like "one that does not ask does not get it" "$("$SBX" run -- $fetch http://www.allowed.test/ 2>&1)" 'blocked by sbx'
like "deny wins" "$(box --deny www.allowed.test -- $fetch http://www.allowed.test/)" 'blocked by sbx'
like "another project has none" "$(mkdir "$work/other"; cd "$work/other" && git init -q . && "$SBX" profile show)" 'nothing was answered'
"$SBX" profile forget www.allowed.test:80
like "it is taken back" "$? $("$SBX" profile show)" '^0 .*nothing was answered'
status "once" 125 "$SBX" profile forget www.allowed.test:80
like "and gone" "$(box -- $fetch http://www.allowed.test/; asked)" 'www.allowed.test:80$'
answers "$(say project)"
box -- bash -c "$fetch http://www.allowed.test/ http://other.test/ https://www.allowed.test/" >/dev/null
is "three are kept" 3 "$("$SBX" profile show | grep -c '^allow')"
"$SBX" profile forget other.test:80
is "one is taken back" "www.allowed.test:80 www.allowed.test:443" "$("$SBX" profile show | sed -n 's/^allow = //p' | xargs)"
"$SBX" profile forget www.allowed.test:80 www.allowed.test:443
is "no stored file is left" "1 " "$("$SBX" profile show | grep -c 'nothing was answered') $(find "$XDG_STATE_HOME/sbx/answers" -type f)"

# --- what no answer opens: nobody is asked
answers "$(say run)"
for refused in "--deny www.allowed.test|http://www.allowed.test/" "-d|http://10.9.9.9/" "-d|http://169.254.169.254/" \
	"-d|http://127.0.0.1:7000/" "-d|http://[::1]:7000/" "-d|http://198.51.100.7:7000/" "--deny *.allowed.test|https://www.allowed.test/"; do
	options=${refused%%|*}
	[ "$options" != -d ] || options="--deny nothing.test"
	: >"$requests"
	set -f
	# shellcheck disable=SC2086
	out=$(box $options -- $fetch "${refused#*|}" 2>&1)
	set +f
	unlike "not reached: ${refused#*|} with $options" "$out" '^GET|^hello'
	stays "not asked for: ${refused#*|}" "" "$(asked)"
done
answers "$(say run)"
for name in private.test meta.test loop.test mapped.test nat64.test host.test host-private.test; do
	unlike "a yes does not lead there: $name" "$(box -- $fetch "http://$name:80/" 2>&1)" '^GET|^hello'
	like "the report says why: $name" "$(cat "$work/log")" "could not reach $name:80"
done
unlike "a denied address behind a name" "$(box --deny 203.0.113.0/24 -- $fetch http://www.allowed.test/)" '^GET'
like "--network none: an error that says so" "$(box --network none -- true; echo $?; cat "$work/log")" 'nothing is asked for where'
answers "$(say run)"
unlike "another name in TLS" "$(box -- $fetch --connect-to other.test:443:www.allowed.test:443 https://other.test/ 2>&1)" '^GET'

# --- a program that is no good: no, and one line
bad() { # NAME, WORDS OF THE REPORT, LINES OF THE PROGRAM
	answers "$3"
	like "$1: no" "$(box -- $fetch http://www.allowed.test/)" 'blocked by sbx'
	is "$1: one line" 1 "$(grep -c 'ask-program' "$work/log")"
	like "$1: says so" "$(cat "$work/log")" "the program of --ask-program $2: that means no"
}
bad "it dies" "ended without an answer" 'exit 1'
bad "it kills itself" "ended without an answer" 'kill -9 $$'
bad "it says half a line" "gave an answer that is none" 'printf "{\"answer\":\"run\""'
bad "it says no newline" "gave an answer that is none" 'printf "{\"answer\":\"run\"}"'
bad "it says words" "gave an answer that is none" 'echo yes'
bad "an unknown answer" "gave an answer that is none" "$(say always)"
bad "two answers in one" "gave an answer that is none" 'echo "{\"answer\":\"no\",\"answer\":\"run\"}"'
bad "two lines at once" "gave an answer that is none" 'printf "{\"answer\":\"run\"}\n{\"answer\":\"run\"}\n"'
bad "no end" "gave an answer that is none" 'head -c 100000 /dev/zero | tr "\\0" " "'
bad "a NUL" "gave an answer that is none" 'printf "{\"answer\":\"run\"}\\0\n"'
bad "it cannot be executed" "ended without an answer" 'exit 126'
printf 'no program\n' >"$tools/none" && chmod 755 "$tools/none"
PROGRAM=$tools/none
like "no program at all: no" "$(box -- $fetch http://www.allowed.test/; cat "$work/log")" 'ended without an answer'

# --- it hangs: others go on, the connection ends in half a minute, and so does the program
answers 'echo $$ >'"$work/pid"'; setsid sh -c "sleep 1000 & exec sleep 1000" </dev/null >/dev/null 2>&1 & echo $! >'"$work/apart"'; sleep 1000'
begun=$(date +%s)
like "it hangs: no, in half a minute" "$(box -a other.test -- bash -c "$fetch http://www.allowed.test/ & sleep 0.5; $fetch http://other.test/meanwhile >meanwhile; test -e /dev/null; wait")" 'blocked by sbx'
took=$(($(date +%s) - begun))
check "in half a minute, and not more than a moment later" [ "$took" -ge 26 -a "$took" -le 60 ]
like "another connection went on" "$(cat meanwhile)" '^GET /meanwhile'
like "it says so" "$(cat "$work/log")" 'gave no answer in time'
check "what it began in another session, too" bash -c "sleep 1; [ -s $work/apart ] && ! kill -0 $(cat "$work/apart") 2>/dev/null && ! pgrep -s $(cat "$work/apart") sleep"
check "the program is killed" bash -c "[ -s $work/pid ] && ! kill -0 $(cat "$work/pid") 2>/dev/null"
answers "$(say once)"
is "many at once: one question" "20 www.allowed.test:80" "$(box -- bash -c "for i in {1..20}; do $fetch http://www.allowed.test/ & done; wait" | grep -c '^GET') $(answers 'sleep 1; '"$(say run)"; box -- bash -c "for i in {1..20}; do $fetch http://www.allowed.test/ & done; wait" >/dev/null; asked)"
answers "$(say no)"
box -- curl -s -o /dev/null 'http://h[1-300].invalid/'
is "a flood is asked for 256 times" 256 "$(asked | wc -w)"
like "then it is no" "$("$SBX" audit --denied --since 1m --host h300.invalid)" 'too much was asked for'

# --- how it is started
answers 'ls -l /proc/self/fd | grep -c socket: >'"$work/given/sockets"'; pwd >'"$work/given/cwd"'; env >'"$work/given/env"'; ls /proc/self/fd | xargs >'"$work/given/fds"'; cat /proc/self/stat >'"$work/given/stat"'; '"$(say run)"
SECRET_TOKEN=x LD_PRELOAD_X=x BASH_ENV=x box -- $fetch http://www.allowed.test/ >/dev/null
is "in /" / "$(cat "$work/given/cwd")"
is "with an environment that is built" "HOME PATH PWD" "$(sed 's/=.*//' "$work/given/env" | grep -Ev '^(_|LANG|LC_ALL|TZ|USER|LOGNAME|OLDPWD|SHLVL|DISPLAY|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS|XAUTHORITY|WAYLAND_DISPLAY)$' | sort | xargs)"
is "the directories of PATH are fixed" PATH=/usr/local/bin:/usr/bin:/bin "$(grep ^PATH= "$work/given/env")"
is "no socket of ours" 0 "$(cat "$work/given/sockets")"
is "without a terminal" 0 "$(cut -d' ' -f7 "$work/given/stat")"

# --- what its interpreter reads from the home by itself may be the box's
site=$HOME/.local/lib/python$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')/site-packages
mkdir -p "$HOME/.local/lib"
printf '#!/usr/bin/python3\nprint("{\\"answer\\":\\"no\\"}", flush=True)\n' >"$tools/python"
chmod 755 "$tools/python"
plant="mkdir -p $site; echo 'import os; os.mkdir(\"$work/out\"); os.write(1, b\"{\\\"answer\\\":\\\"run\\\"}\\n\"); os._exit(0)' >$site/x.pth"
unlike "what the box puts there does not answer" "$(PROGRAM=$tools/python box --write "$HOME/.local/lib" -- bash -c "$plant; $fetch http://www.allowed.test/" 2>&1)" '^GET'
stays "and is not run" "" "$(ls -d "$work/out" 2>/dev/null)"
mkdir "$work/out" 2>/dev/null && rmdir "$work/out"
like "it would be, where the box cannot write" "$(PROGRAM=$tools/python box -- $fetch http://www.allowed.test/ 2>&1)" '^GET'
rm -rf "$HOME/.local/lib" "$work/out"

# --- where it may lie
refused() { # NAME, PATTERN, OPTIONS...
	like "refused, and nothing ran: $1" "$(timeout 60 "$SBX" run "${@:3}" -- touch ran 2>&1; ls -d ran 2>&1)" "ask-program.*$2"
	rm ran 2>/dev/null && fail "nothing ran: $1"
}
accepted() { like "accepted: $1" "$(PROGRAM=$2 box "${@:3}" -- $fetch http://www.allowed.test/)" '^GET'; }
answers "$(say run)"
BOXES='in .* where boxes may write'
cp "$PROGRAM" in-project
mkdir -p "$work/shared" "$work/links" && cp "$PROGRAM" "$work/shared/answer"
refused "in the project" "$BOXES" --ask-program ./in-project
refused "in a project that is read-only now" "$BOXES" --project read --ask-program ./in-project
refused "in a session" "$BOXES" --review --apply no --ask-program ./in-project
refused "in what --write names" "$BOXES" --write "$work/shared" --ask-program "$work/shared/answer"
refused "the very file" "file that the box may write" --write "$PROGRAM" --ask-program "$PROGRAM"
refused "in sbx's own state" "$BOXES" --ask-program "$(mkdir -p "$XDG_STATE_HOME/sbx"; chmod 700 "$XDG_STATE_HOME/sbx"; cp "$PROGRAM" "$XDG_STATE_HOME/sbx/"; echo "$XDG_STATE_HOME/sbx/answer")"
ln -s "$PWD/in-project" "$work/links/to-project" && ln -s "$PROGRAM" link-in-project && ln -s "$PROGRAM" "$work/links/good" && ln -s "$PWD" "$work/links/directory"
refused "a link to the project" "$BOXES" --ask-program "$work/links/to-project"
refused "a link in the project" "$BOXES" --ask-program ./link-in-project
refused "a link to it by way of the project" "$BOXES" --ask-program "$(ln -s "$PWD/link-in-project" "$work/links/twice"; echo "$work/links/twice")"
refused "by a link to the directory" "$BOXES" --ask-program "$work/links/directory/in-project"
accepted "by a good link" "$work/links/good"
accepted "by a relative name" "../tools/answer"
cp /bin/sh interpreter
script() { # FIRST LINE -> a program outside with it
	sed "1s|.*|$1|" "$PROGRAM" >"$tools/script" && chmod 755 "$tools/script"
	echo "$tools/script"
}
refused "its interpreter is in the project" "$BOXES" --ask-program "$(script "#!$PWD/interpreter")"
refused "an argument of its first line is" "$BOXES" --ask-program "$(script "#!/bin/sh $PWD/in-project")"
refused "an interpreter that is a script" "is a script itself" --ask-program "$(script "#!$PROGRAM")"
refused "env with options" "not env and a name" --ask-program "$(script "#!/usr/bin/env -S sh")"
refused "an interpreter by a relative path" "names no path" --ask-program "$(script "#!sh")"
refused "env with a name that is not there" "not in /usr/local/bin" --ask-program "$(script "#!/usr/bin/env no-such-program")"
accepted "env with a name" "$(script "#!/usr/bin/env sh")"
accepted "an option" "$(script "#!/bin/sh -e")"
cp "$PROGRAM" "$tools/twice" && ln "$tools/twice" "$work/shared/hard"
refused "with another name" "has another name" --ask-program "$tools/twice"
refused "no such file" "No such file" --ask-program "$tools/absent"
refused "a directory" "not a program" --ask-program "$tools"
refused "a pipe" "not a regular file" --ask-program "$(mkfifo "$tools/pipe"; echo "$tools/pipe")"
refused "not executable" "chmod" --ask-program "$(cp "$PROGRAM" "$tools/plain"; chmod 644 "$tools/plain"; echo "$tools/plain")"
chmod +x "$tools/plain" && accepted "executable by the chmod" "$tools/plain"
# What is put in its place after the start of the box is not run.
answers "$(say run)"
like "it is held by its descriptor" "$(box -a other.test -- bash -c "$fetch http://other.test/ >/dev/null; until [ -e go ]; do sleep 0.05; done; $fetch http://www.allowed.test/" & sleep 1; printf '#!/bin/sh\necho "{\\"answer\\":\\"no\\"}"\n' >"$tools/new"; chmod 755 "$tools/new"; mv "$tools/new" "$PROGRAM"; touch go; wait)" '^GET'

# --- a project's own file cannot name it
for line in 'ask-program = /bin/true' 'ask = yes'; do
	for trusted in no yes; do
		printf '[network]\n%s\n' "$line" >.sbx.ini
		[ "$trusted" = no ] || "$SBX" profile trust >/dev/null 2>&1
		like "a project's file, trusted $trusted: ${line%% *}: nothing ran" "$("$SBX" run -- touch ran 2>&1)$(ls ran 2>/dev/null)" "unknown key '${line%% *}'.*[^n]$"
	done
done
rm -f .sbx.ini
# --- what was not written by sbx is not read
"$SBX" run --ask-program "$(answers "$(say project)"; echo "$tools/answer")" -- $fetch http://www.allowed.test/ >/dev/null 2>&1
kept=$(find "$XDG_STATE_HOME/sbx/answers" -type f)
printf '[files]\nwrite = /\n' >>"$kept"
like "a kept file with more than rules" "$(box -- true; cat "$work/log")" 'not what sbx wrote'
like "a run that does not ask does not read it" "$("$SBX" run -- echo ran 2>&1)" '^ran$'
done_testing
