#!/bin/bash
# How much of the parsers the corpora of this folder reach, line by line: all together at least 95 %.
# Files that also read or write something are left out: their parsers are named in the last table.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
if ! command -v clang >/dev/null || ! command -v llvm-cov >/dev/null; then
	skip "coverage of the parsers" "clang or llvm is not installed"
	done_testing
fi
fuzz_made=$(dirname "$(dirname "$SBX")")
. tests/fuzz/common.sh
parsers="src/agent/hook.c src/text/destination.c src/git/gitconfig.c src/git/gitindex.c
	src/git/gitforms.c src/git/gitkeys.c src/git/gitmerge.c src/git/gitsecret.c src/git/gitway.c src/text/host.c src/text/json.c src/text/jsonedit.c src/text/jsonwalk.c src/sshagent/signing.c src/sshagent/hostkeys.c src/sshagent/ssh_wire.c src/base/path.c src/base/str.c src/text/textsecret.c src/names/mentions.c src/names/trusted.c src/base/units.c
	src/view/paths/mounted.c src/env/variables.c src/limits/text.c src/net/parse/dns.c src/net/parse/hosts.c src/net/parse/http.c src/net/parse/opening.c src/net/parse/socks.c
	src/net/parse/tls.c src/policy/argv.c src/policy/ini.c src/policy/key_search.c src/policy/values.c
	src/session/apply/apply_journal.c src/session/store/session_state.c src/text/words.c"
# In files that do other things as well: netlink's, D-Bus' and /proc's words, what is kept of a tree.
functions="event_is_good bus_reply netns_parse_ack local_parse owner_parse_socket
	repos_parse seen_parse seen_find known_parse known_format known_order"

cover() { # NAME
	fuzz_build "tests/fuzz/$1.c" "$work/$1" "$work/objects" "${flags[@]}" >"$work/$1.log" 2>&1 || return
	fuzz_corpus "$1" "$work/corpus-$1"
	LLVM_PROFILE_FILE=$work/$1.profraw "$work/$1" -runs=0 "$work/corpus-$1" >>"$work/$1.log" 2>&1
}
flags=(-fsanitize=fuzzer -fprofile-instr-generate -fcoverage-mapping)
fuzz_compile "$work/objects" "${flags[@]}" >"$work/log" 2>&1 || fail "the sources compile" "$(tail -30 "$work/log")"
objects=()
for source in tests/fuzz/fuzz-*.c; do
	name=$(basename -s .c "$source")
	[ ${#objects[@]} = 0 ] || objects+=(-object)
	objects+=("$work/$name")
	cover "$name" &
	[ "$(jobs -r | wc -l)" -lt "${JOBS:-2}" ] || wait -n
done
wait
llvm-profdata merge -o "$work/profile" "$work"/*.profraw
# shellcheck disable=SC2086
llvm-cov report "${objects[@]}" -instr-profile="$work/profile" $parsers 2>/dev/null |
	awk '$1 ~ /\.c$/ || $1 == "TOTAL" { printf "# %-26s %5d lines %5d missed  %s\n", $1, $8, $9, $10 }' >"$work/table"
for function in $functions; do
	llvm-cov report "${objects[@]}" -instr-profile="$work/profile" -show-functions -name="$function" \
		src/limits/bus.c src/net/setup/netns.c src/net/rules/{control,local_address}.c src/net/host/socket_owner.c \
		src/trees/repos.c src/session/store/seen.c src/session/store/known.c 2>/dev/null |
		awk -v name="$function" '$1 == name { printf "# %-26s %5d lines %5d missed  %s\n", $1, $5, $6, $7 }' >>"$work/table"
done
cat "$work/table"
reached=$(sed -n 's/^# TOTAL.* \([0-9]*\)\.[0-9]*%/\1/p' "$work/table")
is "the corpora reach ${reached:-?} % of the parsers' lines; 95 is the least" yes "$([ "${reached:-0}" -ge 95 ] && echo yes)"
for function in $functions; do
	is "$function: reached" yes "$(grep -qE "^# $function .* (9[5-9]|100)\." "$work/table" && echo yes)"
done
done_testing
