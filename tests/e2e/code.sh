#!/bin/bash
# sbx code: each row of the table of languages by its real tool, and what is told of a snippet.
. "$(dirname "$0")/../lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config PATH=/usr/local/bin:/usr/bin:/bin
mkdir -p "$HOME"
project=$(new_project)
cd "$project" || exit 1

# name | a text that is found out to be of it | what it prints with the argument "one"
sources=(
	'bash|#!/bin/bash\necho "out $((6 * 7)) $1"\n'
	'python|import sys\ndef main():\n    print("out", 6 * 7, sys.argv[1])\nmain()\n'
	'node|console.log("out", 6 * 7, process.argv[2]);\n'
	'perl|use strict;\nmy $x = 6 * 7;\nprint "out $x $ARGV[0]\\n";\n'
	'awk|BEGIN { print "out", 6 * 7, ARGV[1] }\n'
	'c|#include <stdio.h>\nint main(int count, char **words)\n{\n\tprintf("out %d %s\\n", 6 * 7, count > 1 ? words[1] : "");\n}\n'
	'c++|#include <iostream>\nint main(int, char **words) { std::cout << "out " << 6 * 7 << " " << words[1] << "\\n"; }\n'
	'go|package main\nimport ("fmt"; "os")\nfunc main() { fmt.Println("out", 6*7, os.Args[1]) }\n'
	'rust|fn main() { println!("out {} {}", 6 * 7, std::env::args().nth(1).unwrap()); }\n'
	'java|public class Main { public static void main(String[] words) { System.out.println("out " + 6 * 7 + " " + words[0]); } }\n'
	'ruby|[1].each do |x|\n  puts "out #{6 * 7} #{ARGV[0]}"\nend\n'
	'php|<?php echo "out ", 6 * 7, " ", $argv[1], "\\n";\n'
	'lua|local function f() return 6 * 7 end\nprint("out " .. f() .. " " .. arg[1])\n'
	'tcl|proc f {} { return [expr {6 * 7}] }\nputs "out [f] [lindex $argv 0]"\n'
)
is "every language has its row here" "$(sed -n 's/.*{ \.name = "\([^"]*\)".*/\1/p' "$root/src/code/languages.c" | xargs)" "$(printf '%s\n' "${sources[@]%%|*}" | xargs)"
declare -A tool=([python]=python3 [c]=cc [c++]=c++ [rust]=rustc [tcl]=tclsh)
for row in "${sources[@]}"; do
	name=${row%%|*}
	printf '%b' "${row#*|}" >"$work/$name"
	if ! command -v "${tool[$name]:-$name}" >/dev/null; then
		skip "$name" "${tool[$name]:-$name} is not installed"
		continue
	fi
	is "$name, found out by its text" "out 42 one" "$("$SBX" code - one <"$work/$name" 2>&1)"
	is "$name, by name, as JSON" "$name 0 out 42 one|" "$("$SBX" code --json -l "$name" - one <"$work/$name" | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["language"], d["exit"], d["stdout"].strip() + "|" + d["stderr"], end="")')"
done
"$SBX" code - <<<'just some words' >"$work/log" 2>&1
like "a text of no language" "$? $(cat "$work/log")" '125 sbx: the language is not known; name it by --lang, expected one of bash python'
like "an unknown name" "$("$SBX" code -l cobol -c x 2>&1)" "no language 'cobol', expected one of bash"
is "other names of a language" "42 42" "$("$SBX" code -l py -c 'print(42)') $("$SBX" code -l sh -c 'echo 42')"
echo 'print("by extension")' >x.py
is "by its extension" "by extension" "$("$SBX" code x.py)"
printf '#!/usr/bin/env python3\nprint(1)\n' >x.sh
is "a #! line counts more" 1 "$("$SBX" code x.sh)"
echo 'import x; print(__file__)' >y.py
is "a file of the project runs in its place" "by extension $project/y.py" "$("$SBX" code y.py | xargs)"
echo 'print(6)' >"$work/away.py"
is "one of elsewhere is shown to the box" 6 "$("$SBX" code "$work/away.py")"
is "but nothing beside it" no "$("$SBX" code -l bash -c "[ -e $work/away.py ] && echo yes || echo no")"
is "stdin is the program's" "line" "$(echo line | "$SBX" code -l bash -c 'cat')"
status "its status" 7 "$SBX" code -l bash -c 'exit 7'
is "compile errors go to stderr, the program does not run" "1 " "$("$SBX" code -l c -c 'int main(void) { return x; }' 2>"$work/log"; echo "$? ")"
like "and are told" "$(cat "$work/log")" 'main.c:1:.*error: .*undeclared'
field() { python3 -c 'import json, sys; d = json.load(sys.stdin); print(*[json.dumps(d[k]) for k in sys.argv[1:]])' "$@"; }
like "JSON: apart from the program's output" "$("$SBX" code --json -l c -c 'int main(void) { return x; }' | field status compiled stdout stderr compiler)" '^1 false "" "" ".*undeclared'
like "JSON: a warning and a run" "$("$SBX" code --json -l c -c 'int main(void) { int x; return 3; }' | field exit compiled stdout stderr compiler)" '^3 true "" "" ".*unused variable'
is "JSON: stdout and stderr apart, odd bytes" '4 "a?b\ufffd\n" "err\n"' "$("$SBX" code --json -l bash -c 'printf "a\0b\377\n"; echo err >&2; exit 4' | field exit stdout stderr)"
is "JSON: what was refused" '"refused.invalid:80"' "$("$SBX" code --json -l bash -c 'curl -s http://refused.invalid/' | python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)["denied"][0]["what"]))')"
like "JSON: time and memory" "$("$SBX" code --json -l python -c 'x = bytearray(60 << 20)' | field wall_ms memory_peak)" '^[0-9]+ [6-9][0-9]{7}$'
is "JSON: no more than there is room for" "true 16777216" "$("$SBX" code --json -l python -c 'import sys
try:
    for i in range(300): sys.stdout.write("x" * (1 << 20)); sys.stdout.flush()
except OSError: pass' | python3 -c 'import json, sys; d = json.load(sys.stdin); print(json.dumps(d["truncated"]), len(d["stdout"]))')"
is "JSON: killed at the time limit" '124 null "limit"' "$("$SBX" code --json --timeout 300ms -l bash -c 'sleep 9' | field status exit end)"
like "JSON: a run that cannot begin" "$("$SBX" code --json --read /nowhere -l bash -c 'echo x' | field status stderr)" '^125 ".*nowhere'
is "a session: files stay" "1" "$("$SBX" session create c >/dev/null 2>&1; "$SBX" code -s c -l bash -c 'echo 1 >~/kept'; "$SBX" code -s c -l bash -c 'cat ~/kept'; "$SBX" session rm c >/dev/null 2>&1)"
like "tier landlock has no place for a snippet" "$("$SBX" code --isolation landlock -l bash -c 'echo x' 2>&1)" 'put the code in a file of the project|needs Landlock'
for bad in /nowhere.py "$work" /dev/null; do
	status "no source: $bad" 125 timeout 60 "$SBX" code -l bash "$bad"
done
head -c 5000000 /dev/zero | tr '\0' x >"$work/large.py"
status "too large" 125 "$SBX" code "$work/large.py"
printf 'a\0b' >"$work/nul.py"
status "a NUL byte" 125 "$SBX" code "$work/nul.py"
status "no code" 125 "$SBX" code
# An interpreter that keeps its state: cells with "%%" between them.
cells() { # language, name, cells, what stdout is
	local program=${tool[$1]:-$1}
	if ! command -v "$program" >/dev/null; then
		skip "cells for $1: $2" "$program is not installed"
		return
	fi
	is "cells for $1: $2" "$4" "$(printf '%b' "$3" | timeout 300 "$SBX" code -l "$1" 2>"$work/log" | xargs)"
}
for row in 'bash|x=41\n|echo $((x + 1))\n|false\n' 'python|x = 41\n|x + 1\n|1 / 0\n' 'node|let x = 41\n|x + 1\n|throw new Error("e")\n' 'ruby|x = 41; nil\n|x + 1\n|raise "e"\n'; do
	IFS='|' read -r name first second third <<<"$row"
	cells "$name" "state stays from one to the next" "$first%%\n$second%%\n" "%%0 42 %%0"
	cells "$name" "one that fails is told, and the next runs" "$first%%\n$third%%\n$second" "%%0 %%1 42 %%0"
done
cells python "definitions, and an end without a mark" 'def f(x):\n    return x * 2\n\n%%\nf(21)' "%%0 42 %%0"
cells python "what a cell reads is empty, not the next cell" 'import sys\nprint(repr(sys.stdin.read()))\n%%\n42\n' " %%0 42 %%0"
cells bash "what a cell reads is empty, not the next cell" 'cat\n%%\necho 42\n' "%%0 42 %%0"
cells node "a promise is waited for" 'new Promise((done) => setTimeout(() => done(42), 50))\n%%\nlet y = 1\n' "42 %%0 %%0"
is "cells for bash: exit ends it" 3 "$(printf 'exit 3\n%%%%\necho no\n' | timeout 300 "$SBX" code -l bash 2>/dev/null; echo $?)"
like "a language without sessions" "$("$SBX" code -l lua </dev/null 2>&1)" 'lua has no sessions of its interpreter; these have: bash node python ruby'
exec 3</dev/null 4</dev/null 5</dev/null 6</dev/null 7</dev/null 8</dev/null 9</dev/null
is "JSON: with open descriptors, as make's jobserver leaves them" '0 "in bash\n"' "$("$SBX" code --json -l bash -c 'echo in bash' | field exit stdout)"
like "JSON: and a compiler" "$("$SBX" code --json -l c -c 'int main(void) { int x; return 3; }' | field exit compiled stdout compiler)" '^3 true "" ".*unused variable'
exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-
is "no JSON for a session" '125 "--json is for one snippet, not for a session"' "$("$SBX" code --json -l python | field status error)"
like "on a terminal it is the interpreter itself" "$(printf 'x = 41\nprint(x + 1)\nexit()\n' | timeout 120 script -qec "'$SBX' code -l python" /dev/null)" '(^|[^0-9])42'
said=$("$SBX" code python 'print(1)' 2>&1)
like "a language in the place of a file: is said" "$said" "^sbx: no file 'python'; for code: sbx code -l python -c STRING\$"
is "a language in the place of a file: what is printed works" 1 "$("$SBX" $(sed -E 's/.*: sbx (code -l python -c) STRING$/\1/' <<<"$said") 'print(1)')"
like "it is a box" "$("$SBX" code -l bash -c 'cat ~/.ssh/id; echo x >/usr/x; hostname' 2>&1 | xargs)" 'No such file.*Read-only.*sbx'
done_testing
