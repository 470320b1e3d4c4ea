# Shared by the TAP scripts: SBX, SBX_TESTING and ATTACK point at the programs, those of build/ unless set.
# shellcheck shell=bash
set -u
built=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build
: "${SBX:=$built/src/sbx}" "${SBX_TESTING:=$built/src/sbx-testing}" "${ATTACK:=$built/tests/attack}"
# The caller's own directories, as pyenv's, would be reported by each run that lacks them.
PATH=$(tr : '\n' <<<"$PATH" | grep -vF "${HOME:-/nowhere}/" | paste -sd: -)
export SBX SBX_TESTING ATTACK PATH
[ -x "$SBX" ] || { echo "there is no $SBX: meson setup build && ninja -C build, or set SBX" >&2; exit 1; }
count=0
failures=0
within=
work=$(mktemp -d "${TMPDIR:-/tmp}/sbx-test.XXXXXX")
chmod 755 "$work"
trap 'chmod -R u+rwx "$work" 2>/dev/null; rm -rf "$work"' EXIT

pass() {
	count=$((count + 1))
	printf 'ok %d - %s\n' "$count" "$1"
}

fail() {
	count=$((count + 1))
	failures=$((failures + 1))
	printf 'not ok %d - %s\n' "$count" "$1"
	[ $# -lt 2 ] || printf '%s\n' "$2" | sed 's/^/# /'
}

skip() { # name, reason
	count=$((count + 1))
	printf 'ok %d - %s # SKIP %s\n' "$count" "$1" "$2"
}

is() { # name, wanted, got
	if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "wanted: $2
got:    $3"; fi
}

like() { # name, text, extended regular expression
	if printf '%s\n' "$2" | grep -Eq -- "$3"; then pass "$1"; else fail "$1" "wanted a match of: $3
got: $2"; fi
}

says_word() { # text, words of a command: a line of sbx has one of them, verbs apart; any line where there are none
	local said word any=
	said=$(grep '^sbx' <<<"$1") || return 1
	for word in "${@:2}"; do
		word=${word#--}
		word=${word%%=*}
		case $word in "" | ? | ?? | "$SBX" | "$SBX_TESTING" | run | session | plan | true | touch | ran | doctor | env | user) continue ;; esac
		[[ $said != *"$word"* ]] || return 0
		any=yes
	done
	[ -z "$any" ]
}

run_box() { # words of sbx run: notes that the command came to its end; within: a command that runs sbx
	local got
	{
		$within "$SBX" run --status-fd 7 "$@" 7>&1 >&8 8>&- | cat >"$work/ran"
		got=${PIPESTATUS[0]}
	} 8>&1
	return "$got"
}

came() { grep -Eqx 'ran|.*"event":"exit".*"end":"(exit|signal|limit)".*' "$work/ran" 2>/dev/null; } # the last of these came to its end

# name, wanted status, command...: of sbx run the command is run, too; what is refused (125) is named
status() {
	local name=$1 wanted=$2 got output more=
	shift 2
	if [ "$wanted" -lt 125 ] && [ "$1 ${2-}" = "$SBX run" ]; then
		output=$(run_box "${@:3}" 2>&1)
		got=$?
		came || more=", in no box"
	else
		output=$("$@" 2>&1)
		got=$?
		[ "$wanted" != 125 ] || says_word "$output" "$@" || more=", and none of its words"
	fi
	if [ "$got$more" = "$wanted" ]; then pass "$name"; else fail "$name" "wanted status $wanted, got $got$more: $output"; fi
}

ended() { # name, wanted status, extended regular expression, file: the command before ended so, and a line of the file matches
	local got=$?
	if [ "$got" = "$2" ] && grep -Eq -- "$3" "$4"; then pass "$1"; else fail "$1" "wanted $2 and a match of: $3
got $got: $(cat "$4")"; fi
}

refused_as() { # name, extended regular expression of what it says, command...: status 125
	local name=$1 wanted=$2 got output
	shift 2
	output=$("$@" 2>&1)
	got=$?
	if [ "$got" = 125 ] && grep -Eq -- "$wanted" <<<"$output"; then pass "$name"; else fail "$name" "wanted status 125 and a match of: $wanted
got $got: $output"; fi
}

attempt() { # words of sbx, --, a command of a shell: what it prints, between two marks that show that it was run to its end
	"$SBX" "${@:1:$#-1}" bash -c "echo begun; ${*: -1}"$'\n''echo ended' 2>/dev/null | paste -sd' '
}

denied() { # name, as attempt: the command is run to its end, and prints nothing
	is "$1" "begun ended" "$(attempt "${@:2}")"
}

in_box() { # words of sbx run with a shell, -c and its script: notes that the script came to its end
	"$SBX" run --preserve-fd 7 "${@:1:$#-1}" "${*: -1}"$'\n''echo ran >&7' 7>"$work/ran"
}

stays() { # name, wanted, got: as is, after a command that came to its end in a box
	if came; then is "$@"; else fail "$1" "the command in the box did not come to its end"; fi
}

lacks() { # name, text, extended regular expression: there is a text, and nothing in it matches
	if [ -n "$2" ] && ! grep -Eq -- "$3" <<<"$2"; then pass "$1"; else fail "$1" "wanted a text without: $3
got: $2"; fi
}

# Of a supervisor's children the box's first process, then the proxy's. Another one, which puts walls back, has
# capabilities in the box's namespaces.
children_of() { for child in $(pgrep -P "$1"); do ! grep -qE '^CapEff:.0+$' "/proc/$child/status" 2>/dev/null || echo "$child"; done; }
# The first process of a run's box: the child that is number 1 in another namespace of processes.
init_of() { for child in $(pgrep -P "$1"); do ! grep -qE '^NSpid:.*[[:space:]]1$' "/proc/$child/status" 2>/dev/null || echo "$child"; done; }
# The worker of a run's proxy: of its children outside of the box the one with a filter of its own. Who puts walls back
# has that of the supervisor alone.
worker_of() {
	local own
	own=$(awk '/^Seccomp_filters/ { print $2 }' "/proc/$1/status")
	for child in $(pgrep -P "$1"); do
		! awk -v own="$own" '/^NSpid/ { ours = NF == 2 } /^Seccomp_filters/ { more = $2 > own } END { exit !(ours && more) }' "/proc/$child/status" 2>/dev/null || echo "$child"
	done
}
wait_for() { # seconds (WAIT_MAX at most), command...: until it succeeds
	local end=$((SECONDS + ${WAIT_MAX:-$1}))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

# A new directory that no other test has used (a random name alone met an old one now and then).
fresh() { # beginning of the name
	local place
	place=$(mktemp -d "$work/$1.XXXXXX") && chmod 755 "$place" && printf '%s\n' "$place"
}

# A fresh project with a git repository in it; prints its path.
new_project() {
	local place
	place=$(fresh project)
	git -C "$place" init -q
	git -C "$place" config user.name tester
	git -C "$place" config user.email tester@example.org
	echo hello >"$place/file"
	printf '%s\n' "$place"
}

# Everything about a tree that the host can see.
tree_hash() {
	(cd "$1" && find . -printf '%p %m %s %T@ %l\n' | sort && find . -type f -exec sha256sum {} + | sort) | sha256sum
}

done_testing() {
	printf '1..%d\n' "$count"
	exit $((failures > 0))
}

set_keys() { # what the profiles of keys ask for
	local each
	for each in GH_TOKEN GITHUB_PERSONAL_ACCESS_TOKEN GITLAB_TOKEN NPM_TOKEN UV_PUBLISH_TOKEN ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY OPENROUTER_API_KEY; do
		export "$each=key0123456789abcdefghij-$each"
	done
}
