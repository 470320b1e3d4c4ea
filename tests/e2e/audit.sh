#!/bin/bash
# sbx audit: which connections and runs it shows, in columns and as JSON.
. "$(dirname "$0")/../lib.sh"
export XDG_STATE_HOME=$work/state
one=$(new_project) other=$(new_project)
log=$XDG_STATE_HOME/sbx/log
(umask 077 && mkdir -p "$log" "$one/deep/er")
chmod 700 "$XDG_STATE_HOME" "$XDG_STATE_HOME/sbx"
# A line as one of version 0.1.0, without a project, and lines that a hostile name tries to forge.
line() { # TIME RUN NAME PORT VERDICT PROGRAM ADDRESS [more members]
	printf '{"version":1,"form":"connection","time":"%s","run":%s,"pid":7,"program":"%s","name":"%s","address":"%s","port":%s,"verdict":"%s","rule":"","why":"","connections":3,"up":1536,"down":0%s}\n' \
		"$1" "$2" "$6" "$3" "$7" "$4" "$5" "${8:-}"
}
{
	line 2020-01-02T03:04:05.000Z 11 old.test 443 allowed curl 203.0.113.10
	line 2020-01-02T03:04:06.000Z 11 old.test 80 denied 'a\"verdict\":\"allowed\",\u001b[2J' ''
	line 2020-01-02T03:04:07.000Z 12 www.old.test 443 failed curl '' ",\"project\":\"$one/deep\""
	line 2020-01-02T03:04:08.000Z 12 '' 0 denied '' '' ",\"project\":\"${one}er\""
} >"$log/run-20200102T030405-11.jsonl"
(cd "$one" && "$SBX" run -- curl -s -m 9 http://denied.invalid/ >"$work/blocked" 2>&1)
like "a run was refused something" "$(cat "$work/blocked")" 'blocked by sbx|denied\.invalid'
audit() { "$SBX" audit "$@" 2>&1; }
names() { audit "$@" | sed 1d | awk '{ print $7 }' | xargs; } # destinations
cd "$other" || exit 1

is "columns have a head" "TIME RUN VERDICT COUNT SENT RECEIVED DESTINATION (PROGRAM): REASON" "$(audit | head -1 | xargs)"
is "a line" "2020-01-02T03:04:05Z 11 allowed 3 1.5K - old.test:443 (curl)" "$(audit | sed -n 2p | xargs)"
like "columns stand below their heads" "$(audit | head -2 | awk '{ print index($0, NR == 1 ? "DESTINATION" : "old.test") }' | xargs)" '^([1-9][0-9]*) \1$'
is "nothing of a name acts on the terminal" "0 1" "$(audit | grep -c $'\e') $(audit | grep -c '\[2J')"
is "a name is no other member" "old.test:80" "$(names --denied 11)"
is "all" "old.test:443 old.test:80 www.old.test:443 others denied.invalid:80" "$(names)"
is "of one run" "www.old.test:443 others" "$(names 12)"
is "--since" "denied.invalid:80" "$(names --since 1h)"
is "--since, longer" 5 "$(names --since 3660d | wc -w)"
is "--denied" "old.test:80 others denied.invalid:80" "$(names --denied)"
is "--host" "old.test:443 old.test:80" "$(names --host old.test)"
is "--host, in capitals, with a port" "old.test:443" "$(names --host OLD.test:443)"
is "--host, all below a name" "www.old.test:443" "$(names --host '*.old.test')"
is "--host, by the address that was dialled" "old.test:443" "$(names --host 203.0.113.0/24)"
is "--project" "denied.invalid:80" "$(cd "$one" && names --project . --since 1h)"
is "--project: below it" "www.old.test:443 denied.invalid:80" "$(names --project "$one")"
is "--project: around a directory" "denied.invalid:80" "$(cd "$one/deep/er" && names --project . --denied)"
is "--project: not one whose name begins so" "TIME" "$(audit --project "$other" | awk '{ print $1 }' | xargs)"
is "together" "denied.invalid:80" "$(names --since 1h --project "$one" --denied --host denied.invalid)"
is "together, and none fits" "TIME" "$(audit --since 1h --project "$one" --denied --host other.invalid | awk '{ print $1 }' | xargs)"
is "as JSON the same lines" "denied.invalid $one" "$(audit --json --since 1h --project "$one" --denied | python3 -c '
import json, sys
for line in sys.stdin:
    r = json.loads(line)
    print(r["name"], r["project"])')"
is "as JSON no head" 5 "$(audit --json | python3 -c 'import json, sys; print(sum(json.loads(line)["version"] for line in sys.stdin))')"
status "a word that is no run" 125 "$SBX" audit nope
status "a group is no host" 125 "$SBX" audit --host @npm
status "a directory that is not there" 125 "$SBX" audit --project /nowhere
status "a time that is none" 125 "$SBX" audit --since 5x
for words in "--changed --denied" "--changed --since 1h" "--changed 1"; do
	# shellcheck disable=SC2086 # words
	status "an option without effect: $words" 125 "$SBX" audit $words
done

done_testing
