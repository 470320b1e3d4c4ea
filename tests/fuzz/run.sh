#!/bin/bash
# Each fuzz target for SECONDS_EACH (60 by default) with ASan and UBSan, from the corpus of this
# folder and the shipped profiles. `tests/fuzz/run.sh 36000` for a night.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
each=${1:-${SECONDS_EACH:-60}}
if ! command -v clang >/dev/null; then
	skip "fuzzing" "clang is not installed"
	done_testing
fi
build=$(dirname "$(dirname "$SBX")")
sources=$(ls src/agent/{agents,hook}.c src/base/*.c src/policy/*.c src/jail/variables.c src/limits/{bus,text}.c src/net/{dns,hosts,http,link,socks,tls,who}.c src/session/{journal,state,tar,words}.c | grep -v fortify)
mkdir -p "$work/corpus"
cp profiles/*.ini "$work/corpus"
printf -- '--read\0/x\0-p\0base\0--\0ls\0' >"$work/corpus/words"
cp tests/fuzz/found/* "$work/corpus" 2>/dev/null
for target in tests/fuzz/fuzz-*.c; do
	name=$(basename "$target" .c)
	# shellcheck disable=SC2086
	if ! clang -g -O1 -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
		-Isrc -o "$work/$name" "$target" $sources "$build"/src/{profile-texts,group-rows,network-messages}.c -linih \
		2>"$work/log"; then
		fail "$name builds" "$(head -20 "$work/log")"
		continue
	fi
	if "$work/$name" -max_total_time="$each" -max_len=4096 -print_final_stats=1 \
		-artifact_prefix="$work/" "$work/corpus" >"$work/log" 2>&1; then
		pass "$name, $each s: $(sed -n 's/stat::number_of_executed_units: *//p' "$work/log") inputs"
	else
		fail "$name" "$(tail -30 "$work/log"; base64 -w0 "$work"/crash-* 2>/dev/null)"
	fi
done
done_testing
