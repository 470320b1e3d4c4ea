#!/bin/bash
# A machine that lacks a wall: refused with the reason and the fix, or the lower tier, or the other
# way. As an ordinary user in a machine of tests/vm/run, which $MACHINE names.
. "$(dirname "$0")/../lib.sh"
cd "$(new_project)" || exit 1
MACHINE=${MACHINE:?the machine}
lower=(--isolation landlock --no-protect --network none)

works() {
	is "a box runs" hi "$("$SBX" run -- sh -c 'echo hi' 2>&1)"
	is "and keeps the home away" "" "$(echo secret >~/.netrc; "$SBX" run -- cat ~/.netrc 2>/dev/null; rm ~/.netrc)"
}
refuses() { # expected words: the step and its advice
	status "refused" 125 "$SBX" run -- touch ran
	like "with the fix" "$("$SBX" run -- touch ran 2>&1)" "$1"
	is "the command was not run" no "$([ -e ran ] && echo yes || echo no)"
	is "doctor finds it" 125 "$("$SBX" doctor >/dev/null 2>&1; echo $?)"
	like "and the fix" "$("$SBX" doctor 2>&1)" "$1"
}
lower_works() {
	is "the lower tier runs" hi "$("$SBX" run "${lower[@]}" -- sh -c 'echo hi' 2>&1)"
	is "and keeps the home away" "" "$(echo secret >~/.netrc; "$SBX" run "${lower[@]}" -- cat ~/.netrc 2>/dev/null; rm ~/.netrc)"
	printf '[profile]\nextends = default\nmin-isolation = landlock\n[network]\nmode = none\n' >"$work/lower.ini"
	like "a profile may choose it" "$("$SBX" run -p "$work/lower.ini" --no-protect -- echo hi 2>&1)" '^hi$'
}

case $MACHINE in
no-landlock)
	works
	like "the plan says that there is none" "$("$SBX" plan -- true)" '^landlock +off'
	like "doctor says what that means" "$("$SBX" doctor)" 'weak +landlock .*this kernel has none'
	status "the lower tier is refused" 125 "$SBX" run "${lower[@]}" -- true
	;;
no-userns)
	refuses 'user.max_user_namespaces is 0. Fix: sudo sysctl -w user.max_user_namespaces=15000'
	lower_works
	;;
no-clone)
	refuses 'kernel.unprivileged_userns_clone is 0. Fix: sudo sysctl -w'
	status "before Linux 6.12 there is no lower tier" 125 "$SBX" run "${lower[@]}" -- true
	;;
apparmor)
	refuses 'AppArmor takes the rights of user namespaces away'
	lower_works
	;;
apparmor-ours)
	works
	;;
yama)
	works
	mkdir -p ~/away
	like "files are explained" "$("$SBX" run --explain -- sh -c 'echo x >~/away/x' 2>&1)" 'blocked writing .*/away \(sh\)'
	lower_works
	;;
no-nft)
	works
	python3 - 127.0.0.1 <<'END' &
import http.server, sys
http.server.ThreadingHTTPServer((sys.argv[1], 8080), http.server.SimpleHTTPRequestHandler).serve_forever()
END
	server=$!
	for i in $(seq 100); do curl -s http://127.0.0.1:8080/ >/dev/null && break; sleep 0.3; done
	like "ports that are named lead out" "$("$SBX" run --host-port 8080 -- curl -sS --max-time 20 http://127.0.0.1:8080/ 2>&1)" 'Directory listing'
	kill $server
	like "a denied one is told" "$("$SBX" run -- curl -sS --max-time 20 http://denied.test/ 2>&1)" 'blocked.*denied.test'
	like "what cannot be caught is explained" "$("$SBX" run -- sh -c 'curl -sS --max-time 20 http://denied.test/; curl http://denied.test:8443' 2>&1)" 'cannot redirect'
	;;
esac
done_testing
