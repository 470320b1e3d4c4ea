#!/bin/bash
# sbx ps, stop, kill, wait: which runs are listed with what, and that each ends the run that it names alone.
. "$(dirname "$0")/../lib.sh"
export XDG_STATE_HOME=$work/state
mkdir -m 700 "$XDG_STATE_HOME"
boxes=$XDG_STATE_HOME/sbx/boxes
project=$(new_project)
cd "$project" || exit 1
hostile=$'x\e[2J\u202e\ny\t\xff'
begun=0
box() { # SCRIPT [OPTION...]: its number in $run
	local script=$1
	output=$work/out-$((begun += 1))
	shift
	"$SBX" run "$@" -- bash -c "trap 'exit 143' TERM; echo begun; $script" "$hostile" >"$output" 2>&1 &
	run=$!
	wait_for 30 grep -q '^begun' "$output" || fail "a run begins: $*" "$(cat "$output")"
}
idle='while :; do sleep 0.1; done'
json() { # RUN MEMBER...
	"$SBX" ps --json | python3 -c '
import json, sys
for b in json.load(sys.stdin)["boxes"]:
    if b["id"] == sys.argv[1]: print(*[b.get(m) for m in sys.argv[2:]])' "$@"
}
# Other runs of this user go on beside: only those of this test count.
ids() {
	"$SBX" ps --json | python3 -c '
import json, sys
print(*sorted(b["id"] for b in json.load(sys.stdin)["boxes"] if b.get("project", "").startswith(sys.argv[1])))' "$work"
}
rows() { "$SBX" ps | LC_ALL=C grep -aF "$work"; }
port=$((20000 + $$ % 10000))
lists() { "$SBX" ps | awk '{ print $1 }' | grep -qx "$1"; }
gone() { ! lists "$1"; }
files() { find "$boxes" -mindepth 1 -maxdepth 1 | wc -l; }

is "the head" "ID AGE SESSION PROJECT MEMORY CPU DENIED PORTS COMMAND" "$("$SBX" ps | head -1 | xargs)"

# --- what is listed
box "$idle" --network none
none=$run
box "$idle" --network host
host=$run
box "curl -s -m 5 http://one.invalid/; curl -s -m 5 http://two.invalid/; echo >asked; $idle" --publish 8123:$port --publish $((port + 1))
proxy=$run
wait_for 30 test -e asked
is "without a network" "none $project True 0 []" "$(json "$none" network project here denials ports)"
is "on the host's network" host "$(json "$host" network)"
is "with ports and denials" "proxy [{'inside': 8123, 'outside': $port}, {'inside': $((port + 1)), 'outside': $((port + 1))}]" "$(json "$proxy" network ports)"
wait_for 30 eval '[ "$(json "$proxy" denials)" = 2 ]'
is "denials are counted while it runs" 2 "$(json "$proxy" denials)"
is "memory, processor time and age are numbers" "True True True" "$("$SBX" ps --json | python3 -c '
import json, sys
b = [b for b in json.load(sys.stdin)["boxes"] if b["id"] == sys.argv[1]][0]
print(b["memory_bytes"] > 100000, 0 <= b["cpu_ms"] < 600000, 0 < b["age_ms"] < 600000)' "$host")"
is "columns stand below their heads" 1 "$({ "$SBX" ps | head -1; rows; } | LC_ALL=C awk '{ print index($0, NR == 1 ? "COMMAND" : "bash -c") }' | uniq | wc -l)"
is "ports and denials in their columns" "2 8123:$port,$((port + 1))" "$(rows | awk -v run="$proxy" '$1 == run { print $7, $8 }')"
is "a line each; nothing of a command acts on the terminal, but is shown" "3 0 3" "$(rows | wc -l) $(rows | LC_ALL=C grep -ac $'[\e\t]\|\xe2\x80\xae') $(rows | grep -acF 'x^[[2J<U+202E>^Jy^I')"
is "JSON holds it as text" "True" "$("$SBX" ps --json | python3 -c '
import json, sys
print(all(b["command"].endswith("x\x1b[2J\u202e\ny\t\ufffd") for b in json.load(sys.stdin)["boxes"] if b.get("project", "").startswith(sys.argv[1])))' "$work")"
is "the records are the caller's alone" "700 600" "$(stat -c %a "$boxes" "$boxes"/* "$boxes"/*/entry | uniq | xargs)"
if "$SBX" session create one >/dev/null 2>&1; then
	box "$idle" -s one
	is "with its session, and stopped" "one stopped: $run" "$(json "$run" session) $("$SBX" stop "$run")"
	wait "$run"
else
	skip "with its session, and stopped" "sessions need a file system that this machine has not"
fi
if [ "$("$SBX" run --isolation landlock --no-protect -- echo in 2>/dev/null)" = in ]; then
	box "$idle" --isolation landlock --no-protect
	is "in tier landlock, and killed" "$project killed: $run" "$(json "$run" project) $("$SBX" kill "$run")"
	wait "$run" 2>/dev/null
else
	skip "in tier landlock, and killed" "the kernel has no Landlock with scopes"
fi

# --- free ports
serve='python3 -c "import http.server, os; http.server.HTTPServer((\"127.0.0.1\", 3000), http.server.SimpleHTTPRequestHandler).serve_forever()"'
for n in 1 2; do
	mkdir -p "site$n"
	echo "site $n" >"site$n/page"
	(cd "site$n" && exec "$SBX" run --project-dir . --publish 3000:auto -- sh -c "$serve") 2>"$work/auto-$n" &
	auto[n]=$!
done
for n in 1 2; do
	wait_for 30 grep -q 'localhost:' "$work/auto-$n"
	free[n]=$(sed -n 's/^sbx: port 3000 of the box is localhost:\([0-9]*\)$/\1/p' "$work/auto-$n")
	wait_for 30 curl -sf -m 2 "http://localhost:${free[n]}/page"
	is "port 3000 of one of two boxes at a free port" "site $n" "$(curl -s -m 10 "http://localhost:${free[n]}/page")"
	is "ps has it" "[{'inside': 3000, 'outside': ${free[n]}}]" "$(json "${auto[n]}" ports)"
done
is "each has another" 2 "$(printf '%s\n' "${free[@]}" | sort -u | wc -l)"
"$SBX" kill "${auto[@]}" >/dev/null
wait "${auto[@]}" 2>/dev/null
rm -r site1 site2

# --- published while it runs
box "echo hello >file; python3 -m http.server 8125 >/dev/null 2>&1 & until curl -s -o /dev/null localhost:8125; do sleep 0.1; done; echo >serves; sleep 1000; :"
live_box=$run door=$((port + 2))
wait_for 30 test -e serves
answer() { curl -s -m 10 "http://$1:$door/file" || echo "curl $?"; }
is "a port of a box is not the host's" "curl 7" "$(answer 127.0.0.1)"
is "sbx publish: the port is open when it returns" "0 hello" "$("$SBX" publish "$live_box" "8125:$door"; echo $?) $(answer 127.0.0.1)"
[ ! -e /proc/net/if_inet6 ] || ! grep -q '^0*1 ' /proc/net/if_inet6 || is "also at ::1" hello "$(answer '[::1]')"
is "ps has it" "[{'inside': 8125, 'outside': $door}]" "$(json "$live_box" ports)"
like "a port is published once" "$({ "$SBX" publish "$live_box" "8125:$((door + 7))" 2>&1; echo $?; } | tr "\n" " ")" "is published already; to end that: sbx publish --off $live_box 8125.*125"
for again in auto "$door"; do
	is "the same again: where it is ($again)" "sbx: port 8125 of the box is localhost:$door 0" "$({ "$SBX" publish "$live_box" "8125:$again" 2>&1; echo $?; } | xargs)"
done
is "--off: no more, at once" "0 []" "$("$SBX" publish --off "$live_box" 8125; echo $?) $(json "$live_box" ports)"
is "nobody answers there" 0 "$(wait_for 10 eval '[ "$(answer 127.0.0.1)" = "curl 7" ]'; echo $?)"
like "--off of another port" "$({ "$SBX" publish --off "$live_box" 8125 2>&1; echo $?; } | tr "\n" " ")" "port 8125 of run $live_box is not published.*125"
is "a free one, and again" "1 hello" "$("$SBX" publish "$live_box" 8125:auto 2>&1 | grep -c 'port 8125 of the box is localhost:') $("$SBX" publish --off "$live_box" 8125; "$SBX" publish "$live_box" "8125:$door"; answer 127.0.0.1)"
like "one without a network of its own" "$({ "$SBX" publish "$none" 8125 2>&1; echo $?; } | tr "\n" " ")" "has no network of mode proxy.*125"
is "nothing is done where one word is wrong" "125 []" "$("$SBX" publish --off "$live_box" 8125; "$SBX" publish "$live_box" "8125:$door" 99999 2>/dev/null; echo $?) $(json "$live_box" ports)"
busy=$("$SBX" publish "$live_box" "8125:$port" 2>&1)
is "a port that is taken: another works" "0 hello" "$(eval "\"$SBX\" $(sed -nE "s/.*take a free one: sbx (publish $live_box 8125:[0-9]+)\$/\1/p" <<<"$busy")"; echo $?) $(door=${busy##*:}; wait_for 30 curl -sf -m 5 "http://127.0.0.1:$door/file"; answer 127.0.0.1)"
like "no number" "$({ "$SBX" publish "$live_box" 0 2>&1; echo $?; } | tr "\n" " ")" "expected PORT, PORT:HOST-PORT or PORT:auto.*125"
"$SBX" kill "$live_box" >/dev/null
wait "$live_box" 2>/dev/null
is "with the box it ends" "curl 7" "$(answer 127.0.0.1)"

# --- no box reaches a record
name=$(echo "$boxes/$none"-*/entry)
socket=$(echo "$boxes/$proxy"-*/socket)
is "one whose network can change has a socket, the others none" "srwx------ 1" "$(stat -c %A "$socket" | sed 's/[rwx-]\{6\}$/------/') $(find "$boxes" -name socket | wc -l)"
connect='import socket, sys
try: socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect(sys.argv[1]); print("connects")
except OSError: print("tried")'
try='for f in "$@"; do head -c 8 "$f" 2>/dev/null | grep -q . && echo "reads $f"; (echo >>"$f") 2>/dev/null && echo "writes $f"; rm "$f" 2>/dev/null && echo "removes $f"; done; echo tried'
for options in "" "--network host" "--project none" "--read $XDG_STATE_HOME" "--write $XDG_STATE_HOME" "--write $work" "--isolation landlock --no-protect" "--isolation landlock --no-protect --network host"; do
	# shellcheck disable=SC2086 # options
	got=$("$SBX" run $options -- bash -c "$try" - "$name" 2>"$work/refused")
	# shellcheck disable=SC2086 # options
	if [ -n "$options" ] && [ -z "$got" ] && says_word "$(cat "$work/refused")" $options sbx/boxes; then
		pass "refused: $options"
	else
		is "no box reaches it: $options" tried "$got"
		# shellcheck disable=SC2086 # options
		is "nor its socket: $options" tried "$("$SBX" run $options -- python3 -c "$connect" "$socket" 2>/dev/null)"
	fi
done
is "which the host can connect to" connects "$(python3 -c "$connect" "$socket")"
unshare -U --map-current-user true 2>/dev/null && like "but not change from a user namespace of another's" "$(unshare -U --map-current-user "$SBX" allow "$proxy" more.test 2>&1)" "run $proxy does not answer"
is "a run with a fixed network has none to change" "sbx: run $none has no network of mode proxy: it is fixed" "$("$SBX" allow "$none" more.test 2>&1)"
"$SBX" allow "$proxy" more.test || fail "one in mode proxy has"
mkdir "$work/open"
cp "$name" "$work/open/file"
is "what is tried works on a file that it may reach" "reads writes removes tried" "$("$SBX" run --write "$work/open" -- bash -c "$try" - "$work/open/file" 2>/dev/null | awk '{ print $1 }' | xargs)"
is "the file is still there" 4656 "$(stat -c %s "$name")"
is "a box lists none of the host's runs" "ID" "$("$SBX" run --read "$SBX" -- "$SBX" ps 2>/dev/null | awk '{ print $1 }' | xargs)"
"$SBX" run --network host --read "$SBX" -- "$SBX" kill "$none" >/dev/null 2>&1
is "and ends none" True "$(json "$none" here)"

# --- stop, kill, wait
"$SBX" wait "$none" >"$work/waited" 2>&1 &
waiting=$!
is "stop: the command gets SIGTERM" "stopped: $none" "$(sleep 0.5; "$SBX" stop "$none")"
wait "$none"
is "and its status is its own" 143 $?
wait "$waiting"
is "wait returns the status" "143 " "$? $(cat "$work/waited")"
is "the others are listed" "$(printf '%s\n' "$host" "$proxy" | sort | xargs)" "$(ids)"
box "trap '' TERM; $idle"
begin=$SECONDS
is "stop --time 0s is kill" "killed: $run" "$("$SBX" stop "$run" --time 0s)"
box "trap '' TERM; $idle"
is "stop: a command that ignores it is killed after --time" "killed: $run" "$("$SBX" stop "$run" --time 1s)"
[ $((SECONDS - begin)) -lt 9 ] || fail "and not later" "$((SECONDS - begin)) s"
wait "$run"
is "that is a signal, and no failure of sbx" "137 sbx: the box was killed by sbx kill, or by sbx stop after its time" "$? $(tail -1 "$output")"
box "trap '' TERM; kill -STOP 0; $idle"
is "kill, of a box that is stopped" "killed: $run" "$("$SBX" kill "$run")"
wait "$run"
is "its status and line" "137 killed by sbx kill" "$? $(tail -1 "$output" | grep -o 'killed by sbx kill')"
"$SBX" run --json -- sleep 300 >"$work/json" &
run=$!
wait_for 30 lists "$run"
"$SBX" wait "$run" &
waiting=$!
wait_for 30 sh -c "ls -l /proc/$waiting/fd | grep -q pidfd"
"$SBX" kill "$run" >/dev/null
wait "$run"
is "run --json of one that is killed, and who waits" "137 signal 137 9 137" "$? $(python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["end"], r["status"], r["signal"])' <"$work/json") $(wait $waiting; echo $?)"
ends=
for n in {1..30}; do
	"$SBX" run --json -- sleep 300 >"$work/json" 2>/dev/null &
	run=$!
	until compgen -G "$boxes/$run-*/entry" >/dev/null; do :; done
	sleep "0.0$((RANDOM % 4))$n"
	"$SBX" kill "$run" >/dev/null
	wait "$run"
	ends+=" $? $(python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["end"], r["status"])' <"$work/json")"
done
is "killed at any moment of its start it is no failure either" "30 137 signal 137" "$(xargs -n3 <<<"$ends" | sort | uniq -c | xargs)"
box "$idle"
kill -9 "$(init_of "$run")"
wait "$run"
like "the box's first process is killed by another program: that is said" "$? $(tail -1 "$output")" "^137 sbx: the box was killed from outside, but not by sbx"
box "sleep 1; exit 7"
status "wait returns what the command returned" 7 "$SBX" wait "$run"
box "sleep 1; kill -9 \$\$"
status "and 128 and a signal's number" 137 "$SBX" wait "$run"

# --- a supervisor that is killed
box "$idle" --network host
"$SBX" wait "$run" >"$work/waited" 2>&1 &
waiting=$!
sleep 0.5
kill -KILL "$run"
end=$(($(date +%s%N) + 1000000000))
until gone "$run" || [ "$(date +%s%N)" -gt $end ]; do :; done
is "within a second a killed one is not listed; who looks changes nothing" "$(printf '%s\n' "$host" "$proxy" | sort | xargs) 1" "$(ids) $(find "$boxes" -name "$run-*" | wc -l)"
wait "$waiting"
is "wait says 137" "137 " "$? $(cat "$work/waited")"
wait "$run" 2>/dev/null
status "and says so again" 137 "$SBX" wait "$run"
like "the next run there checks what it left, and then its record goes" "$("$SBX" run -- true 2>&1; find "$boxes" -name "$run-*" | wc -l)" '^0$'

# --- those that have ended
mkdir -p sub
ended=$(cd sub && "$SBX" run --project-dir . -d -- sh -c 'exit 3')
"$SBX" wait "$ended"
killed=$("$SBX" run -d -- sleep 300)
kill -9 "$killed"
wait_for 30 gone "$killed"
state() { find "$XDG_STATE_HOME" -printf '%p %T@ %C@ %s\n' | sort; }
state >"$work/before"
"$SBX" ps -a >"$work/all"
"$SBX" ps -a --json >"$work/all.json"
of() { awk -v run="$1" '$1 == run { print $3, $4 }' "$work/all"; }
is "ps -a: how each ended; one that was killed with both its processes or one" "exit 3 signal 9 running -" "$(of "$ended") $(of "$killed") $(of "$host")"
is "JSON has it" "exit 3 signal 137 None None" "$(python3 -c '
import json, sys
all = {b["id"]: (b.get("end"), b.get("status")) for b in json.load(open(sys.argv[1]))["boxes"]}
print(*[word for id in sys.argv[2:] for word in all[id]])' "$work/all.json" "$ended" "$killed" "$host")"
is "without -a those that live" "no no yes" "$(for one in "$ended" "$killed" "$host"; do lists "$one" && echo yes || echo no; done | xargs)"
filtered() { "$SBX" ps "$@" | awk 'NR > 1 { print $1 }' | sort | xargs; }
both=$(printf '%s\n' "$host" "$proxy" | sort | xargs)
is "by status: all are looked at" "$ended|$killed|$both" "$(filtered -f status=exit -f project=.)|$(filtered --filter status=signal -f project=.)|$(filtered -f status=running -f project=.)"
is "by project, and below it; each filter counts" "$ended||$both" "$(filtered -a -f project=sub)|$(filtered -a -f project=sub -f status=signal)|$(filtered -f project=.)"
is "by command" "$killed" "$(filtered -a -f 'command=sleep 300' -f project=.)"
is "by session: none" "" "$(filtered -a -f session=none-of-these)"
refused_as "a key that is none" "unknown 'x=y'; use: status=" "$SBX" ps -f x=y
is "who looks changes no file" "" "$(state | diff - "$work/before")"
"$SBX" run -- true 2>/dev/null
rm -rf sub "$boxes/$ended"-* "$boxes/$killed"-*

# --- a record proves nothing
good=$(echo "$boxes/$host"-*)
sleep 300 &
other=$!
mkdir "$boxes/$other-dead" "$boxes/forged" "$boxes/directory" "$boxes/.9-fresh" "$boxes/.9-old"
cp "$good/entry" "$boxes/$other-dead"
python3 - "$good/entry" "$boxes/forged" "$other" <<'END'
import struct, sys
entry = bytearray(open(sys.argv[1], "rb").read())
struct.pack_into("<ii", entry, 56, int(sys.argv[3]), int(sys.argv[3]))
open(sys.argv[2] + "/entry", "wb").write(entry)
END
ln -s "$good" "$boxes/link"
mkfifo "$boxes/pipe" "$boxes/directory/entry"
printf x >"$boxes/short"
touch -d '1 hour ago' "$boxes/.9-old"
is "what nobody holds is no run" "$(printf '%s\n' "$host" "$proxy" | sort | xargs)" "$(ids)"
"$SBX" wait "$("$SBX" run -d -- true)"
is "a run in the background removes what was never whole, but nothing that is just being made" ".9-fresh yes" "$(cd "$boxes" && find . -name '.9-*' -printf '%f\n') $([ -d "$good" ] && echo yes)"
is "a process that is no run is not stopped, and lives" "$other 0" "$("$SBX" stop "$other" 2>&1 | grep -o "$other" | head -1) $(kill -0 "$other"; echo $?)"
kill "$other"
rm -rf "$boxes"/{link,pipe,directory,short,forged,.9-fresh} "$boxes/$other-dead"
# Who holds the record of another run is not that run, and lives.
hold='import fcntl, sys, time
f = open(sys.argv[1] + "/entry", "r+"); fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB); open(sys.argv[2], "w"); time.sleep(300)'
holder=()
for kind in EX SH; do
	mkdir "$boxes/$host-dead" "$boxes/$host-other"
	cp "$good/entry" "$boxes/$host-dead"
	printf 'sbxbox99 of another version' >"$boxes/$host-other/entry"
	for file in dead other; do
		python3 -c "${hold/LOCK_EX/LOCK_$kind}" "$boxes/$host-$file" "$work/holds-$kind-$file" &
		holder[${#holder[@]}]=$!
		wait_for 30 test -e "$work/holds-$kind-$file"
	done
	is "who else has an old record locked ($kind) is no run" "$(printf '%s\n' "$host" "$proxy" | sort | xargs) 2" "$(ids) $("$SBX" ps | awk -v run="$host" -v one="${holder[0]}" -v other="${holder[1]}" '$1 == run || $1 == one || $1 == other' | wc -l | sed 's/^1$/2/')"
	is "and is not stopped ($kind)" "2 lives lives" "$("$SBX" stop --time 1s "${holder[@]}" 2>&1 | grep -o 'no live run' | wc -l) $(for one in "${holder[@]}"; do kill -0 "$one" && echo lives; done | xargs)"
	kill "${holder[@]}"
	wait "${holder[@]}" 2>/dev/null
	holder=()
	rm -r "$boxes/$host-dead" "$boxes/$host-other"
done

# --- two in a project: who made something hears that the other one took it
box "$idle"
other=$run
said=0
for n in 1 2 3 4 5; do
	"$SBX" run -- bash -c 'echo x >.envrc; sleep 0.0'"$n" 2>"$work/one"
	grep -q '^sbx: .*/\.envrc .*quarantine' "$work/one" && said=$((said + 1))
done
is "each of five runs says that its .envrc is in quarantine" "5 no" "$said $([ -e .envrc ] && echo yes || echo no)"
"$SBX" run -- true 2>"$work/one"
is "a later one says nothing of it" "" "$(grep envrc "$work/one")"
"$SBX" kill "$other" >/dev/null
wait "$other"

# --- where it cannot be noted
rm -rf "$work/none" && mkdir -m 700 "$work/none" "$work/none/sbx" && : >"$work/none/sbx/boxes"
is "a run that cannot be noted runs, and says so in a line" "ran 1 sbx: the run is not on the list of live runs" "$(XDG_STATE_HOME=$work/none "$SBX" run --network none --no-protect -- echo ran 2>"$work/log") $(wc -l <"$work/log") $(cut -d, -f1 "$work/log")"

# --- another pid namespace that shares the state
space=(unshare -pf --mount-proc --kill-child)
[ "$(id -u)" = 0 ] || space=(unshare -Upf --map-current-user --mount-proc --kill-child)
if "${space[@]}" true 2>/dev/null; then
	seen=$("${space[@]}" "$SBX" ps --json | python3 -c '
import json, sys
print(*sorted("%s %s" % (b["id"].split("@")[0], b["here"]) for b in json.load(sys.stdin)["boxes"]), sep=",")')
	is "from another pid namespace they are listed as elsewhere" "$(printf '%s False\n' "$host" "$proxy" | sort | paste -sd,)" "$seen"
	id=$("${space[@]}" "$SBX" ps | awk -v run="$host@" 'index($1, run) == 1 { print $1 }')
	like "and not ended from there" "$("${space[@]}" "$SBX" stop "$id" 2>&1)" 'another pid namespace or machine'
	is "and their records remain" 2 "$(find "$boxes" -maxdepth 1 \( -name "$host-*" -o -name "$proxy-*" \) | wc -l)"
else
	for what in "from another pid namespace they are listed as elsewhere" "and not ended from there" "and their records remain"; do
		skip "$what" "no pid namespace can be made here"
	done
fi

for run in "$host" "$proxy"; do
	is "stop" "stopped: $run" "$("$SBX" stop "$run")"
	wait "$run"
done
is "only the record of the run in the background is left" "1 " "$(files) $(ids)"

# --- all: in a pid namespace of this test's own, as other runs of this user go on beside
cat >"$work/all" <<'END'
"$SBX" run --network none -- sh -c "echo; sleep 300" >one 2>/dev/null &
"$SBX" run --network host -- sh -c "echo; sleep 300" >two 2>/dev/null &
until [ -s one ] && [ -s two ]; do sleep 0.1; done
"$SBX" stop --all | sed 's/: .*//'
wait
"$SBX" ps | wc -l
"$SBX" stop --all
"$SBX" run --network none -- sh -c "echo; sleep 300" >three 2>/dev/null &
until [ -s three ]; do sleep 0.1; done
"$SBX" kill --all | sed 's/: .*//'
END
if [ "$("${space[@]}" true && echo made)" = made ] && [ "$("${space[@]}" "$SBX" run -- echo in 2>/dev/null)" = in ]; then
	is "--all" "stopped stopped 1 killed" "$(XDG_STATE_HOME=$work/own "${space[@]}" bash "$work/all" | xargs)"
else
	skip "--all" "no box can be made in a pid namespace here"
fi
like "doctor says how large the records are" "$("$SBX" doctor)" 'records of runs +[0-9.]+K?; '
like "no such run" "$("$SBX" stop 999999999 2>&1)" "^sbx: no live run '999999999' of yours; to list the runs: sbx ps$"
like "of several those that are there end" "$(box 'sleep 300'; "$SBX" stop --time 1s "$run" 999999998 999999999 2>&1 | sed "s/$run/RUN/" | paste -sd'|')" "^(stopped|killed): RUN.sbx: no live run '999999998'.*.sbx: no live run '999999999'"
for words in "stop" "stop --all 1" "kill" "kill --all 1" "wait" "wait 1 2" "ps 1"; do
	# shellcheck disable=SC2086 # words
	refused_as "usage: $words" '^sbx: usage: sbx ' "$SBX" $words
done
refused_as "a time that is none" "5x" "$SBX" stop --time 5x 1
for signal in TERM KILL; do
	mark=begun-$((begun += 1))
	"$SBX" run -- bash -c "echo >$mark; sleep 300" 2>/dev/null &
	run=$!
	wait_for 30 test -e "$mark"
	was=$(ids)
	kill "-$signal" "$run"
	wait "$run" 2>/dev/null
	is "nothing of what $signal ended is listed, or left by the next run" "$run [] 1" "$was [$(ids)] $("$SBX" run -- true; files)"
done
done_testing
