#!/bin/bash
# The command's view of a run: statuses, descriptors, signals, environment, directories.
. "$(dirname "$0")/../lib.sh"
project=$(new_project)
cd "$project" || exit 1

# exit status
for code in 0 3 125 255; do
	is "exit $code passes through" "said $code" "$(echo $("$SBX" run -- sh -c "echo said; exit $code"; echo $?))"
done
# Also where the caller ignores one of them, as nohup does.
for number in 1 6 9 11 15; do
	status "death by signal $number is the shell's 128+$number" $((128 + number)) \
		env --default-signal "$SBX" run -- sh -c "kill -$number \$\$"
done
is "a waiting parent sees the signal itself" 15 "$(python3 - "$SBX" <<'P'
import subprocess, sys
print(-subprocess.run([sys.argv[1], "run", "sh", "-c", "kill -15 $$"]).returncode)
P
)"
status "not found is 127" 127 "$SBX" run -- no-such-command
status "not executable is 126" 126 "$SBX" run -- ./file
{ head -c 18 "$SBX"; printf '\276\276'; head -c 4096 "$SBX" | tail -c +21; } >foreign && chmod +x foreign
is "a program for another machine is no script" "sbx: cannot run './foreign': it is a program for another machine, or damaged 126" "$("$SBX" run -- ./foreign 2>&1) $("$SBX" run -- ./foreign 2>/dev/null; echo $?)"
rm foreign
like "not found says so" "$("$SBX" run -- no-such-command 2>&1)" "sbx: cannot run 'no-such-command': not found"
is "a name of nothing is not found" "sbx: cannot run '': not found" "$("$SBX" run -- '' 2>&1)"
mkdir -p "$work/tools" && cp /bin/true "$work/tools/outside-tool"
like "a program that is only outside is named with the flag" \
	"$(PATH=$PATH:$work/tools "$SBX" run outside-tool 2>&1)" "--read $work/tools"
printf 'echo from script\n' >script && chmod +x script
is "a script without #! runs by sh" "from script" "$("$SBX" run ./script)"
rm script

# options end at the first word
is "options after the command are its own" "--network none -p x" "$("$SBX" run echo --network none -p x)"
is "the same with --" "-p" "$("$SBX" run -- echo -p)"
is "-c STRING takes name and arguments" "n a" "$("$SBX" run -c 'echo $0 $1' n a)"
is "-cSTRING" hi "$("$SBX" run -c'echo hi')"
words=('$(touch made)' '`touch made`' '; touch made' "'" '"' '* ?' '-c' '' $'two\nlines')
is "words stay words: no shell is between" "$(printf '<%s>' "${words[@]}")" "$("$SBX" run -- printf '<%s>' "${words[@]}"; ls made 2>/dev/null)"

# sbx-shell
ln -s "$SBX" "$work/sbx-shell"
shell=$work/sbx-shell
is "sbx-shell STRING" "a  b" "$("$shell" 'echo "a  b"')"
is "sbx-shell -c STRING" x "$("$shell" -c 'echo x')"
is "sbx-shell -l -c STRING name args" "n 1" "$("$shell" -l -c 'echo $0 $1' n 1)"
is "sbx-shell -lc STRING" y "$("$shell" -lc 'echo y')"
is "sbx-shell -l -i -c STRING" z "$("$shell" -l -i -c 'echo z' 2>/dev/null)"
is "sbx-shell keeps SHLVL" "$(SHLVL=4 bash -c 'echo $SHLVL')" "$(SHLVL=4 SHELL=/bin/bash "$shell" 'echo $SHLVL')"
is "sbx-shell runs \$SHELL when it is bash" /bin/bash "$(SHELL=/bin/bash "$shell" 'echo $0')"
is "sbx-shell falls back when SHELL is neither bash nor zsh" 1 "$(SHELL=/bin/false "$shell" 'echo 1')"
is "sbx-shell passes the exit status" 4 "$("$shell" 'exit 4'; echo $?)"
is "sbx-shell adds nothing to stderr" ran "$("$shell" 'echo ran' 2>&1)"

# descriptors
is "silent on success" ran "$("$SBX" run echo ran 2>&1)"
is "stdin passes" hello "$(echo hello | "$SBX" run cat)"
is "100 MB of binary through a pipe" "$(head -c 100000000 /dev/zero | tr '\0' '\377' | sha256sum)" \
	"$(head -c 100000000 /dev/zero | tr '\0' '\377' | "$SBX" run cat | sha256sum)"
is "1 MB of arguments" 1000000 "$("$SBX" run -- python3 -c 'import sys; print(sum(map(len, sys.argv[1:])))' \
	$(head -c 1000000 /dev/zero | tr '\0' x | fold -w 100000))"
is "other descriptors are closed" "0 1 2" "$("$SBX" run -- bash -c 'cd /proc/$$/fd && echo *' 7</etc/passwd 8</ 2>/dev/null | tr ' ' '\n' | grep -v 255 | head -3 | xargs)"
is "--preserve-fd passes one" kept "$("$SBX" run --preserve-fd 7 -- sh -c 'cat <&7' 7<<<kept)"
is "a pipe of <(...) passes, as a word, in one, and two in one" "a b cd" "$("$SBX" run -- sh -c 'echo $(cat "$0") $(cat "${1#--config=}") $(cat ${2%,*} ${2#*,} | tr -d "\n")' <(echo a) --config=<(echo b) <(echo c),<(echo d) 2>&1)"
mkfifo "$work/fifo"
echo input >"$work/input"
"$SBX" run -- sh -c 'cat /dev/stdin >/dev/stdout; echo told >/dev/stderr' <"$work/input" >"$work/output" 2>"$work/errors"
is "files outside, given as 0, 1 and 2, open again by their names in /dev" "input told" "$(cat "$work/output" "$work/errors" | xargs)"
is "a named pipe does" through "$(cat "$work/fifo" & "$SBX" run -- sh -c 'echo through >/dev/stdout' >"$work/fifo"; wait)"
is "and what --preserve-fd names" input "$("$SBX" run --preserve-fd 7 -- cat /dev/fd/7 7<"$work/input" 2>&1)"
for fd in 0 1 2; do
	is "descriptor $fd is no directory, which would lead out" "125 no" "$(eval "\"\$SBX\" run touch led-out $fd<\"\$work\"" >/dev/null 2>&1; echo $? $([ -e led-out ] || echo no))"
done
refused_as "and it is said" '^sbx: descriptor 0 is a directory, which would lead out of the box' "$SBX" run true </
like "one that is named is told" "$("$SBX" run --preserve-fd 7 -- true 7</ 2>&1)" '^sbx: --preserve-fd: descriptor 7 is a directory'
status "--preserve-fd of a closed one is an error" 125 "$SBX" run --preserve-fd 9 true 9>&-
status "closed 0, 1, 2" 7 bash -c 'exec "$0" run sh -c "exit 7" <&- >&- 2>&-' "$SBX"
is "an early end of stdout is seen by the reader" early "$("$SBX" run -- sh -c 'echo early; exec >&-; until [ -e seen ]; do sleep 0.05; done' | (read -r l; echo "$l"; timeout 30 cat >/dev/null || echo late; touch seen); rm seen)"

# signals and time
status "the time limit is 124" 124 "$SBX" run --timeout 200ms -- sleep 9
status "the time limit kills what ignores SIGTERM" 124 "$SBX" run --timeout 100ms -- sh -c 'trap "" TERM; while :; do sleep 1; done'
status "the time limit holds for a command that stops itself" 124 timeout -s KILL 60 "$SBX" run --timeout 300ms -- sh -c 'sleep 60 & kill -STOP $$; sleep 60'
like "the time limit is told with its flag" "$("$SBX" run --timeout 100ms -- sleep 9 2>&1)" 'timeout=100ms: the run was ended; raise it with --timeout'
is "SIGTERM reaches the command" got "$( ("$SBX" run -- bash -c 'trap "echo got; exit" TERM; touch trapped; sleep 9 & wait' & pid=$!; wait_for 30 test -e trapped; kill $pid; wait $pid) )"
rm -f trapped
status "SIGCHLD ignored by the caller" 7 bash -c 'trap "" CHLD; "$0" run sh -c "exit 7"' "$SBX"
"$SBX" run -- sleep 98.$$ & pid=$!
wait_for 30 pgrep -f "^sleep 98[.]$$" && begun=begun || begun="did not begin"
kill -9 $pid; wait $pid 2>/dev/null
gone() { ! pgrep -f "^sleep $1[.]$$"; }
wait_for 30 gone 98
is "SIGKILL of sbx leaves nothing" "begun" "$begun$(pgrep -f "sleep 98[.]$$")"
begun=$("$SBX" run -- sh -c "setsid nohup sleep 97.$$ >/dev/null 2>&1 & echo begun")
wait_for 30 gone 97
is "daemons of the command end with it" "begun" "$begun$(pgrep -f "sleep 97[.]$$")"

# places
is "the directory is the same" "$project" "$("$SBX" run pwd)"
mkdir sub && is "also below the toplevel" "$project/sub" "$(cd sub && "$SBX" run pwd)"
is "the git toplevel is the project" hello "$(cd sub && "$SBX" run cat ../file)"
rmdir sub
ln -s "$project" "$work/link"
is "a directory entered by a symlink keeps its name" "$work/link" "$(cd "$work/link" && "$SBX" run sh -c 'pwd')"
mkdir gone && cd gone && rmdir ../gone
refused_as "a deleted directory is refused" '^sbx: .*--project none' "$SBX" run true
status "a deleted directory without a project is fine" 7 "$SBX" run --project none sh -c 'exit 7'
cd "$project" || exit 1
like "a directory too deep for a path is refused, and why" "$(python3 - "$SBX" "$project" <<'P' 2>&1
import os, subprocess, sys
steps = 0
while steps < 21:
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
    steps += 1
print(subprocess.run([sys.argv[1], "run", "true"], stderr=subprocess.PIPE, text=True).stderr)
P
)" "deeper than 4,095 bytes"
rm -rf "$project"/ddd*
for place in / /etc /usr /tmp /proc /dev "$HOME"; do
	refused_as "project $place is refused" '^sbx: .*cannot be the project.*--project none' bash -c 'cd "$1" && "$0" run true' "$SBX" "$place"
done
mkdir -p "$work/home/.config/sbx/below" "$work/home/.local/state/sbx"
for place in .config .config/sbx .config/sbx/below .local/state/sbx .local/state; do
	refused_as "project ~/$place overlaps sbx's own files" '^sbx: .*(own files|cannot be the project)' env HOME="$work/home" \
		bash -c 'cd ~/"$1" && "$0" run true' "$SBX" "$place"
done
ln -s "$work/home" "$work/home-link"
refused_as "a home behind a symlink is still the home" '^sbx: .*home.*cannot be the project' env HOME="$work/home-link" bash -c 'cd "$1" && "$0" run true' "$SBX" "$work/home"
mkdir -p "$work/elsewhere" "$work/linked-home" && ln -s "$work/elsewhere" "$work/linked-home/.local"
is "caches under a symlinked ~/.local work" made "$(HOME=$work/linked-home "$SBX" run --cache '~/.thing' sh -c 'touch ~/.thing/x && echo made')"
status "--write of the home is refused" 125 "$SBX" run --write "$HOME" true
status "--write / is refused" 125 "$SBX" run --write / true
status "--cache / is refused" 125 "$SBX" run --cache / true
status "--tmpfs / is refused" 125 "$SBX" run --tmpfs / true
is "without HOME" ran "$(env -u HOME "$SBX" run echo ran)"
is "without any environment" /usr/local/bin:/usr/bin:/bin "$(env -i "$SBX" run sh -c 'echo $PATH')"
like "mktemp works" "$(TMPDIR=/nowhere "$SBX" run mktemp)" '^/tmp/'
like "also where TMPDIR was made in the host's /tmp" "$(TMPDIR=/tmp/sbx-test-absent "$SBX" run mktemp)" '^/tmp/[^/]*$'
is "zsh's here-documents: a prefix in a directory of the host's /tmp does not come in" "none /tmp/z" "$(for each in /tmp/sbx-test-absent/z /tmp/z; do TMPPREFIX=$each "$SBX" run sh -c 'echo ${TMPPREFIX:-none}'; done | xargs)"

# ssh's sockets of masters in a directory below ~/.ssh: it is there, and empty.
mkdir -p "$work/ssh-home/.ssh/cm" "$work/ssh-home/.ssh/keys" && : >"$work/ssh-home/.ssh/cm/outside" && : >"$work/ssh-home/.ssh/keys/id"
printf 'Host *\n  ControlMaster auto\n  ControlPath ~/.ssh/cm/%%C\nHost b\n  controlpath "%s/.ssh/none/%%C"\nHost c\n  ControlPath /etc/%%C\nHost d\n  ControlPath none\n' "$work/ssh-home" >"$work/ssh-home/.ssh/config"
is "of a ControlPath" "made cm config s" "$(HOME=$work/ssh-home "$SBX" run -p ssh sh -c 'touch ~/.ssh/cm/s && echo made; ls ~/.ssh/cm ~/.ssh | grep -v :' | xargs)"
is "by --tmpfs, in a place of secrets" "made cm s" "$(HOME=$work/ssh-home run_box --tmpfs '~/.ssh/cm' -- sh -c 'touch ~/.ssh/cm/s && echo made; ls ~/.ssh/cm ~/.ssh | grep -v :' | xargs)"
stays "nothing of either comes out" outside "$(ls "$work/ssh-home/.ssh/cm")"
is "umask passes" 0027 "$(umask 027; "$SBX" run sh -c umask)"

for odd in 'dollar $HOME' "new
line" '?question' "quote'\"" 'tab	' 'ünï'; do
	mkdir -p "$work/$odd/p"
	is "a project with an odd name" made "$(cd "$work/$odd/p" && "$SBX" run sh -c 'touch made; ls')"
done
if [ "$(id -u)" = 0 ]; then
	opt=$(mktemp -d /opt/sbx-test.XXXXXX)
	is "a project below a directory that is read-only inside" made "$(cd "$opt" && "$SBX" run sh -c 'touch made; ls')"
	rm -rf "$opt"
else
	skip "a project below a directory that is read-only inside" "only root can make one"
fi
status "--read /proc is refused" 125 "$SBX" run --read /proc true
status "--read /dev is refused" 125 "$SBX" run --read /dev true
status "--read of a device is refused" 125 "$SBX" run --read /dev/ptmx true

# files
is "the project is writable" new "$("$SBX" run sh -c 'echo new >made' && cat made)"
is "--project read is not" "tried" "$("$SBX" run --project read sh -c 'echo x >made2 || echo tried' 2>/dev/null; ls made2 2>/dev/null)"
is "the home and /tmp are private" "begun ended" "$(attempt run -- 'touch ~/sbx-private /tmp/sbx-private || echo not made'; ls ~/sbx-private /tmp/sbx-private 2>/dev/null)"
mkdir "$work/data" && echo data >"$work/data/d"
is "--read shows" data "$("$SBX" run --read "$work/data" cat "$work/data/d")"
is "--read is not writable" 1 "$("$SBX" run --read "$work/data" sh -c "echo x >$work/data/d" 2>/dev/null; echo $? | sed 's/2/1/')"
is "--write writes" x "$("$SBX" run --write "$work/data" sh -c "echo x >$work/data/d"; cat "$work/data/d")"
denied "--hide wins over --read" run --read "$work/data" --hide "$work/data/d" -- "cat $work/data/d"
denied "--hide in the project" run --hide ./file -- 'cat file'
denied "--tmpfs covers" run --read "$work/data" --tmpfs "$work/data" -- "ls $work/data"
status "a missing path is an error" 125 "$SBX" run --read /no/such true
status "with ? it is not" 7 "$SBX" run --read '?/no/such' sh -c 'exit 7'
mkdir "$work/chome"
HOME=$work/chome "$SBX" run --cache '~/.thing' sh -c 'echo warm >~/.thing/x'
is "a cache is kept for the next run" warm "$(HOME=$work/chome "$SBX" run --cache '~/.thing' cat "$work/chome/.thing/x")"
for mode in 777 000 500; do
	HOME=$work/chome "$SBX" run --cache '~/.thing' sh -c "chmod $mode ~/.thing"
	is "a cache whose mode a box has made $mode is a cache" warm "$(HOME=$work/chome "$SBX" run --cache '~/.thing' sh -c "cat \$HOME/.thing/x && touch \$HOME/.thing/new-$mode" || echo cannot)"
done
is "a cache does not touch the host's directory" "kept absent" "$(HOME=$work/chome "$SBX" run --cache '~/.thing' sh -c '[ -e ~/.thing/x ] && echo kept') $([ -e "$work/chome/.thing/x" ] || echo absent)"
is "--tmp-size is a ceiling" 1 "$("$SBX" run --tmp-size 1M sh -c 'head -c 3000000 /dev/zero >/tmp/big' 2>/dev/null; echo $?)"
is "--file-size is a ceiling" 153 "$("$SBX" run --file-size 8K sh -c 'exec head -c 30000 /dev/zero >/tmp/big' 2>/dev/null; echo $?)"
is "--open-files" 64 "$("$SBX" run --open-files 64 sh -c 'ulimit -n')"
is "no core dumps" 0 "$("$SBX" run sh -c 'ulimit -c')"
if [ "$(ulimit -Hc)" != 0 ]; then
	# 1 byte: with 0 a core pattern that is a program runs all the same. What the box asks for changes nothing.
	is "nor work for the host's handler" "1 1" "$("$SBX" run sh -c 'ulimit -c 0 && sed -n "s/^Max core file size *\([0-9]*\) *\([0-9]*\).*/\1 \2/p" /proc/self/limits')"
else
	skip "nor work for the host's handler" "the hard limit of cores is 0 already"
fi
is "of signals and messages, which are counted by user, the host keeps a part" "$(($(ulimit -Hi) / 4)) $(($(ulimit -Hq) / 2))" "$("$SBX" run bash -c 'echo $(ulimit -Hi) $(ulimit -Hq)')"
# what the shipped profiles hide, as far as it is on this machine, is not readable by anybody
hidden=$("$SBX" profile show secrets | sed -n 's/^hide = //p')
is "the base profile hides something" 1 "$([ "$(echo "$hidden" | wc -l)" -ge 10 ] && echo 1)"
for path in $hidden; do
	[ ! -e "$path" ] || is "$path is hidden" hidden "$("$SBX" run sh -c "cat $path/* $path 2>/dev/null | head -c 1 | grep -q . || ls -A $path/ 2>/dev/null | grep -q . || echo hidden")"
done

# environment
is "variables pass" test "$(NODE_ENV=test "$SBX" run sh -c 'echo $NODE_ENV')"
is "secrets do not" "[]" "$(GH_TOKEN=abc "$SBX" run sh -c 'echo "[$GH_TOKEN]"')"
is "unless named exactly" abc "$(GH_TOKEN=abc "$SBX" run --pass-env GH_TOKEN sh -c 'echo $GH_TOKEN')"
# Names as npm, terraform and programs of one's own have them, and values that say what they are.
seen=$(env db_password=S-1 npm_config__auth=S-2 'npm_config_//r.example/:_authToken=S-3' TF_VAR_db_pw=S-4 KEY=S-5 \
	URL='jdbc:x://db/x?user=u&password=S-6' STORE='AccountName=n;AccountKey=S-7' HEADER='Authorization: bearer S-8' \
	JAVA_OPTS='-Xmx1g -DkeyStorePassword=S-9' TWO='http://a.example http://u:S-10@b.example' \
	HF_HOME=/shown-1 AWS_PROFILE=shown-2 GH_HOST=shown-3 OPENAI_BASE_URL=http://shown-4 ENV=shown-5 MALLOC_ARENA_MAX=2 \
	"$SBX" run -- env 2>&1)
is "names in any case, and values by their form, are secrets; what only looks like one passes" "shown-1 shown-2 shown-3 shown-4 shown-5" "$(grep -oE 'S-[0-9]+|shown-[0-9]' <<<"$seen" | sort -u | paste -sd' ')"
git_inside() { # variables...: what git sees of the pairs
	env GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=http.https://h.example/.extraheader GIT_CONFIG_VALUE_0='AUTHORIZATION: basic UzpT' \
		GIT_CONFIG_KEY_1=shown.name GIT_CONFIG_VALUE_1=shown "$@" -- sh -c 'env; git config --get-regexp "^(http|shown)[.]"' 2>&1
}
is "of settings of git by variables a pair with a secret is withheld, and the others are there" "0 1" \
	"$(git_inside "$SBX" run | awk '/UzpT/ { s++ } /^shown[.]name shown$/ { k++ } END { print s + 0, k + 0 }')"
is "twin: passed by name it is there" 1 "$(git_inside "$SBX" run --pass-env GIT_CONFIG_VALUE_0,GIT_CONFIG_KEY_0 | grep -c '^http.*UzpT$')"
is "the same of git -c" "0 1" "$(for p in "'http.x.extraheader'='AUTHORIZATION: S'" "'shown.name'='shown'"; do
	GIT_CONFIG_PARAMETERS=$p "$SBX" run -- env 2>/dev/null | grep -c '^GIT_CONFIG_PARAMETERS'
done | paste -sd' ')"
is "a pattern does not name a secret" "[]" "$(GH_TOKEN=abc "$SBX" run --pass-env 'GH_*' sh -c 'echo "[$GH_TOKEN]"')"
is "--env sets" "a b=c" "$("$SBX" run --env 'X=a b=c' sh -c 'echo "$X"')"
is "--env PATH decides where programs are found" 127 "$("$SBX" run --env PATH=/nowhere true 2>/dev/null; echo $?)"
is "--unset-env" "[]" "$(A_THING=1 "$SBX" run --unset-env A_THING sh -c 'echo "[$A_THING]"')"
is "--unset-env takes back what is set, and what is passed" none-none "$(A_THING=1 "$SBX" run --env B=2 --pass-env A_THING --unset-env B --unset-env A_THING sh -c 'echo ${A_THING-none}-${B-none}')"
is "and what comes later wins" 1-2 "$(A_THING=1 "$SBX" run --unset-env A_THING --unset-env B --env B=2 --pass-env A_THING sh -c 'echo ${A_THING-none}-${B-none}')"
is "what sbx sets goes by its exact name" none-1 "$("$SBX" run --unset-env HOME --unset-env 'SB*' sh -c 'echo ${HOME-none}-${SBX-none}')"
is "minimal" "[]" "$(A_THING=1 "$SBX" run --env-mode minimal sh -c 'echo "[$A_THING]"')"
is "minimal passes what is named" 1 "$(A_THING=1 "$SBX" run --env-mode minimal --pass-env 'A_*' sh -c 'echo $A_THING')"
is "tools give up soon on a denied host" 100-400-1-1 "$("$SBX" run sh -c 'echo $npm_config_fetch_retry_mintimeout-$npm_config_fetch_retry_maxtimeout-$PIP_RETRIES-$CARGO_NET_RETRY')"
is "not where the caller has set that" 7-none "$(PIP_RETRIES=7 "$SBX" run --unset-env CARGO_NET_RETRY sh -c 'echo $PIP_RETRIES-${CARGO_NET_RETRY-none}')"
is "nor where no host is denied" none "$("$SBX" run --network host sh -c 'echo ${PIP_RETRIES-none}')"

# network
is "none: only lo" lo "$("$SBX" run sh -c 'ls /sys/class/net 2>/dev/null; sed -n "3s/:.*//p" /proc/net/dev | tr -d " "')"
is "none: own servers work" served "$("$SBX" run -- python3 -c '
import socket, threading
s = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=lambda: s.accept()[0].send(b"served")).start()
print(socket.create_connection(s.getsockname()).recv(9).decode())')"
is "host: the host's interfaces" "$(cut -d: -f1 /proc/net/dev)" "$("$SBX" run --network host cut -d: -f1 /proc/net/dev)"

# every Landlock ABI, and none
for abi in 0 1 2 3 4 5 6 7; do
	is "Landlock ABI $abi: the project is writable, /usr is not" yes "$(SBX_TEST_LANDLOCK=$abi "$SBX_TESTING" run sh -c 'mkdir -p l && echo x >l/a && mv l/a l/b && rm -r l && echo >/dev/null && ! touch /usr/x 2>/dev/null && echo yes')"
done
like "without Landlock the plan says so" "$(SBX_TEST_LANDLOCK=0 "$SBX_TESTING" plan)" 'no Landlock in this kernel'

# root in a container, as far as a user namespace shows it
if unshare -Urmpf --mount-proc true 2>/dev/null; then
	is "uid 0 in a container" 0 "$(unshare -Urmpf --mount-proc "$SBX" run id -u)"
	is "uid 0 in a container has no capability inside" 0000000000000000 "$(unshare -Urmpf --mount-proc "$SBX" run sh -c 'sed -n "s/CapEff:.//p" /proc/self/status')"
	# Where another whole /proc is mounted somewhere below, the kernel allows a fresh one.
	output=$(unshare -Urmpf --mount-proc sh -c 'mount -t tmpfs none /proc/fs && "$0" run echo fine' "$SBX" 2>&1)
	like "a container whose /proc is mounted over: it runs, or the reason and the fix" "$output" '^fine$|systempaths=unconfined'
else
	skip "root in a container" "unshare makes no user namespace here"
fi

if [ "$(id -u)" = 0 ]; then
	is "root with a container's capabilities: the check after the run finishes" "made" "$(cd "$(fresh project)" && setpriv --bounding-set=-all,+setfcap,+setuid,+setgid,+dac_override "$SBX" run -- sh -c 'mkdir -p x && git init -q x/y && echo made' 2>&1)"
else
	skip "root with a container's capabilities: the check after the run finishes" "only root has fewer capabilities"
fi

# nested
refused_as "a full box in a box is refused with the reason, and which flag" "allow-syscalls namespaces" "$SBX" run --read "$(dirname "$SBX")" -- "$SBX" run --isolation namespaces --project none true
if [ "$(id -u)" = 0 ]; then
	skip "a box in a box with the flag" "for root parts of /proc stay read-only, so no second /proc can be mounted"
else
	status "a box in a box with the flag" 7 "$SBX" run --allow-syscalls namespaces --read "$(dirname "$SBX")" -- "$SBX" run --project none sh -c 'exit 7'
fi
is "nobody but pid 1 is in the box when the command starts" "/proc/1 /proc/3" "$(SBX_TEST_SKIP=helper-haste "$SBX_TESTING" run sh -c 'echo /proc/[0-9]*')"
for call in poll waitid waitpid; do # of another machine alone
	status "a box whose command may not $call" 7 "$SBX" run --deny-syscalls $call -- sh -c 'exit 7'
done
# Processes are placed while the box is made; the command may go where its caller may.
cpus="sed -n s/^Cpus_allowed_list:.//p /proc/self/status"
is "the caller's processors" "$($cpus)" "$("$SBX" run $cpus)"
is "one processor stays one" 0 "$(taskset -c 0 "$SBX" run $cpus)"
# What one that was taken over could call at its last look; the twin has no lock.
case $(uname -m) in
x86_64) calls="execve=59,0,0 execveat=322,-1,0 ptrace=101,16,-1 process_vm_readv=310,-1,0 pidfd_getfd=438,-1,0 setns=308,-1,268435456 unshare=272,1024,0 open_tree=428,-1,0 keyctl=250,-1,0 unix=41,1,1 inet=41,2,1" ;;
*) calls="execve=221,0,0 execveat=281,-1,0 ptrace=117,16,-1 process_vm_readv=270,-1,0 pidfd_getfd=438,-1,0 setns=268,-1,268435456 unshare=97,1024,0 open_tree=428,-1,0 keyctl=219,-1,0 unix=198,1,1 inet=198,2,1" ;;
esac
reach() { # words of sbx run: the calls that the kernel heard of
	SBX_TEST_REACH=$calls "$SBX_TESTING" run "$@" -- true 2>&1 | sed -n 's/^reached: //p' | paste -sd' '
}
is "the supervisor reaches the box's mounts and the internet alone" "setns open_tree inet" "$(reach)"
is "without a proxy the mounts alone, without protected names nothing" "setns open_tree, " "$(reach --network none), $(reach --network none --no-protect)"
is "with --explain the memory of processes, too" "process_vm_readv pidfd_getfd setns open_tree unix" "$(reach --network none --explain)"
is "without the lock all" "execve execveat ptrace process_vm_readv pidfd_getfd setns unshare open_tree keyctl unix inet" "$(SBX_TEST_SKIP=supervisor reach)"
kept() { "$SBX" plan "$@" -- true | sed -n '/^supervisor/,/^[a-z]/{s/^supervisor *//p; s/^  \([a-z]*\) .*/\1/p}' | paste -sd' '; }
is "the plan says what it keeps" "starts no program files signals mounts, starts no program files signals" "$(kept --network none), $(kept --network none --no-protect)"
cp /bin/true "$work/asked"
like "with --ask-program, which executes one, there is no lock" " $(reach --ask-program "$work/asked") " " execve .* unix "
refused_as "a lock that cannot be had: the command is not run" "step 'supervisor'.*the command was not run" env SBX_TEST_FAIL=supervisor "$SBX_TESTING" run -- true
# The first process of a container need not reap orphans: none is left to it.
cat >"$work/first.py" <<'END'
import glob, os, subprocess, sys, time
assert os.getpid() == 1
for seconds in 0, 0, 0, 0, 1: # the last is long enough for the eyes on the host's side to open
    ran = subprocess.run([sys.argv[1], "run", "--", "sh", "-c", f"sleep {seconds}; echo ran"], check=True, capture_output=True).stdout
time.sleep(0.3)
print(sum(open(path).read().rsplit(")", 1)[1].split()[0] == "Z" for path in glob.glob("/proc/[0-9]*/stat")), "zombies", ran)
END
if unshare -Urpf --mount-proc true 2>/dev/null; then
	is "in a container nothing is left to its first process" "0 zombies b'ran\\n'" "$(unshare -Urpf --mount-proc python3 "$work/first.py" "$SBX" 2>&1)"
else
	skip "in a container nothing is left to its first process" "unshare makes no namespaces here"
fi
done_testing
