#!/bin/bash
# The way out: who is reached and who is not, in which words, against servers of our own.
. "$(dirname "$0")/../net/inside.sh"

# Standard output is printed; what sbx says goes to $work/log.
within="timeout 120"
box() { run_box --read "$LAB" --read "$tests" "$@" 2>"$work/log"; }
allowed() { box --allow '*.allowed.test' "$@"; }
fetch="curl -sS -m 60 --cacert $LAB/ca.pem"
get() { # options of sbx... -- url, options of curl...
	local options=()
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	# shellcheck disable=SC2086
	box "${options[@]}" -- $fetch "$@"
}
# Whether a box runs: sbx is the child of the timeout, and listed.
started() { "$SBX" ps | grep -q "^$(pgrep -P "$1") "; }
# Names that the servers of the outside were asked for.
asked() { curl -s http://203.0.113.10/asked; }

# What is begun and not ended is refused after half a minute: asked for at the end.
for begun in 'GET / HT' '\x16\x03\x01\x02' 'SSH-2.0-x'; do
	late=$((${late:-0} + 1))
	timeout 300 "$SBX" run --read "$tests" -a www.allowed.test:7000 -- python3 "$raw" www.allowed.test 7000 "$begun" >"$work/late.$late" 2>"$work/late.log.$late" &
	waits="${waits:-} $!"
done

# --- the list
is "mode none has no way out" 1 "$(box --network none -- python3 "$raw" 203.0.113.10 80 >/dev/null; echo $?)"
like "by default everything is denied" "$(get -- http://www.allowed.test/)" '"error":"blocked by sbx","host":"www.allowed.test","port":80'
like "also while the proxy has only a part of its sockets" "$(SBX_TEST_SKIP=listener-haste SBX=$SBX_TESTING get -- -m 5 http://www.allowed.test/)" '"error":"blocked by sbx"'
like "with the key to add in a header" "$(get -- -i http://www.allowed.test/)" '^x-sbx-blocked: allow = www.allowed.test:80'
like "and told at the end, with program and flag" "$(cat "$work/log")" '^sbx: blocked www.allowed.test:80 \(curl\): not in the allowlist; to allow: --allow www.allowed.test:80$'
like "TLS is told as access denied" "$(get -- https://www.allowed.test/; cat "$work/log")" 'alert access denied'
stays "a box that does not connect says nothing" "" "$(box -- true; cat "$work/log")"
like "an allowed name, http" "$(get -a www.allowed.test -- http://www.allowed.test/a)" '^GET /a host=www.allowed.test'
stays "and nothing is told" "" "$(cat "$work/log")"
like "an allowed name, https" "$(get -a www.allowed.test -- https://www.allowed.test/a)" '^GET /a'
like "the flag that was told works" "$(get --allow www.allowed.test:80 -- http://www.allowed.test/)" '^GET /'
like "a port that is not listed is denied" "$(get -a www.allowed.test:80 -- https://www.allowed.test/; cat "$work/log")" 'blocked www.allowed.test:443'
like "ports in a list" "$(get -a www.allowed.test:80,443 -- https://www.allowed.test/)" '^GET /'
like "a wildcard" "$(get -a '*.allowed.test' -- https://www.allowed.test/)" '^GET /'
like "does not mean the domain itself" "$(box -a '*.denied.test' -- $fetch http://denied.test/)" 'blocked by sbx'
like "nor a name that only ends alike" "$(box -a '*.ied.test' -- $fetch http://denied.test/)" 'blocked by sbx'
like "every name" "$(get -a '*' -- http://other.test/)" '^GET /'
like "but no literal address" "$(get -a '*' -- http://203.0.113.10/; cat "$work/log")" 'blocked 203.0.113.10:80 \(curl\)'
like "deny wins" "$(get -a '*' --deny other.test -- http://other.test/; cat "$work/log")" 'denied by rule \(other.test\)'
like "also by the address that a name leads to" "$(get -a '*' --deny 203.0.113.0/24 -- http://www.allowed.test/; cat "$work/log")" 'leads to a denied address \(203.0.113.0/24\)'
like "at that port" "$(get -a '*' --deny 203.0.113.0/24:443 -- http://www.allowed.test/)" '^GET /'
like "case and a final dot do not matter" "$(get -a WWW.Allowed.Test. -- http://www.allowed.TEST./)" '^GET /'
like "a literal address" "$(get -a 203.0.113.10 -- http://203.0.113.10/)" '^GET / host=203.0.113.10'
like "a literal IPv6 address" "$(get -a 2001:db8::10 -- 'http://[2001:db8::10]/')" '^GET /'
like "a network" "$(get -a 203.0.113.0/24 -- http://203.0.113.10/)" '^GET /'
like "a literal address not in the list" "$(get -a 203.0.113.11 -- http://203.0.113.10/; cat "$work/log")" '--allow 203.0.113.10:80$'
like "a literal IPv6 address not in the list" "$(get -- 'http://[2001:db8::10]/'; cat "$work/log")" '--allow \[2001:db8::10\]:80$'
like "a name with IPv6 only" "$(get -a '*.allowed.test' -- https://six.allowed.test/)" '^GET /'
like "an address that is dead does not stop the next" "$(get -a '*.allowed.test' -- http://two.allowed.test/)" '^GET /'
like "nor a dead IPv6 one" "$(get -a '*.allowed.test' -- https://dual.allowed.test/)" '^GET /'
like "an allowed name that does not exist" "$(get -a none.test -- http://none.test/; cat "$work/log")" '^curl: \(6\) Could not resolve host: none.test$'
is "is reported, once" "sbx: could not reach none.test: the name does not resolve outside" "$(grep ^sbx: "$work/log")"
stays "one that a wildcard allows is not" 0 "$(get -a '*' -- http://none.test/ >/dev/null; grep -c ^sbx: "$work/log")"
is "by every kind of question, and by TCP" "NXDOMAIN NXDOMAIN NXDOMAIN" "$(box -a none.test -- bash -c 'dig none.test; dig AAAA none.test; dig +tcp none.test' | sed -n 's/.*status: \(.*\), id.*/\1/p' | xargs)"
is "one that exists without an address" "NOERROR 0" "$(box -a empty.test -- dig empty.test | sed -n 's/.*status: \(.*\), id.*/\1/p; s/.*ANSWER: \([0-9]*\),.*/\1/p' | xargs)"
like "one that nobody answers for is made up after 2 s" "$(box -a slow.test -- bash -c 'dig +noall +answer +stats slow.test' | xargs)" '198\.1[89]\..*Query time: [2-9][0-9]{3} msec'
like "nor with a proxy of the caller's, which finds names itself" "$(box -a none.test --upstream http://user:p%40ss@203.0.113.11:3128 -- dig +short none.test)" '^198\.1[89]\.'
like "the host's table of names holds" "$(get -a table.test -- http://table.test/)" '^GET / host=table.test'
# Short names by the host's search list: as Kubernetes has it, and as an office.
printf 'nameserver 203.0.113.53\nsearch ns.corp.test corp.test test\noptions ndots:5\n' >"$LAB/resolv.conf"
stays "the box's resolver has no search list" "nameserver 127.0.0.1" "$(box -- cat /etc/resolv.conf)"
for way in --quiet "--isolation landlock --project read"; do
	# shellcheck disable=SC2086
	box ${way#--quiet} -- env -u http_proxy -u all_proxy $fetch http://unknown.test/ >/dev/null
	is "an unknown name is one row (${way#--quiet})" "sbx: blocked unknown.test:80 (curl): not in the allowlist; to allow: --allow unknown.test:80" "$(grep -v Landlock "$work/log")"
done
for rule in db db.corp db.corp.test '*.corp.test' '*.corp' '*'; do
	for name in db db.corp db.corp.test; do
		[ "$rule" != '*.corp' ] || [ $name != db ] || continue
		is "$rule serves $name" "GET / host=$name body=0 auth=None" "$(get -a "$rule" -- "http://$name/")"
	done
done
like "a name that the short one could have is not where that one leads" "$(get -a db -- http://db.test/; cat "$work/log")" 'Could not resolve host: db.test$'
is "what only the rule of an earlier form opens stays closed" reset "$(box -a db.ns.corp.test/tcp -a db.corp.test -- python3 "$raw" db 80 '\x02hello' @1)"
like "the budget is that of the form that exists" "$(get -a '*.corp.test' --download 'db.corp.test 10K' -- http://db/size/1000000; cat "$work/log")" 'its budget is used up'
like "a denial of one is of all" "$(get -a '*' --deny db.corp.test -- http://db/; cat "$work/log")" 'blocked db:80 .*denied by rule \(db.corp.test\)'
like "a name that a wildcard reaches by no form is not allowed" "$(get -a '*.corp.test' -- http://fresh.test/; cat "$work/log")" 'blocked fresh.test:80 .*not in the allowlist; to allow: --allow fresh.test:80$'
stays "and not asked for" 0 "$(asked | grep -cx fresh.test)"
is "its long forms are, as they are" "fresh.test.corp.test fresh.test.ns.corp.test" "$(asked | grep '^fresh\.' | LC_ALL=C sort -u | xargs)"
is "each is in the log, once" "fresh.test.corp.test fresh.test.ns.corp.test" "$("$SBX" audit --json | sed -n 's/.*"name":"\(fresh\.[^"]*\)".*"port":0,.*"connections":1,.*/\1/p' | LC_ALL=C sort | xargs)"
box -a '*' --deny '*.ns.corp.test' -- getent hosts hidden >/dev/null
stays "where one form is denied, none is asked for" "" "$(asked | grep '^hidden')"
like "sbx why knows it" "$("$SBX" why -a db.corp.test db.corp)" '^db.corp, port 443, can be reached'
printf 'nameserver 203.0.113.10\nsearch ns.corp.test corp.test\n' >"$LAB/resolv.conf"
like "a name server that is down is no missing rule" "$(get -a '*.corp.test' -- http://db/; cat "$work/log")" 'could not reach db.ns.corp.test:80 .*the name does not resolve$'
printf 'nameserver 203.0.113.53\nsearch test\n' >"$LAB/resolv.conf"
like "a name with dots enough has no longer form" "$(get -a '*' --deny '*.corp.test' -- http://db.corp/; cat "$work/log")" 'Could not resolve host: db.corp$'
printf 'nameserver 203.0.113.53\nsearch allowed.test\n' >"$LAB/resolv.conf"
like "the short form as the server name of TLS" "$(get -a www.allowed.test -- -k https://www/)" '^GET / host=www '
like "the long one" "$(get -a www -- https://www.allowed.test/)" '^GET / host=www.allowed.test'
like "and no other" "$(get -a www -- -k -H 'Host: other' http://www/; cat "$work/log")" 'the request names another host, other$'
printf 'nameserver 203.0.113.53\n' >"$LAB/resolv.conf"
like "server speaks first" "$(allowed -- python3 "$raw" www.allowed.test 2525 HEAR 'you\n')" '^250 you'
is "any TCP protocol, where the rule says so" "hello" "$(allowed -a www.allowed.test:7000/tcp -- python3 "$raw" www.allowed.test 7000 hello EOF)"
is "at the known port of one" "hello" "$(allowed --raw-port 7000 -- python3 "$raw" www.allowed.test 7000 hello EOF)"
is "and nowhere else" "reset" "$(allowed -- python3 "$raw" www.allowed.test 7000 'hello\n' @1)"
like "which names the suffix" "$(cat "$work/log")" 'blocked www.allowed.test:7000.*not HTTP, TLS or SSH; .*; to allow: --allow www.allowed.test:7000/tcp$'
is "nor at 80" "reset" "$(allowed -- python3 "$raw" www.allowed.test 80 '\x02hello' @1)"
like "which says what may be spoken there" "$(cat "$work/log")" 'not HTTP or TLS; .*www.allowed.test:80/tcp$'
is "a server whose greeting nobody knows" "reset" "$(allowed -- python3 "$raw" www.allowed.test 2526 @1)"
like "SSH is read on both sides: a server that is none" "$(allowed -- python3 "$raw" www.allowed.test 2526 'SSH-2.0-x\r\n' @1 '\1\1secret'; cat "$work/log")" 'not HTTP, TLS or SSH'
is "a server that is one" "SSH-2.0-server after" "$(allowed -- python3 "$raw" www.allowed.test 2527 'SSH-2.0-x\r\nafter' EOF | tr '\r\n' '  ' | tr -s ' ')"
like "and in which a request is judged" "$(allowed -- python3 "$raw" www.allowed.test 2527 'SSH-2.0-x\r\n' HEAR 'GET / HTTP/1.1\r\nHost: denied.test\r\n\r\n'; cat "$work/log")" 'the request names another host'
like "and a hello" "$(allowed -- python3 "$raw" www.allowed.test 2527 'SSH-2.0-x\r\n' HEAR HELLO:denied.test >/dev/null; cat "$work/log")" 'TLS asks for another name, denied.test$'
allowed -- python3 "$raw" 198.18.0.1 3128 'CONNECT www.allowed.test:2527 HTTP/1.1\r\nHost: www.allowed.test:2527\r\n\r\n' HEAR @0.5 'SSH-2.0-x\r\n' @0.3 'more\r\n' @0.3 DONE >/dev/null
stays "a client of SSH that waits for the server, by the proxy, is not refused" "" "$(cat "$work/log")"
like "a line that is no text" "$(allowed -- python3 "$raw" www.allowed.test 2527 'SSH-2.0-\x01\r\n' | tail -1)" '^reset$'
is "a server that answers before it is asked" reset "$(allowed -- python3 "$raw" www.allowed.test 2528)"
like "which is told" "$(cat "$work/log")" 'blocked www.allowed.test:2528.*speaks first, .*to allow: --allow www.allowed.test:2528/tcp$'
like "a path behind words of FTP" "$(allowed -- python3 "$raw" www.allowed.test 2525 HEAR 'CWD /pub\r\n')" '^250 CWD /pub'
like "to which the client says nothing else" "$(allowed -- python3 "$raw" www.allowed.test 2527 'GET / HTTP/1.1\r\nHost: denied.test\r\n\r\n')" '403 Forbidden'
is "a denied one is refused" "refused" "$(box -- python3 "$raw" www.allowed.test 7000 'hello\n')"
is "also when it is silent" "refused" "$(box -- python3 "$raw" www.allowed.test 2525)"
start=$(date +%s%N)
box -- python3 "$raw" www.allowed.test 2525 >/dev/null
box -- python3 "$raw" www.allowed.test 2525 'GET / HTTP/1.1\r\n\r\n' >/dev/null
box -- python3 "$raw" www.allowed.test 2525 'SSH-2.0-x\r\n' >/dev/null
# Somebody who waited for more to judge by would wait for the whole minute.
took=$((($(date +%s%N) - start) / 1000000))
stays "denials come at once" yes "$([ $took -lt 30000 ] && echo yes || echo "$took ms")"
is "10 MB unchanged" "10485760" "$(get -a www.allowed.test -- https://www.allowed.test/size/10485760 | wc -c)"
is "80 streams of 1 MB both ways, more than there are large buffers" 80 "$(allowed -a www.allowed.test:7000/tcp -- python3 "$tests/net/streams.py" www.allowed.test 7000 80 1000000)"
is "10 MB of cleartext" "10485760" "$(get -a www.allowed.test -- http://www.allowed.test/size/10485760 | wc -c)"

# --- names
stays "look-ups of what is not allowed ask nobody outside" 0 "$(box --deny '*.denied.test' -a '*.denied.test' -- bash -c 'getent hosts secret-data.test; getent hosts secret-data.denied.test' >/dev/null; asked | grep -c secret-data)"
allowed -- getent hosts secret-data.allowed.test
stays "one of a wildcard does" 1 "$(asked | grep -x secret-data.allowed.test | sort -u | wc -l)"
like "which is in the log, without a port" "$("$SBX" audit)" ' secret-data.allowed.test \(\?\): its name was asked for$'
like "which is in the log" "$("$SBX" audit --json)" '"name":"secret-data.allowed.test","address":"","port":0,"verdict":"allowed","rule":"\*.allowed.test","why":"its name was asked for"'
# More questions than wait: the first 128 for a name that nobody answers for.
box -a slow.test -a '*.allowed.test' -- python3 -c 'import socket
def ask(number, *labels):
    name = b"".join(bytes([len(l)]) + l for l in labels)
    s.sendto(number.to_bytes(2, "big") + b"\1\0\0\1\0\0\0\0\0\0" + name + b"\0\0\1\0\1", ("127.0.0.53", 53))
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(20)
for i in range(128): ask(i, b"slow", b"test")
ask(999, b"filled", b"allowed", b"test")
print(int.from_bytes(s.recv(512)[:2], "big"))' >"$work/filled"
is "a question that cannot wait is answered at once" 999 "$(cat "$work/filled")"
stays "and not asked outside" "" "$(asked | grep -x filled.allowed.test)"
like "a synthetic address, the same in every run" "$(allowed -- getent hosts www.allowed.test; allowed -- getent hosts www.allowed.test)" '^198\.1[89]\.'
is "twice the same" 1 "$( (allowed -- getent hosts www.allowed.test; allowed -- getent hosts www.allowed.test) | sort -u | wc -l)"
like "no AAAA, but no error" "$(allowed -- dig +noall +comments AAAA www.allowed.test @1.1.1.1)" 'status: NOERROR.*|ANSWER: 0'
like "no HTTPS record" "$(allowed -- dig +noall +comments TYPE65 www.allowed.test)" 'ANSWER: 0'
like "by TCP" "$(allowed -- dig +tcp +short www.allowed.test @203.0.113.53)" '^198\.1[89]\.'
like "by TCP on the loopback" "$(allowed -- dig +tcp +short www.allowed.test @127.0.0.53)" '^198\.1[89]\.'
is "localhost is the box's own" "127.0.0.1" "$(allowed -- dig +short localhost @1.1.1.1)"
stays "and has no other address" "" "$(allowed -- dig +short AAAA localhost @1.1.1.1)"
like "by IPv6" "$(allowed -- dig +short www.allowed.test @2620:fe::fe)" '^198\.1[89]\.'
like "with EDNS" "$(allowed -- dig +short +bufsize=4096 +cookie www.allowed.test)" '^198\.1[89]\.'
stays "TXT is empty" "" "$(allowed -- dig +short TXT www.allowed.test)"
like "odd names do not exist" "$(allowed -- dig 'a+b.allowed.test' @1.1.1.1)" 'NXDOMAIN'
like "a name with an underscore" "$(get -a my_bucket.allowed.test -- http://my_bucket.allowed.test/)" '^GET / host=my_bucket.allowed.test'
like "dns strict: a denied name does not exist" "$(box --dns strict -- getent hosts denied.test; echo $?; cat "$work/log")" '^2$'
like "and is told" "$(cat "$work/log")" 'blocked denied.test'
stays "the host's table is not seen inside" "" "$(allowed -- grep table /etc/hosts)"
is "no way to the host's resolver" 2 "$(allowed -- ls /run/systemd/resolve 2>/dev/null; echo $?)"
is "an unknown synthetic address" refused "$(allowed -- python3 "$raw" 198.19.200.200 80)"

# --- addresses that no name may lead to
like "an address of a proxy's own is told with its flag" "$(get -a fake.test -- http://fake.test/; cat "$work/log")" 'could not reach fake.test:80 .*leads to 198.18.0.5, as a proxy of this host answers for every name: --upstream http://HOST:PORT$'
is "by which it is reached" "proxied GET http://fake.test:80/ HTTP/1.1" "$(get -a fake.test --upstream http://user:p%40ss@203.0.113.11:3128 -- http://fake.test/ | xargs)"
touch "$LAB/made-up"
like "where a name that cannot exist has one as well, they are dialled" "$(get -a fake.test -- http://fake.test/; cat "$work/log")" '^GET / host=fake.test'
like "one that a denial names is not" "$(get -a fake.test --deny 198.18.0.0/15 -- http://fake.test/; cat "$work/log")" 'leads to a denied address \(198.18.0.0/15\)'
like "nor one of this host" "$(get -a fake-host.test -- http://fake-host.test/; cat "$work/log")" 'leads to 198.18.0.6, this host itself: use localhost with --host-port PORT, or name that address'
is "a literal one of a box's stays refused" refused "$(box -a fake.test -- python3 "$raw" 198.18.0.5 80)"
like "sbx doctor says so" "$("$SBX" doctor 2>&1)" 'a proxy of this host makes addresses up'
rm "$LAB/made-up"
stays "and else does not" 0 "$("$SBX" doctor 2>&1 | grep -c 'makes addresses up')"
for name in meta.test nat64.test; do
	like "$name leads nowhere" "$(get -a "$name" --private-network yes -- "http://$name/"; cat "$work/log")" 'could not reach .*no name may lead to; --allow ADDRESS names it'
done
for name in loop.test mapped.test; do
	like "$name leads nowhere" "$(get -a "$name" --private-network yes -- "http://$name/"; cat "$work/log")" 'could not reach .*this host itself: use localhost with --host-port PORT'
done
like "private.test needs a word" "$(get -a private.test -- http://private.test/; cat "$work/log")" 'a private address: --private-network yes'
like "and has it" "$(get -a private.test --private-network yes -- http://private.test/)" '^GET /'
like "of two addresses the public one" "$(get -a mixed.test -- http://mixed.test/)" '^GET /'
like "rebinding: the second answer is judged too" "$(box -a rebind.test -- bash -c "$fetch http://rebind.test/; sleep 1.2; $fetch http://rebind.test/"; cat "$work/log")" 'GET /|could not reach'
for address in 127.0.0.1 127.1 0 0x7f.1 2130706433 017700000001 '[::1]' '[::ffff:127.0.0.1]' localhost 10.9.9.9 169.254.169.254 '[::ffff:a9fe:a9fe]' 2852039166; do
	like "by proxy: $address is not reached" "$(box -a '*' -a 0.0.0.0/0 -a ::/0 --private-network yes -- curl -s -m 60 -x http://198.18.0.1:3128 "http://$address:80/")" 'blocked by sbx|could not do this|two ways'
done
for address in 127.0.0.1 0.0.0.0 '[::1]' '[::ffff:127.0.0.1]'; do
	like "no rule opens $address" "$("$SBX" run -a "$address" -- true 2>&1)" 'is the box itself; for a port of this machine, as localhost: --host-port'
done
like "a name that leads to this host itself" "$(get -a '*' -- http://host.test/; cat "$work/log")" 'could not reach host.test:80 .*198.51.100.7, this host itself: use localhost with --host-port PORT, or name that address'
like "by IPv6" "$(get -a host-six.test -- http://host-six.test/; cat "$work/log")" '2001:db8::7, this host itself'
like "in a network that is this host's as a whole" "$(get -a '*' -- http://host-network.test/; cat "$work/log")" '198.51.100.70, this host itself'
like "at a private address" "$(get -a host-private.test --private-network yes -- http://host-private.test/; cat "$work/log")" '10.9.9.8, this host itself'
like "of two addresses the other" "$(get -a half-host.test -- http://half-host.test/)" '^GET / host=half-host.test'
for address in 198.51.100.7 10.9.9.8 '[2001:db8::7]'; do
	like "no wide rule opens $address, this host" "$(get -a 0.0.0.0/0 -a 10.0.0.0/8 -a ::/0 -- "http://$address/"; cat "$work/log")" 'blocked .*so wide does not open .*--allow '
	like "the very address does, whatever stands before it" "$(get -a 0.0.0.0/0 -a ::/0 -a "$address" -- "http://$address/")" '^GET / host='
done
like "a neighbour's in the same network is open" "$(get -a 10.0.0.0/8 -- http://10.9.9.9/)" '^GET /'
like "a metadata address by its own rule" "$(get -a 169.254.169.254 -- http://169.254.169.254/)" '^GET /'
is "the listener itself leads nowhere" refused "$(allowed -- python3 "$raw" 127.0.0.1 1)"
like "and is told with its own flag" "$(cat "$work/log")" 'blocked 127.0.0.1:1 .*by --host-port PORT'

# --- fronting
like "SNI of another name" "$(allowed -a other.test -- curl -sS -m 60 -k --connect-to other.test:443:www.allowed.test:443 https://other.test/; cat "$work/log")" 'TLS asks for another name'
like "Host of another name" "$(allowed -a other.test -- curl -sS -m 60 -H 'Host: other.test' http://www.allowed.test/; cat "$work/log")" 'the request names another host'
box -a www.allowed.test -- bash -c "for host in www.allowed.test evil.test other.test www.allowed.test:81; do
	python3 $raw www.allowed.test 80 \"GET / HTTP/1.1\\r\\nHost: \$host\\r\\nHost: \$host\\r\\n\\r\\n\" >/dev/null
	python3 $raw www.allowed.test 80 \"GET / HTTP/1.1\\r\\nHost: \$host\\r\\nConnection: close\\r\\n\\r\\n\" >/dev/null
done" >/dev/null
is "each reason has its line and its count, the other host its name" "4 times: a request that could be read in two ways
: the request names another host, evil.test
: the request names another host, other.test
: the request names another host, www.allowed.test:81" "$(sed -n 's/^sbx: blocked www.allowed.test:80 (python3)\(, \)\?//p' "$work/log" | LC_ALL=C sort)"
like "on a connection that is kept" "$(allowed -- python3 "$raw" www.allowed.test 80 'GET /1 HTTP/1.1\r\nHost: www.allowed.test\r\n\r\n' @0.2 'GET /2 HTTP/1.1\r\nHost: denied.test\r\n\r\n' | tr '\r\n' '  ')" 'GET /1.*403 Forbidden.*another host'
is "a word without an end passes" "hello" "$(allowed --raw-port 7000 -- python3 "$raw" www.allowed.test 7000 hello HEAR DONE)"
like "pieces of HTTP are read together" "$(allowed -- python3 "$raw" www.allowed.test 80 GE @0.3 'T / HT' @0.3 'TP/1.1\r\nHo' @0.3 'st: denied.test\r\n\r\n')" '403 Forbidden'
like "and pass when they are right" "$(allowed -- python3 "$raw" www.allowed.test 80 GE @0.3 'T / HT' @0.3 'TP/1.1\r\nHo' @0.3 'st: www.allowed.test\r\n\r\nGET /2 HTTP/1.1\r\nHost: www.allowed.test\r\n\r\n' EOF | tr '\r\n' '  ')" 'GET / host=www.*GET /2 host=www'
like "absolute form of another name" "$(allowed -- python3 "$raw" www.allowed.test 80 'GET http://denied.test/ HTTP/1.1\r\nHost: www.allowed.test\r\n\r\n')" '400 Bad|403 Forb'
like "CONNECT through a server" "$(allowed -- python3 "$raw" www.allowed.test 80 'CONNECT denied.test:443 HTTP/1.1\r\nHost: denied.test:443\r\n\r\n')" '403 Forbidden'
like "through CONNECT too" "$(allowed -a other.test -- curl -sS -m 60 -p -x http://198.18.0.1:1 -H 'Host: denied.test' http://www.allowed.test/)" 'another host'
like "through SOCKS too" "$(allowed -- curl -sS -m 60 -k -x socks5h://198.18.0.1:1 --connect-to denied.test:443:www.allowed.test:443 https://denied.test/; cat "$work/log")" 'TLS asks for another name'
is "a part of a TLS hello is never let through, and refused by an alert" 15030300020231 "$(allowed -- python3 "$raw" www.allowed.test 7000 '\x16' @0.2 '\x03\x01\x02\x00' @0.2 EOF | od -An -tx1 | tr -d ' \n')"

# --- hellos and requests in a tunnel: behind any prelude, in any pieces
tunnel() { allowed -a www.allowed.test:7000/tcp -- python3 "$raw" www.allowed.test 7000 "$@" | tr -d '\0' | head -c 300; }
is "a prelude and a hello for this name pass" yes "$(tunnel STARTTLS @0.1 HELLO:www.allowed.test @0.1 EOF | grep -qa www.allowed.test && echo yes)"
for prelude in '\0\0\0\x08\x04\xd2\x16\x2f' 'EHLO x\r\nSTARTTLS\r\n' 'a1 STARTTLS\r\n' '\x16\x03\x01\x40\0\x01\0\x3f\xfc\x03\x03' '\x05\x01\0'; do
	tunnel "$prelude" @0.2 HELLO:denied.test >"$work/out"
	like "behind $prelude" "$(cat "$work/log")" 'TLS asks for another name|no readable TLS hello'
	stays "of which the end does not arrive" "" "$(grep -a denied.test "$work/out")"
	tunnel "$prelude" HELLO:denied.test >"$work/out"
	like "in one piece" "$(cat "$work/log")" 'TLS asks for another name|no readable TLS hello'
done
begun='\x16\x03\x01\x40\0\x01\0\x3f\xfc\x03\x03'$(printf '\\x02%.0s' $(seq 40))
like "more than eight hellos that have begun" "$(tunnel "$begun$begun$begun$begun$begun$begun$begun$begun$begun" @0.2 >/dev/null; cat "$work/log")" 'no readable TLS hello'
like "a request behind other words" "$(tunnel hello @0.2 'GET / HTTP/1.1\r\nHost: denied.test\r\n\r\n'; cat "$work/log")" 'the request names another host'
like "without a version" "$(tunnel 'GET /\r\nHost: denied.test\r\n\r\n' @1; cat "$work/log")" '400 Bad Request'
like "in two pieces" "$(tunnel hello @0.2 GE @0.2 'T / HTTP/1.1\r\nHost: denied.test\r\n\r\n'; cat "$work/log")" 'the request names another host'
like "with an answer in between" "$(tunnel GET HEAR ' /x HTTP/1.1\r\nHost: denied.test\r\n\r\n'; cat "$work/log")" 'the request names another host'
like "HTTP/2 with an answer in between" "$(tunnel 'PRI ' HEAR '* HTTP/2.0\r\n\r\nSM\r\n\r\n'; cat "$work/log")" 'HTTP/2 without TLS'
like "behind the rest of another line" "$(tunnel 'abc ' HEAR 'GET /\r\nHost: denied.test\r\n\r\n' @1; cat "$work/log")" 'two ways|two readers|another host|400'
like "after nothing for long" "$(tunnel "$(printf '\\r\\n%.0s' $(seq 4200))" @0.5 'GET / HTTP/1.1\r\nHost: denied.test\r\n\r\n'; cat "$work/log")" 'names another host|two ways'
is "redis' words are no request" "SET http:key" "$(tunnel 'SET http:key\n' EOF | head -c 12)" 

# --- TLS: each hello
like "a hello without a name, at 443" "$(allowed -- curl -sS -m 60 -k --connect-to ::www.allowed.test:443 https://203.0.113.10/; cat "$work/log")" 'without a server name'
like "an alert before the hello" "$(allowed -- python3 "$raw" www.allowed.test 443 '\x15\x03\x01\0\x02\x01\x5a' HELLO:denied.test; cat "$work/log")" 'not HTTP or TLS'
like "a second message in the hello's record" "$(allowed -- python3 -c '
import socket, ssl
out = ssl.MemoryBIO(); c = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), out, server_hostname="www.allowed.test")
try: c.do_handshake()
except ssl.SSLWantReadError: pass
h = out.read(); n = len(h) - 5 + 4
s = socket.create_connection(("www.allowed.test", 443)); s.sendall(h[:3] + n.to_bytes(2, "big") + h[5:] + b"\1\0\0\0"); s.recv(9)' 2>&1; cat "$work/log")" 'no readable TLS hello'
is "a second hello that the server asks for" hello "$(allowed -- python3 "$tests/net/retry.py" www.allowed.test 443 www.allowed.test)"
is "behind a change-cipher-spec and early data" hello "$(allowed -- python3 "$tests/net/retry.py" www.allowed.test 443 www.allowed.test 140303000101)"
for before in '' 140303000101 140303000101170303000400000000 15030300020100; do
	is "not of another name (before it: $before)" no "$(allowed -- python3 "$tests/net/retry.py" www.allowed.test 443 denied.test $before | sed 's/alert\|reset/no/')"
	like "which is told" "$(cat "$work/log")" 'TLS asks for another name'
done
like "an encrypted hello" "$(allowed -- python3 "$tests/net/ech.py" www.allowed.test 443; cat "$work/log")" 'encrypted client hello.; to allow: --allow www.allowed.test:443/ech$'
like "passes where the profile says so" "$(allowed --ech pass -- python3 "$tests/net/ech.py" www.allowed.test 443)" '^160303'
echo 'registry=https://www.allowed.test/' >"$HOME/.npmrc"
like "not to the hosts of a group" "$(box --ech pass -a @npm -- python3 "$tests/net/ech.py" www.allowed.test 443; cat "$work/log")" 'encrypted client hello.; to allow: --allow www.allowed.test:443/ech$'
rm "$HOME/.npmrc"
like "or its rule" "$(allowed -a www.allowed.test:443/ech -- python3 "$tests/net/ech.py" www.allowed.test 443)" '^160303'

# --- HTTP: one upgrade, one word
like "h2c is not asked for" "$(allowed -- python3 "$raw" www.allowed.test 80 'GET /h2c HTTP/1.1\r\nHost: www.allowed.test\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n' @0.3 EOF)" '200 OK'
like "two upgrades" "$(allowed -- python3 "$raw" www.allowed.test 80 'GET /h2c HTTP/1.1\r\nHost: www.allowed.test\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nUpgrade: websocket\r\n\r\n')" '400 Bad Request'
like "HTTP/2 without TLS" "$(allowed -- python3 "$raw" www.allowed.test 80 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'; cat "$work/log")" 'HTTP/2 without TLS'
like "a request without a host" "$(allowed -- python3 "$raw" www.allowed.test 80 'GET / HTTP/1.0\r\n\r\n')" '403 Forbidden'
like "an empty line before it" "$(allowed -- python3 "$raw" www.allowed.test 80 '\r\nGET / HTTP/1.1\r\nHost: www.allowed.test\r\n\r\n')" '403 Forbidden'

# --- ambiguity: one word, 400, the end
while IFS='|' read -r name text; do
	like "400: $name" "$(allowed -- python3 "$raw" www.allowed.test 80 "$text" EOF | head -1)" '400 Bad Request'
done <<-'END'
	length and coding|POST / HTTP/1.1\r\nHost: www.allowed.test\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n
	two lengths|POST / HTTP/1.1\r\nHost: www.allowed.test\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello
	a length with a sign|POST / HTTP/1.1\r\nHost: www.allowed.test\r\nContent-Length: +5\r\n\r\nhello
	an odd coding|POST / HTTP/1.1\r\nHost: www.allowed.test\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n
	a folded line|GET / HTTP/1.1\r\nHost: www.allowed.test\r\nX: a\r\n b\r\n\r\n
	a bare LF|GET / HTTP/1.1\nHost: www.allowed.test\n\n
	a CR in a line|GET / HTTP/1.1\r\nHost: www.allowed.test\r\nX: a\rb\r\n\r\n
	two hosts|GET / HTTP/1.1\r\nHost: www.allowed.test\r\nHost: denied.test\r\n\r\n
	no host|GET / HTTP/1.1\r\nX: y\r\n\r\n
	a space before the colon|GET / HTTP/1.1\r\nHost : www.allowed.test\r\n\r\n
	NUL in the host|GET / HTTP/1.1\r\nHost: www.allowed.test\x00.denied.test\r\n\r\n
	an odd sign in the host|GET / HTTP/1.1\r\nHost: www+allowed.test\r\n\r\n
	an old version|GET / HTTP/0.9\r\nHost: www.allowed.test\r\n\r\n
	HTTP/2 by prior knowledge|PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n
	two spaces|GET  / HTTP/1.1\r\nHost: www.allowed.test\r\n\r\n
	a Host that is for one reader alone|GET / HTTP/1.1\r\nHost: www.allowed.test\r\nConnection: close, Host\r\n\r\n
	an absolute target without Host|GET http://www.allowed.test/ HTTP/1.0\r\n\r\n
	Host behind a body|POST / HTTP/1.1\r\nHost: www.allowed.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nHost: denied.test\r\n\r\n
	a password in the target|GET http://www.allowed.test@denied.test/ HTTP/1.1\r\nHost: www.allowed.test\r\n\r\n
END
like "a chunk of no size" "$(allowed -- python3 "$raw" www.allowed.test 80 'POST / HTTP/1.1\r\nHost: www.allowed.test\r\nTransfer-Encoding: chunked\r\n\r\n' @0.1 'zz\r\nhello\r\n0\r\n\r\n')" '400 Bad'
for method in GET POST FROB; do
	like "a body that begins as a request ($method)" "$(allowed -- python3 "$raw" www.allowed.test 80 "$method /a HTTP/1.1\r\nHost: www.allowed.test\r\nContent-Length: 44\r\n\r\nG" @0.1 'ET /b HTTP/1.1\r\nHost: www.denied.test\r\n\r\n...' EOF; cat "$work/log")" 'two ways'
done
like "other bodies pass" "$(allowed -- python3 "$raw" www.allowed.test 80 'GET /a HTTP/1.1\r\nHost: www.allowed.test\r\nContent-Length: 9\r\n\r\nOnce' @0.1 ' upon' EOF)" ' host=www.allowed.test'
like "a smuggled request stays in its body" "$(allowed -- python3 "$raw" www.allowed.test 80 'POST /a HTTP/1.1\r\nHost: www.allowed.test\r\nContent-Length: 45\r\n\r\n{GET /b HTTP/1.1\r\nHost: www.allowed.test\r\n\r\n..' EOF | grep -c ' host=')" '^1$'
like "a body in chunks" "$(get -a www.allowed.test -- -H 'Transfer-Encoding: chunked' -d "$(seq 2000)" http://www.allowed.test/)" 'body=8892'
like "an upload that asks first" "$(head -c 300000 /dev/zero >"$project/big"; get -a www.allowed.test -- -H 'Expect: 100-continue' -T big http://www.allowed.test/)" 'body=300000'
like "a response that says two things" "$(get -a www.allowed.test -- http://www.allowed.test/both)" 'could not do this'
like "a response that is cut" "$(get -a www.allowed.test -- http://www.allowed.test/cut; cat "$work/log")" 'transfer closed|end of response|reset|half'
like "pipelined requests" "$(allowed -- python3 "$raw" www.allowed.test 80 'GET /1 HTTP/1.1\r\nHost: www.allowed.test\r\n\r\nGET /2 HTTP/1.1\r\nHost: www.allowed.test\r\n\r\n' EOF | grep -c 'host=www')" '^2$'
like "HEAD" "$(get -a www.allowed.test -- -I http://www.allowed.test/chunked2)" '200 OK'
upgrade='GET / HTTP/1.1\r\nHost: www.allowed.test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n'
like "websocket" "$(allowed -- python3 "$raw" www.allowed.test 80 "$upgrade" HEAR '\x81\x05hello' EOF | tr -d '\201\005')" '^hello$'
like "and no request behind it" "$(allowed -- python3 "$raw" www.allowed.test 80 "$upgrade" HEAR 'GET / HTTP/1.1\r\nHost: denied.test\r\n\r\n'; cat "$work/log")" 'the request names another host'
like "nor HTTP/2" "$(allowed -- python3 "$raw" www.allowed.test 80 "$upgrade" HEAR '\x81\x01a' HEAR 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'; cat "$work/log")" 'HTTP/2 without TLS'
like "nor a hello" "$(allowed -- python3 "$raw" www.allowed.test 80 "$upgrade" HEAR HELLO:denied.test >/dev/null; cat "$work/log")" 'TLS asks for another name, denied.test$'

# --- what is undecided
# shellcheck disable=SC2086
wait $waits
for late in 1 2 3; do
	like "undecided at a deadline ($late)" "$(cat "$work/late.log.$late")" 'blocked www.allowed.test:7000 .*not complete after 30 s'
done

# --- programs that insist on a proxy
proxied() { timeout 120 "$SBX" run --read "$LAB" --read "$tests" -a '*.allowed.test' --env http_proxy="$1" --env https_proxy="$1" -- $fetch "${@:2}" 2>"$work/log"; }
like "http by proxy" "$(proxied http://198.18.0.1:3128 http://www.allowed.test/p)" '^GET /p host=www.allowed.test'
like "https by proxy" "$(proxied http://198.18.0.1:3128 https://www.allowed.test/p)" '^GET /p'
like "two hosts on one connection to it" "$(proxied http://198.18.0.1:3128 http://www.allowed.test/1 http://six.allowed.test/2 http://www.allowed.test/3 | tr '\n' ' ')" 'GET /1.*GET /2 host=six.*GET /3'
like "a denied one by proxy: 403" "$(proxied http://198.18.0.1:3128 -i http://denied.test/)" '403 Forbidden'
like "a denied one by CONNECT: 403" "$(proxied http://198.18.0.1:3128 https://denied.test/; cat "$work/log")" 'CONNECT tunnel failed, response 403'
like "SOCKS, names resolved by it" "$(proxied socks5h://198.18.0.1:1080 https://www.allowed.test/s)" '^GET /s'
like "SOCKS, names resolved by the client" "$(proxied socks5://198.18.0.1:1080 http://www.allowed.test/s)" '^GET /s'
like "SOCKS denied" "$(proxied socks5h://198.18.0.1:1080 https://denied.test/; cat "$work/log")" 'complete SOCKS5 connection.*\(2\)'
like "no proxy for its own page" "$(box -- curl -s -m 60 http://198.18.0.1/)" '400|sbx.s proxy'
stays "the caller's proxy variables do not pass" "" "$(HTTPS_PROXY=http://203.0.113.11:9 no_proxy=x box -- env | grep -i _proxy=)"

# --- the caller's own proxy
up() { HTTPS_PROXY=http://user:p%40ss@203.0.113.11:3128 NO_PROXY=${NO:-} run_box --read "$LAB" -a '*.allowed.test' -a 203.0.113.10 "${@:2}" -- $fetch "$1" 2>"$work/log"; }
like "goes by the caller's proxy" "$(up https://www.allowed.test/u; asked)" 'by-proxy:www.allowed.test'
is "plain HTTP is a request of the proxy's" "proxied GET http://www.allowed.test:80/u HTTP/1.1" "$(up http://www.allowed.test/u | xargs)"
is "on one connection, with bodies, at other ports" "proxied POST http://www.allowed.test:80/1 HTTP/1.1 one proxied POST http://www.allowed.test:80/2 HTTP/1.1 one proxied GET http://www.allowed.test:8123/3 HTTP/1.1" \
	"$(HTTPS_PROXY=http://user:p%40ss@203.0.113.11:3128 allowed -- bash -c 'curl -sS -m 60 -d one http://www.allowed.test/1 http://www.allowed.test/2; curl -sS -m 60 http://www.allowed.test:8123/3' | xargs)"
is "with the caller's password alone" "proxied GET http://www.allowed.test:80/u HTTP/1.1" "$(HTTPS_PROXY=http://user:p%40ss@203.0.113.11:3128 allowed -- curl -sS -m 60 -H 'Proxy-Authorization: Basic eDp5' http://www.allowed.test/u | xargs)"
is "by sbx's own proxy" "proxied GET http://www.allowed.test:80/x HTTP/1.1" "$(HTTPS_PROXY=http://user:p%40ss@203.0.113.11:3128 allowed -- curl -sS -m 60 -x http://198.18.0.1:1 http://www.allowed.test/x | xargs)"
like "a request that the proxy refuses is told" "$(box -a www.allowed.test --upstream http://user:wrong@203.0.113.11:3128 -- $fetch http://www.allowed.test/; cat "$work/log")" 'could not reach www.allowed.test:80 .*the upstream proxy refused it'
before=$(asked | grep -c by-proxy)
like "an upgrade behind one is a tunnel" "$(HTTPS_PROXY=http://user:p%40ss@203.0.113.11:3128 allowed -- python3 "$raw" www.allowed.test 80 'GET /1 HTTP/1.1\r\nHost: www.allowed.test\r\n\r\n' HEAR "$upgrade" HEAR DONE | tr -d '\r' | xargs)" 'proxied GET http://www.allowed.test:80/1 .*101 '
stays "really" "$((before + 1))" "$(asked | grep -c by-proxy)"
before=$(asked | grep -c by-proxy)
like "but not for what NO_PROXY excepts" "$(NO=localhost,.allowed.test,203.0.113.0/24 up https://www.allowed.test/u)" '^GET /u'
stays "really not" "$before" "$(asked | grep -c by-proxy)"
like "a proxy that refuses is told" "$(box -a www.allowed.test --upstream http://user:wrong@203.0.113.11:3128 -- $fetch https://www.allowed.test/; cat "$work/log")" 'the upstream proxy refused it'
stays "its password is nowhere in the box" 0 "$(HTTPS_PROXY=http://user:sesame99@203.0.113.11:3128 box -- bash -c 'env; cat /proc/*/environ /proc/*/cmdline' | tr '\0' '\n' | grep -c sesame99)"

# --- doors
like "a port of the host's loopback" "$(box --host-port 7000 -- python3 "$raw" 127.0.0.1 7000 hello EOF)" '^hello'
is "named twice, by two lines" hello "$(box --host-port 7000 --host-port 7000 -- python3 "$raw" 127.0.0.1 7000 hello EOF)"
like "the port of the box's own name server is not to be had" "$("$SBX" run --host-port 53 -- true 2>&1)" "^sbx: --host-port: port 53 of the box's loopback is sbx's own"
is "no other one" refused "$(box --host-port 7000 -- python3 "$raw" 127.0.0.1 2525)"
# Programs take localhost for one of two addresses, in the box and outside, as they please.
six=$((30000 + RANDOM % 1000))
python3 -m http.server -b ::1 -d . $six >"$work/six" 2>&1 &
server=$!
wait_for 60 curl -s -o /dev/null -m 10 "http://[::1]:$six/"
echo hello >file
for at in 127.0.0.1 '[::1]' localhost; do
	is "from $at of the box to ::1 of the host" hello "$(box --host-port $six -- curl -s -m 60 "http://$at:$six/file")"
done
is "from ::1 of the box to 127.0.0.1 of the host" hello "$(box --host-port 7000 -- python3 "$raw" ::1 7000 hello EOF)"
kill $server; wait $server 2>/dev/null
# As docker's published ports: nobody listens there.
if [ -e "$LAB/nat" ]; then
	is "a port of the host's that answers by NAT alone" hello "$(box --host-port 7070 -- python3 "$raw" 127.0.0.1 7070 hello EOF)"
fi
is "a port of the host's is not to be had in the box" 98 "$(box --host-port 7000 -- python3 -c 'import socket
try: socket.create_server(("", 7000))
except OSError as error: print(error.errno)')"
like "which a recipe says" "$("$SBX" why 'EADDRINUSE: address already in use')" 'leave out --host-port'
box --host-port $six -- curl -s -m 60 "http://localhost:$six/file" >/dev/null
like "nobody there, at both addresses of localhost" "$(cat "$work/log")" "^sbx: could not reach 127.0.0.1:$six \(curl\), 2 times: Connection refused"
port=$((20000 + RANDOM % 10000))
# A server that comes when a file is there and goes with it, at ::1 and then at 127.0.0.1.
timeout 600 "$SBX" run --publish "8097:$port" -- python3 -c 'import os, socket, time
def wait(there):
    while os.path.exists("serve") != there: time.sleep(0.02)
for family, address in (socket.AF_INET6, "::1"), (socket.AF_INET, "127.0.0.1"):
    wait(True)
    server = socket.socket(family)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((address, 8097))
    server.listen(100)
    server.settimeout(0.1)
    while os.path.exists("serve"):
        try: client = server.accept()[0]
        except TimeoutError: continue
        client.recv(9999)
        client.sendall(b"HTTP/1.0 200 OK\r\n\r\nhello\n")
        client.close()
    server.close()' 2>"$work/said" &
server=$!
door() { curl -s -m 60 "http://$1:$port/" || echo "curl $?"; }
taken() { python3 -c 'import socket, sys
door = socket.socket()
door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
try: door.bind(("127.0.0.1", int(sys.argv[1])))
except OSError as error: print(error.strerror)' "$port"; }
wait_for 60 eval '[ "$(taken)" ]'
is "a published port refuses while nobody listens in the box" "curl 7 curl 7" "$(door 127.0.0.1) $(door '[::1]')"
is "and is nobody else's meanwhile" "Address already in use" "$(taken)"
for at in ::1 127.0.0.1; do
	touch serve && wait_for 60 eval '[ "$(door 127.0.0.1)" = hello ]'
	is "a published port, from 127.0.0.1 and ::1 to $at of the box" "hello hello" "$(door 127.0.0.1) $(door '[::1]')"
	is "often" 60 "$(for _ in $(seq 60); do door 127.0.0.1; done | grep -c hello)"
	rm serve && wait_for 60 eval '[ "$(door 127.0.0.1)" = "curl 7" ]'
	is "it refuses again when the server is gone" "curl 7" "$(door 127.0.0.1)"
	[ $at != ::1 ] || is "and is nobody else's again" "Address already in use" "$(taken)"
done
wait "$server" 2>/dev/null
like "those that found nobody are counted" "$(cat "$work/said")" '^sbx: nothing listened on port 8097 in the box: [1-9][0-9]* connections?$'
# What development servers listen at by themselves: node's listen(port) and listen(port, "localhost").
while IFS='|' read -r name listen; do
	timeout 120 "$SBX" run --publish "8096:$port" -- node -e "const s = require('http').createServer((q, r) => { r.end('hello\n'); s.close(); }).listen($listen)" 2>/dev/null &
	server=$!
	wait_for 60 eval '[ "$(door localhost)" = hello ]'
	wait $server
	is "the address of $name" 0 $?
done <<-'END'
	Next|8096
	Vite, Astro and Angular|8096, 'localhost'
	a container's server|8096, '0.0.0.0'
END
# In docker's order, which is the other one.
outside=$((21000 + RANDOM % 1000)) inside=$((22000 + RANDOM % 1000))
serves="cd '$PWD'; python3 -m http.server -b 127.0.0.1 $inside >/dev/null 2>&1 &
	until curl -s -o up -m 5 http://127.0.0.1:$inside/; do sleep 0.05; done; until [ -e served ]; do sleep 0.05; done; kill %1"
timeout 600 "$SBX" run --publish "$outside:$inside" -- bash -c "$serves" 2>"$work/said" &
server=$!
wait_for 60 test -e up
sleep 1.5
touch served && wait "$server"
rm served up
fix=$(sed -n 's/^sbx: nothing listened .* if that is the port outside: //p' "$work/said")
timeout 600 "$SBX" run $fix -- bash -c "$serves" 2>"$work/said" &
server=$!
wait_for 60 curl -s -o /dev/null -m 10 "http://127.0.0.1:$outside/file"
is "and by the other order it is reached" "--publish $inside:$outside hello" "$fix $(curl -s -m 60 "http://127.0.0.1:$outside/file")"
touch served && wait "$server"
rm served up
port=$((20000 + RANDOM % 10000))
timeout 600 "$SBX" run --publish "8099:$port" -- python3 -m http.server -b 127.0.0.1 8099 >"$work/published" 2>&1 &
server=$!
wait_for 60 curl -s -o /dev/null -m 10 "http://127.0.0.1:$port/"
is "a published port" "hello" "$(curl -s -m 60 "http://127.0.0.1:$port/file")"
is "often" 60 "$(for _ in $(seq 60); do curl -s -m 60 "http://127.0.0.1:$port/file"; done | grep -c hello)"
stays "a port that is published twice is one" 0 "$(run_box --publish 8098 --publish 8098 -- true >&2; echo $?)"
like "a port that is taken is told before anything runs" "$(timeout 120 "$SBX" run --publish "8099:$port" -- touch ran 2>&1; echo $?; ls ran 2>&1)" "port $port is used by another program outside; take a free one: --publish 8099:[0-9]+; the command"
kill "$server" 2>/dev/null; wait "$server" 2>/dev/null
like "the box serves low ports itself" "$(box -- bash -c 'python3 -m http.server -b 127.0.0.1 80 >/dev/null 2>&1 & for i in $(seq 300); do curl -s http://127.0.0.1/file && break; sleep 0.1; done')" hello
is "UDP is refused at once" "refused" "$(box -- python3 -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(("9.9.9.9", 443)); s.settimeout(30); s.send(b"x")
try: s.recv(9)
except ConnectionRefusedError: print("refused")')"

unfiltered() { SBX_TEST_SKIP=filter timeout 120 "$SBX_TESTING" run --raw-port 7000 --read "$LAB" --read "$tests" -a '*.allowed.test' "$@" 2>"$work/log"; }
like "MPTCP, which the filter refuses, would meet the same rules" "$(unfiltered -- python3 -c 'import socket
for name in "www.allowed.test", "denied.test":
    s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262); s.settimeout(30)
    try:
        s.connect((name, 7000)); s.sendall(b"\0hello"); print(s.recv(9))
    except OSError as e: print(type(e).__name__)' | tr '\n' ' ')" "hello' ConnectionRefused"
like "TCP fast open too" "$(allowed --raw-port 7000 -- python3 -c 'import socket
for name in "www.allowed.test", "denied.test":
    s = socket.socket()
    try:
        s.sendto(b"\0hello", socket.MSG_FASTOPEN, (name, 7000)); print(s.recv(9))
    except OSError as e: print(type(e).__name__)' | tr '\n' ' ')" "hello' ConnectionRefused"
is "no raw and no packet sockets" "refused refused refused " "$(allowed -- python3 -c 'import socket
for kind in (socket.AF_INET, socket.SOCK_RAW, 1), (socket.AF_INET6, socket.SOCK_RAW, 58), (socket.AF_PACKET, socket.SOCK_RAW, 0):
    try: socket.socket(*kind); print("opened")
    except OSError: print("refused")' | tr '\n' ' ')"
is "its routes, addresses and rules stay as they are" "2 2 1 " "$(allowed -- bash -c 'ip route add 10.0.0.0/8 dev lo 2>/dev/null; echo $?; ip address del 198.18.0.1/32 dev lo 2>/dev/null; echo $?; nft flush ruleset 2>/dev/null; echo $(($? != 0))' | tr '\n' ' ')"

# --- a connect succeeds when something was reached
connects() { # options of sbx... -- words of connects.py
	local options=()
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	box "${options[@]}" -- python3 "$tests/net/connects.py" "$@" | tr '\n' ' '
}
nowhere="169.254.169.254,80 10.9.9.9,22 203.0.113.10,80 203.0.113.10,443 2001:db8::10,80 64:ff9b::a9fe:a9fe,80 ::ffff:10.9.9.9,5432 fe80::1%lo,80 0.1.2.3,80"
# shellcheck disable=SC2086
is "no literal address is reached that no rule names" "$(printf 'refused %.0s' $nowhere)" "$(connects -- $nowhere)"
is "each is reported, with program and flag" 8 "$(grep -Ec '^sbx: blocked [^ ]+ \(python3\): not in the allowlist; to allow: --allow [^ ]+$' "$work/log")"
# shellcheck disable=SC2086
is "nor with a server of the box's own at that port" "own own $(printf 'refused %.0s' 169 22 10 ff9b fe80)" "$(connects -- +80 127.0.0.1,80 ::1,80 169.254.169.254,80 203.0.113.10,80 2001:db8::10,80 64:ff9b::a9fe:a9fe,80 fe80::1%lo,80)"
is "a name at a port where nobody speaks first" "refused refused " "$(connects -- db.internal,5432 denied.test,22)"
like "is reported" "$(cat "$work/log")" 'blocked db.internal:5432 \(python3\): not in the allowlist; to allow: --allow db.internal:5432'
is "a dead port of an allowed host" "refused connected " "$(connects -a www.allowed.test -- www.allowed.test,9999 www.allowed.test,7000)"
like "is reported" "$(cat "$work/log")" 'could not reach www.allowed.test:9999 \(python3\): Connection refused'
is "a name that leads nowhere" "refused refused " "$(connects -a slow.test -a loop.test -- slow.test,443 loop.test,443)"
is "a door behind which nobody listens" "refused refused connected connected refused " "$(connects --host-port 5490 --host-port 7000 -- 127.0.0.1,5490 ::1,5490 127.0.0.1,7000 ::1,7000 127.0.0.2,5490)"
like "is reported" "$(cat "$work/log")" 'could not reach 127.0.0.1:5490 \(python3\), 2 times: Connection refused'
is "behind the caller's proxy: what that refuses; it gets requests when it is there" "refused connected " "$(connects -a www.allowed.test --upstream http://user:wrong@203.0.113.11:3128 -- www.allowed.test,443 www.allowed.test,80)"
is "and when it is not" "refused refused " "$(connects -a www.allowed.test --upstream http://203.0.113.11:9 -- www.allowed.test,443 www.allowed.test,80)"
box --host-port 5491 -- bash -c "until (</dev/tcp/127.0.0.1/5491) 2>/dev/null; do touch tried; sleep 0.05; done; python3 $raw 127.0.0.1 5491" >"$work/live" &
wait_for 60 test -e tried
timeout 60 python3 -c 'import socket
s = socket.create_server(("127.0.0.1", 5491))
for i in range(2): s.accept()[0].sendall(b"hello")'
wait
is "a loop that waits for a port ends when somebody listens" hello "$(cat "$work/live"; rm tried)"
is "the name server answers by TCP, and no other" "connected refused refused " "$(connects -- 203.0.113.53,53 203.0.113.10,53 169.254.169.254,53)"
is "a name that no rule allows is answered in words at 80 and 443" "connected connected " "$(connects -- denied.test,80 denied.test,443)"
is "dns fail: its connect fails" "refused refused connected " "$(connects --dns fail -a www.allowed.test -- denied.test,80 denied.test,443 www.allowed.test,80)"
like "and is reported with its port" "$(cat "$work/log")" 'blocked denied.test:443 \(python3\): not in the allowlist; to allow: --allow denied.test:443'
is "its own address is the proxy" connected "$(connects -- 198.18.0.1,3128 | tr -d ' ')"
is "a hundred at once, each refused and counted" "100 100" "$(box -- python3 -c 'import socket
def begin(n):
    s = socket.socket(); s.setblocking(False); s.connect_ex(("10.9.9.9", 5432)); return s
all = [begin(n) for n in range(100)]
count = 0
for s in all:
    s.setblocking(True); s.settimeout(60)
    try: s.connect(("10.9.9.9", 5432))
    except ConnectionRefusedError: count += 1
    except OSError: count += 1
print(count)') $(grep -Eo '[0-9]+ times' "$work/log" | grep -Eo '^[0-9]+')"
is "a server of the box at a door's port of another address" "own " "$(box --host-port 5490 -- python3 -c 'import socket, threading
s = socket.create_server(("127.0.0.2", 5490))
threading.Thread(target=lambda: s.accept()[0].sendall(b"own "), daemon=True).start()
print(socket.create_connection(("127.0.0.2", 5490)).recv(4).decode())' | tr '\n' ' ' | cut -c1-4)"
timeout 120 "$SBX" run --read "$tests" -- bash -c "python3 $tests/net/connects.py 10.9.9.9,80; touch first; until [ -e second ]; do sleep 0.1; done; python3 $tests/net/connects.py 203.0.113.10,81 && touch third" >"$work/live" 2>&1 &
run=$!
wait_for 60 test -e first
kill -STOP "$(pgrep -P $run)"
touch second
wait_for 60 test -e third
is "while the supervisor is stopped each is refused" "refused refused " "$(grep -v ^sbx "$work/live" | tr '\n' ' ')"
kill -CONT "$(pgrep -P $run)"
wait $run
rm -f first second third
timeout 120 "$SBX" run --read "$tests" -- bash -c "until python3 $raw 203.0.113.10 7000 hello EOF | grep hello; do sleep 0.1; done" >"$work/live" 2>&1 &
run=$!
wait_for 60 started $run
"$SBX" allow "$(pgrep -P $run)" 203.0.113.10:7000
wait $run
like "an address that is allowed while the box runs" "$(cat "$work/live")" '^hello'

# --- live changes
timeout 120 "$SBX" run --read "$LAB" --read "$tests" -- bash -c "until $fetch -f http://www.allowed.test/live; do sleep 0.1; done; until ! $fetch -f http://www.allowed.test/gone; do sleep 0.1; done; echo end" >"$work/live" 2>&1 &
run=$!
wait_for 60 started $run
sbx=$(pgrep -P $run)
like "the run is listed" "$("$SBX" ps)" "^$sbx .* bash -c until"
"$SBX" allow "$sbx" www.allowed.test
wait_for 60 grep -q '^GET /gone' "$work/live"
"$SBX" deny "$sbx" www.allowed.test
wait $run
like "one run, changed twice" "$(grep -v blocked "$work/live" | grep -o 'GET /live\|GET /gone\|end' | uniq | tr '\n' ' ')" 'GET /live GET /gone end'
like "a run that is not there" "$("$SBX" allow 1 www.allowed.test 2>&1)" "no live run '1' of yours"
like "no destination" "$("$SBX" allow 1 'a b' 2>&1)" "is not a destination"
# The last is a form of the name that was called, and not the one that it led to.
printf 'nameserver 203.0.113.53\nsearch ns.corp.test corp.test\n' >"$LAB/resolv.conf"
for denied in "*.allowed.test" 203.0.113.0/24 db.ns.corp.test; do
	: >"$work/live"
	name=www.allowed.test
	[ $denied != db.ns.corp.test ] || name=db
	timeout 120 "$SBX" run --read "$tests" -a www.allowed.test:7000/tcp -a db.corp.test:7000/tcp -- python3 "$raw" $name 7000 hello HEAR >"$work/live" 2>"$work/log" &
	run=$!
	wait_for 60 grep -q hello "$work/live"
	"$SBX" deny "$(pgrep -P $run)" "$denied"
	wait $run
	like "deny $denied ends what is open" "$(cat "$work/live")" 'reset|not connected'
done
printf 'nameserver 203.0.113.53\n' >"$LAB/resolv.conf"
# A server whose queue is full answers the kernel's next try, a second later: after the deny.
cat >"$LAB/full.py" <<'END'
import os, socket, sys, time
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("203.0.113.10", 7009))
s.listen(0)
fill = socket.create_connection(("203.0.113.10", 7009))
print("full", flush=True)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.05)
while True:
    s.accept()[0].sendall(b"served")
END
echo "python3 $LAB/full.py $LAB/emptied >$LAB/full 2>&1 &" >"$LAB/outside"
wait_for 60 grep -q full "$LAB/full"
timeout 120 "$SBX" run --read "$tests" -a www.allowed.test:7009/tcp -- python3 "$raw" www.allowed.test 7009 hello HEAR >"$work/live" 2>"$work/log" &
run=$!
wait_for 60 started $run
begun() { ss -Htn state syn-sent dst 203.0.113.10:7009 | grep -q .; }
wait_for 60 begun
"$SBX" deny "$(pgrep -P $run)" 203.0.113.0/24
: >"$LAB/emptied"
wait $run
is "deny ends what is being opened, and says so" 1 "$(grep served "$work/live")$(grep -c 'www.allowed.test:7009.*denied address' "$work/log")"
stays "nobody in the box can call it" 1 "$(box --read "$SBX" -a www.allowed.test -- "$SBX" allow $$ denied.test 2>/dev/null; echo $(($? != 0)))"

# Nor another box, which knows where the socket is.
timeout 120 "$SBX" run -a www.allowed.test -- sleep 100 2>"$work/log" &
run=$!
wait_for 60 started $run
sbx=$(pgrep -P $run)
tell='import socket, struct
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.settimeout(30)
s.connect("'$(echo "${XDG_STATE_HOME:-$HOME/.local/state}"/sbx/boxes/"$sbx"-*/socket)'")
s.send(struct.pack("i160s", 0, b"denied.test"))
print(len(s.recv(4)))'
is "nor one with the host's network" "refused 4" "$(timeout 120 "$SBX" run --network host --allow-syscalls namespaces -- python3 -c "$tell" 2>/dev/null || echo refused) $(python3 -c "$tell" 2>&1)"
kill $run
wait $run 2>/dev/null

# --- budgets
like "bytes down" "$(get -a www.allowed.test --download 100K -- http://www.allowed.test/size/1000000 | wc -c; cat "$work/log")" 'its budget is used up \(--download 100K\)'
like "bytes up" "$(get -a www.allowed.test --upload 'www.allowed.test 100K' -- -T big http://www.allowed.test/; cat "$work/log")" 'its budget is used up'
like "bytes up, to a network that the name leads to" "$(get -a www.allowed.test --upload '203.0.113.0/24 100K' -- -T big http://www.allowed.test/; cat "$work/log")" 'its budget is used up'
like "not another's" "$(get -a '*.allowed.test' --upload 'six.allowed.test 1K' -- -T big http://www.allowed.test/)" 'body=300000'

# --- the log
"$SBX" audit >"$work/all"
like "sbx audit" "$(cat "$work/all")" 'denied +1 +- +- denied.test:80 \(curl\)'
like "allowed ones, with bytes" "$(grep 'allowed.*www.allowed.test:80' "$work/all")" ' 1 +[1-9][0-9.]*K? +[1-9][0-9.]*K? www'
like "as JSON" "$("$SBX" audit --json | tail -1 | python3 -c 'import json,sys; r=json.load(sys.stdin); print(sorted(r))')" "'address', 'connections', 'down', 'form', 'name', 'pid', 'port', 'program', 'project', 'rule', 'run', 'time', 'up', 'verdict', 'version', 'why'"
is "each line is JSON" "read" "$("$SBX" audit --json | python3 -c 'import json,sys
for line in sys.stdin:
    try: read = json.loads(line)["form"] and "read"
    except ValueError: print(line)
print(read)' 2>&1)"

# --- the proxy itself
rm -f begun
timeout 120 "$SBX" run -- sh -c 'touch begun; sleep 100' &
run=$!
wait_for 60 test -e begun
is "a run that does not connect has no proxy" 1 "$(children_of "$(pgrep -P $run)" | wc -l)"
kill $run
wait $run
rm -f begun
SECRET_TOKEN=planted-secret-value timeout 600 "$SBX" run --read "$LAB" -a www.allowed.test -- bash -c "$fetch http://www.allowed.test/ >/dev/null; touch begun; sleep 500" 2>"$work/killed" &
run=$!
wait_for 60 test -e begun
supervisor=$(pgrep -P $run)
box=$(init_of "$supervisor")
proxy=$(worker_of "$supervisor")
like "the proxy: filter, no privileges, no capabilities" "$(grep -E '^(NoNewPrivs|Seccomp|CapEff|CapPrm):' "/proc/$proxy/status" | tr -s '\t\n' '  ')" 'CapPrm: 0+ CapEff: 0+ NoNewPrivs: 1 Seccomp: 2'
if [ "$(id -u)" = 0 ]; then
	is "it holds sockets, pipes and its epoll alone" "" "$(find "/proc/$proxy/fd" -printf '%l\n' | grep -Ev '^$|socket:|anon_inode:|pipe:|/dev/null|/etc/hosts|hosts$')"
	is "its memory holds no secret of the caller's" 0 "$(gdb -p "$proxy" -batch -ex "generate-core-file $work/core" >/dev/null 2>&1; strings "$work/core" 2>/dev/null | grep -c planted-secret-value)"
	like "as a test of that: it does hold the rule" "$(strings "$work/core" | grep -c www.allowed.test)" '^[1-9]'
else
	skip "what the proxy holds" "only root may look"
fi
kill -9 "$proxy"
wait $run
like "a proxy that is killed ends the run, in clear words" "$? $(cat "$work/killed")" '^125 .*the proxy died; the run was ended'
is "and nobody is left" "was" "$([ "$box" ] && echo was; pgrep -P "$box"; ls -d "/proc/$box" 2>/dev/null)"
# What happens to the world when the supervisor is killed.
rm -f begun
timeout 120 "$SBX" run --read "$LAB" -a www.allowed.test -- bash -c "$fetch http://www.allowed.test/ >/dev/null; touch begun; sleep 100" 2>/dev/null &
run=$!
wait_for 60 test -e begun
supervisor=$(pgrep -P $run)
children=$(pgrep -P "$supervisor")
kill -9 "$supervisor"
alive() { for pid in $children; do grep -H '^State:' "/proc/$pid/status" 2>/dev/null | grep -v zombie; done; }
none_alive() { [ -z "$(alive)" ]; }
wait_for 30 none_alive
is "SIGKILL of the supervisor leaves neither box nor proxy" "yes " "$([ "$(wc -w <<<"$children")" -ge 2 ] && echo yes) $(alive)"
rm -f begun
stays "nothing was left in the project" "" "$(git status --short | grep -v '^?? \(file\|big\)$')"
# without the rule in the kernel
like "without redirection: listed ports" "$(SBX_TEST_SKIP=redirect timeout 120 "$SBX_TESTING" run --read "$LAB" -a www.allowed.test:80,7000 -- $fetch http://www.allowed.test/f 2>&1)" '^GET /f'
is "which is not told when all went well" "GET" "$(SBX_TEST_SKIP=redirect timeout 120 "$SBX_TESTING" run --read "$LAB" -a www.allowed.test:80 -- $fetch http://www.allowed.test/f 2>&1 | grep -o 'redirect\|^GET')"
like "but when it did not" "$(SBX_TEST_SKIP=redirect timeout 120 "$SBX_TESTING" run --read "$LAB" -a www.allowed.test -- bash -c "$fetch http://www.allowed.test/f; $fetch http://www.allowed.test:8123/" 2>&1)" "cannot redirect"
is "and others are refused" refused "$(SBX_TEST_SKIP=redirect timeout 120 "$SBX_TESTING" run --read "$tests" -a www.allowed.test:80 -- python3 "$raw" www.allowed.test 7001 2>/dev/null)"

# --- tier landlock: the same policy, by notification
if (cd / && "$SBX" run --project none --isolation landlock -- true) >"$work/log" 2>&1; then
	tier() { box --isolation landlock --no-protect -a '*.allowed.test' "$@"; }
	direct="$fetch --noproxy www.allowed.test,denied.test,203.0.113.10"
	like "landlock: by libc's names and directly" "$(tier -- $direct https://www.allowed.test/d)" '^GET /d'
	like "by the variables that it sets" "$(tier -- $fetch https://www.allowed.test/v)" '^GET /v'
	like "names without UDP" "$(tier -- getent hosts www.allowed.test)" '^198\.1[89]\.'
	is "any protocol" hello "$(tier --raw-port 7000 -- python3 "$raw" www.allowed.test 7000 '\0hello' EOF | tr -d '\0')"
	like "a denied name, told" "$(tier -- $direct https://denied.test/; cat "$work/log")" 'alert access denied'
	like "with program and flag" "$(cat "$work/log")" 'blocked denied.test:443 \(curl\).*--allow denied.test:443'
	is "a literal address, a port where nobody speaks first" "refused refused " "$(tier -- python3 "$tests/net/connects.py" 203.0.113.10,80 denied.test,5432 | tr '\n' ' ')"
	like "is reported" "$(cat "$work/log")" 'blocked 203.0.113.10:80 \(python3\): not in the allowlist; to allow: --allow 203.0.113.10:80'
	like "Host of another name" "$(tier -- $direct -H 'Host: denied.test' http://www.allowed.test/)" 'another host'
	is "the host's loopback" refused "$(tier -- python3 "$raw" 127.0.0.1 7000)"
	like "is told with its own flag" "$(cat "$work/log")" 'by --host-port PORT$'
	is "a listed port of it" hello "$(tier --host-port 7000 -- python3 "$raw" 127.0.0.1 7000 hello EOF)"
	is "at ::1, too" hello "$(tier --host-port 7000 -- python3 "$raw" ::1 7000 hello EOF)"
	is "at 0.0.0.0, which is the same" hello "$(tier --host-port 7000 -- python3 "$raw" 0.0.0.0 7000 hello EOF)"
	like "past the variables" "$(tier --host-port 7000 -- curl -sN -m 3 --http0.9 http://localhost:7000/)" '^GET / HTTP'
	like "non-blocking, as node does it" "$(tier -- node -e 'require("http").get("http://www.allowed.test/n", { agent: false }, (r) => r.on("data", (d) => console.log(String(d))))' 2>&1)" 'GET /n|ENOENT'
	is "UDP, raw, MPTCP, SCTP, netlink: none" "no no no no no " "$(tier -- python3 -c 'import socket
for kind in (2, 2, 0), (2, 3, 1), (2, 1, 262), (2, 1, 132), (16, 3, 0):
    try: socket.socket(*kind); print("opened")
    except OSError: print("no")' | tr '\n' ' ')"
	is "no data before the answer" "no no no " "$(tier -- python3 -c 'import socket
def attempt(work):
    try: work(socket.socket()); print("sent")
    except OSError: print("no")
attempt(lambda s: s.sendto(b"x", socket.MSG_FASTOPEN, ("203.0.113.10", 7000)))
attempt(lambda s: s.sendmsg([b"x"], [], socket.MSG_FASTOPEN, ("203.0.113.10", 7000)))
attempt(lambda s: s.setsockopt(6, 30, 1))' | tr '\n' ' ')"
	is "no servers on the host" "no no " "$(tier -- python3 -c 'import socket
def attempt(work):
    try: work(socket.socket()); print("serves")
    except OSError: print("no")
attempt(lambda s: s.bind(("127.0.0.1", 0)))
attempt(lambda s: s.listen())' | tr '\n' ' ')"
	is "unix servers of its own, yes" yes "$(tier -- python3 -c 'import socket
s = socket.socket(socket.AF_UNIX); s.bind("s"); s.listen(); print("yes")'; rm -f s)"
	like "no published ports" "$(tier --publish 8000 -- true; cat "$work/log")" 'cannot publish'
	tier -- bash -c "$direct http://www.allowed.test/ >/dev/null; until [ -e on ]; do sleep 0.1; done" &
	for _ in $(seq 300); do
		sleep 0.1
		relay=$(awk '$2 ~ /^0100007F:/ && $4 == "0A" { print substr($2, 10) }' /proc/net/tcp | while read -r hex; do echo $((16#$hex)); done | sort -n | tail -1)
		[ "${relay:-0}" -le 9000 ] || break
	done
	like "nobody else gets in by the listener" "$(python3 "$raw" 127.0.0.1 "$relay" 'CONNECT www.allowed.test:80 HTTP/1.1\r\n\r\n')" 'reset'
	touch on
	wait
	rm on
	like "under Docker's filter" "$(timeout 120 "$(dirname "$ATTACK")/confine" docker "$SBX" run --isolation landlock --no-protect --read "$LAB" -a www.allowed.test -- $direct https://www.allowed.test/docker 2>&1)" '^GET /docker'
else
	skip "tier landlock" "$(head -1 "$work/log")"
fi
done_testing
