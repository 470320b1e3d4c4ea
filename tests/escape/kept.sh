#!/bin/bash
# What a person does without meaning to run the project, after a box that wanted it to: nothing of the box's runs, and
# nothing is sent elsewhere; or the file that runs was named when the box ended.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state LC_ALL=C GIT_CONFIG_NOSYSTEM=1
mkdir -p "$HOME"
git config --global user.name a && git config --global user.email a@b && git config --global init.defaultBranch main
mark=$work/mark
evil="touch '$mark'"

work_here() { # a project with a commit; a command of the user's to set it up
	project=$(new_project) && cd "$project" && mkdir lib scripts && echo a >lib/a && eval "${1-}" && git add . && git commit -qm one && sleep 0.1
	rm -f "$mark"
}
box() { run_box -- sh -c "$1" 2>"$work/log"; }
script() { printf '#!/bin/sh\n%s\n' "${2-}" >"$1" && chmod +x "$1"; }
ran() { [ ! -e "$mark" ] || echo ran; }
told() { sed -n 's/^sbx: changed, and your own programs will run it: //p' "$work/log" | sed 's/, /\n/g' | grep -Fx -- "$1"; }
# name, file of the project, how it runs: the box adds a line to it; it runs nothing, or it was named
runs_or_told() {
	box "echo \"$evil\" >>$2"
	stays "$1" "$4" "$(told "$2")"
	eval "$3" >/dev/null 2>&1
	stays "$1: as the host runs it" "${4:+ran}" "$(ran)"
}

# --- links: what they lead to is read-only
work_here 'script scripts/h; ln -s ../../scripts/h .git/hooks/pre-commit'
runs_or_told "a linked hook" scripts/h 'git commit --allow-empty -m two' ""
work_here 'mkdir conf; echo "export A=1" >conf/envrc; ln -s conf/envrc .envrc; echo "{}" >conf/tasks.json; mkdir conf/vscode; mv conf/tasks.json conf/vscode; ln -s conf/vscode .vscode'
runs_or_told "a linked .envrc" conf/envrc '. ./.envrc' ""
box 'echo evil >>conf/vscode/tasks.json; echo evil >conf/vscode/settings.json; rm .vscode; mkdir .vscode; echo evil >.vscode/tasks.json'
stays "a linked .vscode" "tasks.json {}" "$(cd .vscode && echo *) $(cat .vscode/tasks.json)"
box 'mkdir -p lib/x/.vscode x; echo "{}" >x/tasks.json; mv x .vscode2; ln -s .vscode2 .vscode 2>/dev/null; mkdir -p .idea; echo evil >.idea/workspace.xml'
stays "a new directory of an editor" "" "$(ls -d .idea 2>/dev/null)"
work_here 'mkdir -p nvim/lua/deep ~/.config/nvim/lua; echo 1 | tee nvim/lua/deep/x.lua nvim/y.lua profile >/dev/null; ln -s "$PWD/nvim/lua/deep" ~/.config/nvim/lua/deep; ln -s "$PWD/nvim/y.lua" ~/.config/nvim/lua/y.lua; ln -s "$PWD/profile" ~/.bashrc'
box 'for f in nvim/lua/deep/x.lua nvim/y.lua profile nvim/lua/deep/new.lua; do echo evil >>$f; done'
stays "links of the home, one to three deep" "" "$(grep -rl evil nvim profile)"
rm -r ~/.config ~/.bashrc
work_here 'mkdir -p nvim/lua/deep ~/.config/nvim/lua/deep ~/.config/fish; echo 1 | tee nvim/lua/deep/x.lua fish >/dev/null; ln -s "$PWD/nvim/lua/deep/x.lua" ~/.config/nvim/lua/deep/x.lua; ln -s ../../two ~/.config/fish/conf.d; ln -s "$PWD/fish" ~/two'
box 'for f in nvim/lua/deep/x.lua fish; do echo evil >>$f; rm -f $f; mkdir -p $f; done'
stays "each file a link, three deep and no other; by two links" "" "$(grep -L 1 nvim/lua/deep/x.lua fish 2>&1)"
rm -r ~/.config ~/two

# --- where git sends: what stood stays, what is new leads nowhere by itself
remotes() { for name in good evil; do rm -rf "${work:?}/$name.git"; git init -q --bare "$work/$name.git"; done; git remote add origin "$work/good.git" && git push -q -u origin HEAD:refs/heads/main; }
pushed() { git -C "$work/evil.git" log --all --format=%s 2>/dev/null | head -1; }
for way in "git config --add remote.origin.url '$work/evil.git'" "printf '[Remote \"origin\"]\n\turl = $work/evil.git\n' >>.git/config" \
	"printf '[remote \"x\"]\n\turl = $work/evil.git\n[branch \"main\"]\n\tremote = x\n\tpushRemote = x\n' >>.git/config" \
	"git config url.'$work/evil.git'.insteadOf '$work/good.git'; git config remote.origin.pushurl '$work/evil.git'; git config remote.pushDefault '$work/evil.git'"; do
	work_here 'git commit -q --allow-empty -m zero; remotes'
	box "$way"
	like "$way: is said" "$(cat "$work/log")" "^sbx: .git/config: "
	git commit -q --allow-empty -m secret; git push -q >/dev/null 2>&1
	stays "$way: git push goes where it went" "|secret" "$(pushed)|$(git -C "$work/good.git" log -1 --format=%s main)"
done

work_here 'git commit -q --allow-empty -m zero; remotes'
box "printf '[remote \"x\"]\n\turl = $work/evil.git\n[branch \"later\"]\n\tremote = x\n\tmerge = refs/heads/later\n' >>.git/config"
git switch -q -c later && git commit -q --allow-empty -m secret; git push -q >/dev/null 2>&1
stays "a branch that the user makes later has no remote of a box's" "" "$(pushed)"

# --- places: a directory that a box moves is new where it comes to
work_here 'printf "nm\n" >.gitignore; mkdir -p nm/old/deep'
box "cd nm/old/deep && git init -q . && git config core.fsmonitor \"touch '$mark';\""
sleep 0.1
box 'mv nm/old lib/old'
git -C lib/old/deep status >/dev/null 2>&1
stays "a directory with a repository, moved to where git tracks files" "" "$(ran)"
stays "is there" deep "$(ls lib/old)"

# --- texts: a file that a standing hook, .envrc or git's own commands name
work_here 'script scripts/env; echo "source scripts/env" >.envrc'
runs_or_told "what .envrc names" scripts/env '. ./.envrc' scripts/env
work_here 'script scripts/check; script .git/hooks/pre-commit "exec ./scripts/check"'
runs_or_told "what a hook names" scripts/check 'git commit --allow-empty -m two' scripts/check
work_here 'script scripts/tc "cat \"\$1\""; echo "*.x diff=x" >.gitattributes; echo 1 >a.x; git config diff.x.textconv scripts/tc'
runs_or_told "what textconv names" scripts/tc 'echo 2 >a.x; git diff' scripts/tc
work_here 'script scripts/fl cat; echo "*.f filter=f" >.gitattributes; echo 1 >b.f; git config filter.f.clean scripts/fl'
runs_or_told "what a filter names" scripts/fl 'touch b.f; git status' scripts/fl

# --- while the box lives, the host's own git writes and reads where the box does
live() { # a command in the box, which then lives until over; a command of the host's that succeeds at last
	rm -f "$work/ready" && run_box -- sh -c "$1
		touch ready; until [ -e over ]; do sleep 0.05; done" 2>"$work/log" &
	wait_for 30 test -e ready && wait_for 30 eval "$2"
}
over() { touch over && wait; }
strange() { find .git \( -type l -o -type p \) | sort | paste -sd' '; }
work_here 'git branch f/x; mkdir .git/rebase-merge; echo mine >~/rc; ln -s ~/rc .git/mine; sleep 0.1'
live "sleep 0.3; cd .git; for f in COMMIT_EDITMSG MERGE_MSG FETCH_HEAD logs/HEAD logs/refs/heads/main logs/refs/heads/f/y rebase-merge/done; do ln -sf '$HOME/rc' \$f; done
	rm -r refs/tags; ln -s '$HOME' refs/tags; mkdir -p logs/refs/notes/a refs/new; ln -s '$HOME' refs/new/d; ln -s '$HOME/rc' logs/refs/notes/a/b; mkfifo ORIG_HEAD; cd .." '[ "$(strange)" = .git/mine ]'
links=$(strange)
git commit -q --allow-empty -m two; git fetch -q . main; git branch -f f/y; git tag t
over
stays "links in git's directories are taken while the box lives, but not the user's; the host's git follows none" ".git/mine|mine|two" "$links|$(cat ~/rc)|$(git log -1 --format=%s)"
forge='import hashlib, mmap, sys
def forged(d): d = d[:-20].replace(b"-./rc", b"../rc").replace(b"-git/", b".git/"); return d + hashlib.sha1(d).digest()'
for way in 'open(".git/i", "wb").write(forged(open(".git/index", "rb").read())); import os; os.rename(".git/i", ".git/index")' \
	'f = open(".git/index", "r+b"); m = mmap.mmap(f.fileno(), 0); m[:] = forged(m[:])'; do
	work_here "mkdir -- -. -git -git/hooks; script ./-git/hooks/post-index-change \"$evil\"; echo evil >./-./rc; rm -f ../rc"
	live "sleep 0.3; python3 -c '$forge
$way' && touch forged" '! git ls-files | grep -q "^[.]"'
	git checkout -q .
	touch lib/a; git status >/dev/null
	over
	stays "an index that git does not write (${way%%(*}) is replaced while the box lives" "forged||" "$(ls forged)|$(ran)|$(ls ../rc .git/hooks/post-index-change 2>/dev/null)"
done
work_here && rm -rf .git
live "git init -q . && git config user.email x && git config core.fsmonitor \"$evil;\" && touch made" '! git config core.fsmonitor'
git status >/dev/null
email=$(git config user.email)
over
stays "what a repository that came to the top would run is removed while the box lives; who its box is, is not" "made||x" "$(ls made)|$(ran)|$email"
# More names than one turn reads come first in the directory's order.
work_here 'echo mine >~/rc; : >.git/COMMIT_EDITMSG'
cat >"$work/fill.py" <<'END'
import os, sys
os.chdir(".git")
for i in range(200):
    room = "z%d" % i
    os.mkdir(room)
    if os.listdir(".").index(room) < os.listdir(".").index("COMMIT_EDITMSG"):
        break
    os.rmdir(room)
for i in range(66500):
    if i % 60000 == 0:
        first = "%s/s%d" % (room, i)
        open(first, "w").close()
    os.link(first, "%s/%d" % (room, i))
os.unlink("COMMIT_EDITMSG")
os.symlink(sys.argv[1], "COMMIT_EDITMSG")
END
live "sleep 0.3; python3 -c '$(cat "$work/fill.py")' '$HOME/rc'" '[ ! -L .git/COMMIT_EDITMSG ]'
there=$([ -L .git/COMMIT_EDITMSG ] || echo taken)
over
stays "so is a link at the top behind 66,500 names" "taken mine" "$there $(cat ~/rc)"
# Hundreds of long configurations take a check of seconds; a signal waits for none of it.
work_here && rm -rf .git
cat >"$work/modules.py" <<'END'
import os
text = "".join("[a%d]\n\tk = 1\n" % i for i in range(480)) + "[core]\n\tfsmonitor = x\n"
def repository(path, config):
    os.makedirs(path + "/objects")
    os.makedirs(path + "/refs")
    open(path + "/HEAD", "w").write("ref: refs/heads/main\n")
    open(path + "/config", "w").write(config)
repository("x", "")
for i in range(800):
    repository("x/modules/m%d" % i, text)
os.rename("x", ".git")
END
"$SBX" run -- sh -c "sleep 0.3; python3 -c '$(cat "$work/modules.py")'; touch ready; for i in \$(seq 600); do touch beat; sleep 0.05; done" 2>"$work/log" &
wait_for 30 test -e ready
sleep 0.5
kill -TERM $!
begin=$(date +%s)
wait $!
status=$?
is "and no check while a box lives holds a signal up" "143 soon" "$status $([ $(($(stat -c %Y beat) - begin)) -le 2 ] && echo soon || echo "$(($(stat -c %Y beat) - begin)) s")"
# Repositories that a box makes where the user's git goes without being led there, while the box lives.
late="git config core.fsmonitor \"$evil;\""
for way in "lib|git init -q lib|a directory of tracked files" \
	".|git init -q z && git -C z commit -q --allow-empty -m x && git add z && cd z|a submodule that came" \
	".|git init -q sub && cd sub|the user's submodule, not checked out" \
	".|git -c protocol.file.allow=always submodule --quiet add \$PWD/up.git lib/s && cd lib/s|a submodule with its directory in .git" \
	".|git init -q --bare b && mv b/* lib && cd lib && git config core.bare false && git config core.worktree .|a git directory among tracked files"; do
	IFS='|' read -r place make name <<<"$way"
	work_here 'git add lib; git commit -qm zero; git clone -q --bare . up.git 2>/dev/null; git init -q sub; git -C sub commit -q --allow-empty -m s; git add sub; rm -rf sub/.git; echo up.git >.gitignore'
	live "sleep 0.3; (cd $place && $make && $late) && touch made" "[ -e made ] && ! grep -rqs --include=config fsmonitor . .git/modules"
	(cd "$place" && git status && git diff && git add -A) >/dev/null 2>&1
	over
	stays "$name: what it runs is removed while the box lives" "made|" "$(ls made)|$(ran)"
done
work_here 'mkdir -p src/deep; echo b >src/deep/b'
live "sleep 0.3; cp -a src evil; (cd evil/deep && git init -q . && $late); sleep 2; mv src old; mv evil src; touch made" '[ -e made ] && ! git -C src/deep config core.fsmonitor'
git -C src/deep status >/dev/null
over
stays "a renamed parent brings one: it too" "made|" "$(ls made)|$(ran)"
work_here 'mkdir plain; echo p >plain/p'
live "sleep 0.3; git init -q t && mv t/.git/* plain/ && mv plain lib/.git && (cd lib && $late) && touch made" '[ -e made ] && ! git -C lib config core.fsmonitor'
git -C lib status >/dev/null 2>&1
over
stays "an old directory that becomes .git: it too" "made|" "$(ls made)|$(ran)"
work_here
live 'hook=lib/.git/hooks/pre-commit; for i in 1 2 3 4 5 6 7 8 9 10; do rm -rf lib/.git; git init -q lib; mkdir -p ${hook%/*}; touch $hook; until [ ! -e $hook ]; do sleep 0.02; done; done; touch made' '[ -e made ]'
over
stays "tests that make a repository again and again there are not ended" "made|" "$(ls made)|$(grep "again and again" "$work/log")"
work_here && rm -rf .git
live "sleep 0.3; git init -q --bare b; mv b/* .; git config core.bare false; git config core.worktree .; $late; touch made" '[ -e made ] && ! git config core.fsmonitor'
git status >/dev/null 2>&1
over
stays "so it is in a git directory at the top of a project without one" "made|" "$(ls made)|$(ran)"
work_here 'mkdir -p deep/er' && rm -rf .git && cd deep/er || exit 1
live "sleep 0.3; git init -q . && $late; touch made" '[ -e made ] && ! git config core.fsmonitor'
git status >/dev/null 2>&1
over
stays "and in one in the command's directory, without git around" "made|" "$(ls made)|$(ran)"
work_here 'mkdir dot; git config include.path ../dot/gc'
live "sleep 0.3; printf '[core]\n\tfsmonitor = \"%s;\"\n' '$evil' >dot/gc; touch made" '[ -e made ] && [ ! -e dot/gc ]'
git status >/dev/null
over
stays "a file that git's configuration includes, and that was not there, is taken" "made|" "$(ls made)|$(ran)"
# The user's git directories that are not called .git: a bare remote, a separate one, one behind a link, a bare one with worktrees.
hook="printf '#!/bin/sh\n%s\n' \"$evil\""
for way in "r.git|$hook >r.git/hooks/post-receive; chmod +x r.git/hooks/post-receive|a hook of a bare remote" \
	"r.git|git -C r.git config core.bare false; git -C r.git config core.worktree .; cd r.git; $late|a bare remote's configuration" \
	"sep|$hook >gd/hooks/post-index-change; chmod +x gd/hooks/post-index-change|a hook of a separate git directory" \
	"sep|cd sep; $late|its configuration" \
	"sep|mkdir sep/.sh; $hook >sep/.sh/post-index-change; chmod +x sep/.sh/post-index-change|hooks that it names" \
	"nc|cd nc; $late|a git directory behind a link" \
	"nc|rm nc/.git; cp -r dot nc/.git; cd nc; $late|its link" \
	"nb/m|$hook >nb/.bare/hooks/post-index-change; chmod +x nb/.bare/hooks/post-index-change; cd nb/m; $late|a bare one with worktrees"; do
	IFS='|' read -r place make name <<<"$way"
	work_here 'git add lib; git commit -qm zero; git init -q --bare r.git; git remote add origin ./r.git; git push -q origin main; git init -q --separate-git-dir "$PWD/gd" sep; [[ $name != hooks* ]] || git -C sep config core.hooksPath .sh
		git init -q nc; mv nc/.git dot; ln -s ../dot nc/.git; git clone -q --bare . nb/.bare 2>/dev/null; echo "gitdir: ./.bare" >nb/.git; git -C nb worktree add -q m main; printf "%s\n" r.git sep gd nc dot nb >.gitignore; "$SBX" run -- true'
	live "sleep 0.3; ($make) 2>/dev/null; touch made" '[ -e made ] && ! [ -e sep/.sh/post-index-change ]'
	(git commit -q --allow-empty -m x; git push -q origin main; cd "$place" && touch new && git add new && git status) >/dev/null 2>&1
	over
	stays "$name: nothing of the box's runs while it lives" "made|" "$(ls made)|$(ran)"
done
work_here 'git add lib; git commit -qm zero; git clone -q --bare . up.git 2>/dev/null'
live 'sleep 0.3; for i in 1 2 3 4 5 6; do git -c protocol.file.allow=always submodule --quiet add "$PWD/up.git" lib/s$i; git worktree add -q lib/w$i -b w$i; git clone -q up.git lib/c$i; sleep 0.07; done; touch made' '[ -e made ]'
over
stays "submodules, worktrees and clones that a box makes stay" "6 7 6|" "$(git submodule status | wc -l) $(git worktree list | wc -l) $(ls -d lib/c*/.git | wc -l)|$(grep quarantine "$work/log")"
work_here 'script .git/hooks/pre-commit'
live true true
script .git/hooks/post-index-change "$evil"; echo true >>.git/hooks/pre-commit
over
git status >/dev/null
stays "hooks that came to the host meanwhile, and that changed, stay and are named" "true .git/hooks/pre-commit .git/hooks/post-index-change" "$(tail -n 1 .git/hooks/pre-commit) $(told .git/hooks/pre-commit) $(told .git/hooks/post-index-change)"
# The user's repositories below: an earlier run took rights or HEAD away; or the box writes a .git file.
below='git add lib; git commit -qm zero; git clone -q . nc 2>/dev/null; git clone -q --bare . up.git 2>/dev/null; git -c protocol.file.allow=always submodule --quiet add "$PWD/up.git" sub; git worktree add -q wt -b w; printf "nc\\nwt\\nup.git\\n" >.gitignore'
for way in "nc|chmod 000 nc|chmod 755 nc|a directory without rights" "nc|chmod 000 nc/.git|chmod 755 nc/.git|a git directory without rights" \
	"nc|mv nc/.git/HEAD nc/.git/H|mv nc/.git/H nc/.git/HEAD|HEAD away and back" \
	"sub|mv .git/modules/sub/HEAD .git/modules/sub/H|mv .git/modules/sub/H .git/modules/sub/HEAD|HEAD of a submodule" \
	"sub|true|rm -f sub/.git; git init -q sub|the .git file of a submodule" "wt|true|rm -f wt/.git; git init -q wt|the .git file of a worktree" \
	"wt|true|git init -q --bare ev; git --git-dir=ev config core.bare false; git --git-dir=ev config core.worktree ../wt; git --git-dir=ev $late; echo gitdir: ../ev >wt/.git|its text"; do
	IFS='|' read -r place first second name <<<"$way"
	work_here "$below"
	box true
	box "$first"
	live "sleep 0.3; $second; git -C $place config core.fsmonitor '$evil;'; touch made" "[ -e made ] && ! git -C $place config core.fsmonitor"
	(git status; cd "$place" && git status) >/dev/null 2>&1
	over
	(git status; cd "$place" && git status) >/dev/null 2>&1
	stays "$name: nothing runs, while the box lives and after" "made|" "$(ls made)|$(ran)"
done
work_here 'for i in {10..75}; do git init -q r$i; done; echo "r*" >.gitignore'
box true
box 'chmod 000 r75/.git/config'
box "chmod 644 r75/.git/config; git -C r75 config core.fsmonitor '$evil;'; sleep 0.1"
(cd r75 && git status) >/dev/null 2>&1
stays "a configuration that the start could not read, without a wall, is taken" "1|" "$(grep -c '^sbx: .*/r75/.git/config .*moved to quarantine' "$work/log")|$(ran)"
eval "$(sed -n 's/.*; if you made it: sbx/"$SBX"/p' "$work/log")" >/dev/null
is "and the command brings it back" "touch $mark;" "$(git -C r75 config core.fsmonitor)"

# --- a prompt that runs what it shows
work_here
box "git switch -q -c 'a\$(touch\${IFS}$work/mark)'; git branch 'b\`c\`'; git tag 'v;d'; git branch plain-1.2"
refs=$(grep 'characters of a shell' "$work/log")
for ref in 'heads/a$(touch' 'heads/b`c`' 'tags/v;d'; do like "a ref that a prompt would run is named: $ref" "$refs" "$(printf 'refs/%s' "$ref" | sed 's/[$(]/\\&/g')"; done
stays "and no other" "" "$(grep plain "$work/log")"
done_testing
