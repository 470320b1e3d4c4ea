#!/bin/bash
# The words that people type: sizes, times and lists as they write them, help, words of other tools.
. "$(dirname "$0")/../lib.sh"
project=$(new_project)
cd "$project" || exit 1

planned() { "$SBX" plan "$@" -- true 2>&1; }

for size in 512M 512m 512MB 512mb 512MiB 0.5g 0.5G 524288k 536870912; do
	like "a size of $size" "$(planned --memory $size)" 'memory=512M'
done
for time in 300 300s 5m 300000ms; do
	like "a time of $time" "$(planned --timeout $time)" 'timeout=5m|time=5m'
done
like "half a unit too little to count" "$(planned --memory 0.5)" "^sbx: --memory: '0.5' is not valid"
like "several hosts in one option, with their ports" "$(planned -a a.com:80,443,b.com,@npm)" 'allow +a.com:80,443 b.com'
like "the group among them" "$(planned -a a.com,@npm)" '\*\.npmjs\.org'
like "profiles in one option" "$(planned -p node,python)" '\*\.npmjs\.org'
like "and the second of them" "$(planned -p node,python)" 'pypi'
like "variables" "$(FIRST=1 SECOND=2 planned --pass-env FIRST,SECOND)" 'SECOND'
like "nothing behind a comma" "$("$SBX" run -p node, true 2>&1)" "^sbx: --profile: '' is not valid"
like "a profile's path keeps its comma" "$("$SBX" run -p ./a,b.ini true 2>&1)" "a,b.ini"
like "an address of a page" "$("$SBX" run -a https://github.com/x true 2>&1)" "expected the host alone, .*: -a github.com$"
like "a variable without a value" "$("$SBX" run -e HOME true 2>&1)" 'expected NAME=VALUE; to pass your own: --pass-env NAME$'

# help and version, as every tool has them
for word in version -V --version; do
	like "sbx $word" "$("$SBX" $word)" '^sbx [0-9.]+$'
done
helps() { # name, a flag or word that the text has, the two ways to ask
	is "$1" "same" "$(text=$("$SBX" $3 2>&1) && grep -q -- "$2" <<<"$text" && [ "$text" = "$("$SBX" $4 2>&1)" ] && echo same)"
}
helps "sbx help" "--network" --help help
helps "sbx -h" "--network" --help -h
for verb in run session doctor agent allow; do
	helps "sbx help $verb" "sbx $verb" "$verb --help" "help $verb"
done
helps "sbx help run all" "--isolation" "run --help=all" "help run all"
helps "the same by -h" "--isolation" "run --help=all" "run -h all"
is "with every option in 120 lines" "fits" "$("$SBX" run --help all | awk 'END { if (NR > 80 && NR <= 120) print "fits" }')"
for verb in "" --help help "help run" run shell plan profile doctor why learn code; do
	case $verb in [a-z]*\ * | "" | -* | help) words=$verb ;; *) words="$verb --help" ;; esac
	is "sbx $words is one screen, 24 lines of 80 columns" "fits" "$("$SBX" $words | awk 'length > 80 { wide = 1 } END { if (!wide && NR >= 5 && NR <= 24) print "fits" }')"
done
is "with five examples, which are sound" 5 "$("$SBX" run --help | sed -n '/^examples:/,/^Every/s/^  sbx run \(.*\) --.*/\1/p; /^  sbx run -- /p' | while read -r words; do
	case $words in sbx*) words= ;; esac
	words=${words/--review/}
	"$SBX" plan $words -- true >/dev/null 2>&1 && echo sound
done | wc -l)"
like "help of a wrong verb" "$("$SBX" help nonsense 2>&1)" "^sbx: no verb 'nonsense'"
like "a wrong word behind --help" "$("$SBX" run --help=x 2>&1)" "no value but 'all'"

# short words, and words of other tools
is "the beginning of one option is that option" '"network":"host" "network":"none"' "$(echo $("$SBX" plan --json --netw host true | grep -o '"network":"[a-z]*"') $("$SBX" plan --json --net=none true | grep -o '"network":"[a-z]*"'))"
like "of two it is none" "$("$SBX" run --hid /x true 2>&1)" "^sbx: unknown option '--hid', did you mean --hide\?$"
like "nor is a word of other tools" "$("$SBX" run --private=/x true 2>&1)" "^sbx: no option '--private': "
mkdir -p "$work/there/below"
is "--cwd, --workdir" "$work/there $work/there" "$(cd / && echo $("$SBX" run --cwd "$work/there" -- pwd; "$SBX" run --workdir="$work/there" -- pwd))"
is "--ro shows" "below yes" "$(cd "$work" && "$SBX" run -C there --ro "$PWD" -- sh -c 'ls; touch ../x 2>/dev/null || echo yes' | tr '\n' ' ' | sed 's/ $//')"
is "--rw writes" "written" "$(cd "$work" && "$SBX" run -C there/below --rw "$work/there" -- touch ../x && ls there/x >/dev/null && echo written)"
like "letters in the wrong order" "$("$SBX" rnu true 2>&1)" "did you mean 'sbx run'"
like "a word that is like no option" "$("$SBX" run --xyz true 2>&1)" "^sbx: unknown option '--xyz', see --help$"
like "a program in the place of a verb" "$("$SBX" cargo build 2>&1)" "to run a command: sbx run -- cargo$"
is "sbx exec -- COMMAND" "ran" "$("$SBX" exec -- echo ran 2>&1)"
like "a verb of others before --" "$("$SBX" join -- ls -l 2>&1)" "^sbx: to run a command: sbx run -- ls$"
is "sbx -- COMMAND" "ran" "$("$SBX" -- echo ran 2>&1)"
is "options without a verb are run's" "ran" "$("$SBX" --network none -- echo ran 2>&1)"
like "one that is none" "$("$SBX" --xyz -- echo ran 2>&1)" "^sbx: unknown option '--xyz', see --help$"
like "but not without a command" "$("$SBX" join -- 2>&1)" "sbx exec ID -- COMMAND"
while read -r words answer; do
	like "sbx run $words" "$("$SBX" run "$words" true 2>&1)" "^sbx: no option '${words%%=*}': .*$answer"
done <<'END'
--rm leave.it.out
-it your.terminal
--private=/x sbx.plan
--user --as-root
--quiet --report.never
--ro-bind -r.PATH
--unshare-net --network.none
--volume=/a:/b -w.PATH
--cap-drop every.box.has.it
END
# the answer is that verb's, never another's
while IFS='|' read -r words answer; do
	like "sbx $words" "$("$SBX" $words 2>&1)" "$answer"
done <<'END'
ps -q|^sbx: no option '-q': use: sbx ps --json$
ps -l|^sbx: no option '-l': the newest run is the first line of: sbx ps --all$
logs --lines 5 1|^sbx: no option '--lines': use: --tail N$
logs --until 5m 1|^sbx: no option '--until': lines have no times; use: --since TIME$
exec -w /x 1 true|^sbx: no option '-w': use -C DIRECTORY$
exec --timeout 1s 1 true|^sbx: no option '--timeout': use: sbx exec ID -- timeout TIME COMMAND$
exec --allow-domain x 1 true|^sbx: no option '--allow-domain': use: sbx allow ID HOST$
exec -m 1G 1 true|^sbx: unknown option '-m' here; it is an option of sbx run$
session create --allow-domain x y|^sbx: no option '--allow-domain': give it to a run: sbx run -s NAME
completions bash|^sbx: no verb 'completions': sbx completion bash
kill -9 1|^sbx: no option '-9': sbx stop sends SIGTERM
run --allow-domain x true|^sbx: no option '--allow-domain': use -a HOST$
run --loopback 1 true|^sbx: no option '--loopback': use --host-port PORT$
run --tier landlock true|^sbx: no option '--tier': use --isolation
run --guard yes true|^sbx: no option '--guard': use --bpf yes$
quarantine lst|^sbx: unknown action 'lst', did you mean 'sbx quarantine list'\?$
agent instal x|did you mean 'sbx agent install'
profile chek x|did you mean 'sbx profile check'
cache lits|did you mean 'sbx cache list'
session forkk x|did you mean 'sbx session fork'
session delete|to remove a session that is not in use: sbx session rm NAME$
session remove|to remove a session that is not in use: sbx session rm NAME$
session zzz|^sbx: unknown action 'zzz'; sbx session has: create
END
for word in enter top rm history images inspect; do
	like "sbx $word" "$("$SBX" $word x 2>&1)" "^sbx: no verb '$word': .*sbx"
done
like "docker's ports" "$("$SBX" run -p 8080:80 true 2>&1)" '--publish PORT'

# -C
mkdir -p "$work/there/below"
is "-C DIR" "$work/there" "$(cd / && "$SBX" run -C "$work/there" -- pwd)"
is "PWD is it, too" "$work/there" "$(cd / && "$SBX" run --chdir "$work/there" -- printenv PWD)"
is "relative to where sbx is started, and other paths to it" "yes" "$(cd "$work" && "$SBX" run -C there -r below -- sh -c '[ -d below ] && echo yes')"
refused_as "one that is not there" "^sbx: --chdir: enter '/nonexist': No such file" "$SBX" run -C /nonexist -- true
done_testing
