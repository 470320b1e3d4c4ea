#!/bin/bash
# Keys that stay outside: [secret NAME], the opener, and what is tried against them.
. "$(dirname "$0")/../net/inside.sh"
here=$tests/e2e

# --- a server that sends back what it is asked, and certificates that are wrong in one way each
(
	cd "$LAB" || exit 1
	openssl req -x509 -key server.key -days 2 -subj /CN=www.allowed.test -addext subjectAltName=DNS:www.allowed.test -out self.pem
	printf 'subjectAltName=DNS:other.test\nauthorityKeyIdentifier=keyid\n' >ext.other
	openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext.other -out other.pem
	printf '[ca]\ndefault_ca=lab\n[lab]\nnew_certs_dir=.\ndatabase=index\nserial=serial\ndefault_md=sha256\npolicy=any\n[any]\ncommonName=supplied\n' >ca.conf
	: >index && echo 01 >serial
	openssl ca -batch -config ca.conf -cert ca.pem -keyfile ca.key -in server.csr -extfile ext -startdate 20200101000000Z -enddate 20200102000000Z -notext -out expired.pem
) >"$LAB/certificates.log" 2>&1
chmod a+r "$LAB"/*.pem
"$tests/net/outside" python3 "$tests/net/echo_tls.py" "$LAB" >"$LAB/echo.log" 2>&1 &
wait_for 30 test -e "$LAB/echo.ready" || { cat "$LAB/certificates.log" "$LAB/echo.log"; exit 1; }

canary=ghp_Canary0123456789abcdefCANARY012345XY
export SSL_CERT_FILE=$LAB/ca.pem # roots of the caller's own
profile=$work/keys.ini
cat >"$profile" <<END
[profile]
extends = default
[network]
allow = www.allowed.test:80
allow = www.allowed.test:8443
allow = other.test:8443
[secret github]
host = www.allowed.test:8443,8444,8445,8446,8447
from = env GH_TOKEN
env = GH_TOKEN
env = GITHUB_TOKEN
header = X-Key
[secret other]
host = other.test:8443
from = file $work/other.key
env = OTHER_KEY
END
chmod 644 "$profile"
other=sk-ant-api03-OtherCanary-0123456789_abcdefghijk
(umask 077 && printf '%s\n' "$other" >"$work/other.key")
url=https://www.allowed.test:8443

# Standard output is printed; what sbx says goes to $work/log.
within="timeout 120 env GH_TOKEN=$canary"
box() { run_box --read "$LAB" --read "$tests" -p "$profile" "$@" 2>"$work/log"; }
inside() { box -- sh -c "$1"; }
fetch() { inside "curl -sS -m 60 $*"; } # words of a shell inside: \$GH_TOKEN is the placeholder
seen() { tail -c "${1:-4000}" "$LAB/echo.seen"; }
fresh() { : >"$LAB/echo.seen"; }

# --- the placeholder
placeholder=$(inside 'printf %s "$GH_TOKEN"')
like "the variable holds a placeholder of the same shape" "$placeholder" '^ghp_[0-9A-Za-z]{36}$'
is "of the same length" ${#canary} ${#placeholder}
stays "which is no part of the key" "" "$(grep -F "${canary:4:8}" <<<"$placeholder")"
is "each variable holds the same" same "$(inside '[ "$GH_TOKEN" = "$GITHUB_TOKEN" ] && echo same')"
if [ "$(inside 'printf %s "$GH_TOKEN"')" != "$placeholder" ]; then pass "another run has another"; else fail "another run has another"; fi
like "of a file, with its prefix" "$(inside 'printf %s "$OTHER_KEY"')" '^sk-ant-api03-[0-9A-Za-z]{11}-[0-9A-Za-z]{10}_[0-9A-Za-z]{11}$'

# --- the swap
fresh
answer=$(fetch '-H "Authorization: Bearer $GH_TOKEN"' $url/a)
like "Bearer: the server has the key" "$(seen)" "^Authorization: Bearer $canary"
like "and its echo has the placeholder" "$answer" "^Authorization: Bearer ghp_"
stays "and not the key" "" "$(grep -F "$canary" <<<"$answer")"
like "the report says what it was used for" "$(cat "$work/log")" '^sbx: secret github: used 1 time for www.allowed.test$'
for header in 'Authorization: token' 'X-Api-Key:' 'Api-Key:' 'Private-Token:' 'X-Goog-Api-Key:' 'X-Key:' 'x-kEY:' 'Authorization:'; do
	fresh
	fetch "-H \"$header \$GH_TOKEN\"" $url/a >"$work/answer"
	like "$header" "$(seen)" "^$header $canary"
	stays "$header does not come back" "" "$(grep -F "$canary" "$work/answer")"
done
fresh
answer=$(fetch '-u "me:$GH_TOKEN"' $url/a)
like "Basic, as the password" "$(seen)" "^Authorization: Basic $(printf 'me:%s' $canary | base64 -w0)"
stays "does not come back in its own form" "" "$(grep -F "$(printf 'me:%s' $canary | base64 -w0)" <<<"$answer")"
fresh
fetch '-u "$GH_TOKEN:x-oauth-basic"' $url/a >/dev/null
like "Basic, as the user" "$(seen)" "^Authorization: Basic $(printf '%s:x-oauth-basic' $canary | base64 -w0)"
fresh
like "a request without it passes: git's first one, and the challenge comes back" "$(fetch -i $url/challenge)" '^WWW-Authenticate: Basic'
like "and asks for an answer that can be read" "$(seen)" '^Accept-Encoding: identity'
fresh
fetch '--compressed -r 0-9 -H "TE: trailers" -H "Authorization: Bearer $GH_TOKEN"' $url/a >/dev/null
stays "parts and compression are not asked for" "" "$(seen | grep -iE '^(range|te):|gzip')"
is "two requests on one connection, each with its key" 2 "$(fresh; fetch '-H "Authorization: Bearer $GH_TOKEN"' $url/a $url/b >/dev/null; seen 9000 | grep -c "Bearer $canary")"
like "which are counted" "$(cat "$work/log")" 'secret github: used 2 times for www.allowed.test'
fresh
box -- sh -c "curl -sS -m 60 -H \"X-Api-Key: \$OTHER_KEY\" https://other.test:8443/a" >/dev/null
like "the key of a file" "$(seen)" "^X-Api-Key: $other"

# --- a run that is refused wipes its copy of the key; the next one has it
mkdir -p "$work/obstacle" && ln -s . "$work/obstacle/.idea"
like "a run that finds a link in the way is refused, and says which" "$(cd "$work/obstacle" && git init -q && inside 'echo ran'; echo $? $(cat "$work/log"))" '^125 .*\.idea'
lacks "not for a variable that is set" "$(grep idea "$work/log")" 'is not set'
like "the next has its placeholder" "$(cd "$work/obstacle" && rm .idea && inside 'printf %s "$GH_TOKEN"')" '^ghp_[0-9A-Za-z]{36}$'

# --- where it is refused
refused() { # name, words of curl, the reason, what must not have been seen
	fresh
	like "$1: refused" "$(fetch "$2")" "\"reason\":\"[^\"]*$3"
	like "$1: reported" "$(cat "$work/log")" "^sbx: blocked (www.allowed|other).test:8443.*$3"
	stays "$1: nothing went" "" "$(seen)"
}
refused "in the address" "\"$url/a?key=\$GH_TOKEN\"" 'in the address'
refused "in the path" "\"$url/\$GH_TOKEN\"" 'in the address'
refused "in another header" "-H \"X-Note: \$GH_TOKEN\" $url/a" 'in the header X-Note'
refused "in a cookie" "-b \"a=\$GH_TOKEN\" $url/a" 'in a header that is left out'
refused "in the agent's name" "-A \"\$GH_TOKEN\" $url/a" 'in the header User-Agent'
refused "in the name of a header" "-H \"\$GH_TOKEN: x\" $url/a" 'in the name of a header'
refused "with something before it" "-H \"X-Api-Key: x\$GH_TOKEN\" $url/a" 'in the header X-Api-Key'
refused "with something behind it" "-H \"Authorization: Bearer \${GH_TOKEN}x\" $url/a" 'in the header Authorization'
refused "in a part of Basic" "-u \"me:x\$GH_TOKEN\" $url/a" 'a part of Basic'
refused "to another host of a secret" "-H \"Authorization: Bearer \$GH_TOKEN\" https://other.test:8443/a" 'a host that is not its own'
refused "with another host in the request" "-H 'Host: other.test' -H \"Authorization: Bearer \$GH_TOKEN\" $url/a" 'another host'
refused "a WebSocket" "-H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: eA==' -H \"Authorization: Bearer \$GH_TOKEN\" $url/a" 'a WebSocket'
like "and its secret was not used" "$(cat "$work/log")" '^sbx: secret github: no request to its hosts carried it$'
like "nor by a command that asks nothing; each is named" "$(inside true; grep -c 'no request to its hosts carried it$' "$work/log")" '^2$'
for host in localhost:8765 api.localhost:8765 "$(hostname):8765"; do
	printf '[profile]\nextends = default\n[secret k]\nfrom = env GH_TOKEN\nhost = %s\n' "$host" >"$work/here.ini"
	like "host = $host: refused, and what a host is" "$(GH_TOKEN=$canary "$SBX" run -p "$work/here.ini" -- true 2>&1; echo $?)" "secret k: '$host' is not a name with a dot or .*TLS \(this machine cannot be one\)"
done
# A credential of somebody else's, as it may stand in a file that the box reads.
planted=ghp_Planted0123456789abcdefPLANTED0123
refused "another credential: Bearer" "-H 'Authorization: Bearer $planted' $url/a" 'another credential than secret github'
refused "another credential: Basic" "-u me:$planted $url/a" 'another credential than secret github'
refused "another credential: a field of a service's" "-H 'Private-Token: $planted' $url/a" 'another credential than secret github'
refused "another credential: a field of the secret's" "-H 'X-Key: $planted' $url/a" 'another credential than secret github'
refused "another credential: in the address" "'$url/a?access%5Ftoken=$planted'" 'another credential than secret github is in the address'
fresh
fetch "-b session=$planted -H \"Authorization: Bearer \$GH_TOKEN\"" $url/a >/dev/null
stays "cookies are left out" "" "$(seen | grep -i "cookie\|$planted")"
like "and the request goes" "$(seen)" "^Authorization: Bearer $canary"
sed 's/^header = X-Key/&\nonly = no/' "$profile" >"$work/others.ini"
fresh
timeout 120 env GH_TOKEN=$canary "$SBX" run --read "$LAB" -p "$work/others.ini" -- curl -sS -m 60 -b session=1 -H "Authorization: Bearer $planted" $url/a >/dev/null 2>"$work/log"
like "only = no: it goes" "$(seen)" "^Authorization: Bearer $planted"
like "so do cookies" "$(seen)" "^Cookie: session=1"
fresh
fetch "-d \"a=\$GH_TOKEN\"" $url/body >/dev/null
stays "in a body it stays what it is" "" "$(seen | grep -F $canary)"
like "and passes" "$(fetch "-d \"a=\$GH_TOKEN\"" $url/body)" 'a=ghp_'
fresh
fetch "-H \"Authorization: Bearer \$(echo \$GH_TOKEN | tr a-zA-Z b-zaB-ZA)\"" $url/a >/dev/null
stays "one that is written otherwise is not swapped" "" "$(seen | grep -F $canary)"
like "plain HTTP has no key" "$(fetch "-H \"Authorization: Bearer \$GH_TOKEN\"" http://www.allowed.test/a)" '^GET /a'

# --- requests that two readers take in two ways
raw_tls() { # bytes of a request, as printf writes them: what the client reads
	box -- python3 -c 'import os,socket,ssl,sys
link=ssl.create_default_context().wrap_socket(socket.create_connection(("www.allowed.test",8443)),server_hostname="www.allowed.test")
link.settimeout(20)
text=sys.argv[1].encode().decode("unicode_escape").replace("KEY",os.environ["GH_TOKEN"])
link.sendall(text.encode("latin1"))
got=b""
try:
    while part:=link.recv(65536): got+=part
except OSError as problem: got+=str(problem).encode()
sys.stdout.buffer.write(got)' "$1"
}
for odd in 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n' 'Content-Length: 3\r\nContent-Length: 4\r\n' 'X-A: b\r\n folded: KEY\r\n' 'X-A: b\nX-B: c\r\n' 'Transfer-Encoding: gzip, chunked\r\n' 'X-A : b\r\n' 'Content-Length: +3\r\n'; do
	fresh
	like "refused: $odd" "$(raw_tls "POST / HTTP/1.1\\r\\nHost: www.allowed.test:8443\\r\\n$odd\\r\\n")" '^HTTP/1.1 400 '
	stays "and nothing went: $odd" "" "$(seen)"
done
like "the absolute form" "$(raw_tls 'GET https://other.test/ HTTP/1.1\r\nHost: other.test\r\n\r\n')" '^HTTP/1.1 403 '
like "CONNECT in a connection" "$(raw_tls 'CONNECT other.test:8443 HTTP/1.1\r\nHost: other.test:8443\r\n\r\n')" '^HTTP/1.1 403 '
like "no host" "$(raw_tls 'GET / HTTP/1.0\r\n\r\n')" '^HTTP/1.1 403 '
like "a chunk that is none" "$(raw_tls 'POST /a HTTP/1.1\r\nHost: www.allowed.test:8443\r\nTransfer-Encoding: chunked\r\n\r\n5 x\r\nhello\r\n0\r\n\r\n')" '^HTTP/1.1 400 '
fresh
raw_tls 'POST /a HTTP/1.1\r\nHost: www.allowed.test:8443\r\nContent-Length: 6\r\n\r\nabcdefGET /KEY HTTP/1.1\r\nHost: www.allowed.test:8443\r\n\r\n' >"$work/answer"
like "a second request behind a body is judged as the first" "$(cat "$work/answer")" 'HTTP/1.1 403 '
is "and does not go" 1 "$(seen | grep -c HTTP/1.1)"

# --- the key in an answer
bearer='-H "Authorization: Bearer $GH_TOKEN"'
stays "in a header" "" "$(fetch -i "$bearer" $url/header | grep -F $canary)"
like "which holds the placeholder" "$(fetch -i "$bearer" $url/header)" '^X-Echo: Bearer ghp_'
urls=$(seq -f "$url/split/%g" 1 47 | tr '\n' ' ')
fetch "$bearer" "$urls" >"$work/answer"
is "cut in two at every byte" 47 "$(grep -oE 'Bearer ghp_[0-9A-Za-z]{36}' "$work/answer" | wc -l)"
stays "never comes back" 0 "$(grep -cF $canary "$work/answer")"
urls=$(seq -f "$url/chunks/%g" 1 47 | tr '\n' ' ')
fetch "-i $bearer" "$urls" >"$work/answer"
is "in chunks of every size" 47 "$(grep -oE 'Bearer ghp_[0-9A-Za-z]{36}' "$work/answer" | wc -l)"
stays "never comes back, nor in a trailer" 0 "$(grep -cF $canary "$work/answer")"
like "until the server closes" "$(fetch "$bearer" $url/close)" 'Bearer ghp_'
stays "without the key" 0 "$(fetch "$bearer" $url/close | grep -cF $canary)"
like "compressed without being asked: refused" "$(fetch "$bearer" $url/gzip)" 'its answer is compressed'
like "two lengths" "$(fetch "$bearer" $url/both)" 'not readable HTTP/1.1'
like "no answer at all" "$(fetch "$bearer" $url/silent)" 'ended without an answer'
like "an answer that is cut is seen as one" "$(inside "curl -sS -m 60 $url/cut; echo status \$?")" 'half.*status (18|56)'
is "20 MB come whole" 20971520 "$(inside "curl -sS -m 100 $url/size/20971520 | wc -c")"
is "and go whole" 20000000 "$(inside "head -c 20000000 /dev/zero | curl -sS -m 100 -T - -H 'Expect: 100-continue' $url/length")"
first=$(inside "curl -sSN -m 60 $url/events | while read -r line; do date +%s%N; done | sed -n '1p;\$p'")
spread=$((($(tail -1 <<<"$first") - $(head -1 <<<"$first")) / 1000000))
if [ $spread -ge 300 ]; then pass "events come one by one"; else fail "events come one by one" "$spread ms"; fi

# --- who is at the other end
fresh
like "a certificate that nobody signed: the reason in the box" "$(fetch "$bearer" https://www.allowed.test:8444/a)" "the server's certificate: self.signed"
like "and outside" "$(cat "$work/log")" "^sbx: could not reach www.allowed.test:8444.*the server's certificate: self.signed"
like "one that is expired" "$(fetch "$bearer" https://www.allowed.test:8445/a)" "certificate has expired"
like "one of another name" "$(fetch "$bearer" https://www.allowed.test:8446/a)" "hostname mismatch"
like "no TLS" "$(fetch "$bearer" https://www.allowed.test:8447/a)" "no TLS with the server"
stays "none of these had the key" "" "$(grep -F $canary "$LAB/echo.seen")"
box -- sh -c "curl -sS -m 60 --cacert $LAB/ca.pem $url/a" >/dev/null
like "a client with another list of certificates is reported" "$(cat "$work/log")" 'the client does not trust the certificates of this box'
# The alert is the client's last word, and the run ends behind it: an opener that is slow reads it all the same.
lost=0
for _ in $(seq 5); do
	box -- sh -c "echo >up; sleep 0.5; curl -sS -m 60 --cacert $LAB/ca.pem $url/a" >/dev/null &
	runner=$!
	wait_for 30 test -e up
	rm -f up
	opener=$(pgrep -n -u "$(id -u)" -x sbx-opener)
	while kill -STOP "$opener" && sleep 0.02 && kill -CONT "$opener"; do :; done 2>/dev/null
	wait $runner
	grep -q 'does not trust the certificates of this box' "$work/log" || lost=$((lost + 1))
done
is "each time, from an opener that is slow" 0 $lost
like "HTTP/2 alone" "$(box -- openssl s_client -connect www.allowed.test:8443 -servername www.allowed.test -alpn h2 2>&1 </dev/null; cat "$work/log")" 'no application protocol|speaks HTTP/2 alone'
is "no name in TLS" reset "$(box -- sh -c "timeout 20 openssl s_client -connect www.allowed.test:8443 -noservername </dev/null 2>&1 | grep -q 'BEGIN CERT' && echo opened || echo reset")"
box -a 'www.allowed.test' -- sh -c 'openssl s_client -connect www.allowed.test:443 -servername www.allowed.test </dev/null 2>/dev/null | openssl x509 -noout -issuer' >"$work/answer"
like "TLS to another port is not opened" "$(cat "$work/answer")" 'CN = lab'
certificate=$(inside 'cat /etc/ssl/certs/ca-certificates.crt | tail -30')
if [ "$certificate" != "$(inside 'cat /etc/ssl/certs/ca-certificates.crt | tail -30')" ]; then pass "each run has an authority of its own"; else fail "each run has an authority of its own"; fi
like "which is for the names of its rules alone" "$(inside "awk '/BEGIN/{t=\"\"}{t=t \$0 \"\\n\"}END{printf \"%s\",t}' /etc/ssl/certs/ca-certificates.crt | openssl x509 -noout -text")" 'DNS:www.allowed.test|Permitted'
like "the caller's own roots are in the list" "$(inside "openssl x509 -in $LAB/ca.pem >/tmp/own; tail -c +30 /tmp/own | head -c 60 >/tmp/part; grep -cFf /tmp/part \$SSL_CERT_FILE")" '^[1-9]'

# --- clients
fresh
cat >"$work/client.py" <<'END'
import os, urllib.request
r = urllib.request.Request("https://www.allowed.test:8443/python", headers={"Authorization": "Bearer " + os.environ["GH_TOKEN"]})
print(urllib.request.urlopen(r, timeout=30).status)
END
is "python" 200 "$(box --read "$work/client.py" -- python3 "$work/client.py")"
if command -v node >/dev/null; then
	is "node" 200 "$(inside 'node -e "fetch(\"https://www.allowed.test:8443/node\",{headers:{Authorization:\"Bearer \"+process.env.GH_TOKEN}}).then(r=>console.log(r.status))"')"
else
	skip "node" "it is not installed"
fi
if python3 -c 'import requests' 2>/dev/null; then
	is "requests" 200 "$(inside 'python3 -c "import requests,os;print(requests.get(\"https://www.allowed.test:8443/requests\",headers={\"X-Api-Key\":os.environ[\"GH_TOKEN\"]},timeout=30).status_code)"')"
fi
like "wget" "$(inside "wget -T 30 -qO- --header=\"Authorization: Bearer \$GH_TOKEN\" $url/wget")" 'GET /wget'
inside 'git -c "http.extraHeader=Authorization: Bearer $GH_TOKEN" ls-remote https://www.allowed.test:8443/repository.git' >/dev/null
like "git" "$(cat "$LAB/echo.seen")" 'GET /repository.git/info/refs'
is "each had the key" "$(grep -cE '^GET /(python|node|requests|wget|repository)' "$LAB/echo.seen")" "$(grep -cF $canary "$LAB/echo.seen")"

# --- what is refused before anything runs
bad() { # name, lines of a profile, the words
	printf '[profile]\nextends = default\n%s\n' "$2" >"$work/bad.ini"
	chmod 644 "$work/bad.ini"
	like "$1" "$(env -u GH_TOKEN "${@:4}" "$SBX" run -p "$work/bad.ini" -- echo it ran 2>&1)" "$3"
}
bad "a variable that is not set" $'[secret a]\nhost = a.test\nfrom = env GH_TOKEN' 'secret a: the variable GH_TOKEN is not set'
bad "one that is too short" $'[secret a]\nhost = a.test\nfrom = env GH_TOKEN' 'less than 16 letters and digits' GH_TOKEN=short
bad "one with a line end" $'[secret a]\nhost = a.test\nfrom = env GH_TOKEN' 'no header carries' GH_TOKEN=$'0123456789abcdefghij\nX: y'
bad "one that is too long" $'[secret a]\nhost = a.test\nfrom = env GH_TOKEN' 'longer than 4096' GH_TOKEN="$(head -c 4097 /dev/zero | tr '\0' a)"
bad "a file that others may read" "[secret a]
host = a.test
env = A
from = file $profile" 'chmod 600'
ln -s other.key "$work/link"
bad "a link" "[secret a]
host = a.test
env = A
from = file $work/link" 'Too many levels' A=a
bad "no file" "[secret a]
host = a.test
env = A
from = file $work/absent" 'No such file'
bad "no name" $'[secret]\nhost = a.test' 'a name of one word'
bad "two names" $'[secret a b]\nhost = a.test' 'a name of one word'
bad "no host" $'[secret a]\nfrom = env GH_TOKEN' 'needs both'
bad "no source" $'[secret a]\nhost = a.test' 'needs both'
bad "an address" $'[secret a]\nhost = 10.0.0.1\nfrom = env GH_TOKEN' 'is not a name'
bad "every name" $'[secret a]\nhost = *\nfrom = env GH_TOKEN' 'is not a name'
bad "a whole top level" $'[secret a]\nhost = *.com\nfrom = env GH_TOKEN' 'is not a name'
bad "a header that frames" $'[secret a]\nhost = a.test\nfrom = env GH_TOKEN\nheader = Host' 'can carry a key'
bad "a source that is none" $'[secret a]\nhost = a.test\nfrom = command cat x' 'env VARIABLE or file PATH'
bad "a key that is none" $'[secret a]\nport = 3' "unknown key 'port' in \[secret\]"
like "network none" "$(GH_TOKEN=$canary "$SBX" run -p "$profile" --network none -- true 2>&1)" '--network proxy'
like "network host" "$(GH_TOKEN=$canary "$SBX" run -p "$profile" --network host -- true 2>&1)" '--network proxy'
like "tier landlock" "$(GH_TOKEN=$canary "$SBX" run -p "$profile" --isolation landlock -- true 2>&1)" '--isolation namespaces'
like "network none, fixed" "$(GH_TOKEN=$canary "$SBX" run -p "$profile" --network proxy -- echo it ran 2>&1)" '^it ran'
like "tier landlock, fixed" "$(GH_TOKEN=$canary "$SBX" run -p "$profile" --isolation namespaces -- echo it ran 2>&1)" '^it ran'
bad "a variable that is not set, fixed" $'[secret a]\nhost = a.test\nfrom = env GH_TOKEN' '^it ran' GH_TOKEN=$canary
printf '%s\n' $canary >"$work/third.key"
chmod 600 "$work/third.key"
bad "a file that others may read, fixed" "[secret a]
host = a.test
env = A
from = file $work/third.key" '^it ran'
printf '[secret a]\nhost = a.test\nfrom = env GH_TOKEN\n' >.sbx.ini
like "a project's file names no secret" "$(GH_TOKEN=$canary "$SBX" run -- sh -c 'echo "<$GH_TOKEN>"' 2>&1)" '^<>$'
like "and the line says so, and no trust" "$(echo '; other' >>.sbx.ini; echo 'env = X' >>.sbx.ini; GH_TOKEN=$canary "$SBX" run -- true 2>&1 | paste -sd' ')" "^sbx: .sbx.ini:5: 'env = a X' is ignored: a project's file names no secrets; write it in a profile of yours\$"
like "it cannot be trusted" "$(GH_TOKEN=$canary "$SBX" profile trust 2>&1; echo "status $?"; GH_TOKEN=$canary "$SBX" run -- sh -c 'echo "<$GH_TOKEN>"' 2>&1)" "^sbx: .*a project's file names no secrets"
is "nor is it then" "<>" "$(GH_TOKEN=$canary "$SBX" run -- sh -c 'echo "<$GH_TOKEN>"' 2>&1)"
rm .sbx.ini
like "a secret with two variables names both" "$(unset GH_TOKEN GITHUB_TOKEN; "$SBX" run -p github-token -- true 2>&1)" 'the variable GH_TOKEN or GITHUB_TOKEN is not set; set it'
printf '[secret t]\nhost = api.example.org\nfrom = env T\nenv = T\n' >lone.ini
like "a secret in a profile without extends" "$(T=a23456789012345678901234 "$SBX" run -p ./lone.ini -- true 2>&1)" '^sbx: a box of this profile has no /usr and no network; write in the profile: extends = default$'
is "and with that line it runs" ran "$(printf '[profile]\nextends = default\n' | cat - lone.ini >with.ini; T=a23456789012345678901234 "$SBX" run -p ./with.ini -- echo ran 2>/dev/null)"
rm lone.ini with.ini

# --- the key is nowhere in the box
like "the file of a key is hidden" "$(box --read "$work" -- cat "$work/other.key" 2>&1; cat "$work/log")" 'denied|No such file|Permission'
leaks() { # in what the box can read
	inside "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline /etc/ssl/certs/ca-certificates.crt \$(find /dev /run /tmp \$HOME -maxdepth 3 -type f 2>/dev/null) 2>/dev/null" | tr '\0' '\n'
}
stays "not in variables, arguments, files" 0 "$(leaks | grep -cF -e "$canary" -e "$other")"
stays "another variable with the same value has nothing" "" "$(MY_COPY=$canary run_box -p "$profile" --pass-env MY_COPY --pass-env GH_TOKEN -- sh -c 'echo "$MY_COPY"' 2>/dev/null)"
plan=$(GH_TOKEN=$canary "$SBX" plan -p "$profile" -- true; GH_TOKEN=$canary "$SBX" plan --json -p "$profile" -- true)
is "not in the plan" 0 "$(grep -cF -e "$canary" -e "$other" <<<"$plan")"
like "which says what there is" "$plan" '^  secret +github: a placeholder in GH_TOKEN GITHUB_TOKEN'
is "nor in the state and its logs" "" "$(grep -rlF -e "$canary" -e "$other" "$HOME" "$XDG_STATE_HOME" 2>/dev/null)"

# --- the opener
timeout 100 env GH_TOKEN=$canary "$SBX" run -p "$profile" -- sh -c "curl -sS -m 60 -H \"Authorization: Bearer \$GH_TOKEN\" $url/a >/dev/null; echo >$project/up; exec sleep 60" >/dev/null 2>"$work/log" &
runner=$!
wait_for 60 test -e "$project/up"
supervisor=$(pgrep -P $runner)
opener=$(pgrep -P "$supervisor" -f '^sbx-opener')
like "the opener is a process of its own" "$opener" '^[0-9]+$'
wall() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$secrets/opener/status"; }
is "it has a filter of system calls" 2 "$(wall Seccomp)"
is "and gains no privileges" 1 "$(wall NoNewPrivs)"
is "nor has any" 0000000000000000 "$(wall CapEff)"
is "no core" "0 0" "$(awk '/^Max core/ { print $5, $6 }' "/proc/$secrets/opener/limits")"
is "no other processes" "0 0" "$(awk '/^Max processes/ { print $3, $4 }' "/proc/$secrets/opener/limits")"
if [ "$(id -u)" = 0 ]; then
	is "its memory cannot be dumped" root "$(stat -c %U "/proc/$secrets/opener/mem")"
	memory=$(python3 "$tests/net/search_memory.py" "$supervisor" "$canary")
	like "the opener has the key" "$memory" '^sbx-opener [1-9]'
	is "no other process has: supervisor, workers, the box's first, the command" "" "$(grep -v '^sbx-opener ' <<<"$memory" | grep -v ' 0$')"
	like "which were looked at" "$(wc -l <<<"$memory")" '^[4-9]'
	is "its socket leads nowhere: it has no address" 0 "$(ls -l "/proc/$secrets/opener/fd" | grep -c -E 'TCP|UDP|/dev/pts')"
else
	status "its memory cannot be read by its own user" 1 cat "/proc/$secrets/opener/environ"
fi
is "locked memory" 1 "$(awk '/^VmLck/ { print ($2 > 0) }' "/proc/$secrets/opener/status")"
kill -9 "$opener"
rm "$project/up"
kill "$supervisor"
wait $runner 2>/dev/null
like "when it is killed, that is reported" "$(cat "$work/log")" 'the opener, which holds the secrets, ended before'
timeout 100 env GH_TOKEN=$canary "$SBX" run -p "$profile" -- sh -c "echo >$project/up; while [ ! -e $project/go ]; do sleep 0.1; done; curl -sS -m 20 -H \"Authorization: Bearer \$GH_TOKEN\" $url/dead; echo status \$?; curl -sS -m 20 http://www.allowed.test/" >"$work/answer" 2>"$work/log" &
runner=$!
wait_for 60 test -e "$project/up"
kill -9 "$(pgrep -P "$(pgrep -P $runner)" -f '^sbx-opener')"
fresh
: >"$project/go"
wait $runner
stays "and its hosts are closed" "" "$(seen | grep dead)"
like "with the reason" "$(cat "$work/log")" 'blocked www.allowed.test:8443.*the opener, which holds the secrets, has ended'
like "while the rest goes on" "$(cat "$work/answer")" '^GET / host=www.allowed.test'
rm "$project/up"
timeout 100 "$SBX" run -- sh -c "echo >$project/up; exec sleep 60" &
runner=$!
wait_for 60 test -e "$project/up"
is "a run without a secret has no opener" 0 "$(pgrep -P "$(pgrep -P $runner)" -f '^sbx-opener' | wc -l)"
kill "$(pgrep -P $runner)"
wait $runner 2>/dev/null
done_testing
