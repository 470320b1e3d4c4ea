#!/bin/bash
# A sandbox inside a box: sbx, bubblewrap and what is made with it, in a project with git and in one without; that
# the inner one is only tighter, and says whose wall it was.
#   PEERS   where npm has installed @anthropic-ai/sandbox-runtime and @openai/codex (/var/tmp/sbx-peers)
export TMPDIR=${TMPDIR:-/var/tmp} # codex takes no home below /tmp
. "$(dirname "$0")/../net/inside.sh"
unset TMPDIR
here=$(dirname "$SBX") peers=${PEERS:-/var/tmp/sbx-peers}/node_modules/.bin
plain=$(fresh plain)
fetch="curl -sS -m 60 --cacert $LAB/ca.pem"
inner="$SBX run --read $here --read $LAB"
# What sbx says goes to $work/log, of all levels.
box() { timeout 120 "$SBX" run --read "$here" --read "$LAB" "$@" 2>"$work/log"; }
wide() { box --allow-syscalls namespaces "$@"; }
says() { # name, extended regular expression, command...: of what comes out and what sbx says
	local name=$1 wanted=$2
	shift 2
	like "$name" "$("$@"; cat "$work/log")" "$wanted"
}
abi=$("$SBX" doctor --json 2>/dev/null | sed -n 's/.*"wall":"landlock"[^}]*"detail":"ABI \([0-9]*\).*/\1/p')

# --- with namespaces inside
spaces() { # name, directory: what is to start there
	local name=$1
	cd "$2" || exit 1
	# shellcheck disable=SC2086
	{
		is "$name: sbx in sbx" "$(id -u)" "$(wide -- $inner -- id -u)"
		is "$name: three levels" "$(id -u)" "$(wide -- $inner --allow-syscalls namespaces -- $inner -- id -u)"
		is "$name: bwrap in sbx in sbx" "$(id -u)" "$(wide -- $inner --allow-syscalls namespaces -- bwrap --ro-bind / / --dev /dev --proc /proc id -u)"
	}
	is "$name: bwrap --ro-bind / /" in "$(wide -- bwrap --ro-bind / / echo in)"
	is "$name: bwrap with its own /dev and /proc" "$(id -u)" "$(wide -- bwrap --ro-bind / / --dev /dev --proc /proc --unshare-all id -u)"
	is "$name: bwrap that binds the directory to write" yes "$(wide -- bwrap --ro-bind / / --bind "$PWD" "$PWD" --dev /dev --proc /proc sh -c 'echo yes >made; cat made; rm made')"
	for peer in srt codex; do
		local words=(-c "echo yes")
		[ $peer = srt ] || words=(sandbox -- echo yes)
		if [ ! -x "$peers/$peer" ]; then
			skip "$name: $peer" "it is not in $peers: npm install it there"
		elif [ $peer = srt ] && ! { command -v rg && command -v socat; } >/dev/null; then
			skip "$name: srt" "it needs ripgrep and socat"
		else
			is "$name: $peer" "yes" "$(wide --read "${peers%/node_modules/.bin}" -- "$peers/$peer" "${words[@]}")"
		fi
	done
}
if [ "$(id -u)" = 0 ]; then
	skip "with namespaces inside" "the kernel maps uid 0 for nobody without SETFCAP"
	says "which is said with the fix" 'SETFCAP.*--isolation landlock' wide -- $inner --isolation namespaces -- true
elif ! command -v bwrap >/dev/null; then
	skip "with namespaces inside" "bubblewrap is not installed"
else
	spaces git "$project"
	spaces plain "$plain"
	cd "$project" || exit 1
	ln -s file .envrc && ln -s "$project/file" .mcp.json && ln -s nothing .exrc
	is "protected names that are links" in "$(wide -- bwrap --ro-bind / / --dev /dev --proc /proc echo in)"
	rm .envrc .mcp.json .exrc
	# What an inner box writes to git's configuration reaches the host by both boxes' rules.
	wide -- $inner -- sh -c 'git config branch.a.description inner@example.org; git config core.pager evil'
	is "an inner box's configuration comes out, but for what git would run" "inner@example.org " "$(git config branch.a.description) $(git config core.pager)"
	is "nor does an inner hook" "tried no" "$(xargs <<<"$(wide -- $inner --no-protect -- sh -c 'echo tried; echo x >.git/hooks/pre-commit'; [ -e .git/hooks/pre-commit ] && echo yes || echo no)")"
	like "the plan says what git cannot do there" "$("$SBX" plan --allow-syscalls namespaces -- true)" "note.*Device or resource busy"
	says "tier landlock where a whole one can be had" 'here --isolation namespaces can' wide -- $inner --isolation landlock -- true
	says "files of the outer one's" 'Read-only file system' wide --project read -- $inner -- touch new
	is "what the outer one hides" 1 "$(wide --hide file -- $inner -- cat file; echo $?)"
	git worktree add -q "$work/tree" 2>/dev/null || { git commit -q --allow-empty -m one && git worktree add -q "$work/tree"; }
	cd "$work/tree" || exit 1
	is "a worktree" true "$(wide -- $inner -- git rev-parse --is-inside-work-tree)"
fi

# --- without: the inner one is of tier landlock
cd "$project" || exit 1
if [ "${abi:-0}" -lt 6 ]; then
	skip "without namespaces" "this kernel's Landlock is ABI ${abi:-0}, 6 is needed"
else
	is "tier landlock, git" 0 "$(box -- $inner --isolation landlock -- true; echo $?)"
	is "nothing more is said" "" "$(cat "$work/log")"
	is "tier landlock, plain" 0 "$(cd "$plain" && box -- $inner --isolation landlock -- true; echo $?)"
	says "chosen where no other can be, and told" '^tester.*|^sbx: inside a box, .*tier landlock' box -- $inner -- git config user.name
	says "tier full is not weakened" 'Start the outer one with --allow-syscalls namespaces' box -- $inner --isolation namespaces -- true
	says "nor what tier landlock cannot do" 'Start the outer one with --allow-syscalls namespaces' box -- $inner --explain -- true
	is "a hook of an agent that is in a box" "hello 7" "$(box -- bash -c "$inner -- bash -c 'cat file; exit 7'; echo \$?" | tr '\n' ' ' | sed 's/ $//')"
	is "sbx's own hook lets the command be" "" "$(echo '{"tool_name":"shell","tool_input":{"command":"true"}}' | box -- "$SBX" agent hook gemini)"
	says "git's configuration is read, and not written" 'tester.*could not lock config file|Permission denied' box -- $inner -- sh -c 'git config user.name; git config core.pager evil'
	for change in 'echo x >.git/hooks/pre-commit' 'mv .git gone' 'mv .git/config gone' 'mv .git/hooks gone' 'rm -rf .git/hooks' \
		'echo x >.git/config' 'ln -f file .git/config'; do
		tree=$(tree_hash .git)
		box -- $inner -- sh -c "$change" >/dev/null
		is "the outer one's walls hold inside: $change" "$tree" "$(tree_hash .git)"
	done
	says "without them the inner one refuses" "cannot protect .*/.git/config" box --no-protect -- $inner -- true
	says "nor is a link kept that is no mount" "cannot protect .*/.envrc'" box --no-protect --write "$plain" -- sh -c "cd $plain && ln -s x .envrc && $inner -- true"
	mkdir -p .claude/sub && echo x >.claude/settings.json
	says "also where something below is writable" "cannot protect .*/.claude'" box --write .claude/sub -- $inner -- true
	is "and not where nothing is" 0 "$(box -- $inner -- true; echo $?)"
	rm -r .claude
	# A project's own link proves nothing, here or outside: only one that is mounted.
	mkdir -p fake/.git/objects fake/.git/refs && echo 'ref: refs/heads/main' >fake/.git/HEAD && ln -s /dev/sbx/0/config fake/.git/config
	says "a link of a project's own, in a box" "cannot protect .*/fake/.git/config'" box -- sh -c "cd fake && $inner -- true"
	says "on the host" "cannot create|cannot protect .*/fake/.git/config'" sh -c "cd fake && $SBX run -- sh -c 'echo x >>.git/config' 2>&1"
	says "on the host, tier landlock" "cannot protect .*/fake/.git/config'" sh -c "cd fake && $SBX run --isolation landlock -- true 2>&1"
	rm -r fake
	is "a variable proves nothing" "" "$(env SBX=1 "$SBX" plan -- true 2>&1 | grep 'inside a box')"
	says "a read-only project" 'Read-only file system' box --project read -- $inner -- touch new
	says "files that the outer one lacks" "does not exist" box -- "$SBX" run --read "$here" --read "$HOME/secret" -- true
	git -c protocol.file.allow=always submodule -q add "$project" module 2>/dev/null
	is "a submodule" "0" "$(cd module && box -- $inner -- git status --short >/dev/null; echo $?)"
	git rm -q -f module && rm -rf .git/modules
	says "an outer one that is asked already" 'the kernel allows one' box --explain -- $inner --isolation landlock -- true
	like "an outer one in the background" "$(python3 "$tests/escape/background.py" "$SBX" run --read "$here" --read "$LAB" -- $inner -- true 2>&1)" 'a start in the background of a terminal'
	says "inside tier landlock" 'in which no other starts' box --isolation landlock --project read -- $inner --project read -- true
	says "also when it is asked for" 'in which no other starts' box --isolation landlock --project read -- $inner --isolation landlock --project read -- true
fi

# --- limits: the smaller one counts
is "open files" 200 "$(box --open-files 200 -- $inner --open-files 5000 -- sh -c 'ulimit -n')"
is "the size of a file" "1048576" "$(box --file-size 1M -- $inner --file-size 5M -- sh -c 'head -c 3M /dev/zero 2>/dev/null >big; stat -c %s big; rm big')"
is "time" 124 "$(box --timeout 2s -- $inner --timeout 100s -- sleep 100; echo $?)"

# --- the network: both allow-lists, and whose it was
nets() { # name, options of the outer one
	local name=$1
	shift
	like "$name: what both allow" "$(box "$@" -a www.allowed.test -- $inner -a www.allowed.test -- $fetch https://www.allowed.test/a)" '^GET /a'
	like "$name: in cleartext" "$(box "$@" -a www.allowed.test -- $inner -a www.allowed.test -- $fetch http://www.allowed.test/a)" '^GET /a'
	says "$name: what the outer one refuses, and that it does" "could not reach denied.test:80.*the box around this one refuses it; that one's --allow" \
		box "$@" -a www.allowed.test -- $inner -a '*' -- $fetch http://denied.test/
	says "$name: what the inner one refuses" 'blocked denied.test:80.*not in the allowlist' box "$@" -a '*' -- $inner -a www.allowed.test -- $fetch http://denied.test/
	says "$name: an address" 'the box around this one refuses it' box "$@" -a www.allowed.test -- $inner -a 203.0.113.10 -- $fetch http://203.0.113.10/
	says "$name: mode host inside" 'blocked by sbx' box "$@" -a www.allowed.test -- $inner --network host -- $fetch http://denied.test/
	says "$name: no network outside" 'the outer box has no network' box "$@" --network none -- $inner -a www.allowed.test -- $fetch http://www.allowed.test/
}
cd "$plain" || exit 1
if [ "${abi:-0}" -ge 6 ]; then
	nets "tier landlock"
	says "tier landlock: mode host outside" 'asked about system calls already .*--network host' \
		box --network host -- $inner -a www.allowed.test -- $fetch http://www.allowed.test/a
fi
if [ "$(id -u)" != 0 ]; then
	nets "namespaces" --allow-syscalls namespaces
	like "namespaces: mode host outside" "$(box --allow-syscalls namespaces --network host -- $inner -a www.allowed.test -- $fetch http://www.allowed.test/a)" '^GET /a'
	like "three levels" "$(wide -a www.allowed.test -- $inner --allow-syscalls namespaces -a www.allowed.test -- $inner -a '*' -- $fetch https://www.allowed.test/a)" '^GET /a'
	says "three levels, the outermost refuses" 'blocked denied.test' wide -a www.allowed.test -- $inner --allow-syscalls namespaces -a '*' -- $inner -a '*' -- $fetch http://denied.test/
fi

# --- words
cd "$project" || exit 1
if [ "${abi:-0}" -ge 6 ]; then
	says "why" '^inside another box: what that one denies stays denied' box -- "$SBX" why file
	says "why: a protected name" 'it is read-only in the box around this one' box -- "$SBX" why .git/hooks
	says "why: git's configuration" '/.git/config can be read: the copy of the box around' box -- "$SBX" why .git/config
	says "why: what the outer one lacks" 'that one needs the same' box -- "$SBX" why "$HOME/absent"
	says "plan" 'note +inside another box' box -- "$SBX" plan -- true
	says "doctor" 'ok +box around +this is inside another box' box -- "$SBX" doctor
	is "doctor has no complaint" 0 "$(box -- "$SBX" doctor >/dev/null; echo $?)"
fi
is "nothing advises to remove git's configuration" "" "$(grep -rn "config[^.;]*remove it" "$tests/../src" | grep -v '^.*//' || true)"
done_testing
