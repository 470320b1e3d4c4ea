#!/bin/bash
# On a file system that finds names by any case while the kernel tells the spellings apart (9p of WSL, a
# Mac's virtiofs, cifs; here one by FUSE): a mount covers one spelling, so what needs one is refused.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
export HOME=$work/home XDG_STATE_HOME=$work/state
mkdir -p "$HOME" "$work/below" "$work/folding"
if ! [ -w /dev/fuse ] || ! /usr/bin/python3 -c 'import fusepy' 2>/dev/null; then
	skip "a file system that folds case" "needs /dev/fuse and python3-fusepy"
	done_testing
fi
"$here/folding.py" "$work/below" "$work/folding" 2>"$work/fuse.log" &
served=$!
trap 'cd /; fusermount -u "$work/folding" 2>/dev/null || umount "$work/folding"; wait $served; chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
if ! wait_for 10 mountpoint -q "$work/folding"; then
	skip "a file system that folds case" "FUSE cannot be mounted here: $(tail -1 "$work/fuse.log")"
	done_testing
fi
cd "$work/folding" || exit 1

mkdir plain && cd plain || exit 1
echo hidden >secret.txt
is "it folds case" hidden "$(cat SECRET.txt)"
status "where nothing is to be kept from the box it runs" 0 "$SBX" run -- cat secret.txt
"$SBX" run --hide ./secret.txt -- cat SECRET.txt >"$work/out" 2>"$work/log"
is "a file to hide that has another spelling: refused" "125 " "$? $(cat "$work/out")"
like "and said" "$(cat "$work/log")" "^sbx: .*hide.*/plain/secret.txt' cannot be hidden or protected: its file system also finds it as '.*/plain/SECRET.TXT'"
mkdir -p one/two && mv secret.txt one/two/7
"$SBX" run --hide ./one/two/7 -- cat ONE/two/7 >"$work/out" 2>"$work/log"
is "by a directory on the way to it" "125 " "$? $(cat "$work/out")"
"$SBX" run --project read --hide ./one/two/7 -- cat ONE/two/7 >"$work/out" 2>"$work/log"
is "and where nothing is written" "125 " "$? $(cat "$work/out")"
if "$SBX" run --isolation landlock -- true 2>"$work/log"; then
	"$SBX" run --isolation landlock --project read --hide ./one/two/7 -- sh -c 'cat ONE/two/7; echo ran' >"$work/out" 2>"$work/log"
	is "Landlock alone knows the file by any name" ran "$(cat "$work/out")"
else
	skip "Landlock alone knows the file by any name" "this kernel's Landlock is too old to be alone"
fi

# What is absent is asked for by its name: the file system finds it.
"$SBX" run -- sh -c 'mkdir -p .GIT/Hooks .VSCODE; cp /bin/true .GIT/Hooks/post-commit; echo "{}" >.VSCODE/tasks.json' 2>"$work/log"
is "a hook in a new .GIT is gone" no "$([ -e .git/hooks/post-commit ] && echo yes || echo no)"
is "a new .VSCODE is gone" no "$([ -e .vscode ] && echo yes || echo no)"
mkdir ../above && cd ../above || exit 1
"$SBX" run -- sh -c 'mkdir -p sub/.gIT/HOOKS; cp /bin/true sub/.gIT/HOOKS/pre-commit; sleep 1' 2>"$work/log"
is "a hook in a new .gIT below is gone" no "$([ -e sub/.git/hooks/pre-commit ] && echo yes || echo no)"
like "and told" "$(cat "$work/log")" 'sub/.*(repository|hooks)'

mkdir -p ../other/.VSCODE && cd ../other || exit 1
"$SBX" run -- touch .vscode/evil .VSCODE/evil >"$work/out" 2>"$work/log"
is "a .VSCODE that is there is kept from the box, or the run refused" "125 " "$? $(ls .vscode)"

mkdir -p ../unlisted/.fleet && cd ../unlisted || exit 1
is "it lists not all that it has" "0 0" "$(ls -A | wc -l) $([ -d .fleet ]; echo $?)"
"$SBX" run -- touch .fleet/evil >"$work/out" 2>"$work/log"
is "what is not listed is kept from the box, or the run refused" "125 " "$? $(ls .fleet)"

mkdir ../repository && cd ../repository && git init -q . || exit 1
"$SBX" run -- sh -c 'echo evil >.GIT/hooks/pre-commit; echo evil >.git/HOOKS/pre-push' >"$work/out" 2>"$work/log"
is "a repository is refused" "125 " "$? $(ls .git/hooks | grep -v '[.]sample$')"
like "with the way out" "$(cat "$work/log")" "/.git' cannot be hidden or protected: .* move it to a Linux file system, or use --no-protect"
status "which is one" 0 "$SBX" run --no-protect -- true
done_testing
