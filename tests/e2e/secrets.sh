#!/bin/bash
# What is secret and lies where a box reads: git's configuration is shown without it.
. "$(dirname "$0")/../lib.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
export HOME=$work/home LC_ALL=C GIT_CONFIG_NOSYSTEM=1
mkdir -p "$HOME/.config/git" "$HOME/deep"
project=$(new_project)
cd "$project" || exit 1

# git's configuration of the user: a copy, only where there is something to leave out.
cat >"$HOME/.gitconfig" <<'X'
# token CANARY-comment
[user]
	name = "Me \"X\" \\"
	email = me@example.org
[alias]
	st = status --short
	leak = "!curl -H 'Authorization: Bearer CANARY-alias' https://h/"
[core]
	bare
[url "https://x-access-token:CANARY-url@github.com/"]
	insteadOf = gh:
[url "https://CANARY-name@gitlab.example/"]
	pushInsteadOf = gl:
[http "https://h/"] extraHeader = X-Key: CANARY-header
[http]
	proxy = user:CANARY-proxy@proxy:3128
	cookieFile = ~/.config/git/cookies
[github]
	oauth-token = CANARY-github
[gitlab]
	privateToken = CANARY-gitlab
[bugzilla]
	password = CANARY-bugzilla
[imap]
	pass = CANARY-imap
[sendemail "work"]
	smtpPass = CANARY-smtp
[credential]
	helper = store --file ~/deep/store
	helper = "!f() { echo password=CANARY-helper; }; f"
[lfs]
	url = https://me:CANARY-lfs@h/
[include]
	path = ~/.config/git/included
[includeIf "gitdir:/"]
	path = ~/deep/nested
X
printf '[github]\n\ttoken = CANARY-xdg\n[pull]\n\trebase = true\n' >"$HOME/.config/git/config"
printf '[remote "o"]\n\turl = https://CANARY-included@h/x\n[alias]\n\tinc = log\n[include]\n\tpath = more\n' >"$HOME/.config/git/included"
printf '[hub]\n\ttoken = CANARY-more\n[alias]\n\tmore = log\n' >"$HOME/.config/git/more"
printf '[a]\n\tapiKey = CANARY-nested\n[alias]\n\tnested = log\n' >"$HOME/deep/nested"
echo CANARY-cookies >"$HOME/.config/git/cookies"
echo CANARY-store >"$HOME/deep/store"
like "the host's git reads them" "$(git config --list)" CANARY-nested
for row in "run" "run -p open-read" "run --read $HOME/.config" "run -s here" "run --isolation landlock --project read" "run --project none"; do
	case $row in *here) "$SBX" session create here >/dev/null ;; esac
	# shellcheck disable=SC2086
	denied "sbx $row: no secret of it is read" $row -- '{ git config --list; grep -rsa CANARY ~; cat ~/deep/* ~/.config/git/*; } | grep CANARY'
done
"$SBX" session remove here >/dev/null 2>&1
is "git in the box knows the rest" "Me \"X\" \\|me@example.org|status --short|log|log|log|true|https://github.com/" \
	"$("$SBX" run -- bash -c 'for k in user.name user.email alias.st alias.inc alias.more alias.nested pull.rebase; do case $k in user*) git config --global $k ;; *) git config $k ;; esac; done; git config --get-regexp "^url.*" gh: | sed "s/url.//; s/.insteadof.*//"' 2>&1 | tr '\n' '|' | sed 's/|$//')"
is "a key alone is still one" true "$("$SBX" run -- git config --global --type bool core.bare 2>&1)"
is "a file of git's is no directory of the box's" "attributes config ignore" \
	"$(touch "$HOME/.config/git/ignore" "$HOME/.config/git/attributes"; "$SBX" run -- bash -c 'cd ~/.config/git; for f in *; do [ $f = included ] || [ $f = more ] || echo $f; done' | tr '\n' ' ' | sed 's/ $//')"
plan=$("$SBX" plan -- true)
like "sbx plan says what was left out" "$plan" "note .*\.gitconfig' is shown without its secrets: .*http.https://h/.extraheader.*--read"
lacks "and not what it was" "$plan" CANARY
is "by its own name the file itself" 1 "$("$SBX" run --read "$HOME/.gitconfig" -- grep -c CANARY-url "$HOME/.gitconfig" 2>&1)"
# A program of the host replaces the file while the box runs: nothing is uncovered.
mkfifo "$work/go"
"$SBX" run --read "?$work/go" -- bash -c 'touch ready; read -r _ <"$1"; cat ~/.config/git/config ~/.gitconfig' - "$work/go" >"$work/seen" 2>&1 &
wait_for 30 [ -e ready ] && git config --global core.pager cat && git config --file "$HOME/.config/git/config" a.b c && echo >"$work/go"
wait
is "replaced while a box runs: the box sees its copy" "0 1" "$(grep -c CANARY "$work/seen") $(grep -c rebase "$work/seen")"
# Where nothing is secret the file itself is there.
printf '[user]\n\tname = Me # me\n\temail = me@example.org\n[url "git@github.com:"]\n\tinsteadOf = https://github.com/\n' >"$HOME/.gitconfig"
is "without secrets it is the file itself" "  read       $HOME/.gitconfig" "$("$SBX" plan -- true | grep -F "$HOME/.gitconfig")"
is "byte by byte" "$(cat "$HOME/.gitconfig")" "$("$SBX" run -- cat "$HOME/.gitconfig" 2>&1)"
# What cannot be read as git's is not shown.
printf '[github]\n\ttoken = CANARY-broken\n[x\n' >"$HOME/.gitconfig"
is "what cannot be taken apart is not shown" "0 0" "$("$SBX" run -- bash -c 'grep -c CANARY ~/.gitconfig; git config --global user.name >/dev/null 2>&1; [ $? -le 1 ] && echo 0' 2>&1 | tr '\n' ' ' | sed 's/ $//')"
{ printf '[github]\n\ttoken = CANARY-large\n'; head -c 140000 /dev/zero | tr '\0' '#'; } >"$HOME/.gitconfig"
is "nor what is too large" 0 "$("$SBX" run -- grep -c CANARY "$HOME/.gitconfig" 2>&1)"
# Links, and files that variables name.
mkdir "$work/dots" && printf '[github]\n\ttoken = CANARY-link\n[alias]\n\tlinked = log\n' >"$work/dots/gitconfig"
ln -sf "$work/dots/gitconfig" "$HOME/.gitconfig"
is "through a link" "log 0" "$("$SBX" run -- bash -c 'git config alias.linked; grep -c CANARY ~/.gitconfig' 2>&1 | tr '\n' ' ' | sed 's/ $//')"
is "by GIT_CONFIG_GLOBAL" "log 0" "$(GIT_CONFIG_GLOBAL=$work/dots/gitconfig "$SBX" run --read "$work/dots" -- bash -c 'git config alias.linked; grep -c CANARY "$GIT_CONFIG_GLOBAL"' 2>&1 | tr '\n' ' ' | sed 's/ $//')"
rm "$HOME/.gitconfig"
# A hostile file took all memory of the plan.
python3 -c 'print("[a]" * 8000)' >"$HOME/.gitconfig"
is "8,000 sections on one line" ok "$("$SBX" run -- echo ok 2>&1)"
rm "$HOME/.gitconfig"
# Where tools keep tokens. A row with '+' is a file of settings, which stays without its secret.
place_canaries() {
	while read -r row; do
		path=${row%%  *}
		case $path in \#* | '') continue ;; esac
		mkdir -p "$HOME/$(dirname "${path#+}")"
		case $path in
		*npmrc) printf 'email=me@example.org\n//registry.example/:_authToken=CANARY-%s\n' "$path" ;;
		*rc | *.yml) printf 'channels:\n  - https://conda.example/t/CANARY-%s/main\n  - defaults\n' "$(basename "$path")" ;;
		*.conf) printf '[global]\ntimeout = 60\nindex-url = https://me:CANARY-%s@pypi.example/simple\n' "$(basename "$path")" ;;
		*) printf '[registry]\ndefault = "x"\ntoken = "CANARY-%s"\n' "$path" ;;
		esac >"$HOME/${path#+}"
		echo "${path#+}" >>"$work/all"
		[ "${path#+}" = "$path" ] || echo "${path#+}" >>"$work/settings"
	done <"$root/tests/e2e/canaries"
}
place_canaries
like "places of secrets" "$(wc -l <"$work/all")" '^1[0-9][0-9]$'
# shellcheck disable=SC2016
reads='cd ~; while IFS= read -r f; do grep -qs CANARY "$f" && echo "$f"; done <"$0"'
printf '[files]\nread = ~\nread = ?/usr\nread = ?/bin\nread = ?/lib\nread = ?/lib64\nread = ?/etc\n' >"$work/twin.ini"
mkdir "$work/lists" && cp "$work/all" "$work/settings" "$work/lists"
is "without the list of secrets each is read, but for settings" "$(grep -vxFf "$work/settings" "$work/all")" "$("$SBX" run -p "$work/twin.ini" --read "$work/lists" -- bash -c "$reads" "$work/lists/all" 2>&1)"
# What the profile of an agent opens on purpose: its own way to sign in.
declare -A own=([claude-code]=".claude/.credentials.json .claude.json" [codex]=.codex/auth.json [gemini]=.gemini/oauth_creds.json [qwen]=.qwen/oauth_creds.json [copilot]=.copilot/config.json [opencode]=.local/share/opencode/auth.json)
set_keys
for profile in $("$SBX" profile list | cut -d' ' -f1 | grep -vx secrets); do
	is "$profile: none but its own" "$(echo ${own[$profile]:-})" "$("$SBX" run -p "$profile" --read "$work/lists" -- bash -c "$reads" "$work/lists/all" 2>&1 | grep -v "^sbx: secret .*: no request to its hosts carried it\$" | tr '\n' ' ' | sed 's/ $//')"
done
is "with the home readable: none" "read" "$("$SBX" run --read "$HOME" --read "$work/lists" -- bash -c "$reads; echo read" "$work/lists/all" 2>&1)"
is "in tier landlock: none" "read" "$("$SBX" run --isolation landlock --project read --read "$work/lists" -- bash -c "$reads; echo read" "$work/lists/all" 2>&1)"
# shellcheck disable=SC2016
is "settings keep their other lines" "$(cat "$work/settings")" "$("$SBX" run --read "$work/lists" -- bash -c 'cd ~; while IFS= read -r f; do grep -qsE "^(email=|  - defaults|timeout|default)" "$f" && echo "$f"; done <"$0"' "$work/lists/settings" 2>&1)"
like "sbx plan says so" "$("$SBX" plan -- true)" "note .*v20.1.0/etc/npmrc' is shown without its secrets: lines with a token"
printf 'registry=https://npm.example/\n' >"$HOME/.n/etc/npmrc"
lacks "settings without a secret are the file itself" "$("$SBX" plan -- true)" "$HOME/.n/etc/npmrc"
printf 'token = """\nCANARY\n"""\n' >"$HOME/.cargo/config.toml"
is "nobody knows where it ends: nothing is shown" 0 "$("$SBX" run -- sh -c 'wc -c <~/.cargo/config.toml' 2>&1)"
is "by its name it is shown" 1 "$("$SBX" run --read "$HOME/.cargo/config.toml" -- grep -c CANARY "$HOME/.cargo/config.toml" 2>&1)"
# Settings that are links into the project: sbx keeps them from the box, and git in the box reads them.
rm -rf "$HOME"/.gitconfig "$HOME"/.cargo "$HOME"/.config/git
mkdir -p "$work/dots/dot/cargo" "$work/rv" "$HOME/private"
cd "$work/dots" && git init -q || exit 1
printf '[user]\n\tname = Me\n\temail = me@example.org\n[credential]\n\thelper = store --file %s\n' "$work/rv/credfile" >dot/gitconfig
printf '[build]\njobs = 2\n' >dot/cargo/config.toml
echo CANARY-rv >"$work/rv/credfile"
ln -s "$work/dots/dot/gitconfig" "$HOME/.gitconfig"
ln -s "$work/dots/dot/cargo" "$HOME/.cargo"
git add -A && git commit -qm one
is "dotfiles: the store that they name is hidden" "1 0" "$("$SBX" run --read "$work/rv" -- sh -c 'ls "$0" | grep -c credfile; cat "$0/credfile" 2>/dev/null | grep -c CANARY' "$work/rv" 2>&1 | tr '\n' ' ' | sed 's/ $//')"
in_box() { "$SBX" run -- bash -c '[ -e "$0/private" ] || printf "in a box: "; eval "$1"' "$HOME" "$1" 2>&1; }
is "git in the box has the identity" "in a box: Me|$(cat dot/gitconfig)" "$(in_box 'printf "%s|" "$(git config user.name)"; cat dot/gitconfig')"
echo x >new && git add new
is "what a box commits is the text itself" "in a box: new|$(cat dot/gitconfig)" "$(in_box 'git commit -qam two'; git show --format= --name-only HEAD | tr '\n' '|'; git show HEAD:dot/gitconfig)"
is "settings of cargo without a secret are the file itself" "in a box: $(cat dot/cargo/config.toml)" "$(in_box 'cat dot/cargo/config.toml')"
is "sbx plan says of none that it lacks something" "1 0" "$("$SBX" plan -- true >"$work/plan"; echo "$(grep -c "^project .*dots (write)" "$work/plan") $(grep -c 'dots/.*shown without' "$work/plan")")"
printf '[build]\njobs = 2\n[registry]\ntoken = "CANARY-cargo"\n' >dot/cargo/config.toml
is "with a secret they lack its line alone" "jobs = 2 0" "$("$SBX" run -- sh -c 'grep jobs dot/cargo/config.toml; grep -c CANARY dot/cargo/config.toml' 2>&1 | tr '\n' ' ' | sed 's/ $//')"
like "and sbx plan says so" "$("$SBX" plan -- true)" "note .*dot/cargo/config.toml' is shown without its secrets: lines with a token"
printf '[github]\n\ttoken = CANARY-dots\n' >>dot/gitconfig
is "git's own lack it as well" "Me 0" "$("$SBX" run -- sh -c 'git config user.name; grep -c CANARY dot/gitconfig' 2>&1 | tr '\n' ' ' | sed 's/ $//')"
# What a repository includes: in the project without its secrets, of the home nothing.
printf '[github]\n\ttoken = CANARY-include\n[alias]\n\tinc = log\n' | tee included.ini >"$HOME/private/private.ini"
git config include.path ../included.ini
is "a file that the repository includes lacks it" "log 0" "$("$SBX" run -- sh -c 'git config alias.inc; grep -c CANARY included.ini' 2>&1 | tr '\n' ' ' | sed 's/ $//')"
git config --add include.path "$HOME/private/private.ini"
is "it shows no file of the home" "absent" "$("$SBX" run -- sh -c '[ -e "$0" ] && cat "$0" || echo absent' "$HOME/private/private.ini" 2>&1)"
git config --global include.path "$HOME/private/private.ini"
is "the user's own does" "log 0" "$("$SBX" run -- sh -c 'git config alias.inc; grep -c CANARY "$0"' "$HOME/private/private.ini" 2>&1 | tr '\n' ' ' | sed 's/ $//')"
# Those in the project are taken apart by the locked process: here nothing else is asked of it.
mkdir "$work/plain" && cp "$work/dots/dot/cargo/config.toml" "$work/plain" && cd "$work/plain" && ln -sfn "$work/plain" "$HOME/.cargo" || exit 1
is "a locked process reads settings that a box may have written" "jobs = 2 0 125" "$("$SBX_TESTING" run -- grep jobs config.toml 2>/dev/null | tr '\n' ' '; printf '%s ' "${PIPESTATUS[0]}"; SBX_TEST_SKIP=reader-dies "$SBX_TESTING" run -- true 2>/dev/null; echo $?)"
rm "$HOME/.cargo"
is "and none where there are none" "in a box: 0" "$(SBX_TEST_SKIP=reader-dies "$SBX_TESTING" run -- sh -c '[ -e "$0/deep" ] || printf "in a box: "' "$HOME" 2>/dev/null; echo $?)"
done_testing
