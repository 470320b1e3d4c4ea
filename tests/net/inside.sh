# Begins a script that runs in the lab: servers outside, a project, nothing of the caller's.
# Sourced as `. "$(dirname "$0")/../net/inside.sh"`. Sets tests, raw, project; goes there.
# shellcheck shell=bash
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[ -n "${LAB:-}" ] || exec "$tests/net/lab.sh" "$0" "$@"
. "$tests/lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state
mkdir -p "$HOME" && chmod 755 "$HOME"
project=$(new_project)
raw=$tests/net/raw.py
unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
cd "$project" || exit 1
