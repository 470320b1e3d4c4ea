#!/bin/bash
# What a box leaves, and then the host's own git: a command in what it trusts must never run. Each trap
# is a way by which git goes from a directory to a repository, and each has an honest twin that works.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state LC_ALL=C
export GIT_CONFIG_NOSYSTEM=1
mkdir -p "$HOME"
git config --global user.name tester
git config --global user.email tester@example.org
git config --global init.defaultBranch main
git config --global protocol.file.allow always
canary=$work/canary
mkdir -p "$work/tools"
# top.sh: the current directory becomes a bare repository; evil.sh DIR: DIR becomes a git directory.
cat >"$work/tools/top.sh" <<EOF
mkdir -p objects refs; echo ref: refs/heads/main >HEAD; printf '#!/bin/sh\ntouch $canary\n' >ev.sh; chmod +x ev.sh
printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = ./ev.sh\n' >config
EOF
cat >"$work/tools/evil.sh" <<EOF
mkdir -p \$1/objects \$1/refs; echo ref: refs/heads/main >\$1/HEAD; printf '#!/bin/sh\ntouch $canary\n' >ev.sh; chmod +x ev.sh
printf "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = \$PWD/ev.sh\n" >\$1/config
EOF
PATH=$work/tools:$PATH

work_here() { # a project with a commit and a directory
	project=$(new_project)
	mkdir "$project/lib" && echo a >"$project/lib/a"
	git -C "$project" add . && git -C "$project" commit -qm one
}

readers() { # directory: what prompts and editors run by themselves
	for command in status "diff --quiet" "log --oneline" "branch -a" "stash list" "ls-files -o"; do
		git -C "$1" $command
	done >/dev/null 2>&1
}

# name, command in the box, directories for the host's git, options of sbx...
trap_in() {
	local name=$1 command=$2 places=$3
	shift 3
	rm -f "$canary"
	(cd "$project" && "$SBX" run --read "$work/tools" "$@" -- sh -c "$command") >"$work/log" 2>&1
	for place in $places; do readers "$project/$place"; done
	is "$name" "" "$(ls "$canary" 2>/dev/null && cat "$work/log")"
	told=$(cat "$work/log")
}
t=$work/tools
# The top of the project, which git tries after its .git.
for broken in "mv .git/refs .git/r" "mv .git/HEAD .git/h" "mv .git/objects .git/o" "echo junk >.git/HEAD" "chmod 600 .git/refs"; do
	work_here
	trap_in "$broken, and the top made bare: nothing runs" "$broken; sh $t/top.sh" ". lib"
	is "that .git is broken comes first" "sbx: .git is not a valid git directory any more" "$(printf '%s\n' "$told" | grep -m1 ^sbx: | cut -d: -f1,2)"
done
work_here && rm -rf "$project/.git"
trap_in "the top made bare where no .git is: nothing runs" "sh $t/top.sh" ". lib"
work_here && rm -rf "$project/.git" && mkdir "$project/hooks" && echo mine >"$project/hooks/use.js"
sleep 0.2
trap_in "and where a directory hooks was: nothing runs" "sh $t/top.sh" ". lib"
is "which stays" mine "$(cat "$project/hooks/use.js")"
work_here && rm -rf "$project/.git" && mkdir "$project/objects" "$project/refs" && echo mine >"$project/config"
sleep 0.2 # what is younger than a tick of the clock at the start counts as the box's
trap_in "parts that stood there, and HEAD: nothing runs" "echo ref: refs/heads/main >HEAD" "."
is "and they stay" "mine" "$(cat "$project/config"; cd "$project" && ls -d objects refs >/dev/null || echo gone)"
work_here && rm -rf "$project/.git" && echo mine >"$project/HEAD"
trap_in "HEAD that stood there, written over: nothing runs" "sh $t/top.sh" "."
work_here && rm -rf "$project/.git"
trap_in "HEAD as a link: nothing runs" "sh $t/top.sh; rm HEAD; ln -s refs/heads/main HEAD" "."
work_here && rm -rf "$project/.git"
trap_in "HEAD as a commit: nothing runs" "sh $t/top.sh; echo 0123456789012345678901234567890123456789 >HEAD" "."
work_here && rm -rf "$project/.git"
trap_in "HEAD with commondir at the top: nothing runs" "mkdir -p inner; cd inner; sh $t/top.sh; cd ..; rm inner/HEAD; cp inner/ev.sh .; echo inner >commondir; echo ref: refs/heads/main >HEAD; printf '[extensions]\n\tworktreeConfig = true\n' >>inner/config; printf '[core]\n\tbare = false\n\tworktree = .\n' >config.worktree" "."
# A project that is a bare repository itself: as a .git is.
project=$(fresh bare) && git init -q --bare "$project" && rm -f "$project"/hooks/*
trap_in "a bare repository as the project: nothing runs" "printf '#!/bin/sh\ntouch $canary\n' >hooks/post-update; chmod +x hooks/post-update; git config core.fsmonitor $t/x; git config core.bare false; git config core.worktree ." "."
is "its hooks and configuration are as before" "|" "$(ls "$project/hooks")|$(git -C "$project" config core.fsmonitor)"
# An honest one.
work_here && rm -rf "$project/.git"
(cd "$project" && "$SBX" run -- git init -q --bare .) >"$work/log" 2>&1
is "an honest git init --bare at the top works on the host" "true main" "$(git -C "$project" rev-parse --is-bare-repository) $(git clone -q "$project" "$work/clone.$count" 2>/dev/null && git -C "$work/clone.$count" branch --show-current)"

# A .git file leads to what is looked through, and to nothing below it.
work_here
trap_in "a .git file into a new worktree's entry: nothing runs" "mkdir -p .git/worktrees/w; echo ../.. >.git/worktrees/w/commondir; echo ref: refs/heads/main >.git/worktrees/w/HEAD; echo /x/.git >.git/worktrees/w/gitdir
	sh $t/evil.sh .git/worktrees/w/evil; mkdir sub; echo 'gitdir: ../.git/worktrees/w/evil' >sub/.git; sleep 0.3" "sub"
work_here && git -C "$project" worktree add -q "$work/known.$count"
trap_in "a .git file into a worktree's entry of the user's: nothing runs" "sh $t/evil.sh .git/worktrees/known.$count/evil; mkdir sub; echo 'gitdir: ../.git/worktrees/known.$count/evil' >sub/.git; sleep 0.3" "sub"
for deeper in evil modules/x/evil worktrees/x/evil a/evil; do
	work_here
	trap_in "a .git file to $deeper of a new submodule: nothing runs" "git init -q --bare .git/modules/m; sh $t/evil.sh .git/modules/m/$deeper; mkdir sub; echo 'gitdir: ../.git/modules/m/$deeper' >sub/.git; sleep 0.3" "sub"
done
work_here
trap_in "a .git file to what lies in objects: nothing runs" "sh $t/evil.sh .git/objects/evil; mkdir sub; echo 'gitdir: ../.git/objects/evil' >sub/.git; sleep 0.3" "sub"
work_here
trap_in "a .git file to worktrees of what lies in objects: nothing runs" "sh $t/evil.sh .git/objects/evil; mkdir -p .git/objects/evil/worktrees/w; echo ../.. >.git/objects/evil/worktrees/w/commondir; cp .git/HEAD .git/objects/evil/worktrees/w; mkdir sub; echo 'gitdir: ../.git/objects/evil/worktrees/w' >sub/.git; sleep 0.3" "sub"
work_here && git -C "$project" init -q nested && git -C "$project/nested" commit -q --allow-empty -m one
(cd "$project" && "$SBX" run --read "?$HOME/.gitconfig" -- sh -c "git init -q made; cd made; git commit -q --allow-empty -m one; git worktree add -q ../tree; cd ../nested; git worktree add -q ../other; sleep 0.3") >"$work/log" 2>&1
is "honest worktrees of repositories below the project work on the host" "tree other" "$(git -C "$project/tree" branch --show-current) $(git -C "$project/other" branch --show-current)"

# What was there at the start is never taken away, whatever came beside it.
work_here && git -C "$project" worktree add -q "$work/mine.$count"
mine=$work/mine.$count
(cd "$project" && "$SBX" run -- bash -c 'mkdir .git/worktrees/x{1..5000}') >"$work/log" 2>&1
is "5,000 entries beside a worktree: it works on" "0 1" "$(git -C "$mine" status -s >/dev/null 2>&1; echo $?) $(ls "$project/.git/worktrees" | wc -l)"
is "and few lines are told" yes "$([ "$(wc -c <"$work/log")" -lt 2048 ] && echo yes)"
work_here
for i in $(seq 300); do mkdir "$project/.git/worktrees/" 2>/dev/null; cp -r "$project/.git/refs" "$project/.git/worktrees/w$i"; done
(cd "$project" && "$SBX" run -- true) >"$work/log" 2>&1
is "300 entries of the user's: nothing is told, and all stay" " 300" "$(cat "$work/log") $(ls "$project/.git/worktrees" | wc -l)"

# A session: what is applied without being named makes no directory a repository.
trap_of() { # name, commands in the box, one run each, separated by "|"; the place of the host's git
	local name=$1 place=$3 session="s$count"
	rm -f "$canary"
	(cd "$project" && "$SBX" session create "$session" && IFS='|' && for each in $2; do "$SBX" run -s "$session" --read "$work/tools" -- sh -c "$each"; "$SBX" session snapshot "$session" "p$RANDOM"; done; "$SBX" session apply "$session") >"$work/log" 2>&1
	readers "$project/$place"
	is "$name" "" "$(ls "$canary" 2>/dev/null && cat "$work/log")"
	like "$name: it was withheld" "$(cat "$work/log")" '^sbx: not applied: .*HEAD'
}
work_here && rm -rf "$project/.git"
trap_of "a session makes the top bare: nothing runs" "sh $t/top.sh" .
work_here
trap_of "a session makes a directory of the host's bare: nothing runs" "cd lib && sh $t/top.sh" lib
work_here
(cd "$project" && "$SBX" session create broken >/dev/null && "$SBX" run -s broken -- sh -c "mv .git/refs .git/r; rm .git/HEAD" && "$SBX" session apply broken) >"$work/log" 2>&1
is "a session takes parts of .git away: apply leaves them" "main" "$(git -C "$project" branch --show-current 2>&1)"
like "and says so" "$(cat "$work/log")" '^sbx: not applied: .git/HEAD'
work_here && mkdir "$project/two"
trap_of "a session makes it bare by two layers: nothing runs" "cd two && sh $t/top.sh && mv HEAD h|cd two && mv h HEAD" two
work_here && mkdir "$project/sub"
trap_of "a session makes HEAD and commondir: nothing runs" "mkdir sub/inner; cd sub/inner; sh $t/top.sh; cd ..; cp inner/ev.sh .; rm inner/HEAD; echo inner >commondir; echo ref: refs/heads/main >HEAD; printf '[extensions]\n\tworktreeConfig = true\n' >>inner/config; printf '[core]\n\tbare = false\n\tworktree = .\n' >config.worktree" sub
done_testing
