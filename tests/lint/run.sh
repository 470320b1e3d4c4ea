#!/bin/bash
# The shape of the source: arrows of inclusion, sizes, leftovers, tables without holes.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1

files=$(find src -name '*.[ch]') sources=$(find src -mindepth 2 -name '*.c' ! -path 'src/cli/*' ! -path 'src/gen/*')
# Objects of the build that is tested.
is "rooms and files are used in one direction, as src/README.md's table says" "" "$(tests/lint/rooms "$(dirname "$(dirname "$SBX")")" 2>&1)"
is "no file over 400 lines" "" "$(find src -name '*.[ch]' | xargs wc -l | awk '$2 != "total" && $1 > 400 { print $2, $1 }')"
is "no function over 50 lines" "" "$(find src -name '*.c' | xargs awk '/^\{/ { start = FNR } /^\}/ && start { if (FNR - start > 51) print FILENAME ":" start; start = 0 }')"
is "no unfinished words" "" "$(grep -rnE 'TO''DO|FIX''ME|XX''X' src profiles man README.md || true)"
is "each .c includes its own .h first" "" "$(for file in $sources; do
	own=${file#src/}
	own=${own%.c}.h
	[ ! -e "src/$own" ] || [ "$(sed -n 's/^#include "\(.*\)"/\1/p;/^#include </q' "$file" | head -1)" = "$own" ] || echo "$file"
done)"
is "each file says what it owns" "" "$(for file in $files; do head -1 "$file" | grep -q '^// ' || echo "$file"; done)"
# Steps of the box are found in the table of steps; process/ and mount/ hold what these call. run/decide.c is the host's but
# for one function.
box_steps=$(sed -n 's/.*{ SIDE_BOX, [A-Z]*, "[a-z-]*", \([a-z_]*\),.*/\1/p' src/run/steps.c)
box_files=$(grep -lE "^[a-z].*\b($(paste -sd'|' <<<"$box_steps"))\((const )?struct" $sources | grep -v '^src/run/decide.c$'; ls src/process/*.c src/mount/*.c | grep -v exec_clients)
is "no stdio, malloc or threads in what runs in the box" "$(wc -w <<<"$box_steps")" "$({ cat $box_files; sed -n '/^int decide_child(/,/^}/p' src/run/decide.c; } |
	grep -nE '\b(malloc|calloc|realloc|fopen|printf|pthread_[a-z_]*|getaddrinfo|system|popen)\('; for step in $box_steps; do grep -lE "^[a-z].*\b$step\((const )?struct" $box_files src/run/decide.c | head -1; done | wc -l)"
# A static glibc loads shared objects for these, of whatever version the machine has (NSS, nss(5); gconv).
is "nothing asks the C library for users, hosts, services or character sets" "" "$(grep -rnE '\b(getpw|getgr|getgrouplist|initgroups|getaddrinfo|getnameinfo|gethostby|getnetby|getserv|getproto|getsp|iconv|dlopen|setlocale|wordexp)[a-z_0-9]*\(' src || true)"
# Numbers that the kernel takes as pointers are none; -Wcast-qual finds the plain casts.
is "no cast through a number removes const" "" "$(grep -rnE '\*+\)\(uintptr_t\)' src | grep -vE '\(uintptr_t\)(SYS_SECCOMP_SYNC_WAKE_UP|address)\b' || true)"
is "each descriptor of a run is among those that begin as -1" "" "$(sed -n '/^struct run {/,/^};/p' src/run.h | sed '/^\tstruct {/,/^\t};/d' | grep -E '^\tint [a-z]' | grep -v 'int journal_problem;' || true)"
is "each cause of a step that fails names a step" "" "$(comm -23 <(sed -n 's/^\t{ "\([a-z-]*\)", [A-Z0-9]*, [A-Z_]*,.*/\1/p' src/probe/machine.c | sort -u) <(sed -n 's/^\t{ SIDE_[A-Z]*, [A-Z]*, "\([a-z-]*\)",.*/\1/p' src/run/steps.c | sort -u))"
# A path that was cut names another file: str_put() writes all of it or nothing.
is "no path is written by snprintf" "" "$(grep -rnE '^[[:space:]]+snprintf\((path|parent|place|link|above|below|top|way|own|root|lock|file|name|part|fresh|gone|whole|aside|directory|[a-z]+->path), .*"[^"]*%(\.\*)?s' src --include=*.c | grep -v src/gen/ || true)"
is "each row of the table of names says where it is written" "" "$(tests/lint/sources)"
is "and one that does not is found" 4 "$(printf 'a = b | their manuals\nc = d | x\ne = f | \ng = h\ni = j | man(1)\n' >"$work/names" && tests/lint/sources "$work/names" | grep -c 'no source')"
is "values that sbx-json(5) lists are those of the source" "" "$(tests/lint/values 2>&1)"
is "and one that is not there is found" 2 "$(tests/lint/values "doctor walls[].state=x" "result end=x" | grep -c "only in the page: \['x'\]")"
# tests/lint/forbidden-words is the list; a message that changed is a line in tests/lint/messages.golden.
is "messages, help and manual pages are in plain words, and each message is in the golden file" "" "$(tests/lint/words check "$SBX" 2>&1)"
is "comments are short: at most 60 words for 100 lines of a room" "" "$(tests/lint/comments 2>&1)"
# HACKING.md, Style 13. Old comments are rewritten when their line is touched.
git() { command git -c safe.directory='*' "$@"; }
if upstream=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null); then
	is "comments of lines that differ from main are in plain words" "" "$(git diff -M -U0 "$upstream" -- src | grep -E '^\+.*//.*' |
		grep -iE '//.*\b(whoever|told|shut|of its own|looked (at|after|for)|what (is|was|has|stands|lies))\b' | head -20)"
else
	skip "comments of lines that differ from main are in plain words" "there is no git history here"
fi
is "each fix that a message names has a test in tests/lint/advice.table, or a reason" "" "$(tests/lint/advice check 2>&1)"
is "no recorded failure is thrown away unseen" "" "$(grep -rnE '^[[:space:]]*(\(void\) ?)?err_(taken\(\)|(tolerated|forgive)\(.*\));|err_(tolerated|forgive)\((true|err_number)' src --include=*.c || true)"
is "signals are read, never handled" "" "$(grep -rnE 'sa_handler|sa_sigaction|\bsignal\(' src | grep -vE 'SIG_(IGN|DFL)' || true)"
is "kernel numbers live in base/sys.h" "" "$(grep -rnE --include='*.[ch]' '^#ifn?def|^#if ' src | grep -vE 'base/sys.h|base/testing|seccomp/filter.c' || true)"
is "each pattern of tests/mutants/run matches" "" "$(tests/mutants/run --check 2>&1)"
is "pages have their length, each promise its test, and what a command can check is so" "" "$(tests/lint/claims 2>&1)"
is "and a claim that is false, or not on its page, is found" 2 "$(printf 'SECURITY.md | nice 5 | false\nSECURITY.md | is not there | true\n' >"$work/claims" && tests/lint/claims "$work/claims" | wc -l)"
if command -v bwrap >/dev/null; then
	is "only checks of tests/lint/stub.table pass against a program that is no sbx (a sample)" "" "$(tests/lint/stub --seconds 10 2>&1 | grep -v '^ok\|^1\.\.\|^# of')"
else
	skip "only checks of tests/lint/stub.table pass against a program that is no sbx (a sample)" "bubblewrap is not installed"
fi
# One version everywhere (tests/setup installs it): another one breaks lines elsewhere.
if command -v clang-format-19 >/dev/null; then
	is "clang-format 19 changes nothing" "" "$(find src tests -name '*.[ch]' -exec clang-format-19 --dry-run -Werror {} + 2>&1 | head -20)"
else
	skip "clang-format 19 changes nothing" "it is not installed: tests/setup"
fi
shell_files=(tests/run tests/setup tests/fresh tests/*.sh tests/*/*.sh tests/bench/* tests/vm/* tests/arm64/* .ci/run)
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
