#!/bin/bash
# What sbx prints as JSON is what sbx-json(5) says, whatever names and commands are in it.
. "$(dirname "$0")/../lib.sh"
own=$(cd "$(dirname "$0")" && pwd)
project=$(new_project)
cd "$project" || exit 1
hostile=$'q\e[2J"\\\xff\xc2\x9b\n'
touch "$work/used"

# A form, and the command that prints it.
form() {
	printf '%s\n' "$1" >>"$work/used"
	is "$1: ${*:2}" "1 text" "$("${@:2}" 2>/dev/null | SEEN=$work/seen "$own/json_form.py" "$1" 2>&1 | tail -5)"
}
last_error() { "$@" 2>&1 >/dev/null | tail -1; }

# Each check sees what it is for.
bad() { is "$1" "$2" "$(printf '%s\n' "$3" | SEEN=/dev/null "$own/json_form.py" "${4:-quarantine}" 2>&1 | tail -1)"; }
bad "a member that the page has not is seen" "things[].x is not in the page" '{"version":1,"form":"quarantine","things":[{"id":"a","path":"b","x":1}]}'
bad "one that is missing" "things[].path is missing" '{"version":1,"form":"quarantine","things":[{"id":"a"}]}'
bad "one of another type" "things[].id is no ['string']: 1" '{"version":1,"form":"quarantine","things":[{"id":1,"path":"b"}]}'
bad "no version" "version is missing" '{"form":"quarantine","things":[]}'
event='{"version":1,"form":"event","time":"","run":1,"event"'
bad "a value that is not in the list" "event has a value that is not in the page: 'begun'" "$event:\"begun\"}" event
bad "nor in one of a table" "end has a value that is not in the page: 'over'" "$event:\"exit\",\"end\":\"over\"}" event
bad "a member of an object of the page" "kind has a value that is not in the page: 'seen'" "$event:\"denied\",\"kind\":\"seen\"}" event
bad "a raw control character" "a raw control character" $'{"version":1,\t"form":"quarantine","things":[]}'

git init -q . && echo all: >Makefile && sleep 0.1
form report last_error "$SBX" run --report json -- sh -c 'exit 3'
form report last_error "$SBX" run --report json --timeout 100ms -- sleep 9
form report last_error "$SBX" run --report json -- "./$hostile"
mkdir -p "$work/read"
form report last_error "$SBX" run --report json --explain --read "$work/read" -- bash -c 'echo x >"$1/$2"; echo x >>Makefile; mkdir .idea "$2"; mkdir "$2/.vscode"; ln -s /proc/"$2" link; sleep 0.2' - "$work/read" "$hostile"
event_lines() { # OPTIONS AND COMMAND
	"$SBX" run --report-fd 5 "$@" 5>"$work/read/events" >/dev/null 2>&1
	grep '"form":"event"' "$work/read/events"
}
form event event_lines --explain --timeout 3s --read "$work/read" -- bash -c 'echo x >"$1/$2"; curl -s http://refused.invalid/; sleep 60' - "$work/read" "$hostile"
form event sh -c '"$SBX" run --status-fd 5 -- true 5>&1 >/dev/null'
is "a denial, a limit and the exit are events" "denied denied exit limit" "$(sed -n 's/.*"form":"event","event":"\([a-z]*\)".*/\1/p' "$work/read/events" | sort | xargs)"
is "the last but one is the report" report "$(tail -2 "$work/read/events" | sed -n '1s/.*"form":"\([a-z]*\)".*/\1/p')"
is "a finding has fields" "Makefile changed warning 1" "$(echo x >>Makefile; last_error "$SBX" run --report json -- sh -c 'echo y >>Makefile' | python3 -c '
import json, sys
f = json.load(sys.stdin)["findings"][0]
print(f["path"], f["kind"], f["severity"], f["count"])')"
is "of a row three paths, then the number with its name" "4 **/.idea (127 more)" "$(last_error "$SBX" run --report json -- bash -c 'sleep 0.15; for i in {1..130}; do mkdir -p sub/$i/.idea; done' | python3 -c '
import json, sys
f = [f for f in json.load(sys.stdin)["findings"] if f["kind"] == "changed"]
print(sum("path" in x for x in f), f[-1].get("path"))')"
is "a fix is a field" "sbx quarantine restore" "$(last_error "$SBX" run --report json -- mkdir .vscode | python3 -c '
import json, sys
print(" ".join(f["fix"].split()[:3])) if (f := [f for f in json.load(sys.stdin)["findings"] if f["kind"] == "moved"][0]) else None')"
form plan env GH_TOKEN=x "$SBX" plan --json --tmpfs "~/made:size=1M,mode=700" -- "$hostile" -x
form why "$SBX" why --json /etc "$work/read/$hostile" /nowhere "~/.ssh/id" Makefile github.com 127.0.0.1:80 @npm '$HOME' '$GH_TOKEN' '$NOT_SET' ptrace getpid "Read-only file system"
form why "$SBX" why --json --network none github.com
form why "$SBX" why --json --network host github.com 192.0.2.1
answers() { # WORDS...
	"$SBX" why --json "$@" | python3 -c '
import json, sys
for a in json.load(sys.stdin)["answers"]:
    print(a["kind"], a["verdict"], *(x for f in a["fixes"] for x in f.values()))'
}
mkdir -p "$work/two words" && touch "$work/two words/x"
is "why: a path" "path absent --read $work/two words/x --write $work/two words/x" "$(answers "$work/two words/x")"
is "why: its fix, as a program gives it" "path read --write $work/two words/x" "$(answers --read "$work/two words/x" "$work/two words/x")"
is "why: the project" "path write" "$(answers Makefile)"
is "why: hidden" "path hidden" "$(answers --hide "$work/two words" "$work/two words/x")"
is "why: hosts" $'host unreachable --allow refused.invalid\nhost reachable\nhost denied' "$(answers -a a.invalid -a b.invalid --deny b.invalid refused.invalid a.invalid b.invalid)"
is "why: no network" "host unreachable --network proxy --allow a.invalid" "$(answers --network none a.invalid)"
is "why: variables" $'variable passed\nvariable withheld --pass-env GH_TOKEN\nvariable unset' "$(GH_TOKEN=x HERE=y answers '$HERE' '$GH_TOKEN' '$NOT_SET')"
is "why: system calls" $'syscall allowed\nsyscall by-arguments' "$(answers getpid clone)"
is "why: errors" "error recipe" "$(answers "Read-only file system")"
form result "$SBX" code --json -l bash -c "printf '\\001\\377\\e[2J'; curl -s http://refused.invalid/"
form result "$SBX" code --json --read /nowhere -l bash -c true
form result "$SBX" code --json -l c -c 'int main(void) { return 0; }'
mkdir -p "$work/home/.ssh" "$work/config/sbx" && touch "$work/home/.ssh/config" && echo '[profile]' >"$work/config/sbx/own.ini"
form learned last_error env HOME="$work/home" XDG_CONFIG_HOME="$work/config" "$SBX" learn --json --output lacked -- bash -c 'cat ~/.ssh/config'
form learned last_error "$SBX" learn --json -- bash -c 'cat ~/.netrc "/root/$1"; curl -s http://refused.invalid/' - "$hostile"
form doctor "$SBX" doctor --json
form version "$SBX" version --json
form profiles env XDG_CONFIG_HOME="$work/config" "$SBX" profile list --json
form profile "$SBX" profile show --json default
form profile "$SBX" profile show secrets --json
printf '[files]\nread = /opt\nhide = ./x\n' >.sbx.ini
form profile-status "$SBX" profile status --json
rm .sbx.ini
form agents "$SBX" agent status --json
form agents "$SBX" run --read "$SBX" -- "$SBX" agent status --json
form quarantine "$SBX" quarantine list --json
is "with an entry" .idea "$("$SBX" quarantine list --json | python3 -c 'import json, sys; print(*{t["path"].split("/")[-1] for t in json.load(sys.stdin)["things"]} & {".idea"})')"
"$SBX" run -a refused.invalid --publish 18124 -- sh -c 'echo x >begun; sleep 30; :' "$hostile" 2>/dev/null &
box=$!
wait_for 30 test -e begun
"$SBX" run --cache "~/.kept" -- sh -c 'echo x >~/.kept/x'
form caches "$SBX" cache list --json
form boxes "$SBX" ps --json
logged=$("$SBX" run -d -- printf '%s' "$hostile")
"$SBX" wait "$logged"
form boxes "$SBX" ps --json --all
form output "$SBX" logs --json "$logged"
printed() { "$@" 2>/dev/null | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(*[r.get(m) for m in ("end", "status", "exit", "signal", "timed_out")], repr(r["stdout"]), repr(r.get("stderr")), r.get("truncated"))'; }
form result "$SBX" run --json -- "./$hostile"
form result "$SBX" run --json --explain --timeout 3s --read "$work/read" -- bash -c 'echo x >"$1/$2"; echo x >>Makefile; mkdir .idea; printf "$2"; curl -s http://refused.invalid/; sleep 60' - "$work/read" "$hostile"
is "run --json: output apart, and the status" "exit 3 3 None False 'out\\n' 'err\\n' False 3" "$(printed "$SBX" run --json -- sh -c 'echo out; echo err >&2; exit 3') $("$SBX" run --json -- sh -c 'exit 3' >/dev/null; echo $?)"
is "by a signal" "signal 143 None 15 False '' '' False 143" "$(printed "$SBX" run --json -- sh -c 'kill -TERM $$') $("$SBX" run --json -- sh -c 'kill -TERM $$' >/dev/null; echo $?)"
is "at a limit" "limit 124 None None True 'before\\n' '' False" "$(printed "$SBX" run --json --timeout 500ms -- sh -c 'echo before; sleep 60')"
is "one that does not begin" "failed 125 None None False '' True" "$(printed "$SBX" run --json --read relative -- true | sed "s/[\"']sbx: .*/True/")"
is "a file that is opened anew is the same stream" "exit 0 0 None False 'one\\ntwo\\n' '' False" "$(printed "$SBX" run --json -- sh -c 'echo one >/dev/stdout; echo two >/dev/stdout')"
is "what is denied and found is in it" "Makefile changed" "$(echo x >>Makefile; "$SBX" run --json -- sh -c 'echo y >>Makefile' | python3 -c 'import json, sys; print(*[(f.get("path"), f["kind"]) for f in json.load(sys.stdin)["findings"] if f["kind"] == "changed"][0])')"
cat >"$work/thief" <<'END'
import os
for _ in range(6):
    if os.fork() == 0:
        own = os.open("/proc/self/fd/2", os.O_RDONLY)
        while True:
            os.read(own, 1)
for _ in range(20000):
    os.write(2, b"x")
END
for i in {1..6}; do timeout -s KILL 20 "$SBX" run --json --timeout 5s --read "$work/thief" -- python3 "$work/thief" | grep -o '"end":"[a-z]*"'; done >"$work/ends"
is "a box that reads its own output holds nothing up" "6 end:exit" "$(uniq -c "$work/ends" | xargs)"
is "a flood is cut, and holds nothing up" "16777216 True 0" "$("$SBX" run --json -- sh -c 'head -c 50000000 /dev/zero | tr "\\0" x' | python3 -c 'import json, sys; r = json.load(sys.stdin); print(len(r["stdout"]), r["truncated"], r["exit"])')"
form result "$SBX" wait --json "$logged"
live=$("$SBX" run -d -- sh -c 'echo out; echo err >&2; until [ -e ended ]; do sleep 0.05; done; exit 4')
form result "$SBX" exec --json "$live" -- printf '%s' "$hostile"
is "exec --json" "exit 5 5 None False 'in\\n' 'err\\n' False" "$(printed "$SBX" exec --json "$live" -- sh -c 'cat; echo err >&2; exit 5' <<<in)"
is "by a signal" "signal 137 None 9 False '' '' False 137" "$(printed "$SBX" exec --json "$live" -- sh -c 'kill -9 $$') $("$SBX" exec --json "$live" -- sh -c 'kill -9 $$' >/dev/null; echo $?)"
is "a program that is not there" "failed 127 None None False" "$(printed "$SBX" exec --json "$live" -- no-such-program | cut -d" " -f1-5)"
touch ended
is "wait --json" "exit 4 4 None False 'out\\nerr\\n' '' False 4" "$(printed "$SBX" wait --json "$live") $("$SBX" wait "$live" --json >/dev/null; echo $?)"
live=$("$SBX" run -d -- sleep 1000)
"$SBX" exec --json "$live" -- sleep 1000 >"$work/ended" &
ended=$!
sleep 0.5
kill -9 "$live"
wait $ended
is "the box ends first" "box 137" "$(printed cat "$work/ended" | cut -d" " -f1,2)"
is "its sbx was killed, and the box with it" "signal 137 None 9 False '' '' False" "$(printed "$SBX" wait --json "$live")"

# --- one object: the same members, the same id, also where nothing began
members() { python3 -c 'import json, sys; r = json.load(sys.stdin); print(*sorted(r.keys() - {"language"}))' 2>&1; }
id_of() { python3 -c 'import json, sys; print(repr(json.load(sys.stdin)["id"]))' 2>&1; }
form started "$SBX" run -d --json -- true
live=$("$SBX" run -d --json -- sh -c 'until [ -e over ]; do sleep 0.05; done' | python3 -c 'import json, sys; print(json.load(sys.stdin)["id"])')
wanted="denied denied_more end error exit findings form id limits memory_peak session signal status stderr stdout timed_out truncated version wall_ms"
is "run" "$wanted" "$("$SBX" run --json -- true | members)"
is "exec" "$wanted" "$("$SBX" exec --json "$live" -- true | members)"
is "code" "$wanted" "$("$SBX" code --json -l bash -c true | members)"
is "ps, exec and a start have one id, a string" "'$live' '$live'" "$("$SBX" exec --json "$live" -- true | id_of) $("$SBX" ps --json | python3 -c 'import json, sys; print(*[repr(b["id"]) for b in json.load(sys.stdin)["boxes"] if b["id"] == sys.argv[1]])' "$live")"
touch over
is "wait" "$wanted" "$("$SBX" wait --json "$live" | members)"
is "its id" "'$live'" "$("$SBX" wait --json "$live" | id_of)"
for words in "run --json --nosuch -- true" "run --nosuch --json -- true" "run --json" "run -d --json --nosuch -- true" "run -d --json --review -- true" \
	"run -d --json --read relative -- true" "run --json --review -- true" "exec --json 999999999 -- true" "exec --json --tty 1 -- true" "wait --json 999999999" \
	"wait --json" "code --json -l nolanguage -c x" "code --json nowhere.py"; do
	# shellcheck disable=SC2086 # words
	form result "$SBX" $words
	# shellcheck disable=SC2086 # words
	is "an error is that object: $words" "failed 125 True 125 0" "$({ "$SBX" $words 2>"$work/err"; echo $? >"$work/status"; } | python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["end"], r["status"], len(r["error"]) > 10)') $(cat "$work/status") $(wc -c <"$work/err")"
done
"$SBX" run -d --json -- no-such-program >"$work/absent"
is "a background command that is not there" "127 failed 127 True" "$? $(python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["end"], r["status"], "no-such-program" in r["error"])' <"$work/absent")"
is "and without --json the words are as before" "0 sbx: unknown option '--nosuch', see --help" "$("$SBX" run --nosuch -- --json 2>&1 >/dev/null | wc -l | sed 's/1/0/') $("$SBX" run --nosuch -- --json 2>&1 >/dev/null)"
kill "$box" && wait "$box"
"$SBX" run -a refused.invalid -- bash -c 'exec -a "$1" curl -s http://denied.invalid/' - "$hostile" 2>/dev/null
form blocked "$SBX" run -- curl -s http://denied.invalid/
form connection "$SBX" audit --json
form reported sh -c "'$SBX' audit --run \$('$SBX' audit | awk 'END { print \$2 }') --json | grep reported"
form changed "$SBX" audit --changed --json
mkdir -p "$work/tools" && printf '#!/bin/sh\nread -r line\necho "$line" >%s\necho "{\"answer\":\"no\"}"\n' "$work/tools/question" >"$work/tools/answer" && chmod 755 "$work/tools/answer"
"$SBX" run --ask-program "$work/tools/answer" -- bash -c 'exec -a "$1" curl -s http://denied.invalid/' - "$hostile" >/dev/null 2>&1
form question cat "$work/tools/question"
seq 200 >moved
if "$SBX" session create one >/dev/null 2>&1; then
	"$SBX" run -s one -- bash -c 'echo x >"$1"; mkdir .vscode; rm Makefile' - "$hostile" 2>/dev/null
	"$SBX" session snapshot one >/dev/null 2>&1
	form sessions "$SBX" session list --json
	form session "$SBX" session show --json one
	form session-log "$SBX" session log --json one
	"$SBX" run -s one -- sh -c 'mv moved a-name; mkdir many; cd many; seq 1001 | xargs touch'
	form session-diff "$SBX" session diff --json one
	form started "$SBX" run -d --json -s one -- sleep 60
	form boxes "$SBX" ps --json
	"$SBX" stop --all >/dev/null 2>&1
	form result "$SBX" run --json -s one -- sh -c 'echo x >later'
	is "of a run in a session: what it has changed" "one Makefile later" "$("$SBX" run --json -s one -- true | python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["session"], *[c["path"] for c in r["changed"] if c["path"] in ("later", "Makefile")])')"
	# The others need BPF programs: tests/e2e/guard.sh.
	is "each optional member was printed" "" "$(SEEN=$work/seen "$own/json_form.py" --unseen 2>&1 | grep -v '^report bytes_')"
else
	printf '%s\n' sessions session session-log session-diff >>"$work/used"
	skip "sessions" "they need a file system that this machine has not"
fi
is "each form of the page was compared" "$("$own/json_form.py" --forms)" "$(sort -u "$work/used" | xargs)"
for verb in "profile groups" "quarantine show x" "agent list" "cache clear x"; do
	like "no --json: $verb" "$("$SBX" $verb --json 2>&1)" '^sbx: --json is for sbx'
done
done_testing
