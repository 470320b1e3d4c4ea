#!/bin/bash
# sbx run -d and sbx logs: a run goes on without its caller, all of its output is found, and nobody else has it.
. "$(dirname "$0")/../lib.sh"
export XDG_STATE_HOME=$work/state
mkdir -m 700 "$XDG_STATE_HOME"
boxes=$XDG_STATE_HOME/sbx/boxes
project=$(new_project)
cd "$project" || exit 1
lists() { "$SBX" ps | awk '{ print $1 }' | grep -qx "$1"; }
gone() { ! lists "$1"; }
member() { python3 -c 'import json, sys; d = json.load(sys.stdin); print(*[d.get(m) for m in sys.argv[1:]])' "$@" 2>&1; }

# --- begin, output, end
run=$(echo never | "$SBX" run -d -- bash -c 'echo out; echo err >&2; read -r line; echo "stdin: $? $line"; until [ -e go ]; do sleep 0.05; done; echo last; exit 7' 2>"$work/err")
is "it prints an id alone" "0 " "$(grep -vcx '[0-9]*' <<<"$run") $(cat "$work/err")"
lists "$run" && pass "ps lists it" || fail "ps lists it" "$("$SBX" ps)"
wait_for 30 eval '"$SBX" logs "$run" | grep -q stdin'
is "stdout and stderr are kept, stdin is empty" "out err stdin: 1" "$("$SBX" logs "$run" | xargs)"
is "its files are the caller's alone" "700 600" "$(stat -c %a "$boxes" "$boxes"/* "$boxes"/*/{entry,output} | uniq | xargs)"
"$SBX" wait "$run" &
waiting=$!
"$SBX" logs -f "$run" >"$work/followed" &
follower=$!
sleep 0.3
touch go
wait $waiting
is "wait returns its status" 7 $?
wait $follower
is "logs -f prints until its end" "0 last" "$? $(tail -1 "$work/followed")"
wait_for 30 gone "$run"
is "its output is there afterwards" "last" "$("$SBX" logs "$run" | tail -1)"
is "and its status" 7 "$("$SBX" wait "$run"; echo $?)"
is "it is named as one that has ended" "125 sbx: run $run has ended: exit 7; its output: sbx logs $run" "$("$SBX" exec "$run" -- true 2>"$work/err"; echo "$? $(cat "$work/err")")"
is "stop and kill have nothing to do" "ended: $run 0 ended: $run 0" "$(echo $("$SBX" stop "$run"; echo $?; "$SBX" kill "$run"; echo $?))"
is "JSON has both" "0 7 False 7" "$("$SBX" logs --offset 0 --json "$run" | member offset status live status)"
next=$("$SBX" logs --json "$run" | member next)
like "from the next byte on there is nothing" "$("$SBX" logs --offset "$next" --json "$run" | member offset) [$("$SBX" logs --offset "$next" "$run")]" "^${next:-none} \[\]$"
is "by offset" "err" "$("$SBX" logs --offset 4 "$run" | head -1)"
refused_as "no such run" "^sbx: no output of a run '1'" "$SBX" logs 1

# --- a start that fails
is "a command that is not there" "127 0" "$("$SBX" run -d -- no-such-command >"$work/out" 2>"$work/err"; echo "$? $(wc -l <"$work/out")")"
like "says so" "$(cat "$work/err")" no-such-command
refused_as "a wrong option" "^sbx: .*relative" "$SBX" run -d --read relative -- true
for option in --review --ask --die-with-parent; do
	is "$option cannot go with it" "125 0 $option" "$("$SBX" run -d $option -- true >"$work/out" 2>"$work/err"; echo "$? $(wc -l <"$work/out") $(grep -o -- "^sbx: .*$option" "$work/err" | grep -o -- "$option" | head -1)")"
done
is "no record stays of these" 1 "$(find "$boxes" -mindepth 1 -maxdepth 1 | wc -l)"

# --- where its ports are
like "a port that was chosen is said, on stderr" "$("$SBX" run -d --publish 8126:auto -- sleep 1000 2>&1 >"$work/id")" '^sbx: port 8126 of the box is localhost:[0-9]+$'
"$SBX" kill "$(cat "$work/id")" >/dev/null
"$SBX" run -d --json --publish 8126:auto -- sleep 1000 >"$work/started"
ports=$("$SBX" ps --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["boxes"][0]["ports"])')
is "and in JSON" "$ports" "$(member ports <"$work/started")"
like "which ps has" "$ports" "'inside': 8126"
"$SBX" kill --all >/dev/null

# --- terminal, group, descriptors
cat >"$work/terminal.py" <<'P'
import os, pty, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
text = b""
try:
    while chunk := os.read(terminal, 4096): text += chunk
except OSError: pass
os.waitpid(pid, 0)
os.close(terminal)
print(text.decode().split()[0])
P
run=$(python3 "$work/terminal.py" "$SBX" run -d -- bash -c 'trap "echo hup; exit 3" HUP; tty 2>&1; (: >/dev/tty) 2>/dev/null && echo has one; ls -l /proc/self/fd | grep -c /dev/pts; echo ready; while :; do sleep 0.1; done')
wait_for 30 eval '"$SBX" logs "$run" | grep -q ready'
sleep 0.3
is "it lives on when the terminal is closed, and has no descriptor of it" "listed not a tty 0 ready" "$(lists "$run" && echo listed) $("$SBX" logs "$run" | xargs)"
is "stop ends it" "stopped: $run" "$("$SBX" stop "$run")"
exec 7>"$work/locked"
flock 7
run=$("$SBX" run -d -- sleep 1000)
exec 7>&-
is "it holds no descriptor of its caller's, and kill ends it" "free killed: $run" "$(flock -n "$work/locked" true && echo free) $("$SBX" kill "$run")"
is "with its status, from the first time on" "137 137 " "$("$SBX" wait "$run" 2>&1; echo $?) $("$SBX" wait "$run" 2>&1; echo $?) "
exec 7>"$work/given"
run=$("$SBX" run -d --preserve-fd 7 -- sh -c 'echo given >&7')
exec 7>&-
"$SBX" wait "$run"
is "but what it is given" given "$(cat "$work/given")"
run=$("$SBX" run -d -- sh -c 'sleep 1000')
"$SBX" wait "$run" &
waiting=$!
"$SBX" wait --json "$run" >"$work/waited" &
others=$!
sleep 0.5
kill -9 "$run"
wait $waiting
is "its sbx is killed: who waits gets the status" "137 137" "$? $(wait $others; member status <"$work/waited")"
wait_for 30 gone "$run"
is "its sbx is killed: the status is known" 137 "$(wait_for 30 eval '"$SBX" logs --json "$run" | grep -q status'; "$SBX" wait "$run"; echo $?)"
# Of the children of its sbx the one that writes the file of the output.
front() { for child in $(pgrep -P "$run"); do ls -l "/proc/$child/fd" 2>/dev/null | grep -q '/output$' && echo "$child"; done; }
run=$("$SBX" run -d -- sh -c 'echo before; until [ -e go2 ]; do sleep 0.05; done; exit 5')
kill -9 "$(front)"
lists "$run" && pass "who writes its output is killed: the run goes on" || fail "who writes its output is killed: the run goes on"
touch go2
is "and its status is known" 5 "$("$SBX" wait "$run"; echo $?)"
run=$("$SBX" run -d -- sleep 1000)
kill -9 "$(front)" "$run"
is "both are killed: 137 follows from its record" "137 False 137" "$("$SBX" wait "$run"; echo $?) $("$SBX" logs --json "$run" | member live status)"

# --- the front of --json: of the children of its sbx the one that has the memory for both streams
capturing() { for child in $(pgrep -P "$run"); do ls -l "/proc/$child/fd" 2>/dev/null | grep -c '/memfd:sbx' | grep -qx 2 && echo "$child"; done; }
"$SBX" run --json -- sh -c 'echo first; echo >begun; sleep 1000' >"$work/json" &
run=$!
wait_for 30 test -e begun
kill -9 $run
wait $run 2>/dev/null
wait_for 30 test -s "$work/json"
is "its sbx is killed: the answer says so, with what was printed" "$run signal 137 9 None first" "$(member id end status signal exit stdout <"$work/json" | xargs)"
is "nothing is left of the box, and its status follows from its record" "137 " "$("$SBX" wait "$run"; echo $?) $(pgrep -u "$(id -u)" -f 'sleep 1000$')"
rm begun
"$SBX" run --json -- sh -c 'echo first; echo >begun; until [ -e go3 ]; do sleep 0.05; done; exit 5' >"$work/json" &
run=$!
wait_for 30 test -e begun
kill -9 "$(capturing)"
touch go3
wait $run
is "who captures is killed: the run goes on, and the answer says that it is cut" "5 exit 5 first True" "$? $(member end status stdout truncated <"$work/json" | xargs)"
is "a reader of the answer waits for no process of it" "in time exit 0" "$(timeout 20 bash -c '"$SBX" run --json -- sh -c "exec <&-; sleep 0.5" | cat >"$0"; echo in time' "$work/json") $(member end status <"$work/json")"
is "nor a writer: its stdin is the command's alone" "in time 141 exit 0" "$(timeout 20 bash -c 'yes | "$SBX" run --json -- sh -c "exec <&-; sleep 1" >"$0"; echo in time ${PIPESTATUS[0]}' "$work/json") $(member end status <"$work/json")"

# --- what is printed acts on no terminal, and is bounded
run=$("$SBX" run -d -- printf 'a\033[31mb\302\233\342\202\254\377\000\r\n')
"$SBX" wait "$run"
is "control bytes are shown" "$(printf 'a^[[31mb<U+009B>\342\202\254\377^@')" "$("$SBX" logs "$run" | tr -d '\r')"
is "--raw prints them" "$(printf 'a\033[31mb\302\233\342\202\254\377\000\r\n' | sha256sum)" "$("$SBX" logs --raw "$run" | sha256sum)"
run=$("$SBX" run -d -- bash -c 'for i in {1..40}; do printf "\342\202"; sleep 0.01; printf "\254"; done; echo')
is "a character in two parts is one" "$(printf '€%.0s' {1..40})" "$("$SBX" logs -f "$run")"
run=$("$SBX" run -d -- bash -c 'seq 3000000; until [ -e more ]; do sleep 0.05; done; echo end')
wait_for 60 eval '"$SBX" logs --raw "$run" 2>/dev/null | tail -1 | grep -qx 3000000'
is "the newest of a flood are kept, without a gap" "end 3000000" "$("$SBX" logs --raw "$run" 2>"$work/err" | tail -n +2 | awk 'NR > 1 && $1 != last + 1 { print "gap", last, $1 } { last = $1 } END { print "end", last }' | head -3)"
like "and what is gone is said" "$(cat "$work/err")" "^sbx: [0-9]+ bytes of the output are gone"
is "the file stays below its bound" 1 "$(($(stat -c %s "$boxes/$run"-*/output) <= 8404992))"
touch more
"$SBX" wait "$run"
is "the end is there" end "$("$SBX" logs "$run" 2>/dev/null | tail -1)"

run=$("$SBX" run -d -- sh -c 'echo one; sleep 1.5; echo two; sleep 1.5; echo three; until [ -e more4 ]; do sleep 0.05; done; echo four; sleep 0.3')
wait_for 30 eval '"$SBX" logs "$run" | grep -q three'
begins() { "$SBX" logs "$@" "$run" | xargs; }
is "-n: the last lines" "[three] [two three] [one two three] []" "[$(begins -n 1)] [$(begins --tail 2)] [$(begins -n 9)] [$(begins -n 0)]"
is "--since: what was printed in this time, and no line too few" "[three] [one two three] [three]" "[$(begins --since 1s)] [$(begins --since 1h)] [$(begins --since 1h -n 1)]"
is "the latest beginning counts" "[wo three]" "[$(begins --offset 5 -n 3)]"
"$SBX" logs -n 1 -f "$run" >"$work/followed" &
follower=$!
sleep 0.3
touch more4
wait $follower
is "-n with -f: the last line, and what comes" "three four" "$(xargs <"$work/followed")"
is "--since with --json" "four" "$("$SBX" wait "$run"; "$SBX" logs --json -n 1 "$run" | member text)"
run=$("$SBX" run -d -- bash -c 'seq 3000000; for i in {1..1500}; do echo "$i"; sleep 0.001; done')
"$SBX" wait "$run"
is "-n over a flood that has gone in part" "100000 2901501 1500" "$("$SBX" logs -n 100000 "$run" | sed -n '1p;$=;$p' | sort -n | xargs | awk '{ print $2, $3, $1 }')"
is "a longer history has coarser times, and none too few" "1500" "$("$SBX" logs --since 1h "$run" 2>/dev/null | tail -1)"
refused_as "a time that is none" "5x" "$SBX" logs --since 5x "$run"

# --- no box reaches it
run=$("$SBX" run -d -- echo secret)
"$SBX" wait "$run"
for options in "" "--network host" "--project none" "--read $XDG_STATE_HOME" "--write $XDG_STATE_HOME" "--write $work" "--isolation landlock --no-protect"; do
	# shellcheck disable=SC2086 # options
	is "no box reads it: ${options%%/*}" "looked or refused" "$("$SBX" run $options -- sh -c 'cat "$1"/*/* 2>/dev/null; echo looked' - "$boxes" 2>&1 | grep -ao 'secret\|^looked$\|^sbx: .*state' | sed 's/looked\|^sbx: .*state/looked or refused/' | sort -u | xargs)"
done
is "the host does" 1 "$(cat "$boxes"/*/output | grep -ac secret)"

# --- by the name of its session; how long it is kept
if "$SBX" session create one >/dev/null 2>&1; then
	run=$("$SBX" run -d -s one -- sh -c 'trap "exit 3" TERM; echo in a session; while :; do sleep 0.1; done')
	wait_for 30 eval '"$SBX" logs one | grep -q session'
	is "logs by session" "in a session" "$("$SBX" logs one)"
	second=$("$SBX" run -d -s one -- sleep 1000)
	like "two of one session: neither is meant" "$("$SBX" stop one 2>&1)" "more than one live run"
	"$SBX" kill "$second" >/dev/null
	is "stop by session" "stopped: $run" "$("$SBX" stop one)"
else
	skip "by session" "sessions need a file system that this machine has not"
fi
old=$("$SBX" run -d -- true)
"$SBX" wait "$old"
before=$(find "$boxes" -mindepth 1 -maxdepth 1 | wc -l)
for i in {1..110}; do cp -r "$boxes/$old"-* "$boxes/9$i-1"; touch -d "$i minutes ago" "$boxes/9$i-1/entry"; done
"$SBX" wait "$("$SBX" run -d -- true)"
records() { find "$boxes" -mindepth 1 -maxdepth 1 | wc -l; }
wait_for 30 eval '[ ! -e "$boxes/9110-1/output" ]'
is "of more than 100 that have ended the oldest lose their output" "111 yes no" "$(($(records) - before)) $([ -e "$boxes/91-1/output" ] && echo yes) $([ -e "$boxes/9110-1/output" ] || echo no)"
is "and no result" "0 True" "$("$SBX" wait --json 9110 | member status truncated)"
for i in {1..3}; do dd if=/dev/zero of="$boxes/9$i-1/output" bs=1M count=90 status=none; done
"$SBX" wait "$("$SBX" run -d -- true)"
wait_for 30 eval '[ ! -e "$boxes/93-1/output" ]' # a run sweeps at its end, when nobody waits
is "of more than 200 MB the oldest outputs go" "yes yes no yes 93-1" "$(for i in 1 2 3 4; do [ -e "$boxes/9$i-1/output" ] && echo yes || echo no; done | xargs) $(ls "$boxes" | grep -x '93-1')"
many=("$boxes"/{20001..20999}-1)
mkdir "${many[@]}"
tee "${many[@]/%//entry}" <"$boxes/91-1/entry" >/dev/null
"$SBX" wait "$("$SBX" run -d -- true)"
wait_for 30 eval '[ "$(records)" -le 1001 ]'
is "of more than 1000 the oldest go" "1001 no" "$(records) $([ -e "$boxes/9109-1" ] || echo no)"
run=$("$SBX" run -d -- sleep 1000)
touch -d "8 days ago" "$boxes"/*/entry
"$SBX" wait "$("$SBX" run -d -- true)"
wait_for 30 eval '[ "$(records)" -le 2 ]'
is "after 7 days all go but that of a live run" 2 "$(records)"
"$SBX" kill "$run" >/dev/null
done_testing
