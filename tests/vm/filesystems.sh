#!/bin/bash
# As root in a machine of its own: file systems that a laptop has, each on a loop device. Those that fold case
# in the kernel: a mount holds for all spellings. btrfs: a snapshot would be all that is hidden.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
export HOME=$work/home XDG_STATE_HOME=$work/state GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
mkdir -p "$HOME" "$work/at"
modprobe -a loop fuse

mounted() { # size, mkfs...: at $work/at
	truncate -s "$1" "$work/image"
	shift
	"$@" "$work/image" >"$work/mkfs.log" 2>&1 && mount -o loop "$work/image" "$work/at" 2>>"$work/mkfs.log"
}

unmounted() {
	cd / && umount "$work/at"
	rm -f "$work/image"
}

folding() { # name
	mkdir -p "$work/at/project" && cd "$work/at" && { [ "$1" != ext4 ] || chattr +F project; } && cd project && git init -q . || return 1
	echo hidden >secret.txt
	is "$1 folds case" hidden "$(cat SECRET.txt)"
	"$SBX" run --hide ./secret.txt -- sh -c 'cat Secret.txt SECRET.TXT SECRET~1.TXT secret.txt; for dir in .GIT/hooks .git/HOOKS GIT~1/hooks .Git/Hooks
		do cp /bin/true $dir/pre-commit; done
		echo "[core] fsmonitor = evil" | tee -a .git/CONFIG .GIT/config
		mv .GIT .other; mv .git/HOOKS .git/other
		mkdir -p .VSCODE sub/.Git/HOOKS; cp /bin/true sub/.Git/HOOKS/pre-push; sleep 1; echo end' >"$work/out" 2>"$work/log"
	is "$1: what is hidden is so by any case" 0 "$(grep -c hidden "$work/out")"
	is "$1: the box ran" end "$(tail -1 "$work/out")"
	is "$1: hooks are protected by any case" no "$([ -e .git/hooks/pre-commit ] && echo yes || echo no)"
	is "$1: and the configuration" "" "$(git config core.fsmonitor)"
	is "$1: a new .VSCODE is gone" no "$([ -e .vscode ] && echo yes || echo no)"
	is "$1: a hook in a new .Git below is gone" no "$([ -e sub/.git/hooks/pre-push ] && echo yes || echo no)"
	mkdir .IDEA && "$SBX" run -- sh -c 'touch .idea/evil .IDEA/evil' 2>/dev/null
	is "$1: a .IDEA that is there is not written" "" "$(ls .idea)"
	"$SBX" run --no-protect -- cp /bin/true .GIT/Hooks/pre-commit 2>"$work/log"
	is "$1: its twin" yes "$([ -e .git/hooks/pre-commit ] && echo yes || echo no)"
}

each() { # name, mkfs...
	if mounted 64M "${@:2}"; then folding "$1"; else fail "$1" "$(cat "$work/mkfs.log")"; fi
	unmounted
}
each vfat mkfs.vfat
each exfat mkfs.exfat
each ext4 mke2fs -q -t ext4 -O casefold

if mounted 256M mkfs.btrfs && btrfs subvolume create "$work/at/home" >/dev/null && mkdir "$work/at/home/project" "$work/at/home/.ssh"; then
	echo secret >"$work/at/home/.ssh/key"
	cd "$work/at/home/project" || exit 1
	"$SBX" run --read "$work/at/home" --hide "$work/at/home/.ssh" -- sh -c 'btrfs subvolume snapshot .. here; cat here/.ssh/key' >"$work/out" 2>"$work/log"
	is "btrfs: no snapshot shows what is hidden" 0 "$(grep -c secret "$work/out")"
	btrfs subvolume snapshot .. here >/dev/null
	is "its twin outside" secret "$(cat here/.ssh/key)"
else
	fail "btrfs" "$(cat "$work/mkfs.log")"
fi
unmounted
bash "$here/../escape/folding.sh" | sed -n 's/^ok [0-9]* - /pass /p; s/^not ok [0-9]* - /fail /p' >"$work/fuse"
while read -r what name; do "$what" "FUSE: $name"; done <"$work/fuse"
is "FUSE was there" 0 "$(grep -c 'folds case # SKIP' "$work/fuse")"
done_testing
