#!/bin/bash
# Rules of a profile do what they say: patterns, what is named with --write, files that the host replaces.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
mkdir -p "$HOME" "$XDG_CONFIG_HOME/sbx"
project=$(new_project)
cd "$project" || exit 1
box() { "$SBX" run "$@" 2>"$work/log"; }

# Patterns.
mkdir -p deep/er && for name in a.lock deep/b.lock deep/er/c.lock; do echo keep >$name; done
for pattern in '**/*.lock' './*.lock' '*.lock'; do
	below=evil
	[ "${pattern#\*\*}" = "$pattern" ] || below=keep
	is "protect $pattern: what is in the project, and below it where it says so" "begun ended keep $below" "$(attempt run --protect "$pattern" -- 'echo evil >a.lock; rm -f a.lock; mv a.lock b; echo evil >deep/b.lock') $(cat a.lock deep/b.lock | paste -sd' ')"
	echo keep | tee a.lock >deep/b.lock
	denied "hide-unless-named $pattern" run --hide-unless-named "$pattern" -- 'cat a.lock'
	is "hide-unless-named $pattern, and named" keep "$(box --hide-unless-named "$pattern" --read a.lock -- cat a.lock)"
done
is "protect **/*.lock: a directory around cannot be moved away" "begun ended keep" "$(attempt run --protect '**/*.lock' -- 'mv deep shallow; mkdir -p deep/er; echo evil >deep/er/c.lock') $(cat deep/er/c.lock)"
printf '[files]\nprotect = **/*.lock\nhide-unless-named = ./deep/*.lock\n' >.sbx.ini
is "both in the project's own file" "keep,keep,2" "$(box -- sh -c 'echo evil >a.lock; cat deep/b.lock'; cat a.lock deep/b.lock | paste -sd,),$(grep -c . "$work/log")"
rm .sbx.ini
for key in protect hide-unless-named; do
	refused_as "$key with a pattern out of the project" "a pattern is for the project" "$SBX" run --$key '/etc/*.conf' -- true
	refused_as "$key with two stars" "only the last name of a pattern" "$SBX" run --$key '*/x/*.conf' -- true
done

# What would hide all.
ln -s / root
for name in / // /. /.. "$project/root" root; do
	for key in hide hide-unless-named; do
		refused_as "$key = ${name##*/}, by $name" "hide all.* profile without read lines" "$SBX" run --$key "$name" -- true
		refused_as "why --$key $name" "hide all.* profile without read lines" "$SBX" why --$key "$name" /etc/passwd
	done
done
rm root
printf '[files]\nhide = /\n' >"$work/all.ini"
refused_as "profile check" "all.ini:2: \[files\] hide: '/'" "$SBX" profile check "$work/all.ini"
is "--protect / works" 1 "$(box --protect / -- touch new; echo $?)"

# A program of the host replaces a protected file while runs begin: each is made again until it stands.
while [ -e "$work" ] && [ ! -e "$work/stop" ]; do
	git config --local user.name x 2>/dev/null
	echo '{}' >.mcp.json
	mv .mcp.json .mcp.json.old
	mv .mcp.json.old .mcp.json
	rm -f .mcp.json
done 2>/dev/null &
refused=0
for _ in $(seq 60); do
	echo in | "$SBX" run -- cat >"$work/out" 2>&1 && grep -qx in "$work/out" || { refused=$((refused + 1)); cp "$work/out" "$work/refused"; }
done
touch "$work/stop"
wait
is "replaced while the plan is made: none of 60 runs is refused" 0 "$refused"
[ "$refused" = 0 ] || sed 's/^/# /' "$work/refused"
rm -f .mcp.json*

# Many registered worktrees: one mount for all, no false line, and what is one's own is writable.
git config user.name tester && git config user.email tester@example.org
git commit -q --allow-empty -m first && git worktree add -q "$work/tree" && git worktree add -q "$work/other"
for i in $(seq 300); do
	mkdir ".git/worktrees/w$i" && echo ../.. >".git/worktrees/w$i/commondir" && echo "$work/none/w$i/.git" >".git/worktrees/w$i/gitdir"
done
is "300 worktrees: nothing is said, and one mount" 1 "$(box -- grep -c worktrees /proc/self/mountinfo; cat "$work/log")"
is "they are read-only, all are there, and say what they said" "begun ended 0 302 302" "$(attempt run -- 'echo x >.git/worktrees/w7/commondir; echo x >.git/worktrees/w7/config.worktree; rm -r .git/worktrees/w8; mv .git/worktrees away; mkdir .git/worktrees/mine') $(find .git/worktrees -name config.worktree | wc -l) $(ls .git/worktrees | wc -l) $(grep -lx ../.. .git/worktrees/*/commondir | wc -l)"
cd "$work/tree" || exit 1
is "commit in one's own" "second," "$(box -- git commit -q --allow-empty -m second; git log -1 --format=%s),$(cat "$work/log")"
is "its pointers are protected, and the others" "begun ended ../..,$work/tree/.git 0" "$(attempt run -- 'd=$(git rev-parse --git-dir); echo x >$d/commondir; echo x >$d/gitdir; mv $d $d.away; echo x >$d/../other/HEAD') $(cat "$project/.git/worktrees/tree/commondir" "$project/.git/worktrees/tree/gitdir" | paste -sd,) $(grep -c '^x' "$project/.git/worktrees/other/HEAD")"
cd "$project" || exit 1
git worktree remove --force "$work/tree"
rm -r .git/worktrees

# --write NAME opens that name, absent or not: by rename as well, and nothing takes it away.
echo '{"a":1}' >.mcp.json
is "--write of what is absent" "ok,ok" "$(box --write .envrc --write .vscode -- sh -c 'echo ok >.envrc; mkdir .vscode; echo ok >.vscode/settings.json; sleep 0.3'; cat .envrc .vscode/settings.json | paste -sd,)"
is "and nothing is said" "" "$(cat "$work/log")"
rm -r .envrc .vscode
is "--write ?NAME" ok "$(box --write '?.envrc' -- sh -c 'echo ok >.envrc; sleep 0.3'; cat .envrc)"
is "without it what was opened is protected again" ok "$(box -- sh -c 'echo evil >.envrc; rm -f .envrc; mv .envrc x'; cat .envrc)"
is "--write of a file: it is replaced by a rename" '{"b":1}' "$(box --write .mcp.json -- sed -i s/a/b/ .mcp.json; cat .mcp.json)"
is "--write .git/config" "0 less" "$(box --write .git/config -- git config core.pager less; echo $?) $(git config core.pager)"
git config --unset core.pager
is "--write .git/hooks" yes "$(box --write .git/hooks -- sh -c 'echo x >.git/hooks/pre-push; sleep 0.3'; [ -e .git/hooks/pre-push ] && echo yes)"
rm .git/hooks/pre-push
is "--write of another name opens none" "begun ended" "$(attempt run --write file --write .git -- 'echo evil >.mcp.json; git config core.pager evil; mkdir .idea; sleep 0.3'; grep -s evil .mcp.json; git config core.pager; ls -d .idea 2>/dev/null)"
is "--protect wins" '{"b":1}' "$(box --write .mcp.json --protect .mcp.json -- sh -c 'echo evil >.mcp.json'; cat .mcp.json)"
printf '[files]\nwrite = ./.mcp.json\n' >.sbx.ini
is "an untrusted line opens nothing" '{"b":1}' "$(box -- sh -c 'echo evil >.mcp.json'; cat .mcp.json)"
rm .sbx.ini .envrc .mcp.json

# What is in the way at a protected name does not stop a run, and stays.
for way in 'ln -s _darcs _darcs' 'rm -rf .git/info; mkfifo .git/info' 'rm -rf .git/info; echo x >.git/info' 'ln -s .. .hg' 'ln -s .vscode .vscode' \
	'rm -rf .git/hooks; ln -s ../.. .git/hooks' 'rm -rf .git/hooks; ln -s hooks .git/hooks' 'mkfifo .git/config.worktree'; do
	"$SBX" run --no-protect -- sh -c "$way" 2>/dev/null
	is "$way: the next run begins" ran "$(box -- echo ran)"
	is "$way: and protects" "begun ended" "$(attempt run -- 'mkdir -p .vscode .git/hooks; echo evil | tee .vscode/x .git/hooks/pre-push >/dev/null; sleep 0.3'; ls -d .vscode/x .git/hooks/pre-push 2>/dev/null)"
done
is "what was there stays" "_darcs .. .vscode hooks" "$(readlink _darcs .hg .vscode .git/hooks | paste -sd' ')"
# Links and files that were there when a run began stay.
rm -rf .vscode .hg _darcs .git/info .git/hooks .git/config.worktree
mkdir -p .git/modules .git/hooks .git/info
if [ "$(id -u)" != 0 ]; then
	for shut in .git/modules .git/info .git; do
		"$SBX" run --no-protect -- chmod 0 "$shut"
		is "$shut is shut: the next run begins" ran "$(box -- echo ran)"
		like "$shut: it is said" "$(cat "$work/log")" "^sbx: $project/$shut was unreadable, .*it was opened"
		is "$shut: once" "ran" "$(box -- echo ran; cat "$work/log")"
		chmod 755 "$shut"
	done
fi

# A flood says little, and the worst first.
box -- python3 -c 'import os
for i in range(3000):
	os.makedirs("d%d/objects" % i); os.mkdir("d%d/refs" % i); open("d%d/HEAD" % i, "w").write("ref: refs/heads/x\n")
os.makedirs(".git/modules/m"); open(".envrc", "w").write("x")
import time; time.sleep(0.3)'
is "a flood of 3,000: less than 2 KB" 3000 "$(ls -d d[0-9]* | wc -l)$([ "$(wc -c <"$work/log")" -lt 2048 ] || wc -c <"$work/log")"
like "what was moved away comes first" "$(head -1 "$work/log")" 'moved to quarantine.*if you made it: sbx quarantine restore [0-9]'
rm -rf d[0-9]* .git/modules

# The text that is trusted is the one that was shown.
printf '[files]\nread = /srv\n' >.sbx.ini
like "trust shows what it trusts" "$("$SBX" profile trust)" '^\+read = /srv$'
"$SBX" profile untrust
"$SBX" profile status >/dev/null
printf '[network]\nallow = evil.example\n' >>.sbx.ini
like "changed after it was shown: refused, with the change" "$("$SBX" profile trust 2>&1; echo "status $?")" '^\+allow = evil.example$'
like "and it is not trusted" "$("$SBX" profile status)" 'not trusted'
like "once more: it was shown" "$("$SBX" profile trust)" ': trusted as it is now$'
rm .sbx.ini

# In quarantine, and the box still runs.
(box -- python3 -c 'import os, time
os.mkdir("held"); fd = os.open("held", os.O_RDONLY); os.rename("held", ".vscode"); open("begun", "w")
while not os.path.exists("on"): time.sleep(0.05)
os.close(os.open("late", os.O_CREAT | os.O_WRONLY, dir_fd=fd))') &
wait_for 30 test -e begun && wait_for 30 test ! -e .vscode
id=$("$SBX" quarantine list | sed -n 's|  .*/\.vscode$||p' | tail -1)
like "restore while the box runs is refused" "$("$SBX" quarantine restore "$id" 2>&1)" 'still runs'
like "show says so" "$("$SBX" quarantine show "$id")" 'still runs'
mkdir -p "$XDG_STATE_HOME/sbx/quarantine/20260101-000000-1-1" && printf '%s' "$PWD/.vscode" >"$XDG_STATE_HOME/sbx/quarantine/20260101-000000-1-1/path"
is "one that nothing came into is not listed" "/.vscode" "$("$SBX" quarantine list --project . | grep -o -e '^20260101' -e '/\.vscode$' | sort -u)"
touch on && wait
is "and when it has ended" .vscode "$("$SBX" quarantine restore "$id" >/dev/null; ls -d .vscode)"
is "no file of a lock is left" listed "$("$SBX" quarantine list >"$work/list"; [ ! -s "$work/list" ] || echo listed; ls -A "$XDG_STATE_HOME/sbx/quarantine" | grep run-)"
# By the path that it came from, several at once, and of one project.
"$SBX" quarantine rm . >/dev/null 2>&1
box -- sh -c 'mkdir .idea .zed; echo 2 >.envrc' >/dev/null
is "list: of this project, and of another" "3 0" "$("$SBX" quarantine list --project . | wc -l) $("$SBX" quarantine list --project /usr | wc -l)"
is "list: the same as JSON" "0 3" "$("$SBX" quarantine list --json --project /usr | grep -c idea) $("$SBX" quarantine list --json --project . | grep -o '"path"' | wc -l)"
like "show by path" "$("$SBX" quarantine show ./.idea)" '^was .*/\.idea$'
is "restore by paths" ".envrc .idea" "$("$SBX" quarantine restore ./.idea "$PWD/.envrc" >/dev/null; echo $(ls -d .envrc .idea))"
like "rm of a path that is none" "$("$SBX" quarantine rm "$PWD/.z" 2>&1)" "nothing in quarantine came from '.*/\.z'; see: sbx quarantine list"
is "and takes nothing; rm of the directory: all of it" "1 0" "$("$SBX" quarantine list --project . | wc -l) $("$SBX" quarantine rm . && "$SBX" quarantine list --project . | wc -l)"
rm -rf .idea .envrc
done_testing
