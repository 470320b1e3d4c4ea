#!/bin/bash
# Sessions against crashes, full disks and hostile commands: nothing is lost, nothing is half done.
# ROUNDS (300) of SIGKILL at random moments; the tree of the host is the old or the new one.
. "$(dirname "$0")/../lib.sh"
export HOME=$work/home XDG_STATE_HOME=$work/state
mkdir -p "$HOME" "$XDG_STATE_HOME"
rounds=${ROUNDS:-300}
project=$(new_project)
cd "$project" || exit 1
store=$XDG_STATE_HOME/sbx
session() { "$SBX" session "$@" 2>"$work/log"; }
# Again while what was killed goes on: 2 when it still does after half a minute.
when_free() {
	local end=$((SECONDS + 30))
	until session "$@" >/dev/null; do
		grep -q 'in use' "$work/log" || return 1
		[ $SECONDS -lt $end ] || return 2
		sleep 0.02
	done
}
in_session() { run_box -s "$1" -- bash -c "$2" 2>"$work/log"; }
contents() { (cd "$1" && find . -path ./.git -prune -o -printf '%p %y %m %l\n' | sort && find . -path ./.git -prune -o -type f -exec sha256sum {} + | sort) | sha256sum; }

if ! session create s && grep -q 'extended attributes' "$work/log"; then
	skip "sessions and crashes" "the file system of $work has no extended attributes"
	done_testing
fi

# --- SIGKILL of an apply
for i in $(seq 60); do echo "$i" >"f$i"; done
mkdir -p gone/deep stays && echo g >gone/deep/g && echo s >stays/s && git add . && git commit -qm many
cp -a "$project" "$work/old"
session discard s # it begins here
in_session s 'for i in $(seq 1 30); do echo new >>f$i; done; for i in $(seq 31 40); do rm f$i; done; rm -r gone; mkdir -p added/x; for i in $(seq 20); do echo $i >added/x/$i; done
	chmod 600 f50; rm f51; mkdir f51; echo in >f51/in; rm -r stays; ln -s f1 stays'
session create spare --from s
# What it leads to, by an apply that nobody disturbs.
begin=$(date +%s%N)
session apply spare || fail "the apply that is the measure" "$(cat "$work/log")"
takes=$((($(date +%s%N) - begin) / 100000)) # tenths of a millisecond
new=$(contents .)
old=$(contents "$work/old")
as_before() { find . -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} + && (cd "$work/old" && tar cf - --exclude=./.git .) | tar xf - -p; }
as_before
session rm spare
session discard s
in_session s 'for i in $(seq 1 30); do echo new >>f$i; done; for i in $(seq 31 40); do rm f$i; done; rm -r gone; mkdir -p added/x; for i in $(seq 20); do echo $i >added/x/$i; done
	chmod 600 f50; rm f51; mkdir f51; echo in >f51/in; rm -r stays; ln -s f1 stays'
session snapshot s wanted >/dev/null
half=0 was_old=0 was_new=0 stuck=0 left=0
for i in $(seq "$rounds"); do
	session fork s@wanted try
	setsid "$SBX" session apply --force try >/dev/null 2>&1 &
	pid=$!
	wait=$((RANDOM % (takes + takes / 2 + 1) * (i % 4) / 3)) # a quarter of them at once
	sleep "$((wait / 10000)).$(printf %04d $((wait % 10000)))"
	kill -9 "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	# The child that goes on, too, wherever it is: then the journal has to do.
	if ((i % 2 == 0)); then pkill -9 -U "$(id -u)" -f "^$SBX session apply --force try$" 2>/dev/null; fi
	# Whoever comes next waits for, or ends, what was begun.
	when_free apply --force try none
	[ $? != 2 ] || stuck=$((stuck + 1))
	case $(contents .) in
	"$old") was_old=$((was_old + 1)) ;;
	"$new") was_new=$((was_new + 1)) ;;
	*) half=$((half + 1)) ;;
	esac
	when_free rm try || stuck=$((stuck + 1))
	[ -z "$(find . -name '.sbx*'; find "$store/sessions" -name '.new-*')" ] || left=$((left + 1))
	if [ "$(contents .)" != "$old" ]; then as_before; fi
done
is "SIGKILL of an apply, $rounds times: never half, never stuck, nothing is left in the project or the state" "0 0 0" "$half $stuck $left"
if [ $((was_old > 0 && was_new > 0)) = 1 ] && [ "$old" != "$new" ]; then pass "both ends were seen: $was_old old, $was_new new"; else fail "both ends were seen" "$was_old old, $was_new new"; fi

# --- SIGKILL at each of its renames: the next apply brings it to its end
if strace -f -qq -o /dev/null -e inject=renameat2:signal=SIGKILL:when=1 "$SBX" --version >/dev/null 2>&1; then
	as_before
	seen_half=0 whole=0 tried=0
	for at in 1 2 3 7 12 20 29 30 31 38 41 43 45 46 47; do
		session fork s@wanted try
		strace -f -qq -o /dev/null -e inject=renameat2:signal=SIGKILL:when=$at "$SBX" session apply --force try >/dev/null 2>&1
		case $(contents .) in "$old" | "$new") ;; *) seen_half=$((seen_half + 1)) ;; esac
		session apply --force try >/dev/null
		tried=$((tried + 1))
		[ "$(contents .)" != "$new" ] || whole=$((whole + 1))
		session rm try
		as_before
	done
	is "SIGKILL at $tried of its renames: always brought to its end" "$tried" "$whole"
	if [ "$seen_half" -gt 5 ]; then pass "of which $seen_half stopped half-way"; else fail "some of them stopped half-way" "$seen_half"; fi
else
	skip "SIGKILL at each rename" "strace cannot be used"
fi

# --- SIGKILL of everything else: snapshots are never lost, and the session goes on
lost=0 broken=0
session discard s
in_session s 'echo 0 >counter'
session snapshot s k0 >/dev/null
for i in $(seq "$rounds"); do
	case $((i % 5)) in
	0) "$SBX" session snapshot s "k$i" >/dev/null 2>&1 & ;;
	1) "$SBX" run -s s -- bash -c "echo $i >counter.new && mv counter.new counter; sleep 0.02" >/dev/null 2>&1 & ;;
	2) "$SBX" session fork s@k0 "x$i" >/dev/null 2>&1 & ;;
	3) "$SBX" session restore s k0 >/dev/null 2>&1 & ;;
	4) "$SBX" session gc >/dev/null 2>&1 & ;;
	esac
	pid=$!
	sleep "$(printf '0.%04d' $((RANDOM % 80)))"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	((i % 5 != 2)) || session rm "x$i"
	if ((i % 25 == 0)); then
		session gc >/dev/null || broken=$((broken + 1))
		[ "$(in_session s 'cat counter | wc -l')" = 1 ] || broken=$((broken + 1))
		[ "$("$SBX" session fork s@k0 check 2>/dev/null; in_session check 'cat counter')" = 0 ] || lost=$((lost + 1))
		session rm check || broken=$((broken + 1))
		for name in $(session log --json s | python3 -c 'import json, sys; print(*[x["name"] for x in json.load(sys.stdin) if x["name"] != "k0"])'); do
			session rm "s@$name" || broken=$((broken + 1))
		done
	fi
done
is "SIGKILL of create, run, snapshot, restore, gc, $rounds times: no snapshot is lost, the session is not broken" "0 0 k0" "$lost $broken $(session log s | grep -o '^k0')"
session rm s
for name in $(session list --json | python3 -c 'import json, sys; print(*[x["name"] for x in json.load(sys.stdin)])'); do session rm "$name"; done
session gc >/dev/null
is "at the end nothing is left" "0 0" "$(find "$store/layers" -mindepth 1 -maxdepth 1 -name '????????' | wc -l) $(ls -A "$store/sessions" | wc -l)"

# --- two processes for one session
session create race
won=0
for i in $(seq 20); do
	"$SBX" session snapshot race "r$i" >/dev/null 2>&1 &
	a=$!
	"$SBX" session snapshot race "r$i" >/dev/null 2>&1 &
	wait $a && won=$((won + 1))
	wait $! && won=$((won + 1))
done
is "two snapshots of one name at once: one is made" 20 "$won"
for i in $(seq 10); do
	in_session race "echo $i >>log-$i; sleep 0.0$((i % 3))" &
	(session snapshot race "m$i" >/dev/null; session restore race r1) &
done
wait
status "runs, snapshots and restores at once: the session is whole" 0 "$SBX" run -s race -- true
for i in $(seq 15); do
	for j in 1 2 3 4 5 6 7 8; do "$SBX" run -s race -- sleep 0.00$((RANDOM % 9)) 2>>"$work/joins" & done
	wait
done
is "commands that begin while others end: none is refused" "" "$(cat "$work/joins")"
"$SBX" session create same >/dev/null 2>&1 &
"$SBX" session create same >/dev/null 2>&1 &
wait
is "two of one name: one session" 1 "$(session list | grep -c '^same ')"
session rm race && session rm same

# --- a hostile command
session create evil
mkdir -p "$work/secret" && echo secret >"$work/secret/f" && chmod 755 "$work/secret"
in_session evil "ln -s $work/secret ~/.config 2>/dev/null; rm -rf ~/.gitconfig; ln -s $work/secret ~/dir; ln -s / /tmp/root; true"
echo '[user]' >"$HOME/.gitconfig"
mkdir -p "$HOME/.config/git" && : >"$HOME/.config/git/config"
"$SBX" run -s evil -- true 2>"$work/log"
like "a symlink where a mount belongs ends the run" "$? $(cat "$work/log")" "^125 .*in the session"
rm -r "$HOME/.config"
in_session evil true
stays "symlinks of an earlier command lead nowhere on the host" "f" "$(ls "$work/secret")"
in_session evil 'python3 -c "
import os
for path, name, value in (\".\", \"opaque\", b\"y\"), (\"file\", \"redirect\", b\"/../../..\"), (\"file\", \"metacopy\", b\"\"):
    try: os.setxattr(path, \"user.overlay.\" + name, value)
    except OSError: pass
"; mknod w c 0 0 2>/dev/null; ls >/dev/null'
is "attributes of overlayfs do nothing from inside" "hello" "$(in_session evil 'cat file')"
stays "nor whiteouts" "" "$(session diff --stat evil | grep -w w)"
stays "a session's layers are not seen inside" "" "$(in_session evil "ls $XDG_STATE_HOME 2>/dev/null; find / -path /proc -prune -o -name layers -print 2>/dev/null | grep sbx")"
status "the state directory cannot be written to" 125 "$SBX" run -s evil --write "$XDG_STATE_HOME" -- true
# shellcheck disable=SC2030
is "what the mounter may, the command may not: no capability" "0000000000000000" "$(in_session evil "sed -n 's/CapEff:\t//p' /proc/self/status")"
in_session evil 'mkdir -p d/d/d/d; for i in $(seq 200); do mkdir d$i && cd d$i; done 2>/dev/null; true'
session diff --stat evil >"$work/shown"
like "a deep tree is shown or refused" "$? $(tr '\n' ' ' <"$work/shown") $(cat "$work/log")" '^(0|125) .*(d|deep)'
in_session evil $'touch $\'new\\nline\' $\'esc\\e[31m\''
is "control bytes of names are not printed" "control bytes" "$(session diff --stat evil | tee "$work/shown" | grep -P '[\x00-\x08\x0b-\x1f]'; grep -o 'control bytes' "$work/shown" | head -1)"
status "and removed" 0 "$SBX" session discard evil
in_session evil 'python3 -c "
import os
for i in range(1500):
    os.mkdir(\"d\"); os.chdir(\"d\"); open(\".deep-0\", \"w\").close()
os.chmod(\".\", 0)"; mkdir .deep-0 .deep-1; touch .deep-1/x'
session snapshot evil deep >/dev/null
status "a tree of 1500 levels is discarded" 0 "$SBX" session discard evil
status "and its snapshot, with all layers" 0 "$SBX" session rm evil@deep
is "which are gone" 1 "$(find "$store/layers" -mindepth 1 -maxdepth 1 -name '????????' | wc -l)"
in_session evil $'touch $\'new\\nline\' "blank name" "100%" é'
session apply evil
is "but such names are applied" 4 "$(ls -1b | grep -c -e '^new.nline$' -e '^blank' -e '^100%$' -e '^é$' -e '^\\303')"
session rm evil

# --- joining a box is proved (rule 15)
session create proved
"$SBX" run -s proved -- sleep 100 2>/dev/null &
for i in $(seq 100); do session show proved | grep -q running && break; sleep 0.05; done
is "a second command joins" joined "$(in_session proved 'echo joined')"
flip() { python3 - "$store/boxes/$(ls "$store/sessions/proved/runs")/entry" "$1" <<'END'
import sys
with open(sys.argv[1], "r+b") as f:
    at = int(sys.argv[2]); f.seek(at); b = f.read(1); f.seek(at); f.write(bytes([b[0] ^ 1]))
END
}
for field in "the user namespace's inode:96" "the mount namespace's inode:104" "a descriptor:88"; do
	flip "${field##*:}"
	in_session proved 'echo joined'
	like "not when ${field%:*} is another" "$? $(cat "$work/log")" "^125 .*cannot be joined"
	flip "${field##*:}"
done
is "with the record as it was it does" joined "$(in_session proved 'echo joined')"
kill -9 $!
wait 2>/dev/null
session rm proved

# --- a program of the host that exchanges a directory while it is applied to
session create swapped
mkdir -p real "$work/outside" && echo host >real/f && echo outside >"$work/outside/f"
ln -s "$work/outside" planted
in_session swapped 'for i in $(seq 40); do echo inside >>real/f; echo $i >real/n$i; done'
python3 - <<'END' &
import ctypes, time
libc = ctypes.CDLL(None, use_errno=True)
end = time.time() + 6
while time.time() < end:
    libc.renameat2(-100, b"real", -100, b"planted", 2)
END
swapper=$!
for i in $(seq 60); do
	"$SBX" session apply --force swapped >/dev/null 2>&1
	[ "$(ls "$work/outside")" = f ] || break
	kill -0 $swapper 2>/dev/null || break
	"$SBX" session discard swapped && in_session swapped "echo $i >>real/f; echo $i >real/n$i; mkdir -p real/d\$i"
done
wait $swapper
stays "an apply is never led elsewhere" "outside f" "$(cat "$work/outside/f") $(ls "$work/outside")"
[ ! -L real ] || mv planted other-real
rm -rf real planted other-real
session apply swapped >/dev/null
session rm swapped

# --- nothing of the host is moved but what the session saw
anew() { # an empty project
	chmod -R u+rwx "$work/own" "$work/aside" 2>/dev/null
	rm -rf "$work/own" "$work/aside"
	mkdir -p "$work/own" "$work/aside" && cd "$work/own" || exit 1
}
saw() { # name, command for a shell: the project as it is, and what the session does in it
	session create "$1" && in_session "$1" "$2"
}
kept() { # name, what the message names, what must be there
	local result=$? found
	found=$(cat "${@:3}" 2>&1)
	is "$1: refused, and all is there" "125 $wanted" "$result $(echo $found)"
	like "$1: and named" "$(cat "$work/log")" "$2"
	session rm own
}
anew && mkdir -p d ../aside/in && echo 1 >d/one && echo precious >../aside/in/f
saw own 'rm -rf d' && mv ../aside/in d/in && session apply own
wanted="1 precious" kept "a directory moved into one that is removed" "conflict: d/in" d/one d/in/f
anew && mkdir -p d ../aside/in && echo 1 >d/one && echo precious >../aside/in/f
saw own 'rm -rf d; mkdir d; echo new >d/new' && mv ../aside/in d/in && session apply own
wanted="1 precious" kept "into one that is made anew" "conflict: d/in" d/one d/in/f
anew && mkdir lib ../aside/lib && echo x >lib/x && echo mine >../aside/lib/new
saw own 'echo session >lib/new' && mv lib lib.away && mv ../aside/lib lib && session apply own
wanted=mine kept "a directory that is another one, with a file of the same name" "conflict: lib/new" lib/new
anew && mkdir d ../aside/d && echo 1 >d/f && echo older >../aside/d/f
saw own 'echo session >>d/f' && mv d d.away && mv ../aside/d d && session apply own
wanted="older" kept "an older copy of a directory" "conflict: d/f" d/f
anew && mkdir d && echo 1 >d/f
saw own 'echo session >>d/f' && rm -r d && mkdir d && echo old >d/f && touch -d 2001-01-01 d/f && session apply own
wanted="old" kept "a directory made again, with its number perhaps" "conflict: d/f" d/f
anew && mkdir d && echo 1 >d/f && echo 2 >other
saw own 'echo session >>d/f; rm other' && mv d e && session apply own
wanted="1 2" kept "an edit where the host has renamed the directory" "conflict: d/f" e/f other
anew && echo 1 >f && echo 2 >other
saw own 'echo session >f.new; mv f.new f; rm other' && rm f && session apply own
wanted="2" kept "a file written anew that the host has removed" "conflict: f: removed" other
anew && mkdir -m 755 d && echo 1 >d/f
saw own 'echo session >>d/f' && chmod 700 d
is "a mode that the host has set since is none of the session's" "M d/f" "$(session diff --stat own | sed -E 's/ +[0-9.]+[KMG]?  / /')"
session apply own && session rm own
is "and stays" "700 session" "$(stat -c %a d) $(tail -1 d/f)"
for how in 'echo box >f; rm -r d' 'rm -r f d; mkdir f; echo box >d' 'rm f; echo box >>d/f'; do
	anew && mkdir d && echo 1 >f && echo 2 >d/f && exec 7>>f 8>>d/f && saw own "$how"
	session apply own
	echo late >&7 && echo late >&8 && exec 7>&- 8>&-
	is "what a program writes that has it open, after '$how', is there and named" "late late 2" "$(echo $(grep -rh late .)) $(grep -c "is open in a program of the host.*saved as '.*/[fd].sbx-old'" "$work/log")"
	session rm own
done
anew && echo s >secret && chmod 600 secret && mkdir -m 700 d && saw own 'umask 0; chmod 666 secret; chmod 777 d; echo x >d/new; mkdir -p e/in; chmod 777 e/in; echo x >e/in/f; mkfifo p'
(umask 077 && session apply own)
is "nobody may do more than the host's umask gives" "600 700 600 700 700 600 600" "$(echo $(stat -c %a secret d d/new e e/in e/in/f p))"
like "and what got less is named" "$(cat "$work/log")" "mode 700 and not 777, as your umask is 077; the same of 6 more"
(umask 077 && session apply own) && session rm own
anew && echo s >shared && chmod 664 shared && saw own 'echo t >>shared; echo r >run; chmod 755 run' && session apply own
is "what the host's file gave, it gives, without a word" "664 755" "$(echo $(stat -c %a shared run) $(grep umask "$work/log"))"
session rm own
anew && mkdir d && echo 1 >d/f && saw own 'echo session >d/new; mv d/f d/g' && touch d/hosts && session apply own
is "what the host adds beside is no conflict" "0 g hosts new" "$? $(echo $(ls d))"
in_session own 'rm d/g; mkdir d/sub; echo s >d/sub/s' && session apply own && in_session own 'rm -r d/sub' && session apply own && in_session own 'mkdir d/sub; echo t >d/sub/t'
session apply own
is "nor is what the session itself has applied, removed and made again" "0 t" "$? $(cat d/sub/t)"
session rm own

# --- the project is the one that the session was made over
anew && echo 1 >f && echo other >../aside/f && saw own 'echo box >f' && cd .. && mv own own.away && mv aside own && cd own || exit 1
session apply own
is "another directory in the project's place: refused" "125 other" "$? $(cat f)"
like "and told" "$(cat "$work/log")" "not the directory that session 'own' was made over"
session apply --force own
is "but with --force" "0 box" "$? $(cat f)"
session rm own && rm -rf "$work/own.away"

# --- names are shown, whatever they do to a terminal
bad=$'x\033]0;H\007' && anew && mkdir -p "$bad/old" && echo 1 >"$bad/f" && echo 1 >"$bad/old/f" && cd .. && mv own "own$bad" && cd "own$bad" || exit 1
saw own "cd '$bad'; echo 2 >f; rm -r old; echo x >.envrc; echo all: >Makefile; git init -q new; mkdir made; echo m >made/m; ln -s /x link; mkfifo pipe; d=deep; for i in \$(seq 300); do mkdir \$d && cd \$d || exit; done"
for words in "list" "show own" "log own" "diff --stat own" "diff own" "apply own $bad/none" "apply own" "cp own:$bad/none $work/x" "cp own:$bad $work/x$bad" "cp own:$bad $work/x$bad/f" \
	"cp $bad/none own:y" "cp own:$bad/f $work/none/$bad" "cp $PWD own:$bad/link/x" "create $bad" "show $bad" "restore own $bad" \
	"snapshot own $bad" "fork own $bad" "rm $bad" "rm own@$bad" "create --from $bad/t.tar y" "$bad"; do
	# shellcheck disable=SC2086
	"$SBX" session $words </dev/null 2>&1
done >"$work/shown"
echo 3 >"$bad/f" && in_session own "echo 4 >'$bad/f'" && session apply own && echo 5 >"$bad/f"
cat "$work/log" >>"$work/shown"
is "no message has an escape sequence in it, and there are messages" "0 0 yes" "$(grep -c "$(printf '\033')" "$work/shown") $(grep -c "$(printf '\007')" "$work/shown") $([ "$(grep -c 'control bytes\|\^\[' "$work/shown")" -gt 12 ] && echo yes)"
cd "$work" && session rm own && rm -rf "own$bad" "x$bad" && mkdir -p own && cd own || exit 1

# --- a state directory that cannot be written
read_only() { # command
	if [ "$(id -u)" = 0 ]; then
		unshare -m sh -c 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"' sh "$store" "$@"
	else
		local status=0
		chmod a-w "$store" "$store/sessions" "$store/layers" "$store/sessions/own"
		"$@" || status=$?
		chmod u+w "$store" "$store/sessions" "$store/layers" "$store/sessions/own"
		return $status
	fi
}
anew && echo 1 >f && saw own 'echo 2 >f'
is "list and diff read a state that is read-only" "0 own M" "$(read_only "$SBX" session list >"$work/list" 2>&1; echo "$?" $(cut -d' ' -f1 <"$work/list" | grep own) $(read_only "$SBX" session diff --stat own 2>&1 | cut -c1))"
read_only "$SBX" session apply own >"$work/log" 2>&1
is "and an apply is refused, and says so" "125 1 1" "$? $(cat f) $(grep -ci 'read-only\|permission denied' "$work/log")"
session rm own

# --- what is interrupted is ended or taken back where it began, and nowhere else
if strace -f -qq -o /dev/null true 2>/dev/null; then
	cut_short() { strace -f -qq -o /dev/null -e trace=renameat2 -e inject=renameat2:signal=SIGKILL:when=4 "$SBX" session apply own >/dev/null 2>&1; when_free snapshot own; true; }
	files() { anew && for i in 1 2 3 4 5 6; do echo "old$i" >"f$i"; done && saw own 'for i in 1 2 3 4 5 6; do echo box >>f$i; done; echo new >n' && cut_short; }
	files && for verb in "snapshot own" "restore own x"; do
		session $verb >/dev/null
		is "${verb%% *} of an interrupted one is refused" "125 1" "$? $(grep -c 'to undo it: sbx session discard own' "$work/log")"
	done
	session rm own
	is "rm takes it back" "0 old1 old2 old3 old4 old5 old6" "$? $(echo $(cat f?; ls n 2>/dev/null))"
	files && session discard own
	is "discard, too" "0 old1 old2 old3 old4 old5 old6 own" "$? $(echo $(cat f?; ls n 2>/dev/null)) $(session list | cut -d' ' -f1)"
	session rm own
	files && cd .. && mv own own.away && mkdir own && cd own && for i in 1 2 3 4 5 6; do echo "fresh$i" >"f$i"; done
	for verb in apply discard rm; do
		session $verb own
		is "$verb of one in a project that is gone: refused, nothing touched" "125 fresh1 fresh2 fresh3 fresh4 fresh5 fresh6" "$? $(echo $(cat f?))"
		like "$verb: with the way out" "$(cat "$work/log")" "are in '.*/stage-.*To give up the rest.*rm '.*/journal'"
	done
	rm -rf "$work/own" && mv "$work/own.away" "$work/own" && cd "$work/own" || exit 1
	session apply own
	is "when it is back it is ended" "0 7" "$? $(cat f? n | grep -c 'box\|new')"
	session rm own
	files && echo mine >>f1 && echo mine >>f5 && session apply own
	is "what was edited since stays, all else is taken back" "125 old1 box mine old2 old3 old4 old5 mine old6" "$? $(echo $(cat f?))"
	like "and the old version is beside, and named" "$(echo $(cat "$work/log" f1.sbx-old))" "saved as '.*/f1.sbx-old'.* old1"
	session apply own
	is "afterwards the rest is as if it had not been tried" "2 f1 f5" "$(grep -c 'conflict:' "$work/log") $(echo $(sed -n 's/.*conflict: \(..\):.*/\1/p' "$work/log"))"
	session rm own
	files && mkdir gone && sed -i 's/^sbx-apply 3/sbx-apply 2/' "$store/sessions/own/journal" && session apply own
	is "a journal of another version: refused" 125 $?
	like "and told, with the way out" "$(cat "$work/log")" "older sbx|not a file of sbx.*rm '"
	rm "$store/sessions/own/journal" && session rm own
	files && cp -a "$store/sessions/own/journal" "$work/whole" && size=$(stat -c %s "$work/whole") && before=$(contents .) wrong=
	stage=$(ls -d "$store/sessions/own"/stage-*)
	staged=$(contents "$stage")
	for cut in 0 1 12 $((size / 3)) $((size / 2)) $((size - 40)) $((size - 1)) words zeros huge; do
		case $cut in
		words) sed 's/[0-9]/x/3' "$work/whole" ;;
		zeros) head -c "$size" /dev/zero ;;
		huge) sed 's/[0-9][0-9]*/99999999999999999999999/2' "$work/whole" ;;
		*) head -c "$cut" "$work/whole" ;;
		esac >"$store/sessions/own/journal"
		for verb in apply discard rm; do
			session $verb own
			[ "$? $(contents .) $(contents "$stage")" = "125 $before $staged" ] || wrong="$wrong $verb:$cut"
			grep -q "nothing was changed.*are in '$stage.*\|are in '.*/stage-.*rm '$store/sessions/own/journal'" "$work/log" || wrong="$wrong said:$verb:$cut"
		done
	done
	is "a journal that is cut or damaged, by apply, discard and rm: refused, nothing touched, the way out named" "" "$wrong"
	rm "$store/sessions/own/journal" && mkdir "$store/sessions/own/journal" && session apply own
	is "one that is no file" "125 $before" "$? $(contents .)"
	rmdir "$store/sessions/own/journal" && ln -s "$work/whole" "$store/sessions/own/journal" && session apply own
	is "one that is a link" "125 $before" "$? $(contents .)"
	rm "$store/sessions/own/journal" && cp -a "$work/whole" "$store/sessions/own/journal" && session rm own
	is "the whole one is taken back" "0 old1 old2 old3 old4 old5 old6" "$? $(echo $(cat f?))"
	session rm own
	anew && touch f{1..450} && saw own 'for i in $(seq 450); do echo box >f$i; done'
	strace -f -qq -o /dev/null -e trace=renameat2 -e inject=renameat2:signal=SIGKILL:when=430 "$SBX" session apply own >/dev/null 2>&1
	when_free snapshot own
	for i in $(seq 450); do echo mine >"f$i"; done
	session discard own
	is "hundreds that are kept beside: each is named" "yes $(find . -name '*.sbx-old*' | wc -l)" "$([ "$(grep -c 'saved as' "$work/log")" -gt 400 ] && echo yes) $(grep -c 'saved as' "$work/log")"
	session rm own

	# --- what the host does between the look and the rename
	at_moment() { # the n-th syncfs: 1 all is staged, 2 all is in place; what the host does then; another call; a path
		local call=${3:-syncfs}
		: >"$work/stops"
		strace -f -qq -o "$work/stops" -e trace="$call" -e inject="$call:signal=SIGSTOP:when=1..$1" "$SBX" session apply own ${4:+"$4"} 2>"$work/log" &
		local tracer=$! i
		stopped() { [ "$(grep -c 'stopped by SIGSTOP' "$work/stops")" -ge "$1" ]; }
		for i in $(seq "$1"); do
			wait_for 60 stopped "$i"
			[ "$i" != "$1" ] || eval "$2"
			kill -CONT "$(grep 'stopped by SIGSTOP' "$work/stops" | tail -1 | cut -d' ' -f1)"
		done
		wait $tracer
	}
	anew && mkdir d && echo old >d/old && echo 1 >f && saw own 'rm -rf d; echo box >>f'
	at_moment 1 'echo precious >d/new; echo more >>d/old'
	wanted="precious old more 1" kept "a directory that is filled before it goes" "'d' was changed" d/new d/old f
	anew && mkdir d && echo old >d/old && saw own 'rm -rf d; echo file >d'
	at_moment 1 'mkdir d/x; echo precious >d/x/y'
	wanted="precious old" kept "one that becomes a file" "'d' was changed" d/x/y d/old
	anew && mkdir d ../aside/d && echo old >d/f && echo theirs >../aside/d/f && saw own 'echo box >d/new'
	at_moment 1 'mv d d.away; mv ../aside/d d'
	wanted="theirs" kept "one that is exchanged" "'d/new' was changed" d/f
	anew && echo old >f && echo 1 >g && saw own 'echo box >>f; echo box >>g'
	at_moment 1 'chmod 600 g'
	wanted="old 1" kept "a file of which only the mode changes" "'g' was changed" f g
	anew && echo old >f && exec 7>>f && saw own 'echo box >f'
	at_moment 2 'echo late >&7'
	exec 7>&-
	is "what is written to a replaced file by who has it open is kept, and named" "box old late 1" "$(echo $(cat f f.sbx-old)) $(grep -c "saved as '.*f.sbx-old'" "$work/log")"
	session rm own
	anew && echo old >f && exec 7>>f && saw own 'echo box >>f'
	at_moment 1 'echo late >&7; echo mine >>f' renameat2
	exec 7>&-
	is "written to by name and by who has it open, right after the exchange: both stay, and are named" "old box mine old late 1" "$(echo $(cat f f.sbx-old)) $(grep -c "saved as '.*f.sbx-old'" "$work/log")"
	session rm own
	anew && echo old >f && saw own 'echo box >>f'
	at_moment 2 'rm -f "$store/sessions/own/known"; mkdir "$store/sessions/own/known"'
	like "what is in place and cannot be noted is not said to be unchanged" "$(cat f "$work/log" | tr '\n' ' ')" '^old box .*the changes are in place; .*to complete the apply: sbx session apply own'
	rmdir "$store/sessions/own/known" && session apply own
	is "and is ended later" "0 old box no" "$? $(echo $(cat f)) $(ls "$store/sessions/own" | grep journal || echo no)"
	session rm own
	anew && echo old >f && echo 1 >g && exec 7>>f && saw own 'rm f; echo box >>g'
	at_moment 2 'echo late >&7; rm -f "$store/sessions/own/known"; mkdir "$store/sessions/own/known"'
	exec 7>&-
	rmdir "$store/sessions/own/known" && session apply own
	is "a removed file that was put beside, and a note that failed: the next apply ends it" "0 gone 1 box old late" "$? $(ls f 2>/dev/null || echo gone) $(echo $(cat g f.sbx-old))"
	session rm own
	anew && mkdir d && echo old >d/f && exec 7>>d/f && saw own 'rm -r d'
	at_moment 1 'echo late >>/proc/$$/fd/7; mkdir d; echo mine >d/f' renameat2
	exec 7>&-
	is "and right after a removal" "mine old late" "$(echo $(cat d/f d.sbx-old/f))"
	session rm own
	anew && for i in 1 2; do echo "$i" >"f$i"; done && mkdir d && echo 3 >d/f && saw own 'echo box >>f1; echo box >>f2; rm -r d'
	at_moment 1 'touch f2'
	session apply own
	is "after a failed apply the others are no conflict" "f2" "$(echo $(sed -n 's/.*conflict: \(.*\):.*/\1/p' "$work/log"))"
	session rm own
	# --- where the stage lies on the project's own file system a box may be that writes in it
	anew && mkdir "$work/far" && echo 1 >f
	if [ "$(stat -c %d /dev/shm)" != "$(stat -c %d .)" ] && far=$(mktemp -d /dev/shm/sbx-test.XXXXXX) && mkdir -p "$far" &&
		XDG_STATE_HOME=$far "$SBX" session create own 2>"$work/log"; then
		saved=$XDG_STATE_HOME
		export XDG_STATE_HOME=$far
		in_session own 'echo box >>f; mkdir .zed; echo honest >.zed/settings.json'
		at_moment 1 'stage=$(ls -d ../.sbx-apply-own* .sbx-apply-own* 2>/dev/null); echo evil >>"$(echo "$stage"/*/settings.json)"' syncfs '.zed'
		is "the stage is beside the project, not in it" "../.sbx-apply-own" "${stage%-*}"
		is "a copy that somebody writes to is not put" "no" "$(cat .zed/settings.json 2>/dev/null || echo no)"
		like "and is named" "$(cat "$work/log")" "the copy of '.zed' was changed in the stage"
		chmod 777 .. # a directory of everybody's holds no stage
		"$SBX" run -- sh -c 'touch up; sleep 60' 2>/dev/null &
		box=$!
		wait_for 30 test -e up
		session apply own .zed
		like "a trusted name is not put while a box could reach its copy" "$(cat "$work/log")" "'.zed': .* end that box"
		session apply own
		is "all else is" "0 1 box" "$? $(echo $(cat f))"
		kill $box && wait $box 2>/dev/null
		session apply own .zed
		is "and when it has ended, too" "0 honest" "$? $(cat .zed/settings.json)"
		chmod 755 ..
		XDG_STATE_HOME=$saved
		rm -rf .zed
	else
		skip "a stage on the project's file system" "no other one with extended attributes"
	fi
	[ -z "$far" ] || { chmod -R u+rwx "$far" && rm -rf "$far"; }
else
	skip "what the host does between" "strace cannot be used"
fi
cd "$project" || exit 1

# --- damaged state
session create d && in_session d 'echo d >d' && session snapshot d one && in_session d 'echo e >>d'
cp -a "$store" "$work/store" 2>/dev/null # but what overlayfs works in, which nobody may read
again() { chmod -R u+rwx "$store"; rm -rf "$store"; cp -a "$work/store" "$store" 2>/dev/null; true; }
refused() { # name, pattern
	local name=$1 before
	before=$(contents .)
	for verb in "run -s d -- true" "session snapshot d" "session diff d" "session apply d" "session restore d one"; do
		# shellcheck disable=SC2086
		"$SBX" $verb >"$work/out" 2>&1
		if [ $? != 125 ] || ! grep -Eq "$2" "$work/out" || [ "$before" != "$(contents .)" ]; then
			fail "$name: $verb" "$(cat "$work/out")"
			return
		fi
	done
	pass "$name is refused"
}
state=$store/sessions/d/state
sed -i 's/sbx-session 1/sbx-session 2/' "$state" && refused "state of a newer version" "newer sbx"
again && sed -i 's/^top ./top x/' "$state" && refused "a damaged line" "checksum"
again && truncate -s -3 "$state" && refused "a state that was cut" "end is missing|checksum"
again && : >"$state" && refused "an empty state" "cannot be used"
again && rm "$state" && refused "a missing state" "state"
again && rm "$state" && mkfifo "$state" && refused "a FIFO as state" "not a regular file"
again && head -c 20M /dev/zero >"$state" && refused "a huge state" "larger than"
again && printf 'sbx-session 1\n\0' >"$state" && refused "a NUL byte" "cannot be used"
# A whole state with a wrong thing in it: the checksum is right, the layer is not there.
again && for layer in "$store"/layers/????????; do chmod -R u+rwx "$layer"; rm -rf "$layer"; done
for verb in "run -s d -- true" "session diff d" "session apply d"; do
	# shellcheck disable=SC2086
	like "a missing layer: $verb" "$("$SBX" $verb 2>&1; echo $?)" "layer.*125|125"
done
again && printf 'sbx-apply 3\ncommit\nadd 0 x 0 0 0 0 0 0 0\nsum 0000000000000000\n' >"$store/sessions/d/journal"
before=$(contents .)
like "a damaged journal" "$("$SBX" session apply d 2>&1)" "journal.*cannot be used.*nothing was changed"
is "and nothing was changed" "$before" "$(contents .)"
like "a run with an interrupted apply is refused, with what ends it" "$("$SBX" run -s d -- true 2>&1)" "sbx session apply d"
again
for name in a/b ../x .hidden -x "$(printf 'a\nb')" "" "$(printf '%065d' 0)" a@b 'a b'; do
	refused_as "the name '$(printf %q "$name")'" name "$SBX" session create -- "$name"
done
session rm d

# --- full disks
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	cat >"$work/full.sh" <<'END'
mount -t tmpfs -o size=3m,mode=755 full "$XDG_STATE_HOME" || exit 77
cd "$1" || exit 1
"$SBX" session create full || exit 77
"$SBX" run -s full -- true || exit 77
head -c 2M /dev/zero >"$XDG_STATE_HOME/filler"
"$SBX" run -s full -- bash -c 'echo no >big; head -c 8M /dev/zero >>big 2>/dev/null; sleep 20'; echo "fill status $?"
"$SBX" run -s full -- rm -f big
"$SBX" run -s full --disk-growth unlimited -- bash -c 'echo kept >kept; head -c 8M /dev/zero >big; echo "write status $?"'
head -c 1M /dev/zero >"$XDG_STATE_HOME/rest" 2>/dev/null
"$SBX" session apply full; echo "apply status $?"
rm "$XDG_STATE_HOME/filler" "$XDG_STATE_HOME/rest"
"$SBX" run -s full -- bash -c 'cat kept; rm -f big' && "$SBX" session snapshot full
"$SBX" session apply full; echo "apply status $?"
END
	mkdir "$work/plain-state"
	out=$(XDG_STATE_HOME=$work/plain-state unshare -m bash -c "mount -t ramfs plain $work/plain-state && chmod 755 $work/plain-state && cd $project && { $SBX session create plain; echo \$?; ls $work/plain-state/sbx/sessions; }" 2>&1)
	like "a state directory without extended attributes is refused" "$out" "without extended attributes"
	is "and no session is made" 125 "$(printf '%s\n' "$out" | tail -1)"
	out=$(XDG_STATE_HOME=$work/full-state unshare -m bash -c "mkdir -p $work/full-state; exec bash $work/full.sh $project" 2>&1)
	if [ $? = 77 ]; then
		skip "a full state directory" "no tmpfs with extended attributes: $(echo "$out" | tail -1)"
	else
		like "who fills a disk is killed" "$out" "fill status 137"
		like "by three quarters of its free space, and the fix is said" "$out" \
			"^sbx: a disk was nearly full, .*lift the limit with --disk-growth unlimited$"
		like "with the fix: a full layer, and the command is told" "$out" "write status 1"
		like "what was written before is there" "$out" "^kept"
		like "an apply in a full state directory is refused" "$out" "apply status 125"
		like "and says why" "$out" "No space left on device"
		like "and changes nothing: with room again it is applied" "$out" "apply status 0"
		is "the change is there" kept "$(cat kept)"
	fi
	rm -f kept
	cat >"$work/full.sh" <<'END'
mount -t tmpfs -o size=1m,mode=755 full "$1" || exit 77
cd "$1" && git init -q && echo a >a && echo b >b || exit 1
"$SBX" session create small || exit 77
"$SBX" run -s small -- bash -c 'echo changed >a; head -c 600K /dev/urandom >c; head -c 600K /dev/urandom >d; rm b' || exit 77
"$SBX" session apply small; echo "apply status $?"
cat a; ls -A
END
	mkdir "$work/small"
	out=$(unshare -m bash "$work/full.sh" "$work/small" 2>&1)
	like "no room for an apply: refused" "$out" "No space left"
	is "and the project is as it was" "a .git a b" "$(echo $(printf '%s\n' "$out" | sed '1,/apply status 125/d'))"
	session rm small
else
	skip "full disks" "only root can mount a small one"
fi
# What links in protected directories lead to on the host is withheld, in a nested repository as well.
project=$(new_project)
cd "$project" || exit 1
mkdir -p conf .claude sub/.git && git -C sub init -q && echo good | tee conf/c.json sub/h sub/free >/dev/null
ln -s ../conf/c.json .claude/settings.json && mkdir -p sub/.git/hooks && ln -s ../../h sub/.git/hooks/pre-push
"$SBX" session create led >/dev/null && "$SBX" run -s led -- sh -c 'for f in conf/c.json sub/h sub/free; do echo evil >$f; done'
"$SBX" session apply led >"$work/log" 2>&1
is "what links in protected directories lead to is withheld" "good good evil" "$(cat conf/c.json sub/h sub/free | xargs)"
# What git takes for a git directory, of any name: bare, separate, one that a .git file or a link leads to, and in itself.
project=$(new_project)
cd "$project" || exit 1
git add . && git commit -qm first && git init -q --bare remote.git && git push -q ./remote.git HEAD:refs/heads/main && git init -q --separate-git-dir "$PWD/apart" sep
git clone -q --bare . tree/.bare && echo "gitdir: ./.bare" >tree/.git && git -C tree worktree add -q -b side main HEAD && git clone -q . led && mv led/.git led/dotgit && ln -s dotgit led/.git
kinds="remote.git apart tree/.bare led/dotgit"
"$SBX" session create kinds >/dev/null && in_session kinds "echo m >file; git add file; git commit -qm more; git push -q ./remote.git HEAD:refs/heads/main; for g in $kinds; do printf evil >\$g/hooks/post-index-change; echo '[core] fsmonitor = evil' >>\$g/config; echo evil >\$g/info/attributes; echo /x >\$g/commondir; ln -s /x \$g/MERGE_MSG; done
	echo evil >tree/.bare/worktrees/main/config.worktree"
session apply kinds
is "what the session wrote in git directories of any name is withheld" "" "$(for g in $kinds; do cd "$project/$g" && ls hooks/post-index-change info/attributes commondir MERGE_MSG worktrees/main/config.worktree; grep evil config; done 2>/dev/null)"
is "but not the commits" "more" "$(git -C remote.git log -1 --format=%s main)"
session apply kinds remote.git/hooks/post-index-change
is "and by name the hook" evil "$(cat remote.git/hooks/post-index-change)"
(cd remote.git && "$SBX" session create top >/dev/null && in_session top "echo evil >hooks/pre-push; echo evil >.envrc; echo plain >plain" && session apply top)
is "nor in the project's top, where it is one" " plain" "$(cd remote.git && cat hooks/pre-push .envrc 2>/dev/null) $(cat remote.git/plain)"
# The shared part of a split index: git reads the name that its end says, and believes the rest.
git clone -q . nested && git worktree add -q wt && cp .git/index remote.git/ && git -C remote.git config core.bare false
split="git update-index --split-index"
$split && git -C wt update-index --split-index && git -C nested update-index --split-index && cp .git/index .git/sharedindex.* remote.git/
cat .git/sharedindex.* nested/.git/sharedindex.* .git/worktrees/wt/sharedindex.* remote.git/sharedindex.* >"$work/shared"
"$SBX" session create split >/dev/null && in_session split 'chmod -R u+w .git nested remote.git; LC_ALL=C sed -i "s,file,../x,g" .git/sharedindex.* nested/.git/sharedindex.* .git/worktrees/wt/sharedindex.* remote.git/sharedindex.*; echo more >more'
session apply split
is "a shared index that git did not write is withheld, where the index is the same" "more same" "$(cat more) $(cat .git/sharedindex.* nested/.git/sharedindex.* .git/worktrees/wt/sharedindex.* remote.git/sharedindex.* | cmp - "$work/shared" && echo same)"
is "and told" 4 "$(grep -c 'sharedindex.* is not an index that git wrote' "$work/log")"
session discard split && in_session split "git add more; git commit -qm split; echo 1 >1; git add 1; $split"
session apply split
is "one that git wrote is applied with its index" "0 split A 1" "$? $(git log -1 --format=%s) $(git status --short 1 | xargs)"
in_session split 'chmod -R u+w .git; LC_ALL=C sed -i "s,file,../x,g" .git/sharedindex.*'
session apply split
git checkout -q . 2>/dev/null
is "and not when the session changes it later" "" "$(ls ../x 2>/dev/null)"
# What the configurations of a worktree, a submodule, a bare repository and config.worktree name.
project=$(new_project)
cd "$project" || exit 1
git add . && git commit -qm first && git clone -q . "$work/sub" && git -c protocol.file.allow=always submodule --quiet add "$work/sub" sub && git init -q --bare bare
git config extensions.worktreeConfig true && git config --worktree core.hooksPath tools/hk && git worktree add -q wt && git -C wt config --worktree core.hooksPath .wh
git -C sub config core.hooksPath .sh && git -C sub config include.path ../../../cfg/x && git -C bare config include.path ../cfg/y
"$SBX" session create names >/dev/null && in_session names 'mkdir -p tools/hk wt/.wh sub/.sh cfg; for f in tools/hk/h wt/.wh/h sub/.sh/h cfg/x cfg/y cfg/z; do echo evil >$f; done'
session apply names
is "what configurations of worktrees, submodules and bare repositories name is withheld" cfg/z "$(ls tools/hk/h wt/.wh/h sub/.sh/h cfg/* 2>/dev/null)"
session apply names wt/.wh sub/.sh/h cfg/x
is "but by name" "cfg/x cfg/z sub/.sh/h wt/.wh/h" "$(echo $(ls tools/hk/h wt/.wh/h sub/.sh/h cfg/* 2>/dev/null))"
done_testing
