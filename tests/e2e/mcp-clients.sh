#!/bin/bash
# sbx mcp with the official client, and with six servers that are much used: packages of npm (tests/work/fetch).
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
packages=${PACKAGES:-$built/mcp/node_modules}
export HOME=$work/home XDG_STATE_HOME=$work/state
mkdir -p "$HOME/project" "$work/packages"
if ! command -v node >/dev/null || [ ! -d "$packages/@modelcontextprotocol/sdk" ]; then
	skip "servers of MCP and their client" "$packages has no @modelcontextprotocol/sdk"
	done_testing
fi
cd "$HOME/project" && git init -q || exit 1
cp "$here/mcp-clients.mjs" "$work/packages"
timeout 300 node "$work/packages/mcp-clients.mjs" "$packages" >"$work/said" 2>"$work/errors"
ended=$?
while IFS= read -r line; do
	case $line in
	"ok "*"# SKIP "*) skip "$(sed 's/^ok [0-9]* - \(.*\) # SKIP.*/\1/' <<<"$line")" "${line##*# SKIP }" ;;
	"ok "*) pass "${line#ok * - }" ;;
	"not ok "*) fail "${line#not ok * - }" ;;
	"#"*) printf '%s\n' "$line" ;;
	esac
done <"$work/said"
is "to its end" "0 1..$(grep -c '^\(not \)\?ok' "$work/said")" "$ended $(tail -1 "$work/said")"
[ "$ended" = 0 ] || sed 's/^/# /' "$work/errors" | tail -20
done_testing
