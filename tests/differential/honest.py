"""Clients that mean no harm: each gets its page from a box, by the name that its box may reach."""
import concurrent.futures
import glob
import os
import pwd
import shutil
import socket
import subprocess
import time

import streams

PEERS = 7  # the address of ssh and PostgreSQL
SECONDS = 300  # a bound for a busy machine: whoever gets no page at all waits so long
PROXY = "198.18.0.1:3128"
HTTP = ("nginx", "apache", "node", "python", "go")
S_CLIENT = ("", "-tls1_2", "-tls1_3", "-tls1_2 -cipher ECDHE-ECDSA-AES128-GCM-SHA256",
            "-tls1_3 -ciphersuites TLS_CHACHA20_POLY1305_SHA256",
            "-groups P-384:X25519", "-tls1_3 -groups P-521:P-256", "-tls1_3 -groups P-384", "-alpn http/1.1",
            "-no_ticket -status",
            "-tls1_3 -no_middlebox", "-legacy_renegotiation", "-tls1_3 -record_padding 64", "-maxfraglen 512")


def url(server, secure=False, port=""):
    return f"http{'s' if secure else ''}://www{streams.SERVERS[server]}.allowed.test{port}/"


def curls():
    for server in HTTP:
        page, safe = url(server), url(server, True)
        if server == "python":  # which answers HTTP/1.1 alone
            rows = {"http/1.1": page, "https, TLS 1.2": "--tls-max 1.2 " + safe}
        else:
            rows = {"http/1.0": "-0 " + page, "http/1.1": page, "http/1.1, port 8080": url(server, False, ":8080"),
                    "h2c by upgrade": "--http2 " + page, "a large field": f"-H 'X-Large: {'x' * 6000}' " + page,
                    "a chunked body": "-H 'Transfer-Encoding: chunked' -d @/etc/passwd " + page,
                    "two requests": page + " " + page,
                    "https, TLS 1.2": "--tls-max 1.2 " + safe, "https, TLS 1.3": "--tlsv1.3 " + safe,
                    "https, port 8443": url(server, True, ":8443"),
                    "https by HelloRetryRequest": "--tlsv1.3 --curves P-521:P-256 " + safe,
                    "CONNECT, http": f"-p -x http://{PROXY} " + page, "CONNECT, https": f"-x http://{PROXY} " + safe,
                    "absolute form": f"-x http://{PROXY} " + page, "socks5h, http": f"-x socks5h://{PROXY} " + page,
                    "socks5h, https": f"-x socks5h://{PROXY} " + safe}
        for name, words in rows.items():
            yield f"curl, {server}, {name}", "curl", streams.SERVERS[server], f"curl -sS -m 200 --noproxy '' {words}", "ALLOWED-" + server


def programs(work):
    """Name, the program, the server's number, the command, what it prints."""
    yield from curls()
    for server in HTTP:
        number, host = streams.SERVERS[server], f"www{streams.SERVERS[server]}.allowed.test"
        page, safe = url(server), url(server, True)
        yield f"wget, {server}", "wget", number, f"wget -qO- -T 200 --ca-certificate=$SSL_CERT_FILE {page} {safe}", "ALLOWED-" + server
        yield (f"python urllib, {server}", "python3", number,
               f"/usr/bin/python3 -c 'import urllib.request as u; [print(u.urlopen(a).read()) for a in (\"{page}\", \"{safe}\")]'", "ALLOWED-" + server)
        yield f"node fetch, {server}", "node", number, f"node -e 'Promise.all([\"{page}\", \"{safe}\"].map((a) => fetch(a).then((r) => r.text()))).then(console.log)'", "ALLOWED-" + server
        yield f"go, {server}", work + "/go-client", number, f"{work}/go-client {page} {safe}", "ALLOWED-" + server
        if server in ("nginx", "go"):
            for options in S_CLIENT:
                yield (f"openssl s_client {options}, {server}".replace(" ,", ","), "openssl", number,
                       f"(printf 'GET / HTTP/1.1\\r\\nHost: {host}\\r\\nConnection: close\\r\\n\\r\\n'; sleep 2) | openssl s_client -quiet -connect {host}:443 -servername {host} {options} 2>&1",
                       "ALLOWED-" + server)
    yield ("python requests, nginx", "python3 requests", 1,
           f"/usr/bin/python3 -c 'import requests; print(requests.get(\"{url('nginx', True)}\").text)'",
           "ALLOWED-nginx")
    yield "git by dumb http, nginx", "git", 1, f"git ls-remote {url('nginx')}files/served.git", "refs/heads/"
    yield "git clone by dumb https, nginx", "git", 1, f"git clone -q {url('nginx', True)}files/served.git got && cat got/file; rm -rf got", "from-git"
    yield ("npm, nginx", "npm", 1,
           f"npm view little version --registry {url('nginx', True)}files/npm/ --cafile $SSL_CERT_FILE --cache ./cache --loglevel error; rm -rf cache", "1.2.3")
    yield ("pip, nginx", "pip3", 1,
           f"/usr/bin/python3 -m pip download -q --no-deps --retries 0 --no-cache-dir --disable-pip-version-check --cert $SSL_CERT_FILE -d wheels -i {url('nginx', True)}files/simple/ little && ls wheels; rm -rf wheels",
           "little-1.0-py3-none-any.whl")
    starttls = f"www{streams.SERVERS['starttls']}.allowed.test"
    for word, port in (("smtp", 25), ("imap", 143), ("pop3", 110), ("ftp", 21), ("postgres", 5432), ("mysql", 3306),
                       ("xmpp", 5222), ("ldap", 389)):
        for tls in ("-tls1_2", "-tls1_3", "-tls1_3 -groups P-521:P-256"):
            yield (f"openssl s_client -starttls {word} {tls}", "openssl", streams.SERVERS["starttls"],
                   f"sleep 1.5 | openssl s_client -quiet -connect {starttls}:{port} -starttls {word} -servername {starttls} {tls} 2>&1", "ALLOWED-starttls")
    peer = f"www{PEERS}.allowed.test"
    ssh = f"ssh -i key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes -o ConnectTimeout=200 -F none"
    for port in (22, 2222):
        yield f"ssh, port {port}", "ssh", PEERS, f"install -m 600 {work}/key key; {ssh} -p {port} {peer} echo from-ssh; rm -f key", "from-ssh"
        yield f"git by ssh, port {port}", "ssh", PEERS, f"install -m 600 {work}/key key; GIT_SSH_COMMAND='{ssh}' git ls-remote ssh://{peer}:{port}{work}/files/served.git; rm -f key", "refs/heads/"
    for mode in ("disable", "prefer", "require"):
        yield f"psql, sslmode={mode}", "psql", PEERS, f"psql 'host={peer} user=tester dbname=postgres sslmode={mode}' -Atc \"select 'answer ' || 42\"", "answer 42"


def serve_files(place):
    """A repository, a package of npm and one of pip, as files."""
    files, source = place.work + "/files", place.work + "/source"
    os.makedirs(files + "/simple/little")
    os.makedirs(files + "/npm")
    os.makedirs(source)
    git = lambda *words: subprocess.run(("git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c",
                                         "safe.directory=*", *words), cwd=source, check=True, capture_output=True)
    git("init", "-q")
    with open(source + "/file", "w") as file:
        file.write("from-git\n")
    git("add", "file")
    git("commit", "-qm", "one")
    git("clone", "-q", "--bare", source, files + "/served.git")
    subprocess.run(("git", "-C", files + "/served.git", "update-server-info"), check=True)
    with open(files + "/npm/little", "w") as file:
        file.write('{"name":"little","dist-tags":{"latest":"1.2.3"},"versions":{"1.2.3":{"name":"little","version":"1.2.3",'
                   '"dist":{"tarball":"https://www1.allowed.test/none.tgz","shasum":"00"}}}}')
    import zipfile
    name = "little-1.0-py3-none-any.whl"
    with zipfile.ZipFile(f"{files}/simple/little/{name}", "w") as wheel:
        wheel.writestr("little.py", "word = 1\n")
        wheel.writestr("little-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: little\nVersion: 1.0\n")
        wheel.writestr("little-1.0.dist-info/WHEEL",
                       "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("little-1.0.dist-info/RECORD", "")
    with open(files + "/simple/little/index.html", "w") as file:
        file.write(f'<a href="{name}">{name}</a>\n')


def serve_ssh(place, address):
    sshd = shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not sshd:
        return "there is no sshd"
    for key in ("key", "hostkey"):
        subprocess.run(("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{place.work}/{key}"), check=True)
    os.chmod(place.work + "/key", 0o644)
    try:
        pwd.getpwnam("sshd")
    except KeyError:  # as which it reads before a login
        with open("/etc/passwd") as file, open(place.work + "/passwd", "w") as out:
            out.write(file.read() + "sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n")
        subprocess.run(("mount", "--bind", place.work + "/passwd", "/etc/passwd"), check=True)
    os.makedirs("/run/sshd", exist_ok=True)
    with open(place.work + "/sshd_config", "w") as file:
        file.write(f"Port 22\nPort 2222\nListenAddress {address}\nHostKey {place.work}/hostkey\nAuthorizedKeysFile {place.work}/key.pub\n"
                   "StrictModes no\nPidFile none\nUsePAM no\nPermitRootLogin yes\nMaxStartups 100\n")
        # One that was only unpacked finds its other half by a line (OpenSSH 9.9).
        other = os.path.dirname(os.path.realpath(sshd)) + "/../lib/openssh/sshd-"
        if os.path.exists(other + "session"):
            file.write(f"SshdSessionPath {other}session\nSshdAuthPath {other}auth\n")
    place.outside(sshd, "-D", "-f", place.work + "/sshd_config", "-E", place.work + "/sshd.log")
    return None if listens(address, 22) else "sshd does not begin: " + open(place.work + "/sshd.log").read()[-200:]


def serve_postgres(place, address):
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not found or not os.path.exists(found[-1] + "/initdb"):
        return "there is no PostgreSQL"
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        return "there is no user postgres"
    data = place.work + "/pg"
    os.makedirs(data)
    shutil.chown(data, "postgres")
    as_user = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "env", "LC_ALL=C.UTF-8")
    made = subprocess.run((*as_user, found[-1] + "/initdb", "-D", data, "-A", "trust", "-U", "tester", "-N"),
                          capture_output=True, text=True, cwd="/")
    if made.returncode:
        return "initdb: " + made.stderr[-200:]
    for name in ("pem", "key"):
        shutil.copy(f"{place.work}/allowed.{name}", f"{data}/server.{name}")
        os.chmod(f"{data}/server.{name}", 0o600)
        shutil.chown(f"{data}/server.{name}", "postgres")
    with open(data + "/pg_hba.conf", "a") as file:
        file.write("host all all 0.0.0.0/0 trust\n")
    place.outside(*as_user, found[-1] + "/postgres", "-D", data, "-h", address, "-k", data, "-c", "ssl=on", "-c",
                  "fsync=off",
                  "-c", "ssl_cert_file=server.pem", "-c", "ssl_key_file=server.key")
    return None if listens(address, 5432) else "PostgreSQL does not begin"


def listens(address, port):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            socket.create_connection((address, port), 1).close()
            return True
        except OSError:
            time.sleep(0.05)
    return False


def why_not(place, program, number, missing):
    """Why a client cannot be tried here, or None."""
    name, _, module = program.partition(" ")
    server = next((server for server, its in streams.SERVERS.items() if its == number), "")
    if server in place.missing:
        return place.missing[server]
    if program in missing and missing[program]:
        return missing[program]
    if not shutil.which(name):
        return f"there is no {os.path.basename(name)}"
    if module and subprocess.run(("/usr/bin/python3", "-c", "import " + module), capture_output=True).returncode:
        return f"python3 has no {module}"
    if name == "pip3" and subprocess.run(("/usr/bin/python3", "-m", "pip", "--version"),
                                         capture_output=True).returncode:
        return "python3 has no pip"
    return None


def results(place, addresses):
    """Name, good or None for not tried, and why or what was printed."""
    serve_files(place)
    missing = {"ssh": serve_ssh(place, addresses[PEERS - 1]), "psql": serve_postgres(place, addresses[PEERS - 1])}
    if shutil.which("go"):
        subprocess.run(("go", "build", "-o", place.work + "/go-client", place.here + "/servers/client.go"),
                       capture_output=True,
                       env={**os.environ, "GO111MODULE": "auto", "CGO_ENABLED": "0"})
    project = place.work + "/project"
    os.makedirs(project)
    ca = place.place + "/ca.pem"
    variables = {"SSL_CERT_FILE": ca, "NODE_EXTRA_CA_CERTS": ca, "CURL_CA_BUNDLE": ca, "GIT_SSL_CAINFO": ca,
                 "REQUESTS_CA_BUNDLE": ca}

    def attempt(row):
        name, program, number, command, wanted = row
        why = why_not(place, program, number, missing)
        if why:
            return name, None, why
        cwd = f"{project}/{abs(hash(name)):x}"
        os.makedirs(cwd)
        given = [word for pair in variables.items() for word in ("--env", "=".join(pair))]
        try:
            done = subprocess.run([*place.box(number), *given, "--", "bash", "-c", command], capture_output=True,
                                  cwd=cwd, timeout=SECONDS, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired as late:
            return name, False, f"not done after {SECONDS} s: {(late.stderr or b'')[-600:]}"
        text = (done.stdout + done.stderr).decode("utf-8", "replace")
        return name, wanted in done.stdout.decode("utf-8", "replace") and "FORBIDDEN" not in text, text[-600:]

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        yield from pool.map(attempt, programs(place.work))
