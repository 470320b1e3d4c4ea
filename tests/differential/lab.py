"""Owns the servers, the boxes and what was seen of each stream."""
import glob
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import threading
import time

import streams

ADDRESSES = [f"203.0.113.{20 + number}" for number in range(1, 9)]
SEEN = re.compile(rb"[eE](\d{7})\.[eE][vV][iI][lL]\d\.")
ENDED = "the box ended"
SETTLE = 0.3  # seconds until a server has written down what it answered
PAGE = re.compile(r"FORBIDDEN-\w+-\[(.*?)\]-(.*?);", re.S)


class Found:
    """What came of a stream: true if the forbidden name was served."""

    def __init__(self, port, outcome, in_log):
        self.outcome, self.in_log = outcome, in_log
        self.allowed = outcome.get("allowed", False)
        pages = outcome.get("forbidden", [])
        self.named = in_log or any(SEEN.search(page.encode("latin1")) for page in pages)
        # Who names nobody gets the server's first name: in HTTP/1.0 without Host, and in TLS but for port 443.
        shown = [PAGE.match(re.sub("\r\n[0-9a-f]+\r\n", "", page)) for page in pages]  # without chunks
        by_design = all(page and page[1] in ("", "(none)") and page[2] == "HTTP/1.0" for page in shown) or (
            port != 443 and all(page.startswith("FORBIDDEN-CERT") for page in pages))
        self.unnamed_by_design = bool(pages) and not self.named and by_design
        self.found = self.named or (bool(pages) and not by_design)

    def __bool__(self):
        return self.found

    def text(self):
        return f"in the server's log: {'yes' if self.in_log else 'no'}; came back: {self.outcome}"


class Client:
    """A process of client.py, in a box or not, and the orders that it has not answered yet."""

    def __init__(self, command, log):
        self.waiting, self.lock, self.ended, self.log = {}, threading.Lock(), False, log
        self.writing = threading.Lock()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(log, "w"))
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            outcome = json.loads(line)
            with self.lock:
                done = self.waiting.pop(outcome["id"])
            done(outcome)
        with self.lock:
            self.ended, left = True, list(self.waiting.values())
        for done in left:
            done({"how": ENDED})

    def give(self, rows):
        """Each row is a number, an order, and who wants to know its outcome."""
        with self.lock:
            ended = self.ended
            if not ended:  # from here on read() says to each of them when the box ends
                self.waiting.update((number, done) for number, _, done in rows)
        for number, order, done in rows:
            if ended:
                done({"how": ENDED})
            else:
                self.write(json.dumps({"id": number, **order}).encode() + b"\n")
        self.write(b"\n")

    def write(self, line):
        try:
            with self.writing:
                self.process.stdin.write(line)
                if line == b"\n":
                    self.process.stdin.flush()
        except OSError:
            pass  # read() says so to all who wait

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.process.wait()


class Lab:
    def __init__(self, sbx, here):
        self.sbx, self.here, self.place = sbx, here, os.environ["LAB"]
        self.tokens = iter(range(5000000, 10000000))
        self.numbers = iter(range(1 << 60))
        self.lock = threading.Lock()
        self.seen, self.read_to = set(), {}
        self.started, self.clients, self.missing = [], {}, {}
        self.servers = []

    def __enter__(self):
        self.work = os.path.join(self.place, "differential")
        os.makedirs(self.work, mode=0o755)
        with open(self.place + "/hosts", "a") as hosts:
            for number, address in enumerate(ADDRESSES, 1):
                hosts.write(f"{address} www{number}.allowed.test evil{number}.test\n")
        self.certificates()
        for name in ("allowed", "forbidden"):
            os.makedirs(f"{self.work}/apache/{name}")
            with open(f"{self.work}/apache/{name}/index.html", "w") as page:
                page.write("ALLOWED-apache\n" if name == "allowed" else
                           'FORBIDDEN-apache-[<!--#echo encoding="none" var="HTTP_HOST" -->]-<!--#echo var="SERVER_PROTOCOL" -->;\n')
        for server, number in streams.SERVERS.items():
            self.start(server, number)
        self.servers = [server for server in streams.SERVERS if server not in self.missing]
        for server in self.servers:
            self.listens(server)
        return self

    def __exit__(self, *_):
        for client in self.clients.values():
            client.end()
        for process in self.started:
            process.terminate()
        for process in self.started:
            process.wait()

    def certificates(self):
        """All from the lab's authority; the forbidden one says so in its own bytes."""
        names = {"allowed": ("ALLOWED", "DNS:*.allowed.test"),
                 "forbidden": ("FORBIDDEN-CERT", ",".join(f"DNS:*.evil{n}.test" for n in range(1, 9)))}
        for name, (subject, others) in names.items():
            base = f"{self.work}/{name}"
            with open(base + ".ext", "w") as file:
                file.write(f"subjectAltName={others}\n")
            run = lambda *words: subprocess.run(("openssl", *words), check=True, stderr=subprocess.DEVNULL)
            run("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=" + subject,
                "-keyout", base + ".key", "-out", base + ".csr")
            run("x509", "-req", "-in", base + ".csr", "-CA", self.place + "/ca.pem", "-CAkey", self.place + "/ca.key",
                "-CAcreateserial", "-days", "2", "-extfile", base + ".ext", "-out", base + ".pem")
            os.chmod(base + ".key", 0o644)

    def filled(self, name, number):
        """A configuration with the places of this lab."""
        text = open(f"{self.here}/servers/{name}").read()
        user = next((user for user in ("www-data", "nobody") if has_user(user)), "root")
        group = "www-data" if user == "www-data" else "nogroup"
        for word, value in (("LAB", self.work), ("ADDRESS", ADDRESSES[number - 1]), ("N", str(number)),
                            ("USER", user), ("GROUP", group)):
            text = text.replace(f"@{word}@", value)
        path = f"{self.work}/{name}"
        with open(path, "w") as file:
            file.write(text)
        return path

    def outside(self, *command):
        log = open(f"{self.work}/{os.path.basename(command[0])}-{len(self.started)}.log", "w")
        self.started.append(subprocess.Popen([self.here + "/../net/outside", *command], stdin=subprocess.DEVNULL,
                                             stdout=log, stderr=log))

    def start(self, server, number):
        address, servers = ADDRESSES[number - 1], self.here + "/servers/"
        words = (self.work, address, str(number))
        program = {"nginx": "nginx", "apache": "apache2", "node": "node", "go": "go"}.get(server, "python3")
        path = os.environ["PATH"] + ":/usr/sbin:/sbin"
        found = shutil.which(program, path=path)
        if not found:
            self.missing[server] = f"there is no {program}"
        elif server == "nginx":
            self.outside(found, "-e", self.work + "/nginx-error.log", "-c", self.filled("nginx.conf", number))
        elif server == "apache":
            self.outside(found, "-DFOREGROUND", "-f", self.filled("apache.conf", number))
        elif server == "node":
            self.outside(found, servers + "node.js", *words)
        elif server == "python":
            self.outside("/usr/bin/python3", servers + "web.py", *words)
        elif server == "starttls":
            self.outside("/usr/bin/python3", servers + "starttls.py", *words)
        else:
            built = subprocess.run([found, "build", "-o", self.work + "/go-server", servers + "server.go"],
                                   capture_output=True, text=True,
                                   env={**os.environ, "GOFLAGS": "-mod=mod", "GO111MODULE": "auto", "CGO_ENABLED": "0"})
            if built.returncode:
                self.missing[server] = "go does not build it: " + built.stderr.splitlines()[-1]
            else:
                self.outside(self.work + "/go-server", *words)

    def listens(self, server):
        import socket
        end = time.monotonic() + 60
        ports = streams.PRELUDE_PORTS if server == "starttls" else (80, 8080, 443, 8443)
        for port in ports:
            while True:
                try:
                    socket.create_connection((ADDRESSES[streams.SERVERS[server] - 1], port), 1).close()
                    break
                except OSError:
                    if time.monotonic() > end:
                        logs = "".join(open(name).read() for name in glob.glob(self.work + "/*.log"))
                        bail(f"{server} does not listen at port {port}: {logs[-2000:]}")
                    time.sleep(0.05)

    def token(self):
        with self.lock:
            return next(self.tokens)

    def box(self, number):
        """How a command begins that reaches server NUMBER's allowed name and no other."""
        name = f"www{number}.allowed.test"
        common = [self.sbx, "run", "--read", self.here, "--read", self.work, "--read", self.place]
        # A rule without ports means what a list of ports without a suffix means.
        ports = [*streams.PLAIN, *streams.SECURE, *streams.H2C.values()]
        if number == streams.SERVERS["starttls"]:
            ports = [port + above for port in streams.PRELUDE_PORTS for above in (0, 10000)]
        if number > len(streams.SERVERS):
            return [*common, "-a", name]
        rule = name if number % 2 else name + ":" + ",".join(map(str, sorted(set(ports))))
        return [*common, "-a", rule]

    def client(self, server, direct):
        with self.lock:
            if (server, direct) not in self.clients:
                number = streams.SERVERS[server]
                command = ["/usr/bin/python3", "-B", self.here + "/client.py", f"www{number}.allowed.test"]
                log = f"{self.work}/client-{server}-{direct}.log"
                self.clients[server, direct] = Client(command if direct else self.box(number) + ["--"] + command, log)
            return self.clients[server, direct]

    def look(self):
        """Reads on in the servers' logs of what they acted on."""
        with self.lock:
            for name in glob.glob(self.work + "/*.seen") + [self.work + "/nginx-error.log",
                                                            self.work + "/apache-error.log"]:
                if not os.path.exists(name):
                    continue
                with open(name, "rb") as file:
                    file.seek(self.read_to.get(name, 0))
                    data = file.read()
                data = data[:data.rfind(b"\n") + 1]
                self.read_to[name] = self.read_to.get(name, 0) + len(data)
                for line in data.splitlines():
                    if name.endswith("nginx-error.log") and b"cannot load certificate" not in line:
                        continue
                    self.seen.update(int(found) for found in SEEN.findall(line))

    def run(self, orders, direct=False):
        """Each order is (server, port or None, token, what the client is given)."""
        outcomes, left, done = [None] * len(orders), [len(orders)], threading.Condition()
        by_client = {}
        for place, (server, _, _, order) in enumerate(orders):
            by_client.setdefault(self.client(server, direct), []).append((place, order))

        def finished(place):
            def store(outcome):
                with done:
                    outcomes[place] = outcome
                    left[0] -= 1
                    done.notify_all()
            return store

        for client, rows in by_client.items():
            with self.lock:
                rows = [(next(self.numbers), order, finished(place)) for place, order in rows]
            threading.Thread(target=client.give, args=(rows,), daemon=True).start()
        with done:
            while left[0]:
                done.wait()
        if any(outcome["how"] == ENDED for outcome in outcomes):
            bail("a box ended: " + "".join(open(client.log).read()[-600:] for client in self.clients.values() if client.ended))
        failed = [outcome["how"] for outcome in outcomes if outcome["how"].startswith(streams.FAILED)]
        if failed:
            bail(failed[0])
        time.sleep(SETTLE)
        self.look()
        return [Found(outcome.get("port") or port, outcome, token in self.seen)
                for (_, port, token, _), outcome in zip(orders, outcomes)]

    def fire(self, some, direct=False):
        orders = []
        for stream in some:
            token = streams.TOKEN.search(stream.sent())
            orders.append((stream.server, stream.port, int(token[1]) if token else -1, {"text": stream.text()}))
        return self.run(orders, direct)

    def make_and_fire(self, numbers):
        return self.run([(streams.SHARES[row[1] % len(streams.SHARES)], None, row[2],
                          {"make": row}) for row in numbers])


def bail(why):
    print("Bail out! " + why, flush=True)
    sys.exit(1)


def has_user(name):
    try:
        pwd.getpwnam(name)
        return True
    except KeyError:
        return False
