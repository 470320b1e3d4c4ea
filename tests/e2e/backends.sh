#!/bin/bash
# The adapters that sbx backend prints, with the packages of npm that they are for (tests/work/fetch).
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
packages=${PACKAGES:-$built/frameworks/node_modules}
export HOME=$work/home XDG_STATE_HOME=$work/state OUTSIDE=$work/outside/secret PACKAGES=$packages
mkdir -p "$HOME" "$work/outside" "$work/adapters"
echo secret >"$OUTSIDE"

is "the list has each adapter with a line" "claude-agent-sdk deepagents langchain openai-agents" "$("$SBX" backend | awk 'NF > 3 { print $1 }' | paste -sd' ')"
refused_as "an unknown adapter: the list" "no adapter 'nothing'; the list: sbx backend" "$SBX" backend nothing
for name in $("$SBX" backend | awk '{ print $1 }'); do
	"$SBX" backend "$name" >"$work/adapters/$name.mjs"
	is "$name: as it lies in backends/, of at most 120 lines" "same yes" "$(cmp -s "$work/adapters/$name.mjs" "$here/../../backends/$name.mjs" && echo same) $([ "$(wc -l <"$work/adapters/$name.mjs")" -le 120 ] && echo yes)"
	package=$name
	case $name in
	claude-agent-sdk) package=@anthropic-ai/claude-agent-sdk ;;
	openai-agents) package=@openai/agents ;;
	esac
	if ! command -v node >/dev/null || [ ! -d "$packages/$package" ]; then
		skip "$name with its package" "$packages has no $package"
		continue
	fi
	ln -sfn "$packages" "$work/adapters/node_modules"
	project=$(new_project)
	cd "$project" || exit 1
	ln -sfn "$packages" "$work/node_modules"
	cp "$here/backends.mjs" "$work/adapters/test.mjs"
	timeout 300 node "$work/adapters/test.mjs" "$name" "$work/adapters/$name.mjs" >"$work/said" 2>"$work/errors"
	ended=$?
	while IFS= read -r line; do
		case $line in
		"ok "*"# SKIP "*) skip "$(sed 's/^ok [0-9]* - \(.*\) # SKIP.*/\1/' <<<"$line")" "${line##*# SKIP }" ;;
		"ok "*) pass "${line#ok * - }" ;;
		"not ok "*) fail "${line#not ok * - }" ;;
		"#"*) printf '%s\n' "$line" ;;
		esac
	done <"$work/said"
	is "$name: to its end" "0 1..$(grep -c '^\(not \)\?ok' "$work/said")" "$ended $(tail -1 "$work/said")"
	[ "$ended" = 0 ] || sed 's/^/# /' "$work/errors" | tail -20
done
done_testing
