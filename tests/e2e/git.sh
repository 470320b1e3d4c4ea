#!/bin/bash
# Honest git in a box: the same commands outside and inside, from the same start, lead to the same
# output, files, history and configuration.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
export HOME=$work/home LC_ALL=C GIT_AUTHOR_DATE='2026-02-01 12:00' GIT_COMMITTER_DATE='2026-02-01 12:00'
export XDG_STATE_HOME=$work/state
mkdir -p "$HOME"
git config --global user.name tester
git config --global user.email tester@example.org
git config --global init.defaultBranch main
git config --global protocol.file.allow always
git config --global safe.directory '*'

state() { # what a repository is
	(
		cd "$1" || exit
		find . -name .git -prune -o -printf '%y %m %p\n' | sort
		for each in $(find . -name .git -printf '%h\n' | sort); do
			echo "== $each"
			(
				cd "$each" || exit
				git status -s -b 2>&1
				git config --local --list 2>&1 | sort
				git log --all --oneline 2>&1 | sort
				git stash list 2>&1
				git branch -avv 2>&1
				git worktree list --porcelain 2>&1 | grep -v ^$
				git submodule status 2>&1
				git fsck --no-progress --no-dangling 2>&1
			)
		done
	)
}

# name, set-up, work: both in $work/job; other repositories lie in $work/others, visible inside
same() {
	local name=$1 setup=$2 task=$3 outside inside
	rm -rf "$work/job" "$work/start" "$work/others"
	mkdir -p "$work/job" "$work/others"
	if ! (cd "$work/job" && eval "$setup") >"$work/setup" 2>&1; then
		fail "$name: set-up" "$(tail -5 "$work/setup")"
		return
	fi
	cp -a "$work/job" "$work/start" && cp -a "$work/others" "$work/others-start"
	(cd "$work/job" && bash -c "$task") >"$work/outside" 2>&1 </dev/null
	outside=$?
	state "$work/job" >"$work/state-outside"
	rm -rf "$work/job" "$work/others"
	mv "$work/start" "$work/job" && mv "$work/others-start" "$work/others"
	(cd "$work/job" && "$SBX" run --read "?$HOME/.gitconfig" --write "$work/others" -- bash -c "$task") >"$work/inside" 2>&1 </dev/null
	inside=$?
	# what was not taken over is by the command that is printed
	sed -n 's/^sbx: .*: \(not applied\|removed\): .*; to set it: //p' "$work/inside" >"$work/printed"
	(cd "$work/job" && bash -e "$work/printed") >"$work/pasted" 2>&1 || fail "$name: a printed command" "$(cat "$work/printed" "$work/pasted")"
	state "$work/job" >"$work/state-inside"
	sed -i '/^sbx: [^ ]*: [^ ]* is new: /d; /^sbx: .*: \(not applied\|removed\): .*; to set it: /d; /^sbx: .*: a repository that \(this run changed\|was made during this run, .*\)$/d; /^sbx: changed, and your own programs will run it: .gitmodules$/d' "$work/inside"
	if [ $outside != $inside ]; then
		fail "$name" "status $outside outside, $inside inside: $(tail -15 "$work/inside")"
	elif ! diff -u "$work/outside" "$work/inside" >"$work/diff"; then
		fail "$name: output" "$(head -30 "$work/diff")"
	elif ! diff -u "$work/state-outside" "$work/state-inside" >"$work/diff"; then
		fail "$name: state" "$(head -40 "$work/diff")"
	else
		pass "$name (status $inside)"
	fi
}

repository='git init -q . && for i in 1 2 3; do mkdir -p d$i && echo $i >d$i/f && git add . && git commit -qm c$i; done; git branch other HEAD~1; rm .git/hooks/*.sample'
remote="$repository; git clone -q --bare . $work/others/far.git; git remote add origin $work/others/far.git"
library="git init -q $work/others/lib && (cd $work/others/lib && echo l >l && git add l && git commit -qm lib)"

same "init, add, commit in a fresh directory" ':' 'git init -q . && echo x >f && git add f && git commit -qm first && git log --oneline'
same "init in a subdirectory" "$repository" 'git init -q sub && cd sub && echo x >f && git add f && git commit -qm first'
same "re-init" "git init -q . && echo x >f && git add f && git commit -qm first" 'git init'
same "clone into the project" "$library" "git clone -q $work/others/lib copy && git -C copy log --oneline"
same "config user.name, branch -u, push -u, fetch, remote add, set-url, rename" "$remote" \
	"git config user.name other && git fetch -q && git branch -q -u origin/main && echo x >new && git add new && git commit -qm new && git push -q -u origin main && git checkout -q -b topic && git push -q -u origin topic && git remote add fork git@example.org:me/r.git && git remote set-url fork https://example.org/me/r && git remote -v && git remote rename origin far && git branch -D other && git remote remove fork"
# What gh, git-flow, VS Code, GitHub Desktop and scalar write.
pulled="$remote; git push -q origin main HEAD:refs/pull/6/head"
keys=$(sed 's/^/git config /' <<'end'
branch.pr.remote origin
branch.pr.pushRemote origin
branch.pr.merge refs/pull/6/head
remote.origin.gh-resolved base
remote.github-desktop-me.url https://example.org/me/r.git
remote.github-desktop-me.fetch +refs/heads/*:refs/remotes/github-desktop-me/*
gitflow.branch.master main
gitflow.prefix.feature feature/
gitflow.prefix.versiontag ""
gitflow.branch.feature/a.base develop
git-town-branch.f.parent main
gitreview.username me
end
)
same "keys of gh, git-flow, git-town, GitHub Desktop, git-review" "$pulled" "git fetch -q origin refs/pull/6/head:pr && git branch f && $keys"
keys=$(sed 's/^/git config /' <<'end'
index.threads true
core.multiPackIndex true
pack.useSparse true
fetch.unpackLimit 1
log.excludeDecoration refs/prefetch/*
end
)
same "keys of scalar" "$remote" "$keys"
# An ssh that runs the server's part here.
far="$remote; git -C $work/others/far.git config uploadpack.allowFilter true; printf '#!/bin/sh\nfor last; do :; done\nexec sh -c \"\$last\"\n' >$work/others/ssh; chmod +x $work/others/ssh"
same "clone: partial, shallow, of one branch, of a tag; sha256" "$far; git -C $work/others/far.git tag v1" "export GIT_SSH=$work/others/ssh GIT_SSH_VARIANT=ssh; git clone -q --filter=blob:none ssh://git@example.org$work/others/far.git a && git -C a log -p --oneline | wc -l && git clone -q --depth 1 file://$work/others/far.git b && git clone -q --single-branch -b other git@example.org:$work/others/far.git c && git clone -q --no-tags -b v1 --depth 1 file://$work/others/far.git d 2>/dev/null; git init -q --object-format=sha256 e && cd e && echo x >f && git add f && git commit -qm f && git config push.default current && git config extensions.worktreeConfig true && git config --worktree core.sparseCheckout false"
same "config --unset, --add, rename-section, remote remove" "$remote; git config user.name a" 'git config --unset user.name; git config --add remote.origin.fetch +refs/x:refs/y; git remote remove origin; git config branch.main.description "a b ; c"; git config --rename-section branch.main branch.other'
same "add, commit, amend, reset, revert, cherry-pick" "$repository" 'echo x >>d1/f && git commit -qam x && git commit -q --amend -m y && git reset -q --hard HEAD~1 && git revert --no-edit HEAD && git cherry-pick other 2>&1 | head -1; git cherry-pick --abort 2>/dev/null; git log --oneline | cut -d" " -f2-'
same "branch, checkout, merge, tag" "$repository" 'git checkout -q other && echo x >o && git add o && git commit -qm o && git checkout -q main && git merge -q --no-edit other && git tag v1 && git branch -d other'
same "rebase, interactive rebase by a script" "$repository" 'git checkout -q other && echo x >o && git add o && git commit -qm o && git rebase -q main && GIT_SEQUENCE_EDITOR=true git rebase -q -i HEAD~2 && git log --oneline | cut -d" " -f2-'
same "stash, stash pop, clean, mv, rm" "$repository" 'echo x >>d1/f && git stash -q && git stash pop -q && git mv d2/f d2/g && git rm -q d3/f && touch junk && git clean -fdq && git status -s'
same "bisect" "$repository" 'git bisect start -q HEAD HEAD~2 && git bisect run sh -c "[ ! -d d3 ]" >/dev/null && git bisect reset -q'
same "gc, repack, maintenance, pack-refs, reflog expire" "$repository" 'git gc -q && git repack -q -a -d && git maintenance run --quiet && git pack-refs --all && git reflog expire --all --expire=now && git count-objects -v | grep garbage:'
same "worktree add, list, remove below the project" "$repository" 'git worktree add -q wt other && echo x >wt/o && git -C wt add o && git -C wt commit -qm o && git worktree add -q wt2 -b two && git worktree remove wt2 && git worktree list | wc -l'
same "submodule add, update, deinit" "$library; $repository" "git submodule --quiet add $work/others/lib lib && git commit -qm sub && git submodule --quiet update --init && git submodule status | cut -c43- && git submodule --quiet foreach pwd | sed 's|.*/||' && git submodule --quiet deinit lib && git submodule --quiet update --init"
same "work in an existing submodule" "$library; $repository; git submodule --quiet add $work/others/lib lib; git commit -qm sub; rm -f .git/modules/*/hooks/*" 'cd lib && git config user.name sub && echo x >m && git add m && git commit -qm m && git checkout -q -b b && git branch -q -u main && cd .. && git add lib && git commit -qm moved'
same "sparse-checkout" "$repository" 'git status -s; git sparse-checkout set d1 && ls && git sparse-checkout disable && ls'
same "hooks' samples, attributes, ignore, notes, blame, grep, archive" "$repository" 'echo "*.o" >.gitignore && echo "* text" >.gitattributes && git add . && git commit -qm i && git notes add -m n && git blame d1/f | cut -c1-8 && git grep -n 1 && git archive HEAD | tar t | wc -l'
# Whatever git writes in its directory is known there: a finding would be a difference of the output.
same "sha256, split index, rerere, notes merge, am, format-patch, apply" "git init -q --object-format=sha256 . && echo 1 >f && git add . && git commit -qm one && git config rerere.enabled true" \
	'git update-index --split-index; echo 2 >f; git commit -qam two; git checkout -q -b b HEAD~1; echo 3 >f; git commit -qam three; git merge main >/dev/null 2>&1; ls .git/MERGE_MODE; echo 4 >f; git add f; git commit -qm merged; git notes add -m n; git notes --ref=x add -m m; git notes merge -q -s union x; git format-patch -q -o p HEAD~1; git checkout -q main; git am -q p/*.patch 2>/dev/null; git am --abort 2>/dev/null; rm -r p; git stash -q 2>/dev/null; git update-index --no-split-index'
same "worktrees with settings and a lock, sequences of commits, replaced messages" "$repository" 'git worktree add -q wt other; git worktree lock --reason why wt; echo x >wt/o; git -C wt add o; git -C wt commit -qm o; git -C wt branch -q up; git cherry-pick -n other; git reset -q --hard; git revert -n HEAD; git revert --quit; git reset -q --hard; git tag -a -m x v1; git describe; git branch --edit-description 2>/dev/null; git bundle create -q ../job/b.bundle main 2>/dev/null; git fetch -q ./b.bundle main; rm b.bundle; git fsck --lost-found >/dev/null 2>&1; git prune; git update-server-info; git multi-pack-index write; git commit-graph write --reachable; git pack-refs --all; git rev-parse FETCH_HEAD >/dev/null && git worktree unlock wt'
same "shallow and partial clones, bare ones" "$library; (cd $work/others/lib && for i in 1 2 3; do echo \$i >>l; git commit -qam \$i; done; git config uploadpack.allowFilter true)" "git clone -q --depth 1 file://$work/others/lib one; git -C one fetch -q --deepen 1; git -C one fetch -q --unshallow; git clone -q --bare file://$work/others/lib two.git; git -C two.git log --oneline; git -C one log --oneline; ls"

# Where the host's git will go: what is new is reported, a known remote stays where it is.
rm -rf "$work/job" && mkdir "$work/job" && (cd "$work/job" && git init -q . && git remote add origin https://example.org/mine)
noted='advice.detachedHead gui.gcWarning lfs.repositoryformatversion lfs.https://example.org/x.locksverify maintenance.auto branch.f.vscode-merge-base core.symlinks'
is "what programs note by themselves is neither kept nor reported" "false same" "$(echo $(cd "$work/job" && cp .git/config before && "$SBX" run -- sh -c "for key in $noted; do git config \$key false; done; git config core.symlinks" 2>&1 && cmp before .git/config && echo same))"
is "a new remote is reported with its host" "sbx: .git/config: remote.other.url is new: example.org" "$(cd "$work/job" && "$SBX" run -- git remote add other https://example.org/other 2>&1)"
withheld='not applied: git would send your pushes elsewhere; to set it: git config'
is "a known one leads where it led" "sbx: .git/config: remote.origin.url: $withheld remote.origin.url https://example.org/evil https://example.org/mine" \
	"$(cd "$work/job" && echo $("$SBX" run -- git remote set-url origin https://example.org/evil 2>&1; git config remote.origin.url))"
like "its pushes, too" "$(cd "$work/job" && "$SBX" run -- git remote set-url --push other "https://evil.org/ 'x" 2>&1; git config remote.other.pushurl)" "remote.other.pushurl: $withheld remote.other.pushurl 'https://evil.org/ '.''x'$"
said=$(cd "$work/job" && "$SBX" run -- git config alias.x "log -1 'a b' ; c" 2>&1)
is "the command that is printed sets it" "log -1 'a b' ; c" "$(cd "$work/job" && eval "${said##*to set it: }" && git config alias.x)"
said=$(cd "$work/job" && "$SBX" run -- sh -c 'git remote rename other far; git config user.email evil@example.org; git config rerere.enabled true' 2>&1)
is "another name of a remote is a new one, the old one stays" "https://example.org/other https://example.org/other" "$(cd "$work/job" && echo $(git config remote.far.url; git config remote.other.url))"
is "the author and what git does with conflicts stay" "1 tester@example.org " "$(grep -c user.email <<<"$said") $(cd "$work/job" && git config user.email) $(git -C "$work/job" config rerere.enabled)"
like "and are reported" "$said" '^sbx: .git/config: user.email: not applied: your commits would carry another name; to set it: git config user.email evil@example.org$'
(cd "$work/job" && eval "$(echo "$said" | sed -n 's/.*; to set it: //p')")
is "the commands that are printed do it all" "evil@example.org true remote.far.url https://example.org/other" "$(cd "$work/job" && echo $(git config user.email; git config rerere.enabled; git config --get-regexp 'remote.(far|other).url'))"

# The next push, pull and status of the host do what they did before.
up() { # a repository with an upstream
	rm -rf "$work/job" "$work/up.git" "$work/fork.git" && mkdir "$work/job" && cd "$work/job" && git init -q . && echo a >a && git add a && git commit -qm x && git init -q --bare "$work/up.git" && git init -q --bare "$work/fork.git" && git remote add origin "$work/up.git" && git push -q -u origin main
}
commit() { git -c user.name=t -c user.email=t commit-tree "$@"; }
(up && git config push.default current && git checkout -q -b feature && run_box -- sh -c 'git update-ref refs/heads/z $(git -c user.name=e -c user.email=e commit-tree HEAD^{tree} -m EVIL); git config remote.origin.push +z:main; git config push.default matching; git config remote.origin.mirror true; git init -q --bare .git/e; git config branch.feature.pushRemote .git/e' && git push -q) 2>/dev/null
stays "push: only the user's branch moves, to the upstream" "feature x main x" "$(echo $(git -C "$work/up.git" for-each-ref --format='%(refname:short) %(subject)'))"
(up && git push -q origin "$(commit "HEAD^{tree}" -p HEAD -m THEIRS)":refs/pull/66/head && run_box -- git config branch.main.merge refs/pull/66/head && git pull -q) 2>/dev/null
stays "pull: what it pulled before" "x" "$(git -C "$work/job" log -1 --format=%s)"
(up && git branch feature && "$SBX" run --read "?$HOME/.gitconfig" -- sh -c 'git checkout -q feature; git commit -q --allow-empty -m y; git config branch.feature.remote https://evil.org/x; git config branch.feature.merge refs/heads/x; git config push.autoSetupRemote true; git checkout -q -b fresh; git config branch.fresh.remote origin; git config branch.fresh.merge refs/heads/x') >/dev/null 2>&1
is "a branch that was there without settings leads nowhere else, a new one to a remote that was there" " origin " "$(cd "$work/job" && git config branch.feature.remote) $(git -C "$work/job" config branch.fresh.remote) $(git -C "$work/job" config push.autoSetupRemote)"
(up && git branch one && git branch two && "$SBX" run -- sh -c 'git remote add evil https://evil.org/x; for b in one two; do git update-ref -d refs/heads/$b; rm -f .git/logs/refs/heads/$b; git update-ref refs/heads/$b HEAD; done; git config branch.one.remote evil; git config branch.one.merge refs/heads/one; git config branch.two.pushRemote https://evil.org/x') >"$work/log" 2>&1
is "one that the box made anew, too" "sbx: .git/config: branch.one.remote: $withheld branch.one.remote evil sbx: .git/config: branch.two.pushremote: $withheld branch.two.pushremote https://evil.org/x sbx: .git/config: remote.evil.url is new: evil.org " \
	"$(echo $(sort "$work/log")) $(cd "$work/job" && git config --get-regexp '^branch[.](one[.]remote|two)')"
(up && git remote add fork "$work/fork.git" && git config remote.pushDefault fork && git config remote.origin.pushurl no-push && run_box -- sh -c 'git config --unset remote.pushDefault; git config --unset remote.origin.pushurl' && git push -q) 2>/dev/null
stays "a lock on pushes stays" "fork no-push x" "$(cd "$work/job" && git config remote.pushDefault) $(git -C "$work/job" config remote.origin.pushurl) $(git -C "$work/fork.git" log -1 --format=%s)"
python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], flush=True)
s.accept(); print("connected", flush=True)' >"$work/server" &
server=$!
for _ in $(seq 100); do [ -s "$work/server" ] && break; sleep 0.05; done
(up && run_box --network none -- sh -c 'git config core.repositoryformatversion 1; git config extensions.partialclone e; git config remote.e.promisor true; git config remote.e.url http://127.0.0.1:'"$(cat "$work/server")"'/; t=$(git rev-parse HEAD^{tree}); echo x >x; git add x; rm -f .git/objects/${t%${t#??}}/${t#??}'; git status) >/dev/null 2>&1
sleep 0.1
stays "status: no connection" "" "$(grep connected "$work/server")"
kill $server 2>/dev/null
cd "$work" || exit 1

# Worktrees whose repository lies outside of the project.
rm -rf "$work/main-repository" "$work/tree"
git init -q "$work/main-repository" && (cd "$work/main-repository" && echo x >f && git add f && git commit -qm one && git worktree add -q "$work/tree" -b topic)
(cd "$work/tree" && run_box --read "?$HOME/.gitconfig" -- bash -c 'echo y >g && git add g && git commit -qm two && git remote add x https://example.org/x && git config core.fsmonitor evil && git log --oneline | wc -l; echo evil >'"$work"'/main-repository/.git/hooks/post-checkout; ls '"$work"'/main-repository; echo ../../.. >'"$work"'/main-repository/.git/worktrees/tree/commondir' >"$work/inside" 2>&1)
is "a worktree: commits in the repository outside" 2 "$(git -C "$work/tree" log --oneline | wc -l)"
is "its configuration is merged, what git would run is not" "https://example.org/x " "$(git -C "$work/tree" config remote.x.url) $(git -C "$work/tree" config core.fsmonitor)"
stays "its hooks and commondir are as before" "../.. " "$(cat "$work/main-repository/.git/worktrees/tree/commondir") $(ls "$work/main-repository/.git/hooks" | grep -v sample)"
# Below a folder that is no repository they work as in their own directory.
mkdir "$work/folder" && (cd "$work/main-repository" && git worktree add -q "$work/folder/one" -b folder-1 && git worktree add -q "$work/folder/two" -b folder-2 && git clone -q . "$work/folder/clone")
before=$(cat "$work/main-repository/.git/config")
inside=$(cd "$work/folder" && run_box --read "?$HOME/.gitconfig" -- sh -c "for i in one two clone; do (cd \$i && echo y >h && git add h && git commit -qm h && git log --oneline -1 --format=%s); done; git -C one config core.fsmonitor evil; echo x >$work/main-repository/.git/hooks/pre-commit; echo x >one/.git; cat $work/main-repository/f" 2>&1)
is "worktrees and a clone below a plain folder: commits" "h h h" "$(for i in one two clone; do git -C "$work/folder/$i" log -1 --format=%s; done | xargs)"
stays "the repository's config is as before" "$before" "$(cat "$work/main-repository/.git/config")"
is "its hooks, the pointer and its files are out of reach" "2 1" "$(grep -c 'Read-only' <<<"$inside") $(grep -c 'main-repository/f: No such file' <<<"$inside")"
(cd "$work/folder" && exec "$SBX" run -- sh -c "printf '[core]\n\tfsmonitor = evil\n' >$work/main-repository/.git/config.worktree; : >ready; exec sleep 60") >/dev/null 2>&1 &
box=$!
wait_for 30 test -e "$work/folder/ready"
kill -9 $box
wait $box 2>/dev/null
is "its twin: a killed box left a setting there" 1 "$(grep -c evil "$work/main-repository/.git/config.worktree")"
(cd "$work/folder" && "$SBX" run -- true) 2>/dev/null
is "which goes with the next run" "" "$(grep evil "$work/main-repository/.git/config.worktree")"
(cd "$work/folder/one" && echo k=1 >.env && git add .env && git commit -qm k && cp .env ..)
stays "the folder's own .env is in no index of theirs" "" "$(cd "$work/folder" && "$SBX" run --hide-untracked .env -- cat .env 2>/dev/null)"
mkdir "$work/folder/liar" && git init -q "$work/victim" && echo "gitdir: $work/victim/.git" >"$work/folder/liar/.git"
is "a pointer to a repository that does not point back shows nothing" "fatal: not a git repository: $work/victim/.git" "$(cd "$work/folder" && "$SBX" run -- git -C liar status 2>&1 | grep ^fatal)"
is "the other tree of that repository is not seen" ".git" "$(grep -v '[a-z ]: \|^[0-9]\|^sbx' "$work/inside"; cd "$work/tree" && "$SBX" run -- ls -A "$work/main-repository")"
(cd "$work/main-repository" && git init -q "$work/alone" && mkdir "$work/pretender" && echo "gitdir: $work/main-repository/.git" >"$work/pretender/.git")
is "a .git file that names somebody's repository gives nothing" 1 "$(cd "$work/pretender" && "$SBX" run -- test -e "$work/main-repository" 2>/dev/null; echo $?)"
like "and the plan says so" "$(cd "$work/pretender" && "$SBX" plan -- true)" 'leads git to .*main-repository/[.]git.*not in the box; to show it: --read .?/'

# Objects elsewhere, whatever their directory is called.
(git init -q "$work/lent" && cd "$work/lent" && echo x >f && git add f && git commit -qm one && mv .git/objects "$work/store" && ln -s "$work/store" .git/objects) >/dev/null
like "objects by a link: what to do is said" "$(cd "$work/lent" && "$SBX" run -- git log 2>&1)" "leads git to '$work/store', .*to show it: --read '*$work/store"
is "with that git reads them" one "$(cd "$work/lent" && "$SBX" run --read "$work/store" -- git log --format=%s 2>&1)"
(cd "$work/lent" && rm .git/objects && mkdir -p .git/objects/info "$work/middle/info" && echo "$work/middle" >.git/objects/info/alternates && echo "$work/store" >"$work/middle/info/alternates")
like "objects of others' others: the first is said" "$(cd "$work/lent" && "$SBX" run -- git log 2>&1)" "leads git to '$work/middle', .*to show it: --read '*$work/middle"
like "with that the second is said" "$(cd "$work/lent" && "$SBX" run --read "$work/middle" -- git log 2>&1)" "'$work/middle/info/alternates' leads git to '$work/store', .*to show it: --read '*$work/store"
is "with both git reads both" one "$(cd "$work/lent" && "$SBX" run --read "$work/middle" --read "$work/store" -- git log --format=%s 2>&1)"
like "GIT_OBJECT_DIRECTORY: what to do is said" "$(cd "$work/lent" && GIT_OBJECT_DIRECTORY=$work/other-store "$SBX" run -- sh -c 'exit 1' 2>&1; mkdir "$work/other-store"; GIT_OBJECT_DIRECTORY=$work/other-store "$SBX" run -- git log 2>&1)" "GIT_OBJECT_DIRECTORY names $work/other-store, .*--read $work/other-store"

# A checkout across a branch that changes a protected name: what git says and what sbx tells.
repository_with_settings='git init -q . && mkdir .vscode && echo 1 >.vscode/settings.json && echo a >f && git add . && git commit -qm one && git checkout -q -b other && echo 2 >.vscode/settings.json && echo b >f && git commit -qam two && git checkout -q main'
for action in "checkout other" "merge other" "reset --hard other" "pull . other"; do
	rm -rf "$work/job"
	mkdir "$work/job"
	(cd "$work/job" && eval "$repository_with_settings")
	(cd "$work/job" && "$SBX" run --read "?$HOME/.gitconfig" -- git -c pull.rebase=false $action) >"$work/said" 2>&1
	echo "status $?" >>"$work/said"
	sed -i "s|$work|WORK|g; s|[0-9a-f]\{7\}\.\.[0-9a-f]\{7\}|A..B|; s|is now at [0-9a-f]*|is now at A|" "$work/said"
	golden=$here/git-$(echo $action | tr -cs 'a-z\n' -).expected
	[ "${UPDATE:-}" != 1 ] || cp "$work/said" "$golden"
	is "git $action across a protected name" "$(cat "$golden")" "$(cat "$work/said")"
	(cd "$work/job" && git reset -q --hard && "$SBX" run --read "?$HOME/.gitconfig" --write .vscode -- git -c pull.rebase=false $action) >/dev/null 2>&1
	is "git $action with --write .vscode" "2 b" "$(cat "$work/job/.vscode/settings.json" "$work/job/f" | tr '\n' ' ' | sed 's/ $//')"
done
for action in "merge other" "rebase other" "cherry-pick other" stash "am $work/two.patch" "checkout other -- .vscode"; do
	for report in short agent json; do
		rm -rf "$work/job"
		mkdir "$work/job"
		(cd "$work/job" && eval "$repository_with_settings" && git format-patch -q -1 --stdout other >"$work/two.patch" && git commit -q --allow-empty -m three && { [ "$action" != stash ] || echo 3 >.vscode/settings.json; })
		like "git $action names the flag, report $report" "$(cd "$work/job" && "$SBX" run --report $report --read "?$HOME/.gitconfig" --read "$work/two.patch" -- git $action 2>&1)" "read-only.*--write .vscode"
	done
done
stays "a command that fails without git has no such line" "" "$(cd "$work/job" && run_box -- sh -c 'git log -1 >/dev/null; exit 3' 2>&1)"
# Worktrees that the box does not see: git in it must not take them for gone.
rm -rf "$work/beside" && mkdir "$work/beside"
(cd "$work/beside" && git init -q main && cd main && echo x >f && git add f && git commit -qm one && git worktree add -q ../one && mkdir far && git worktree add -q far/two && ln -s "$work/beside" "$work/beside-link" && git worktree add -q "$work/beside-link/three") >/dev/null
prune='git worktree list; git worktree prune -v; ls .git/worktrees; cd ../one && git status 2>&1 | grep -o "^fatal: not a git repository"; ls -A'
wanted=$(cd "$work/beside/main" && git worktree list && ls .git/worktrees && echo "fatal: not a git repository" && echo .git)
is "worktrees beside a project are not pruned in the box" "$wanted" "$(cd "$work/beside/main" && "$SBX" run --read "?$HOME/.gitconfig" -- sh -c "$prune" 2>&1)"
is "nor by one of them" "$wanted" "$(cd "$work/beside/one" && "$SBX" run --read "?$HOME/.gitconfig" -- sh -c "cd ../main/.git && $(echo "$prune" | sed 's|ls .git/|ls |; s|../one|../../three|')" 2>&1)"
is "nor in a session" "$wanted" "$(cd "$work/beside/main" && "$SBX" session create beside >/dev/null && "$SBX" run -s beside --read "?$HOME/.gitconfig" -- sh -c "$prune" 2>&1)"
"$SBX" session rm beside >/dev/null 2>&1
mkdir "$work/beside/other" "$work/beside/main/.git/worktrees/liar" && echo "gitdir: $work/elsewhere" >"$work/beside/other/.git" && echo "$work/beside/other/.git" >"$work/beside/main/.git/worktrees/liar/gitdir"
is "what does not point back is not shown" "main one three" "$(cd "$work/beside/main" && "$SBX" run -- ls "$work/beside" | paste -sd' ')"
rm -r "$work/beside/main/.git/worktrees/liar"
# What the locked process that reads the project's files answers is a stranger's wish: one that cannot be ends the start.
new=$(new_project)
cd "$new" || exit 1
git config core.hooksPath hooks # where a configuration names nothing, nobody is asked
printf '[limits]\npids = 100\n' >.sbx.ini
for lie in dies waits long twice place link copy; do
	is "a reader that was taken over ($lie) ends the start" "125 not run" "$(SBX_TEST_SKIP=reader-$lie timeout 60 "$SBX_TESTING" run -- touch ran 2>"$work/said"; echo $? $([ -e ran ] || echo not run))"
	like "and is named ($lie)" "$(cat "$work/said")" "^sbx: the locked process that reads the project's files "
done
echo one >file && "$SBX" session create read >/dev/null && "$SBX" run -s read -- sh -c 'echo two >file' 2>/dev/null
is "a session's changes are told by what it reads" "0 +two 125" "$("$SBX_TESTING" session diff read >"$work/diff" 2>&1; printf "%s %s " $? "$(grep '^+two' "$work/diff")"; SBX_TEST_SKIP=reader-dies timeout 60 "$SBX_TESTING" session diff read >/dev/null 2>&1; echo $?)"
"$SBX" session rm read >/dev/null 2>&1
# The same after a run: what the reader says of the box's configuration adds no key that the table does not have.
ends() { # LIE COMMAND: what the host's git has then, and what the run says
	SBX_TEST_SKIP=$1 timeout 60 "$SBX_TESTING" run -- sh -c "$2" >"$work/said" 2>&1
	echo "$(git config -f .git/config core.fsmonitor) $(git config -f .git/config branch.liar.description) $(git config -f .git/config branch.b.description) $(grep -oE 'core.fsmonitor: not applied|none of the box.s changes were applied|changed and is now in quarantine' "$work/said" | sort -u | paste -sd,)"
}
change='git config branch.b.description mine'
cat .git/config >"$work/config"
is "an honest reader's answer is merged" "  mine " "$(ends none "$change")"
cat "$work/config" >.git/config
is "a reader that was taken over adds what a box may add" " ./liar mine " "$(ends check-taken "$change")"
cat "$work/config" >.git/config
is "and no key that git would execute" "  mine core.fsmonitor: not applied" "$(ends check-key "$change")"
for where in '' 'touch more; '; do
	for lie in far back other twice; do
		cat "$work/config" >.git/config
		is "of an answer that cannot be one nothing is written ($lie, '$where')" "   none of the box's changes were applied" "$(ends check-$lie "$where$change")"
		stays "the file is as it was ($lie)" "" "$(cmp .git/config "$work/config" 2>&1)"
	done
done
cat "$work/config" >.git/config
# One that waits is the only child of a run that is locked and has one number.
SBX_TEST_SKIP=reader-waits "$SBX_TESTING" run -- true the-word 2>/dev/null &
for _ in $(seq 100); do
	locked=$(grep -lE '^Seccomp:\s*2' $(pgrep -P $! | sed 's|.*|/proc/&/status|') /dev/null 2>/dev/null | xargs -r grep -lE '^NSpid:\s*[0-9]+$' 2>/dev/null)
	[ -z "$locked" ] && sleep 0.01 && continue
	sleep 0.01 && break
done
is "the caller's words are not in it" "run 0" "$(tr '\0' ' ' <"${locked%status}cmdline" | grep -o ' run' | xargs) $(grep -c the-word "${locked%status}cmdline")"
wait $!
cd "$work" && git init -q robbed && mkdir liar && echo "gitdir: $work/robbed/.git" >liar/.git
is "what it says of a repository elsewhere does not make that writable" "" "$(cd liar && SBX_TEST_SKIP=reader-tree "$SBX_TESTING" run -- sh -c "echo x >$work/robbed/.git/taken" 2>/dev/null; ls "$work/robbed/.git" | grep taken)"
git -C robbed config core.worktree "$work/liar"
is "its twin: what the user's own configuration says does" "taken" "$(cd liar && "$SBX_TESTING" run -- sh -c "git status && echo x >$work/robbed/.git/taken" >/dev/null 2>&1; ls "$work/robbed/.git" | grep taken)"
cd "$new" || exit 1
# The walls around it in a real start: the calls of the process that asks for its socket first.
if strace -f -qq -o /dev/null true 2>/dev/null; then
	strace -f -qq -o "$work/calls" "$SBX" run -- true 2>/dev/null
	reader=$(awk '/dup3\([0-9]+, 0, 0/ { print $1; exit }' "$work/calls")
	sed -n "s/^$reader *\([a-z0-9_]*\)(.*/\1/p" "$work/calls" >"$work/made"
	is "the reader makes its filter before it gets a byte" "seccomp recvmsg" "$(grep -xE 'seccomp|recvmsg|pread64' "$work/made" | head -n 2 | paste -sd' ')"
	is "and has no way to a file, a program or another process then" "" "$(sed '1,/^seccomp$/d' "$work/made" | grep -vxE 'recvmsg|read|write|pread64|mmap|munmap|mremap|madvise|brk|close|exit_group')"
	is "who read an untrusted profile is asked for nothing else" 1 "$(grep -c "^$reader *read(0," "$work/calls")"
	(cd / && strace -f -qq -o "$work/none" "$SBX" run --project none --write "$work/robbed" -- true) 2>/dev/null
	is "without a project it is born before pid 1 as well, and the memory that processes share" 1 "$(awk '/CLONE_NEWPID/ { exit } /clone\(/ { n++ } END { print n + 0 }' "$work/none")"
	readers() { # how many processes are asked, where the check asks none
		sleep 0.2 && strace -f -qq -o "$work/readers" "$SBX" run -- true 2>/dev/null && awk '/recvmsg\(0,/ { print $1 }' "$work/readers" | sort -u | wc -l
	}
	printf '[core]\n\teditor = vi\n' >"$work/robbed/included"
	before=$(readers) && before=$(readers) && git config include.path "$work/robbed/included" && after=$(readers) && after=$(readers)
	is "what another project may have written is read by a process that reads nothing else" yes "$([ "$after" -gt "$before" ] && echo yes)"
	git config --unset include.path
	plain=$(new_project)
	(cd "$plain" && git add -A && sleep 0.1 && "$SBX" run -- true && strace -f -qq -o "$work/none" "$SBX" run -- true) 2>/dev/null
	is "and none where nothing is asked: an index that was kept, a configuration that names nothing" "0 1" "$(awk '/CLONE_NEWPID/ { exit } /clone\(/ { n++ } END { print n + 0 }' "$work/none") $(grep -c CLONE_NEWPID "$work/none")"
	readers() { strace -f -qq -o "$work/readers" "$SBX" run -- "$@" 2>/dev/null && awk '/recvmsg\(0,/ { print $1 }' "$work/readers" | sort -u | wc -l; }
	mkdir indexed && before=$(readers touch indexed/one) && after=$(readers git add indexed/one)
	is "an index that a box wrote is taken apart by a process of those" yes "$([ "$after" -gt "$before" ] && echo yes)"
	is "the plan's memory is not in it" 1 "$(grep -E "^$reader *munmap\(" "$work/calls" | sed -n 1p | grep -c 67108864)"
else
	skip "the reader's walls" "strace is not installed"
fi
rm .sbx.ini && mkdir hooks && echo 'exec ./tool' >hooks/pre-commit && touch tool
is "an honest one does not" "0 protected" "$("$SBX_TESTING" run -- sh -c 'echo x >>hooks/pre-commit || echo protected' 2>/dev/null | sed "s/^/$? /")"
like "and what a hook names is told" "$("$SBX_TESTING" run -- sh -c 'sleep 0.1; echo x >>tool' 2>&1)" tool
# Signed commits: the keys stay outside, an agent may be asked, and what was not signed inside is signed later.
signed() { git cat-file commit HEAD | grep -c 'BEGIN SSH SIGNATURE'; }
new=$(new_project)
cd "$new" || exit 1
mkdir -m 700 "$HOME/.ssh" && ssh-keygen -q -t ed25519 -N '' -f "$HOME/.ssh/signing"
eval "$(ssh-agent)" >/dev/null && ssh-add -q "$HOME/.ssh/signing"
git config --global gpg.format ssh
git config --global user.signingkey "$HOME/.ssh/signing.pub"
git config --global commit.gpgsign true
echo a >new && git add new
is "a signed commit without its key fails, and makes none" "128 0" "$("$SBX" run -- git commit -qm inside >/dev/null 2>&1; echo $? $(git log --oneline 2>/dev/null | wc -l))"
"$SBX" run --socket '$SSH_AUTH_SOCK' --pass-env SSH_AUTH_SOCK --read "$HOME/.ssh/signing.pub" -- git commit -qm inside >/dev/null 2>&1
is "with the agent's socket and the public key it is signed" 1 "$(signed)"
echo b >new && "$SBX" run -- git -c commit.gpgsign=false commit -qam unsigned
is "without a signature it is made" "0 unsigned" "$(signed) $(git log -1 --format=%s)"
git rebase -q --exec 'git commit -q --amend --no-edit -S' HEAD~1 >/dev/null 2>&1
is "and signed by the host's git afterwards" "1 unsigned" "$(signed) $(git log -1 --format=%s)"
kill "$SSH_AGENT_PID"
done_testing
