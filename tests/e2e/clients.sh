#!/bin/bash
# Real programs through the way out: each reaches what is allowed and is refused what is not, at
# once and told; first without proxy variables, then, where they know them, with.
. "$(dirname "$0")/../net/inside.sh"

# What a client needs besides: the servers' certificate for every library that has its own idea.
common=(--read "$LAB" --read "$tests" --env SSL_CERT_FILE="$LAB/ca.pem" --env NODE_EXTRA_CA_CERTS="$LAB/ca.pem"
	--env CURL_CA_BUNDLE="$LAB/ca.pem" --env GIT_SSL_CAINFO="$LAB/ca.pem" --env REQUESTS_CA_BUNDLE="$LAB/ca.pem"
	--env GOFLAGS=-mod=mod --env PYTHONWARNINGS=ignore -a '*.allowed.test' --raw-port 7000)
client() { timeout 300 "$SBX" run "${common[@]}" "${more[@]}" -- "$@" 2>"$work/log"; }
more=()

# name, what is seen when it works, command with HOST in it. Allowed, then denied: not the same,
# not only when the client has waited enough, and told.
both() {
	local name=$1 wanted=$2 begin took output
	shift 2
	output=$(client "${@//HOST/www.allowed.test}" 2>&1)
	like "$name" "$output$(cat "$work/log")" "$wanted"
	begin=$(date +%s%N)
	output=$(client "${@//HOST/denied.test}" 2>&1)
	took=$((($(date +%s%N) - begin) / 1000000))
	if printf '%s' "$output" | grep -Eq -- "$wanted"; then
		fail "$name, denied" "$output"
	elif [ "$took" -gt "30000" ]; then
		fail "$name, denied" "only after $took ms"
	else
		like "$name, denied and told" "$(cat "$work/log")" 'sbx: blocked denied.test:[0-9]+( \([^)]+\))?(, [0-9]+ times)?: not in the allowlist'
	fi
}
# A server of our own listens at PORT of the lab, or the test is not one.
listens() { # its name, PORT
	wait_for 60 bash -c "</dev/tcp/203.0.113.10/$2" || fail "$1 listens" "$(cat "$work/$1.log" 2>/dev/null)"
}
outside() { exec "$tests/net/outside" "$@"; }
have() { command -v "$1" >/dev/null || { skip "$1" "it is not installed"; return 1; }; }

# --- servers that are programs of their own
git init -q --bare "$work/served.git"
(cd "$project" && git add file && git commit -qm one && git push -q "$work/served.git" HEAD:refs/heads/master)
git -C "$work/served.git" update-server-info
mkdir -p "$work/web" && cp -r "$work/served.git" "$work/web/served.git"
cat >"$work/web.py" <<'END'
import functools, http.server, ssl, sys, threading
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words): pass
handler = functools.partial(Quiet, directory=sys.argv[2])
plain = http.server.ThreadingHTTPServer(("203.0.113.10", 8080), handler)
server = http.server.ThreadingHTTPServer(("203.0.113.10", 8443), handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1] + "/server.pem", sys.argv[1] + "/server.key")
server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=plain.serve_forever, daemon=True).start()
server.serve_forever()
END
outside python3 "$work/web.py" "$LAB" "$work/web" &
started=$!
outside git daemon --base-path="$work" --export-all --reuseaddr --listen=203.0.113.10 "$work/served.git" >"$work/daemon.log" 2>&1 &
started="$started $!"
mkdir -p "$work/module" && echo from-rsync >"$work/module/thing"
printf 'use chroot = no\nport = 8873\naddress = 203.0.113.10\n[m]\npath = %s\n' "$work/module" >"$work/rsyncd.conf"
outside rsync --daemon --no-detach --config="$work/rsyncd.conf" >"$work/rsync.log" 2>&1 &
started="$started $!"
trap 'kill $started 2>/dev/null; chmod -R u+rwx "$work" 2>/dev/null; rm -rf "$work"' EXIT
listens web 8443
listens daemon 9418
listens rsync 8873

# --- curl, wget, openssl, nc
both "curl, http/1.1" '^GET / host=' curl -sS -m 60 http://HOST/
both "curl, https" '^GET / host=' curl -sS -m 60 https://HOST/
both "wget" '^GET / host=' wget -qO- --ca-certificate="$LAB/ca.pem" -T 60 -t 1 https://HOST/
both "openssl s_client" 'subject=CN ?= ?www' bash -c "openssl s_client -connect HOST:443 -servername HOST -CAfile $LAB/ca.pem -verify_return_error </dev/null"
both "bash's /dev/tcp" '220 hello' bash -c 'exec 3<>/dev/tcp/HOST/2525; read -r line <&3; echo "$line"'
# h2 needs a server that speaks it.
if have node; then
	outside node -e '
const fs = require("fs"), lab = process.argv[1];
require("http2").createSecureServer({ cert: fs.readFileSync(lab + "/server.pem"), key: fs.readFileSync(lab + "/server.key") })
	.on("stream", (stream) => { stream.respond({ ":status": 200 }); stream.end("over h2\n"); }).listen(9443, "203.0.113.10");' "$LAB" &
	started="$started $!"
	listens h2 9443
	both "curl, h2" 'over h2' curl -sS -m 60 --http2 https://HOST:9443/
	both "node fetch (undici)" '^GET / host=' node -e 'fetch("https://HOST/").then((r) => r.text()).then(console.log, (e) => { console.log(String(e.cause)); process.exit(1); })'
	both "node http" '^GET / host=' node -e 'require("http").get("http://HOST/", (r) => { r.setEncoding("utf8"); r.on("data", (d) => console.log(r.statusCode === 200 ? d : "refused")); })'
	both "node, a socket by c-ares" 'hello' node -e 'const d = require("dns").promises; d.resolve4("HOST").then((a) => { const s = require("net").connect(7000, a[0], () => s.end("hello")); s.on("data", (b) => console.log(String(b))); s.on("error", (e) => console.log(e.code)); })'
fi

# --- python
both "python urllib" '^GET / host=' python3 -c 'import urllib.request; print(urllib.request.urlopen("https://HOST/", timeout=60).read().decode())'
both "python http.client, keep-alive" '^GET /2 host=' python3 -c 'import http.client
c = http.client.HTTPConnection("HOST", timeout=60)
for path in "/1", "/2":
    c.request("GET", path); r = c.getresponse(); print(r.read().decode() if r.status == 200 else r.status)'
both "python asyncio" 'hello' python3 -c 'import asyncio
async def main():
    r, w = await asyncio.open_connection("HOST", 7000); w.write(b"hello"); print((await r.read(5)).decode())
asyncio.run(main())'
python3 -c 'import requests' 2>/dev/null && both "python requests" '^GET / host=' python3 -c 'import requests; print(requests.get("https://HOST/", timeout=60).text)'

# --- go, java
if have go; then
	mkdir -p "$work/go" && cat >"$work/go/main.go" <<-'END'
		package main
		import ("fmt"; "io"; "net"; "net/http"; "os")
		func main() {
			r, err := http.Get("https://" + os.Args[1] + "/")
			if err != nil { fmt.Println(err); os.Exit(1) }
			io.Copy(os.Stdout, r.Body)
			c, err := net.Dial("tcp", os.Args[1] + ":7000")
			if err != nil { fmt.Println(err); os.Exit(1) }
			c.Write([]byte("hello")); b := make([]byte, 5); io.ReadFull(c, b); fmt.Println(string(b))
		}
	END
	(cd "$work/go" && CGO_ENABLED=0 GOCACHE=$work/gocache GO111MODULE=off go build -o get main.go) >"$work/log" 2>&1 || fail "go builds" "$(cat "$work/log")"
	more=(--read "$work/go")
	both "go net/http, its own resolver" '^GET / host=' "$work/go/get" HOST
	more=()
fi
if have javac; then
	mkdir -p "$work/java" && cat >"$work/java/Get.java" <<-'END'
		import java.net.*; import java.net.http.*;
		public class Get { public static void main(String[] w) throws Exception {
			System.out.println(HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(w[0])).build(),
				HttpResponse.BodyHandlers.ofString()).body()); } }
	END
	keytool -importcert -noprompt -alias lab -file "$LAB/ca.pem" -keystore "$work/java/trust" -storepass changeit >/dev/null 2>&1
	(cd "$work/java" && javac Get.java) >"$work/log" 2>&1 || fail "javac" "$(cat "$work/log")"
	more=(--read "$work/java")
	both "java HttpClient" '^GET / host=' java -Djavax.net.ssl.trustStore="$work/java/trust" -Djavax.net.ssl.trustStorePassword=changeit -cp "$work/java" Get https://HOST/
	more=()
fi

# --- git, ssh, rsync
both "git by https" 'refs/heads/master' git ls-remote https://HOST:8443/served.git
both "git://" 'refs/heads/master' git ls-remote git://HOST/served.git
# Its client speaks first, in a protocol that is not read: at 873, or by a rule that says so.
output=$(client rsync -q rsync://www.allowed.test:8873/m/thing got 2>&1)
like "rsync at a port of its own" "$(cat "$work/log")" 'blocked www.allowed.test:8873 .*; to allow: --allow www.allowed.test:8873/tcp'
more=(-a www.allowed.test:8873/tcp)
both "rsync" 'from-rsync' bash -c 'rsync -q --timeout=60 rsync://HOST:8873/m/thing got && cat got; rm -f got'
more=()
if have sshd; then
	ssh-keygen -q -t ed25519 -N '' -f "$work/hostkey" && ssh-keygen -q -t ed25519 -N '' -f "$work/key"
	cp "$work/key.pub" "$work/authorized" && chmod 600 "$work/authorized"
	cat >"$work/sshd_config" <<-END
		Port 2222
		ListenAddress 203.0.113.10
		HostKey $work/hostkey
		AuthorizedKeysFile $work/authorized
		StrictModes no
		PidFile none
		UsePAM no
	END
	# One that was only unpacked finds its other half by a line (OpenSSH 9.9).
	other=$(dirname "$(command -v sshd)")/../lib/openssh
	if [ -x "$other/sshd-session" ]; then
		printf 'SshdSessionPath %s\nSshdAuthPath %s\n' "$other/sshd-session" "$other/sshd-auth" >>"$work/sshd_config"
	fi
	mkdir -p /run/sshd 2>/dev/null
	if [ "$(id -u)" = 0 ] && ! getent passwd sshd >/dev/null; then # as which it reads before a login
		{ cat /etc/passwd && echo 'sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin'; } >"$work/passwd"
		chmod 644 "$work/passwd" && mount --bind "$work/passwd" /etc/passwd
	fi
	outside "$(command -v sshd)" -D -f "$work/sshd_config" -E "$work/sshd.log" &
	started="$started $!"
	listens sshd 2222
	cp "$work/key" "$project/key" && chmod 600 "$project/key"
	options=(-p 2222 -i "$project/key" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes -o ConnectTimeout=60 -F none)
	if [ "$(id -u)" = 0 ] || ssh "${options[@]}" 203.0.113.10 true 2>/dev/null; then
		both "ssh" 'from-ssh' ssh "${options[@]}" HOST echo from-ssh
		both "git by ssh" 'refs/heads/master' env GIT_SSH_COMMAND="ssh ${options[*]}" git ls-remote "ssh://HOST:2222$work/served.git"
		both "scp" 'hello' bash -c "scp -q -O ${options[*]/-p/-P} HOST:$project/file got && cat got; rm -f got"
	else
		both "ssh, as far as the host's key" 'ssh-ed25519' ssh-keyscan -T 60 -t ed25519 -p 2222 HOST
		skip "ssh, scp, git by ssh with a session" "sshd cannot start sessions in a user namespace"
	fi
	rm -f "$project/key"
fi

# --- databases
if [ -x "$(ls -d /usr/lib/postgresql/*/bin/postgres 2>/dev/null | tail -1)" ] && have psql; then
	bin=$(dirname "$(ls -d /usr/lib/postgresql/*/bin/postgres | tail -1)")
	if [ "$(id -u)" != 0 ]; then
		"$bin/initdb" -D "$work/pg" -A trust -U tester >/dev/null 2>&1
		outside "$bin/postgres" -D "$work/pg" -h 203.0.113.10 -k "$work" -p 5432 >"$work/pg.log" 2>&1 &
		started="$started $!"
		wait_for 60 "$bin/pg_isready" -qh 203.0.113.10
		echo 'host all all 0.0.0.0/0 trust' >>"$work/pg/pg_hba.conf" && "$bin/pg_ctl" -D "$work/pg" reload >/dev/null
		both "psql by name" 'answer 42' psql -h HOST -U tester -d postgres -Atc "select 'answer ' || 42"
	else
		skip "psql" "postgres does not run as root"
	fi
fi
if have redis-cli; then
	# As much of the server as a ping needs.
	outside python3 -c 'import socket
s = socket.create_server(("203.0.113.10", 6379))
while True:
    c, _ = s.accept()
    while d := c.recv(4096):
        c.sendall(b"+PONG\r\n" if b"ping" in d.lower() else b"*0\r\n")' &
	started="$started $!"
	listens redis 6379
	both "redis-cli by name" 'PONG' redis-cli -h HOST ping
fi

# --- packages
# Denied, with the tries that they have by themselves: npm and pnpm would try for 71 seconds, pip and cargo for 10.
gives_up() { # name, command
	local name=$1 begin=$SECONDS
	shift
	have "$1" || return
	client "$@" >"$work/out" 2>&1 && fail "$name is denied" "$(cat "$work/out")"
	[ $((SECONDS - begin)) -lt 60 ] && like "$name gives up on a denied host" "$(cat "$work/log")" 'blocked denied.test' || fail "$name gives up on a denied host" "after $((SECONDS - begin)) s"
}
gives_up npm npm view --registry https://denied.test little
if have pip3; then
	mkdir -p "$work/web/simple/little" "$work/package/little"
	printf 'from setuptools import setup\nsetup(name="little", version="1.0", packages=["little"])\n' >"$work/package/setup.py"
	echo 'word = "installed"' >"$work/package/little/__init__.py"
	python3 - "$work/web/simple/little/little-1.0-py3-none-any.whl" <<-'END'
		import sys, zipfile
		with zipfile.ZipFile(sys.argv[1], "w") as wheel:
		    wheel.writestr("little/__init__.py", 'word = "installed"\n')
		    info = "little-1.0.dist-info/"
		    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: little\nVersion: 1.0\n")
		    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
		    wheel.writestr(info + "RECORD", "")
	END
	echo '<a href="little-1.0-py3-none-any.whl">little-1.0-py3-none-any.whl</a>' >"$work/web/simple/little/index.html"
	both "pip against an index" 'Successfully installed little|^installed' bash -c 'pip3 install --break-system-packages --retries 0 --timeout 60 --disable-pip-version-check --no-cache-dir --cert $SSL_CERT_FILE -t ./got -i https://HOST:8443/simple little && PYTHONPATH=got python3 -c "import little; print(little.word)"; rm -rf got'
fi

# --- the same with proxy variables
more=(--env http_proxy=http://198.18.0.1:3128 --env https_proxy=http://198.18.0.1:3128 --env HTTPS_PROXY=http://198.18.0.1:3128)
both "curl by proxy" '^GET / host=' curl -sS -m 60 https://HOST/
both "wget by proxy" '^GET / host=' wget -qO- --ca-certificate="$LAB/ca.pem" -T 60 -t 1 https://HOST/
both "python urllib by proxy" '^GET / host=' python3 -c 'import urllib.request; print(urllib.request.urlopen("https://HOST/", timeout=60).read().decode())'
both "git by proxy" 'refs/heads/master' git ls-remote https://HOST:8443/served.git
[ ! -x "$work/go/get" ] || { more+=(--read "$work/go"); both "go by proxy" '^GET / host=' "$work/go/get" HOST; }
more=(--env ALL_PROXY=socks5h://198.18.0.1:1080)
both "curl by SOCKS" '^GET / host=' curl -sS -m 60 https://HOST/
done_testing
