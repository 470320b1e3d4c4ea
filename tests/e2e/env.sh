#!/bin/bash
# Files of secrets in the project that git does not track are as if they were not there: .env in the boxes of
# agents' shell commands. What counts as tracked cannot be forged by a box.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home LC_ALL=C
mkdir -p "$HOME"
git config --global user.name tester && git config --global user.email tester@example.org && git config --global init.defaultBranch main
box() { "$SBX" run -p claude-code-shell -- bash -c "$1" 2>&1; }
hidden() { denied "$1" run -p claude-code-shell -- "$2"; }
new() { # a repository, with secrets beside what is tracked
	cd "$(new_project)" || exit 1
	rm -f file
	mkdir -p packages/web apps/one/config/deeper node_modules/x sub
	echo KEY=CANARY >.env
	echo KEY=CANARY | tee .env.local .ENV packages/web/.env apps/one/config/.env.production apps/one/config/deeper/.env >/dev/null
	echo KEY=example | tee .env.example packages/web/.env.sample >/dev/null
	echo 'use flake' >.envrc
	echo x >tracked
	git add -f .env.example packages/web/.env.sample .envrc tracked
	git commit -qm secrets
}
new
is "the default profile reads them" 4 "$("$SBX" run -- bash -c 'cat .env .env.local packages/web/.env apps/one/config/.env.production' 2>&1 | grep -c CANARY)"
for profile in claude-code-shell codex-shell copilot-shell gemini-shell opencode-shell qwen-shell; do
	denied "$profile: none of them is there" run -p $profile -- 'cat .env .env.local .ENV packages/web/.env apps/one/config/.env.production; grep -rs CANARY . --exclude-dir=deeper'
done
is "what git tracks, and .envrc, are" "KEY=example KEY=example use flake" "$(box 'cat .env.example packages/web/.env.sample .envrc' | tr '\n' ' ' | sed 's/ $//')"
is "to a program it is not there" "no no no ENOENT" "$(box '[ -e .env ] && echo yes || echo no; [ -f .env.local ] && echo yes || echo no; test -r packages/web/.env && echo yes || echo no; python3 -c "
import errno
try: open(\".env\")
except OSError as e: print(errno.errorcode[e.errno])"' | grep -v '^sbx' | tr '\n' ' ' | sed 's/ $//')"
is "it cannot be made, moved, linked or removed" "begun ended CANARY" "$(attempt run -p claude-code-shell -- 'echo x >.env; mv .env y; ln .env y; rm -f .env; mv packages z; cp tracked .env') $(sed 's/KEY=//' .env)"
is "git status, add -A, stash and commit -a as if it were not there" "new tracked|0" "$(box 'echo y >>tracked; echo z >new; git status --short >/dev/null && git stash -uq && git stash pop -q && git add -A && git commit -qam all && git show --name-only --format= HEAD | grep -v deeper | tr "\n" " "; git status --short | wc -l' | grep -v '^sbx' | tr '\n' '|' | sed 's/ *|$//; s/ |/|/; s/ \([0-9]\)/|\1/')"
is "on the host they are as they were" "all ?? .env 1" "$(git log -1 --format=%s) $(git status --short --ignored=no .env) $(grep -c CANARY .env)"
like "who looks for it is told" "$("$SBX" run -p claude-code-shell -- sh -c 'cat .env; true' 2>&1)" "^sbx: hidden: .*\.env.*, which git's index does not list; to show it: --read "
is "who does not is not" ran "$(box 'cat tracked >/dev/null; ls >/dev/null; git status >/dev/null; echo ran')"
is "by its name it is there" "KEY=CANARY" "$("$SBX" run -p claude-code-shell --read .env -- cat .env 2>&1)"
denied "and the others are not" run -p claude-code-shell --read .env -- 'cat .env.local'
like "sbx why says which line" "$("$SBX" why -p claude-code-shell .env)" 'claude-code-shell'
is "sbx run --hide-untracked NAME for any file" 1 "$(echo CANARY >my.key; "$SBX" run --hide-untracked '*.key' -- cat my.key 2>/dev/null; echo $?)"
refused_as "a name has no slash" "expected a file's name .* without '/'" "$SBX" run --hide-untracked a/b -- true
"$SBX" session create here >/dev/null
denied "in a session" run -s here -p claude-code-shell -- 'cat .env packages/web/.env'
"$SBX" session remove here >/dev/null 2>&1
is "a directory .env stays" ok "$(rm .env; mkdir .env; echo ok >.env/x; box 'cat .env/x')"
rm -r .env

# A path that ends as another's: the content's name before it in an answer has one width.
new
mkdir abcdefghijk && echo CANARY >z.pem && cp z.pem abcdefghijk/z.pem && echo CANARY >sub/.env && git add -f z.pem abcdefghijk sub && git commit -qm more && echo KEY=CANARY >.env
is "tracked: a file whose name ends another's path is there" "CANARY" "$("$SBX" run --hide-untracked z.pem -- sh -c 'git status --short z.pem; cat z.pem' 2>&1)"
like "an untracked one beside such a path has its own reason" "$("$SBX" run --hide-untracked .env -- sh -c 'cat .env; true' 2>&1)" "^sbx: hidden: \.env, .*which git's index does not list; "
# Over two runs: what a box writes into the index does not show what it does not know.
again() { # name, what the first box does
	new
	[ "${3:-}" = "" ] || eval "$3"
	is "$1" "changed; begun ended" "$(box "$2"$'\n''echo changed' | grep -x changed); $(attempt run -p claude-code-shell -- 'cat .env packages/web/.env')"
}
again "a made-up blob" 'git update-index --add --cacheinfo 100644,$(echo made up | git hash-object -w --stdin),.env'
like "is reported" "$(box true)" "^sbx: hidden: \.env, which git's index lists with another content; to show it: --read \.env"
again "a blob of zeros" 'git update-index --add --cacheinfo 100644,1111111111111111111111111111111111111111,.env'
again "intent to add" 'git add -N -f .env'
again "assume-unchanged" 'git update-index --add --cacheinfo 100644,$(echo made up | git hash-object -w --stdin),.env; git update-index --assume-unchanged .env'
again "skip-worktree" 'git update-index --add --cacheinfo 100644,$(echo made up | git hash-object -w --stdin),.env; git update-index --skip-worktree .env'
again "what stands in its place, added by force" 'git add -f .env packages/web/.env'
again "stages of a merge" 'h=$(echo made up | git hash-object -w --stdin); printf "100644 $h 1\t.env\n100644 $h 2\t.env\n100644 $h 3\t.env\n" | git update-index --index-info'
again "a raw entry with the file's own times and size" 'python3 - <<X
import hashlib, os, struct
s = os.lstat(".env")
e = struct.pack(">10I", int(s.st_ctime), 0, int(s.st_mtime), 0, s.st_dev & 0xffffffff, s.st_ino & 0xffffffff, 0o100644, s.st_uid, s.st_gid, 11) + b"\x11" * 20 + struct.pack(">H", 4) + b".env"
e += b"\0" * (8 - len(e) % 8)
b = b"DIRC" + struct.pack(">2I", 2, 1) + e
open(".git/index", "wb").write(b + hashlib.sha1(b).digest())
X'
again "no index at all" 'rm .git/index; echo garbage >.git/index'
again "the directory shut by the first run" 'chmod 0 packages; mv packages p'
again "core.worktree, another index" 'git config core.worktree ..; export GIT_INDEX_FILE=x; git add -A'
again "a link in its place" 'ln -sf tracked .env; mkdir q; ln -s ../.env q/link'
again "SHA-256" 'git update-index --add --cacheinfo 100644,$(echo made up | git hash-object -w --stdin),.env' 'rm -rf .git; git init -q --object-format=sha256 .'
again "without a repository" 'git init -q .; git add -A' 'rm -rf .git'
chmod 755 packages 2>/dev/null

# What git really tracks is there, in each form that a checkout gives it.
shown() { # name, set-up
	new
	eval "$2"
	is "$1" 1 "$(box 'cat .env' | grep -c CANARY)"
}
shown "tracked" 'git add -f .env'
shown "tracked, with other times" 'git add -f .env; touch -d 2001-01-01 .env'
shown "tracked, with line ends of a checkout" 'printf "KEY=CANARY\r\nB=1\r\n" >.env; git -c core.autocrlf=true add -f .env 2>/dev/null'
shown "tracked by SHA-256" 'rm -rf .git; git init -q --object-format=sha256 .; git add -f .env'
shown "tracked, index of version 4" 'git add -f .env; git update-index --index-version 4'
shown "tracked in a worktree" 'git add -f .env; git commit -qm env; git worktree add -q ../tree.$$ 2>/dev/null; cd ../tree.$$'
new
git add -f .env && git commit -qm env && echo MORE=CANARY-changed >>.env
is "tracked and changed since: hidden, and reported" "0 1" "$(box 'cat .env' >"$work/out"; grep -c CANARY "$work/out") $(grep -c 'lists with another content; to show it: --read .env' "$work/out")"
is "and git works" x "$(box 'git status --short >/dev/null && git diff --stat >/dev/null && git add tracked && git commit -q --allow-empty -m x' >/dev/null; git log -1 --format=%s)"
# The host replaces it during a run.
new
mkfifo "$work/go"
"$SBX" run -p claude-code-shell --read "$work/go" -- bash -c 'touch ready; read -r _ <"$1"
for try in {1..300}; do cat .env 2>/dev/null | grep -q CANARY || break; sleep 0.1; done; cat .env; echo ended' - "$work/go" >"$work/seen" 2>/dev/null &
wait_for 30 [ -e ready ] && cp .env new && mv new .env && echo >"$work/go"
wait
is "replaced while a box runs" ended "$(cat "$work/seen")"
# Neither a box's names and directories show what the user has, nor is a later run refused.
new
box true >/dev/null
after() { # name, what a box does
	box "$2" >/dev/null 2>&1
	is "$1" "hidden" "$("$SBX" run -p "${3:-claude-code-shell}" -- sh -c 'grep -rs CANARY . --exclude-dir=deeper; echo hidden' 2>/dev/null)"
}
after "128 empty files" 'touch $(seq -f .env.%g 128)'
after "directories, that sort before, and with such names" 'mkdir $(seq -f 0%g 1200) && touch 0{1..600}/.env'
after "directories that cannot be listed" 'mkdir $(seq -f shut%g 600) && chmod 0 shut*'
after "deep ones" 'p=; for i in {1..60}; do p=${p}d/; done; mkdir -p "$p" && touch "$p/.env"'
after "their directories are moved or shut" 'mv packages apps/packages; mv apps .git/apps; chmod 0 packages apps; chmod 0 packages/web'
chmod 755 packages apps packages/web shut*
after "10,000 names" 'seq -f .env.%g 10000 | xargs touch' codex-shell
# However many directories there are, all of three levels are searched. Of many names the oldest are hidden.
new
box 'mkdir -p many 0/1 && cd many && seq 4500 | xargs mkdir; cd ../0; seq 2000 | xargs mkdir; cd 1; seq 4500 | xargs mkdir' >/dev/null 2>&1
after "11,000 directories" true
new
(seq -f .env.%g 900 | xargs touch; mkdir other && cd other && seq -f .env.%g 2000 | xargs touch)
visible="more files like '.env' than can be hidden: [1-9][0-9]* are visible; to hide all: --hide '\*\*/.env'"
like "more hidden files than are possible" "$(box true)" "$visible"
like "and in the plan" "$("$SBX" plan -p claude-code-shell -- true 2>&1)" "$visible"
new
box 'for i in $(seq 700); do echo >f$i; ln -s f$i .env.l$i; done' >/dev/null 2>&1
after "700 links" true
# What the user made since.
new
mkdir -p old/one/two/three/four fresh/app
for place in . fresh fresh/app old/one/two sub; do
	echo KEY=CANARY-since >$place/.env.since
done
echo KEY=CANARY-since | tee old/one/two/three/.env >old/one/two/three/four/.env
hidden "in the top three levels" 'grep -rs CANARY-since . --exclude-dir=three'
is "deeper ones are visible" "2" "$(box 'grep -rs CANARY-since old/one/two/three' | wc -l)"
like "which the plan says" "$("$SBX" plan -p claude-code-shell -- true 2>&1)" "files like '.env' are hidden in the top three levels of the project; deeper ones are visible"
is "in the command's directory" "begun ended" "$(cd old/one/two/three && attempt run -p claude-code-shell -- 'cat .env')"
new
mkdir conf q && echo KEY=CANARY-led >conf/prod && ln -s conf/prod way && ln -s way .env.led && ln -s ../conf/prod q/.env
is "a link of the user's that leads to one stays" "begun ended conf/prod way ../conf/prod begun ended" "$(attempt run -p claude-code-shell -- 'rm -f way .env.led q/.env; mv q r') $(readlink way .env.led q/.env | paste -sd' ') $(attempt run -p claude-code-shell -- 'cat conf/prod')"
new
chmod 0 packages
hidden "a directory that cannot be listed is hidden as a whole" 'chmod 755 packages; cat packages/web/.env'
chmod 755 packages
# Files that the caller's variables name.
printf -- '-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----\n\0-----BEGIN PRIVATE KEY-----\nCANARY\n' >"$HOME/zero.pem"
is "of a file of certificates nothing else comes along, also behind a NUL byte" "1 0" "$(SSL_CERT_FILE=$HOME/zero.pem "$SBX" run -- sh -c 'grep -ac BEGIN.CERT "$SSL_CERT_FILE"; grep -ac CANARY "$SSL_CERT_FILE"' | xargs)"
is "a name that is too long stops no run" ran "$(SSL_CERT_FILE="/$(printf 'a%.0s' {1..5000})" "$SBX" run -- echo ran)"
mkdir "$HOME/hashes" && (cd "$HOME/hashes" && for i in {1..300}; do echo x >$i; done)
is "a directory of many files does not come along, whatever they are" none "$(SSL_CERT_DIR=$HOME/hashes "$SBX" run -- sh -c 'echo ${SSL_CERT_DIR-none}')"
done_testing
