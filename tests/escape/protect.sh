#!/bin/bash
# What the host trusts, in every state x every way to tamper: afterwards it is on the host as it
# was before, or not there at all. The twin runs the same with --no-protect. Rules 2-5.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
canary=$work/canary
export HOME=$work/home
mkdir -p "$HOME"
export XDG_STATE_HOME=$work/state

snapshot() { # path: everything about it, or "absent"; of git's configuration what is not harmless
	if [ "${1##*/}" = config ] && { [ ! -e "$1" ] || { [ -f "$1" ] && [ ! -L "$1" ]; }; }; then
		grep -vE '^\[|bare|^$' "$1" 2>/dev/null
	elif [ "${1##*/}" = hooks ] && [ -d "$1" ] && [ -z "$(ls -A "$1")" ]; then
		echo absent # an empty directory runs nothing
	elif [ "${1##*/}" = .git ] && [ -d "$1" ] && [ ! -L "$1" ]; then
		[ -e "$1/HEAD" ] || [ -e "$1/config" ] || [ -e "$1/hooks" ] && echo a repository || echo absent
	elif [ -e "$1" ] || [ -L "$1" ]; then
		find "$1" -printf '%P %y %m %s %l\n' | sort
		find "$1" -type f -exec sha256sum {} + 2>/dev/null | sort
	else
		echo absent
	fi
}

prepare() { # project, name, state
	local place=$1/$2
	mkdir -p "$(dirname "$place")"
	rm -rf "$place"
	case $3 in
	file) printf '[core]\n\tbare = false\n' >"$place" ;;
	dir) mkdir "$place" && echo good >"$place/good" ;;
	symlink) mkdir -p "$1/elsewhere" && echo good >"$1/elsewhere/good" && ln -s "$1/elsewhere" "$place" ;;
	dangling) ln -s "$1/nowhere" "$place" ;;
	esac
}

# name, state, options...: what the host has at the name must not change
tamper() {
	local name=$1 state=$2 project before after got
	shift 2
	project=$(new_project)
	prepare "$project" "$name" "$state"
	before=$(snapshot "$project/$name")
	ways=$(cd "$project" && run_box --read "$here" "$@" -- python3 "$here/tamper.py" "$project/$name" 2>"$work/log")
	got=$?
	after=$(snapshot "$project/$name")
	if [ $got = 125 ] && grep -q 'unprotected' "$work/log" && [ "$before" = "$after" ]; then
		pass "$name as $state: refused before it ran"
	elif [ "$before" = "$after" ] && came; then
		pass "$name as $state: as before ($(printf '%s\n' "$ways" | grep -c .) ways got on)"
	else
		fail "$name as $state" "ways: $ways
before: $before
after: $after
$(cat "$work/log")"
	fi
	twin_changed=no
	project=$(new_project)
	prepare "$project" "$name" "$state"
	before=$(snapshot "$project/$name")
	(cd "$project" && run_box --read "$here" --no-protect -- python3 "$here/tamper.py" "$project/$name" >/dev/null 2>&1)
	[ "$before" = "$(snapshot "$project/$name")" ] || twin_changed=yes
	is "$name as $state: its twin without protection is changed" yes $twin_changed
}

for name in .vscode .envrc .git/hooks .git/config .git/info/attributes .git/commondir; do
	for state in absent file dir symlink dangling; do
		case $name.$state in
		# git cannot live with that
		.git/config.dir) continue ;;
		esac
		tamper $name $state
	done
done

# .git itself, in a directory that is no repository, and as the file of a worktree or submodule.
for way in append create symlink link tmpfile "rename file over"; do
	project=$(fresh plain)
	(cd "$project" && run_box --read "$here" -- python3 "$here/tamper.py" "$project/.git" "$way" >"$work/ways" 2>"$work/log")
	is ".git absent, then $way: moved away" "absent $way" "$(snapshot "$project/.git") $(cat "$work/ways")"
done
project=$(fresh plain)
mkdir -p "$project/x" && echo "gitdir: ./x" >"$project/.git"
hash=$(sha256sum <"$project/.git")
(cd "$project" && run_box --read "$here" -- bash -c "git init -q --bare x; git -C x config core.fsmonitor ./evil; git -C x config core.worktree ..; python3 $here/tamper.py $project/.git") >/dev/null 2>"$work/log"
stays ".git as a file stays" "$hash" "$(sha256sum <"$project/.git")"
stays "what a .git file leads to is looked through" "" "$(git config -f "$project/x/config" core.fsmonitor)"
for text in "gitdir: /" "gitdir: ." "gitdir: ../.." "gitdir: $HOME" "nonsense" "" "gitdir: .git"; do
	project=$(fresh plain)
	printf '%s\n' "$text" >"$project/.git"
	is "a .git file that says '${text//$work/}' gives nothing" "  write      $project" "$(cd "$project" && "$SBX" plan -- true 2>&1 | grep '^  write')"
done

# Tampering one way at a time, where the run of all would hide one behind another.
for way in append create mkdir "rename file over" "rename dir over" symlink link tmpfile; do
	project=$(new_project)
	(cd "$project" && run_box --read "$here" -- python3 "$here/tamper.py" "$project/.mcp.json" "$way" >"$work/ways" 2>"$work/log")
	is "absent, then $way: moved away" "absent $way" "$(snapshot "$project/.mcp.json") $(cat "$work/ways")"
done
like "what was moved away is told" "$(cat "$work/log")" 'appeared, and your own programs would run or trust it \(to let a command make it: --write PATH\); it was moved to quarantine'
id=$("$SBX" quarantine list | grep '/.mcp.json$' | tail -1 | cut -d' ' -f1)
like "quarantine show" "$("$SBX" quarantine show "$id")" '^was  .*/.mcp.json'
"$SBX" quarantine restore "$id" >/dev/null
like "quarantine restore" "$(find "$work" -name .mcp.json -not -path '*/quarantine/*')" 'mcp.json'
id=$("$SBX" quarantine list | grep '/.mcp.json$' | tail -1 | cut -d' ' -f1)
"$SBX" quarantine rm "$id"
is "quarantine rm" "0 ${#id}" "$("$SBX" quarantine list | grep -c "^$id ") $((${#id} ? ${#id} : 1))"

# Writable by another key than project: protected all the same.
for words in "--project read --write ." "--project none --write ." "--project read --write ./.git"; do
	project=$(new_project)
	got=$(cd "$project" && run_box $words -- bash -c 'echo x >.git/hooks/pre-push; echo x >.mcp.json; git config core.fsmonitor x; echo ran' 2>"$work/log")
	is "$words: hooks, configuration and names are protected" "ran" \
		"$got$(ls "$project/.git/hooks/pre-push" "$project/.mcp.json" 2>/dev/null; git -C "$project" config core.fsmonitor)"
done
# Whatever is the project and whatever is writable beside it, a run begins or says why not.
project=$(new_project)
mkdir "$project/sub" && git -C "$project" commit -q --allow-empty -m x && git -C "$project" worktree add -q "$project/tree"
for mode in none read write scratch; do
	for words in "" "--write ." "--read ." "--write ./.git" "--write ./sub" "--write ./tree" "--overlay ." "--tmpfs ." "--hide ./.git" "--no-protect --write ."; do
		for at in . sub tree .git; do
			got=$(cd "$project/$at" && run_box --project $mode $words -- true 2>&1; echo $?)
			came && began=1
			case ${got##*$'\n'} in
			0) ;;
			125) [[ $got == *$'\n'* ]] || echo "$mode $words $at: not a word" ;;
			*) echo "$mode $words $at: $got" ;;
			esac
		done
	done
done >"$work/odd"
is "no project and no way to write makes it fall over" "1 " "${began:-} $(cat "$work/odd")"
# Repositories below the project and below what is writable beside it: from the first run on, and a short one.
project=$(new_project) beside=$(fresh beside)
git init -q "$project/sub" && git init -q "$beside/one" && git init -q "$beside/two/deep"
plant="for place in sub $beside/one $beside/two/deep; do echo x >\$place/.git/hooks/pre-push; git -C \$place config core.fsmonitor x; done"
planted() { find "$project/sub" "$beside" -name pre-push | wc -l; }
(cd "$project" && run_box --write "$beside" -- bash -c "$plant") 2>"$work/log"
stays "hooks of repositories that are writable beside the project: taken away by the first run" 0 "$(planted)"
like "and what git would run of their configuration is told" "$(cat "$work/log")" 'core.fsmonitor'
(cd "$project" && run_box --write "$beside" -- bash -c "$plant") 2>"$work/log"
stays "and never there in the next" "0 0" "$(grep -c 'was moved to quarantine' "$work/log") $(planted)"
many=()
for i in 1 2 3 4 5 6; do mkdir "$beside/w$i" && many+=(--write "$beside/w$i"); done
(cd "$project" && run_box "${many[@]}" -- bash -c "git init -q m; rm m/.git/hooks/*; for to in $beside/w*; do for i in \$(seq 70); do cp -r m \$to/m\$i; done; done; sleep 0.5") 2>/dev/null
stays "many repositories keep no later run from beginning" "0 0" "$(cd "$project" && for i in 1 2; do run_box "${many[@]}" -- sleep 0.2 2>"$work/log"; echo $?; done | xargs)"
project=$(new_project)
(cd "$project" && run_box -- bash -c 'git init -q --bare m; mkdir .git/modules; rm m/hooks/*; mkdir m/worktrees; for k in $(seq 40); do mkdir m/worktrees/w$k; echo ../.. >m/worktrees/w$k/commondir; echo x >m/worktrees/w$k/gitdir; done
	for i in $(seq 25); do cp -r m .git/modules/m$i; done') 2>/dev/null
stays "nor do many worktrees of many submodules" 0 "$(cd "$project" && run_box -- true 2>/dev/null; echo $?)"
is "whose hooks are protected all the same" "begun ended" "$(cd "$project" && attempt run -- 'for m in .git/modules/*; do echo x >$m/hooks/pre-push; done'; ls "$project"/.git/modules/*/hooks/pre-push 2>/dev/null)"
project=$(new_project) && mkdir -p "$project/d/e"
is "what is protected holds for what is named in it" 1 "$(cd "$project" && run_box --protect ./d --write ./d/e -- touch d/e/f 2>/dev/null; echo $?)"

# A profile that lies in the project: no command makes it say more, in its own run or a later one.
project=$(new_project)
mkdir -p "$HOME/private" "$project/conf" && echo key >"$HOME/private/key"
printf '[profile]\nextends = ./conf/more.ini\n' >"$project/mine.ini"
printf '[profile]\nextends = default\n' | tee "$project/conf/more.ini" >"$project/conf/third.ini"
ln -s conf/third.ini "$project/link.ini" && ln -s conf "$project/way" && mkdir "$project/other" && printf '[files]\nread = ~/private\n' >"$project/other/third.ini"
loosen='for file in mine.ini conf/more.ini conf/third.ini link.ini; do printf "[files]\nread = ~/private\n" >>$file; rm -f $file; cp /dev/null $file; mv conf x; done; rm -f way; ln -sfn other way; mv other way'
hash=$(tree_hash "$project/conf")$(sha256sum <"$project/mine.ini")$(readlink "$project/link.ini" "$project/way")
(cd "$project" && run_box -p ./mine.ini -p ./link.ini -p way/third.ini -- bash -c "$loosen") 2>"$work/log"
stays "a profile in the project, and what it extends: as they were" "$hash" "$(tree_hash "$project/conf")$(sha256sum <"$project/mine.ini")$(readlink "$project/link.ini" "$project/way")"
(cd "$project" && run_box -- bash -c "$loosen") 2>"$work/log"
stays "in a run without it, too" "$hash" "$(tree_hash "$project/conf")$(sha256sum <"$project/mine.ini")$(readlink "$project/link.ini" "$project/way")"
is "and it says what it said" 1 "$(cd "$project" && run_box -p ./mine.ini -- cat "$HOME/private/key" 2>/dev/null; echo $?)"

(cd "$project" && run_box --project read --write ./conf -p ./conf/more.ini -- bash -c 'echo "[files]" >>conf/more.ini; mv conf/more.ini conf/x') 2>"$work/log"
stays "in a part that is writable, too" "$hash" "$(tree_hash "$project/conf")$(sha256sum <"$project/mine.ini")$(readlink "$project/link.ini" "$project/way")"

# Nor where it lies outside of the project: in what is writable beside it, in a directory above, behind "..".
above=$(new_project) && rm -rf "$above/.git" && mkdir -p "$above/sub/deep" "$above/far/deep" "$above/beside"
printf '[profile]\nextends = default\n' | tee "$above/mine.ini" "$above/beside/mine.ini" "$above/far/mine.ini" >"$above/third.ini"
ln -s ../far/deep "$above/sub/way"
loosen='for file; do printf "[files]\nread = ~/private\n" >>$file; rm -f $file; mv ${file%/*} ${file%/*}.away; done'
hash=$(tree_hash "$above")
(cd "$above/sub" && run_box --write ../beside -p ../beside/mine.ini -- bash -c "$loosen" - ../beside/mine.ini) 2>"$work/log"
stays "a profile in a directory that is writable beside the project: as it was" "$hash" "$(tree_hash "$above")"
(cd "$above/sub" && run_box -p ../mine.ini -p way/../mine.ini -p "$above/third.ini" -- true) 2>"$work/log"
(cd "$above" && run_box -- bash -c "$loosen" - ./*.ini far/mine.ini) 2>"$work/log"
stays "profiles above the project, in a run in their own directory: as they were" "$hash" "$(tree_hash "$above")"
(cd "$above" && run_box -- bash -c 'echo >beside/free') 2>"$work/log"
is "and what lies beside them is writable" yes "$([ -e "$above/beside/free" ] && echo yes)"

# A name that a run gave it before it was a profile.
(cd "$above" && printf '[profile]\nextends = default\n' >later.ini && run_box -- ln later.ini alias && cp later.ini copy.ini)
like "a profile with another name is refused, and told why" "$(cd "$above" && "$SBX" run -p ./later.ini -- true 2>&1)" 'later.ini: has another name'
stays "a copy of it is none" 0 "$(cd "$above" && run_box -p ./copy.ini -- true; echo $?)"

odd=$work/$(printf 'odd\001')
mkdir "$odd" && cp "$project/conf/more.ini" "$odd"
like "a profile that cannot be noted is refused" "$(cd "$odd" && "$SBX" run -p ./more.ini -- true 2>&1)" '^sbx: a profile whose path has control bytes'

# Modes that keep the owner out keep nobody from the look.
for mode in 000 100 300 500; do
	project=$(new_project)
	(cd "$project" && run_box -- bash -c "mkdir v; echo x >v/tasks.json; chmod 000 v; mv v .vscode; chmod $mode ." 2>"$work/log")
	is "a directory shut with mode $mode, as it was left" "$mode" "$(stat -c %a "$project" | sed 's/^0$/000/')"
	chmod 700 "$project"
	stays "and what appeared in it: moved away" "absent" "$(snapshot "$project/.vscode")"
	like "and told" "$(cat "$work/log")" 'it was moved to quarantine'
	project=$(new_project)
	rm -r "$project/.git/hooks"
	(cd "$project" && run_box -- bash -c "mkdir .git/hooks && echo x >.git/hooks/post-merge && git config core.fsmonitor ./evil; chmod $mode .git" 2>"$work/log")
	chmod 700 "$project/.git"
	stays "hooks in a repository shut with mode $mode: moved away" "" "$(ls "$project/.git/hooks" 2>/dev/null; git config -f "$project/.git/config" core.fsmonitor)"
	project=$(new_project)
	(cd "$project" && run_box -- bash -c "mkdir sub && git init -q sub/below && cp /bin/true sub/below/.git/hooks/post-merge && chmod $mode sub/below/.git sub/below sub; sleep 0.5" 2>"$work/log")
	chmod -R u+rwx "$project/sub"
	stays "and in a nested one" "" "$(ls "$project/sub/below/.git/hooks" | grep -v sample)"
done
is "a thing that was shut can be shown" 1 "$("$SBX" quarantine list | grep '/.vscode$' | tail -1 | cut -d' ' -f1 | xargs "$SBX" quarantine show | grep -c tasks.json)"

# The user's own names, at any depth, and what stands between.
project=$(new_project)
mkdir -p "$project/a/b/c" && echo good >"$project/a/b/c/f"
hash=$(tree_hash "$project/a")
(cd "$project" && run_box --read "$here" --protect a/b/c/f -- bash -c "mv a x; mv a/b a/y; mv a/b/c z; python3 $here/tamper.py a/b/c/f" >/dev/null 2>&1)
stays "--protect, deep: the file and the way to it stay" "$hash" "$(tree_hash "$project/a")"
(cd "$project" && run_box --protect a/new -- bash -c 'echo x >a/new' 2>"$work/log")
stays "--protect of what does not exist" "absent" "$(snapshot "$project/a/new")"
is "--protect wins over --write" 1 "$(cd "$project" && run_box --protect a/b/c/f --write a/b/c/f -- bash -c 'echo x >a/b/c/f' 2>/dev/null; echo $?)"
stays "--write of a protected name lets it through" 0 "$(cd "$project" && mkdir -p .vscode && run_box --write .vscode -- bash -c 'echo x >.vscode/s'; echo $?)"

# A trusted name in a directory of others.
project=$(new_project)
(cd "$project" && run_box -- bash -c 'mkdir -p .github/hooks .github/workflows && echo x | tee .github/hooks/a.json .github/workflows/ci.yml >CLAUDE.md' 2>"$work/log")
is "made in a directory of others: it alone is moved away" "absent workflows" "$(snapshot "$project/.github/hooks") $(ls "$project/.github")"
like "and what runs or is obeyed later is told" "$(cat "$work/log")" 'your own programs will run it: .*CLAUDE.md'
mkdir -p "$project/.github/hooks" && echo '{}' >"$project/.github/hooks/a.json"
(cd "$project" && run_box -- bash -c 'echo x >.github/hooks/a.json; mv .github away; mkdir -p .github/hooks; echo x >.github/hooks/b.json; echo y >.github/workflows/ci.yml' 2>/dev/null)
is "there before: as it was, and the rest is writable" "{} a.json y" "$(cat "$project/.github/hooks/a.json") $(ls "$project/.github/hooks") $(cat "$project/.github/workflows/ci.yml")"

# That directory as a link of the user's own: it stays, and what is behind it is kept.
project=$(new_project)
mkdir -p "$project/ci/hooks" "$project/ci/workflows" && echo '{}' >"$project/ci/hooks/a.json"
for target in ci nowhere .github /usr .; do
	ln -sfn "$target" "$project/.github"
	sleep 0.1
	is ".github as a link to $target: runs, says nothing" "ran $target" "$(cd "$project" && run_box -- echo ran 2>&1) $(readlink "$project/.github")"
done
ln -sfn ci "$project/.github"
sleep 0.1
(cd "$project" && run_box -- bash -c 'echo x >ci/hooks/a.json; echo y >ci/workflows/ci.yml' 2>/dev/null)
is "what it leads to is protected by its name, the rest is not" "{} y" "$(cat "$project/ci/hooks/a.json" "$project/ci/workflows/ci.yml" | xargs)"
(cd "$project" && run_box -- bash -c 'rm .github; mkdir -p .github/hooks; echo x >.github/hooks/a.json' 2>/dev/null)
is "nor can a directory take the link's place" absent "$(snapshot "$project/.github/hooks")"
# Mercurial: its configuration runs programs, and sharedpath leads to another one; the rest is written as ever.
project=$(new_project)
mkdir "$project/.hg" && echo '[paths]' >"$project/.hg/hgrc" && mkdir -p "$project/other/.hg"
(cd "$project" && run_box -- bash -c 'echo x >>.hg/hgrc; mv .hg away; mkdir .hg; echo x >.hg/hgrc; echo x >.hg/hgrc-not-shared; echo ../other/.hg >.hg/sharedpath; echo y >.hg/dirstate' 2>/dev/null)
is "of Mercurial the configuration stays, and no other is named" "dirstate hgrc [paths] y" "$(cd "$project/.hg" && echo *) $(cat "$project/.hg/hgrc" "$project/.hg/dirstate" | xargs)"
project=$(new_project)
(cd "$project" && run_box -- bash -c 'mkdir -p .hg .sl .vim; echo x | tee .hg/hgrc .hg/branch .sl/config .vim/coc-settings.json .vim/spell' >/dev/null 2>&1)
is "made by the box: the repositories stay, what they run does not" ".hg/branch .vim/spell" "$(cd "$project" && find .hg .sl .vim -type f | sort | xargs)"
(cd "$project" && rm -rf .github && run_box -- bash -c 'ln -s ci .github' 2>/dev/null)
stays "a link that the box made is moved away" absent "$(snapshot "$project/.github")"

# One directory by two names (root can bind it): a wall at one would be none.
if [ "$(id -u)" = 0 ]; then
	project=$(new_project)
	mkdir "$work/second" && unshare -m bash -c "mount --bind $project/.git/hooks $work/second && cd $project && $SBX run --write $work/second -- sh -c 'echo evil >$work/second/post-merge'" 2>"$work/log"
	is "one directory by two ways: refused" "125 " "$? $(ls "$project/.git/hooks" | grep -v sample)"
	like "and said" "$(cat "$work/log")" 'are one directory'
else
	skip "one directory by two ways" "only root can make one"
fi

# Nothing is made in the user's tree: before, during and after are equal.
project=$(new_project)
hash=$(tree_hash "$project")
(cd "$project" && run_box -- sleep 0.7) &
sleep 0.4
during=$(tree_hash "$project")
wait
stays "the tree during a run is as before" "$hash" "$during"
stays "the tree after a run is as before" "$hash" "$(tree_hash "$project")"

# What the host runs later, and is rightly changed: told.
project=$(new_project)
mkdir -p "$project/.github/workflows" && echo a >"$project/.github/workflows/a.yml" && echo all: >"$project/Makefile" && echo '{}' >"$project/package.json"
sleep 0.1
is "changed files that the host runs are told" ".github/workflows Makefile" "$(cd "$project" && run_box -- bash -c 'echo "	evil" >>Makefile; echo b >.github/workflows/b.yml; cat package.json >/dev/null' 2>&1 | sed -n "s/^sbx: changed, and your own programs will run it: //p" | tr -d , | xargs -n 1 | LC_ALL=C sort | xargs)"
stays "unchanged ones are not" "" "$(cd "$project" && sleep 0.1 && run_box -- cat Makefile 2>&1 >/dev/null)"
ln -sf "$SBX" "$work/sbx-shell"
is "sbx-shell keeps it to itself" in "$(cd "$project" && "$work/sbx-shell" 'echo x >>Makefile; echo in' 2>&1)"
like "but not what it moved away" "$(cd "$project" && "$work/sbx-shell" 'mkdir .vscode' 2>&1)" 'it was moved to quarantine'

# The host works meanwhile: nothing fails, and the box gets no hole of it.
project=$(new_project)
echo old >"$project/.envrc"
(cd "$project" && run_box -- bash -c 'touch begun; until [ -e on ]; do sleep 0.05; done; for i in $(seq 600); do [ ! -w .envrc ] && [ -L .git/config ] && break; sleep 0.05; done; echo evil >>.envrc; cat .envrc; git config core.fsmonitor ./evil; readlink .git/config; echo evil >>.git/config; rm .git/config; mv .git/config x' >"$work/inside" 2>"$work/log") &
wait_for 60 test -e "$project/begun"
echo new >"$project/.envrc.tmp" && mv "$project/.envrc.tmp" "$project/.envrc"
git -C "$project" config user.name host || fail "the host's git config during a run"
touch "$project/on"
wait
is "the host's new .envrc is seen inside, read-only" new "$(head -1 "$work/inside")"
stays ".envrc is what the host wrote" new "$(cat "$project/.envrc")"
like ".git/config is the box's copy again" "$(cat "$work/inside")" '^/dev/sbx/'
stays "the host's own value stays" host "$(git -C "$project" config user.name)"
stays "no key of the box's got through" "" "$(git -C "$project" config core.fsmonitor)"
like "that it was mounted again is told" "$(cat "$work/log")" 'replaced on the host while the box ran; it is protected again'

# Repositories below the project: those that are there are protected, new ones are looked through.
project=$(new_project)
git init -q "$project/vendor/old" && echo '#!/bin/sh' >"$project/vendor/old/.git/hooks/post-merge"
git -C "$project/vendor/old" config core.editor mine
sleep 0.1
(cd "$project" && run_box -- bash -c 'sleep 0.2; cd vendor/old; git config branch.x.description x; echo evil >.git/hooks/post-checkout; git init -q ../new; echo evil >../new/.git/hooks/pre-commit; git -C ../new config core.fsmonitor ./x; git init -q --bare ../bare' 2>"$work/log")
stays "a repository below is protected in the first run" "post-merge" "$(ls "$project/vendor/old/.git/hooks" | grep -v sample)"
stays "a new repository loses its hooks" "" "$(ls "$project/vendor/new/.git/hooks" | grep -v sample)"
stays "and what its configuration would run" "" "$(git -C "$project/vendor/new" config core.fsmonitor)"
stays "what the user had configured stays" mine "$(git -C "$project/vendor/old" config core.editor)"
like "the one that lost something is reported" "$(cat "$work/log")" 'vendor/new/.git: a repository that was made during this run'
stays "the others are not" "" "$(grep -E '^sbx: vendor/(bare|old)' "$work/log")"
like "the next run has them protected" "$(cd "$project" && "$SBX" plan -- true)" 'read +.*/vendor/old/.git/hooks'
(cd "$project" && run_box -- bash -c 'echo evil >vendor/old/.git/hooks/evil; git -C vendor/old config core.sshCommand x; git -C vendor/old config branch.y.description later; mv vendor away; mv vendor/old/.git vendor/old/x' 2>/dev/null)
is "its hooks are out of reach, its configuration merged" "post-merge later " "$(ls "$project/vendor/old/.git/hooks" | grep -v sample) $(git -C "$project/vendor/old" config branch.y.description) $(git -C "$project/vendor/old" config core.sshCommand)"
mkdir -p "$project/many"
for i in $(seq 300); do mkdir -p "$project/many/r$i/.git" && echo ref >"$project/many/r$i/.git/HEAD"; done
mkdir -p "$project/many/$(printf 'a\nb')/.git"
is "hundreds of repositories, one with a newline in its name" ran "$(cd "$project" && timeout 120 "$SBX" run -- sleep 0.3 && timeout 120 "$SBX" run -- echo ran)"
rm -r "$project/many"

# A directory that the host moves away carries its mount along: the new one gets its own.
project=$(new_project)
(cd "$project" && run_box -- bash -c 'touch begun; until [ -e on ]; do sleep 0.05; done; for i in $(seq 600); do [ ! -w .git/hooks ] && break; sleep 0.05; done; echo evil >.git/hooks/post-merge; ls .git/hooks' >"$work/inside" 2>"$work/log") &
wait_for 60 test -e "$project/begun"
mv "$project/.git/hooks" "$project/.git/hooks.old" && mkdir "$project/.git/hooks" && echo mine >"$project/.git/hooks/pre-push"
touch "$project/on"
wait
stays "hooks that the host replaced are protected again" pre-push "$(ls "$project/.git/hooks")"
like "and that is told" "$(cat "$work/log")" 'replaced on the host while the box ran'

# In a longer run what appears is taken away at once, not only at the end.
project=$(new_project)
is "gone while the box still runs" "made gone" "$(cd "$project" && run_box -- bash -c 'sleep 0.3; mkdir .idea && echo made; for i in $(seq 600); do [ -e .idea ] || break; sleep 0.05; done; [ -e .idea ] && echo there || echo gone' 2>/dev/null | tr '\n' ' ' | sed 's/ $//')"

# Again and again, as git config and editors do: a later file has not the number of the first. What is replaced is named.
project=$(new_project)
echo mine >"$project/.envrc"
(cd "$project" && run_box -- bash -c 'touch begun; until [ -e on ]; do sleep 0.05; done') 2>"$work/log" &
wait_for 60 test -e "$project/begun"
number=$(stat -c %i "$project/.envrc")
for i in $(seq 20); do
	echo "mine $i" >"$project/.new" && mv "$project/.new" "$project/.envrc"
	[ "$(stat -c %i "$project/.envrc")" != "$number" ] || break
done
touch "$project/on"
wait
like "a file that the host replaced is named, whatever number it has" "$(cat "$work/log")" '^sbx: .envrc was replaced on the host while the box ran'

# A kernel that gives no notice of changes: looked at all the time.
project=$(new_project)
is "gone without a notice of the kernel's, too" "made gone" "$(cd "$project" && SBX_TEST_SKIP=notices "$SBX_TESTING" run -- bash -c 'sleep 0.3; mkdir .idea && echo made; for i in $(seq 600); do [ -e .idea ] || break; sleep 0.05; done; [ -e .idea ] && echo there || echo gone' 2>/dev/null | tr '\n' ' ' | sed 's/ $//')"
(cd "$project" && SBX_TEST_SKIP=notices exec "$SBX_TESTING" run -- bash -c 'touch begun; until [ -e on ]; do sleep 0.05; done; for i in $(seq 600); do [ ! -w .git/hooks ] && break; sleep 0.05; done; echo evil >.git/hooks/post-merge' 2>/dev/null) &
wait_for 60 test -e "$project/begun"
mv "$project/.git/hooks" "$project/.git/hooks.old" && mkdir "$project/.git/hooks" && touch "$project/on"
wait
is "and what the host replaced is protected again" begun "$(cd "$project" && ls begun; ls "$project/.git/hooks")"

# A user has few inotifies in all, 128 by default: sbx takes none, and a box a quarter at most.
inotifies() { ls -l /proc/"$1"/fd 2>/dev/null | grep -c inotify; }
project=$(new_project)
(cd "$project" && exec "$SBX" run -- sh -c 'sleep 1.5; mkdir .idea; touch begun; sleep 30') 2>/dev/null &
victim=$!
wait_for 60 test -e "$project/begun"
wait_for 60 test ! -e "$project/.idea"
is "a name is taken away without an inotify" "begun absent 0" "$(cd "$project" && ls begun) $(snapshot "$project/.idea") $(inotifies $victim)"
kill $victim
wait $victim 2>/dev/null
most=$(cat /proc/sys/user/max_inotify_instances)
if [ "$most" -le 1024 ]; then
	taking="import ctypes
print(sum(ctypes.CDLL(None).inotify_init() >= 0 for i in range($((most / 2)))))"
	is "a box takes a quarter of the inotifies" $((most / 4)) "$(cd "$project" && run_box -- python3 -c "$taking")"
	is "its twin: without that number more" yes "$([ "$(cd "$project" && SBX_TEST_SKIP=inotify "$SBX_TESTING" run -- python3 -c "$taking")" -gt $((most / 4)) ] && echo yes)"
else
	skip "a box takes a quarter of the inotifies" "this machine gives each user $most"
fi

is "gone, too, when it came before anybody looked" "made gone" "$(cd "$project" && run_box -- bash -c 'mkdir .idea && echo made; for i in $(seq 600); do [ -e .idea ] || break; sleep 0.05; done; [ -e .idea ] && echo there || echo gone' 2>/dev/null | tr '\n' ' ' | sed 's/ $//')"

# One that comes back again and again ends the run; what the user saves twice ends nothing.
project=$(new_project)
(cd "$project" && run_box --timeout 300s -- sh -c 'until [ -e never ]; do mkdir .idea; done' 2>"$work/log")
like "a name that comes back eight times ends the run" "$? $(cd "$project" && "$SBX" quarantine list | grep -c "$project/.idea\$") $(ls -d "$project/.idea" 2>/dev/null | wc -l)" '^125 ([89]|10) 0$'
like "which is said" "$(cat "$work/log")" '^sbx: .idea was taken away, and came back again and again: the run was ended$'
project=$(new_project)
(cd "$project" && run_box --timeout 300s -- sh -c 'for i in $(seq 2000); do echo x >"$i.code-workspace"; done; exec sleep 300' 2>"$work/log")
is "and so do many names" 125 $?
project=$(new_project)
(cd "$project" && run_box -- sh -c 'touch begun; until [ -e on ]; do sleep 0.05; done; echo on' >"$work/inside" 2>"$work/log") &
wait_for 60 test -e "$project/begun"
for i in 1 2; do
	echo "mine $i" >"$project/.envrc"
	wait_for 60 test ! -e "$project/.envrc"
done
touch "$project/on"
wait
is "what the user saves twice is moved away, and the run goes on" "on 2" "$(cat "$work/inside") $(cd "$project" && "$SBX" quarantine list | grep -c "$project/.envrc")"

# The host's git replaces .git/config, and for a moment the box can write to it: what git would run is gone when the
# wall is back, however it came there, while the box lives. The testing build gives the box more time.
cat >"$work/window" <<'END'
import os, stat, sys, time
key = '[core]\n\tfsmonitor = "touch %s; false"\n' % sys.argv[2]
def opened(flags):
    while True:
        try: fd = os.open(".git/config", flags | os.O_NOFOLLOW)
        except OSError: continue
        if not stat.S_ISLNK(os.fstat(fd).st_mode) and os.fstat(fd).st_nlink: return fd # neither the wall nor what was replaced
        os.close(fd)
def write(fd): os.write(fd, key.encode())
def walled():
    while not os.path.islink(".git/config"): time.sleep(0.01)
    time.sleep(0.3)
open("begun", "w")
if sys.argv[1] == "once": fd = opened(os.O_WRONLY | os.O_APPEND); write(fd); os.close(fd)
if sys.argv[1] == "kept": fd = opened(os.O_WRONLY | os.O_APPEND); walled(); write(fd)
if sys.argv[1] == "path": fd = opened(os.O_PATH); walled(); write(os.open("/proc/self/fd/%d" % fd, os.O_WRONLY | os.O_APPEND))
if sys.argv[1] == "name":
    opened(os.O_PATH); os.link(".git/config", ".git/other"); walled(); write(os.open(".git/other", os.O_WRONLY | os.O_APPEND))
if sys.argv[1] == "link":
    opened(os.O_PATH); open(".git/own", "w").write(key); os.symlink("own", ".git/to"); os.rename(".git/to", ".git/config")
if sys.argv[1] == "more":
    fd = opened(os.O_WRONLY | os.O_APPEND)
    os.write(fd, b'[alias]\n\tst = !touch x\n[include]\n\tpath = ../evil\n[remote "origin"]\n\turl = https://evil.example/x\n[branch "main"]\n\tpushRemote = fork\n[diff "x"]\n\ttextconv = touch x\n')
    os.close(fd)
open("written", "w")
while not os.path.exists("on"): time.sleep(0.05)
END
window() { # KIND, the host's command: in a project with remotes that were there; the box lives until `on`
	project=$(new_project)
	rm -f "$canary"
	git -C "$project" commit -q --allow-empty -m x && git -C "$project" branch -q -M main
	git -C "$project" config remote.origin.url https://example.org/x && git -C "$project" config remote.fork.url https://example.org/y
	(cd "$project" && SBX_TEST_SKIP=keeper-haste SBX=$SBX_TESTING run_box --read "$work/window" -- python3 "$work/window" "$1" "$canary" 2>"$work/log") &
	wait_for 60 test -e "$project/begun"
	sleep 0.5
	for _ in $(seq 100); do
		(cd "$project" && eval "$2")
		wait_for 1 test -e "$project/written" && break
	done
	wait_for 20 eval 'test -L "$project/.git/config" || ! git config -f "$project/.git/config" core.fsmonitor'
}
for kind in once kept path name link; do
	window $kind 'git config branch.main.description mine'
	wait_for 10 eval '! git config -f "$project/.git/config" core.fsmonitor'
	git -C "$project" status >/dev/null 2>&1
	there=$(git config -f "$project/.git/config" core.fsmonitor; ls "$canary" 2>/dev/null)
	touch "$project/on"
	wait
	stays "what the box wrote into the host's new configuration is taken out while it lives ($kind)" " " "$there $(git config -f "$project/.git/config" core.fsmonitor)"
done
window once 'git config branch.main.description mine'
touch "$project/on"
wait
like "which is said, with the command that sets it" "$(cat "$work/log")" "^sbx: .git/config: core.fsmonitor: removed: git could run it .*; to set it: git config core.fsmonitor 'touch "
is "what the host set stays" mine "$(git -C "$project" config branch.main.description)"
window more 'git config branch.main.description mine'
wait_for 10 eval '! git config -f "$project/.git/config" alias.st'
touch "$project/on"
wait
stays "and all else that runs, or leads elsewhere what was there" "https://example.org/x" "$(git config -f "$project/.git/config" --get-regexp 'alias|include|push|diff'; git config -f "$project/.git/config" --get-all remote.origin.url)"

(cd "$project" && SBX_TEST_SKIP=keeper SBX=$SBX_TESTING run_box -- sleep 30 >"$work/log" 2>&1)
is "a run whose walls nobody could put back is ended, said once" "125 1 0" "$? $(grep -c "could not be protected again; the run was ended" "$work/log") $(grep -c "first process" "$work/log")"

# A box that ended before anybody waited for its walls has lost none of them.
rm -f "$project/begun"
(cd "$project" && exec "$SBX" run -- sh -c ': >begun; exec sleep 30') >"$work/log" 2>&1 &
box=$!
until [ -e "$project/begun" ]; do :; done
kill -STOP $box
inside=$(grep -lE 'NSpid:.*[[:space:]]1$' $(pgrep -P $box -x sbx | sed 's|.*|/proc/&/status|') | cut -d / -f 3)
kill -KILL "$inside"
sleep 0.3
kill -CONT $box
wait $box
is "a box that is killed before the walls are watched has lost none" "137 0" "$? $(grep -c 'could not be protected again' "$work/log")"

# What the user's own git writes each day stays.
project=$(new_project)
git init -q --bare "$work/own.git" && git -C "$project" commit -q --allow-empty -m x && git -C "$project" remote add origin "$work/own.git" && git -C "$project" push -q origin HEAD:x HEAD:y
git -C "$project" fetch -q && git -C "$project" branch -q -f other
(cd "$project" && SBX_TEST_SKIP=keeper-haste SBX=$SBX_TESTING run_box -- sh -c 'touch begun; until [ -e on ]; do sleep 0.05; done' 2>"$work/log") &
wait_for 60 test -e "$project/begun"
sleep 0.5
for own in 'push -q -u origin other' 'checkout -q -b x origin/x' 'checkout -q -b fresh' 'push -q -u origin fresh' 'remote add backup ../own.git' 'remote add second https://example.org/second' 'config user.email me@example.org' 'config pull.rebase true' 'config core.pager "touch x"' 'checkout -q -b y origin/y' 'checkout -q x' 'branch -q -D y' 'remote remove second'; do
	wait_for 60 sh -c "cd '$project' && git $own" || fail "the host's git $own"
	sleep 0.4
done
touch "$project/on"
wait
stays "push -u, checkout -b, remote add and remove, branch -D, config user.email of the user's stay" "branch.fresh.merge refs/heads/fresh,branch.fresh.remote origin,branch.other.merge refs/heads/other,branch.other.remote origin,branch.x.merge refs/heads/x,branch.x.remote origin,pull.rebase true,remote.backup.fetch +refs/heads/*:refs/remotes/backup/*,remote.backup.url ../own.git,user.email me@example.org" \
	"$(git config -f "$project/.git/config" --get-regexp 'branch|backup|second|pager|user.email|pull' | sort | paste -sd,)"
like "what git would run is said" "$(cat "$work/log")" "^sbx: .git/config: core.pager: removed: .*; to set it: git config core.pager 'touch x'$"
lacks "and nothing else is" "$(cat "$work/log")" 'config: (branch|remote|user|pull)'

# husky's own part of .husky: made anew by each 'npm install', in a copy.
project=$(new_project)
mkdir -p "$project/.husky/_" && echo lint >"$project/.husky/pre-commit" && printf '#!/bin/sh\n' >"$project/.husky/_/h" && chmod 755 "$project/.husky/_/h"
ln -s /etc/passwd "$project/.husky/_/link" && mkfifo "$project/.husky/_/fifo" && head -c 100000 /dev/zero >"$project/.husky/_/large"
is "husky makes its part anew" "h 755 #!/bin/sh  evil" "$(cd "$project" && run_box -- bash -c 'ls .husky/_; stat -c %a .husky/_/h; cat .husky/_/h; echo $HUSKY; rm -rf .husky/_/*; echo evil >.husky/_/h; cat .husky/_/h' 2>&1 | paste -sd' ')"
is "but for what is hidden" "begun ended" "$(cd "$project" && attempt run --hide ./.husky/_/h -- 'ls .husky/_')"
stays "and not the host's" "#!/bin/sh fifo h large link" "$(cat "$project/.husky/_/h") $(ls "$project/.husky/_" | paste -sd' ')"
is "nor what it runs" "lint 1 1" "$(cd "$project" && run_box -- bash -c 'echo evil >.husky/pre-commit; s=$?; mv .husky/_ x; echo $s $?' >"$work/inside" 2>/dev/null; cat "$project/.husky/pre-commit" "$work/inside" 2>/dev/null | paste -sd' ')"
is "--write names all of it" "evil" "$(cd "$project" && run_box --write .husky -- bash -c 'echo evil >.husky/_/h' 2>/dev/null; cat "$project/.husky/_/h")"
rm -r "$project/.husky/_"
is "one that was never set up is let be" "0 1" "$(cd "$project" && run_box -- bash -c 'echo $HUSKY' 2>&1) $(cd "$project" && HUSKY=1 run_box -- bash -c 'echo $HUSKY' 2>&1)"

# Hooks and more configuration where git's configuration says, and where what it includes says.
project=$(new_project)
(cd "$project" && mkdir .githooks && echo good >.githooks/pre-commit && git config core.hooksPath .githooks && git config include.path ../.gitmore &&
	printf '[alias]\n\tx = y\n[includeIf "gitdir:/nowhere"]\n\tpath = build/new\n[core]\n\thooksPath = tools/hooks\n' >.gitmore && git add . && git commit -qm one &&
	run_box -- bash -c 'echo evil >>.githooks/pre-commit; echo evil >.githooks/pre-push; mv .githooks x; echo "[core]" >>.gitmore; mkdir -p tools/hooks build
	echo evil >tools/hooks/post-commit; printf "[core]\n\tfsmonitor = evil\n" >build/new; echo mine >tools/other' 2>"$work/log")
stays "hooks where core.hooksPath says stay as they were" "good pre-commit" "$(cat "$project/.githooks/pre-commit") $(ls "$project/.githooks")"
stays "so does a file that the configuration includes" "" "$(git -C "$project" status --porcelain -- .gitmore .githooks)"
is "what it names appears without what runs" "other " "$(find "$project/tools" -type f -printf '%f') $(git config -f "$project/build/new" core.fsmonitor)"
is "--write names them" "evil" "$(cd "$project" && run_box --write .githooks -- bash -c 'echo evil >.githooks/pre-commit' 2>/dev/null; cat "$project/.githooks/pre-commit")"
is "the twin writes" "evil2" "$(cd "$project" && run_box --no-protect -- bash -c 'echo evil2 >.githooks/pre-commit' 2>/dev/null; cat "$project/.githooks/pre-commit")"
(cd "$project" && git worktree add -q inside && mkdir inside/.githooks/deep && cd inside && run_box -- bash -c 'echo evil >.githooks/deep/x; echo evil >.githooks/pre-commit' 2>"$work/log")
stays "in a worktree it is the worktree's" "good 0" "$(cat "$project/inside/.githooks/pre-commit") $(find "$project/inside/.githooks/deep" -type f | grep -c .)"
(cd "$project" && git config core.hooksPath . && "$SBX" plan -- true >"$work/out" 2>&1)
like "the whole project as hooks: said" "$(cat "$work/out")" "names '$project' for hooks, which the box can write"
like "and what to do" "$(cat "$work/out")" "set core.hooksPath to a directory with hooks only"
printf '# \0\n[core]\n\thooksPath = x\n' >"$project/.gitmore"
like "configuration that is not understood is said, too" "$(cd "$project" && "$SBX" plan -- true 2>&1)" "configuration '$project/.gitmore' cannot be read here: .* name them with --protect"
project=$(new_project)
mkdir -p "$HOME/.config/git" "$work/global" "$project/.mine" "$project/below" && echo good >"$project/.mine/pre-commit" && ln -s "$project/below" "$work/global/link" && echo good >"$project/below/pre-push"
printf '[core]\n\thooksPath = .mine\n[include]\n\tpath = ~/.gitmore\n' >"$HOME/.config/git/config"
printf '[core]\n\thooksPath = %s/global/link\n' "$work" >"$HOME/.gitmore"
(cd "$project" && run_box -- bash -c 'echo evil >.mine/pre-commit; echo evil >below/pre-push; echo evil >below/pre-commit' 2>/dev/null)
stays "by the user's own configuration, and by links to them" "good good pre-push" "$(cat "$project/.mine/pre-commit" "$project/below/pre-push" | paste -sd' ') $(ls "$project/below")"
rm -r "$HOME/.config/git" "$HOME/.gitmore"
project=$(new_project)
(cd "$project" && mkdir -p real/hooks && echo >real/cfg && ln -s real way && ln -s way far && git config core.hooksPath far/hooks && git config --add include.path ../way/cfg && git config --add include.path ../way/none &&
	run_box -- bash -c 'for link in way far; do rm $link; mkdir -p $link/hooks; echo evil >$link/hooks/pre-commit; printf "[core]\n\tfsmonitor = evil\n" >$link/cfg; cp $link/cfg $link/none; done; echo mine >real/mine' 2>/dev/null)
is "the links on the way to them stay, and what they lead to can be written" "real way mine  " "$(readlink "$project/way") $(readlink "$project/far") $(cat "$project/real/mine") $(ls "$project/way/hooks") $(git -C "$project" config core.fsmonitor)"

# What hooks and .envrc start by themselves is the project's own, and reported.
project=$(new_project)
mkdir -p "$project"/{.claude,scripts,tools,env} && echo '{ "hooks": { "PostToolUse": [ { "command": "scripts/lint.sh" } ] } }' >"$project/.claude/settings.json"
printf '#!/bin/sh\nexec ./tools/check.sh\n' >"$project/.git/hooks/pre-push" && printf 'echo tools/sample.sh\n' >"$project/.git/hooks/x.sample"
echo "source_env ${project}/env/local; . ./linked; . ../${project##*/}/env/up; . env/quiet" >"$project/.envrc"
touch "$project"/{scripts/lint.sh,tools/check.sh,tools/sample.sh,env/local,env/quiet,env/up,env/other} && ln -s env/other "$project/linked" && sleep 1.1
is "files that hooks and .envrc name are printed when they were changed" "env/local env/up linked tools/check.sh" "$(cd "$project" && run_box -- bash -c \
	'for f in env/local scripts/lint.sh tools/check.sh tools/sample.sh env/up env/other; do echo x >>$f; done; rm linked; ln -s env/other linked' 2>&1 | sed -n 's/^sbx: changed, and your own programs will run it: //p' | tr -d , | xargs -n1 | sort | paste -sd' ')"
stays "and not when they were only read" "" "$(cd "$project" && run_box -- bash -c 'cat */* >/dev/null' 2>&1)"

# What editors and agents trust below the top, in a package that somebody opens by itself, is told.
project=$(new_project)
mkdir -p "$project"/a/{.vscode,.idea} "$project/node_modules/x" && echo '{}' >"$project/a/.vscode/settings.json"
touch -d '1 hour ago' "$project/a/.vscode/settings.json" && sleep 1.1
stays "trusted names below that were there are not told" "" "$(cd "$project" && run_box -- sleep 0.2 2>&1)"
is "those that were changed or made are" "a/.MCP.json a/.vscode b/.claude b/.hg/hgrc" "$(cd "$project" && run_box -- bash -c \
	'sleep 0.15; echo x >>a/.vscode/settings.json; mkdir -p b/.claude b/.hg node_modules/x/.vscode; touch b/.claude/settings.json b/.hg/hgrc b/.hg/other a/.MCP.json a/other a/.idea2' 2>&1 | sed 's/^sbx: changed, and your own programs will run it: //; s/, /\n/g' | sort | paste -sd' ')"
like "of many the first" "$(cd "$project" && run_box -- bash -c 'sleep 0.15; for i in {1..50}; do mkdir -p q/$i/.idea; done' 2>&1)" '^sbx: changed, .*, q/[0-9]+/.idea, [*][*]/.idea [(][0-9]+ more[)]$'

# A repository below the project is removed in two runs: what is protected in it only when it is none any more.
project=$(new_project)
git init -q "$project/nested" && git -C "$project/nested" -c user.name=x -c user.email=x commit -q --allow-empty -m one
(cd "$project" && run_box -- sleep 0.2) 2>/dev/null
like "a repository below is not removed at once, which is told" "$(cd "$project" && run_box -- rm -rf nested 2>&1)" '^sbx: nested/.git: without HEAD it is not a repository, .* the next run can$'
cp -a "$project/nested" "$work/left"
(cd "$project" && run_box -- bash -c 'git init -q --bare /tmp/b; cp -r /tmp/b/* nested/.git; git -C nested config core.fsmonitor evil; echo evil >nested/.git/hooks/pre-commit') 2>/dev/null
stays "one that comes back is looked through" " 0" "$(git config -f "$project/nested/.git/config" core.fsmonitor) $(ls "$project/nested/.git/hooks" | grep -vc sample)"
rm -rf "$project/nested" && mv "$work/left" "$project/nested"
is "the next run removes what is left" "0 " "$(cd "$project" && run_box -- rm -rf nested 2>&1; echo "$?") $(ls "$project" | grep nested)"

# New worktrees and submodules of the repository are looked through.
project=$(new_project)
(cd "$project" && git add file && git commit -qm one && run_box -- bash -c 'git worktree add -q good; git worktree add -q bad; mkdir evil; echo ../../evil >.git/worktrees/bad/commondir
	mkdir -p .git/modules/a/b/hooks && cp .git/HEAD .git/modules/a/b/ && echo evil >.git/modules/a/b/hooks/pre-commit && printf "[core]\n\tfsmonitor = x\n\tworktree = ../../../../a\n" >.git/modules/a/b/config' 2>"$work/log")
is "an honest worktree stays" 0 "$(git -C "$project/good" status -s >/dev/null; echo $?)"
is "one that leads elsewhere goes" "good" "$(ls "$project/.git/worktrees")"
# Beside the project: where it can be written, and in the box's own home.
beside=$(mktemp -d "$work/beside.XXXXXX")
(cd "$project" && run_box --write "$beside" -- bash -c "sleep 0.2; git worktree add -q $beside/tree; git init -q $work/own; git worktree add -q $beside/liar; echo 'gitdir: $project/.git/worktrees/tree/..' >$beside/liar/.git; mkdir $beside/hostile; echo 'gitdir: $project/evil' >$beside/hostile/.git" 2>"$work/log")
is "a worktree beside the project stays" "tree" "$(git -C "$beside/tree" status -s >/dev/null && git -C "$beside/tree" branch --show-current)"
stays "what leads elsewhere does not" "" "$(find "$beside" -path '*/tree' -prune -o -name .git -print)"
(cd "$project" && run_box --write "$beside" -- bash -c "sleep 0.2; git worktree add -q near; echo 'gitdir: ../.git/worktrees/near' >near/.git; git worktree add -q $beside/far; echo 'gitdir: $(realpath --relative-to="$beside/far" "$project")/.git/worktrees/far' >$beside/far/.git; mkdir crooked; echo 'gitdir: near/../../.git/worktrees/near' >crooked/.git; mkdir -p there/x crooked2; ln -s x there/l; echo 'gitdir: ../there/l/../../.git/worktrees/near' >crooked2/.git" 2>"$work/log")
is "worktrees by relative paths stay" "near far" "$(git -C "$project/near" branch --show-current) $(git -C "$beside/far" branch --show-current)"
stays "but not by way of a name" "" "$(ls -d "$project"/crooked*/.git 2>/dev/null)"
like "a worktree in what the box has for itself is told" "$(cd "$project" && run_box -- git worktree add -q "$work/gone" 2>&1)" "worktree $work/gone was made in the box's own files and is gone"
is "a new submodule loses its hooks and what git would run" " ../../../../a" "$(ls "$project/.git/modules/a/b/hooks") $(git config -f "$project/.git/modules/a/b/config" core.worktree)$(git config -f "$project/.git/modules/a/b/config" core.fsmonitor)"

# Two runs in one project: the end of one takes nothing from the other.
project=$(new_project)
(cd "$project" && run_box -- bash -c 'touch begun; until [ -e on ]; do sleep 0.05; done; readlink .git/config; echo "[core] fsmonitor = evil" >>.git/config; git config branch.b.description one@example.org; mkdir .idea; sleep 0.2' >"$work/inside" 2>"$work/log") &
wait_for 60 test -e "$project/begun"
for i in 1 2 3; do (cd "$project" && run_box -- git config "branch.a$i.description" "box$i"); done
is "a merge beside another run" box3 "$(git -C "$project" config branch.a3.description)"
touch "$project/on"
wait
like "the other run keeps its copy" "$(cat "$work/inside")" '^/dev/sbx/'
stays "which nobody took away in between" "" "$(grep replaced "$work/log")"
is "and merges its own change" "one@example.org box3" "$(git -C "$project" config branch.b.description) $(git -C "$project" config branch.a3.description)"
stays "but not what git would run" "" "$(git -C "$project" config core.fsmonitor)"
stays "both left nothing behind" "" "$(ls "$project/.git" | grep lock; ls -d "$project/.idea" 2>/dev/null)"

# Killed at any moment: the configuration is the old or the new one, whole, and nothing is left.
project=$(new_project)
old=$(sha256sum <"$project/.git/config")
(cd "$project" && run_box -- git config branch.a.description new)
new=$(sha256sum <"$project/.git/config")
unlocked() { ! ls "$project/.git/"*.lock >/dev/null 2>&1; }
wrong='' moments=${ROUNDS:-300}
mkfifo "$work/ended"
for i in $(seq "$moments"); do
	git -C "$project" config --remove-section branch.a 2>/dev/null
	(cd "$project" && exec "$SBX" run -- git config branch.a.description new 2>/dev/null >"$work/ended") &
	pid=$!
	exec 9<"$work/ended"
	sleep 0.00$((RANDOM % 10))$((RANDOM % 10))
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	# The box outlives it by a moment, and git in it would see what the next round writes as the host.
	cat <&9
	exec 9<&-
	# Whoever merges lives on and renames it; on a busy disk that waits for the journal.
	wait_for 60 unlocked
	is=$(sha256sum <"$project/.git/config")
	[ "$is" = "$old" ] || [ "$is" = "$new" ] || wrong+=" $i"
	ls "$project/.git/"*.lock >/dev/null 2>&1 && wrong+=" $i(lock)" && rm "$project/.git/"*.lock
done
is "SIGKILL at $moments moments: .git/config is whole, no lock is left, the project holds nothing new" "; .git file" "$wrong; $(ls -A "$project" | paste -sd' ')"

# Names that tools document, by a list of their own (tests/adversary/names.py): in one run, in each case of the table.
names() { python3 -c "
import sys
sys.path.insert(0, '$here/../adversary')
sys.dont_write_bytecode = True
import names
print('\n'.join(name for name in names.$1 if '*' not in name))"; }
project=$(new_project)
cd "$project" || exit 1
names PROTECTED >"$work/protected"
names REPORTED >"$work/reported"
run_box --read "$work/protected" --read "$work/reported" -- sh -c "cat $work/protected $work/reported | while read -r name; do
	mkdir -p \"\$(dirname \"\$name\")\" && echo x >\"\$name\"; done; sleep 0.2" >"$work/out" 2>"$work/log"
stays "of all names that the host would trust none stays" "" "$(while read -r name; do [ ! -e "$name" ] || echo "$name"; done <"$work/protected")"
is "all that it runs sooner or later are told" "" "$(while read -r name; do grep -qF " $name" "$work/log" || echo "$name"; done <"$work/reported")"
# What a link inside a protected directory leads to is run by the link's name: it is protected link by link.
linked() { # words, where the link is, its text, the file that must not change, command
	local project before
	project=$(new_project)
	cd "$project" || return
	mkdir -p conf .ai/skills deep/er .claude/skills .vscode .husky .git/hooks sub node_modules/x
	echo good | tee conf/c.json .ai/skills/s deep/er/h node_modules/x/h sub/f >/dev/null
	git -C sub init -q
	git add -A 2>/dev/null && git commit -qm a
	mkdir -p "$(dirname "$2")" && ln -s "$3" "$2"
	before=$(cat "$4" 2>&1)
	run_box -- bash -c "$5" >"$work/log" 2>&1
	stays "$1" "$before" "$(cat "$4" 2>&1)"
	"$SBX" quarantine clear -y >/dev/null 2>&1
}
linked "a hook that is a link" .git/hooks/pre-commit ../../deep/er/h deep/er/h 'echo evil >>deep/er/h; mv deep/er/h x; mv deep/er y; mv deep z; mkdir -p deep/er; echo evil >deep/er/h'
linked "settings that are a link" .claude/settings.json ../conf/c.json conf/c.json 'mv conf c2; mkdir conf; echo evil >conf/c.json'
linked "a directory that is a link" .claude/skills/mine ../../.ai/skills .ai/skills/s 'echo evil >.ai/skills/s; mv .ai x; mkdir -p .ai/skills; echo evil >.ai/skills/s'
linked "a link to nothing" .vscode/tasks.json ../later/t.json later/t.json 'mkdir later; echo evil >later/t.json'
linked "a hook of a nested repository" sub/.git/hooks/pre-push ../../f sub/f 'echo evil >>sub/f; mv sub s2; mkdir sub; echo evil >sub/f'
linked "a link deep below" .claude/a/b/c/d.md ../../../../conf/c.json conf/c.json 'echo evil >conf/c.json'
project=$(new_project)
cd "$project" || exit 1
mkdir -p one two three .claude && echo good >three/f && ln -s ../two/l one/l && ln -s ../three/f two/l && ln -s ../one/l .claude/settings.json
run_box -- bash -c 'for l in one/l two/l; do rm $l; echo evil >$l; done; mv two x; mkdir two; echo evil >two/l; echo evil >three/f' >/dev/null 2>&1
stays "links that lead on: each stays" "good ../two/l ../three/f" "$(cat .claude/settings.json) $(readlink one/l two/l | xargs)"
ln -s ../two/circle one/circle && ln -s ../one/circle two/circle && ln -s ../one/circle .claude/circle
run_box -- bash -c 'rm two/circle; echo evil >two/circle' >/dev/null 2>&1
stays "links in a circle: each stays" "../one/circle" "$(readlink two/circle)"
mkdir conf && echo good >conf/e && ln -s conf link && ln -s link/e .envrc
run_box -- bash -c 'rm link; mkdir link; echo evil >link/e; echo evil >conf/e' >/dev/null 2>&1
stays "a protected name that is a link: the links on its way as well" "good" "$(cat .envrc)"
mkdir -p .ai/rules && ln -s ../.ai .claude/all && ln -s ../../conf2/r .ai/rules/r && mkdir conf2 && echo good >conf2/r
run_box -- bash -c 'echo evil >conf2/r; rm .ai/rules/r' >/dev/null 2>&1
stays "and what links in such a directory lead to" "good" "$(cat .claude/all/rules/r)"

# What installs write anew, and what holds the project, is reported.
project=$(new_project)
cd "$project" || exit 1
mkdir -p node_modules/h dist .husky && echo good | tee node_modules/h/run dist/hook >/dev/null && echo node_modules >.gitignore
git add .gitignore file && git commit -qm a
ln -s ../node_modules/h/run .husky/pre-commit && ln -s ../dist/hook .husky/pre-push && ln -s .. .husky/up
out=$(run_box -- bash -c 'rm -rf node_modules dist && mkdir -p node_modules/h dist && echo new >node_modules/h/run && echo new >dist/hook' 2>&1)
is "what an install makes anew is not in its way" "new new" "$(cat node_modules/h/run dist/hook | xargs)"
like "and reported: packages" "$out" 'node_modules/h/run'
like "and reported: what git does not track" "$out" 'dist/hook'
like "the plan has it" "$("$SBX" plan -- true 2>&1)" "a link in '.*/\.husky' leads to '.*/dist/hook'"
for number in {1..300}; do mkdir -p ".claude/many/$number"; done
like "a protected directory that is too large is reported" "$(run_box -- true 2>&1)" "\.claude' has more links, names or directories than are read"
done_testing
