#!/bin/bash
# What an agent does with sessions, on a repository: installs packages, breaks the tree, goes back,
# tries two ways side by side, and applies the better one.
. "$(dirname "$0")/../lib.sh"
export PATH=/usr/local/bin:/usr/bin:/bin HOME=$work/home LC_ALL=C
mkdir -p "$HOME"
git config --global user.name tester
git config --global user.email tester@example.org
git config --global init.defaultBranch main
for tool in npm node python3 cc make; do
	command -v $tool >/dev/null || { skip "an agent's work" "$tool is not installed"; done_testing; }
done
within="timeout 300"
inside() { run_box -p node -s "$1" -- bash -c "$2" 2>"$work/log" </dev/null; }

# A package to install, and a project that wants it.
mkdir -p "$work/double" && cd "$work/double" || exit 1
echo '{ "name": "double", "version": "1.0.0", "main": "index.js" }' >package.json
echo 'module.exports = n => 2 * n' >index.js
npm pack --silent >/dev/null || { skip "an agent's work" "npm pack does not work"; done_testing; }
mkdir "$work/app" && cd "$work/app" && git init -q
cp "$work/double/double-1.0.0.tgz" .
echo '{ "name": "app", "version": "1.0.0", "scripts": { "test": "node test.js" } }' >package.json
echo 'try { console.log(require("double")(21)) } catch (e) { console.log("no double") }' >test.js
printf 'all: calc\ncalc: calc.c\n\tcc -o calc calc.c\n' >Makefile
echo 'int main(void) { return 3; }' >calc.c
printf 'node_modules\ncalc\n' >.gitignore
git add . && git commit -qm start
before=$(tree_hash .)

"$SBX" session create work
is "npm install in a session" 42 "$(inside work 'npm install --silent --offline --no-audit --no-fund ./double-1.0.0.tgz >/dev/null && npm test --silent')"
stays "the host has nothing of it" "no double $before" "$(node test.js) $(tree_hash .)"
"$SBX" session snapshot work installed >/dev/null
stays "the tree is broken" "" "$(inside work 'rm -rf node_modules src *.js .git; git status 2>/dev/null; ls *.js 2>/dev/null')"
"$SBX" session restore work installed 2>/dev/null
is "and is whole again" "42 clean" "$(echo $(inside work 'npm test --silent; git fsck --no-progress 2>&1 | grep -v dangling | head -1; git log --oneline | grep -qw start && echo clean'))"
"$SBX" session fork work@installed first && "$SBX" session fork work@installed second
# One goes on installing while the other runs the tree as it was.
inside first 'npm uninstall --silent --offline --no-audit --no-fund double >/dev/null; npm test --silent; sleep 0.3; npm test --silent' >"$work/first" &
is "one fork runs the old tree" "42 42" "$(echo $(inside second 'npm test --silent; sleep 0.5; npm test --silent'))"
wait
is "while another one has removed the package" "no double no double" "$(echo $(cat "$work/first"))"
inside first 'sed -i "s/return 3/return 1/" calc.c && make -s && ./calc; echo "attempt 1: $?" >result; git commit -qam "first try"'
inside second 'sed -i "s/return 3/return 0/" calc.c && make -s && ./calc; echo "attempt 2: $?" >result; python3 -c "print(6 * 7)" >>result; git add -A && git commit -qm "second try"'
better=none
for attempt in first second; do
	[ "$(inside $attempt './calc; echo $?')" != 0 ] || better=$attempt
done
is "the second attempt is better" second "$better"
"$SBX" session diff $better >"$work/diff" 2>&1
like "its difference is shown" "$(cat "$work/diff")" '^\+int main\(void\) \{ return 0; \}'
"$SBX" session apply $better 2>"$work/log" || fail "apply" "$(cat "$work/log")"
is "the host has its commit" "second try" "$(git log -1 --format=%s)"
stays "a whole repository" "" "$(git fsck --no-progress 2>&1 | grep -v dangling; git status --short)"
is "the installed package" 42 "$(npm test --silent)"
is "and a program that runs" 0 "$(./calc; echo $?)"
for name in work first second; do "$SBX" session rm $name; done
stays "nothing is left" "0" "$(find "$HOME/.local/state/sbx/layers" -mindepth 1 -maxdepth 1 -name '????????' | wc -l)"
# Into the system's directories, as root of a session.
"$SBX" session create --as-root tools
mkdir -p py/words && echo 'def f(): return 42' >py/words/__init__.py
printf '[project]\nname = "words"\nversion = "1"\n[tool.setuptools]\npackages = ["words"]\n' >py/pyproject.toml
mkdir cli && echo '{ "name": "answer", "version": "1.0.0", "bin": "answer.js" }' >cli/package.json
printf '#!/usr/bin/env node\nconsole.log(42)\n' >cli/answer.js
is "npm install -g" 42 "$(inside tools 'cd cli && npm pack --silent >/dev/null && npm install -g --offline --silent --no-audit --no-fund ./answer-1.0.0.tgz >/dev/null; answer')"
if python3 -c 'import setuptools, pip' 2>/dev/null; then
	inside tools 'cd py && python3 -m pip install -q --no-build-isolation --no-index --break-system-packages --root-user-action=ignore . || python3 -m pip install -q --no-build-isolation --no-index .' >"$work/pip" 2>&1
	is "pip install" 42 "$(inside tools 'cd / && python3 -c "import words; print(words.f())"' || cat "$work/pip" "$work/log")"
else
	skip "pip install" "pip or setuptools is not installed"
fi
stays "the host has neither" "" "$(command -v answer; python3 -c 'import words' 2>/dev/null && echo words)"
"$SBX" session rm tools
rm -rf py cli
is "review of a code change" "4 1" "$("$SBX" run --review --apply=yes -- sed -i 's/return 0/return 4/' calc.c 2>/dev/null; make -s; ./calc; echo "$? $(git status --short | wc -l)")"
done_testing
