#!/bin/bash
# The manuals: the profiles of sbx.ini(5) as they are printed do what their text says; what people ask is found by the
# pager's search.
. "$(dirname "$0")/../lib.sh"
man=$(cd "$(dirname "$0")/../../man" && pwd) built=$(dirname "$(dirname "$SBX")")/man
export HOME=$work/home XDG_CONFIG_HOME=$work/home/.config XDG_STATE_HOME=$work/state
mkdir -p "$XDG_CONFIG_HOME/sbx" "$HOME/datasets" "$HOME/models"
echo data >"$HOME/datasets/d"
project=$(new_project)
cd "$project" || exit 1
echo A=1 >.env
printed() { # name: the profile of the page
	sed -n "/^\.SS $1\$/,/^\.fi\$/p" "$man/sbx.ini.5.in" | sed '1,/^\.nf$/d; /^\.fi$/d; s/\\-/-/g'
}
for name in npm review train web api; do
	printed $name >"$XDG_CONFIG_HOME/sbx/$name.ini"
	case $name in api) export GH_TOKEN=key0123456789abcdefghij ;; esac
	is "$name: sbx profile check" "0 yes" "$("$SBX" profile check "$XDG_CONFIG_HOME/sbx/$name.ini" >"$work/log" 2>&1; echo $?) $(grep -q . "$work/log" && echo yes)"
done
box() { run_box -p "$@" 2>"$work/said"; }
stays "npm: .env is not there, the project can be written" "absent written" "$(box npm -- sh -c 'cat .env 2>/dev/null || echo absent; echo written >new; cat new' | xargs)"
like "npm: its registry is allowed" "$("$SBX" why -p npm registry.npmjs.org 2>&1)" 'allowed|can be reached|by @npm|: yes'
box review -- sh -c 'echo x >file; rm file; mkdir d'
stays "review: the project cannot be written" "hello no" "$(cat file) $([ -e d ] && echo made || echo no)"
stays "review: .env is not to read, other files are" "hello" "$(box review -- sh -c 'cat .env 2>/dev/null; cat file')"
stays "train: data is read, models are written" "data saved" "$(box train -- sh -c 'cat ~/datasets/d; echo saved >~/models/m; echo x >~/datasets/d') $(cat "$HOME/models/m")"
stays "train: data is as it was" data "$(cat "$HOME/datasets/d")"
stays "web: the variable" development "$(box web -- sh -c 'echo $NODE_ENV')"
like "web: the ports" "$("$SBX" plan -p web -- true)" '5432'
stays "api: the key is not inside" "23 other" "$(box api -- sh -c 'echo ${#GH_TOKEN}; [ "$GH_TOKEN" = key0123456789abcdefghij ] || echo other' | xargs)"

# What people ask, each by one search of the pager in one page, or by man -k.
if command -v man >/dev/null && [ -d "$built" ]; then
	found() { # question, page, words: the first hit of the pager's search is the answer's heading, or names the page
		local text
		text=$(MANWIDTH=100 man -l "$built/$2" 2>/dev/null | col -b)
		like "found by /$3 in ${2%.*}(${2##*.}): $1" "$(grep -iE -m 1 -A 3 "$3" <<<"$text")" "$4"
	}
	found "how to remove it" sbx.1 "^UNINSTALL" 'sbx stop --all'
	found "which kernels" sbx.1 "kernel" 'Linux 5\.13'
	found "which distributions" sbx.1 "distribution" 'Debian'
	found "a server on localhost" sbx.1 "^ *localhost$" '--host-port'
	found "no output" sbx.1 "^QUIET" 'prints nothing'
	found "secrets" sbx.1 "^ *secrets" 'SECRETS THAT STAY'
	found "agents" sbx.1 "agents$" 'sbx-agent\(1\)'
	is "man -k has a line for each page" "" "$(for page in "$built"/*.[157] "$man"/*.[157]; do lexgrog "$page" >/dev/null 2>&1 || echo "$page"; done)"
else
	skip "what people ask is found" "there is no man, or no built manual"
fi
done_testing
