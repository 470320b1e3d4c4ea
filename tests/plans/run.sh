#!/bin/bash
# Golden plans: what a profile and flags lead to. default.plan is whole; of the others the lines that differ from it, as
# diff marks them. UPDATE=1 writes them anew.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
project=$(new_project)
mkdir -p "$project/.git/hooks" "$project/sub" "$work/home/.cargo/bin" "$work/home/.npm" "$work/home/.ssh" "$work/data"
touch "$work/home/.gitconfig" "$work/home/.npmrc" "$work/data/a" "$work/data/b"
git -C "$project" config core.filemode true

# Lines that depend on the machine are left out: system directories, kernel, what root needs more.
normal() {
	sed -e "s|$project|PROJECT|g; s|$work/home|HOME|g; s|$work|WORK|g" \
		-e '/: this machine uses it: /d; s/PROJECT\([a-z]*\)-[0-9a-f]\{16\}/PROJECT\1-ID/; s|cache/=[^/]*|cache/ID|; s| memory=[0-9]*M| memory=SHARE|' |
		grep -Ev '^  (read|link|hide|read-only|directory) +/(usr|bin|sbin|lib|lib32|lib64|libx32|opt|etc|nix|gnu|snap|sys|proc|var|home|run)|^(user|landlock|filter|note) |^  own +[^ ]*(/sudo |resolv\.conf)|^  (enforced|cgroup|outside) ' |
		awk '/^ +(WORK\/data\/[^ ]+ ?)+$/ { names += NF; next } names { print "             " names " names in WORK/data"; names = 0 } { print }'
}

golden() { # name, options of plan...
	local name=$1
	shift
	(cd "$project" && env -i HOME="$work/home" PATH=/usr/bin:/bin GH_TOKEN=x NODE_ENV=test "$SBX" plan "$@") 2>&1 | normal >"$work/plan"
	[ "$name" = default ] || { diff "$here/default.plan" "$work/plan" | grep '^[<>]' >"$work/differs"; mv "$work/differs" "$work/plan"; }
	if [ "${UPDATE:-}" = 1 ]; then cp "$work/plan" "$here/$name.plan"; fi
	if diff -u "$here/$name.plan" "$work/plan" >"$work/diff"; then
		pass "plan $name"
	else
		fail "plan $name" "$(cat "$work/diff")"
	fi
}

golden default
golden base -p base
golden offline -p offline
golden project-read --project read
golden network-host --network host
golden read-in-write --read "$work/data" --write "$work/data/b"
golden write-in-read --write "$work/data" --read "$work/data/b"
golden hide-wins --read "$work/data" --hide "$work/data" --read "$work/data/a"
golden hide-project-file --hide ./file --tmpfs ./sub
golden cache --cache '~/.thing' --read '~/.npmrc'
golden minimal --env-mode minimal --env A=B
golden limits --timeout 5m --memory 100M --pids 10 --tmp-size 1M --file-size 1G --open-files 100 --core-size unlimited
mkdir -p "$work/home/.ssh" "$work/home/.nvm" "$work/home/.pyenv" "$work/home/.rustup" "$work/home/go/bin" "$work/home/.sdkman" "$work/home/.rbenv" "$work/home/.phpenv" "$work/home/.config/git"
for profile in open-read git node python rust go java c ruby php; do
	golden "profile-$profile" -p "$profile"
done
golden stacked -p node -p git
golden protected --protect ./sub --hide '**/fi*'
golden unprotected --no-protect
golden scratch --overlay "$work/data" --socket '?/nowhere'
# Every row of the home that what comes with sbx reads, where it exists; a secret in one of them stays hidden.
(cd "$work/home" && sed -n 's|^read = ?~/||p' "$here/../../profiles/base.ini" | while read -r row; do [ -e "$row" ] || mkdir -p "$row"; done)
mkdir -p "$work/home/.local/share/uv/credentials" "$work/home/.dotnet/corefx"
golden toolchains
done_testing
