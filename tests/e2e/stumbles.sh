#!/bin/bash
# What a newcomer meets in the first hours: each message is true, its fix works as printed, and no other line is there.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
unset HTTPS_PROXY https_proxy HTTP_PROXY http_proxy NO_PROXY no_proxy CLAUDECODE
mkdir -p "$HOME" "$XDG_CONFIG_HOME"
project=$(new_project)
cd "$project" || exit 1
sbx() { "$SBX" "$@"; } # the word that messages print
says() { "$SBX" "$@" 2>&1 | grep '^sbx: '; }

# --- a command that fails is no reason to open the box
mkdir .vscode && echo 1 >.vscode/settings.json && git add -A && git commit -qm one
touch -d '-1 hour' .vscode/settings.json file && git status >/dev/null
for command in "git log nosuch" "git grep -q nothing-like-it" "git commit -m again" "make github" "test -f nosuch.git"; do
	is "$command fails without a word of sbx" "" "$(says run -- $command)"
done
echo mine >.vscode/settings.json
is "nor when the user changed a protected file, and git adds another" "" "$(says run -- sh -c 'echo more >>file; git add file')"
git checkout -q .vscode && git commit -qm two
git sparse-checkout set --no-cone '/*' '!.vscode' 2>/dev/null
is "nor in a sparse checkout without it" "" "$(says run -- sh -c 'echo again >>file; git add file')"
git sparse-checkout disable && git commit -qm three


# --- profiles, where the user's own links lead to them
mkdir -p "$XDG_CONFIG_HOME/sbx" "$work/dotfiles"
printf '[profile]\nextends = default\n' >"$work/dotfiles/mine.ini"
ln -s "$work/dotfiles/mine.ini" "$XDG_CONFIG_HOME/sbx/mine.ini"
ln -s "$work/dotfiles/later.ini" "$XDG_CONFIG_HOME/sbx/later.ini"
(cd "$work/dotfiles" && "$SBX" run -- sh -c 'echo "; box" >>mine.ini; echo "[profile]" >later.ini; touch other') >/dev/null 2>&1
is "a box changes and makes none of them, used or not" "0 mine.ini other" "$(grep -c box "$work/dotfiles/mine.ini") $(ls "$work/dotfiles" | paste -sd' ')"
rm "$XDG_CONFIG_HOME/sbx/later.ini"

done_testing
