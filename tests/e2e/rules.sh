#!/bin/bash
# Rules of a profile do what they say: patterns, what is named with --write, files that the host replaces.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
mkdir -p "$HOME" "$XDG_CONFIG_HOME/sbx"
project=$(new_project)
cd "$project" || exit 1
box() { "$SBX" run "$@" 2>"$work/log"; }

# Patterns.
mkdir -p deep/er && for name in a.lock deep/b.lock deep/er/c.lock; do echo keep >$name; done
for pattern in '**/*.lock' './*.lock' '*.lock'; do
	box --protect "$pattern" -- sh -c 'echo evil >a.lock; rm -f a.lock; mv a.lock b; echo evil >deep/b.lock'
	is "protect $pattern: what is in the project" keep "$(cat a.lock)"
	if [ "${pattern#\*\*}" != "$pattern" ]; then is "protect $pattern: below it" keep "$(cat deep/b.lock)"; else is "protect $pattern: not below it" evil "$(cat deep/b.lock)"; fi
	echo keep >deep/b.lock
	is "secret $pattern" "" "$(box --secret "$pattern" -- cat a.lock)"
	is "secret $pattern, and named" keep "$(box --secret "$pattern" --read a.lock -- cat a.lock)"
done
box --protect '**/*.lock' -- sh -c 'mv deep shallow; mkdir -p deep/er; echo evil >deep/er/c.lock'
is "protect **/*.lock: a directory around cannot be moved away" keep "$(cat deep/er/c.lock)"
printf '[files]\nprotect = **/*.lock\nsecret = ./deep/*.lock\n' >.sbx.ini
is "both in the project's own file" "keep,keep,2" "$(box -- sh -c 'echo evil >a.lock; cat deep/b.lock'; cat a.lock deep/b.lock | paste -sd,),$(grep -c . "$work/log")"
rm .sbx.ini
for key in protect secret; do
	status "$key with a pattern out of the project" 125 "$SBX" run --$key '/etc/*.conf' -- true
	status "$key with two stars" 125 "$SBX" run --$key '*/x/*.conf' -- true
done

# What would hide all.
ln -s / root
for name in / // /. /.. "$project/root" root; do
	for key in hide secret; do
		status "$key = $name" 125 "$SBX" run --$key "$name" -- true
		status "why --$key $name" 125 "$SBX" why --$key "$name" /etc/passwd
	done
done
rm root
printf '[files]\nhide = /\n' >"$work/all.ini"
status "profile check" 125 "$SBX" profile check "$work/all.ini"
is "--protect / works" 1 "$(box --protect / -- touch new; echo $?)"

# A program of the host replaces a protected file while runs begin: each is made again until it stands.
while [ -e "$work" ] && [ ! -e "$work/stop" ]; do
	git config --local user.name x 2>/dev/null
	echo '{}' >.mcp.json
	mv .mcp.json .mcp.json.old
	mv .mcp.json.old .mcp.json
	rm -f .mcp.json
done 2>/dev/null &
refused=0
for _ in $(seq 60); do
	echo in | "$SBX" run -- sh -c 'read -r word; [ "$word" = in ]' >"$work/out" 2>&1 || { refused=$((refused + 1)); cp "$work/out" "$work/refused"; }
done
touch "$work/stop"
wait
is "replaced while the plan is made: none of 60 runs is refused" 0 "$refused"
[ "$refused" = 0 ] || sed 's/^/# /' "$work/refused"
rm -f .mcp.json*

# Many registered worktrees: one mount for all, no false line, and what is one's own is writable.
git config user.name tester && git config user.email tester@example.org
git commit -q --allow-empty -m first && git worktree add -q "$work/tree" && git worktree add -q "$work/other"
for i in $(seq 300); do
	mkdir ".git/worktrees/w$i" && echo ../.. >".git/worktrees/w$i/commondir" && echo "$work/none/w$i/.git" >".git/worktrees/w$i/gitdir"
done
is "300 worktrees: nothing is said, and one mount" 1 "$(box -- grep -c worktrees /proc/self/mountinfo; cat "$work/log")"
is "they are read-only" 0 "$(box -- sh -c 'echo x >.git/worktrees/w7/commondir; echo x >.git/worktrees/w7/config.worktree; rm -r .git/worktrees/w8; mv .git/worktrees away; mkdir .git/worktrees/mine' 2>/dev/null; git worktree list | wc -l >/dev/null; find .git/worktrees -newer file -name config.worktree | wc -l)"
is "all of them are there" 302 "$(ls .git/worktrees | wc -l)"
is "and what they say" 302 "$(grep -lx ../.. .git/worktrees/*/commondir | wc -l)"
cd "$work/tree" || exit 1
is "commit in one's own" "second," "$(box -- git commit -q --allow-empty -m second; git log -1 --format=%s),$(cat "$work/log")"
box -- sh -c 'd=$(git rev-parse --git-dir); echo x >$d/commondir; echo x >$d/gitdir; mv $d $d.away; echo x >$d/../other/HEAD'
is "its pointers are protected" "../..,$work/tree/.git" "$(cat "$project/.git/worktrees/tree/commondir" "$project/.git/worktrees/tree/gitdir" | paste -sd,)"
is "and the others" 0 "$(grep -c '^x' "$project/.git/worktrees/other/HEAD")"
done_testing
