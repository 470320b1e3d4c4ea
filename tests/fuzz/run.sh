#!/bin/bash
# Each fuzz target for SECONDS_EACH (60 by default) with ASan and UBSan, JOBS (2) at a time, from the corpora
# and dictionaries of this folder. `tests/fuzz/run.sh 36000` for a night; KEEP=1: what was found on the
# way replaces the corpora, smallest sets that reach the same code. With 0 seconds only the corpora are played.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
each=${1:-${SECONDS_EACH:-60}}
if ! command -v clang >/dev/null; then
	skip "fuzzing" "clang is not installed"
	done_testing
fi
fuzz_made=$(dirname "$(dirname "$SBX")")
. tests/fuzz/common.sh

fuzz() { # NAME
	local words=() length=(-max_total_time="$each")
	[ "$each" != 0 ] || length=(-runs=0)
	fuzz_build "tests/fuzz/$1.c" "$work/$1" "$work/objects" "${flags[@]}" >"$work/$1.log" 2>&1 || return
	fuzz_corpus "$1" "$work/corpus-$1"
	[ ! -e "tests/fuzz/words/$1" ] || words=(-dict="tests/fuzz/words/$1")
	"$work/$1" "${length[@]}" -max_len=4096 -print_final_stats=1 "${words[@]}" \
		-artifact_prefix="$work/$1-" "$work/corpus-$1" >"$work/$1.log" 2>&1 || return
	[ -z "${KEEP:-}" ] || { mkdir "$work/kept-$1" && "$work/$1" -merge=1 -max_len=4096 "$work/kept-$1" "$work/corpus-$1" &&
		tar czf "tests/fuzz/corpus/$1.tar.gz" --sort=name --mtime=@0 --owner=0 --group=0 -C "$work/kept-$1" .; } >"$work/$1.log.kept" 2>&1
	touch "$work/$1.passed"
}
names=$(basename -s .c tests/fuzz/fuzz-*.c)
flags=("-fsanitize=fuzzer,address,undefined" -fno-sanitize-recover=all)
fuzz_compile "$work/objects" "${flags[@]}" >"$work/log" 2>&1 || fail "the sources compile" "$(tail -30 "$work/log")"
for name in $names; do
	fuzz "$name" &
	[ "$(jobs -r | wc -l)" -lt "${JOBS:-2}" ] || wait -n
done
wait
for name in $names; do
	if [ -e "$work/$name.passed" ]; then
		pass "$name, $each s: $(sed -n 's/stat::number_of_executed_units: *//p' "$work/$name.log") inputs"
	else
		fail "$name" "$(tail -30 "$work/$name.log"; base64 -w0 "$work/$name"-crash-* 2>/dev/null)"
	fi
done
done_testing
