#!/bin/bash
# What is checked when a run ends.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state
mkdir -p "$HOME"
git config --global user.name tester && git config --global user.email tester@example.org

# A repository with tracked files in src/a, and old untracked directories.
place() {
	project=$(new_project)
	cd "$project" || exit 1
	mkdir -p src/a ignored/old/deep ignored/other/deep
	for ((i = 0; i < 400; i++)); do mkdir -p "ignored/many/$i/x"; done
	echo x >src/a/file
	echo ignored >.gitignore
	git add -A && git commit -qm first
	"$SBX" run true && "$SBX" run true # the first one makes the lists
}
# A repository whose settings run a program.
plant='plant() { mkdir -p "$1/.git/objects" "$1/.git/refs" && echo "ref: refs/heads/x" >"$1/.git/HEAD" && printf "[core]\n\tfsmonitor = /bin/false\n" >"$1/.git/config"; }'
lives() { # path: whether git would run its setting
	came || echo "no run, "
	git config -f "$1/.git/config" core.fsmonitor >/dev/null 2>&1 && echo yes || echo no
}
run() { run_box -- bash -c "$plant; $1" 2>"$work/said"; }

place
run 'plant src/a/new'
is "below a directory with tracked files: undone at once" no "$(lives src/a/new)"
run 'plant src/new/deep/er'
is "in a directory that is new: undone at once" no "$(lives src/new/deep/er)"
run 'plant ignored'
is "in a directory right below the top: undone at once" no "$(lives ignored)"
(cd ignored/old && run 'plant deep')
is "in the command's directory: undone at once" no "$(lives ignored/old/deep)"
run 'mkdir -p src/deep && plant src/deep/link && git -C src/deep/link config core.fsmonitor /bin/false && git update-index --add --cacheinfo 160000,"$(git rev-parse HEAD)",src/deep/link'
is "a submodule that the box put into the index: undone at once" no "$(lives src/deep/link)"
git update-index --force-remove src/deep/link

place
run 'plant ignored/other/deep; mkdir ignored/old/app; echo x >ignored/old/app/.envrc; echo x >src/.envrc'
is "in an old directory that git's index does not have: undone as well" no "$(lives ignored/other/deep)"
like "a name of the table is told below the top" "$(cat "$work/said")" "will run it: src/.envrc, ignored/old/app/.envrc$"
eval "$plant" && plant ignored/other/deep && sleep 0.05
"$SBX" run --check all -- true 2>/dev/null
is "and what lay there before a run is not that run's" yes "$(lives ignored/other/deep)"
"$SBX" run --check all -- bash -c "$plant; plant ignored/old/deep" 2>/dev/null
is "--check all" no "$(lives ignored/old/deep)"
printf '[files]\ncheck = all\n' >.sbx.ini
run 'plant ignored/old/deep'
is "check = all, in the project's own file" no "$(lives ignored/old/deep)"
rm .sbx.ini

place
mkdir -p src/b && echo y >src/b/y && git add src/b && "$SBX" run true && sleep 0.1
run 'git update-index --force-remove src/a/file; plant src/a/new; cp .git/index i; python3 -c "open(\".git/index\", \"r+b\").write(open(\"i\", \"rb\").read())"'
is "an index that a box writes in place hides nothing" no "$(lives src/a/new)"
run 'echo junk >.git/index; plant src/b/new'
is "nor one that is none" no "$(lives src/b/new)"
rm .git/index && git reset -q # the index is in quarantine, and git refuses the one in its place
git init -q vendor/lib && mkdir vendor/other && git init -q src/a/mine && sleep 0.1
run 'echo "echo evil" >vendor/lib/.git/hooks/post-commit; echo x >vendor/x; echo x >top; echo evil >src/a/mine/.git/hooks/post-commit'
stays "a repository that the user made since the last check: hooks are taken from it" "" "$(ls {vendor/lib,src/a/mine}/.git/hooks/post-commit 2>/dev/null)"
run 'echo "echo evil" >vendor/lib/.git/hooks/post-commit'
stays "and it is read-only in the next run" "" "$(ls vendor/lib/.git/hooks/post-commit 2>/dev/null)"

place
run 'plant ignored/old/deep'
run 'mv ignored/old src/moved'
is "what was made before and is moved to a tracked place: undone at once" no "$(lives src/moved/deep)"
run 'plant ignored/other/deep'
run 'mv ignored/other src/a/moved'
is "or right below a directory with tracked files" no "$(lives src/a/moved/deep)"
mkdir -p ignored/third/deep src/a/there/deep && "$SBX" run --check all true
run 'plant ignored/third/deep'
run 'rm -rf src/a/there && mv ignored/third src/a/there'
is "or in the place of another one" no "$(lives src/a/there/deep)"

place
(cd ignored/old && run 'plant .')
is "the command's directory, where nothing else changed" no "$(lives ignored/old)"
place
(cd ignored/old && run 'plant deep')
is "and below it" no "$(lives ignored/old/deep)"
place
echo x >ignored/other/file
run 'git add -f ignored/other/file; plant ignored/other/deep'
is "the index of the end counts" no "$(lives ignored/other/deep)"
place
run 'git rm -q --cached -r src/a; plant src/a/new'
is "and that of the start" no "$(lives src/a/new)"
for move in 'mv ignored/old src/a/m:src/a/m/deep' 'mv ignored/old top:top/deep' 'mv src src2; mv ignored src:src/old/deep' \
	'rm -rf src/a/new; mkdir src/a/new; mv ignored/old/deep src/a/new/deep:src/a/new/deep'; do
	place
	run 'plant ignored/old/deep'
	run "${move%:*}"
	is "an older one comes along with: ${move%:*}" no "$(lives "${move##*:}")"
done
place
git update-index --split-index && git -c core.sharedIndexExpire=never update-index --refresh >/dev/null && "$SBX" run true
run 'echo x >src/a/more; git add src/a/more; plant src/a/x'
is "an index in two files: all is checked" no "$(lives src/a/x)"
# What the caller's shell would run of the project: each entry of PATH.
saved=$PATH
place
on_path() { # name, PATH, wanted, what the box does
	PATH=$2 run "$4"
	stays "$1" "$3" "$(sed -n 's/^sbx: changed, and your own programs will run it: //p' "$work/said")"
}
make='make() { mkdir -p "${1%/*}"; printf "#!/bin/sh\n" >"$1"; chmod +x "$1"; }'
on_path "PATH: a directory of the project" "$project/tools/bin:$saved" tools/bin "$make; make tools/bin/git"
on_path "PATH: nothing was changed" "$project/tools/bin:$saved" "" 'echo x >data'
on_path "PATH: the top itself" "$project:$saved" "$project" "$make; make ./git"
rm git
mkdir -p .venv/bin && touch .venv/bin/p{1..200} && chmod +x .venv/bin/* && sleep 0.05
on_path "PATH: an activated .venv outside of the home: one of many programs is changed" "$project/.venv/bin:$saved" .venv/bin 'echo x >>.venv/bin/p117'
on_path "PATH: and one is gone" "$project/.venv/bin:$saved" .venv/bin 'rm .venv/bin/p1'
ln -s "$project/tools" "$work/link" && ln -s tools here && mkdir -p lib && echo x >lib/t && chmod +x lib/t && ln -s ../../lib/t tools/bin/t && sleep 0.05
on_path "PATH: a link that leads into the project" "$work/link/bin:$saved" tools/bin "$make; make tools/bin/x"
on_path "PATH: a link in the project that a box moves" "$project/here/bin:$saved" "here" 'mkdir -p other/bin; ln -sfn other here'
on_path "PATH: what a link in it leads to" "$project/tools/bin:$saved" tools/bin 'echo y >>lib/t'
cd "$(new_project)" || exit 1
PATH=.:$saved run true
like "PATH: a relative entry is reported" "$(cat "$work/said")" "^sbx: your PATH has '\.', so your shell runs programs of any directory that you are in"
PATH=.:$saved run true
stays "PATH: once" "" "$(cat "$work/said")"

project=$(fresh plain)
cd "$project" || exit 1
mkdir -p a/b && "$SBX" run true && "$SBX" run true
run 'plant a; plant new/b; sleep 0.1' # what changed less than a tick before the check is read by the next, too
is "where nothing is tracked: right below the top, and in what is new" "no no" "$(lives a) $(lives new/b)"
run 'plant a/b'
is "and in an old directory below" no "$(lives a/b)"
run 'mkdir -p a/b/c; echo x >a/b/c/.envrc; mkdir -p a/b/.hg; echo x >a/b/.hg/hgrc'
like "names of the table there are told" "$(cat "$work/said")" "will run it: a/b/.hg/hgrc, a/b/c/.envrc$"
# What there is no time for is said in each run. What stood before the run comes first.
(mkdir late && cd late && seq -f 'd%g/x' 3000 | xargs mkdir -p) && "$SBX" run true 2>/dev/null
no_time() { (SBX_TEST_LOOK=1 && export SBX_TEST_LOOK && SBX=$SBX_TESTING run "$1"); }
for i in 1 2; do
	no_time 'true'
	like "what stayed unseen is said ($i)" "$(cat "$work/said")" "^sbx: new repositories were searched for in a part of the project: the time for it ended; to search all: sbx run --check all true [(]in your home: sbx run --check all --project-dir ~ true[)]$"
done

# Of installed packages a project has more than there is time for: they are searched last, and no run speaks of them.
project=$(fresh packages)
cd "$project" || exit 1
(mkdir node_modules && cd node_modules && seq -f 'p%g/x' 3000 | xargs mkdir -p) && "$SBX" run true 2>/dev/null
no_time true
stays "packages that were not searched have no line" "" "$(cat "$work/said")"
run 'sleep 1; mkdir node_modules/p9/x/late; plant node_modules/p9/x/late'
is "in a run of a second they are searched to the end" no "$(lives node_modules/p9/x/late)"

# However much is new, all of it is searched, without a list and in memory that does not grow with it.
project=$(fresh flood)
cd "$project" || exit 1
git init -q . && mkdir src && echo x >src/file && git add src && git commit -qm first && "$SBX" run true
run 'mkdir -p src/new && cd src/new && seq 100000 | xargs touch && seq -f d%g 3000 | xargs mkdir && cd ../.. && plant src/new/d2999'
is "a directory of 100,000 new files and 3,000 directories is searched" no "$(lives src/new/d2999)"

# The box's copy of git's configuration, where nothing else was changed and where a directory was.
project=$(new_project)
cd "$project" || exit 1
"$SBX" run true
settings() { # what the box does: a setting that is taken, and the names of those that are reported
	git config -f .git/config --remove-section branch.a 2>/dev/null
	run "$1"
	echo "$(git config -f .git/config branch.a.description) $(git config -f .git/config core.fsmonitor) $(sed -n 's/^sbx: \.git\/config: \([^:]*\): .*/\1/p' "$work/said" | paste -sd' ')"
}
change='git config branch.a.description mine; git config core.fsmonitor ./x'
is "a changed configuration is taken and reported" "mine  core.fsmonitor" "$(settings "$change")"
is "and where a directory was changed, too" "mine  core.fsmonitor" "$(settings "$change; mkdir made; touch made/file")"
replace='copy=$(readlink .git/config); rm "$copy"; mkdir "$copy"'
is "what cannot be read is reported" "  none of the box's changes were applied" "$(settings "$replace")"
is "by the locked process, too" "  none of the box's changes were applied" "$(settings "$replace; mkdir again; touch again/file")"
stays "a copy that is gone is no change" "  " "$(settings 'rm "$(readlink .git/config)"; mkdir more')"

# The lock of who reads what a box wrote, in a real run; what it stops is in tests/unit/net.c.
cd "$(new_project)" || exit 1
domains() { # words: how many Landlock domains a run takes on
	strace -f -qq -o "$work/calls" -e trace=landlock_restrict_self "$SBX" run "$@" >"$work/said" 2>&1
	grep -c '= 0$' "$work/calls"
}
if strace -f -qq -o /dev/null true 2>/dev/null; then
	sleep 0.1 # what changed less than a tick before the last check is read again
	"$SBX" run true
	before=$(domains true)
	is "who reads what a box wrote has a domain more" "$((before + 1))" "$(domains touch new)"
else
	skip "who reads what a box wrote has a domain more" "strace is not installed"
fi
# It never answers: the run ends, says so, and the check is due until one has finished, however often it is cut.
unfinished='changes that an earlier run left in this project are not checked; run no git in it before they are: sbx run --check all true'
cut() { SBX_TEST_SKIP=check-answer timeout 60 "$SBX_TESTING" run -- "$@" 2>"$work/said"; }
cd "$(new_project)" || exit 1
cut bash -c "$plant; plant new; exit 7"
ended "a check that never answers is cut" 7 "the check of the command's changes did not finish; run no git in this project before it has: sbx run --check all true" "$work/said"
for i in 1 2 3 4; do
	cut true
	like "and run $i after it says so" "$(cat "$work/said")" "$unfinished"
done
run true
is "the first check that finishes undoes it" "no, none is due" "$(lives new), $(find "$XDG_STATE_HOME/sbx/trees" -path "*$(basename "$PWD")*" -name '*.0*' | grep -q . && echo one || echo none) is due"
like "and says so" "$(cat "$work/said")" 'new/.git/config: core.fsmonitor: removed'
# A run whose own check finishes meanwhile takes nothing as the user's: here a directory from before, which was moved.
mkdir -p old g/objects g/refs && echo ref: refs/heads/x >g/head && : >g/config
sleep 0.1
cut sh -c 'mv g/head g/HEAD; mv g old/.git; git config -f old/.git/config core.fsmonitor /bin/false'
SBX_TEST_SKIP=due-answer timeout 60 "$SBX_TESTING" run -- sh -c 'mkdir more' 2>"$work/said"
is "while it is due another check finishes" "$unfinished" "$(sed -n 's/^sbx: \(changes .*\)/\1/p' "$work/said")"
run true
is "and what was moved there is undone, too" no "$(lives old)"
# Who checks keeps no lock of the run, and dies with it. It has as long as the run took.
SBX_TEST_SKIP=check-answer "$SBX_TESTING" run -- sh -c 'sleep 3; : >ready' >/dev/null 2>&1 &
box=$!
wait_for 60 test -e ready
sleep 0.5
checks=$(pgrep -P $box)
is "who checks has no lock of the run" "some 0" "${checks:+some} $(find $(printf '/proc/%s/fd ' $checks) -lname '*/entry' 2>/dev/null | wc -l)"
kill -9 $box
wait $box 2>/dev/null
is "and dies with it" "" "$(sleep 0.2; ps -o stat=,args= -p "${checks//$'\n'/,}" | grep -v ^Z)"
# What costs much to read, and git does not write: a long configuration of a new repository, an index with a hole.
run 'plant long && seq -f a%g 1200 >>long/.git/config'
like "a new repository's configuration of many keys goes to quarantine" "$([ -e long/.git/config ] || cat "$work/said")" 'long/.git/config.* was moved to quarantine'
run 'git update-index --refresh; truncate -s 300M .git/index'
like "so does an index with a hole" "$(cat "$work/said")" '\.git/index is not an index that git wrote.* was moved to quarantine'
git reset -q
# Directories that are too deep are named.
deep=$(printf 'd/%.0s' {1..245})
run "mkdir -p other/$deep one/two/$deep && rm -r other"
like "what is too deep is named" "$(cat "$work/said")" 'one/two/d.* has directories that are too deep'
# A run that made a repository writes the project's list: only the first of all waits for the disk.
if strace -f -qq -o /dev/null true 2>/dev/null; then
	syncs() { strace -f -qq -e trace=fsync -o "$work/syncs" "$SBX" run -- git -c core.fsync=none init -q "$1" 2>/dev/null && ls -d "$1" && grep -c 'fsync(' "$work/syncs"; }
	project=$(new_project) && cd "$project" || exit 1
	like "the first list of a project waits for the disk" "$(syncs one | xargs)" '^one [1-9]'
	is "a later one does not" "two 0" "$(syncs two | xargs)"
else
	skip "the first list of a project waits for the disk" "strace cannot trace here"
	skip "a later one does not" "strace cannot trace here"
fi
# Two runs end at once: the one that writes the project's list last has the rows of both.
cd "$(new_project)" || exit 1
run true
SBX_TEST_SKIP=list-haste "$SBX_TESTING" run -- git init -q first 2>/dev/null &
wait_for 60 test -s first/.git/HEAD
sleep 0.5
run 'git init -q second'
wait
is "two runs that end at once: the list has the new repositories of both" "first/.git second/.git" "$(sed -n 's/^m .* //p' "$XDG_STATE_HOME"/sbx/known/*"$(basename "$PWD")" | xargs)"
# An apply waits for the check of what a killed run left.
cd "$(new_project)" || exit 1
if "$SBX" session create held >/dev/null 2>&1; then
	"$SBX" run -s held -- sh -c 'echo new >file' 2>/dev/null
	cut touch more
	SBX_TEST_SKIP=due-answer timeout 60 "$SBX_TESTING" session apply held >"$work/said" 2>&1
	ended "an apply before which the check of a killed run is cut changes nothing" 125 "could not check what a killed run left in $PWD" "$work/said"
	is "so the file is as it was" hello "$(cat file)"
	"$SBX" run --check all true 2>/dev/null
	is "the fix that it names lets it go on" "0 new" "$("$SBX" session apply held >/dev/null 2>&1; echo $?) $(cat file)"
else
	skip "an apply before which the check of a killed run is cut changes nothing" "sessions need a file system that this machine has not"
	skip "so the file is as it was" "sessions need a file system that this machine has not"
	skip "the fix that it names lets it go on" "sessions need a file system that this machine has not"
fi
done_testing
