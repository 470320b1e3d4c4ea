#!/bin/bash
# What is checked when a run ends, what stays owed, and who pays for it.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state
mkdir -p "$HOME"
git config --global user.name tester && git config --global user.email tester@example.org

# A repository with tracked files in src/a, and old untracked directories.
place() {
	project=$(new_project)
	cd "$project" || exit 1
	mkdir -p src/a node_modules/old/deep node_modules/other/deep
	for ((i = 0; i < 400; i++)); do mkdir -p "node_modules/many/$i/x"; done
	echo x >src/a/file
	echo node_modules >.gitignore
	git add -A && git commit -qm first
	"$SBX" run true && "$SBX" run true # the first one makes the lists
}
# A repository whose settings run a program.
plant='plant() { mkdir -p "$1/.git/objects" "$1/.git/refs" && echo "ref: refs/heads/x" >"$1/.git/HEAD" && printf "[core]\n\tfsmonitor = /bin/false\n" >"$1/.git/config"; }'
lives() { # path: whether git would run its setting
	git config -f "$1/.git/config" core.fsmonitor >/dev/null 2>&1 && echo yes || echo no
}
run() { "$SBX" run -- bash -c "$plant; $1" 2>"$work/said"; }
# No run is long enough to pay: the last check of the whole tree seems to have taken days.
owe() { sed -i -E 's/^(T [0-9]{20} [0-9]{20}) [0-9]{20}/\1 00000099999999999999/' "$XDG_STATE_HOME/sbx/journal/"*; }
debts() {
	place
	owe && "$SBX" run true && owe
	sleep 0.1
}

place
run 'plant src/a/new'
is "below a directory with tracked files: undone at once" no "$(lives src/a/new)"
run 'plant src/new/deep/er'
is "in a directory that is new: undone at once" no "$(lives src/new/deep/er)"
run 'plant node_modules'
is "in a directory right below the top: undone at once" no "$(lives node_modules)"
(cd node_modules/old && run 'plant deep')
is "in the command's directory: undone at once" no "$(lives node_modules/old/deep)"
run 'mkdir -p src/deep && plant src/deep/link && git -C src/deep/link config core.fsmonitor /bin/false && git update-index --add --cacheinfo 160000,"$(git rev-parse HEAD)",src/deep/link'
is "a submodule that the box put into the index: undone at once" no "$(lives src/deep/link)"
git update-index --force-remove src/deep/link

debts
run 'plant node_modules/other/deep'
is "in an old directory without tracked files: not yet" yes "$(lives node_modules/other/deep)"
like "sbx plan says that a check is owed" "$("$SBX" plan -- true 2>&1)" 'not checked after earlier runs'
"$SBX" run true 2>/dev/null
is "a short run later: not yet" yes "$(lives node_modules/other/deep)"
"$SBX" doctor >/dev/null 2>&1
is "sbx doctor checks it" no "$(lives node_modules/other/deep)"
is "and nothing is owed" 0 "$("$SBX" plan -- true 2>&1 | grep -c 'not checked after')"

place
run 'plant node_modules/other/deep; sleep 1'
is "a run that is long pays for all" no "$(lives node_modules/other/deep)"
"$SBX" run --check all -- bash -c "$plant; plant node_modules/old/deep" 2>/dev/null
is "--check all" no "$(lives node_modules/old/deep)"
printf '[files]\ncheck = all\n' >.sbx.ini
run 'plant node_modules/old/deep'
is "check = all, in the project's own file" no "$(lives node_modules/old/deep)"
rm .sbx.ini

place
run 'plant node_modules/old/deep'
run 'mv node_modules/old src/moved'
is "what was made before and is moved to a tracked place: undone at once" no "$(lives src/moved/deep)"
run 'plant node_modules/other/deep'
run 'mv node_modules/other src/a/moved'
is "or right below a directory with tracked files" no "$(lives src/a/moved/deep)"
mkdir -p node_modules/third/deep src/a/there/deep && "$SBX" run --check all true
run 'plant node_modules/third/deep'
run 'rm -rf src/a/there && mv node_modules/third src/a/there'
is "or in the place of another one" no "$(lives src/a/there/deep)"

place
run 'plant node_modules/other/deep'
"$SBX" session create check && "$SBX" run -s check -- true && "$SBX" session apply check 2>/dev/null
is "session apply checks it first" no "$(lives node_modules/other/deep)"
"$SBX" session rm check

place
run 'touch node_modules/other/deep/x'
bash -c "$plant; plant node_modules/old/deep"
"$SBX" doctor >/dev/null 2>&1
is "what the user made after a run stays the user's" yes "$(lives node_modules/old/deep)"
git add -f node_modules/other && run 'plant node_modules/other/deep'
is "an index that the user changed: all is checked" no "$(lives node_modules/other/deep)"

place
run 'plant node_modules/other/deep'
sleep 10.5
"$SBX" run true 2>"$work/said"
is "a run after ten seconds pays before it begins" no "$(lives node_modules/other/deep)"

debts
(cd node_modules/old && run 'plant .')
is "the command's directory, where nothing else changed" no "$(lives node_modules/old)"
debts
(cd node_modules/old && run 'plant deep')
is "and below it" no "$(lives node_modules/old/deep)"
debts
echo x >node_modules/other/file
run 'git add -f node_modules/other/file; plant node_modules/other/deep'
is "the index of the end counts" no "$(lives node_modules/other/deep)"
debts
run 'git rm -q --cached -r src/a; plant src/a/new'
is "and that of the start" no "$(lives src/a/new)"
for move in 'mv node_modules/old src/a/m:src/a/m/deep' 'mv node_modules/old top:top/deep' 'mv src src2; mv node_modules src:src/old/deep' \
	'rm -rf src/a/new; mkdir src/a/new; mv node_modules/old/deep src/a/new/deep:src/a/new/deep'; do
	debts
	run 'plant node_modules/old/deep' && owe
	run "${move%:*}"
	is "an owed one comes along with: ${move%:*}" no "$(lives "${move##*:}")"
done
debts
git update-index --split-index && git -c core.sharedIndexExpire=never update-index --refresh >/dev/null && "$SBX" run true && owe
run 'echo x >src/a/more; git add src/a/more; plant src/a/x'
is "an index in two files: all is checked" no "$(lives src/a/x)"
place
for ((i = 0; i < 300; i++)); do mkdir -p "many/$i" && echo "$i" >"many/$i/f"; done
git add -A && git commit -qm many && rm -rf node_modules && "$SBX" run true && owe && "$SBX" run true && owe && sleep 0.1
run 'mkdir -p src/new/deep/er; sleep 0.2'
owe && sleep 0.1
run 'plant src/new/deep/er'
owe
"$SBX" doctor >/dev/null 2>&1
is "what one run made and the next one used is owed, where the share was all" no "$(lives src/new/deep/er)"
debts
git init -q node_modules/old/deep && sleep 0.1 && "$SBX" run true && owe && sleep 0.1
git -C node_modules/old/deep config core.fsmonitor /bin/false
"$SBX" doctor >/dev/null 2>&1
is "a repository that the user made and changed around a run stays the user's" yes "$(lives node_modules/old/deep)"

# A link in the share leads to an old directory outside of it: who follows the link works there. So many directories that
# no run is long enough to pay for all of them.
project=$(new_project)
cd "$project" || exit 1
mkdir -p src/a node_modules/{1..5}/deep node_modules/many/{1..3000}/x
echo x >src/a/file && echo node_modules >.gitignore && git add -A && git commit -qm first
"$SBX" run true && "$SBX" run true
linked() { # name, where the trap is, what the box does
	run "$3"
	is "$1" no "$(lives "$2")"
}
run 'plant node_modules/1/deep'
linked "a tracked directory that a box replaced by a link to what is owed" node_modules/1/deep 'rm -r src/a; ln -s ../node_modules/1/deep src/a'
linked "and what is made there in a later run" node_modules/1/deep 'plant node_modules/1/deep'
"$SBX" doctor >/dev/null 2>&1
linked "also after a check of all" node_modules/1/deep 'plant node_modules/1/deep'
linked "a trap above the place that a new link leads to" node_modules/2 'plant node_modules/2; ln -s node_modules/2/deep here'
linked "a link with its whole path, over another one" node_modules/3/deep "plant node_modules/3/deep; ln -s $project/node_modules/3 node_modules/4/deep/way; ln -s ../node_modules/4/deep/way/deep src/link"
linked "a link that goes out of the project and back" node_modules/5/deep "plant node_modules/5/deep; ln -s ../${project##*/}/node_modules/5/deep link"
# What the caller's shell would run of the project: each entry of PATH.
saved=$PATH
place
on_path() { # name, PATH, wanted, what the box does
	PATH=$2 run "$4"
	is "$1" "$3" "$(sed -n 's/^sbx: changed, and your own programs will run it: //p' "$work/said")"
}
make='make() { mkdir -p "${1%/*}"; printf "#!/bin/sh\n" >"$1"; chmod +x "$1"; }'
on_path "PATH: a relative entry" "./tools/bin:$saved" tools/bin "$make; make tools/bin/git"
on_path "PATH: nothing was changed" "./tools/bin:$saved" "" 'echo x >data'
on_path "PATH: '.', a new program" ".:$saved" git "$make; make ./git; echo x >data"
on_path "PATH: '.', one is gone" ".:$saved" git 'rm git'
on_path "PATH: an empty entry at the end" "$saved:" git "$make; make ./git"
on_path "PATH: the top itself" "$project:$saved" git 'echo x >>git'
(cd src/a && on_path "PATH: '.' below the top" ".:$saved" src/a/git "$make; make ./git")
on_path "PATH: '.', programs of the host's in directories that nobody is in" ".:$saved" lib/new/ls "$make; make src/lib/new/cargo-none; make lib/new/ls"
on_path "PATH: a relative entry, from any directory" "./own/bin:../x/bin/:$saved" "lib/own/bin/git, lib/x/bin/ls" "$make; make lib/own/bin/git; make lib/x/bin/ls; make lib/bin/ls; make lib/own/bin/ours"
on_path "PATH: no relative entry" "$saved" "" "$make; make new/ls; make new/own/bin/git"
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
is "PATH: once" "" "$(cat "$work/said")"

project=$(fresh plain)
cd "$project" || exit 1
mkdir -p a/b && "$SBX" run true && "$SBX" run true
run 'plant a/b'
is "where nothing is tracked all is checked" no "$(lives a/b)"
done_testing
