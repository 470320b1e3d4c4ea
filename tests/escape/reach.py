#!/usr/bin/python3
"""Random lines about the network, in a profile, in a project's own untrusted file and as flags: who can be
reached from the box is compared with a model of what sbx.ini(5) says, and so is what sbx why says of it.
  CASES=60 SEED=1 MODE=full|landlock tests/escape/reach.py      TAP; $SBX is the program; without MODE both.
  ONLY="3 7" runs these cases alone and shows what sbx said.
"""
import ipaddress, json, os, random, shutil, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
if "LAB" not in os.environ:
    os.execv(here + "/../net/lab.sh", ["lab.sh", sys.executable, os.path.abspath(__file__)])
sys.path.insert(0, here + "/../net")
from servers import HOST, HOST6, HOST_PRIVATE, META, NAMES, PRIVATE, WEB, WEB2, WEB6  # noqa: E402

SBX = os.environ["SBX"]
CASES, SEED = int(os.environ.get("CASES", "60")), int(os.environ.get("SEED", "1"))
MODE = "full"
work = os.path.realpath(tempfile.mkdtemp(prefix="sbx-reach."))
project = work + "/home/project"
OWN = {HOST, HOST_PRIVATE, HOST6, "198.51.100.70"}
ALIVE = {WEB, WEB2, PRIVATE, META, WEB6, HOST, HOST_PRIVATE, HOST6, "127.0.0.1", "::1"}
NAMED = ["www.allowed.test", "six.allowed.test", "other.test", "private.test", "meta.test", "loop.test", "mixed.test",
         "host.test", "host-private.test", "half-host.test", "nobody.test"]
ADDRESSES = [WEB, WEB2, PRIVATE, META, WEB6, HOST, HOST_PRIVATE, "127.0.0.1"]
OPENED = [word for word in ADDRESSES if word != "127.0.0.1"]  # a rule that allows it is an error
PORTS = [80, 7000]
WORDS = NAMED + OPENED + ["*", "*", "*.allowed.test", "*.test", "203.0.113.0/24", "203.0.113.8/31", "10.0.0.0/8",
                             "10.9.9.8/31", "0.0.0.0/0", "::/0", "2001:db8::/32", "169.254.0.0/16", "198.51.100.0/24",
                             "8.0.0.0/5"]
KEYS = {"loopback": "host-port"}  # the others have the names of here
FLAGS = {"allow": "--allow", "deny": "--deny", "private": "--private-network", "dns": "--dns",
         "mode": "--network", "loopback": "--host-port"}


def choose(generator):
    """Three lists of lines: the profile's, the untrusted file's, flags."""
    def word():
        text = generator.choice(WORDS)
        if generator.random() < 0.3:
            ports = generator.choice(["80", "7000", "80,7000", "443"])
            text = f"[{text}]:{ports}" if ":" in text and "/" not in text else text if ":" in text else f"{text}:{ports}"
        return text
    def line(own, flag):
        key = generator.choices(["allow", "deny", "private", "dns", "mode", "loopback", "empty"],
                                [10, 4, 3, 1, 1, 1, 0 if flag else 1])[0]
        if key in ("allow", "deny"):
            return key, word()
        if key == "empty":
            return generator.choice(["allow", "deny"]), ""
        return key, generator.choice({"private": ["yes", "yes", "no"], "dns": ["strict", "refuse"],
                                      "mode": ["proxy", "proxy", "none", "host"], "loopback": ["80", "7000"]}[key])
    return ([line(False, False) for _ in range(generator.randint(1, 5))],
            [line(True, False) for _ in range(generator.choice([0, 0, 1, 2]))],
            [line(False, True) for _ in range(generator.randint(0, 3))])


class Model:
    """What sbx.ini(5) promises."""
    LESS = {"mode": ["none", "proxy", "host"], "private": ["no", "yes"], "dns": ["strict", "refuse"]}

    def __init__(self, profile, own, flags):
        self.mode, self.private, self.dns = "proxy", "no", "refuse"
        self.allow, self.deny, self.loopback = [], [], []
        for lines, trusted in ((profile, True), (own, False), (flags, True)):
            for key, value in lines:
                self.take(key, value, trusted)

    def take(self, key, value, trusted):
        if key in self.LESS:
            order = self.LESS[key]
            if trusted or order.index(value) <= order.index(getattr(self, key)):
                setattr(self, key, value)
        elif not trusted and (key != "deny" or not value):
            return
        elif not value:
            setattr(self, key, [])
        else:
            getattr(self, key).append(value)

    @staticmethod
    def split(word):
        """(host, ports)"""
        if word.startswith("["):
            host, _, ports = word[1:].partition("]")
            return host, ports[1:]
        if word.count(":") == 1:
            return tuple(word.split(":"))
        return word, ""

    def matches(self, word, host, port):
        text, ports = self.split(word)
        if ports and str(port) not in ports.split(","):
            return False
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return text == "*" or text == host or (text.startswith("*.") and host.endswith(text[1:]))
        try:
            return address in ipaddress.ip_network(text)
        except ValueError:
            return False

    def named(self, words, host, port):
        return [word for word in words if self.matches(word, host, port)]

    @staticmethod
    def kind(address):
        """Not by Python's idea of private: the addresses of the lab are for documentation."""
        address = ipaddress.ip_address(address)
        if address.is_loopback or address.is_link_local or address.is_unspecified:
            return "never"
        return "private" if address in ipaddress.ip_network("10.0.0.0/8" if address.version == 4 else "fc00::/7") else "public"

    def means(self, word, address):
        text, _ = self.split(word)
        network = ipaddress.ip_network(text)
        if network.prefixlen == network.max_prefixlen:
            return True
        kind = self.kind(address)
        return address not in OWN and kind != "never" and (kind == "public" or self.kind(network[0]) == kind)

    def decided(self, host, port):
        """What the lines say, before a name is looked up."""
        if self.named(self.deny, host, port):
            return False
        allowed = self.named(self.allow, host, port)
        if host in NAMED:
            return bool(allowed)
        return host != "127.0.0.1" and any(self.means(word, host) for word in allowed)

    def leads(self, host):
        v4, v6 = NAMES.get(host, ([], []))
        return v4 + v6

    def reached(self, host, port):
        if self.mode == "host":
            return any(a in ALIVE for a in (self.leads(host) if host in NAMED else [host]))
        if host == "127.0.0.1":
            return self.mode == "proxy" and str(port) in self.loopback
        if self.mode == "none" or not self.decided(host, port):
            return False
        if host not in NAMED:
            return host in ALIVE
        return any(a in ALIVE and a not in OWN and not self.named(self.deny, a, port) and
                   (self.kind(a) == "public" or (self.kind(a) == "private" and self.private == "yes"))
                   for a in self.leads(host))


PROBE = """
import json, socket, sys, threading
reached, by_proxy = [], []
def attempt(host, port, found):
    where = "[%s]" % host if ":" in host else host
    try:
        with socket.create_connection((host, port) if found is reached else ("198.18.0.1", 3128), timeout=60) as s:
            if found is by_proxy:
                s.sendall(b"CONNECT %s:%d HTTP/1.1\\r\\nHost: %s:%d\\r\\n\\r\\n" % (where.encode(), port, where.encode(), port))
                if not s.recv(4096).startswith(b"HTTP/1.1 200"):
                    return
            s.sendall(b"hello\\n" if port == 7000 else b"GET / HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n" % where.encode())
            answer = s.recv(12)
            if answer.startswith(b"hello" if port == 7000 else b"HTTP/1.1 200"):
                found.append([host, port])
    except OSError:
        pass
threads = [threading.Thread(target=attempt, args=(*target, found)) for target in json.loads(sys.argv[1])
           for found in (reached, by_proxy)[:int(sys.argv[2])]]
for t in threads: t.start()
for t in threads: t.join()
print(json.dumps([reached, by_proxy]))
"""
TARGETS = [(host, port) for host in NAMED + ADDRESSES for port in PORTS]


def run_case(case):
    generator = random.Random(SEED * 1000003 + case)
    profile, own, flags = choose(generator)
    shutil.rmtree(project, ignore_errors=True)
    os.makedirs(project)
    with open(work + "/p.ini", "w") as file:
        file.write("[profile]\nextends = default\n[network]\n" + "".join(f"{KEYS.get(k, k)} = {v}\n" for k, v in profile))
    if own:
        with open(project + "/.sbx.ini", "w") as file:
            file.write("[network]\n" + "".join(f"{KEYS.get(k, k)} = {v}\n" for k, v in own))
    options = ["-p", work + "/p.ini", "--raw-port", "7000"]
    if MODE == "landlock":
        options += ["--isolation", "landlock", "--no-protect"]
    for key, value in flags:
        options += [FLAGS[key], value]
    model = Model(profile, own, flags)
    done = subprocess.run([SBX, "run", "--report", "full", *options, "--", "python3", "-c", PROBE, json.dumps(TARGETS),
                           "2" if model.mode == "proxy" else "1"], cwd=project, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    text = f"profile: {profile} | own: {own} | flags: {flags}"
    if done.returncode:
        return ["it did not run: " + done.stderr], text, done.stderr
    reached, by_proxy = [{tuple(target) for target in found} for found in json.loads(done.stdout.splitlines()[-1])]
    said = {}
    if model.mode == "proxy":
        words = [f"[{h}]:{p}" if ":" in h else f"{h}:{p}" for h, p in TARGETS]
        why = subprocess.run([SBX, "why", *options, *words], cwd=project, capture_output=True, text=True)
        said = {line.split(", port")[0]: line for line in why.stdout.splitlines() if ", port" in line}
    problems = []
    for host, port in TARGETS:
        wanted = model.reached(host, port)
        if ((host, port) in reached) != wanted:
            problems.append(f"{host}:{port} was {'not ' if wanted else ''}reached")
        if model.mode == "proxy" and ((host, port) in by_proxy) != (wanted and host != "127.0.0.1"):
            problems.append(f"{host}:{port} was {'not ' if wanted else ''}reached by CONNECT")
        line = said.get(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
        if line and host != "127.0.0.1" and ("can be reached" in line) != model.decided(host, port):
            problems.append(f"{host}:{port}: why says {line}")
    return problems, text, done.stderr


def main():
    global MODE
    os.environ.update(HOME=work + "/home", XDG_STATE_HOME=work + "/state", XDG_CONFIG_HOME=work + "/config")
    for name in [n for n in os.environ if n.lower().endswith("_proxy")]:
        del os.environ[name]
    only = [int(c) for c in os.environ.get("ONLY", "").split()]
    modes = os.environ.get("MODE", "full landlock").split()
    failures = 0
    for number, MODE in enumerate(modes, 1):
        wrong, cases = 0, only or range(CASES)
        os.makedirs(project, exist_ok=True)
        if MODE == "landlock":
            able = subprocess.run([SBX, "run", "--isolation", "landlock", "--no-protect", "--", "true"], cwd=project,
                                  capture_output=True, text=True)
            if able.returncode:
                print(f"ok {number} # SKIP landlock: {able.stderr.strip()}")
                continue
        for case in cases:
            problems, text, stderr = run_case(case)
            wrong += bool(problems)
            if only:
                print("#", stderr.replace("\n", "\n# "))
            if problems or only:
                print(f"# case {case}: {text}")
            for problem in problems:
                print(f"#   {problem}")
        print(f"{'not ' if wrong else ''}ok {number} - {MODE}: who is reached with {len(cases)} random networks is what the model says", flush=True)
        failures += bool(wrong)
    print(f"1..{len(modes)}")
    return failures > 0


try:
    result = main()
finally:
    shutil.rmtree(work, ignore_errors=True)
sys.exit(result)
