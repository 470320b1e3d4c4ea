#!/bin/bash
# Files that standing hooks, .envrc and git's configuration name as they are: what a box changes there is reported, by a
# run and by an apply, whichever way it comes to stand there; what they do not name, and what only was read, is not.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state
mkdir -p "$HOME"
git config --global user.name a && git config --global user.email a@b
project=$work/project

fresh() { # what all of this says, untouched
	cd "$work" && rm -rf project state && git init -q project && cd project || exit
	mkdir -p tools bin lib fix/tools sub/tools
	for name in fs hook env alias clean more bare home; do printf '#!/bin/sh\nexit 0\n' >tools/$name.sh; done
	printf '#!/bin/sh\nexit 0\n' | tee bin/tool lib/target lib/x fix/tools/fs.sh sub/tools/fs.sh tools/plain >/dev/null
	echo "# another" >>fix/tools/fs.sh
	chmod -R +x tools bin lib fix sub
	mkdir docs && printf 'x\n' | tee docs/data >docs/page.md
	ln -s ../lib/target tools/linked.sh
	{
	git config core.fsmonitor ./tools/fs.sh && git config alias.up '!./tools/alias.sh'
	git config alias.home '!~/../project/tools/home.sh' && git config filter.late.clean "sh tools/late.sh"
	git config filter.own.clean tools/clean.sh && git config diff.external ./tools/linked.sh && git config include.path ../.more
	printf '[alias]\n\tmore = !tools/more.sh\n' >.more
	printf '#!/bin/sh\n./tools/hook.sh\nsh tools/plain\n' >.git/hooks/post-commit && chmod +x .git/hooks/post-commit
	printf 'source_env tools/env.sh\nsource_env_if_exists ./own.rc\n' >.envrc
	printf '{ "scripts": { "test": "node tools/bare.sh" } }\n' >package.json
	mkdir -p parts/a parts/b && printf '{ "name": "a" }\n' | tee parts/a/package.json parts/b/other.json >/dev/null && echo >parts/a/conftest.py
	git init -q sub && git -C sub config core.fsmonitor ./tools/fs.sh
	git add tools bin parts fix && git commit -qm x
	} 2>/dev/null
	printf 'sub\n' >>.git/info/exclude
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
	"tools/clean.sh" 'echo x >>tools/clean.sh'
	"tools/more.sh" 'echo x >>tools/more.sh'
	"tools/home.sh" 'echo x >>tools/home.sh'
	"tools/late.sh" 'echo x >tools/late.sh'
	"tools/hook.sh" 'echo x >>tools/hook.sh'
	"tools/plain" 'echo x >>tools/plain'
	"tools/env.sh" 'echo x >>tools/env.sh'
	"sub/tools/fs.sh" 'echo x >>sub/tools/fs.sh'
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
	like "$kind: another directory under the name" "$(${kind}_says 'mv tools old && mv fix/tools tools')" '(^|,)tools/fs.sh(,|$)'
done
fresh
like "what a link leads to" "$(run_says 'echo x >>lib/target')" '(^|,)tools/linked.sh(,|$)'
fresh
is "apply: a name of several parts in a new directory" ".github/workflows" "$(apply_says 'mkdir -p .github/workflows new/sub; echo w >.github/workflows/w; echo all: >new/sub/Makefile')"
fresh
apply_says 'mkdir -p .git/modules/m/remotes .git/modules/m/refs/remotes; echo w >.git/modules/m/remotes/origin; echo w >.git/modules/m/refs/remotes/x' >/dev/null
is "apply: old remotes of a submodule" "x" "$(cd .git/modules/m && ls remotes refs/remotes 2>/dev/null | grep -v :)"
fresh
stays "a run that changes nothing says nothing" "" "$(run_box -- sh -c 'cat tools/*.sh >/dev/null; git status >/dev/null 2>&1' 2>&1)"
touch tools/fs.sh
run_box -- true 2>"$work/log"
stays "nor after a change of the user's a moment before" "" "$(grep 'tools/fs.sh' "$work/log")"
fresh
mkdir -p .github/workflows sub/deep && echo x | tee .npmrc CLAUDE.md plain >.github/workflows/scan && sleep 0.1
mkdir -p .circleci && (cd .circleci && for i in {1..200}; do echo x >$i.yml; done) && sleep 0.1
is "in a large directory each file is compared" ".circleci" "$(run_says "echo y >>.circleci/$(find .circleci -name '*.yml' -printf '%f\n' | sed -n 180p)")"
rm -r .circleci && sleep 0.1
is "names that are gone are reported" ".github,.npmrc,CLAUDE.md" "$(run_says 'rm -r .npmrc .github CLAUDE.md plain')"
run_box -- mkfifo .gitattributes tools/.gitignore .mailmap lib/other 2>"$work/log"
is "pipes that git would open are taken away" "lib/other 3" "$(find . -path ./.git -prune -o -type p -print | sed 's,./,,') $(grep -c 'appeared as a pipe' "$work/log")"
rm lib/other
# A helper without a slash is a program of git's on PATH (gitcredentials(7)).
git config credential.helper tool.sh && git config core.editor 'tool.sh -n' && echo >tool.sh && sleep 0.1
stays "a program on PATH is no file of the project" "" "$(run_says 'echo x >>tool.sh')"
# In a git directory: what git does not know. A submodule's commands begin in its work tree; variables have settings, too.
fresh
mkdir .git/lib && echo true >.git/lib/common.sh && printf '#!/bin/sh\nfalse\n' >.git/fsm && git config core.sshCommand "$PWD/.git/wrap"
printf '#!/bin/sh\n. .git/lib/common.sh\ncat .git/COMMIT_EDITMSG .git/HEAD .git/index .git/info/exclude >/dev/null\n' >.git/hooks/post-commit
git config --replace-all core.fsmonitor .git/fsm && git init -q "$work/module" && git -C "$work/module" commit -q --allow-empty -m m
git -c protocol.file.allow=always submodule --quiet add "$work/module" module && mkdir module/tools
printf '#!/bin/sh\nfalse\n' | tee module/tools/fs.sh module/tools/hook.sh >tools/own.sh && git -C module config core.fsmonitor tools/fs.sh
printf '#!/bin/sh\n./tools/hook.sh\n' >.git/modules/module/hooks/pre-commit && chmod +x .git/modules/module/hooks/pre-commit && sleep 0.1
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=./tools/own.sh
is "files in a git directory, of a submodule, of a variable" ".git/fsm,.git/lib/common.sh,.git/wrap,module/tools/fs.sh,module/tools/hook.sh,tools/own.sh" \
	"$(run_says 'git commit -q --allow-empty -m x; for f in .git/fsm .git/lib/common.sh .git/wrap module/tools/fs.sh module/tools/hook.sh tools/own.sh; do echo x >>$f; done')"
# shellcheck disable=SC2089
GIT_CONFIG_PARAMETERS="'core.fsmonitor'='./tools/bare.sh'"
# shellcheck disable=SC2090
export GIT_CONFIG_PARAMETERS
is "of git -c" "tools/bare.sh" "$(unset GIT_CONFIG_COUNT && sleep 0.1 && run_says 'echo x >>tools/bare.sh; echo x >>tools/own.sh')"
done_testing
