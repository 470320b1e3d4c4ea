#!/bin/bash
# Files that the project's own settings name in commands: what a box changes there is reported, by a run and by an
# apply, whichever way it comes to stand there; what the settings do not name, and what only was read, is not.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state
mkdir -p "$HOME"
git config --global user.name a && git config --global user.email a@b
project=$work/project

fresh() { # what all of this says, untouched
	cd "$work" && rm -rf project state && git init -q project && cd project || exit
	mkdir -p tools bin lib fix/tools sub/tools
	for name in fs hook env alias clean more inner bare lint; do printf '#!/bin/sh\nexit 0\n' >tools/$name.sh; done
	printf '#!/bin/sh\nexit 0\n' | tee bin/tool lib/target lib/x fix/tools/fs.sh sub/tools/fs.sh tools/plain >/dev/null
	echo "# another" >>fix/tools/fs.sh
	chmod -R +x tools bin lib fix sub
	mkdir docs && printf 'x\n' | tee docs/data >docs/page.md
	ln -s ../lib/target bin/linked && ln -s ../lib/target tools/linked.sh
	{
	git config core.fsmonitor ./tools/fs.sh && git config alias.up '!./tools/alias.sh'
	git config filter.own.clean tools/clean.sh && git config diff.external ./tools/linked.sh && git config include.path ../.more
	printf '[alias]\n\tmore = !tools/more.sh\n' >.more
	printf '#!/bin/sh\n./tools/hook.sh\nsh tools/plain\n' >.git/hooks/post-commit && chmod +x .git/hooks/post-commit
	printf 'PATH_add bin\nsource_env tools/env.sh\nsource_env_if_exists ./own.rc\n' >.envrc
	printf '[env]\n_.path = ["lib"]\n' >mise.toml
	printf '{ "scripts": { "test": "node tools/bare.sh" } }\n' >package.json
	# Names that begin where a cd or a variable leads, and attributes of each directory.
	mkdir -p begun/in value/in && printf '#!/bin/sh\nexit 0\n' | tee begun/in/x.sh begun/in/y.sh value/in/x.sh >/dev/null && chmod +x begun/in/* value/in/*
	git config alias.in '!cd begun/in && ./x.sh' && git config core.attributesFile own.attributes && echo >fix/.gitattributes
	printf '#!/bin/sh\nWHERE="value"\n"$WHERE/in/x.sh"\nOTHER=begun\ncd $OTHER && in/y.sh\n' >.git/hooks/post-merge && chmod +x .git/hooks/post-merge
	# Settings in one line, a workspace, and parts of a monorepo.
	mkdir -p .zed own parts/a parts/b && printf '{"a":1,"lsp":{"b":{"command":"./tools/zed.sh"}}}' >.zed/settings.json
	printf '\357\273\277// x\r\n{"folders":[],"tasks":{"tasks":[{"command":"${workspaceFolder}/tools/work.sh",}]}}' >own.code-workspace
	printf '{ "name": "a" }\n' | tee parts/a/package.json parts/b/other.json >/dev/null && echo >parts/a/conftest.py
	printf '#!/bin/sh\n' | tee tools/zed.sh tools/work.sh >/dev/null
	# Directories by way of the top and of the hook's own place.
	mkdir -p bare/lib && printf '#!/bin/sh\n' | tee bare/common.sh >bare/lib/fs.sh && chmod +x bare/lib/fs.sh
	printf '#!/bin/sh\nDIR="$(cd "$(dirname "$0")/../../bare" && pwd)"\n. "$DIR/common.sh"\ncd "$(git rev-parse --show-toplevel)/bare/lib" && ./fs.sh\n' >.git/hooks/post-rewrite && chmod +x .git/hooks/post-rewrite
	git init -q sub && git -C sub config core.fsmonitor ./tools/fs.sh
	git add tools bin parts fix && git commit -qm x && git worktree add -q --detach tree
	} 2>/dev/null
	printf 'tree\nsub\n' >>.git/info/exclude
	sleep 0.1
}
reported() { sed -n 's/^sbx: \(changed\|applied\), and your own programs will run it: //p' "$1" | sed 's/, /\n/g' | LC_ALL=C sort | paste -sd,; }
run_says() { run_box -- sh -c "$1; sleep 0.05" 2>"$work/log"; reported "$work/log"; }
apply_says() {
	"$SBX" session create s && run_box -s s -- sh -c "$1" && "$SBX" session apply s >"$work/log" 2>&1
	reported "$work/log"
	"$SBX" session rm --force s >/dev/null 2>&1 || "$SBX" session rm s >/dev/null 2>&1
}

# What is reported, and what a box does.
ways=(
	"tools/fs.sh" 'echo x >>tools/fs.sh'
	"tools/fs.sh" '{ cat tools/fs.sh; echo x; } >t && mv t tools/fs.sh'
	"tools/fs.sh" 'rm tools/fs.sh && ln -s ../lib/x tools/fs.sh'
	"tools/alias.sh" 'echo x >>tools/alias.sh; touch -d @1 tools/alias.sh'
	".gitattributes" 'echo "* filter=own" >.gitattributes'
	"tools/clean.sh" 'echo x >>tools/clean.sh'
	"tools/more.sh" 'echo x >>tools/more.sh'
	"tools/hook.sh" 'echo x >>tools/hook.sh'
	"tools/plain" 'echo x >>tools/plain'
	"tools/env.sh" 'echo x >>tools/env.sh'
	"own.rc" 'echo x >own.rc'
	"bare/lib/fs.sh" 'echo x >>bare/lib/fs.sh'
	"bare/common.sh" 'echo x >>bare/common.sh'
	"sub/tools/fs.sh" 'echo x >>sub/tools/fs.sh'
	"begun/in/x.sh" 'echo x >>begun/in/x.sh'
	"begun/in/y.sh" 'echo x >>begun/in/y.sh'
	"value/in/x.sh" 'echo x >>value/in/x.sh'
	"own.attributes" 'echo "* filter=own" >own.attributes'
	"docs/.gitattributes" 'echo "* filter=own" >docs/.gitattributes'
	"fix/.gitattributes" 'echo "* filter=own" >>fix/.gitattributes'
	"tools/zed.sh" 'echo x >>tools/zed.sh'
	"tools/work.sh" 'mv tools/work.sh t && echo x >tools/work.sh'
	"parts/a/package.json" 'echo x >parts/a/package.json'
	"parts/a/conftest.py" 'echo x >>parts/a/conftest.py; touch -d @1 parts/a/conftest.py'
	"parts/b/setup.py" 'echo x >parts/b/setup.py'
	"parts/c/d/build.rs" 'mkdir -p parts/c/d; echo x >parts/c/d/build.rs'
	"" 'echo x >>parts/b/other.json; mkdir -p node_modules/x; echo x >node_modules/x/package.json; echo x >parts/b/Build.RS.txt'
	"" 'echo x >>tools/bare.sh; echo x >>docs/data; echo x >>docs/page.md; cat tools/*.sh bin/* >/dev/null; mkdir tools/new; echo x >tools/new/fs.sh; rm -r tools/new'
)
for kind in run apply; do
	for ((i = 0; i < ${#ways[@]}; i += 2)); do
		fresh
		stays "$kind: ${ways[i + 1]}" "${ways[i]}" "$(${kind}_says "${ways[i + 1]}")"
	done
done
for kind in run apply; do
	fresh
	like "$kind: a directory of programs" "$(${kind}_says 'echo x >bin/git')" '(^|,)bin(/git)?(,|$)'
	fresh
	like "$kind: one of them, overwritten" "$(${kind}_says 'echo x >>bin/tool')" '(^|,)bin(/tool)?(,|$)'
	fresh
	like "$kind: a directory in a list" "$(${kind}_says 'echo x >lib/git')" '(^|,)lib(/git)?(,|$)'
	fresh
	like "$kind: another directory under the name" "$(${kind}_says 'mv tools old && mv fix/tools tools')" '(^|,)tools/fs.sh(,|$)'
	fresh
	like "$kind: a link in place of the directory" "$(${kind}_says 'mv sub/tools old && ln -s ../fix/tools sub/tools')" '(^|,)sub/tools(/fs.sh)?(,|$)'
	fresh
	like "$kind: a worktree of the project obeys the same settings" "$(${kind}_says 'echo x >>tree/tools/fs.sh')" '(^|,)tree/tools/fs.sh(,|$)'
done
fresh
like "what a link leads to" "$(run_says 'echo x >>lib/target')" '(^|,)tools/linked.sh(,|$)'
fresh
like "and one in a directory of programs" "$(run_says 'echo x >>lib/target')" '(^|,)bin(,|$)'
fresh
is "apply: a name of several parts in a new directory" ".github/workflows" "$(apply_says 'mkdir -p .github/workflows new/sub; echo w >.github/workflows/w; echo all: >new/sub/Makefile')"
fresh
apply_says 'mkdir -p .git/modules/m/remotes .git/modules/m/refs/remotes; echo w >.git/modules/m/remotes/origin; echo w >.git/modules/m/refs/remotes/x' >/dev/null
is "apply: old remotes of a submodule" "x" "$(cd .git/modules/m && ls remotes refs/remotes 2>/dev/null | grep -v :)"
fresh
rm mise.toml
stays "a run that changes nothing says nothing" "" "$(run_box -- sh -c 'cat tools/*.sh >/dev/null; git status >/dev/null 2>&1' 2>&1)"
touch tools/fs.sh bin/tool
run_box -- true 2>"$work/log"
stays "nor after a change of the user's a moment before" "" "$(grep 'tools/fs.sh' "$work/log")"
# What the caller's variables name.
fresh
for value in BASH_ENV="$project/docs/data" NODE_OPTIONS='--require ./docs/data' EDITOR=docs/data LD_PRELOAD="libx.so:$project/docs/data" LESSOPEN="||$project/docs/data %s"; do
	is "a file that ${value%%=*} names is reported" "docs/data" "$(export "${value?}"; run_says 'echo x >>docs/data')"
done
for value in PERL5LIB="$project/docs" GIT_EXEC_PATH=./docs LD_LIBRARY_PATH="/x:$project/docs"; do
	is "a directory that ${value%%=*} names is reported" "docs" "$(export "${value?}"; run_says 'echo x >docs/new')"
done
echo >rc && sleep 0.1
is "a file without a slash that BASH_ENV names is reported" "rc" "$(export BASH_ENV=rc; run_says 'echo x >>rc')"
stays "and not one that another variable has as a word" "" "$(export MODE=rc; run_says 'echo x >>rc')"
stays "and not one that is not searched" "" "$(export HERE="$project/docs"; run_says 'echo x >docs/new2')"
stays "and not where none names it" "" "$(run_says 'echo x >>docs/data')"
stays "nor what npm's variables name" "" "$(export npm_package_json="$project/docs/data"; run_says 'echo x >>docs/data')"
fresh
mkdir -p .github/workflows sub/deep && echo x | tee .npmrc CLAUDE.md plain >.github/workflows/scan && sleep 0.1
mkdir -p .circleci && (cd .circleci && for i in {1..200}; do echo x >$i.yml; done) && sleep 0.1
is "in a large directory each file is compared" ".circleci" "$(run_says "echo y >>.circleci/$(find .circleci -name '*.yml' -printf '%f\n' | sed -n 180p)")"
rm -r .circleci && sleep 0.1
is "names that are gone are reported" ".github,.npmrc,CLAUDE.md" "$(run_says 'rm -r .npmrc .github CLAUDE.md plain')"
run_box -- mkfifo .gitattributes tools/.gitignore .mailmap lib/other 2>"$work/log"
is "pipes that git would open are taken away" "lib/other 3" "$(find . -path ./.git -prune -o -type p -print | sed 's,./,,') $(grep -c 'appeared as a pipe' "$work/log")"
rm lib/other
# What a box makes under the words of a setting takes the place of nothing.
printf '#!/bin/sh\nfor d in %s; do (cd $d && %s); done\n./tools/fs.sh\n' "$(echo d{1..40})" "$(echo ./x{1..40}.sh)" >.git/hooks/post-checkout && chmod +x .git/hooks/post-checkout
mkdir d{1..40} && touch d{1..40}/x{1..40}.sh && sleep 0.1
is "files that a box has made hide nothing that the user's settings name" "tools/fs.sh" "$(run_says 'echo x >>tools/fs.sh')"
rm -r d{1..40} .git/hooks/post-checkout
# A helper without a slash is a program of git's on PATH (gitcredentials(7)).
git config credential.helper tool.sh && git config core.editor 'tool.sh -n' && echo >tool.sh && sleep 0.1
stays "a program on PATH is no file of the project" "" "$(run_says 'echo x >>tool.sh')"
# Settings that are protected themselves: the program that each names.
settings=(.vscode/settings.json '{\n  "python.defaultInterpreterPath": "./%s"\n}' .zed/settings.json '{\n  "path": "./%s"\n}'
	.helix/languages.toml 'command = "./%s"' .exrc 'source %s' .nvim.lua 'dofile("%s")' .irbrc 'load "./%s"' .aider.conf.yml 'lint-cmd: ./%s'
	.codex/hooks.json '{\n  "command": "./%s"\n}' .cursor/environment.json '{\n  "install": "./%s"\n}' conductor.json '{\n  "setup": "./%s"\n}'
	.openhands/setup.sh './%s' .hg/hgrc '[hooks]\nupdate = ./%s' .rvmrc '. ./%s' .autoenv.zsh '. ./%s')
rm -rf "$work/editors" && git init -q "$work/editors" && cd "$work/editors" || exit 1
mkdir tools
for ((i = 0; i < ${#settings[@]}; i += 2)); do
	mkdir -p "$(dirname "${settings[i]}")" && echo >tools/s$i.sh
	printf "${settings[i + 1]}\n" tools/s$i.sh >"${settings[i]}"
done
is "what each of $((i / 2)) settings names is reported" "$(ls -d tools/* | LC_ALL=C sort | paste -sd,)" "$(run_says 'for f in tools/*; do echo x >>$f; done')"
settings=(.vscode/launch.json '{"a":1,"configurations":[{"program":"./%s"}]}' x.code-workspace '{"a":[],"launch":{"b":{"program":"./%s"}}}'
	.zed/tasks.json '[{"a":1,"command":"./%s"}]' .dir-locals.el '((nil . ((eval . (load-file "./%s")))))' .devcontainer/one/devcontainer.json '{"a":1,"initializeCommand":["./%s"]}'
	.github/hooks/a.json '{"a":1,"bash":"./%s"}' opencode.json '{"a":1,"command":["./%s"]}'
	.luarc.json '{"a":1,"runtime.plugin":"./%s"}' .cursor/hooks.json '{"a":{"command":"./%s"}}')
rm -rf "$work/editors" && git init -q "$work/editors" && cd "$work/editors" || exit 1
mkdir tools
for ((i = 0; i < ${#settings[@]}; i += 2)); do
	mkdir -p "$(dirname "${settings[i]}")" && echo >tools/s$i.sh
	printf "${settings[i + 1]}\n" tools/s$i.sh >"${settings[i]}"
done
is "what each of $((i / 2)) settings in one line names is reported" "$(ls -d tools/* | LC_ALL=C sort | paste -sd,)" "$(run_says 'for f in tools/*; do echo x >>$f; done')"
# JSON with more in it than is read: the plan says so.
{ printf '{"a": "'; head -c 300000 /dev/zero | tr '\0' x; printf '"}'; } >.mcp.json
like "settings of which only a part is read: the plan says so" "$("$SBX" plan -- true 2>&1)" 'of files that settings and hooks name, [0-9]+ in [0-9]+ of these are compared'
cd "$project" || exit 1
# More hooks than are read: that is said.
for number in $(seq 40); do printf '#!/bin/sh\n./tools/x%d.sh\n' "$number" >.git/hooks/hook-$number; done
like "more settings than are read: the plan says so" "$("$SBX" plan -- true 2>&1)" 'of files that settings and hooks name, [0-9]+ in 32 of these are compared'
# As many as are read, and a directory of settings that has none: nothing is left out.
git init -q "$work/many" && cd "$work/many" || exit 1
mkdir .vscode .claude .cursor && rm -f .git/hooks/*
for number in $(seq 32); do printf '#!/bin/sh\n./tools/x.sh\n' >.git/hooks/hook-$number; done
lacks "as many settings as are read: the plan does not say so" "$("$SBX" plan -- true)" 'of files that settings'
echo '{}' >.vscode/tasks.json
like "one more: it does" "$("$SBX" plan -- true 2>&1 | grep 'of files')" 'that settings and hooks name, [0-9]+ in 32 of these'
cd "$OLDPWD" || exit 1
done_testing
