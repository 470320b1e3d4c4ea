#!/bin/bash
# The shape of the source: arrows of inclusion, sizes, leftovers, tables without holes.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1

files=$(find src -name '*.[ch]') sources=$(find src -mindepth 2 -name '*.c' ! -path 'src/cli/*' ! -path 'src/gen/*')
# base <- the four nouns <- policy, jail, net, session <- run <- cli <- main; rooms apart. A room with
# rooms in it says the order of these as well; who may include the whole may include each of them. A folder
# without a row of its own is a part of its room.
declare -A allowed=(
	[base]="base" [git]="base git" [policy]="base policy noun" [jail]="base git jail noun" [guard]="base git guard jail noun"
	[session]="base git session noun" [agent]="base agent" [code]="base code"
	[net/parse]="base net/parse" [net/rules]="base net/parse net/rules noun"
	[net/setup]="base net/parse net/rules net/setup noun"
	[net/proxy]="base net/parse net/rules net/setup net/proxy noun"
	[net/host]="base net noun"
	[limits]="base limits noun" [bpf]="base bpf noun"
	[run]="base git policy jail guard limits bpf net session noun run" [cli]="base git agent bpf code policy jail guard limits net session noun run cli"
	[gen]="base policy jail net cli gen noun" [.]="base policy jail noun run cli"
)
# Whether a room (a/b) is one of the words (a, or a/b).
is_among() { [[ " $2 " == *" $1 "* || " $2 " == *" ${1%%/*} "* ]]; }
wrong=
while read -r file; do
	room=${file#src/}
	[[ $room == */* ]] && room=${room%/*} || room=.
	while read -r included; do
		case $included in
		profile.h | probe.h | plan.h | run.h) target=noun ;;
		*/*) target=${included%/*} ;;
		*) target=unknown ;;
		esac
		# the nouns themselves know only base and each other
		words=${allowed[$room]-${allowed[${room%%/*}]-}}
		[ "$room" != . ] || [ "$file" = src/main.c ] || words="base noun"
		is_among "$target" "$words" || wrong+=" $file:$included"
	done < <(sed -n 's/^#include "\(.*\)"/\1/p' "$file")
done <<<"$files"
is "rooms include only what they may" "" "$wrong"
# Objects of the build that is tested.
is "no file uses itself through others" "" "$(tests/lint/circles "$(dirname "$(dirname "$SBX")")" 2>&1)"
is "no file over 400 lines" "" "$(find src -name '*.[ch]' | xargs wc -l | awk '$2 != "total" && $1 > 400 { print $2, $1 }')"
is "no function over 50 lines" "" "$(find src -name '*.c' | xargs awk '/^\{/ { start = FNR } /^\}/ && start { if (FNR - start > 51) print FILENAME ":" start; start = 0 }')"
is "no unfinished words" "" "$(grep -rnE 'TO''DO|FIX''ME|XX''X' src profiles man README.md || true)"
is "each .c includes its own .h first" "" "$(for file in $sources; do
	own=${file#src/}
	own=${own%.c}.h
	[ ! -e "src/$own" ] || [ "$(sed -n 's/^#include "\(.*\)"/\1/p;/^#include </q' "$file" | head -1)" = "$own" ] || echo "$file"
done)"
is "each file says what it owns" "" "$(for file in $files; do head -1 "$file" | grep -q '^// ' || echo "$file"; done)"
is "no stdio, malloc or threads in what runs in the box" "" "$(grep -nE '\b(malloc|calloc|realloc|fopen|printf|pthread_|getaddrinfo|system|popen)\(' src/jail/{caps,copies,fill,hold,init,landlock,layers,rlimits,mount,ns,seccomp,target}.c || true)"
# A static glibc loads shared objects for these, of whatever version the machine has (NSS, nss(5); gconv).
is "nothing asks the C library for users, hosts, services or character sets" "" "$(grep -rnE '\b(getpw|getgr|getgrouplist|initgroups|getaddrinfo|getnameinfo|gethostby|getnetby|getserv|getproto|getsp|iconv|dlopen|setlocale|wordexp)[a-z_0-9]*\(' src || true)"
is "signals are read, never handled" "" "$(grep -rnE 'sa_handler|sa_sigaction|\bsignal\(' src | grep -vE 'SIG_(IGN|DFL)' || true)"
is "kernel numbers live in base/sys.h" "" "$(grep -rnE --include='*.[ch]' '^#ifn?def|^#if ' src | grep -vE 'base/sys.h|base/testing|jail/filter.c' || true)"
is "each test that SECURITY.md names exists" "" "$(grep -o '`tests/[^` ]*`' SECURITY.md | tr -d '`' | sort -u | while read -r file; do [ -e "$file" ] || echo "$file"; done)"
# One version everywhere (tests/setup installs it): another one breaks lines elsewhere.
if command -v clang-format-19 >/dev/null; then
	is "clang-format 19 changes nothing" "" "$(find src tests -name '*.[ch]' -exec clang-format-19 --dry-run -Werror {} + 2>&1 | head -20)"
else
	skip "clang-format 19 changes nothing" "it is not installed: tests/setup"
fi
shell_files=(tests/run tests/setup tests/fresh tests/*.sh tests/*/*.sh tests/bench/* tests/vm/* .ci/run)
if command -v shellcheck >/dev/null; then
	# SC1091 sourced files; SC2016 strings for a shell in the box; SC2046 SC2086 meant; SC2059 formats;
	# SC2034 SC2154 variables of sourced attempts; SC2181 statuses kept; SC2329 functions of attempts
	found=()
	for file in "${shell_files[@]}"; do
		head -1 "$file" 2>/dev/null | grep -q 'bash\|bin/sh\|^# Shared' && found+=("$file")
	done
	is "shellcheck" "" "$(shellcheck -s bash -e SC1091,SC2038,SC2016,SC2046,SC2086,SC2059,SC2034,SC2154,SC2181,SC2329,SC2317,SC2030,SC2031,SC2010,SC2012,SC2009,SC2015,SC2319,SC2088,SC2209 -S warning "${found[@]}" 2>&1 | head -20)"
else
	skip "shellcheck" "it is not installed"
fi
done_testing
