#!/bin/bash
# Each step fails, ROUNDS times beside busy loops: where sbx says that the command was not run, it was not.
#   tests/e2e/steps.sh [ROUNDS]      300
. "$(dirname "$0")/../lib.sh"
project=$(new_project)
cd "$project" || exit 1
loops=()
for ((i = 0; i < 4; i++)); do
	timeout 1800 sh -c 'while :; do :; done' &
	loops+=($!)
done
steps=$("$SBX" run --timing true 2>&1 | awk '$1 == "sbx:" && $2 != "all" { print $3 }')
for step in $steps; do
	wrong=0 other=
	for ((i = 0; i < ${1:-300}; i++)); do
		output=$(SBX_TEST_FAIL=$step timeout 120 "$SBX_TESTING" run -- touch was-run 2>&1)
		if [ -e was-run ]; then
			rm -f was-run
			wrong=$((wrong + 1))
		elif [[ $output != *"made to fail by a test"* ]]; then
			other=$output
		fi
	done
	is "step $step fails ${1:-300} times: the command never ran" "0 " "$wrong $other"
done
kill "${loops[@]}"
done_testing
