#!/bin/bash
# Runs every attempt of this folder twice: with all walls it must fail, and with the one wall
# taken away (its twin) it must succeed; otherwise the test proves nothing.
#
# An attempt is a file NAME.attempt that sets, in shell:
#   rule     the row of the rules it belongs to
#   wall     the wall that must stop it
#   attempt  a command for the shell in the box: 0 means that it escaped
#   flags    options of sbx in both runs (array)
#   skip     steps that the twin leaves out, or
#   twin     options that the twin adds (array)
#   who      root or user when only one can make the twin succeed
#   around   words before sbx's own (array)
#   unable   why not even the twin can succeed on this machine
# and may define before (on the host; may add to flags and set attempt) and after.
# $ATTACK, $HOST (a directory of the host) and $project are there to be used.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
caller=user
[ "$(id -u)" != 0 ] || caller=root
HOST=$work/host
mkdir -p "$HOST"

in_box() { # steps to leave out, options...
	local without=$1
	shift
	(cd "$project" && SBX_TEST_SKIP=$without "${around[@]}" timeout 120 "$SBX_TESTING" run --status-fd 7 \
		--read "$(dirname "$ATTACK")" "${flags[@]}" "$@" -- bash -c "$attempt" \
		7>&1 >"$work/output" 2>&1 </dev/null) | cat >"$work/ran"
	printf '%s' "${PIPESTATUS[0]}"
}

for file in "$here"/${1:-*}.attempt; do
	name=$(basename "$file" .attempt)
	rule='' wall='' attempt='' skip='' who='' unable=''
	flags=() twin=() around=()
	before() { :; }
	after() { :; }
	project=$(new_project)
	# shellcheck disable=SC1090
	. "$file"
	if [ -n "$who" ] && [ "$who" != "$caller" ]; then
		skip "$name (rule $rule)" "its twin needs to be run as $who"
		continue
	fi
	if [ -n "$unable" ]; then
		skip "$name (rule $rule)" "$unable"
		continue
	fi
	before
	got=$(in_box '')
	case $got in
	0) fail "$name is stopped by: $wall (rule $rule)" "it escaped: $(cat "$work/output")" ;;
	124 | 125 | 126 | 127) fail "$name is stopped by: $wall (rule $rule)" "status $got: $(cat "$work/output")" ;;
	*) pass "$name is stopped by: $wall (rule $rule)" ;;
	esac
	got=$(in_box "$skip" "${twin[@]}")
	if [ "$got" = 0 ] && came; then
		pass "$name: its twin without that wall succeeds"
	else
		fail "$name: its twin without that wall succeeds" "status $got: $(cat "$work/output")"
	fi
	after
done
done_testing
