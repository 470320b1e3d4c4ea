#!/bin/bash
# More fixes that messages name, applied as they are printed: sessions, quarantine, profiles, ports, settings.
# tests/lint/advice.table has each message with its test, here or elsewhere, or why there is none.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
unset HTTPS_PROXY https_proxy HTTP_PROXY http_proxy NO_PROXY no_proxy
mkdir -p "$HOME" "$XDG_CONFIG_HOME/sbx"
project=$(new_project)
cd "$project" || exit 1
sbx() { "$SBX" "$@"; } # the word that messages print

# Each of these runs sbx, sees the message, applies the fix that its end names, and sees the message gone.
by_flag() { # name, pattern of the message, sed that takes the flags out of it, words of sbx with a --
	local name=$1 message=$2 take=$3 said flags after verb=$4 options=()
	shift 4
	said=$("$SBX" "$verb" "$@" 2>&1)
	like "$name: is said" "$said" "$message"
	flags=$(printf '%s\n' "$said" | sed -nE "$take" | head -1)
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	after=$(eval "\"\$SBX\" $verb \"\${options[@]}\" $flags \"\$@\"" 2>&1) # the last flag decides
	is "$name: gone with what is printed ($flags), and nothing else fails" "fixed 0" "${flags:+fixed} $(printf '%s\n' "$after" | grep -cE -e "$message" -e 'unknown option|is not valid|usage:')"
}
by_command() { # name, pattern of the message, sed that takes the command out of it, words of sbx
	local name=$1 message=$2 take=$3 said fix
	shift 3
	said=$("$SBX" "$@" 2>&1)
	like "$name: is said" "$said" "$message"
	fix=$(printf '%s\n' "$said" | sed -nE "$take" | head -1)
	eval "$fix" >"$work/fixed" 2>&1
	is "$name: '$fix' works, and the message is gone" "0 fixed 0" "$? ${fix:+fixed} $("$SBX" "$@" 2>&1 | grep -cE -- "$message")"
}
shows() { # name, pattern of the message, sed that takes the command out, pattern of what that prints, words of sbx
	local name=$1 message=$2 take=$3 wanted=$4 said fix
	shift 4
	said=$("$SBX" "$@" 2>&1)
	like "$name: is said" "$said" "$message"
	fix=$(printf '%s\n' "$said" | sed -nE "$take" | head -1)
	like "$name: '$fix' shows it" "$(grep -Eq -- "$message" <<<"$said" && eval "$fix" 2>&1)" "$wanted"
}

# --- words of the command line
shows "a command in the place of a verb" "no verb 'echo'; to run a command: sbx run -- echo$" 's/.*command: (.*)/\1 in the box/p' '^in the box$' echo 'in the box'
shows "another verb before --" 'to run a command: sbx run -- echo$' 's/.*command: (.*)/\1 again/p' '^again$' start -- echo
shows "a word behind shell" 'to run a command: sbx run$' 's/.*command: (.*)/\1 -- echo done/p' '^done$' shell word
shows "an unknown option" 'unknown option .--nonsense., see --help$' 's/.*see (.*)$/sbx run \1/p' '^usage: sbx run' run --nonsense true
shows "an unknown action of sessions" 'sbx session has: create ' 's/.*has: .* (log) .*/sbx session \1 --help/p' 'usage: sbx session' session nonsense
shows "no profile" 'see: sbx profile list$' 's/.*see: (.*)/\1/p' '^default' run -p nonsense-that-is-none true
shows "a port for -p" '--publish PORT' 's/.*(--publish) PORT.*/sbx plan \1 8080:80 -- true/p' 'publish' run -p 8080:80 true
shows "a variable without a value" 'to pass your own: --pass-env NAME$' 's/.*: (--pass-env) NAME$/FOO=bar sbx run \1 FOO -- printenv FOO/p' '^bar$' run -e FOO true
shows "an address of a page" 'the host alone, .*: -a github.com$' 's/.*: (-a github.com)$/sbx plan \1 -- true/p' 'allow +github.com' run -a https://github.com/x true
shows "no run of that name" 'to list the runs: sbx ps$' 's/.*: (sbx ps)$/\1/p' '^ID +AGE ' allow nonsense github.com
shows "no live run of that number" 'to list the runs: sbx ps$' 's/.*: (sbx ps)$/\1/p' '^ID +AGE ' stop 999999999
shows "allow without words" 'to list the runs: sbx ps$' 's/.*: (sbx ps)$/\1/p' '^ID +AGE ' allow
shows "--json of a verb that has none" '--json is for sbx quarantine list$' 's/.*for (sbx quarantine list)$/\1 --json/p' '"form":"quarantine"' quarantine show --json 1
shows "--json of profile" '--json is for sbx profile list, show and status$' 's/.*for (sbx profile list),.*/\1 --json/p' '"form":' profile groups --json
shows "--json of agent" '--json is for sbx agent status$' 's/.*for (sbx agent status)$/\1 --json/p' '"form":' agent list --json
shows "--apply without --review" 'for a session: sbx session apply NAME$' 's/.*: (sbx session apply) NAME$/sbx session create ap \&\& \1 ap; echo done/p' '^done$' run --apply=yes true
shows "a language that is not known" 'name it by --lang' 's/.*by (--lang), .*/sbx code \1 bash -c "echo named"/p' '^named$' code -c 'zyx wvu'
shows "a file for a verb of runs" "for a file, write a '/': \./file:$" "s/.*: (\.\/file:)$/touch file:; sbx why \1/p" 'can be read' why file:

shows "a group without its @" 'npm is a host; for the group: -a @npm$' 's/.*group: (-a @npm)$/sbx run \1 -- echo open/p' '^open$' run -a npm -- true
shows "--json with --review" 'sbx run --json -s NAME -- COMMAND"' 's/.*too: (sbx run --json -s) NAME -- COMMAND",.*/sbx session create waits \&\& \1 waits -- true/p' '"end":"exit","status":0' run --json --review -- true

# --- profiles
printf '[profile]\nextends = default\n[files]\nraed = /x\n' >key.ini
shows "an unknown key" 'see: sbx profile keys$|did you mean' 's/.*mean .(read).*/sbx profile keys | grep -w \1/p; s/.*see: (.*)/\1/p' 'read' profile check key.ini
printf '[profile]\nextends = default\n[files]\nzzzzzz = /x\n' >key.ini
shows "a key that is like none" 'see: sbx profile keys$' 's/.*see: (.*)/\1/p' 'read' profile check key.ini
printf '[profile]\nextends = default\n[zzzzzz]\nread = /x\n' >key.ini
shows "a section that is like none" 'see: sbx profile keys$' 's/.*see: (.*)/\1/p' 'read' profile check key.ini
printf 'nonsense\n' >"$XDG_CONFIG_HOME/sbx/broken.ini"
shows "a profile that cannot be used, in the list" 'unusable; see: sbx profile check ' 's/.*see: (.*)/\1/p' 'before any|expected' profile list
rm "$XDG_CONFIG_HOME/sbx/broken.ini"
printf '[profile]\nextends = default\n' >loose.ini && chmod 666 loose.ini
if [ "$(id -u)" = 0 ]; then
	skip "a profile that others can write" "a file of root's is trusted whatever its mode"
else
	by_command "a profile that others can write" 'is writable by others; chmod go-w ' 's/.*; (chmod .*)/\1/p' run -p ./loose.ini true
fi
printf '[profile]\nextends = default\n[files]\nread = /nonsense\n' >absent.ini
shows "a path that is not there" "prefix it with '\?' if it may be missing" 's,.*,sed -i "s|= /non|= ?/non|" absent.ini; sbx run -p ./absent.ini echo went,p' '^went$' run -p ./absent.ini true
shows "a variable of a path that is not set" "prefix the path with '\?' if it may be missing" 's/.*/sbx run -r "?$\\NONE\/x" echo went/p' '^went$' run -r '$NONE/x' true
printf '[network]\nallow = github.com\nallow = own.example\n' >.sbx.ini
shows "a project's profile that loosens" 'ignored until you trust this file; see: sbx profile status; then: sbx profile trust$' 's/.*: (sbx profile status); then.*/\1/p' 'to allow it to loosen the box as well: sbx profile trust$' run true
is "a project's profile that loosens: each refusal of what it allows says so, and nothing else's" "own.example 80 3|own.example 80 3|other.example 80 " "$(for host in own own other; do "$SBX" run -- curl -sf -m 9 http://$host.example 2>&1; done | sed -nE 's/.*blocked ([^:]*):([0-9]+) .*--allow [^ ]+( .*sbx.ini:(.*) allows it when you trust it: sbx profile trust.)?$/\1 \2 \4/p' | paste -sd'|')"
by_command "why of a host that it allows" '^  .sbx.ini:3 does that when you trust it: sbx profile trust$' 's/.*trust it: (sbx profile trust)$/\1/p' why own.example
"$SBX" profile untrust
by_command "and the way to trust it" 'to allow it to loosen the box as well: sbx profile trust$' 's/.*: (sbx profile trust)$/\1/p' profile status
stays "then nothing more is said" "" "$(run_box true 2>&1)"
printf '[network]\nallow = gitlab.com\n' >.sbx.ini
"$SBX" profile trust >/dev/null 2>&1
like "what changed is trusted when it was shown" "$("$SBX" profile trust 2>&1)" "trusted as it is now"
rm .sbx.ini
printf '[files]\nsocket = ?/var/run/docker.sock\n' >.sbx.ini
if "$SBX" profile trust 2>&1 | grep -q "a project's file cannot open it"; then
	shows "what a project's file cannot open" 'sbx run -p NAME$' 's/.*: (sbx run -p) NAME$/rm .sbx.ini; \1 docker -- echo went/p' 'went' profile trust
else
	skip "what a project's file cannot open" "there is no docker"
fi
rm -f .sbx.ini

# --- sessions
XDG_STATE_HOME=$work/empty shows "no sessions" 'to make one: sbx session create NAME$' 's/.*: (sbx session create NAME)$/\1 \&\& sbx session list/p' '^NAME ' session list
by_command "a session that is not there" "no session 'w'; yours: .*to make it: sbx session create w$" 's/.*: (sbx session create w)$/\1/p' run -s w true
by_command "no snapshots" 'no snapshots; to make one: sbx session snapshot w$' 's/.*: (sbx session snapshot w)$/\1/p' session log w
shows "no snapshot of that name" 'to see them: sbx session log w$' 's/.*: (sbx session log w)$/\1/p' '^s1 ' session restore w nonsense
"$SBX" run -s w -- sh -c 'echo box >file; mkdir .vscode; echo {} >.vscode/settings.json' >/dev/null 2>&1
echo host >file
said=$("$SBX" session apply w 2>&1)
like "a conflict: is said" "$said" 'To see them: sbx session diff w; to apply over them: --force'
like "a conflict: the diff shows it" "$(eval "$(printf '%s\n' "$said" | sed -nE 's/.*see them: (sbx session diff w);.*/\1/p')")" 'conflict|\+box'
said=$(eval "sbx session apply w $(printf '%s\n' "$said" | sed -nE 's/.*over them: (--force),.*/\1/p')" 2>&1)
is "a conflict: --force applies over it" box "$(cat file)"
like "a name that has to be named: is said" "$said" 'to apply such a name, name it: sbx session apply w \.vscode'
eval "$(printf '%s\n' "$said" | sed -nE 's/.*name it: (.*)/\1/p' | head -1)" >/dev/null 2>&1
is "a name that has to be named: is applied by what is printed" "{}" "$(cat .vscode/settings.json)"
rm -rf .vscode
"$SBX" run -s w -- sh -c 'echo ready >ready; while [ ! -e go ]; do sleep 0.1; done' &
holder=$!
wait_for 30 "$SBX" run -s w -- test -e ready
shows "a session in use" 'in use.*; try again .*to see it: sbx session show w$' 's/.*: (sbx session show w)$/\1/p' '^running +process' session snapshot w
"$SBX" run -s w -- touch go
wait $holder
like "a session in use: later it works" "$("$SBX" session snapshot w >/dev/null && "$SBX" session log w)" "^s1 "
"$SBX" session create b >/dev/null && "$SBX" run -s b -- sh -c 'head -c 3000000 /dev/urandom >big'
shows "--review of a session" 'without --review: sbx session diff b$' 's/.*: (sbx session diff b)$/\1 | head -5/p' 'big' run --review -s b true
said=$("$SBX" run --review -- sh -c 'echo reviewed >reviewed' 2>&1 </dev/null)
like "a review without a terminal: is said" "$said" 'saved as a session: sbx session diff .*, then: sbx session apply .*, or: sbx session rm '
like "a review: the changes are shown by what is printed" "$(eval "$(printf '%s\n' "$said" | sed -nE 's/.*session: (sbx session diff .*), then: .*/\1/p')")" '\+reviewed'
eval "$(printf '%s\n' "$said" | sed -nE 's/.*then: (sbx session apply .*), or: .*/\1/p')" >/dev/null 2>&1
is "a review: applied by what is printed" reviewed "$(cat reviewed)"
eval "$(printf '%s\n' "$said" | sed -nE 's/.*or: (sbx session rm .*)/\1/p')"
lacks "a review: removed by what is printed" "$("$SBX" session list)" "^review-"
shows "a session from another: as root" 'the new session is as root if the old one is$' 's/.*/sbx session create --from b b2 \&\& echo made/p' '^made$' session create --as-root --from b b2

# --- what was moved to quarantine, was read-only, is hidden
said=$("$SBX" run -- sh -c 'mkdir .idea; echo mine >.idea/x' 2>&1)
like "a name that goes to quarantine: is said" "$said" 'To see it: sbx quarantine show [0-9a-z-]+; if you made it: sbx quarantine restore '
like "a name that goes to quarantine: is shown" "$(eval "$(printf '%s\n' "$said" | sed -nE 's/.*see it: (sbx quarantine show .*); if .*/\1/p')")" '^was .*/.idea$'
eval "$(printf '%s\n' "$said" | sed -nE 's/.*made it: (sbx quarantine restore .*)/\1/p')" >/dev/null 2>&1
is "a name that goes to quarantine: comes back" mine "$(cat .idea/x)"
rm -rf .idea
"$SBX" run -- sh -c 'i=0; for n in one two three; do mkdir -p .husky/_; echo $n >.husky/_/$n; until [ ! -e .husky ]; do sleep 0.05; done; done; mkdir .fleet' >/dev/null 2>&1
is "names that came several times: each was kept" "3 3" "$(sbx quarantine list | grep -c '/.husky$') $(sbx quarantine show .husky | grep -cE '    (one|two|three) ')"
is "come back under one name, without ./ too" "0 one three two 0" "$("$SBX" quarantine restore .husky >/dev/null; echo $?) $(cd .husky/_ && echo *) $("$SBX" quarantine list | grep -c '/.husky$')"
is "with the flag the command makes it" "made .fleet" "$(echo $("$SBX" run --write .fleet -- sh -c 'mkdir .fleet && echo made' 2>/dev/null; ls -d .fleet))"
rm -rf .husky .fleet
"$SBX" quarantine rm .fleet >/dev/null
"$SBX" run -- mkdir .idea >/dev/null 2>&1
id=$(sbx quarantine list | sed 's/ .*//;q')
fix=$(sbx quarantine show "$id" | sed -nE 's/^remove +(sbx quarantine rm .*)/\1/p')
is "what is shown: removed by what is printed" "fixed 0" "$(eval "$fix" >/dev/null; echo "${fix:+fixed} $(sbx quarantine list | grep -c "^$id")")"
shows "no such thing in quarantine" 'see: sbx quarantine list$' 's/.*see: (sbx quarantine list)$/\1; echo listed/p' '^listed$' quarantine show nonsense
mkdir .vscode && echo one >.vscode/settings.json && git add .vscode && git commit -qm one && git checkout -qb other && echo two >.vscode/settings.json && git commit -qam two && git checkout -q -
by_flag "a tracked name that is read-only" 'index lists another content; to let git write it: --write .vscode$' 's/.*write it: (--write .*)/\1/p' run -- git checkout -q other
git checkout -q -f other 2>/dev/null; git clean -qfd
echo SECRET=1 >.env
by_flag "a hidden file" "hidden: .env, which git's index does not list; to show it: --read " 's/.*show it: (--read .*)/\1/p' run --hide-untracked .env -- cat .env
git add -f .env && echo SECRET=2 >.env
by_flag "a hidden file with other content" "hidden: .env, which git's index lists with another content; to show it: --read " 's/.*show it: (--read .*)/\1/p' run --hide-untracked .env -- cat .env
git rm -qf --cached .env; rm .env
mkdir -p "$HOME/own" && printf '#!/bin/sh\necho own\n' >"$HOME/own/own-tool" && chmod +x "$HOME/own/own-tool"
said=$(PATH=$PATH:$HOME/own "$SBX" run -- sh -c own-tool 2>&1)
like "a directory of PATH: is said" "$said" "not in the box: $HOME/own; to show one, .*--read DIRECTORY$"
is "a directory of PATH: shown by the flag" own "$(PATH=$PATH:$HOME/own "$SBX" run --read "$HOME/own" -- sh -c own-tool 2>&1)"

# --- the project
(
	cd "$HOME" || exit
	"$SBX" run true
) >"$work/log" 2>&1
like "home as the project: is said" "$(cat "$work/log")" 'cannot be the project; change to a project.s directory, use --project none, or, .*--project-dir \.$'
is "home as the project: none" went "$(cd "$HOME" && eval "sbx run $(sed -nE 's/.*use (--project none),.*/\1/p' "$work/log") echo went" 2>&1)"
is "home as the project: meant" went "$(cd "$HOME" && eval "sbx run $(sed -nE 's/.*, (--project-dir \.)$/\1/p' "$work/log") echo went" 2>/dev/null)"
(cd /usr && "$SBX" run true) >"$work/log" 2>&1
like "a directory of the system: is said" "$(cat "$work/log")" 'use --project none$'
is "a directory of the system: none" went "$(cd /usr && eval "sbx run $(sed -nE 's/.*use (--project none)$/\1/p' "$work/log") echo went" 2>&1)"
mkdir gone
is "a deleted directory: is said, and works with the flag" "went" "$(cd gone && rmdir ../gone && said=$("$SBX" run true 2>&1) && echo no || eval "sbx run $(printf '%s\n' "$said" | sed -nE 's/.*use (--project none)$/\1/p') echo went" 2>&1 | tail -1)"
by_flag "a project that none allows" 'allows none; add --project write$' 's/.*add (--project write)$/\1/p' run --project none --project-dir . -- true
mkdir -p "$HOME/.ssh/below"
(cd "$HOME/.ssh" && "$SBX" run true) >"$work/log" 2>&1
like "a place of secrets: is said" "$(cat "$work/log")" 'use --project none, or, if you mean it, --project-dir \.$'
is "a place of secrets: none" went "$(cd "$HOME/.ssh" && eval "sbx run $(sed -nE 's/.*use (--project none), .*/\1/p' "$work/log") echo went" 2>&1)"
is "a place of secrets: meant" went "$(cd "$HOME/.ssh" && eval "sbx run $(sed -nE 's/.*mean it, (--project-dir \.)$/\1/p' "$work/log") echo went" 2>/dev/null)"
mkdir -p "$HOME/.config"
said=$("$SBX" run -w "$HOME/.config" true 2>&1)
like "a writable place of programs: is said" "$said" "write the line 'write = .*' into a profile$"
printf '[profile]\nextends = default\n[files]\n%s\n' "$(printf '%s\n' "$said" | sed -nE "s/.*the line '(.*)' into a profile$/\1/p")" >config.ini
is "a writable place of programs: by the line" went "$("$SBX" run -p ./config.ini echo went 2>/dev/null)"
mkdir links && ln -s "$HOME/own" links/to
said=$("$SBX" run -r ./links/to true 2>&1)
if [[ $said == *'name it by its own path'* ]]; then
	is "a link that a box could have made: by its own path" "" "$("$SBX" run -r "$HOME/own" true 2>&1)"
else
	fail "a link that a box could have made: is said" "$said"
fi
rm -r links
shows "a device as a file" 'is a device; use --device$' 's/.*use (--device)$/sbx plan \1 null -- true/p' '^project ' plan --read /dev/null -- true
shows "a directory of files as a device" 'one: --tmpfs /dev/shm$' 's/.*one: (--tmpfs .*)$/sbx run \1 -- ls -d \/dev\/shm/p' '^/dev/shm$' run --device shm -- true
"$SBX" session create f >/dev/null 2>&1
mkdir -p "$HOME/data" && echo x >"$HOME/data/one"
said=$("$SBX" run -s f -w "$HOME/data/one" true 2>&1)
like "a single file in a session: is said" "$said" 'name its directory, or make it readable alone$'
stays "a single file in a session: its directory" "0 0" "$(run_box -s f -w "$HOME/data" true 2>&1; echo $?) $(run_box -s f -r "$HOME/data/one" true 2>&1; echo $?)"

# --- protected names that are in the way
by_command "a link to a directory around it" 'remove it: rm ' 's/.*remove it: (rm .*)$/\1/p' "$(ln -s . .idea; echo plan)" -- true
mkdir tools && git config core.hooksPath . && echo x >tools/notes
if "$SBX" plan -- true 2>&1 | grep -q 'core.hooksPath to a directory with hooks only'; then
	git config core.hooksPath .git/hooks
	is "hooks in a directory of other files: gone with a directory of hooks" 0 "$("$SBX" plan -- true 2>&1 | grep -c 'core.hooksPath to a directory')"
else
	skip "hooks in a directory of other files" "it is protected here"
fi
git config --unset core.hooksPath
said=$("$SBX" run -- sh -c 'git commit -q --allow-empty -m x; git worktree add -q /tmp/wt' 2>&1)
like "a worktree that is gone: is said" "$said" 'git worktree prune forgets it'
eval "$(printf '%s\n' "$said" | sed -nE 's/.*\((git worktree prune) forgets it.*/\1/p')"
is "a worktree that is gone: forgotten" "1 1" "$(grep -c prune <<<"$said") $(git worktree list | grep -c .)"
status "a worktree that is gone: below the project it stays" 0 "$SBX" run -- git worktree add -q wt

# --- settings outside
printf '[user]\n\tname = x\n[http "https://h/"]\n\textraheader = Authorization: secret\n' >"$HOME/.gitconfig"
by_flag "a file without its secrets" "shown without its secrets: .*; to show all of it: --read '" "s/.*all of it: (--read '.*')$/\1/p" plan -- true
rm "$HOME/.gitconfig"
shows "a git that uses every bare repository" 'git config --global safe.bareRepository explicit' 's/.*(git config --global safe.bareRepository explicit).*/\1; sbx doctor/p' 'safe.bareRepository is explicit' doctor
said=$(PATH=$HOME/own:$PATH "$SBX" doctor 2>&1)
like "doctor: programs of PATH: is said" "$said" "sbx run -r $HOME/own -- own-tool"
is "doctor: programs of PATH: the command runs it" own "$(PATH=$HOME/own:$PATH; eval "$(printf '%s\n' "$said" | sed -nE 's/.*(sbx run -r .* -- own-tool).*/\1/p')" 2>&1)"
mkdir "$work/wide" && chmod 777 "$work/wide" && mkdir -m 777 "$work/wide/sbx"
said=$(XDG_STATE_HOME=$work/wide "$SBX" profile status 2>&1; printf '[network]\nallow = a.example\n' >.sbx.ini; XDG_STATE_HOME=$work/wide "$SBX" profile trust 2>&1)
like "a state that others can write: is said" "$said" 'chmod go-w it, or set XDG_STATE_HOME'
chmod go-w "$work/wide/sbx" "$work/wide"
lacks "a state that others can write: gone by chmod" "$(XDG_STATE_HOME=$work/wide "$SBX" profile status)" go-w
lacks "a state that others can write: gone by another place" "$(XDG_STATE_HOME=$work/other-state "$SBX" profile status)" go-w
rm .sbx.ini

# --- the network
by_flag "an allow without the proxy" 'has no effect in mode none: it needs --network proxy$' 's/.*needs (--network proxy)$/\1/p' plan --network none --host-port 5432 -- true
shows "localhost among the hosts" 'for a port of this machine, as localhost: --host-port 8765$' 's/.*: (--host-port 8765)$/sbx why \1 localhost:8765/p' 'is the host.s' plan -a localhost:8765 -- true
export HTTPS_PROXY=http://127.0.0.1:9
by_flag "addresses behind an upstream proxy" 'applies to addresses, .*: --upstream none$' 's/.*: (--upstream none)$/\1/p' plan --deny 203.0.113.0/24 -- true
export HTTPS_PROXY=socks5://127.0.0.1:9
by_flag "a proxy that is not an HTTP proxy" 'is not used; give --upstream http://host:port, or --upstream none$' 's/.*or (--upstream none)$/\1/p' plan -- true
HTTPS_PROXY=http://u:$(printf '%01100d' 0)@127.0.0.1:9
by_flag "a proxy with a long address" 'longer than [0-9]* bytes: --upstream none$' 's/.*: (--upstream none)$/\1/p' run -a a.test -- true
export HTTPS_PROXY=http://127.0.0.1:9 NO_PROXY
NO_PROXY=$(printf 'host%05d.example.com,' $(seq 3000))
by_flag "a long no_proxy" 'no_proxy is longer than [0-9]* bytes: shorten it, or --upstream none$' 's/.*or (--upstream none)$/\1/p' run -a a.test -- true
unset HTTPS_PROXY NO_PROXY
python3 -c 'import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], flush=True); time.sleep(120)' >port &
server=$!
wait_for 30 test -s port
port=$(cat port)
said=$("$SBX" run --publish "$port" -- true 2>&1)
like "a published port in use: is said" "$said" "take a free one: --publish $port:[0-9]+;"
is "a published port in use: another works" went "$(eval "sbx run $(printf '%s\n' "$said" | sed -nE "s/.*free one: (--publish $port:[0-9]+);.*/\1/p") echo went" 2>&1)"
kill $server
if [ "$(id -u)" != 0 ] && [ "$(cat /proc/sys/net/ipv4/ip_unprivileged_port_start)" -gt 80 ]; then
	said=$("$SBX" run --publish 80 -- true 2>&1)
	like "a port of root: is said" "$said" "^sbx: step 'publish': port 80 outside is for root; take another: --publish 80:8080; the command was not run\$"
	is "a port of root: another works" went "$(eval "sbx run $(printf '%s\n' "$said" | sed -nE "s/.*another: (--publish 80:8080);.*/\1/p") echo went" 2>&1)"
	said=$("$SBX" run --publish 8080:80 -- true 2>&1)
	is "a port of root, in docker's order: works" went "$(eval "sbx run $(printf '%s\n' "$said" | sed -nE "s/.*comes first: (--publish 80:8080);.*/\1/p") echo went" 2>&1)"
else
	skip "a port of root" "any user may have it here"
fi

# --- limits, as much as a shell can lower
said=$(ulimit -n 12 && "$SBX" run true 2>&1)
like "too few descriptors: is said" "$said" 'Fix: ulimit -n 256'
like "too few descriptors, all in use: is said" "$(for fd in {3..14}; do eval "exec $fd</dev/null"; done; ulimit -n 12 && "$SBX" run true 2>&1)" 'Fix: ulimit -n 256'
is "too few descriptors: raised" went "$(eval "$(printf '%s\n' "$said" | sed -nE 's/.*Fix: (ulimit -n 256).*/\1/p')"; "$SBX" run echo went 2>&1)"
said=$("$SBX" run --timeout 300ms -- sleep 5 2>&1)
like "a limit that was hit: is said" "$said" 'raise it with --timeout$'
is "a limit that was hit: raised" went "$(eval "sbx run $(printf '%s\n' "$said" | sed -nE 's/.*with (--timeout)$/\1 1m/p') -- sh -c 'sleep 0.5; echo went'" 2>&1)"

# --- more of the command line, of profiles and of sessions
shows "letters in the wrong order" "did you mean 'sbx run'\? To run a command" "s/.*mean '(sbx run)'.*/\1 echo ran/p" '^ran$' rnu true
printf '[profile]\ndescription = nothing\n' >nothing.ini
shows "hiding everything" 'start from a profile without read lines$' 's/.*/sbx plan -p .\/nothing.ini -- true | grep -c "^  read " || echo none/p' '^none$' run --hide / true
rm nothing.ini
printf '[network]\nallow = a.example\n' >.sbx.ini
"$SBX" profile status >/dev/null
printf '[network]\nallow = b.example\n' >.sbx.ini
by_command "a profile that changed since it was shown" 'once more: sbx profile trust$' 's/.*once more: (sbx profile trust)$/\1/p' profile trust
rm .sbx.ini
pushd "$(new_project)" >/dev/null || exit
touch .env.{1..1100} && echo SECRET=1 >.env
by_flag "more hidden files than are possible: all of that name" "to hide all: --hide '" "s/.*hide all: (--hide .*)$/\1/p" run --hide-untracked '.env.*' -- true
popd >/dev/null || exit
"$SBX" run -- sh -c 'echo left >left-behind; sleep 60' >/dev/null 2>&1 &
killed=$!
wait_for 30 test -e left-behind
kill -9 $killed
wait $killed 2>/dev/null
for few in 12 14 16 18 20 24; do # root opens more
	said=$(ulimit -n $few && "$SBX" run true 2>&1)
	[[ $said == *'sbx run --check all true'* ]] && break
done
if [[ $said == *'sbx run --check all true'* ]]; then
	is "what a killed run left: a check that finishes ends it" "0 " "$(sbx() { "$SBX" "$@"; }; eval "$(printf '%s\n' "$said" | sed -nE 's/.*before they are: (sbx run --check all true)$/\1/p')" 2>&1; echo "$? $("$SBX" run true 2>&1 | grep 'not checked')")"
elif [ "$(id -u)" = 0 ]; then
	skip "what a killed run left" "for root an earlier step runs out of descriptors"
else
	fail "what a killed run left: is said" "$said"
fi
shows "the whole machine as a path" 'name directories instead$' 's/.*/sbx run -r \/usr echo ran/p' '^ran$' run -r / true
printf '[profile]\nextends = default\n' >linked.ini && ln linked.ini hard.ini
shows "a profile with another name" 'use a copy$' 's/.*/cp linked.ini copy.ini; sbx run -p .\/copy.ini echo ran/p' '^ran$' run -p ./linked.ini true
rm -f linked.ini hard.ini copy.ini
said=$(cd /usr && "$SBX" run --review true 2>&1)
like "a review of no project: is said" "$said" "change to a project's directory"
stays "a review of no project: in one it works" 0 "$(run_box --review true >/dev/null 2>&1; echo $?)"
shows "a review with another project" 'change to it, without --project-dir$' 's/.*/cd "$project" \&\& sbx run --review true/p' 'nothing was changed' run --review --project-dir "$work" true
mkdir "$work/bare-home"
said=$(cd "$work/bare-home" && HOME=$PWD XDG_CONFIG_HOME='' "$SBX" run --project-dir . true 2>&1)
like "a home without sbx's directory: is said" "$said" "could make sbx's own '.*': make that directory first"
mkdir -p "$(printf '%s\n' "$said" | sed -nE "s/.*sbx's own '(.*)': make .*/\1/p")"
is "a home without sbx's directory: made, that one is not named again" "" "$(cd "$work/bare-home" && HOME=$PWD XDG_CONFIG_HOME='' "$SBX" run --project-dir . true 2>&1 | grep -F "$said"; grep -q "make that directory first" <<<"$said" || echo none was named)"
"$SBX" run -- mkdir .vscode .idea .zed .cursor .claude .codex .devcontainer .gemini .windsurf .husky .fleet .nova >"$work/log" 2>&1
like "many names that go to quarantine: is said" "$(cat "$work/log")" 'more such names, see: sbx quarantine list$'
like "many names that go to quarantine: listed" "$(eval "$(sed -nE 's/.*see: (sbx quarantine list)$/\1/p' "$work/log")")" '/.devcontainer$'
mkdir -p "$HOME/.ssh" && printf '#!/bin/sh\n' >"$HOME/.ssh/hidden-tool" && chmod +x "$HOME/.ssh/hidden-tool"
said=$(PATH=$PATH:$HOME/.ssh "$SBX" run hidden-tool 2>&1)
if [[ $said == *'to see by which line: '* ]]; then
	like "a program that is hidden: why names the line" "$(eval "$(printf '%s\n' "$said" | sed -nE 's/.*which line: (sbx why .*)/\1/p')" 2>&1)" 'is hidden|line [0-9]+'
else
	like "a program that is hidden: the flag shows it" "$said" 'to show it: --read '
fi
printf '#!/usr/bin/nosuch\necho ran\n' >bad && chmod +x bad
shows "an interpreter that nobody has" 'change its first line$' 's,.*,sed -i "1s|.*|#!/bin/sh|" bad; sbx run ./bad,p' '^ran$' run ./bad
cp "$SBX" inner
shows "a box in a box: what it lacks" 'what it lacks: sbx plan$' 's/.*lacks: (sbx plan)$/"$SBX" run -- .\/inner plan -- true/p' 'tier landlock' run -- ./inner run true
said=$("$SBX" run -- ./inner run --isolation namespaces true 2>&1)
like "a box in a box: is said" "$said" 'Start the outer one with --allow-syscalls namespaces'
if [ "$(id -u)" = 0 ]; then
	skip "a box in a box: with the flag" "the kernel maps uid 0 for nobody without SETFCAP"
else
	is "a box in a box: with the flag" ran "$(eval "sbx run $(printf '%s\n' "$said" | sed -nE 's/.*outer one with (--allow-syscalls namespaces)[;.].*/\1/p') -- ./inner run --isolation namespaces echo ran" 2>/dev/null)"
fi
shows "a box in a box without a network" 'start the outer one with --network proxy$' 's/.*one with (--network proxy)$/sbx run \1 -- .\/inner plan -a a.test -- true | grep -c "outer box has no network" || echo gone/p' 'gone' run --network none -- ./inner plan -a a.test -- true
if [ "$("$SBX" run -- ./inner run true >/dev/null 2>&1; echo $?)" = 0 ]; then
	said=$("$SBX" run --explain -- ./inner run true 2>&1)
	like "a supervisor already: is said" "$said" 'Start the outer one without that'
	is "a supervisor already: without --explain" ran "$("$SBX" run -- ./inner run echo ran 2>/dev/null)"
else
	skip "a supervisor already" "no box of tier landlock here"
fi
rm inner
if [ "$(id -u)" != 0 ]; then
	mkdir "$work/read-only" && chmod 500 "$work/read-only"
	said=$(XDG_STATE_HOME=$work/read-only "$SBX" run true 2>&1)
	like "a state that cannot be written: is said" "$said" 'set XDG_STATE_HOME to a directory of yours$'
	stays "a state that cannot be written: another one" "" "$(XDG_STATE_HOME=$work/state run_box true 2>&1)"
	said=$(XDG_STATE_HOME=/root "$SBX" session create x 2>&1)
	like "a state that cannot be made: is said" "$said" 'set XDG_STATE_HOME to a directory of yours'
	like "a state that cannot be made: another one" "$(XDG_STATE_HOME=$work/state "$SBX" session create x 2>&1 && XDG_STATE_HOME=$work/state "$SBX" session list)" "^x "
else
	skip "a state that cannot be written" "root writes it"
fi
shows "a word behind profile status" "leave out 'x.ini'$" "s/.*leave out '(x.ini)'$/sbx profile status; echo left out/p" '^left out$' profile status x.ini
"$SBX" session create deep >/dev/null
"$SBX" session create files >/dev/null && "$SBX" run -s files -- sh -c 'umask 0; echo x >wide; chmod 666 wide'
said=$(umask 022; "$SBX" session apply files 2>&1)
like "a mode that the umask takes: is said" "$said" 'as your umask is 022; to change it: chmod 666 wide$'
eval "$(printf '%s\n' "$said" | sed -nE 's/.*change it: (chmod .*)$/\1/p')"
is "a mode that the umask takes: changed" 666 "$(stat -c %a wide)"
shows "restore without a snapshot" 'to see them: sbx session log w$' 's/.*: (sbx session log w)$/\1/p' '^s1 ' session restore w
shows "a session of another name" "did you mean 'deep'\?$" "s/.*mean '(deep)'.*/sbx session show \1/p" '^project ' session show deeep
mkdir "$work/other-sbx" && printf '#!/bin/sh\n' >"$work/other-sbx/sbx" && chmod +x "$work/other-sbx/sbx"
mkdir "$work/named" && cp "$SBX" "$work/named/sbx"
said=$(PATH=$work/other-sbx:$PATH "$work/named/sbx" doctor 2>&1)
like "another program named sbx: is said" "$said" "put .* first on PATH"
is "another program named sbx: gone" 0 "$(PATH=$(printf '%s\n' "$said" | sed -nE 's/.*put (.*) first on PATH.*/\1/p'):$PATH "$work/named/sbx" doctor 2>&1 | grep -c 'leads to another'; grep -q 'first on PATH' <<<"$said" || echo none was named)"

# --- coding agents
mkdir -p "$work/bin" && cp "$SBX" "$work/bin/sbx" && ln -s sbx "$work/bin/sbx-shell"
sbx() { "$work/bin/sbx" "$@"; }
unset CLAUDECODE CLAUDE_CONFIG_DIR OPENCODE GEMINI_CLI QWEN_CODE CODEX_THREAD_ID CODEX_HOME COPILOT_CLI COPILOT_HOME
said=$(CLAUDECODE=1 sbx agent status 2>&1)
like "a command of an agent in no box: is said" "$said" 'check from outside: sbx agent status claude-code$'
like "a command of an agent in no box: the check" "$(eval "$(printf '%s\n' "$said" | sed -nE 's/.*outside: (sbx agent status claude-code)$/\1/p')" 2>&1)" 'claude-code|Claude Code'
mkdir -p "$HOME/.claude" # it is there
said=$(sbx agent status claude-code 2>&1)
like "an agent without sbx: is said" "$said" 'its commands run in no box. Fix: sbx agent install claude-code'
eval "$(printf '%s\n' "$said" | sed -nE 's/.*Fix: (sbx agent install .*)/\1/p' | head -1)" >"$work/out" 2>&1
lacks "an agent without sbx: installed by what is printed" "$(sbx agent status claude-code)" 'in no box'
like "an agent's installation: the check is named" "$(cat "$work/out")" 'sbx agent status claude-code'
like "an agent's installation: the check works" "$(eval "$(sed -nE 's/.*(sbx agent status claude-code)$/\1/p' "$work/out" | head -1)" 2>&1)" 'in a box|no command of this agent'
like "an agent that is installed: the check is named" "$(sbx agent install claude-code 2>&1)" 'to see that it works: sbx agent status claude-code$'
sed -i 's/^{/{"mine": 1,/' "$HOME/.claude/settings.json"
said=$(sbx agent remove claude-code 2>&1)
like "settings that were changed since: is said" "$said" 'nothing was written; --force does it$'
like "settings that were changed since: removed by the flag" "$(sbx agent remove claude-code --force; echo $?)" 'as they did before'
mkdir -p "$HOME/.gemini" && printf '{"hooks": {"BeforeTool": [{"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "/elsewhere/sbx agent hook gemini || exit 2"}]}]}}' >"$HOME/.gemini/settings.json"
said=$(sbx agent install gemini 2>&1)
if [[ $said == *'has a hook of another sbx; first: '* ]]; then
	eval "$(printf '%s\n' "$said" | sed -nE 's/.*first: (sbx agent remove .*)/\1/p')" >/dev/null 2>&1
	status "a hook of another sbx: installed after what is printed" 0 sbx agent install gemini
else
	fail "a hook of another sbx: is said" "$said"
fi
mkdir stub
for row in 'claude-code claude' 'opencode opencode' 'gemini gemini' 'qwen qwen' 'codex codex' 'copilot copilot'; do
	read -r agent program <<<"$row"
	printf '#!/bin/sh\necho the agent ran\n' >"stub/$program" && chmod +x "stub/$program"
	rm -rf "$HOME"/.{claude,codex,gemini,qwen,copilot} "$HOME/.config/opencode"
	said=$(sbx agent install "$agent" 2>&1)
	like "the whole agent in a box: $agent: is said" "$(printf '%s\n' "$said" | tr -s '\n ' ' ')" "sbx run -p $agent -- $program"
	fix=$(printf '%s\n' "$said" | tr -s '\n ' ' ' | sed -nE "s/.*(sbx run -p $agent -- $program).*/\1/p")
	like "the whole agent in a box: $agent: runs by what is printed" "$(PATH=$project/stub:$PATH; eval "$fix" 2>&1)" 'the agent ran'
done
# --- what a command needs that a box has not
mkdir -p "$work/bin" && for name in docker podman; do printf '#!/bin/sh\nexit 1\n' >"$work/bin/$name"; done && chmod +x "$work"/bin/*
for name in docker podman; do
	for words in "$name ps" "cd / && $name ps"; do
		said=$(PATH=$work/bin:$PATH "$SBX" run --read "$work/bin" -- sh -c "$words" 2>&1)
		like "$words: its daemon is not in the box" "$said" "$name: the socket of its daemon is not in the box.*to show it: -p $name$"
	done
	fix=$(printf '%s\n' "$said" | sed -nE 's/.*to show it: (-p [a-z]+)$/\1/p')
	like "$name: the profile opens it" "$("$SBX" profile show ${fix#-p })" "$name.sock"
done
is "a directory of that name is no such program" "ran" "$("$SBX" run -- sh -c 'echo ran; cd docker 2>/dev/null; false; ls docker 2>/dev/null' 2>&1 | grep -x -e '.*daemon.*' -e ran)"
is "nor is a program that succeeds" "ran" "$(PATH=$work/bin:$PATH "$SBX" run --read "$work/bin" -- sh -c 'docker ps; echo ran' 2>&1 | grep -x -e '.*daemon.*' -e ran)"
said=$(DISPLAY=:77 "$SBX" run --explain -- false 2>&1)
like "a display that was withheld: is said" "$said" '\$DISPLAY was withheld.*: -p x11$'
fix=$(printf '%s\n' "$said" | sed -nE 's/.*to give it: (-p x11)$/\1/p')
stays "a display that was withheld: given" 0 "$(DISPLAY=:77 run_box --explain $fix -- false 2>&1 | grep -c 'DISPLAY was withheld')"
shows "why of a display" 'to pass it with what it leads to: -p x11$' 's/.*leads to: (-p x11)$/DISPLAY=:77 sbx run \1 -- printenv DISPLAY/p' '^:77$' why DISPLAY
stays "a variable that is set here is passed in silence" "" "$(NO_SUCH=1 run_box --pass-env NO_SUCH -- true 2>&1)"
like "one that is not" "$("$SBX" run --pass-env NO_SUCH -- true 2>&1)" "--pass-env NO_SUCH: the variable is not set here"
done_testing
