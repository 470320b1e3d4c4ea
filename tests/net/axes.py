#!/usr/bin/env python3
"""axes.py [byte]    what a process reaches from where it runs, in points, by the axes and weights of agentsec-pack 0.2
(critical 25, high 15, medium 8, low 3; 0 is best): a line for each axis that costs, then the sum. A host is reached
when connect(2) succeeds; with "byte", when a byte that was sent brought one back."""
import os
import re
import socket
import sys

CRITICAL, HIGH, MEDIUM, LOW = 25, 15, 8, 3
STEADY = {"/", "/tmp", "/etc/resolv.conf", "/etc/hostname", "/etc/hosts"}
KERNEL = set("""proc sysfs cgroup cgroup2 devpts mqueue tmpfs devtmpfs securityfs bpf debugfs tracefs fusectl hugetlbfs
nsfs overlay squashfs""".split())


def text(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def reached(host, port):
    try:
        with socket.create_connection((host, port), timeout=10) as link:
            if "byte" not in sys.argv:
                return True
            link.sendall(b"?")
            return len(link.recv(1)) == 1
    except OSError:
        return False


def writable(directory):
    name = os.path.join(directory, ".axes-%d" % os.getpid())
    try:
        os.close(os.open(name, os.O_CREAT | os.O_EXCL))
        os.unlink(name)
        return True
    except OSError:
        return False


def connects(path):
    try:
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(path)
        return True
    except OSError:
        return False


def capable():  # SYS_MODULE, SYS_RAWIO, SYS_PTRACE, SYS_ADMIN, NET_ADMIN, BPF
    return int(re.search(r"CapEff:\s*(\w+)", status).group(1), 16) & (1 << 16 | 1 << 17 | 1 << 19 | 1 << 21 | 1 << 12 | 1 << 39)


status = text("/proc/self/status")
mounts = [line.split() for line in text("/proc/mounts").splitlines()]
keys = """.aws/credentials .aws/config .ssh/id_rsa .ssh/id_ed25519 .ssh/id_ecdsa .ssh/config .netrc .npmrc .pypirc
.docker/config.json .kube/config .config/gcloud/application_default_credentials.json .git-credentials .gitconfig
.config/gh/hosts.yml""".split()
secret = r"(^|_)(SECRETS?|TOKENS?|PASSWORD|PASSWD|PASSPHRASE|APIKEY|CREDENTIALS?|PAT|JWT|(API|ACCESS|PRIVATE|SSH|CLIENT)_KEYS?)(_|$)"
unlimited = [text("/sys/fs/cgroup/" + name).strip() for name in ("memory.max", "pids.max")] == ["max", "max"]
axes = [
    ("egress", HIGH, any(reached(*at) for at in
                         (("dns.google", 443), ("pypi.org", 443), ("github.com", 443), ("1.1.1.1", 53)))),
    ("metadata", CRITICAL, any(reached(*at) for at in (("169.254.169.254", 80), ("metadata.google.internal", 80)))),
    ("root", HIGH, os.geteuid() == 0),
    ("capabilities", CRITICAL, capable()),
    ("no filter", MEDIUM, re.search(r"Seccomp:\s*0", status)),
    ("new privileges", LOW, re.search(r"NoNewPrivs:\s*0", status)),
    ("container socket", CRITICAL, any(map(connects, ("/run/docker.sock", "/var/run/docker.sock",
                                                      "/run/containerd/containerd.sock", "/run/podman/podman.sock")))),
    ("variables", HIGH, any(re.search(secret, name, re.I) for name in os.environ)),
    ("credential files", HIGH, any(os.access(os.path.expanduser("~/" + name), os.R_OK) for name in keys)),
    ("environment of pid 1", MEDIUM, text("/proc/1/environ")),
    ("system directories", HIGH, any(map(writable, ("/", "/etc", "/usr/bin", "/usr/local/bin")))),
    ("other directories", MEDIUM, any(map(writable, ("/root", "/home", "/var", "/opt")))),
    ("root read-write", LOW, any(m[1] == "/" and "rw" in m[3].split(",") for m in mounts)),
    ("mounts read-write", MEDIUM, any("rw" in m[3].split(",") and m[2] not in KERNEL and m[1] not in STEADY
                                      for m in mounts)),
    ("host's root", CRITICAL, os.path.exists("/host") or os.path.exists("/hostfs")),
    ("sysrq", CRITICAL, os.access("/proc/sysrq-trigger", os.W_OK)),
    ("processes", MEDIUM, sum(name.isdigit() for name in os.listdir("/proc")) > 50),
    ("no limits", LOW, unlimited),
]
for name, points, costs in axes:
    if costs:
        print(points, name)
print(min(100, sum(points for _, points, costs in axes if costs)), "in all")
