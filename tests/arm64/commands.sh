#!/bin/bash
# What is run on arm64: statuses, walls, limits, sessions, network, runs in the background; as root, then as a user.
# Inside the machine of boot.sh; without a word it runs both, and prints to the second console.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb TMPDIR=/var/tmp
export SBX=/vm/sbx SBX_TESTING=/vm/sbx-testing ATTACK=/vm/attack
group=/sys/fs/cgroup/given
if [ $# = 0 ]; then
	exec >/dev/hvc0 2>&1
	# As a session's cgroup is handed to its user.
	mkdir -p $group/own
	echo "+memory +pids +cpu" >/sys/fs/cgroup/cgroup.subtree_control
	echo "+memory +pids +cpu" >$group/cgroup.subtree_control
	chown -R tester $group
	echo "# suite $(uname -rm), $(getconf PAGE_SIZE 2>/dev/null) root"
	HOME=/root USER=root "$0" root
	echo "# suite tester"
	(echo $BASHPID >$group/own/cgroup.procs && exec su tester -c "$0 tester")
	echo '# suite end'
	exit
fi
. "$(dirname "$0")/../lib.sh"
cd "$(new_project)" || exit 1
box() { timeout 600 "$SBX" run "$@" 2>"$work/log"; }

# --- statuses
for each in 0 3 126; do status "a command's status $each" $each "$SBX" run -- sh -c "exit $each"; done
status "no such command" 127 "$SBX" run -- no-such-command
like "which is said" "$("$SBX" run -- no-such-command 2>&1)" "no-such-command"
status "a file that is no program" 126 "$SBX" run -- ./file
status "a wrong option" 125 "$SBX" run --no-such-option -- true
status "killed by a signal" 137 "$SBX" run -- sh -c 'kill -9 $$'
chmod +x file
cp /vm/foreign foreign
like "a program for another machine" "$(box -- ./foreign; echo "$? $(cat "$work/log")")" '^126 sbx: .*foreign.*another machine'
is "32-bit ARM outside" 7 "$(/vm/arm32; echo $?)"
cp /vm/arm32 arm32
is "and inside: killed by the filter" 159 "$(box -- ./arm32; echo $?)"
is "output and input" "in out" "$(echo in | box -- sh -c 'read -r line; echo $line out')"
like "doctor" "$("$SBX" doctor)" 'landlock.*ABI 2'
status "doctor finds what is needed" 0 "$SBX" doctor
like "version" "$("$SBX" version --json)" '"machine": ?"aarch64"'

# --- walls
mkdir -p ~/.ssh && echo key >~/.ssh/id_rsa && echo secret >~/.netrc
is "the project is written" yes "$(box -- sh -c 'echo yes >new'; cat new)"
denied "a key of the home" run -- 'cat ~/.ssh/id_rsa'
denied "a secret file" run -- 'cat ~/.netrc'
is "/usr is not written" 1 "$(box -- sh -c 'echo x >/usr/x'; echo $?)"
is "a git hook is not written" "1 no" "$(box -- sh -c 'echo x >.git/hooks/pre-commit'; echo "$? $([ -e .git/hooks/pre-commit ] && echo yes || echo no)")"
box -- sh -c 'mkdir -p made && cd made && git init -q . && git config core.fsmonitor evil'
like "what the host's git would run is reported" "$(cat "$work/log")" 'made'
is "git in the box" "1 file" "$(box -- sh -c 'git add file && git commit -qm first && git ls-files | wc -l; git ls-files' | xargs)"
is "no processes of the host" "" "$(box -- sh -c 'cat /proc/[0-9]*/comm' | grep -x commands.sh)"
is "no capability" 0000000000000000 "$(box -- sed -n 's/CapEff:.//p' /proc/self/status)"
is "no namespaces in it" 1 "$(box -- unshare -U true; echo $?)"
is "no mounts in it" 1 "$(box -- mount -t tmpfs none /tmp; echo $?)"
is "a variable that is a secret" "[]" "$(GH_TOKEN=secret box -- sh -c 'echo [$GH_TOKEN]')"
is "one that is passed" "[secret]" "$(GH_TOKEN=secret box --pass-env GH_TOKEN -- sh -c 'echo [$GH_TOKEN]')"
for call in poll open fork; do status "no call $call here, which may be denied" 0 "$SBX" run --deny-syscalls $call -- true; done
status "a call that no machine has" 125 "$SBX" run --deny-syscalls opne -- true
is "a call that is denied" 1 "$(box --deny-syscalls mkdirat -- mkdir x; echo $?)"
denied "read-only project" run --project read -- 'echo x >there; cat there'
like "what was refused is explained" "$("$SBX" run --explain -- sh -c "cat $HOME/.ssh/id_rsa" 2>&1)" 'id_rsa'

# --- limits
is "memory" 137 "$(box --memory 40M -- dd if=/dev/zero of=/dev/null bs=100M count=1; echo $?)"
like "is reported" "$(cat "$work/log")" 'limit memory=40M'
like "processes" "$(box --pids 10 -- bash -c 'for i in $(seq 30); do sleep 3 & done; wait' 2>&1; cat "$work/log")" 'pids=10|Resource temporarily'
is "time" 124 "$(box --timeout 2s -- sleep 100; echo $?)"
is "open files" 128 "$(box --open-files 128 -- sh -c 'ulimit -n')"
is "a cgroup keeps them" "a separate cgroup" "$("$SBX" plan --memory 64M -- true | sed -n 's/^  enforced *by //p')"

# --- sessions
status "a session" 0 "$SBX" session create one
is "has what it writes" "new" "$(box -s one -- sh -c 'echo new >only; rm file' && box -s one -- cat only; cat "$work/log")"
is "and the host has not" "hello no" "$(cat file) $([ -e only ] && echo yes || echo no)"
like "its difference" "$("$SBX" session diff one)" '^\+new'
status "applied" 0 "$SBX" session apply one
is "the host has it" "new no" "$(cat only) $([ -e file ] && echo yes || echo no)"
status "removed" 0 "$SBX" session rm one

# --- network
mkdir "$work/www" && echo page >"$work/www/index.html"
httpd -f -p 127.0.0.1:8080 -h "$work/www" &
server=$!
wait_for 30 wget -qO- http://127.0.0.1:8080/
is "a port of the host" page "$(box --host-port 8080 -- wget -qO- http://127.0.0.1:8080/)"
is "not unless it is named" 1 "$(box -- wget -qO- http://127.0.0.1:8080/; echo $?)"
like "a host that is not allowed" "$("$SBX" run -- nc -w 20 192.0.2.1 80 2>&1 </dev/null)" 'blocked 192.0.2.1:80'
is "no network" "lo" "$(box --network none -- sh -c 'sed -n "s/^ *\([a-z0-9]*\):.*/\1/p" /proc/net/dev' | xargs)"
kill $server

# --- runs in the background
run=$("$SBX" run -d -- sh -c 'trap "exit 3" TERM; echo ready; while :; do sleep 0.1; done')
like "a run in the background" "$("$SBX" ps)" "^$run "
wait_for 60 eval '"$SBX" logs "$run" | grep -q ready' && pass "logs" || fail "logs" "$("$SBX" logs "$run" 2>&1)"
is "exec" "inside"$'\n7' "$("$SBX" exec "$run" -- sh -c 'echo inside; exit 7' 2>&1; echo $?)"
is "stop" "stopped: $run" "$("$SBX" stop "$run")"
like "learn writes a profile" "$("$SBX" learn -- true 2>&1)" 'profile|nothing|No'
like "why" "$("$SBX" why ptrace)" 'system call ptrace'

# --- the unit tests; emulated in user mode some of them lack calls
if [ "$1" = tester ]; then
	for name in /vm/test-*; do
		CMOCKA_MESSAGE_OUTPUT=TAP timeout 600 "$name" >"$work/log" 2>&1
		is "unit ${name#/vm/test-}" "0 0" "$? $(grep '^not ok' "$work/log" | grep -vc '# SKIP')" && grep -A3 '^not ok' "$work/log" | sed 's/^/# /'
	done
fi
done_testing
