#!/bin/bash
# Sessions: what is written is kept and the host has what it had; snapshots, forks, differences,
# and taking over what was changed.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state
mkdir -p "$HOME" "$XDG_STATE_HOME"
project=$(new_project)
cd "$project" || exit 1
in_session() { # name, command for a shell
	run_box -s "$1" -- bash -c "$2" 2>"$work/log"
}
session() { "$SBX" session "$@" 2>"$work/log"; }
said() { cat "$work/log"; }
layers() { find "$XDG_STATE_HOME/sbx/layers" -mindepth 1 -maxdepth 1 -name '????????' | wc -l; }

if ! session create one && grep -q 'extended attributes' "$work/log"; then
	skip "sessions" "the file system of $work has no extended attributes"
	done_testing
fi

# --- a box that lasts
mkdir -p dir/deep && seq 50 >dir/numbers && echo deep >dir/deep/file && ln -s file link && git add . && git commit -qm first
hash=$(tree_hash .)
in_session one 'echo more >>file; rm dir/deep/file; mkdir new && echo n >new/f; echo t >/tmp/t; echo v >/var/tmp/v; echo h >~/h'
stays "a session: the host has what it had" "$hash" "$(tree_hash .)"
is "a session keeps the project, /tmp and the home" "hello more n t v h" "$(echo $(in_session one 'cat file new/f /tmp/t /var/tmp/v ~/h'))"
is "a run without it sees none of this" "hello" "$("$SBX" run -- bash -c 'cat file; cat /tmp/t ~/h' 2>/dev/null)"
running() { session show one | grep -q running; }
is "one command is not another's process" 0 "$("$SBX" run -s one -- sleep 30 & wait_for 30 running; in_session one 'pgrep -c sleep'; echo; kill $!; wait; true)"
is "sbx shell -s" "n" "$(echo 'cat new/f' | SHELL=/bin/bash "$SBX" shell -s one 2>/dev/null)"
like "sbx plan -s shows the session's directories" "$("$SBX" plan -s one -- true)" "session +$project"
is "from elsewhere the command starts in the project" "$project" "$(cd / && in_session one pwd)"
session create two
is "two sessions over one project see nothing of each other" "hello" "$(in_session two 'cat file; cat new/f /tmp/t ~/h')"
like "list names both" "$(session list)" "^one .*$project"
is "list as JSON" "one two" "$(session list --json | python3 -c 'import json, sys; print(*[s["name"] for s in json.load(sys.stdin)["sessions"]])')"
like "show" "$(session show one)" "over +$project"
echo key >.env
denied "hidden paths stay hidden in a session" run -s two --hide ./.env -- 'cat .env'
rm .env
status "a single writable file cannot be copy-on-write" 125 "$SBX" run -s two --write "$work/log" -- true

# --- several commands at once
in_session one 'echo 1 >first; for i in $(seq 1000); do [ -e second ] && break; sleep 0.05; done; cat second' >"$work/first" &
for i in $(seq 1000); do [ -n "$(session show one | grep running)" ] && break; sleep 0.05; done
is "a second command sees what the first writes" 1 "$(in_session one 'for i in $(seq 1000); do [ -e first ] && break; sleep 0.05; done; cat first; echo 2 >second')"
wait
is "and the first what the second writes" 2 "$(cat "$work/first")"
for i in $(seq 8); do in_session one "echo $i >at-once-$i; sleep 0.0$i" & done
wait
is "eight at once" "1 2 3 4 5 6 7 8" "$(echo $(in_session one 'cat at-once-*'))"
"$SBX" run -s one -- sleep 100 2>/dev/null &
for i in $(seq 1000); do [ -n "$(session show one | grep sleep)" ] && break; sleep 0.05; done
hash=$(cd "$XDG_STATE_HOME/sbx/sessions" && cat one/state)
for action in "snapshot one" "restore one s1" "apply one" "discard one" "rm one" "fork one three"; do
	session $action
	is "${action%% *} while a command runs is refused" 125 $?
	like "${action%% *} says why" "$(said)" "in use"
done
is "and nothing has changed" "$hash" "$(cd "$XDG_STATE_HOME/sbx/sessions" && cat one/state)"
kill -9 $!
wait 2>/dev/null
is "the next one after a SIGKILL waits for the box to end" "kept" "$(in_session one 'echo kept')"
is "and finds no record of it" "" "$(session show one | grep running)"

# --- several actions at once, also from pid namespaces with the same numbers
session create base
for i in $(seq 64); do "$SBX" session fork base "par$i" 2>>"$work/parallel" & done
wait
is "64 forks of one session at once" "64 " "$("$SBX" session list | grep -c '^par') $(cat "$work/parallel")"
if unshare -Urpf --mount-proc true 2>/dev/null; then
	rm -f "$work/parallel"
	make='for i in $(seq $3); do "$1" session create "ns$2-$i" || echo "failed $2 $i"; done'
	for n in 1 2 3 4; do unshare -Upf --map-current-user --mount-proc sh -c "$make" - "$SBX" $n ${EACH:-12} >>"$work/parallel" 2>&1 & done
	wait
	is "four pid namespaces make their sessions" "$((4 * ${EACH:-12})) 0" "$("$SBX" session list | grep -c '^ns') $(grep -c . "$work/parallel")"
	unshare -Upf --kill-child --map-current-user --mount-proc "$SBX" run -s base -- sleep 100 2>/dev/null &
	other=$!
	for i in $(seq 600); do [ -n "$(session show base | grep sleep)" ] && break; sleep 0.05; done
	like "a session that another pid namespace uses is not mounted twice" "$("$SBX" run -s base -- echo in 2>&1)" "in another pid namespace or on another machine; to end it: sbx stop [0-9]+, there"
	like "rm says which process uses it" "$("$SBX" session rm base 2>&1)" "by process [0-9]+, which runs a command"
	like "and where, from a third one" "$(unshare -Upf --map-current-user --mount-proc "$SBX" session rm base 2>&1)" "by a process of another pid namespace or machine, which"
	like "its command is not taken for dead" "$(session show base)" "running .*sleep 100"
	kill -9 $other
	wait $other 2>/dev/null
	is "it is free afterwards" in "$(wait_for 30 eval '[ "$("$SBX" run -s base -- echo in 2>/dev/null)" = in ]' && echo in)"
else
	for name in "four pid namespaces make their sessions" "rm says which process uses it" "and where, from a third one" "a session that another pid namespace uses is not mounted twice" "its command is not taken for dead" "it is free afterwards"; do skip "$name" "no user namespaces here"; done
fi
# --- an older version of sbx, whose runs have slots in a file that they lock
session create older
"$SBX" run -s older -- true
slots=$XDG_STATE_HOME/sbx/sessions/older/runs
truncate -s 1024 "$slots"
python3 -c 'import fcntl, sys, time
f = open(sys.argv[1], "r+"); fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB, 512, 512); print("held", flush=True); time.sleep(300)' "$slots" >"$work/held" &
other=$!
wait_for 30 grep -q held "$work/held"
like "a live run of an older sbx is found: the session is not mounted twice" "$("$SBX" run -s older -- echo in 2>&1)" "^sbx: .*process $other, of an older version of sbx, uses the session.*sbx stop $other, by that version; the command was not run$"
like "nor removed" "$("$SBX" session rm older 2>&1)" "process $other, of an older version"
kill $other
wait $other 2>/dev/null
is "when it has ended, the session is free" in "$("$SBX" run -s older -- echo in 2>&1)"
is "and an older version can use it again" "no" "$([ -e "$slots" ] && echo there || echo no)"
session rm older
cat >"$work/hold.py" <<'P'
import fcntl, os, sys, time
lock = os.open(sys.argv[1], os.O_RDWR)
fcntl.flock(lock, fcntl.LOCK_EX)
if sys.argv[3] == "named": fcntl.lockf(lock, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(float(sys.argv[2]))
P
holds() { python3 "$work/hold.py" "$XDG_STATE_HOME/sbx/sessions/base/lock" "$@" >"$work/held" & wait_for 30 grep -q held "$work/held"; }
: >"$work/held"
holds 1 named
like "an action waits for another one" "$({ session snapshot base; echo $?; } | xargs)" '^s[0-9]* 0$'
wait
: >"$work/held"
holds 60 named
like "not for ever, and names the process" "$("$SBX" session snapshot base 2>&1)" "in use by process $!, an action on it"
kill $!
wait
mkdir "$XDG_STATE_HOME/sbx/sessions/.new-123" && touch "$XDG_STATE_HOME/sbx/sessions/.new-123/state"
"$SBX" session gc >/dev/null
is "gc removes what a crash left" "" "$(ls -d "$XDG_STATE_HOME"/sbx/sessions/.new-* 2>/dev/null)"
for s in $("$SBX" session list | awk '/^(par|ns|base)/ { print $1 }'); do session rm "$s"; done

# --- what a session knows of the host is damaged, or of an older version
session create list && in_session list 'echo l >listed'
for file in $(basename -a "$XDG_STATE_HOME"/sbx/sessions/list/seen-*) known; do
	[ "$file" = known ] || printf 'sbxseen1\0\0' >"$XDG_STATE_HOME/sbx/sessions/list/$file"
	is "that of version 0.1.0 says nothing: $file" "A 2 listed" "$(session diff --stat list | xargs)"
	printf 'damaged\0\0' >"$XDG_STATE_HOME/sbx/sessions/list/$file"
	session diff --stat list
	like "a damaged list is refused: $file" "$? $(said)" "^125 sbx: '.*/list/$file' cannot be used: it is not a file of sbx; nothing was changed"
	eval "$(said | sed -n 's/.*more conflicts: //p')"
	is "and without it there is a difference: $file" "A 2 listed" "$(session diff --stat list | xargs)"
done
session rm list

# --- snapshots
is "a snapshot has a name" s1 "$(session snapshot one)"
in_session one 'rm -rf dir new file; echo broken >link2; rm ~/h /tmp/t'
session restore one s1
like "what was there is kept" "$(said)" "before-restore-1"
is "restore: as it was" "hello more n t h gone" "$(echo $(in_session one 'cat file new/f /tmp/t ~/h; cat dir/deep/file 2>/dev/null || echo gone'))"
session restore one before-restore-1
is "and can be had again" "broken" "$(in_session one 'cat link2; cat file 2>/dev/null')"
session restore one s1
is "nothing written, nothing kept: restoring again makes no snapshot" "" "$(session restore one s1; said)"
session fork one@s1 three
in_session three 'echo three >>file; rm new/f'
is "a fork begins as the snapshot and goes its own way" "hello more three" "$(echo $(in_session three 'cat file'))"
is "the other one has nothing of it" "hello more n" "$(echo $(in_session one 'cat file new/f'))"
session create four --from one@s1
is "create --from is a fork" "hello more" "$(echo $(in_session four 'cat file'))"
session snapshot one named
like "log: which stands on which, and where the session is" "$(session log one | tr '\n' '/')" "before-restore-1 .* after s1.*/named .*<- here"
is "log --json" "s1 before-restore-1 named" "$(session log --json one | python3 -c 'import json, sys; print(*[s["name"] for s in json.load(sys.stdin)["snapshots"]])')"
for i in $(seq 14); do
	in_session four "mkdir -p made; echo $i >made/$i; echo $i >step-$i; rm -f step-$((i - 3)); [ $i != 5 ] || { rm -r dir; mkdir dir; echo fresh >dir/only; }; [ $i != 9 ] || mv step-9 dir/"
	session snapshot four >/dev/null
done
is "fourteen snapshots, flattened: all is there" "step-12 step-13 step-14 only step-9" "$(echo $(in_session four 'ls -d step-1[234]; ls dir'))"
is "a directory that the session made is no conflict then" "A made/" "$(session diff --stat four | grep ' made/\( \|$\)' | xargs)"
like "and no more than ten layers are on each other" "$(in_session four 'grep " '"$project"' " /proc/self/mounts | head -1' | tr : '\n' | wc -l)" '^([1-9]|1[0-2])$'
session restore four s8
is "an early snapshot is still itself" "step-5 step-6 step-7 only" "$(echo $(in_session four 'ls -d step-*; ls dir'))"
before=$(layers)
session rm four@s6 && session rm four
is "layers of a removed session are gone, those of others not" "$((before > $(layers))) hello" "1 $(in_session three 'head -1 file')"
session rm three
status "no such snapshot" 125 "$SBX" session restore one none
status "no such session" 125 "$SBX" run -s none -- true
status "an existing name" 125 "$SBX" session create one

# --- differences
session discard one
is "discard: as on the host" "hello" "$(in_session one 'cat file')"
is "no difference" "" "$(session diff one --stat)"
in_session one 'echo x >>file; rm dir/numbers; mkdir a && echo 1 >a/1; chmod 700 dir/deep; mv dir/deep/file moved; ln -sfn elsewhere link; touch dir; chmod +x .git/description'
is "diff --stat: kinds" "P .git/description
A a/
A a/1
P dir/deep/
D dir/deep/file
D dir/numbers
M file
M link
R moved" "$(session diff --stat one | sed -E 's/ +[0-9.]+[KMG]?  / /; s/^(.) +/\1 /; s/  \(.*//')"
like "a renamed file says from where" "$(session diff --stat one)" "moved +\(was dir/deep/file\)"
like "the text is a unified difference" "$(session diff one file)" '^\+x$'
is "of one path alone" 1 "$(session diff one file | grep -c '^diff')"
is "diff --json" "added" "$(session diff --json one | python3 -c 'import json, sys; print([c["kind"] for c in json.load(sys.stdin)["changes"] if c["path"] == "a/1"][0])')"
like "without git there is the list" "$(PATH=/usr/share "$SBX" session diff one file 2>"$work/log")" '^M +[0-9]+  file$'
like "and a note" "$(said)" "shown by git, which could not be run"
session discard one
in_session one 'rm -r dir && mkdir dir && echo only >dir/only; rm link && mkdir link && echo in >link/in; rm file && ln -s /etc/passwd file'
is "diff: an opaque directory hides what the host has" "D dir/deep/ D dir/deep/file D dir/numbers A dir/only T file T link/ A link/in" \
	"$(echo $(session diff --stat one | sed -E 's/ +[0-9.]+[KMG]?  / /; s/^(.) +/\1 /; s/  \(.*//' | sort -k2))"

# --- apply
session apply one
is "apply: replaced kinds" "only in /etc/passwd" "$(echo $(cat dir/only link/in; readlink file))"
is "apply: what is gone" "" "$(ls -d dir/deep dir/numbers 2>/dev/null)"
is "and nothing is left to apply" "" "$(session diff --stat one)"
is "no stage is left" "" "$(find . "$XDG_STATE_HOME" -name '*stage*' -o -name '.sbx-apply*' -o -path "*/sessions/*" -name journal)"
git checkout -q . && git clean -qfd
session discard one
in_session one 'for i in 1 2 3; do echo $i >new-$i; done; echo x >>file; echo y >>dir/numbers'
session apply one new-2 dir
is "apply by path" "new-2 1 0" "$(ls new-*) $(grep -c y dir/numbers) $(grep -c x file)"
session apply one
is "and then the rest" "new-1 new-2 new-3 1" "$(echo $(ls new-*)) $(grep -c x file)"
in_session one 'echo again >>file'
session apply one
is "what was applied before is no conflict" again "$(tail -1 file)"
status "a path with no change" 125 "$SBX" session apply one none-such
status "a path outside" 125 "$SBX" session apply one /etc/passwd

echo host >>file
in_session one 'echo session >>new-1'
hash=$(tree_hash .)
in_session two 'echo from-two >>file; echo other >new-1'
session apply two
is "a conflict refuses the whole" "125 $hash" "$? $(tree_hash .)"
like "and is told" "$(said)" "conflict: file: changed on the host since"
like "each one" "$(said)" "conflict: new-1"
session apply two --force
is "--force applies over it" "from-two" "$(tail -1 file)"
session apply one
is "one that another session wrote over is a conflict" 125 $?
session discard one
in_session one 'echo edited >>dir/deep/file'
rm dir/deep/file
session apply one
is "removed on the host, changed in the session: a conflict" 125 $?
git checkout -q . && git clean -qfd
session discard one
# Git's own files: its index is rewritten by each git status.
touch file && in_session one 'touch file dir/numbers; git status; echo h >of-session' >/dev/null
sleep 0.1 && touch file dir/numbers && git status >/dev/null && cp .git/index "$work/index"
session apply one
is "an index that differs only in how files looked is no change" "0 same h" "$? $(cmp .git/index "$work/index" && echo same) $(cat of-session)"
in_session one 'git status; echo g >of-session' >/dev/null
echo m >mine && git add mine && git commit -qm mine
session apply one
is "nor is one of a session that committed nothing, where the host committed" "0 g ?? of-session" "$? $(cat of-session) $(git status --short)"
is "which is said, without a way that would not work" "1 0" "$(said | grep -c '^sbx: not applied: .git/index has changed on the host since') $(said | grep -c 'to apply such a name')"
in_session one 'echo c >of-session; git add of-session; git commit -qm theirs'
for force in "" --force; do
	session apply one $force
	is "both have committed: refused${force:+, also with }$force" "125 g mine" "$? $(cat of-session) $(git log -1 --format=%s)"
	like "and said${force:+ with }$force" "$(said)" 'in git.s own files.*name them, then: git add;.* for the commits'
done
session apply one --force of-session
is "files by name leave git's own alone" "0 c ?? of-session" "$? $(cat of-session) $(git status --short)"
session apply one
eval "$(said | sed -n "s,.*for the commits: sbx,$SBX,p" | sed "s,FILE,$work/bundle,g")" 2>/dev/null
is "the session's commits are fetched as the message says" theirs "$(git log -1 --format=%s FETCH_HEAD)"
session apply one --force .git
is "git's own files are applied over where they are named" "0 theirs" "$? $(git log -1 --format=%s)"
git reset -q --hard HEAD~1 && rm -f mine of-session
session discard one
# The host looks, the session commits: twice, as the second apply compares with the first.
for i in 1 2; do
	in_session one "echo $i >counted; git add counted; git commit -qm counted-$i"
	sleep 0.1 && touch file dir/numbers && git status >/dev/null
	session apply one
	is "the session's commit $i is applied where the host has only looked" "0 counted-$i " "$? $(git log -1 --format=%s) $(git status --short counted file dir)"
done
in_session one 'echo 3 >counted; git add counted; git commit -qm counted-3'
echo staged >staged && git add staged && session apply one
is "not where it has staged a file" "125 counted-2" "$? $(git log -1 --format=%s)"
git reset -q && session apply one
is "and again where it has taken it back" "0 counted-3" "$? $(git log -1 --format=%s)"
rm staged && in_session one 'echo 4 >counted; git commit -qam counted-4; echo loose >loose' && echo staged >staged && git add staged && session apply one
eval "$(said | sed -n "s,.*for the commits: sbx,$SBX,p" | sed "s,FILE,$work/bundle,g")" >/dev/null 2>&1
git rm -q --cached staged && session apply one
is "commits that are fetched and merged as the message says: the rest is applied" "0 counted-4 loose ?? loose ?? staged" "$? $(git log -1 --format=%s) $(cat loose) $(git status --short | xargs)"
rm staged loose && in_session one 'echo 5 >counted; git commit -qam counted-5' && echo own >own && git add own && git commit -qm own && session apply one
eval "$(said | sed -n "s,.*once the commits are fetched: sbx \([^;]*\).*,$SBX \1,p")"
session apply one
is "and what gives up the session's side ends a conflict" "0 own" "$? $(git log -1 --format=%s)"
in_session one 'echo 6 >counted; git commit -qam counted-6'
session create gone --from one && session rm gone
like "rm says what was not applied" "$(said)" '^sbx: [0-9]+ changes of the session had not been applied, with commits on 1 branch$'
session create gone && session rm gone
is "and nothing where all was" "" "$(said)"
git reset -q --hard HEAD~5 && rm -f mine && session discard one
in_session one 'rm -r dir'
echo host >dir/fresh
session apply one
is "a directory that is removed in the session has a new file on the host: a conflict" "125 host" "$? $(cat dir/fresh)"
rm dir/fresh
session discard one
in_session one 'echo same >same'
echo same >same
is "the same on both sides is no difference" "" "$(session diff --stat one)"
rm same
session discard one

# --- what is kept
mkdir -p tools && echo tool >tools/t && git add . && git commit -qm tools
in_session one 'printf "#!/bin/sh\n" >run.sh; chmod 750 run.sh; touch -d 2001-02-03 run.sh; truncate -s 8M sparse; printf end >>sparse
	echo linked >h1; ln h1 h2; mkfifo fifo; mkdir -m 2711 dir-mode; echo r >dir-mode/ro; chmod 400 dir-mode/ro; touch -d 2002-02-02 dir-mode
	setfattr -n user.note -v kept run.sh 2>/dev/null || echo no-xattr >no-xattr; mkdir locked; echo l >locked/f; chmod 500 locked'
session apply one
is "mode and time" "750 2001-02-03" "$(stat -c '%a %y' run.sh | cut -c1-14)"
is "of directories, without setgid" "711 2002-02-02" "$(stat -c '%a %y' dir-mode | cut -c1-14)"
is "a file that nobody may write" "400 r" "$(stat -c %a dir-mode/ro) $(cat dir-mode/ro)"
is "a directory that nobody may write" "500 l" "$(stat -c %a locked) $(cat locked/f)"
is "holes stay holes" 1 "$(($(stat -c %b sparse) < 1024 && $(stat -c %s sparse) == 8388611))"
is "hard links" "$(stat -c %i h1)" "$(stat -c %i h2)"
is "a FIFO" fifo "$(stat -c %F fifo)"
if [ -e no-xattr ]; then skip "extended attributes" "no setfattr"; else is "extended attributes" kept "$(getfattr --only-values -n user.note run.sh 2>/dev/null)"; fi
is "none of overlayfs" "" "$(getfattr -d -m 'user.overlay' -R . 2>/dev/null)"
ln tools/t tools/other
session discard one
in_session one 'echo x >>tools/t; chmod 555 dir; chmod 700 locked; echo y >>locked/f'
session apply one
like "a hard link of the host that is replaced is told" "$(said)" "1 replaced file had other names"
is "a directory becomes writable before, and read-only after" "555 700 y" "$(stat -c %a dir) $(stat -c %a locked) $(tail -1 locked/f)"
chmod 755 dir

# --- what is no file, and what leads out
session create kinds
in_session kinds 'mkfifo .gitattributes Makefile pipe dir/.gitignore; ln -s ~/.ssh keys; ln -s ../../vic dir/out; ln -s file dir/in; ln -s /usr/bin tools-of; echo EVIL >file; echo u >su; chmod 6777 su
	python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")"'
shown=$(timeout 20 "$SBX" session diff kinds 2>"$work/log")
like "diff: a pipe hides nothing: the text of what follows" "$shown" '^\+EVIL$'
is "diff: pipes, sockets and set-user-ID files are listed with their kind" ".gitattributes (pipe) Makefile (pipe) dir/.gitignore (pipe) pipe (pipe) sock (socket) su (set-user-ID" \
	"$(echo $(grep -oE '^A .*\((pipe|socket|set-user-ID)' <<<"$shown" | sed -E 's/^A +[0-9]* +//; s/\((pipe|socket)$/&)/'))"
is "diff: git did not fail" "sbx: 3 of the session's changes would be run or trusted by your own programs: applied only when named" "$(said)"
like "diff --stat: where a link leads" "$(session diff --stat kinds)" ' keys  \(link to /.*/\.ssh, which the session could not see\)$'
lacks "diff --stat: a link that stays, or leads to the system, is none that leads out" "$(session diff --stat kinds | grep -E 'dir/in|tools-of')" 'could not see'
umask=$(umask) && umask 022
session apply kinds
umask "$umask"
is "apply: pipes for which git and other programs would wait are not applied" "dir/in file keys pipe su" "$(ls -d .gitattributes Makefile dir/.gitignore pipe keys dir/in su file sock 2>/dev/null | sort | tr '\n' ' ' | sed 's/ $//')"
like "apply: and says why" "$(said)" '^sbx: not applied: dir/.gitignore: a pipe, and your own programs would wait for it$'
stays "apply: git does not wait" 0 "$(timeout 20 git status >/dev/null; echo $?)"
is "apply: symlinks that lead out of it are named" "dir/out keys" "$(echo $(said | sed -n "s/^sbx: applied: \(.*\) is a symlink to .*which the session could not see.*/\1/p"))"
is "apply: the modes that it names are true" "755 755 777" "$(stat -c %a su) $(said | sed -nE 's/.* has mode ([0-7]+) and not ([0-7]+),.*/\1 \2/p')"
like "apply: bits that it leaves out are said" "$(said)" '^sbx: 1 file without the set-user-ID and set-group-ID bits$'
like "apply: a socket is no applied change" "$(said)" '^sbx: 7 changes applied$'
session rm kinds
session create wide
in_session wide 'mkdir wide; chmod 2775 wide'
umask 022
session apply wide
umask "$umask"
is "apply: so are those of a directory" "755 755 775" "$(stat -c %a wide) $(said | sed -nE 's/.* has mode ([0-7]+) and not ([0-7]+),.*/\1 \2/p')"
session rm wide
git checkout -q . && git clean -qfd

# --- a patch
printf '\r\nwindows\r\n' >crlf && printf 'bin\0\1\2' >binary && echo go >goes && seq 30 >text && echo away >gone && echo to >"na me" && ln -s text points && echo file >becomes-link && ln -s text becomes-file &&
	echo d >becomes-directory && mkdir was-directory && echo w >was-directory/w && echo long text that is moved >old-name && printf 'no end' >open-end && printf '#!/bin/sh\n' >not-run && chmod 755 not-run && : >empties && ln -s dir link-directory &&
	git add . && git commit -qm patch && sleep 0.1
session create patch
in_session patch 'sed -i s/^15/fifteen/ text; printf "\r\nwin\r\n" >crlf; printf "bin\0\3" >binary; chmod +x goes; chmod -x not-run; rm gone; echo 2 >>"na me"; ln -sfn goes points; ln -sf goes becomes-link; rm becomes-file; echo now >becomes-file
	rm becomes-directory; mkdir becomes-directory; echo in >becomes-directory/in; rm -r was-directory; echo f >was-directory; mv old-name new-name; printf " still" >>open-end; echo x >empties; : >new-empty; printf new >"ü
	b"; printf "\0\1" >new-binary; mkdir -p n/e/w; echo deep >n/e/w/f; ln -s ../text n/link; printf "#!/bin/sh\n" >new-run; chmod 755 new-run; rm dir/deep/file; head -c 17000000 /dev/zero | tr "\0" z >large; echo a >" -b"; mkdir a b; echo a >a/b; echo b >b/a; rm link-directory; mkdir link-directory; echo l >link-directory/l; git update-ref refs/heads/made HEAD'
for set in color.ui=always core.autocrlf=true diff.context=0 diff.mnemonicPrefix=true diff.renames=copies diff.external=false core.attributesFile="$work/attributes"; do git config --global "${set%%=*}" "${set#*=}"; done
echo '* text=auto -diff' >"$work/attributes"
"$SBX" session diff patch >"$work/patch"
rm ~/.gitconfig
cp -a . "$work/patched"
is "diff, a patch: git applies it" 0 "$(cd "$work/patched" && git apply "$work/patch" 2>"$work/log"; echo $?; said)"
session apply patch
like "diff, a patch: what git takes from none is listed" "$(cat "$work/patch")" '^A +[0-9]+  \.git/refs/heads/made$'
of() { (cd "$1" && git add -A && git -c core.quotePath=false ls-files -s && git reset -q); }
stays "diff, a patch: what it makes is what apply makes" "$(of .)" "$(of "$work/patched")"
is "diff, a patch: and there was much to make" 1 "$(($(git status --short | wc -l) > 20))"
git checkout -q . && git clean -qfd
session discard patch
in_session patch 'echo both >>text; echo new >new; chmod 664 new; rm gone; mkdir n; echo n >n/n; ln -s n nl'
"$SBX" session diff patch | git apply
session apply patch
is "a patch that was applied before is no conflict" "0 sbx: 0 changes applied" "$? $(said)"
git checkout -q . && git clean -qfd
session discard patch
in_session patch 'mkdir of; for i in $(seq 100 199); do echo "of $i" >of/$i; done' && session apply patch
in_session patch 'mv of to'
is "each file of a moved directory is a renamed one" "100 100" "$(session diff --stat patch | sed -nE 's|^R .* to/([0-9]+)  \(was of/([0-9]+)\)$|\1 \2|p' | awk '$1 == $2' | wc -l) $(session diff --stat patch | grep -c '^R')"
session rm patch
echo all: >Makefile && git add Makefile && git commit -qm make && sleep 0.1 && session create removes && in_session removes 'rm Makefile' && session apply removes
is "apply: a removed name is none that programs will run" "sbx: removed, and your own programs have used it: Makefile" "$(said | head -1)"
session rm removes
git reset -q --hard HEAD~2 && git clean -qfd

# --- rights, holes and depths
mkdir group given && chmod 2775 group && echo s >private
acl_of() { python3 -c 'import os, sys; print(os.getxattr(sys.argv[1], "system.posix_acl_access").hex())' "$1" 2>/dev/null; }
if python3 - <<'END'; then
import os, struct
NOBODY = 2**32 - 1
def acl(*entries): return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *each) for each in entries)
try:
    os.setxattr("private", "system.posix_acl_access", acl((1, 6, NOBODY), (2, 6, 1234), (4, 0, NOBODY), (16, 6, NOBODY), (32, 0, NOBODY)))
    os.setxattr("given", "system.posix_acl_default", acl((1, 7, NOBODY), (2, 7, 1234), (4, 5, NOBODY), (16, 7, NOBODY), (32, 0, NOBODY)))
except OSError:
    raise SystemExit(1)
END
	before=$(acl_of private)
	session discard one
	in_session one 'echo m >>private; echo y >given/y; mkdir -m 555 given/shut; mkdir group/sub; echo z >group/sub/z'
	session apply one
	is "an ACL stays that of the file" "m $before" "$(tail -1 private) $(acl_of private)"
	(umask 022 && echo n >given/native && mkdir group/native && mkdir -m 555 given/shut.native)
	is "a new file has its directory's default ACL" "$(acl_of given/native | head -c 32)" "$(acl_of given/y | head -c 32)"
	is "with no more than its own mode" "-rw-rw----" "$(stat -c %A given/y)"
	is "and a directory that nobody may write, too" "$(stat -c %A given/shut.native) $(acl_of given/shut.native)" "$(stat -c %A given/shut) $(acl_of given/shut)"
	is "nothing of it is left to apply" "" "$(session diff --stat one)"
	session discard one
	in_session one 'chmod 640 private'
	session apply one
	is "a mode that the session sets is the ACL's mask" "640 04000000ffffffff10000400ffffffff" "$(stat -c %a private) $(acl_of private | tail -c 49 | head -c 32)"
else
	skip "ACLs" "the file system has none"
fi
session discard one
in_session one 'mkdir -p group/sub; echo z >group/sub/f'
session apply one
is "a new directory in a set-group-id one is so as well" "$(stat -c '%A %g' group | cut -c7) s" "$(stat -c %A group/sub | cut -c7) $(stat -c %A group/sub | cut -c7)"
is "and of its group" "$(stat -c %g group)" "$(stat -c %g group/sub/f)"
chmod -R u+rwx given && rm -rf group given private
session discard one

# --- an ACL of a file that the session moves
if command -v getfacl >/dev/null && echo m >moved && setfacl -m u:1234:rw,g::-,o::- moved 2>/dev/null; then
	session discard one
	in_session one 'mv moved name'
	session apply one
	is "what the session moves keeps its ACL" "user::rw- user:1234:rw- group::--- mask::rw- other::--- no" "$(echo $(getfacl -cnp name)) $([ -e moved ] || echo no)"
	rm -f moved name
	session discard one
	# twelve layers are merged: a directory with an ACL still hides what the host has there
	mkdir -p given/sub && echo h >given/sub/host && setfacl -d -m u:1234:rwx given
	in_session one 'rm -rf given/sub; mkdir given/sub'
	for number in {1..12}; do
		in_session one "echo $number >number"
		session snapshot one >/dev/null
	done
	is "what the session has removed stays so when layers with an ACL are merged" "" "$(in_session one 'ls given/sub')"
	rm -rf given
	session discard one
else
	skip "an ACL that moves" "no getfacl, or a file system without them"
fi
in_session one 'truncate -s 8G holes; echo end >>holes; touch beside; d=$(printf "d/%.0s" {1..300}); mkdir -p "$d"; echo deep >"$d/f"'
session apply one
is "a tree that is too deep is left out, the rest goes on" "0 end 1" "$? $(tail -c 4 holes) $(ls beside | wc -l)"
like "and told" "$(said)" "not applied: files in d/d/d.*too deep"
is "holes stay holes" 1 "$(($(stat -c %b holes) < 1024))"
if strace -f -qq -o /dev/null true 2>/dev/null; then
	said=$(strace -f -qq -o /dev/null -e trace=mkdirat -e inject=mkdirat:delay_enter=3000000:when=2 "$SBX" session create unhurried 2>&1)
	like "what takes long says so" "$said" '^sbx: still at work: the session.s files are made or removed one by one$'
	lacks "what is quick does not" "$("$SBX" session create quick 2>&1; "$SBX" session create --as-root --from quick other 2>&1; "$SBX" session rm quick 2>&1; "$SBX" session rm unhurried 2>&1)" 'still at work'
	strace -f -qq -o "$work/calls" -e trace=pread64,read "$SBX" session diff --stat one >"$work/log" 2>&1
	is "and nobody reads them" 1 "$(($(wc -l <"$work/calls") < 2000))"
fi
rm -rf holes beside d
echo payload >payload
session discard one
in_session one 'mv payload .envrc'
session apply one
is "what is moved to a guarded name stays where it was" "payload" "$(cat payload; ls .envrc 2>/dev/null)"
like "and is told" "$(said)" "not applied: payload: the session has moved it to .envrc"
rm payload
session discard one

# --- never through a symlink, and not what is protected
session discard one
mkdir real && echo r >real/f
in_session one 'echo written >>real/f'
mv real away && ln -s "$work/outside" real && mkdir "$work/outside" && echo out >"$work/outside/f"
session apply one
is "a symlink on the way is not followed" "out" "$(cat "$work/outside/f")"
rm real && mv away real
session discard one
in_session one 'mkdir -p .vscode sub/.idea plain; echo e >.vscode/tasks.json; echo e >sub/.idea/x; echo evil >.git/hooks/post-checkout; git config core.fsmonitor evil; echo p >plain/p; echo all: >Makefile
	git init -q --bare bare; git init -q nested; echo "gitdir: /x" >plain/.git; mkdir other; echo "gitdir: /x" >other/.GIT; mkdir -p .github/workflows; echo w >.github/workflows/w'
session apply one
is "guarded names are not applied" "" "$(ls -d .vscode sub/.idea .git/hooks/post-checkout bare nested/.git plain/.git other/.GIT 2>/dev/null)"
is "nor configuration" "" "$(git config core.fsmonitor)"
is "the rest is" "p" "$(cat plain/p)"
for name in .vscode .git/hooks/post-checkout .git/config bare nested/.git plain/.git other/.GIT sub/.idea; do
	like "told: $name" "$(said)" "not applied: $name:"
done
like "told: what your own programs will run" "$(said)" "will run it: Makefile"
session apply one .vscode
is "named: applied" e "$(cat .vscode/tasks.json)"
session apply one .
is "a directory that holds them does not name them" "" "$(ls -d sub/.idea 2>/dev/null)"
rm -rf .vscode Makefile .github plain other
session discard one
git config core.hooksPath .githooks && git config include.path ../.gitmore
in_session one 'mkdir -p .githooks; echo evil >.githooks/pre-commit; printf "[core]\n\tpager = evil\n" >.gitmore; echo p >plain'
session apply one
is "nor hooks and configuration where git's own says" " p" "$(ls -d .githooks/* .gitmore 2>/dev/null) $(cat plain)"
session apply one .githooks/pre-commit
is "but by name" "evil" "$(cat .githooks/pre-commit)"
git config --global core.hooksPath .mine && in_session one 'mkdir -p .mine; echo evil >.mine/pre-commit'
session apply one
is "nor where the user's own configuration says" "" "$(ls -d .mine/* 2>/dev/null)"
git config --global --unset core.hooksPath
rm -rf .githooks plain && git config --unset core.hooksPath && git config --unset include.path
session discard one

# --- archives, by the box's own tar
session create c && in_session c 'rm file; mkdir made; printf "a\0b" >made/bytes; chmod 640 made/bytes; touch -d 2001-02-03 made/bytes; ln -s ../x made/link'
"$SBX" run -s c -- tar c . >"$work/c.tar" && session create back && "$SBX" run -s back -- sh -c 'rm -rf ./* && tar x' <"$work/c.tar"
inventory='ls; stat -c "%a %Y" made/bytes; cksum <made/bytes; readlink made/link'
is "an archive of a session, unpacked in another: the same" "no made $(in_session c "$inventory")" "$(in_session back 'ls file 2>/dev/null || echo no') $(in_session back 'ls | grep made') $(in_session back "$inventory")"
# What comes out is a box's: another box unpacks it, and its end check keeps what the host's git would run.
in_session c "mkdir -p out/.vscode; echo x >out/.vscode/tasks.json; echo plain >out/plain; git init -q out/repo; git -C out/repo config core.fsmonitor 'touch $work/canary;'"
unpacked() { # DIRECTORY, COMMAND...: what the host's git ran, and the plain file
	git init -q "$1" && (cd "$1" && "$SBX" run -s c -- tar c out 2>/dev/null | "${@:2}") 2>"$work/log"
	git -C "$1/out/repo" status >/dev/null 2>&1
	echo "$(cat "$1/out/plain") $([ -e "$work/canary" ] && echo ran)"
	rm -f "$work/canary"
}
is "a directory of it, unpacked on the host: git runs what its settings name" "plain ran" "$(unpacked "$work/bare" tar x)"
is "unpacked by a box: git runs nothing" "plain " "$(unpacked "$work/got" "$SBX" run -- tar x)"
like "and what was found is said" "$(said | tr '\n' ' ')" 'own programs will run it: out/.vscode.*out/repo/.git/config: core.fsmonitor: removed'
for action in export import cp; do
	like "session $action: what to do instead" "$("$SBX" session $action c x 2>&1)" 'sbx run -s NAME -- tar [cx] '
done
session rm c && session rm back

# --- as root
usr() { find /usr/bin /usr/local /etc/apt /var/lib/dpkg -newer "$work/before" ! -type d 2>/dev/null | head -5; }
touch "$work/before"
status "a session as root" 0 "$SBX" session create --as-root admin
is "uid 0 inside" "0 0" "$(echo $(in_session admin 'id -u; id -g'))"
is "and no capability" 0000000000000000 "$(in_session admin "sed -n 's/CapEff:\t//p' /proc/self/status")"
is "without the flag it is not root" "$(id -u)" "$(in_session two 'id -u')"
is "owners and ids are answered with success, and stay" "0 0 0 0" "$(in_session admin 'touch /etc/new && chown 1:1 /etc/new; a=$?; python3 -c "import os; os.setgroups([1]); os.setresuid(1, 1, 1)"; echo $a $? $(stat -c "%u %g" /etc/new)')"
is "the system's directories are its own" "made changed" "$(in_session admin 'mkdir /usr/local/dir && echo made >/usr/local/dir/f; rm -rf /usr/share/doc; echo changed >/etc/issue.new && mv /etc/issue.new /etc/issue; echo $(cat /usr/local/dir/f /etc/issue; ls /usr/share/doc 2>/dev/null)')"
is "and kept" "made changed" "$(in_session admin 'echo $(cat /usr/local/dir/f /etc/issue)')"
is "secrets of the system stay hidden" "" "$(in_session admin 'cat /etc/shadow 2>/dev/null')"
if [ -x /usr/bin/sudo ] && [ -e /etc/sudoers ]; then
	is "sudo runs what it is asked for" "0 0" "$(in_session admin 'echo $(sudo id -u; sudo -n -u root sh -c "exit 0"; echo $?)')"
	is "by rules of the session's own" "" "$(in_session admin 'grep -v NOPASSWD /etc/sudoers')"
	like "elsewhere one line says what to do" "$("$SBX" run -- sh -c 'true && sudo id' 2>&1)" \
		"^sbx: sudo cannot give rights in a box; to install packages: sbx session create --as-root NAME && "
	is "not for a word that is none" "" "$("$SBX" run -- sh -c 'pseudo() { false; }; pseudo /sudo x/sudo' 2>&1)"
else
	skip "sudo" "this machine has no sudo"
fi
is "what the project has is the caller's" "0 $(id -u)" "$(in_session admin 'touch mine; stat -c %u mine') $(session apply admin; stat -c %u mine)"
rm -f mine
in_session admin 'rm -f mine'
if command -v dpkg-deb >/dev/null && command -v apt-get >/dev/null; then
	mkdir -p "$work/deb/DEBIAN" "$work/deb/usr/bin" && printf 'Package: sbx-test-package\nVersion: 1\nArchitecture: all\nMaintainer: T <t@example.org>\nDescription: t\n' >"$work/deb/DEBIAN/control"
	printf '#!/bin/sh\nset -e\nchown daemon:daemon /usr/bin/sbx-test-package\nmkdir -p /var/log/sbx-test-package\n' >"$work/deb/DEBIAN/postinst"
	printf '#!/bin/sh\necho packaged\n' >"$work/deb/usr/bin/sbx-test-package"
	chmod 755 "$work/deb/DEBIAN/postinst" "$work/deb/usr/bin/sbx-test-package"
	dpkg-deb --root-owner-group -b "$work/deb" t.deb >/dev/null
	in_session admin 'DEBIAN_FRONTEND=noninteractive apt-get install -y ./t.deb' >"$work/apt" 2>&1
	is "apt-get install" packaged "$(in_session admin sbx-test-package || { cat "$work/apt"; said; })"
	is "the package database knows it" "install ok installed" "$(in_session admin "dpkg-query -W -f '\${Status}' sbx-test-package")"
	session fork admin admin2
	is "also in a fork, which is as root" "packaged 0" "$(echo $(in_session admin2 'sbx-test-package; id -u'))"
	in_session admin2 'dpkg -r sbx-test-package' >/dev/null
	is "removed there, it is still here" "packaged" "$(in_session admin2 'sbx-test-package 2>/dev/null'; in_session admin sbx-test-package)"
	session rm admin2
	rm t.deb
else
	skip "apt-get install" "this machine has no apt"
fi
is "nothing of it is a difference to apply" "" "$(session diff --stat admin)"
session apply admin
is "and the host has nothing of it" "" "$(usr)"
session rm admin
status "--as-root with --from" 125 "$SBX" session create --as-root --from two x

# --- a worktree, whose repository lies elsewhere
git worktree add -q "$work/tree-2" 2>/dev/null
(
	cd "$work/tree-2" && session create tree
	in_session tree 'echo worktree >>file; git commit -qam "in the session"; git config core.pager evil; echo evil >"$(git rev-parse --git-common-dir)/hooks/post-merge"'
)
is "a worktree: the commit is not the host's" "" "$(git -C "$work/tree-2" log --oneline | grep 'in the session')"
(cd "$work/tree-2" && session apply tree)
like "hooks and configuration of the repository outside are kept back" "$(said)" "not applied: $project/.git/hooks/post-merge"
is "but the commit is applied" "in the session" "$(git -C "$work/tree-2" log -1 --format=%s)"
is "and nothing else" " " "$(git config core.pager) $(ls .git/hooks | grep -v sample)"
session rm tree && git worktree remove --force "$work/tree-2"

# --- a profile in the project is applied only when it is named
printf '[profile]\nextends = default\n' >mine.ini
session create policy && "$SBX" run -s policy -p ./mine.ini -- bash -c 'printf "[files]\nread = ~/x\n" >>mine.ini; echo new >other'
session apply policy
is "apply: a profile stays as it was" "2 new" "$(wc -l <mine.ini) $(cat other)"
like "and is told" "$(said)" "not applied: mine.ini"
session apply policy mine.ini
is "apply: by its name it is" 4 "$(wc -l <mine.ini)"
session rm policy && rm mine.ini other

# --- what a box shuts is still the caller's
session create shut && in_session shut 'echo x >unread; mkdir -p d/e; echo y >d/e/z; chmod 000 unread d/e d'
is "shut: told" "D E Z U" "$(session diff --stat shut | sed -n 's|.* d/$|D|p; s|.* d/e/$|E|p; s|.* d/e/z$|Z|p; s|.* unread$|U|p' | tr '\n' ' ' | sed 's/ $//')"
is "shut: with its text" "1 1" "$("$SBX" session diff shut >"$work/diff"; echo $(grep -c '^+x' "$work/diff") $(grep -c '^+y' "$work/diff"))"
session snapshot shut && session fork shut too && session apply too
is "shut: applied" "0 0 0 y x" "$(echo $(stat -c %a d unread; chmod 700 d; stat -c %a d/e; chmod 700 d/e unread; cat d/e/z unread))"
chmod -R u+rwx d && rm -rf d unread
in_session shut 'chmod 700 d; for i in $(seq 300); do mkdir n && cd n || exit; done'
like "show says so" "$(session show shut)" "size +.too deep"
session rm shut && session rm too

like "a budget: what to do instead" "$("$SBX" session budget two 1G 2>&1)" "sbx run -s NAME --disk-growth SIZE"

# --- pause
"$SBX" run -s two -- bash -c 'while :; do echo . >>ticks; sleep 0.02; done' 2>/dev/null &
for i in $(seq 1000); do [ "$(in_session two 'wc -l <ticks')" -gt 2 ] 2>/dev/null && break; sleep 0.05; done
session pause two
sleep 0.1
a=$(in_session two 'wc -l <ticks') && sleep 0.3 && b=$(in_session two 'wc -l <ticks')
is "pause: it stands still, and others can come in" "$a" "$b"
session resume two
for i in $(seq 1000); do [ "$(in_session two 'wc -l <ticks')" -gt "$b" ] && break; sleep 0.05; done
is "resume: it goes on" 1 "$(($(in_session two 'wc -l <ticks') > b))"
kill $!
wait
status "pause of nothing" 125 "$SBX" session pause two
session discard two

# --- another file system: the stage is in the project for the time of the apply
if [ -w /dev/shm ] && [ "$(stat -c %d /dev/shm)" != "$(stat -c %d .)" ]; then
	far=$(mktemp -d /dev/shm/sbx-test.XXXXXX)
	away() { XDG_STATE_HOME=$far "$SBX" "$@" 2>"$work/log"; }
	other=$(new_project)
	if (cd "$other" && echo c >c && away session create far && away run -s far -- bash -c 'echo b >>file; echo new >n; rm c; mkdir d; echo d >d/d'); then
		(cd "$other" && away session apply far)
		is "a state directory on another file system" "hello b new d" "$(cd "$other" && echo $(cat file n d/d; ls c 2>/dev/null))"
		is "nothing of the stage is left" ".git d file n" "$(cd "$other" && echo $(ls -A))"
	else
		skip "a state directory on another file system" "$(said | head -1)"
	fi
	chmod -R u+rwx "$far" && rm -rf "$far"
else
	skip "a state directory on another file system" "/dev/shm is none"
fi

# --- from another directory
like "from elsewhere: the run says where it runs" "$(cd / && "$SBX" run -s one -- pwd 2>&1)" "the command runs in '$PWD', the project of session 'one'"
is "from the project: nothing is said" "$PWD" "$("$SBX" run -s one -- pwd 2>&1)"
# --- review
review() { "$SBX" run --review "$@" 2>"$work/log" </dev/null; }
hash=$(tree_hash .)
review --apply=no -- bash -c 'echo x >>file; exit 5'
is "review: discarded, with the command's status" "5 $hash" "$? $(tree_hash .)"
review --apply=yes -- bash -c 'echo reviewed >>file'
is "review: applied" "0 reviewed" "$? $(tail -1 file)"
printf 'new-a\nnew-b\n' >"$work/list"
review --apply="$work/list" -- bash -c 'for i in a b c; do echo >new-$i; done'
is "review: a list of paths" "new-a new-b" "$(echo $(ls -d new-?))"
rm -f new-a new-b
is "review: nothing is left of them" "one two" "$(echo $(session list | cut -d' ' -f1))"
review -- bash -c 'echo kept >>file'
like "review without a terminal: kept, and told how" "$(said)" "sbx session apply review-"
name=$(session list | grep -o '^review-[0-9]*')
session apply "$name" && is "and applied later" kept "$(tail -1 file)"
session rm "$name"
session create raw && in_session raw 'printf "a\033b\n" >raw'
is "diff: a pipe gets the bytes" 1 "$("$SBX" session diff raw | grep -c "^+a$(printf '\033')b")"
in_session raw 'echo x >"$(printf "n\033")"; echo y >"$(printf "n\302\233")"; echo z >"$(printf "\303\251")"'
is "diff: names that are not printable" "1 1 0" "$("$SBX" session diff raw >"$work/diff"; echo $(grep -c '^+++ "b/n.033"' "$work/diff") $(grep -c '^+++ "b/n.302.233"' "$work/diff") $(grep -c "$(printf '\302\233')" "$work/diff"))"
is "diff: such names for programs and for people" "1 2" "$("$SBX" session diff --json raw | grep -c '"n.u009b"') $("$SBX" session diff --stat raw | grep -c '(control bytes)')"
session rm raw
# where the home is a repository (dotfiles), the state below it is in one
session create plain && in_session plain 'printf "* -diff\n" >.gitattributes; echo shown >file'
git init -q "$work"
like "diff: a session's attributes do not hide text, where the state lies in a repository" "$(session diff plain)" '^\+shown$'
rm -rf "$work/.git"
session rm plain
review -- true
is "review of nothing leaves nothing" "one two" "$(echo $(session list | cut -d' ' -f1))"
review --apply=yes -- bash -c 'mkdir .idea; echo x >.idea/x; echo ok >ok'
is "review: what must be named is kept to be named" "ok 1" "$(cat ok) $(session list | grep -c ^review-)"
session rm "$(session list | grep -o '^review-[0-9]*')"
review --network nonsense -- true
is "a run that does not begin leaves no session" "one two" "$(echo $(session list | cut -d' ' -f1))"
shown=$(PYTHONPATH=${built%/build}/tests python3 -B -c '
import sys, terminal
t = terminal.Terminal(".", sys.argv[1], "--review")
t.wait("how the text")
t.quiet(0.5)
t.send("d\n")
print(t.end())' 'mkdir .idea z-many; echo >.idea/x; echo all: >Makefile; for i in $(seq 100); do echo >z-many/$i; echo >a-$i; done' | tr -d '\r')
like "review: what your own programs run is shown behind all else" "$(sed -n '/ more (s shows all)/,/apply/p' <<<"$shown")" '^A .*\.idea'
like "review: and of the others how many are not shown" "$shown" '^and [0-9]+ more \(s shows all\)$'
git init -q "$HOME/below"
is "a directory that is not in the box is none to begin in" "$HOME" "$(cd "$HOME/below" && "$SBX" session create below >/dev/null && "$SBX" run -s below --project none -- pwd; "$SBX" session rm below >/dev/null)"
rm -r "$HOME/below"
status "no session in tier landlock" 125 "$SBX" run --isolation landlock -s one -- true
status "--apply without --review" 125 "$SBX" run --apply=yes -- true
status "--review in a session" 125 "$SBX" run --review -s one -- true

# --- nothing is lost, nothing is left
session rm one && session rm two
is "all removed: no layer is left" 0 "$(layers)"
is "list of none" "" "$(session list)"
done_testing
