#!/bin/bash
# The table of names that the host's programs run or trust: each row does what it says, and what
# is known of attacks has a row. Each loop has its twin with --no-protect.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
export HOME=$work/home
mkdir -p "$HOME"
export XDG_STATE_HOME=$work/state

rows() { "$SBX" profile names "$1" | awk -v kind="$1" '$1 == kind { print $2 }'; }
example() { sed 's/?ustfile/JUSTFILE/; s/[*]/one/g; s/[?]/M/g'; } # a name that a pattern stands for

# Names from reports of attacks and from manuals, kept apart from the table.
protected=".direnv .config/mise/config.toml mise/config.toml .config/mise.toml lefthook-local.yml .lefthook-local.toml
.yarnrc .devcontainer.json x.code-workspace .dir-locals.el .dir-locals-2.el .exrc.lua .vs .agents .agent .pi .openhands .amp .augment
.clinerules .rovodev .iflow .grok .kimi .vibe conductor.json .mise.prod.toml mise.prod.local.toml .pijul/config .bzr/branch/branch.conf
.autoenv .autoenv.zsh .claude .codex .gemini .qwen .cursor .vscode .idea .mcp.json .envrc .husky .gdbinit .irbrc .hg/hgrc
.rbenv-vars .miserc.toml .config/miserc.toml .lazy.lua .github/hooks .github/copilot mise/config.prod.toml .config/mise.ci.toml .shadowenv.d .rvmrc hk.local.pkl x.sublime-project"
reported=".env Justfile .justfile JUSTFILE lefthook.yaml lefthook.toml .lefthook.json .lintstagedrc .lintstagedrc.mjs lint-staged.config.cjs
commitlint.config.ts .overcommit.yml captainhook.json prek.toml .yarn pnpm-workspace.yaml .pnpmfile.mjs bunfig.toml .pdm-python tools/bazel
.bazeliskrc CMakePresets.json CMakeUserPresets.json gradlew gradle/wrapper gradle.properties mvnw Gemfile Rakefile .bundle/config
conftest.py .pylintrc .rubocop.yml eslint.config.mjs Dockerfile compose.yaml docker-compose.yml Vagrantfile Tiltfile Taskfile.yml
taskfile.dist.yaml azure-pipelines.yml bitbucket-pipelines.yml .travis.yml .drone.yml .woodpecker.yml .buildkite .gitea/workflows .forgejo/workflows
.tekton CLAUDE.local.md AGENTS.override.md .github/copilot-instructions.md .windsurfrules .goosehints .project .settings .run _FOSSIL_
.fslckout .flox devbox.json .devenv .bashrc .bash_profile .zshrc .zprofile .profile .gitconfig .ripgreprc rules.mk Makefile.local .corepack.env .pnp.cjs .RData renv/activate.R .latexmkrc analysis_options.yaml .trunk main.tf .chef buildServer.json .clang-tidy .user.ini .envrc.local buildSrc
.gitmodules .npmrc .cargo Makefile.sh rules.mk.sh binding.gyp --checkpoint=1 random.py pip.py CMakeCache.txt rust-project.json"

plant() { # names: made in a box, as root of nothing
	printf 'while read -r f; do case $f in */*) mkdir -p "${f%%/*}" && mkdir -p "${f%%/*}/$(dirname "${f#*/}")";; esac; echo x >"$f"; done'
}
run_with() { # names in $1; the project's path is printed
	local project
	project=$(fresh plain)
	(cd "$project" && printf '%s\n' $1 | run_box "${@:2}" -- bash -c "$(plant)" 2>"$work/log")
	printf '%s\n' "$project"
}
standing() { local f; for f in $2; do [ ! -e "$1/$f" ] || echo "$f"; done | xargs; }
unsaid() { local f; for f in $1; do grep -qE "(run it:|,) $(printf '%s' "$f" | sed 's/[.+]/\\&/g')(,|$)" "$work/log" || echo "$f"; done | xargs; }

stays "names known from attacks are taken away when a box makes them" "" "$(standing "$(run_with "$protected")" "$protected")"
project=$(run_with "$protected" --no-protect)
is "and stand there without protection" "$(echo $protected)" "$(standing "$project" "$protected")"
echo $reported | xargs -n 6 >"$work/six" # a flood is cut
while read -r names; do
	run_with "$(echo $names | tr ' ' '\n')" </dev/null >/dev/null
	unsaid "$names"
done <"$work/six" >"$work/unsaid"
is "names known from attacks are reported when a box makes them" "" "$(xargs <"$work/unsaid")"
run_with .env --no-protect >/dev/null
stays "and not without protection" .env "$(unsaid .env)"

# Every row of the table, absent.
all=$(rows wall | example)
stays "every row that says 'wall': what a box makes is taken away" "" "$(standing "$(run_with "$all")" "$all")"
like "of many some are named, and the number of the others" "$(cat "$work/log")" 'and [0-9]+ more such names( were moved away)?, see: sbx quarantine list'
# Every row of it, there.
project=$(fresh plain)
(cd "$project" && printf '%s\n' $all | bash -c "$(plant)"; : >.sbx.ini) # sbx itself reads it
before=$(tree_hash "$project")
(cd "$project" && printf '%s\n' $all | run_box -- bash -c "$(plant); rm -rf .vscode x; mv one.code-workspace y; find . -type f -exec sh -c 'echo evil >>\"\$1\"' _ {} \;" 2>/dev/null)
stays "every row that says 'wall': what is there stays as it was" "$before" "$(tree_hash "$project")"
(cd "$project" && run_box --no-protect -- bash -c "find . -type f -exec sh -c 'echo evil >>\"\$1\"' _ {} \;" 2>/dev/null)
is "and does not without protection" no "$([ "$before" = "$(tree_hash "$project")" ] && echo yes || echo no)"
rows tell | example | xargs -n 6 >"$work/six"
while read -r names; do
	project=$(fresh plain)
	(cd "$project" && printf '%s\n' $names | bash -c "$(plant)" && touch -d '2020-01-01' -- $names && run_box -- sh -c 'for f; do echo more >>"$f"; done' _ $names 2>"$work/log" </dev/null)
	unsaid "$names"
done <"$work/six" >"$work/unsaid"
stays "every row that says 'tell': a change in place is reported" "" "$(xargs <"$work/unsaid")"
# Those that count in any directory: changed in place, made, and in installed packages.
rows_below() { "$SBX" profile names tell | awk '$1 == "tell" { name = $2 } / \(in any directory\);/ { print name }' | example; }
in_place() { # DIRECTORY: all of them changed there, six in a run
	rows_below | xargs -n 6 >"$work/six"
	while read -r names; do
		project=$(fresh plain)
		(cd "$project" && mkdir -p "$1" && cd "$1" && printf '%s\n' $names | bash -c "$(plant)" && touch -d '2020-01-01' $names)
		[ "$1" = node_modules/x ] || (cd "$project" && git init -q && git add -f "$1") # tracked ones are looked at
		sleep 0.05
		(cd "$project" && run_box -- true && run_box -- sh -c 'cd "$1" && shift && for f; do echo more >>"$f"; done' _ "$1" $names) 2>"$work/log" </dev/null
		unsaid "$(printf "$1/%s\n" $names)"
	done <"$work/six" | xargs
}
like "names that count in any directory" "$(rows_below | xargs)" 'package.json .*build.rs'
is "each of them: a change in place of a tracked one below the top is reported" "" "$(in_place parts/one)"
is "in installed packages none is" "$(rows_below | sed 's,^,node_modules/x/,' | xargs)" "$(in_place node_modules/x)"
project=$(fresh plain)
says_why() { (cd "$project" && "$SBX" why "$1" 2>&1) | sed -n 's/.*run or trust it (\(.*\)): .*/\1/p'; }
is "sbx why says what is done about such a name" "reported when it changes,protected,reported when it changes,reported when a session brings it to the host" \
	"$(for name in parts/package.json .vscode parts/.vscode parts/Makefile; do says_why $name; done | paste -sd,)"

# Patterns, while the run lasts.
project=$(fresh plain)
(cd "$project" && run_box -- sh -c 'sleep 0.3; echo x >a.code-workspace; mkdir .config mise; echo x >mise/config.x.toml; echo x >mise.x.toml
	for i in $(seq 100); do [ -e a.code-workspace ] || [ -e mise.x.toml ] || [ -e mise/config.x.toml ] || break; sleep 0.1; done; ls -A . mise; echo late >MISE.Y.TOML' >"$work/out" 2>"$work/log")
is "names of patterns are taken away while the run lasts" ".: .config mise mise:" "$(xargs <"$work/out")"
stays "and at its end, in whatever case" "" "$(ls "$project" | grep -i toml)"
# A box that makes and removes files there: 20 looks a second, and the last change is seen.
busy='import os,time
end = time.time() + 1.5
while time.time() < end: open("q", "w").close(); os.unlink("q"); time.sleep(.0025)
open("x.code-workspace", "w").close()
while os.path.exists("x.code-workspace"): time.sleep(.01)'
if command -v strace >/dev/null; then
	project=$(fresh plain)
	(cd "$project" && timeout 60 strace -qq -f --seccomp-bpf -e trace=getdents64 -o "$work/trace" "$SBX" run -- python3 -c "$busy" 2>"$work/log")
	is "600 files made and removed: the last one is taken while the run lasts" "0 " "$? $(ls "$project")"
	is "in at most 20 looks a second" yes "$(looks=$(grep -c ' = [1-9]' "$work/trace"); [ "$looks" -gt 10 ] && [ "$looks" -lt 120 ] && echo yes || echo "$looks listings")"
fi
# A pattern's file: by rename, link, directory, symlink, exchange, and over many others.
for way in 'mkdir x.code-workspace' 'ln -s /nonexistent x.code-workspace' 'echo x >y; mv y x.code-workspace' 'echo x >y; ln y x.code-workspace' \
	'mkdir -p z/mise; echo x >z/mise/config.q.toml; mv z/mise mise' 'ln -s . mise; echo x >config.q.toml' 'for i in $(seq 3000); do echo >f$i; done; echo x >x.code-workspace' \
	'mkfifo x.code-workspace' 'chmod 333 .; echo x >x.code-workspace'; do
	project=$(fresh plain)
	(cd "$project" && run_box -- sh -c "$way" 2>"$work/log")
	chmod 755 "$project"
	stays "$way: nothing stays" "" "$(cd "$project" && ls -d x.code-workspace mise/config.q.toml 2>/dev/null)"
done
# In a large directory what was there is not moved; where it has too many names to be known, what comes is only reported.
for many in 4000 30000; do
	project=$(fresh plain)
	(cd "$project" && seq -f "a-long-name-in-a-large-directory-%g" $many | xargs touch && echo mine >own.code-workspace && echo mine >lefthook.yml)
	(cd "$project" && run_box -- sh -c 'echo x >x.code-workspace; echo x >lefthook.yml; [ ! -w own.code-workspace ] || echo x >>own.code-workspace' 2>"$work/log")
	stays "$many names: what was there stays, what came goes or is reported" "own.code-workspace" "$(cd "$project" && ls -d *.code-workspace | grep -vx "$(grep -o 'run it:.*x.code-workspace' "$work/log" >/dev/null && echo x.code-workspace)")"
	is "and what changed is reported" "" "$(unsaid lefthook.yml; [ "$(cat "$project/own.code-workspace")" = mine ] || unsaid own.code-workspace)"
done

# What trusted text names, in each kind of text: changed in place, moved there, and new.
project=$(new_project)
mkdir -p "$project"/{tools,bin,node_modules,vendor,lib} && (cd "$project" && printf 'PATH_add bin\nexport X=1 # lib is no list of programs\n. tools/env.sh\n' >.envrc
	for f in tools/env.sh tools/fs.sh tools/ali.sh tools/clean.sh tools/cred.sh tools/merge.sh tools/ssh.sh tools/hook.sh tools/other.sh bin/git lib/x; do printf '#!/bin/sh\n' >$f; done
	git config core.fsmonitor ./tools/fs.sh; git config alias.x '!./tools/ali.sh'; git config filter.f.clean 'tools/clean.sh %f'; git config core.sshCommand "$project/tools/ssh.sh"
	git config credential.helper '!tools/cred.sh'; git config merge.m.driver 'tools/merge.sh %A'; git config branch.main.description tools/other.sh; echo 'exec tools/hook.sh' >.git/hooks/pre-commit; mkdir tools/new)
sleep 0.1
for change in 'echo evil >>F' 'rm F; echo evil >F' 'echo worse >y; mv y F'; do
	for name in tools/env.sh tools/fs.sh tools/ali.sh tools/clean.sh tools/cred.sh tools/merge.sh tools/ssh.sh tools/hook.sh; do
		(cd "$project" && run_box -- sh -c "${change//F/$name}" 2>"$work/log"; [ -z "$(unsaid "$name")" ] || echo "$change $name")
	done
done >"$work/unsaid"
is "programs that trusted text names are reported when they change" "" "$(cat "$work/unsaid")"
(cd "$project" && run_box -- sh -c 'echo x >>tools/other.sh; echo x >>lib/x; echo x >lib/y' 2>"$work/log")
stays "and files that no such text names are not" "" "$(cat "$work/log")"

# Of git's own: what a rebase goes on with, in a worktree as well.
project=$(new_project)
git -C "$project" commit -q --allow-empty -m x && git -C "$project" worktree add -q "$project/w" 2>/dev/null
mkdir -p "$project"/.git/worktrees/w/rebase-merge "$project"/.git/rebase-apply && sleep 0.1
(cd "$project" && run_box -- sh -c 'echo "exec x" >.git/worktrees/w/rebase-merge/git-rebase-todo; echo x >.git/rebase-apply/next' 2>"$work/log")
is "a rebase's orders in a worktree are reported" "" "$(unsaid ".git/worktrees/w/rebase-merge .git/rebase-apply")"
(cd "$project" && run_box -- true 2>"$work/log")
stays "and not when they stay" "" "$(cat "$work/log")"

(cd "$project" && run_box -- sh -c 'git worktree add -q new -b new; git init -q nested; mkdir .git/worktrees/new/rebase-merge nested/.git/rebase-apply' 2>"$work/log")
is "they are in a worktree and a repository that the run made" "" "$(unsaid ".git/worktrees/new/rebase-merge nested/.git/rebase-apply")"
(cd "$project" && rm -rf .git/rebase-apply && echo a >a && git add a && git commit -qm a && git format-patch -q -1 && git reset -q --hard HEAD~1 && echo b >a && git add a && git commit -qm b && sleep 0.1 &&
	run_box -- sh -c 'git am 0*; true' >"$work/log" 2>&1)
is "a git am that stopped is nothing that programs run" "yes 0" "$([ ! -e "$project/.git/rebase-apply/applying" ] || echo yes) $(grep -c 'will run it:.*rebase-apply' "$work/log")"

# Remotes as old git wrote them: what comes is moved away, the user's own is reported.
project=$(new_project)
git init -q "$project/sub" && mkdir -p "$project/.git/branches" && echo /u >"$project/.git/branches/mine" && sleep 0.1
(cd "$project" && run_box -- sh -c 'echo x >old; echo y >.git/branches/mine' 2>"$work/log")
is "a remote of the user's in .git/branches is reported" "y " "$(cat "$project/.git/branches/mine") $(unsaid .git/branches)"
sleep 0.1
(cd "$project" && run_box -- sh -c 'mkdir -p .git/remotes sub/.git/branches; for name in .git/remotes/a .git/branches/b.sample sub/.git/branches/c.sample; do echo URL: x >$name; done; mv old .git/branches/d' 2>"$work/log")
stays "what a run puts into .git/branches and .git/remotes is moved away, in a nested repository as well" "mine" \
	"$(cd "$project" && find .git/remotes .git/branches sub/.git/branches -type f -printf '%f\n')"
is "and each is reported" "4" "$(grep -cE '/[.]git/(remotes|branches)/[a-d][^ ]* appeared' "$work/log")"

# What a session would bring.
project=$(new_project)
(cd "$project" && "$SBX" session create names >/dev/null && run_box -s names -- sh -c 'mkdir -p sub mise; for f in a.code-workspace sub/b.code-workspace sub/mise.x.toml mise/config.x.toml .CON$(printf "\357\254\201")G; do echo x >$f; done; rm -f .CON*
	mkdir .con$(printf "\357\254\201")g; echo x >.con$(printf "\357\254\201")g/mise.toml; echo x >.v$(printf "\305\277")code; mkdir .vscode$(printf "\342\200\215"); echo x >.vscode$(printf "\342\200\215")/tasks.json
	echo x >$(printf "\343\201\202").vscodes; echo x >JUSTFILE' && "$SBX" session apply names >"$work/log" 2>&1)
is "session apply withholds patterns and other spellings" "JUSTFILE file $(printf '\343\201\202').vscodes" "$(cd "$project" && find . -path ./.git -prune -o -type f -print | sed 's,.*/,,' | LC_ALL=C sort | xargs)"
like "and reports the rest" "$(cat "$work/log")" 'your own programs will run it: JUSTFILE'

# Shown, with who runs it and where it says so.
lacks "every row names who and where" "$("$SBX" profile names | awk 'NR % 2 == 0')" '^ {0,8}[^ ]|^ {9}[^;]*$'
like "sbx why says who runs it" "$(cd "$(new_project)" && "$SBX" why ./a.code-workspace 2>&1)" 'protected.*VS Code'
# A flood of names of one row hides no other name: neither at the end, nor in the audit.
project=$(new_project) && sleep 0.05
matter='Makefile package.json conftest.py .pre-commit-config.yaml pyproject.toml'
(cd "$project" && run_box -- sh -c "for i in \$(seq 2000); do echo x >Dockerfile.\$i; done; for i in \$(seq 200); do mkdir d\$i; echo x >d\$i/conftest.py; done; mkdir $(printf '%0200d' 1); for i in \$(seq 9); do echo x >$(printf '%0200d' 1)/\$i.tf; done; for f in $matter; do echo x >\$f; done" 2>"$work/log")
is "a flood of names hides none of another row" "" "$(unsaid "$matter")"
like "of the flood there is one record, and the first names" "$(cat "$work/log")" '\*\*/conftest.py \(198 more\), Dockerfile\.\* \(1997 more\)$'
is "sbx audit has them all" "" "$(cd "$project" && "$SBX" audit --changed >"$work/audit"; for f in $matter; do grep -q "^$f " "$work/audit" || echo "$f"; done)"
(cd "$project" && run_box -- sh -c "for i in \$(seq 2000); do echo y >Dockerfile.\$i; done; for f in $matter; do echo y >\$f; done; exit 1" 2>"$work/log")
is "so has the audit of a run that failed" "" "$(run=$(sed -n 's/.*sbx audit --run \([0-9]*\)$/\1/p' "$work/log"); [ -z "$run" ] || (cd "$project" && "$SBX" audit --run "$run") >"$work/log" 2>&1; for f in $matter; do grep -q "[ ,]$f\(,\| \|$\)" "$work/log" || echo "$f"; done)"
done_testing
