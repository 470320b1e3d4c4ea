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
	local words
	for words in status "diff --quiet" "log --oneline" "branch -a" "stash list" "ls-files -o"; do
		git -C "$1" $words
	done >/dev/null 2>&1
}

twin() { # command for a shell, directories for the host's git: what it does without a box, in a copy of the project
	local place copy=$work/twin
	chmod -R u+rwx "$copy" 2>/dev/null
	rm -rf "$copy" "$canary" && cp -a "$project" "$copy"
	(cd "$copy" && sh -c "sleep() { :; }; $1") >/dev/null 2>&1
	for place in $2; do [ -e "$canary" ] || readers "$copy/$place"; done
	[ -e "$canary" ] && without=fires || without=nothing
	rm -f "$canary"
}
harmless() { # name: after twin(), a box that wrote "attempted" to $work/attempt, and the host's git
	is "$1" "alone: fires; in a box: attempted, nothing" "alone: $without; in a box: $(tail -qn 1 "$work/attempt"), $([ -e "$canary" ] && { echo runs && cat "$work/log"; } || echo nothing)"
	told=$(cat "$work/log")
}
# name, command in the box, directories for the host's git, options of sbx...
trap_in() {
	local name=$1 command=$2 places=$3
	shift 3
	twin "$command" "$places"
	(cd "$project" && run_box --read "$work/tools" "$@" -- sh -c "$command"$'\n''echo attempted') >"$work/attempt" 2>"$work/log"
	for place in $places; do readers "$project/$place"; done
	harmless "$name"
}
t=$work/tools
# The top of the project, which git tries after its .git.
for broken in "mv .git/refs .git/r" "mv .git/HEAD .git/h" "mv .git/objects .git/o" "echo junk >.git/HEAD" "chmod 600 .git/refs"; do
	[ "$(id -u)" != 0 ] || [[ $broken != chmod* ]] || continue # no mode keeps root's git out
	work_here
	trap_in "$broken, and the top made bare: nothing runs" "$broken; sh $t/top.sh" ". lib"
	is "that .git is broken comes first" "sbx: .git is not a valid git directory any more" "$(printf '%s\n' "$told" | grep -m1 ^sbx: | cut -d: -f1,2)"
done
work_here && rm -rf "$project/.git"
trap_in "the top made bare where no .git is: nothing runs" "sh $t/top.sh" ". lib"
work_here && rm -rf "$project/.git" && mkdir "$project/hooks" && echo mine >"$project/hooks/use.js"
trap_in "and where a directory hooks was: nothing runs" "sh $t/top.sh" ". lib"
stays "which stays" mine "$(cat "$project/hooks/use.js")"
work_here && rm -rf "$project/.git" && mkdir "$project/objects" "$project/refs" && printf '# mine\n[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch %s;"\n' "$canary" >"$project/config"
trap_in "parts that stood there, and HEAD: nothing runs" "echo ref: refs/heads/main >HEAD" "."
stays "and they stay" "# mine" "$(head -n 1 "$project/config"; cd "$project" && ls -d objects refs >/dev/null || echo gone)"
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
trap_in "a bare repository as the project: nothing runs" "printf '#!/bin/sh\ntouch $canary\n' >hooks/post-update; chmod +x hooks/post-update; git config core.fsmonitor 'touch $canary;'; git config core.bare false; git config core.worktree ." "."
stays "its hooks and configuration are as before" "|" "$(ls "$project/hooks")|$(git -C "$project" config core.fsmonitor)"
# An honest one.
work_here && rm -rf "$project/.git"
(cd "$project" && run_box -- git init -q --bare .) >"$work/log" 2>&1
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
(cd "$project" && run_box --read "?$HOME/.gitconfig" -- sh -c "git init -q made; cd made; git commit -q --allow-empty -m one; git worktree add -q ../tree; cd ../nested; git worktree add -q ../other; sleep 0.3") >"$work/log" 2>&1
is "honest worktrees of repositories below the project work on the host" "tree other" "$(git -C "$project/tree" branch --show-current) $(git -C "$project/other" branch --show-current)"

# Below the top: what git takes for a repository is made harmless wherever it lies.
bare_with_commondir="mkdir -p sub/inner/objects sub/inner/refs; cd sub; echo inner >commondir; echo ref: refs/heads/main >HEAD; printf '#!/bin/sh\ntouch $canary\n' >ev.sh; chmod +x ev.sh
	printf '[core]\n\trepositoryformatversion = 1\n\tfsmonitor = ./ev.sh\n[extensions]\n\tworktreeConfig = true\n' >inner/config; printf '[core]\n\tbare = false\n\tworktree = .\n' >config.worktree; sleep 0.3"
work_here
trap_in "HEAD with commondir below the top: nothing runs" "$bare_with_commondir" sub
work_here
trap_in "a bare repository below the top: nothing runs" "mkdir sub; cd sub; sh $t/top.sh; sleep 0.3" sub
work_here
trap_in "a directory of the user's made bare: nothing runs" "cd lib; sh $t/top.sh; sleep 0.3" lib
work_here && mkdir "$project/fix" && (cd "$project/fix" && sh "$t/top.sh" && mv HEAD h)
trap_in "old parts that become a repository by HEAD: nothing runs" "mv fix/h fix/HEAD; sleep 0.3" fix
work_here
trap_in "a repository below 60 directories: nothing runs" "d=\$(printf 'd/%.0s' \$(seq 60)); mkdir -p \$d; cd \$d; git init -q; git config core.fsmonitor 'touch $canary;'; sleep 0.3" "$(printf 'd/%.0s' $(seq 60))"

# What is compared with the list of repositories. fixture: an innocent git directory with a command in it.
fixture() { (cd "$project" && git init -q "$1" && git -C "$1" config core.fsmonitor "touch $canary;" && mv "$1/.git" "$1/dotgit"); }
work_here && fixture sub
trap_in "an old git directory renamed to .git: nothing runs" "mv sub/dotgit sub/.git; sleep 0.3" sub
work_here && mkdir -p "$project/one/two" && fixture one/two && mv "$project/one/two/dotgit" "$project/one/two/.git" && mv "$project/one/two" "$project/kept"
(cd "$project" && run_box -- true) 2>/dev/null
work_here && fixture sub && (cd "$project" && run_box -- true) 2>"$work/log"
trap_in "and in a second run: nothing runs" "mv sub/dotgit sub/.git; sleep 0.3" sub
work_here && mkdir "$project/sub" && echo x >"$project/sub/x" && (cd "$project" && run_box -- true) 2>/dev/null
sleep 0.1 # the box makes it right before its end, and so right before the check
(cd "$project" && run_box -- sh -c "cd sub; mkdir -p dotgit/objects dotgit/refs; echo ref: refs/heads/main >dotgit/h; printf '[core]\n\tfsmonitor = \"touch $canary;\"\n' >dotgit/config") 2>/dev/null
sleep 0.1
trap_in "what an earlier run left becomes a repository: nothing runs" "mv sub/dotgit/h sub/dotgit/HEAD; mv sub/dotgit sub/.git; sleep 0.3" sub
# By a change of the user's own: what a session made is applied, what a branch holds is checked out.
parts="mkdir -p sub/U/objects sub/U/refs; touch sub/U/objects/k sub/U/refs/k; printf '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = \"touch $canary;\"\n' >sub/U/config"
work_here && (cd "$project" && run_box -- true && "$SBX" session create parts && "$SBX" run -s parts -- sh -c "$parts" && "$SBX" session apply parts && "$SBX" session rm parts) >/dev/null 2>&1
trap_in "what a session brought becomes a repository: nothing runs" "mv sub/U sub/.git; echo ref: refs/heads/main >sub/.git/HEAD; git -C sub status" sub
work_here && (cd "$project" && run_box -- sh -c "git checkout -q -b other; $parts; git add -A; git -c user.name=x -c user.email=x@example.org commit -qm x; git checkout -q main" && sleep 0.1 && run_box -- true && git checkout -q other) >/dev/null 2>&1
trap_in "what a checkout of the user's brought becomes a repository: nothing runs" "mv sub/U sub/.git; echo ref: refs/heads/main >sub/.git/HEAD; git -C sub status" sub
# The directory of a nested repository is mounted, so that nobody moves it: it may become one itself all the same.
for broken in "chmod 0 .git/HEAD;" "rm .git/HEAD;"; do
	[ "$(id -u)" != 0 ] || [[ $broken != chmod* ]] || continue
	work_here && git -C "$project" init -q sub && (cd "$project" && run_box -- true) 2>/dev/null
	trap_in "$broken a known nested repository's directory made bare: nothing runs" "cd sub; $broken sh $t/top.sh; sleep 0.3" sub
	like "and it is told" "$told" "^sbx: (sub: a repository that was made during this run|.*/sub/HEAD appeared)"
done
work_here && git -C "$project" init -q sub && (cd "$project" && run_box -- true) 2>/dev/null
like "also beside its .git, which git goes to first" "$(cd "$project" && run_box --read "$t" -- sh -c "cd sub; sh $t/top.sh; sleep 0.3" 2>&1)" "^sbx: (sub: a repository that was made during this run|.*/sub/HEAD appeared)"
work_here && git init -q "$work/other$count" && git -C "$work/other$count" commit -q --allow-empty -m one && git -C "$project" submodule add -q "$work/other$count" mod 2>/dev/null
(cd "$project" && run_box -- true) 2>/dev/null
trap_in "a submodule's .git file with another text in place: nothing runs" "sh $t/evil.sh .git/refs/evil; echo 'gitdir: ../.git/refs/evil' >mod/.git; sleep 0.3" mod
like "and it cannot be written" "$told" "mod/.git: Read-only file system"
# The user's git directories of another name than .git: what their configuration names, and the hooks of a push into them.
cat >"$work/tools/hook.sh" <<EOF
mkdir -p "\$(dirname "\$1")"; printf '#!/bin/sh\ntouch $canary\n' >"\$1"; chmod +x "\$1"
EOF
pushes() { # into a remote below the project, and from clones elsewhere into its repository and a worktree
	git -C "$project" commit -q --allow-empty -m x && git -C "$project" push -q origin main
	for far in "$work"/far.*; do git -C "$far" commit -q --allow-empty -m y && git -C "$far" push -q origin "HEAD:f$RANDOM"; done
} >/dev/null 2>&1
pushed() { # name, the user's preparation, command in the box
	work_here && rm -rf "$work"/far.* && (cd "$project" && eval "$2" && git remote add origin ./rem.git && git push -q origin main && git worktree add -q wt && git clone -q . "$work/far.1" && git clone -q wt "$work/far.2" && run_box -- true) >/dev/null 2>&1
	(cd "$project" && run_box --read "$work/tools" -- sh -c "$3"$'\n''echo attempted') >"$work/attempt" 2>"$work/log"
	pushes
	local boxed
	boxed=$([ -e "$canary" ] && echo runs || echo nothing)
	rm -f "$canary" && (cd "$project" && sh -c "$3") && pushes
	is "$1" "in a box: attempted, nothing; alone: runs" "in a box: $(tail -qn 1 "$work/attempt"), $boxed; alone: $([ -e "$canary" ] && echo runs || echo nothing)"
	rm -f "$canary"
}
bare="git init -q --bare rem.git"
pushed "core.hooksPath of a bare remote, absolute: nothing runs" "$bare; git -C rem.git config core.hooksPath \$PWD/rh" "sh $t/hook.sh rh/post-receive"
pushed "core.hooksPath of a bare remote, relative: nothing runs" "$bare; git -C rem.git config core.hooksPath ../rh" "sh $t/hook.sh rh/post-receive"
pushed "a file that its configuration includes: nothing runs" "$bare; git -C rem.git config include.path ../cfg" "printf '[core]\n\thooksPath=%s\n' \"\$PWD/rh\" >cfg; sh $t/hook.sh rh/post-receive"
for place in .git .git/worktrees/wt; do
	pushed "a relative core.hooksPath below $place, for a push into it: nothing runs" "$bare; git config core.hooksPath .gh" "sh $t/hook.sh $place/.gh/post-receive"
done
git config --global core.hooksPath .gh
pushed "a relative core.hooksPath of the user's below a bare remote: nothing runs" "$bare" "sh $t/hook.sh rem.git/.gh/post-receive"
pushed "below one that a box made before: nothing runs" "run_box -- $bare" "sh $t/hook.sh rem.git/.gh/post-receive"
pushed "below a .git that a box made before: nothing runs" "$bare; run_box -- git init -q made; git clone -q made $work/far.3" "sh $t/hook.sh made/.git/.gh/post-receive"
git config --global --unset core.hooksPath
pushed "core.hooksPath of the user's in a bare remote that a box made before: nothing runs" "run_box -- $bare; git -C rem.git config core.hooksPath ../rh" "sh $t/hook.sh rh/post-receive"
# Honest work in them, and beside it the host's.
who="git -c user.name=a -c user.email=a@b"
bare_here() { work_here && (cd "$project" && $bare && git remote add origin ./rem.git && git push -q origin main && git init -q --separate-git-dir "$PWD/gd" sep && git -C sep commit -q --allow-empty -m s && git clone -q --bare . nb/.bare && echo 'gitdir: ./.bare' >nb/.git && git -C nb worktree add -q m main && git clone -q --bare . in && git -C in worktree add -q m main && run_box -- true) >/dev/null 2>&1; }
bare_here
(cd "$project" && run_box -- sh -c "$who commit -q --allow-empty -m box; git push -q origin main; git fetch -q; git -C rem.git branch b; git -C rem.git gc -q; : >came; until [ -e on ]; do sleep 0.05; done" & wait_for 60 test -e "$project/came"; cd "$project" && git commit -q --allow-empty -m host; git push -q origin main; : >on; wait) >"$work/log" 2>&1
stays "pushes into a bare remote below the project, in a box and beside it, arrive, untold" "host box one b|" "$(git -C "$project/rem.git" log --format=%s main | xargs) $(git -C "$project/rem.git" branch --format='%(refname:short)' | head -1)|$(cat "$work/log")"
(cd "$project" && run_box -- sh -c "for d in sep nb/m in/m; do (cd \$d; echo b >b; git add b; $who commit -qm two; git fetch -q . HEAD; git worktree add -q ../new-\${d%%/*} -b new; cd ../new-\${d%%/*}; $who commit -q --allow-empty -m three); done") >"$work/log" 2>&1
stays "commits, fetches and worktrees of a separate git directory, of .bare and in a bare one stay, untold" "three three three|" "$(for d in new-sep nb/new-nb in/new-in; do git -C "$project/$d" log -1 --format=%s; done 2>&1 | xargs)|$(cat "$work/log")"
many() { # so many that not all are mounted over
	for i in $(seq 80); do git init -q "$project/r$i"; printf '#!/bin/sh\n' >"$project/r$i/.git/hooks/pre-commit"; chmod +x "$project/r$i/.git/hooks/pre-commit"; done
}
work_here && many
trap_in "80 repositories, commondir and another configuration put into all: nothing runs" "for r in r*; do mkdir -p \$r/c; echo ../c >\$r/.git/commondir; mkdir \$r/c/objects \$r/c/refs; printf '[core]\n\tbare = false\n\tfsmonitor = \"touch $canary;\"\n' >\$r/c/config; done; sleep 0.4" "$(seq -f 'r%g' 80 | tr '\n' ' ')"
work_here && many && (cd "$project" && run_box -- true) 2>"$work/log"
stays "80 repositories of the user's: nothing is told" "" "$(cat "$work/log")"
overwrite="for r in r?*; do echo 'touch $canary' >>\$r/.git/hooks/pre-commit; done; sleep 0.5"
twin "$overwrite; git -C r80 commit -q --allow-empty -m x" ""
(cd "$project" && run_box -- sh -c "$overwrite; echo attempted") >"$work/attempt" 2>"$work/log"
for r in "$project"/r?*; do git -C "$r" commit -q --allow-empty -m x; done >/dev/null 2>&1
harmless "hooks overwritten in place in 80 repositories: none runs"
stays "and those that could be mounted over stay" yes "$([ "$(ls -d "$project"/r*/.git/hooks/pre-commit | wc -l)" -ge 64 ] && echo yes)"
stays "few lines tell it" yes "$([ "$(grep ^sbx "$work/log" | wc -c)" -lt 4096 ] && echo yes)"
# In those that are not mounted over nothing may lie at names of data, whatever else is as it was: r6 to r9 are the last by name.
work_here && many && (cd "$project" && for r in r*; do git -C "$r" commit -q --allow-empty -m x; done && git -C r8 init -q .git/modules/sub && mv r8/.git/modules/sub/.git/* r8/.git/modules/sub/ && rmdir r8/.git/modules/sub/.git
	run_box -- true; sleep 0.05; run_box -- sh -c 'for r in r6 r7 r8 r9; do mkfifo $r/.git/packed-refs; ln -s x $r/.git/MERGE_HEAD; git init -q --bare $r/.git/refs/e; done; mkfifo r8/.git/modules/sub/refs/f') >"$work/log" 2>&1
stays "a pipe, a link and a repository at names of data in the last of 80 are gone" "" "$(find "$project"/r[6-9]/.git -type p -o -type l -o -path '*/refs/e')"
like "and it is told" "$(cat "$work/log")" "/r6/.git/packed-refs appeared as a pipe"
(cd "$project" && timeout 60 "$SBX" run -- sh -c 'for r in r[6-9]; do (cd $r; git branch b; git commit -q --allow-empty -m y; git tag v; git gc -q); done') >"$work/log" 2>&1
stays "honest work in the last of 80 is not told" "" "$(cat "$work/log")"
work_here && for r in ra rb rc rd; do git init -q "$project/$r"; printf '#!/bin/sh\n' >"$project/$r/.git/hooks/pre-commit"; done
(cd "$project" && run_box -- true && run_box -- python3 -c 'import os,time;[os.makedirs("n%d/.git"%i) for i in range(600)];[open("n%d/.git/HEAD"%i,"w").write("ref: refs/heads/x") for i in range(600)];time.sleep(.5)'; run_box -- sh -c 'for r in r?; do echo x >>$r/.git/hooks/pre-commit && echo WROTE; done') >"$work/log" 2>/dev/null
stays "600 new ones do not push the user's out of the list" "" "$(grep WROTE "$work/log")"
work_here && git -C "$project" init -q mine && printf '#!/bin/sh\n' >"$project/mine/.git/hooks/pre-commit"
(cd "$project" && run_box -- sh -c 'echo x >>mine/.git/hooks/pre-commit || echo read-only') >"$work/log" 2>/dev/null
is "the first run is protected as the second" read-only "$(cat "$work/log")"
work_here
(cd "$project" && run_box --read "?$HOME/.gitconfig" -- sh -c "git init -q one; git -C one commit -q --allow-empty -m x; git init -q --bare two; git clone -q one three; git -C . submodule add -q \"\$PWD/one\" four; sleep 0.3") >"$work/log" 2>&1
is "honest repositories work on the host, and nothing is told of them" "1 true 1 1 " "$(git -C "$project/one" rev-list --count HEAD) $(git -C "$project/two" rev-parse --is-bare-repository) $(git -C "$project/three" rev-list --count HEAD) $(git -C "$project/four" rev-list --count HEAD) $(grep -v '\.gitmodules\|submodule.four.url is new: /' "$work/log")"
work_here && (cd "$project" && run_box -- true && git init -q later && printf '#!/bin/sh\n' >later/.git/hooks/pre-commit && git -C later config core.fsmonitor mine && run_box -- sleep 0.3) >"$work/log" 2>&1
stays "what the user makes between two runs stays, untold" "mine pre-commit " "$(git config -f "$project/later/.git/config" core.fsmonitor) $(ls "$project/later/.git/hooks" | grep -v sample) $(cat "$work/log")"
work_here && (cd "$project" && run_box -- bash -c "mkdir d{1..3000}; for d in d*; do mkdir \$d/objects \$d/refs; echo ref: refs/heads/x >\$d/HEAD; printf '[core]\n\tfsmonitor = x\n' >\$d/config; done; sleep 0.5") >"$work/log" 2>&1
stays "a flood of repositories is told in few lines" yes "$([ "$(wc -c <"$work/log")" -lt 2048 ] && echo yes || head -c 3000 "$work/log")"

# With --check all no time ends the sweep, and old directories are read.
work_here && mkdir "$project/deep" && (cd "$project/deep" && seq 3000 | xargs mkdir) && (cd "$project" && run_box -- true)
make="cd deep/2999; git init -q; git config core.fsmonitor 'touch $canary;'"
twin "$make" deep/2999
(cd "$project" && SBX_TEST_LOOK=2000000 "$SBX_TESTING" run --check all -- sh -c "$make; echo attempted") >"$work/attempt" 2>"$work/log"
readers "$project/deep/2999"
harmless "--check all reads all of 3,000 directories"
# However short a run is: what it made in a directory with tracked files is found at its end, by whatever call.
short_trap() { # name, command of python in a box, with the set-up of the project before
	twin "python3 -c 'import os; $2'; chmod 755 lib/deep" lib/deep/er
	(cd "$project" && run_box --read "$work/tools" -- python3 -c "import os; $2; print('attempted')") >"$work/attempt" 2>"$work/log"
	readers "$project/lib/deep/er"
	harmless "$1"
}
planted() { # an innocent directory that lacks HEAD, and a project that was looked at
	work_here && mkdir -p "$project/lib/deep/er" && (cd "$project/lib/deep/er" && sh "$t/top.sh" && mv HEAD h && git add h) && (cd "$project" && run_box -- true && sleep 0.05 && run_box -- true) 2>"$work/log"
}
planted && short_trap "a short run renames a file to HEAD: nothing runs" 'os.rename("lib/deep/er/h", "lib/deep/er/HEAD")'
planted && short_trap "a short run links it: nothing runs" 'os.link("lib/deep/er/h", "lib/deep/er/HEAD")'
planted && short_trap "a short run makes a symlink HEAD: nothing runs" 'os.symlink("refs/heads/main", "lib/deep/er/HEAD")'
planted && mv "$project/lib/deep" "$project/lib/other" && mv "$project/lib/other/er/h" "$project/lib/other/er/HEAD" && mv "$project/lib/other/er/objects" "$project/lib/other/er/o" && (cd "$project" && run_box -- true) 2>"$work/log"
short_trap "a short run moves a directory above: nothing runs" 'os.rename("lib/other/er/o", "lib/other/er/objects"); os.rename("lib/other", "lib/deep")'
planted && echo junk >"$project/lib/deep/er/HEAD" && (cd "$project" && run_box -- true && sleep 0.05 && run_box -- true) 2>"$work/log"
short_trap "a short run writes HEAD in place, sets times back: nothing runs" 'f = "lib/deep/er/HEAD"; b = os.stat(f); d = os.stat("lib/deep/er"); open(f, "r+").write("ref: refs/heads/main\n"); os.utime(f, ns=(b.st_atime_ns, b.st_mtime_ns)); os.utime("lib/deep/er", ns=(d.st_atime_ns, d.st_mtime_ns))'
planted && chmod 700 "$project/lib/deep" && short_trap "a short run shuts the directory: nothing runs" 'os.rename("lib/deep/er/h", "lib/deep/er/HEAD"); os.chmod("lib/deep/er", 0o700); os.chmod("lib/deep", 0)'
chmod 755 "$project/lib/deep" && readers "$project/lib/deep/er"
harmless "and nothing runs when it is open again"
# Among 1,500 directories that the index lists, which were kept by an earlier run: at the end of these, and at the beginning.
for folder in a z; do
	planted && mkdir "$project/$folder" && (cd "$project/$folder" && seq 1500 | xargs mkdir && for d in *; do : >"$d/f"; done)
	git -C "$project" add . && git -C "$project" commit -qm many && sleep 0.05
	(cd "$project" && run_box -- true && run_box -- true) 2>"$work/log"
	short_trap "beside $folder: a short run renames a file to HEAD: nothing runs" 'os.rename("lib/deep/er/h", "lib/deep/er/HEAD")'
done
planted && for i in 1 2 3 4; do (cd "$project" && run_box -- sleep 1.5) 2>/dev/null & done
sleep 0.4
short_trap "beside other boxes: nothing runs" 'os.rename("lib/deep/er/h", "lib/deep/er/HEAD")'
wait
planted && (cd "$project" && for i in $(seq 12); do mkdir "n$i" && (cd "n$i" && sh "$t/top.sh" && mv HEAD h); done; run_box -- true) 2>"$work/log"
twin "mv n7/h n7/HEAD" n7
(cd "$project" && for i in $(seq 12); do run_box -- sh -c "mv n$i/h n$i/HEAD && echo attempted" & done; wait) >"$work/attempt" 2>"$work/log"
for i in $(seq 12); do readers "$project/n$i"; done
harmless "twelve runs that end at once: nothing runs"
planted && (cd "$project" && mkdir beside && cd beside && sh "$t/top.sh" && mv HEAD h && cd .. && run_box -- true) 2>"$work/log"
twin "mv beside/h beside/HEAD" beside
(cd "$project" && { run_box -- sh -c 'mv beside/h beside/HEAD; : >came; until [ -e on ]; do sleep 0.05; done; echo attempted' & wait_for 60 test -e came; run_box -- true; : >on; wait; }) >"$work/attempt" 2>"$work/log"
readers "$project/beside"
harmless "a run that another one of the project began and ended beside: nothing runs"
work_here && (cd "$project" && run_box -- true; git init -q own; printf '#!/bin/sh\n' >own/.git/hooks/pre-commit; run_box -- sleep 0.2) >"$work/log" 2>&1
stays "what the user made after a run that nobody has looked after stays" "pre-commit " "$(ls "$project/own/.git/hooks" | grep -v sample) $(cat "$work/log")"

# What another box of the project may have done is said to be so, by each that lived at the time, and by none that is alone.
work_here
for order in first second; do (cd "$project" && exec "$SBX" run -- sh -c "[ $order = first ] || { while [ ! -e first ]; do sleep 0.05; done; mkdir -p sub/.vscode; echo 1 >sub/.vscode/settings.json; }; : >$order; while [ ! -e $order.end ]; do sleep 0.05; done") >"$work/log.$order" 2>&1 & done
wait_for 60 test -e "$project/first" -a -e "$project/second"
for order in second first; do : >"$project/$order.end"; wait_for 60 grep -q sub/.vscode "$work/log.$order"; sleep 0.2; done
wait
is "both of two boxes say that it may be the other's" "2 2" "$(cat "$work"/log.{first,second} | grep -c 'will run it: .*sub/.vscode') $(cat "$work"/log.{first,second} | grep -c 'another box of this project ran at the same time')"
is "one that is alone does not" "1 0" "$(cd "$project" && run_box -- sh -c 'mkdir -p alone/.vscode; echo 2 >alone/.vscode/settings.json' 2>"$work/log"; grep -c 'alone/.vscode' "$work/log") $(grep -c 'another box' "$work/log")"

# Times less than a tick of the clock apart: what the user did right before a run is the user's.
work_here && git init -q "$work/model" && printf '#!/bin/sh\n' >"$work/model/.git/hooks/pre-commit" && git -C "$work/model" config core.fsmonitor mine
(cd "$project" && for i in $(seq "${TRIES:-60}"); do cp -r "$work/model" "new$i" && mkdir -p "sub$i/.vscode" && echo 1 >"sub$i/.vscode/settings.json" && ln -s /nowhere "link$i" && run_box -- sleep 0.0$((i % 5)); done) >"$work/log" 2>&1
stays "a run right after a change of the user's says nothing" "0" "$(wc -l <"$work/log")$(head -5 "$work/log")"
stays "and takes nothing" "${TRIES:-60}" "$(ls "$project"/new*/.git/hooks/pre-commit | wc -l)"

# A supervisor that was killed: the next run does its check, first.
killed() { # command in the box
	(cd "$project" && exec "$SBX" run --read "$work/tools" -- sh -c "($1); echo attempted; : >ready; sleep 30.$$") >"$work/attempt" 2>/dev/null &
	local pid=$!
	wait_for 60 test -e "$project/ready"
	kill -9 "$pid"; wait "$pid" 2>/dev/null
	wait_for 10 sh -c "! pgrep -fx 'sleep 30.$$'" # the box ends a moment after its supervisor
	rm -f "$canary" "$project/ready"
}
work_here && rm -rf "$project/.git/hooks" && mkdir "$project/.vscode" && echo mine >"$project/.vscode/settings.json" && git -C "$project" init -q nested && printf '#!/bin/sh\n' >"$project/nested/.git/hooks/pre-commit"
left="mkdir .git/hooks; printf '#!/bin/sh\ntouch $canary\n' >.git/hooks/post-commit; chmod +x .git/hooks/post-commit; echo 'touch $canary' >.envrc; git init -q new; git -C new config core.fsmonitor 'touch $canary;'; cd lib; sh $t/top.sh"
twin "$left" ". new lib"
killed "$left"
(cd "$project" && run_box -- true) >"$work/log" 2>&1
git -C "$project" commit -q --allow-empty -m y && for place in . new lib; do readers "$project/$place"; done
harmless "what a killed run left is found by the next: nothing runs"
stays "a name that it left is moved away, the user's own stay" "mine pre-commit" "$(ls "$project/.envrc" 2>/dev/null)$(cat "$project/.vscode/settings.json") $(ls "$project/nested/.git/hooks" | grep -v sample)"
like "and that is reported" "$(cat "$work/log"; "$SBX" quarantine list)" 'hooks/post-commit( appeared.*moved to quarantine|$)'
like "with the reason" "$(cat "$work/log")" 'sbx: a run in this project was killed; it left this'
stays "once" "" "$(cd "$project" && run_box -- true 2>&1)"
# One that is watched is in quarantine before the run is killed.
work_here && killed "echo 'touch $canary' >.envrc; while [ -e .envrc ]; do sleep 0.05; done"
like "what a killed run moved away is reported by the next" "$(cd "$project" && "$SBX" run -- true 2>&1)" '\.envrc appeared, .*moved to quarantine'
stays "that once, too" "" "$(cd "$project" && run_box -- true 2>&1)"
# Not a name that is watched.
work_here && killed "git init -q new; git -C new config core.fsmonitor x"
for i in 1 2 3 4; do (cd "$project" && run_box -- true) >"$work/log.$i" 2>&1 & done; wait
is "four that find it at once check it once" 1 "$(cat "$work"/log.[1-4] | grep -c 'was killed')"
work_here && (cd "$project" && run_box -- sleep 0.2) >/dev/null 2>&1
stays "no file of a run is left of those that have ended" "" "$(find "$XDG_STATE_HOME"/sbx/{trees,boxes} -type f)"
# A start that failed, or was made anew as a file changed under it: what the user makes after it is the user's.
work_here && (cd "$project" && SBX_TEST_FAIL=landlock "$SBX_TESTING" run -- touch was-run) >"$work/log" 2>&1
like "a start fails" "$(cat "$work/log")" "step 'landlock': made to fail by a test"
sleep 0.05; mkdir "$project/.vscode" && echo mine | tee "$project/.envrc" >"$project/.vscode/tasks.json"
stays "what the user made after it stays, without a word" "ran mine mine" "$( (cd "$project" && run_box -- echo ran 2>&1; cat .envrc .vscode/tasks.json) | xargs)"
work_here && twin "mv .git/refs .git/r; sh $t/top.sh" . && killed "mv .git/refs .git/r; sh $t/top.sh"
(cd "$project" && "$SBX" doctor) >"$work/log" 2>&1
readers "$project"
harmless "sbx doctor does the check as well: nothing runs"
like "that .git is broken is reported" "$(cat "$work/log")" 'sbx: .git is not a valid git directory any more'

# A repository of the list that is gone, and comes again by a box: a run beside that one takes it for what was there, and
# protects it; the looks after both do not.
for end in "" "kill -9 \$box"; do
	work_here && git -C "$project" init -q again && (cd "$project" && run_box -- true) 2>/dev/null && rm -rf "$project/again"
	make="git init -q again; git -C again config core.fsmonitor 'touch $canary;'"
	twin "$make" again
	(cd "$project" && exec "$SBX" run -- sh -c "$make; echo attempted; : >ready; while [ ! -e stop ]; do sleep 0.05; done") >"$work/attempt" 2>"$work/log" &
	box=$!
	wait_for 60 test -e "$project/ready"
	(cd "$project" && run_box -- true) >>"$work/log" 2>&1
	eval "$end"; : >"$project/stop"
	wait $box 2>/dev/null
	(cd "$project" && run_box -- true) >>"$work/log" 2>&1
	readers "$project/again"
	harmless "a listed repository made anew by a box beside another run, ${end:+killed}: nothing runs"
done
# What was there at the start is never taken away, whatever came beside it.
work_here && git -C "$project" worktree add -q "$work/mine.$count"
mine=$work/mine.$count
(cd "$project" && run_box -- bash -c 'mkdir .git/worktrees/x{1..5000}') >"$work/log" 2>&1
stays "5,000 entries beside a worktree: it works on" "0 1" "$(git -C "$mine" status -s >/dev/null 2>&1; echo $?) $(ls "$project/.git/worktrees" | wc -l)"
stays "and few lines are told" yes "$([ "$(wc -c <"$work/log")" -lt 2048 ] && echo yes)"
work_here
for i in $(seq 300); do mkdir "$project/.git/worktrees/" 2>/dev/null; cp -r "$project/.git/refs" "$project/.git/worktrees/w$i"; done
(cd "$project" && run_box -- true) >"$work/log" 2>&1
stays "300 entries of the user's: nothing is told, and all stay" " 300" "$(cat "$work/log") $(ls "$project/.git/worktrees" | wc -l)"

# A session: what is applied without being named makes no directory a repository.
trap_of() { # name, commands in the box, one run each, separated by "|"; the place of the host's git
	local name=$1 place=$3 session="s$count"
	twin "($(sed 's/|/); (/g' <<<"$2"))" "$place"
	(cd "$project" && "$SBX" session create "$session" && IFS='|' && for each in $2; do run_box -s "$session" --read "$work/tools" -- sh -c "$each; echo attempted" >"$work/attempt"; "$SBX" session snapshot "$session" "p$RANDOM"; done; "$SBX" session apply "$session") >"$work/log" 2>&1
	readers "$project/$place"
	harmless "$name"
	like "$name: it was withheld" "$(cat "$work/log")" '^sbx: not applied: .*HEAD'
}
work_here && rm -rf "$project/.git"
trap_of "a session makes the top bare: nothing runs" "sh $t/top.sh" .
work_here
trap_of "a session makes a directory of the host's bare: nothing runs" "cd lib && sh $t/top.sh" lib
work_here
(cd "$project" && "$SBX" session create broken >/dev/null && run_box -s broken -- sh -c "mv .git/refs .git/r; rm .git/HEAD" && "$SBX" session apply broken) >"$work/log" 2>&1
is "a session takes parts of .git away: apply leaves them" "main" "$(git -C "$project" branch --show-current 2>&1)"
like "and says so" "$(cat "$work/log")" '^sbx: not applied: .git/HEAD'
for way in "chmod 0 .git/HEAD" "chmod 0 .git/objects" "chmod 400 .git/refs" "echo junk >.git/HEAD" "chmod 0 .git"; do
	work_here
	(cd "$project" && "$SBX" session create mode >/dev/null && run_box -s mode -- sh -c "$way" && "$SBX" session apply mode; "$SBX" session discard mode; "$SBX" session rm mode) >"$work/log" 2>&1
	is "a session does '$way': .git stays one" "700 main" "$(stat -c %a "$project/.git/refs" | sed 's/^7../700/') $(git -C "$project" branch --show-current 2>&1)"
	like "and that is said" "$(cat "$work/log")" '^sbx: not applied: .git'
done
work_here && mkdir "$project/two"
trap_of "a session makes it bare by two layers: nothing runs" "cd two && sh $t/top.sh && mv HEAD h|cd two && mv h HEAD" two
work_here && mkdir "$project/sub"
trap_of "a session makes HEAD and commondir: nothing runs" "mkdir sub/inner; cd sub/inner; sh $t/top.sh; cd ..; cp inner/ev.sh .; rm inner/HEAD; echo inner >commondir; echo ref: refs/heads/main >HEAD; printf '[extensions]\n\tworktreeConfig = true\n' >>inner/config; printf '[core]\n\tbare = false\n\tworktree = .\n' >config.worktree" sub
# What git's configuration names for hooks, or as more configuration.
named_trap() { # name, command for a shell, place of the host's git, options of sbx...: first without a box
	local name=$1 command=$2 place=$3
	shift 3
	rm -rf "$work/kept" "$canary" && cp -a "$project" "$work/kept"
	(cd "$project" && sh -c "$command") >/dev/null 2>&1
	git_after "$place"
	[ -e "$canary" ] && without=fires || without=nothing
	rm -rf "$project" "$canary" && mv "$work/kept" "$project" && sleep 0.1
	(cd "$project" && run_box "$@" -- sh -c "$command"$'\n''echo attempted') >"$work/attempt" 2>"$work/log"
	git_after "$place"
	harmless "$name"
}
git_after() { (cd "$project/$1" && git ls-files -z | xargs -0 touch; readers .); } # with an index that is written
hook_in() { printf 'mkdir -p %s; printf "#!/bin/sh\\ntouch %s\\n" >%s/post-index-change; chmod +x %s/post-index-change' "$1" "$canary" "$1" "$1"; }
hooks_here() { # a project with tracked hooks
	work_here && mkdir "$project/.githooks" && printf '#!/bin/sh\n' >"$project/.githooks/pre-commit" && chmod +x "$project/.githooks/pre-commit"
	git -C "$project" add . && git -C "$project" commit -qm hooks && git -C "$project" config core.hooksPath .githooks
}
hooks_here && git -C "$project" worktree add -q wt
named_trap "a relative core.hooksPath in a worktree of the user's: nothing runs" "$(hook_in wt/.githooks)" wt
hooks_here
named_trap "and in one that the box makes" "git worktree add -q wt; $(hook_in wt/.githooks)" wt
hooks_here && (cd "$project" && run_box -- git worktree add -q wt) >"$work/log" 2>&1
stays "what a checkout wrote there stays, untold" "pre-commit " "$(ls "$project/wt/.githooks") $(cat "$work/log")"
work_here && (cd "$project" && run_box -- true) && git clone -q "$project" "$project/mine" && git -C "$project/mine" config core.hooksPath .gh
named_trap "and in a clone that the user made between two runs" "$(hook_in mine/.gh)" mine
work_here && many && git clone -q "$project" "$project/z" && git -C "$project/z" config core.hooksPath .gh && git -C "$project/z" config include.path ../.more
named_trap "and in the last of 81 repositories" "$(hook_in z/.gh)" z
named_trap "and a file there that its configuration includes" "printf '[core]\n\tfsmonitor = \"touch $canary;false\"\n' >z/.more" z
git config --global core.hooksPath .githooks
hooks_here && git clone -q --bare "$project" "$work/hooks.git" 2>/dev/null
work_here && git -C "$project" submodule --quiet add "$work/hooks.git" sm && git -C "$project" commit -qm sm
named_trap "the user's own core.hooksPath in a submodule" "$(hook_in sm/.githooks)" sm
work_here
named_trap "and in a repository that the box makes" "git init -q n; cd n; echo a >a; git add a; $(hook_in .githooks)" n
git config --global --unset core.hooksPath
place=$(getent passwd "$(id -un)" | cut -d: -f6)
work_here && git -C "$project" config core.hooksPath "~$(id -un)/$(realpath -m --relative-to="$place" "$project/xx")"
named_trap "core.hooksPath in the home of a user by name" "$(hook_in xx)" .
work_here && git -C "$project" config include.path "~$(id -un)/$(realpath -m --relative-to="$place" "$project/more")"
named_trap "and include.path" "printf '[core]\n\tfsmonitor = \"touch $canary;false\"\n' >more" .
work_here && git -C "$project" config include.path "~nobody.$$/more"
like "what no user is called is told" "$(cd "$project" && "$SBX" plan -- true 2>&1)" "git's configuration '.*/.git/config' cannot be read here"
work_here
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.HooksPath GIT_CONFIG_VALUE_0=tools/hk named_trap "core.hooksPath in variables" "$(hook_in tools/hk)" .
work_here
handed=$(git -c core.hooksPath=tools/hk -c alias.handed='!printenv GIT_CONFIG_PARAMETERS' handed)
GIT_CONFIG_PARAMETERS=$handed named_trap "core.hooksPath that git -c gives to what it runs" "$(hook_in tools/hk)" .
GIT_CONFIG_PARAMETERS="'core.hooksPath=tools/hk'" named_trap "and as git 2.30 writes it" "$(hook_in tools/hk)" .
work_here && printf '[core]\n\thooksPath = tools/hk\n[user]\n\tname = x\n\temail = x@example.org\n' >"$work/other.config"
GIT_CONFIG_GLOBAL=$work/other.config named_trap "and in a file that a variable names" "$(hook_in tools/hk)" .
work_here && mkdir -p "$project/t/hooks" && git config --global init.templateDir "$project/t"
(cd "$project" && run_box -- sh -c "$(sed s/post-index-change/post-checkout/g <<<"$(hook_in t/hooks)"); echo '[core]' >t/config; echo attempted") >"$work/attempt" 2>"$work/log"
stays "nothing comes into a template for new repositories" "attempted " "$(tail -qn 1 "$work/attempt") $(cd "$project/t" && find . -type f)"
git config --global --unset init.templateDir
hooks_here && git -C "$project" worktree add -q wt && (cd "$project" && "$SBX" session create named && run_box -s named -- sh -c "$(hook_in wt/.githooks)" && "$SBX" session apply named; "$SBX" session rm --force named) >"$work/log" 2>&1
like "a session's hook in a worktree is withheld" "$(cat "$work/log")" '^sbx: not applied: wt/.githooks/post-index-change'

# `short` ends here: what follows takes minutes.
[ "${1:-}" != short ] || done_testing

# --- parts of .git: what git does not make there is quarantined, by git/layout.c
box() { # command in the box; what sbx said is in $work/log
	(cd "$project" && run_box --read "$work/tools" -- sh -c "$1") >"$work/log" 2>&1
}
there() { (cd "$project/.git" && ls -d "$@" 2>/dev/null | paste -sd' '); }
work_here
mkdir -p "$project/.git/tool/deep" "$project/.git/refs/remotes/far" && ln -s ../lib "$project/.git/mine" && mkfifo "$project/old-pipe" && mkdir -p "$project/carried/in" && git init -q --bare "$project/carried/in/r"
nested='e x/y/e objects/e objects/pack/e refs/heads/e refs/remotes/far/e logs/refs/e info/e rebase-merge lfs/e tool/e worktrees-of/e'
sleep 0.05
box "cd .git; for e in $nested; do mkdir -p \$e/objects \$e/refs; echo ref: refs/heads/main >\$e/HEAD; done; git init -q logs/w; mkdir logs/g; echo gitdir: ../e >logs/g/.git; mv ../carried moved; o=\$(ls -d objects/?? | head -1); git init -q --bare \$o/e"
is "git directories in .git are quarantined wherever they are" "" "$(there $nested logs/w/.git logs/g/.git moved/in/r/HEAD objects/??/e)"
like "and reported" "$(cat "$work/log")" "appeared as a repository in git's own directory; it was moved to quarantine"
is "the user's own names in .git stay, and git works" "lib tool/deep one" "$(basename "$(readlink "$project/.git/mine")") $(there tool/deep) $(git -C "$project" log -1 --format=%s)"
work_here && mkdir "$project/.git/refs/heads/deep"
box 'cd .git; mkdir objects/refs objects/objects; cp HEAD objects/HEAD; mkdir logs/objects; for d in refs/heads/deep; do mkdir $d/refs $d/objects; cp HEAD $d; done'
for directory in objects logs refs/heads/deep; do
	is ".git/$directory is not a git directory, and stays" "yes 128" "$([ -d "$project/.git/$directory" ] && echo yes) $(git --git-dir="$project/.git/$directory" rev-parse >/dev/null 2>&1; echo $?)"
done
files='packed-refs refs/heads/X index info/exclude shallow objects/info/alternates info/grafts logs/HEAD logs/refs/heads/main MERGE_HEAD COMMIT_EDITMSG FETCH_HEAD index.lock'
for way in 'mkfifo' 'ln -sf /etc/passwd' 'mv $P'; do
	work_here && mkfifo "$project/pipe1"
	box "cd .git; mkdir -p objects/info; for f in $files; do rm -f \$f; P=\$(mktemp -u -p ..); mkfifo \$P; $way \$f; done; mkfifo rr-cache tool refs/tags/p objects/pack/p; ln -s ../../lib refs/l; ln -s lib objects/f"
	is "by '$way': pipes and links at git's names are quarantined" "" "$(cd "$project/.git" && find . \( -type l -o -type p \) | paste -sd' ')"
done
work_here && rm "$project/.git/index" && ln -s ../real-index "$project/.git/index" && sleep 0.05
box 'touch -h .git/index; touch .git/x'
is "a link that the user made stays" ../real-index "$(readlink "$project/.git/index")"
work_here && git -C "$project" commit -q --allow-empty -m two
box 'cd .git; git rev-parse HEAD >info/grafts; mkdir -p objects/info sl arc; echo /tmp/secret >objects/info/alternates; echo "[hooks]" >sl/config; echo {} >arc/config'
is "grafts, alternates, and what other programs run are quarantined" "2" "$(there info/grafts objects/info/alternates sl/config arc/config)$(git -C "$project" rev-list HEAD | wc -l)"
work_here && mkdir -p "$project/.git/objects/info" && echo "$work/others/objects" >"$project/.git/objects/info/alternates" && echo "# mine" >"$project/.git/info/grafts"
box 'echo x >.git/objects/info/alternates; echo x >.git/info/grafts; mv .git/objects/info .git/objects/i'
is "those of the user are read-only" "$work/others/objects # mine" "$(cat "$project/.git/objects/info/alternates" "$project/.git/info/grafts" | paste -sd' ')"
work_here && git -C "$project" init -q sub && git init -q "$work/outside"
box 'git clone -q --shared sub copy; git clone -q --shared . copy2; git -C copy2 log --oneline'
is "alternates in the project work" "0 0" "$(git -C "$project/copy" status >/dev/null 2>&1; echo $?) $(git -C "$project/copy2" log --oneline >/dev/null; echo $?)"
box 'git clone -q --shared sub copy3; git clone -q --shared . copy4; mkdir fake; ln -s /tmp fake/objects; echo ../../../fake/objects >copy3/.git/objects/info/alternates; echo /tmp/objects >>copy4/.git/objects/info/alternates; echo /tmp/objects >>copy/.git/objects/info/alternates'
is "others are quarantined, also those that a box writes into a repository of an earlier one" "copy2/.git/objects/info/alternates" "$(cd "$project" && ls -d copy*/.git/objects/info/alternates | paste -sd' ')"
work_here && ln -s ../lib "$project/.git/mine" && mkdir "$project/.git/tool" && sleep 0.05
box 'cd .git; for d in logs refs/tags objects/pack info tool; do mv $d $d.old; ln -s /tmp $d; done; ln -s /etc new && mv -T new mine; rm -rf tool; git init -q --bare tool'
is "a link or a repository in the place of what was there is quarantined" "" "$(there logs refs/tags objects/pack info mine tool)"
# The same by a session.
work_here
(cd "$project" && "$SBX" session create parts >/dev/null && run_box -s parts -- sh -c 'git update-ref refs/heads/good HEAD; git tag t; cd .git; git init -q --bare e; git init -q --bare objects/e; git rev-parse HEAD >info/grafts; mkdir rebase-apply; echo x >rebase-apply/patch; echo hi >annex; ln -s /etc/passwd MERGE_HEAD; mkfifo packed-refs' && "$SBX" session apply parts) >"$work/log" 2>&1
is "apply withholds them, and applies data" "annex refs/heads/good refs/tags/t" "$(there e objects/e packed-refs MERGE_HEAD info/grafts rebase-apply annex refs/heads/good refs/tags/t)"
like "and says which" "$(cat "$work/log")" '^sbx: not applied: .git/rebase-apply'
# --- what git only shows is the box's; marks that hide changes are counted
states='MERGE_HEAD MERGE_AUTOSTASH CHERRY_PICK_HEAD REVERT_HEAD REBASE_HEAD BISECT_LOG BISECT_START annex'
work_here && git -C "$project" commit -q --allow-empty -m two
box "git replace HEAD \$(git commit-tree HEAD^{tree} -m fine); echo new.py >>.git/info/exclude; git notes add -m ok; git pack-refs --all; for f in $states; do git rev-parse HEAD >.git/\$f; done"
stays "replaced objects, notes, exclusions and states of unfinished commands are not reported" "" "$(cat "$work/log")"
box 'git update-index --assume-unchanged lib/a; echo evil >lib/a; git update-index --skip-worktree file; echo evil >file'
stays "marks are counted" "sbx: .git: files that are marked in the index, whose changes git does not show: 2; to list them: git ls-files -v" "$(cat "$work/log")"
box 'git -C . log -1 >/dev/null; touch x'
stays "once" "" "$(cat "$work/log")"
# --- an index that a box wrote: the host's git writes, reads and shows by it
# idx.py DIR OID PATH MODE...: an index of the git directory DIR with the files of HEAD and these entries, whatever they are.
cat >"$work/tools/idx.py" <<'EOF'
import hashlib, os, struct, subprocess, sys
add = sys.argv[2:]
version = int(os.environ.get("INDEX", "2"))
entries = [(add[i + 1].encode("utf8", "surrogateescape"), add[i], int(add[i + 2], 8)) for i in range(0, len(add), 3)]
for line in subprocess.check_output(["git", "ls-tree", "-r", "HEAD"], text=True).splitlines():
    mode, _, rest = line.split(None, 2)
    oid, path = rest.split("\t")
    entries.append((path.encode(), oid, int(mode, 8)))
data, before = b"DIRC" + struct.pack(">II", version, len(entries)), b""
for name, oid, mode in sorted(entries):
    entry = struct.pack(">10I", *[0] * 6, mode, 0, 0, 0) + bytes.fromhex(oid) + struct.pack(">H", min(len(name), 0xfff))
    common = len(os.path.commonprefix([before, name])) if version == 4 else 0
    data += entry + (bytes([len(before) - common]) + name[common:] + b"\0" if version == 4 else name + b"\0" * (8 - (len(entry) + len(name)) % 8))
    before = name
open(sys.argv[1] + "/index", "wb").write(data + hashlib.sha1(data).digest())
EOF
# tree.py OLD NEW: the index's extension for trees has NEW in the place of OLD.
cat >"$work/tools/tree.py" <<'EOF'
import hashlib, sys
data = open(".git/index", "rb").read()
old, new = map(bytes.fromhex, sys.argv[1:3])
at = data.index(old, data.rindex(b"TREE"))
data = data[:at] + new + data[at + 20:-20]
open(".git/index", "wb").write(data + hashlib.sha1(data).digest())
EOF
mkdir -p "$work/victim"
place() { # a repository at $repository, whose git directory in the project is $git; what the host's git may write is "$work/victim/rc"
	work_here && echo mine >"$work/victim/rc" && repository=$project git=.git
	case $1 in
	worktree) repository=$work/tree.$count git=.git/worktrees/tree.$count && git -C "$project" worktree add -q "$repository" ;;
	submodule) git init -q "$work/sub.$count" && echo a >"$work/sub.$count/a" && git -C "$work/sub.$count" add . && git -C "$work/sub.$count" commit -qm one &&
		git -C "$project" submodule add -q "$work/sub.$count" sub 2>/dev/null && repository=$project/sub git=.git/modules/sub ;;
	nested) git init -q "$project/sub" && echo a >"$project/sub/a" && git -C "$project/sub" add . && git -C "$project/sub" commit -qm one && repository=$project/sub git=sub/.git ;;
	new) repository=$project/sub git=sub/.git ;;
	esac
	sleep 0.05
}
up=../../../../../../../../../..
write_index() { # oid, path, mode of one more entry
	[ -e "$project/$git" ] || printf '%s' 'git init -q sub; cd sub; echo a >a; git add .; git commit -qm one; cd ..; '
	printf 'export GIT_DIR=%s; o=$(echo evil | git hash-object -w --stdin); python3 %s/idx.py %s $o "%s" %s; unset GIT_DIR' "$git" "$t" "$git" "$1" "$2"
}
restore() { git -C "$repository" checkout -q . >/dev/null 2>&1; cat "$work/victim/rc"; }
for kind in project worktree submodule nested new; do
	place $kind
	(cd "$project" && sh -c "$(write_index "$up$work/victim/rc" 100755)")
	is "twin: without a box an index writes out of the $kind" evil "$(restore)"
	place $kind
	(cd "$project" && run_box --read "$work/tools" --read "?$HOME/.gitconfig" -- sh -c "$(write_index "$up$work/victim/rc" 100755); sleep 0.3") >"$work/log" 2>&1
	is "an index with a path out of the $kind writes nothing" mine "$(restore)"
	like "and is moved away, with the way to a new one" "$(cat "$work/log")" "/index has an entry that git does not write .*; one with its other entries took its place; it was moved to quarantine"
	is "by which a commit removes nothing" "M a" "$(cd "$repository" && echo more >>"$(git ls-files | tail -1)" && git commit -qam more && git show --format= --name-status | sed 's|	.*/| |; s|	| |')"
done
for path in /etc/x .git/hooks/pre-commit a/.GIT/x 'git~1/x' '.git /x' '.git.../x' '.git::$INDEX_ALLOCATION/x' '.git\\x' a//x ./x a/../x a/. x/ $'.g\xe2\x80\x8cit/x'; do
	place project && box "$(write_index "$path" 100644)"
	is "the path $(printf %q "$path") is none of an index" "file lib/a" "$(git -C "$project" ls-files | paste -sd" ")"
done
for mode in 100664 40000 0 1100644; do
	place project && box "$(write_index a/x $mode)"
	is "nor is the mode $mode" "file lib/a" "$(git -C "$project" ls-files | paste -sd" ")"
done
place project && box "$(write_index .gitmodules 120000)"
is "nor is .gitmodules as a link" "file lib/a" "$(git -C "$project" ls-files | paste -sd" ")"
place project && box "INDEX=4; export INDEX; $(write_index "$up$work/victim/rc" 100755)"
is "an index of version 4 writes nothing, too" "mine file lib/a" "$(restore) $(git -C "$project" ls-files | paste -sd" ")"
for path in $'.git\xc3\xa9/x' git~x .gitx/a .gitignore ..x/... 'a\b'; do
	place project && box "INDEX=4; export INDEX; $(write_index "$path" 100644)"
	is "but $(printf %q "$path") is one" yes "$([ -e "$project/.git/index" ] && echo yes || cat "$work/log")"
done
for junk in 'echo x >.git/index' ': >.git/index' 'truncate -s 700M .git/index' 'head -c 60 .git/index >.git/i; mv .git/i .git/index'; do
	place project && box "$junk"
	is "an index that is no index is moved away, and git commits nothing without one" "128 2 " "$(git -C "$project" commit -qam x 2>/dev/null; echo $? $(git -C "$project" ls-tree -r HEAD | wc -l)) $(rm "$project/.git/index"; git -C "$project" reset -q; git -C "$project" status --short)"
done
place project
killed "$(write_index "$up$work/victim/rc" 100755)"
(cd "$project" && run_box -- true) >"$work/log" 2>&1
is "an index that a killed run left writes nothing" mine "$(restore)"
place project && git -C "$project" update-index --split-index && sleep 0.05
box "$(write_index "$up$work/victim/rc" 100755); cat .git/index >\$(ls .git/sharedindex.*)
	python3 -c 'import glob, os
name = glob.glob(\".git/sharedindex.*\")[0]
data = open(name, \"rb\").read()[:-20] + bytes.fromhex(name[-40:])
open(name, \"wb\").write(data)
link = bytes.fromhex(name[-40:]) + bytes(24)
open(\".git/index\", \"wb\").write(b\"DIRC\" + bytes([0, 0, 0, 2, 0, 0, 0, 0]) + b\"link\" + len(link).to_bytes(4, \"big\") + link + bytes(20))'"
is "nor does the shared file of a split index" mine "$(restore)"
# By a session: apply does not take one over, and leaves out what only saves time.
by_session() { # command
	(cd "$project" && "$SBX" session create "s$count" >/dev/null && run_box -s "s$count" --read "$work/tools" --read "?$HOME/.gitconfig" -- sh -c "$1"; "$SBX" session apply "s$count" "${@:2}") >"$work/log" 2>&1
}
for kind in project worktree submodule nested; do
	place $kind && by_session "$(write_index "$up$work/victim/rc" 100755)"
	is "apply takes over no index with a path out of the $kind" mine "$(restore)"
	like "and says why" "$(cat "$work/log")" "^sbx: not applied: .*/index has an entry that git does not write"
done
place project && by_session "$(write_index "$up$work/victim/rc" 100755)" .git/index
is "also when it is named" "mine 1" "$(restore) $(grep -c 'git does not write.*nothing was changed' "$work/log")"
cache() { printf '%s' "git write-tree >/dev/null; o=\$(echo evil | git hash-object -w --stdin); python3 $t/tree.py \$(git rev-parse HEAD:lib) \$(printf '100644 blob %s\\ta\\n' \$o | git mktree)"; }
commit_after() { # prints what the commit of another file has at lib/a
	git -C "$project" status --short; (cd "$project" && echo more >>file && git add file && git commit -qm mine && git status --short && git show HEAD:lib/a)
}
work_here && (cd "$project" && sh -c "$(cache)")
is "twin: without a box a commit has a tree of another" evil "$(commit_after)"
work_here && box "$(cache)"
is "after a box it has the files of the index" a "$(commit_after)"
work_here && by_session "$(cache)"
is "and after an apply" "a 0" "$(commit_after) $(cd "$project" && git reset -q --hard HEAD~ && grep -c EVIL .git/index)"
work_here && by_session "echo b >lib/b; git add lib/b; git commit -qm two; git status --short"
is "an honest commit of a session is applied, once" "0 two " "$(cd "$project" && "$SBX" session diff --stat "$(ls -t "$XDG_STATE_HOME/sbx/sessions" | head -1)" 2>/dev/null | grep -c index) $(git -C "$project" log -1 --format=%s) $(git -C "$project" status --short)"
for left in TREE UNTR FSMN EOIE IEOT ZZZZ; do
	work_here && box "git config core.untrackedCache true; git update-index --untracked-cache; git status >/dev/null; python3 -c 'import hashlib
data = open(\".git/index\", \"rb\").read()[:-20] + b\"$left\" + bytes(4)
open(\".git/index\", \"wb\").write(data + hashlib.sha1(data).digest())'"
	is "an index of a box has no extension $left after it" "0 0" "$(grep -c "$left" "$project/.git/index") $(git -C "$project" fsck >/dev/null 2>&1; echo $?)"
done
work_here && (cd "$project" && exec 9>.git/index.lock && run_box -- sh -c 'git -c core.fsync=none -c index.threads=1 status >/dev/null; touch .git/index') >"$work/log" 2>&1
like "where another program holds the lock, that is said" "$(cat "$work/log")" "^sbx: .git/index was written by the box and was not checked \(another program holds git's lock\).* git reset"
rm -f "$project/.git/index.lock"
# What is marked is said, whatever form the index has.
for form in 'git update-index --split-index; git update-index --assume-unchanged lib/a' 'git update-index --assume-unchanged lib/a; git update-index --split-index' \
	'git update-index --skip-worktree lib/a; echo lib >.git/info/sparse-checkout' 'git update-index --index-version 4; git update-index --assume-unchanged lib/a' \
	"git update-index --assume-unchanged lib/a; python3 -c 'd = open(\".git/index\", \"rb\").read()[:-20]; open(\".git/i\", \"wb\").write(d + b\"ZZZZ\" + (300 << 20).to_bytes(4, \"big\") + bytes((300 << 20) + 20))'; mv .git/i .git/index"; do
	work_here && box "$form; echo evil >lib/a"
	like "marks are said after '${form:0:60}'" "$(cat "$work/log")" "^sbx: .git: files that are marked in the index, whose changes git does not show: [12];"
done
# forge.py FILES: an index with the times of files as git would have noted them, and other contents.
cat >"$work/tools/forge.py" <<'EOF'
import hashlib, os, struct, sys
data = bytearray(open(".git/index", "rb").read()[:-20])
at = 12
for _ in range(struct.unpack(">I", data[8:12])[0]):
    end = data.index(0, at + 62)
    name = data[at + 62:end].decode()
    if name in sys.argv[1:]:
        s = os.lstat(name)
        data[at:at + 40] = struct.pack(">10I", *(int(t // 1e9 if part == 0 else t % 1e9) for t in (s.st_ctime_ns, s.st_mtime_ns) for part in (0, 1)),
            s.st_dev & 0xffffffff, s.st_ino & 0xffffffff, s.st_mode, s.st_uid, s.st_gid, s.st_size)
    at += (end - at + 8) & ~7
open(".git/index", "wb").write(data + hashlib.sha1(data).digest())
EOF
forge() { printf '%s' "echo evil >lib/a; echo evil >file; echo '* ident' >lib/.gitattributes; echo '*' >lib/.gitignore; touch -d $1 file; sleep 1.1; python3 $t/forge.py lib/a file"; }
for time in 2001-01-01 now; do
	work_here && (cd "$project" && sh -c "$(forge $time)")
	is "twin: without a box git does not see files whose times it noted, with the time $time" "" "$(git -C "$project" status --short)"
	work_here && sleep 1.1 && box "$(forge $time)"
	is "after a box it does" " M file, M lib/a" "$(git -C "$project" status --short | paste -sd,)"
done
work_here && echo '*.psd filter=x' >"$project/.gitattributes" && git -C "$project" config filter.x.clean "tr a b" && git -C "$project" config core.autocrlf input
box "printf 'a\\n' >c.psd; printf 'x\\r\\n' >dos; echo xx >lib/a; git add .; echo yy >lib/a; sleep 1.1; git commit -qm three; git checkout -q -b other HEAD~; git checkout -q main; git stash -q; git status"
is "honest work is not reported, with filters and ends of lines" "" "$(grep -v '^$' "$work/log" | grep '^sbx')"
# The same commands in a box and outside leave the same.
honest='git switch -qc side; echo b >lib/b; git add .; git commit -qm b; git switch -q main; echo c >c; git add .; git commit -qm c; git merge -q side -m m; echo d >>c; git stash -q; git stash pop -q; git commit -qam d
	git rebase -q HEAD~1; git sparse-checkout set lib 2>/dev/null; git sparse-checkout disable; git update-index --split-index; echo e >e; git add e; git update-index --untracked-cache; git status --short
	git mv e f; git add -N g 2>/dev/null; git worktree add -q tree; echo g >tree/g; git -C tree add g; git init -q n; echo n >n/n; git -C n add n; git gc -q'
state() { (cd "$1" && git status --short && git ls-files -s && git -C tree ls-files -s && git -C n ls-files -s && git -C tree status --short && git fsck --no-dangling && git write-tree) 2>&1; }
work_here && (cd "$project" && sh -c "$honest") >"$work/without" 2>&1
state "$project" >>"$work/without"
work_here && box "$honest"
state "$project" >>"$work/log"
is "git's own commands leave the same in a box and outside" "$(cat "$work/without")" "$(cat "$work/log")"
# --- locks and names that a box leaves
locks='index.lock HEAD.lock config.lock packed-refs.lock refs/heads/main.lock refs/heads/a/b/c.lock objects/info/commit-graph.lock worktrees/w/index.lock'
work_here && git -C "$project" worktree add -q "$work/w$count" -b w 2>/dev/null; mv "$project/.git/worktrees"/* "$project/.git/worktrees/w" 2>/dev/null; echo "gitdir: $project/.git/worktrees/w" >"$work/w$count/.git"; git init -q "$project/sub" && touch "$project/sub/.git/mine.lock" "$project/.git/shallow.lock" && sleep 0.05
box "cd .git; for f in $locks; do mkdir -p \$(dirname \$f); touch \$f; done; touch ../sub/.git/index.lock; echo x >shallow.lock; echo x >../sub/.git/mine.lock; git config branch.a.description q"
is "locks that a box left are removed, in worktrees and repositories below, too" "" "$(there $locks ../sub/.git/index.lock)"
like "and said" "$(cat "$work/log")" "^sbx: locks of git's that the box left were removed: .*.git/index.lock"
is "the host's git works, with the box's configuration" "q" "$(git -C "$project" commit -q --allow-empty -m after 2>&1; git -C "$project" config branch.a.description)"
is "locks that stood before the run stay" "../sub/.git/mine.lock shallow.lock" "$(there ../sub/.git/mine.lock shallow.lock)"
work_here
cat >"$work/git" <<EOF
#!/bin/sh
touch "$project/.git/refs/heads/own.lock"; touch "$work/began"; sleep 2
EOF
chmod +x "$work/git"; rm -f "$work/began"
(cd "$project" && exec "$SBX" run -- sh -c 'touch b; sleep 0.8; touch .git/refs/heads/x.lock') >"$work/log" 2>&1 &
pid=$!
wait_for 30 test -e "$project/b"
(cd "$project" && exec "$work/git") &
wait $pid
like "while git runs on the host a lock is only reported" "$(cat "$work/log")" "locks of git's came during the run, and a git is running: .*own.lock"
is "and stays" "refs/heads/own.lock" "$(there refs/heads/own.lock)"
wait
printf '#!/bin/sh\ntouch "%s/other"; exec 2>&-; while [ ! -e "%s/done" ]; do sleep 0.1; done\n' "$work" "$work" >"$work/git"
for _ in 1 2 3; do # another git of this machine that takes long keeps it, too
	work_here && rm -f "$work/other" "$work/done"
	(cd "$project" && exec "$SBX" run -- sh -c 'touch .git/index.lock b; while [ ! -e on ]; do sleep 0.05; done') >"$work/log" 2>&1 &
	pid=$!
	wait_for 30 test -e "$project/b" && sleep 0.2
	"$work/git" &
	wait_for 30 test -e "$work/other" && touch "$project/on" && wait $pid
	there index.lock | grep -q . || break
	touch "$work/done" && wait
done
is "a git that began after a lock does not keep it" "" "$(there index.lock)"
like "of which it is said that it was removed" "$(cat "$work/log")" "^sbx: locks of git's that the box left were removed: .*.git/index.lock"
touch "$work/done"
wait
# A setuid program by the name of git that waits for a password is root's, as another user's git is.
if [ "$(id -u)" = 0 ] || ! [ -u "$(command -v su)" ]; then
	skip "a git of another user keeps no lock" "needs an ordinary user and a setuid su(1)"
else
	mkfifo "$work/password"
	for _ in 1 2 3; do
		work_here && ln -sf "$(command -v su)" "$work/git"
		"$work/git" <"$work/password" >"$work/out" 2>&1 &
		exec 9>"$work/password"
		wait_for 30 grep -q '^git$' /proc/$!/comm && sleep 0.1
		owner=$(stat -c %u /proc/$!)
		box 'touch .git/index.lock'
		exec 9>&- && wait $! 2>/dev/null
		there index.lock | grep -q . || break
	done
	is "the git is another user's" 0 "$owner"
	is "a git of another user keeps no lock" "" "$(there index.lock)"
fi
work_here && sleep 0.05
box "git tag 'v9;touch\${IFS}x'; git update-ref refs/heads/-f HEAD; git branch 'a&b/c'; git branch feature/ok-1.2_3; git tag 'v1+b@2'"
like "names of refs that a shell would run are reported" "$(cat "$work/log")" "characters of a shell: .*.git/refs/heads/-f, .git/refs/heads/a&b/c, .git/refs/tags/v9;touch"
is "plain ones are not" "" "$(grep 'ok-1\|v1+b' "$work/log")"
work_here
(cd "$project" && "$SBX" session create left >/dev/null && run_box -s left -- sh -c 'git branch fine; cd .git; touch index.lock refs/heads/x.lock' && "$SBX" session apply left) >"$work/log" 2>&1
is "apply withholds locks" "refs/heads/fine" "$(there index.lock refs/heads/x.lock refs/heads/fine)"
# --- what comes while a run goes on is not there for the host until its end, and the box keeps no hold of it
work_here && git init -q "$project/sub" && git -C "$project" config extensions.worktreeConfig true
rm -rf "$project"/.git/{hooks,info,objects/info} "$project"/sub/.git/{hooks,info}
(cd "$project" && timeout 60 "$SBX" run -- python3 -c 'import os, time
def ready(*names):
	end = time.time() + 30
	while time.time() < end and any(os.path.lexists(n) for n in names): time.sleep(0.02)
	return [n for n in names if os.path.lexists(n)]
def put(name, text="evil\n"):
	for base in range(1, name.count("/") + 1):
		try: os.mkdir("/".join(name.split("/")[:base])); time.sleep(0.15)
		except OSError: pass
	try: open(name, "w").write(text)
	except OSError: pass
time.sleep(0.3)
names = [d + n for d in (".git/", "sub/.git/") for n in ("hooks/pre-commit", "info/attributes", "info/grafts", "commondir", "objects/info/alternates", "sl/config")]
names += [".git/config.worktree", ".config/mise/config.toml"]
for n in names: put(n)
os.mkdir("trap"); put("trap/pre-push")
left = ready(*names)
os.rmdir("sub/.git/hooks"); os.symlink("../../trap", "sub/.git/hooks"); left += ready("sub/.git/hooks")
os.mkdir("held"); held = os.open("held", os.O_RDONLY); file = os.open("held/f", os.O_CREAT | os.O_RDWR); os.write(file, b"first\n"); os.mkdir("held/d")
os.link("held/f", "other"); os.rename("held", ".husky"); left += ready(".husky")
open("left", "w").write(" ".join(left) + "\n")
os.write(file, b"later\n"); open("other", "a").write("later\n")
time.sleep(0.2)
for act in (lambda: os.rename("d", "out", src_dir_fd=held), lambda: os.rename("f", "out2", src_dir_fd=held), lambda: os.mkdir("new", dir_fd=held)):
	try: act()
	except OSError: pass') >"$work/log" 2>&1
is "what comes in a long run is moved away while it goes on" "" "$(cat "$project/left" 2>&1)"
id=$("$SBX" quarantine list | sed -n "s|  .*$project/\.husky$||p" | tail -1)
is "and no descriptor or second name in the box reaches it" "d f first" "$(cd "$XDG_STATE_HOME/sbx/quarantine/$id/item" && ls | paste -sd' ') $(cat "$XDG_STATE_HOME/sbx/quarantine/$id/item/f")"

place project && box 'rm .git/index'
like "an index that a box removed is said" "$(cat "$work/log")" '^sbx: .git/index was removed: git takes each file as deleted, .*; for a new one: git reset$'

# What a box made it can remove and make anew; it is looked through against its configuration of the start.
work_here && printf 'target/\nbuild/\n' >"$project/.gitignore"
git init -q --bare "$work/dep.git" && git -C "$project" push -q "$work/dep.git" HEAD:main
got=
for i in 1 2 3 4 5 6 7 8 9 10; do
	got+=$(cd "$project" && run_box --read "$work/dep.git" --read "?$HOME/.gitconfig" -- sh -c "rm -rf target/tmp/repo build && git init -q target/tmp/repo && git -C target/tmp/repo commit -q --allow-empty -m x && git clone -q $work/dep.git build/_deps/x && echo .")
done 2>"$work/log"
is "repositories that a box made it makes anew, ten runs in a row" ..........," " "$got, $(cat "$work/log")"
is "and works in them" ".origin" "$(cd "$project" && run_box --read "$work/dep.git" --read "?$HOME/.gitconfig" -- sh -c 'cd build/_deps/x && git fetch -q && git checkout -q -b t && git commit -q --allow-empty -m y && git branch -q -u origin/main && echo .' 2>&1)$(git -C "$project/build/_deps/x" config branch.t.remote)"
git -C "$project/build/_deps/x" config core.pager mine && git -C "$project/build/_deps/x" config user.email me@example.org && sleep 0.1
box 'cd build/_deps/x; git config core.fsmonitor evil; git config alias.x "!evil"; git config user.email evil; git remote set-url origin https://example.org/evil; echo x >.git/hooks/pre-commit; git config branch.t2.description d'
stays "what the user set there since stays, and nothing that git would run comes" "mine me@example.org  d  $work/dep.git 0" "$(cd "$project/build/_deps/x" && echo "$(git config core.pager) $(git config user.email) $(git config core.fsmonitor) $(git config branch.t2.description) $(git config alias.x) $(git config remote.origin.url) $(ls .git/hooks | grep -vc sample)")"

# A repository of the user's is none that the run made: between two runs, and the eightieth of a workspace.
users() { git -C "$1" config core.sshCommand "ssh -i x" && git -C "$1" config user.email me@example.org && printf '#!/bin/sh\n' >"$1/.git/hooks/pre-commit" && chmod +x "$1/.git/hooks/pre-commit"; }
has() { echo "$(git -C "$1" config core.sshCommand) $(git -C "$1" config user.email) $(ls "$1/.git/hooks" | grep -v sample)"; }
work_here && box true
git init -q "$project/own" && echo a >"$project/own/f" && git -C "$project/own" add f && git -C "$project/own" commit -qm x && users "$project/own"
sleep 1 && touch "$project/own/f"
box 'git -C own status --short; : >own/f'
stays "one that the user made between two runs stays" "ssh -i x me@example.org pre-commit" "$(has "$project/own")"
stays "and nothing is said" "" "$(cat "$work/log")"
project=$(fresh project)
for i in $(seq 80); do git init -q "$project/r$i" && users "$project/r$i"; done
sleep 0.1
box 'for i in 1 80; do git -C r$i config branch.main.description x; git -C r$i config core.fsmonitor evil; echo evil >r$i/.git/hooks/post-merge; done'
stays "the eightieth of a workspace is as the first" "ssh -i x me@example.org pre-commit x  ssh -i x me@example.org pre-commit x " "$(for i in 1 80; do echo "$(has "$project/r$i") $(git -C "$project/r$i" config branch.main.description) $(git -C "$project/r$i" config core.fsmonitor)"; done | paste -sd' ')"
done_testing
