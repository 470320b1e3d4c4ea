#!/usr/bin/env python3
"""sbx mcp wrap and serve, and sbx agent --mcp, without any package: servers and a client of our own. mcp.py 1000000: so many messages
of a hostile client; SEED=1. TAP."""
import contextlib, json, os, random, re, select, shutil, signal, subprocess, sys, tempfile, threading, time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, finish  # noqa: E402

SBX = os.environ["SBX"]
MESSAGES, SEED = int(sys.argv[1] if len(sys.argv) > 1 else "1000"), int(os.environ.get("SEED") or "1")
work = os.path.realpath(tempfile.mkdtemp(prefix="sbx-mcp"))
home, project = os.path.join(work, "home"), os.path.join(work, "home", "project")
os.makedirs(project)
os.environ.update(HOME=home, XDG_STATE_HOME=os.path.join(work, "state"))
for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"):
    os.environ.pop(name, None)
os.chdir(project)
OWN = f".{os.getpid()}"  # of each sleep of this test
subprocess.run(["git", "init", "-q"], check=True)
secret = os.path.join(home, "secret")
with open(secret, "w") as file:
    file.write("outside\n")


def sbx(*words, **more):
    return subprocess.run([SBX, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, **more)


def gone(mark):
    """No process has this word; a second for the kernel."""
    for _ in range(100):
        found = subprocess.run(["pgrep", "-f", mark], capture_output=True).stdout.split()
        if not found:
            return True
        time.sleep(0.05)
    return False


def comes(path):
    """A file is there, or a minute over."""
    for _ in range(1200):
        if os.path.exists(path):
            return True
        time.sleep(0.05)
    return False


def stop_child(pid, path):
    """Stops the first process that this one starts, unless the file comes before."""
    while not os.path.exists(path):
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            for child in map(int, children.read().split()):
                os.kill(child, signal.SIGSTOP)
                return child if not os.path.exists(path) else 0
    return 0


# --- wrap: stdio as it is, refusals on stderr when they happen and in audit
def wrapped(script, *options):
    return subprocess.Popen([SBX, "mcp", "wrap", *options, "--", "sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


everything = bytes(range(256)) * 4096  # and no newline at the end
server = wrapped("exec cat")
out, err = server.communicate(everything, timeout=60)
check("each byte passes, in both directions", (out, err, server.returncode) == (everything, b"", 0), (len(out), err, server.returncode))
server = wrapped(f"read line; cat {secret} 2>&1; curl -s -m 9 https://refused.invalid/; echo $SBX; read line")
server.stdin.write(b"go\n")
server.stdin.flush()
line = b""
while b"refused.invalid" not in line and select.select([server.stderr], [], [], 30)[0]:
    got = os.read(server.stderr.fileno(), 4096)
    line += got
    if not got:
        break
check("a refusal is on stderr while the server runs", server.poll() is None and b"sbx: blocked refused.invalid:443" in line, line)
out, err = server.communicate(b"end\n", timeout=60)
check("its output has nothing of sbx", b"No such file" in out and out.endswith(b"1\n") and b"sbx:" not in out, out)
check("and a refusal that was shown is not shown again", b"blocked" in line and b"blocked" not in err, err)
check("audit has it", "refused.invalid" in sbx("audit", "--denied").stdout)
server = wrapped("echo wrapped-$$ >&2; sleep 987" + OWN)
began = server.stderr.readline().startswith(b"wrapped-")
server.kill()
server.wait()
check("a client that kills it kills the server", began and gone("sleep 987" + OWN))
server = wrapped("kill -9 $$")
server.communicate(timeout=60)
check("a server that is killed ends so", server.returncode == -signal.SIGKILL, server.returncode)
socket = subprocess.Popen([sys.executable, "-c", """
import socket, subprocess, sys
ours, theirs = socket.socketpair()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stderr=theirs)
theirs.close()
print(ours.makefile().readline().strip())
child.wait()
""", SBX, "mcp", "wrap", "--", "sh", "-c", "curl -s -m 9 https://refused.invalid/; sleep 1; true"], stdout=subprocess.PIPE, text=True)
check("the same where stderr is a socket", "blocked refused.invalid:443" in socket.communicate(timeout=60)[0])
said = sbx("mcp", "wrap")
check("wrap without a server", said.returncode == 125 and "no server given; usage: sbx mcp wrap" in said.stderr, said.stderr)
said = sbx("mcp")
check("mcp without an action", said.returncode == 125 and "usage: sbx mcp wrap" in said.stderr, said.stderr)
check("an unknown action", "did you mean 'sbx mcp serve'?" in sbx("mcp", "server").stderr)

# --- the profile by the server's name
os.mkdir("bin")
for name in ("npx", "uvx", "mcp-server-github", "some-server"):
    with open(f"bin/{name}", "w") as file:
        file.write("#!/bin/sh\necho $SBX\nprintenv GITHUB_PERSONAL_ACCESS_TOKEN; ls -d $HOME/project/.git\n")
    os.chmod(f"bin/{name}", 0o755)
token = "ghp_" + "Canary0123456789abcdefCANARY012345XY"
env = {**os.environ, "GITHUB_PERSONAL_ACCESS_TOKEN": token}
for words, sees, placeholder in ((["bin/some-server"], True, False), (["bin/npx", "-y", "another"], True, False),
                                 (["bin/npx", "-y", "@modelcontextprotocol/server-memory@1.2"], False, False),
                                 (["bin/npx", "another", "@modelcontextprotocol/server-github"], True, False),
                                 (["bin/npx", "@modelcontextprotocol/server-github"], False, True), (["bin/mcp-server-github"], False, True)):
    plan = sbx("mcp", "wrap", "-r", os.path.join(project, "bin"), "--", *[os.path.join(project, words[0]), *words[1:]], env=env)
    check(f"wrap {' '.join(words)}: {'the project' if sees else 'no project'}, {'a placeholder' if placeholder else 'no token'}",
          plan.stdout.startswith("1\n") and (".git" in plan.stdout) == sees and (re.search("^ghp_.{36}$", plan.stdout, re.M) is not None) == placeholder and
          token not in plan.stdout, (plan.stdout, plan.stderr))


# --- serve
class Client:
    def __init__(self, *options, session="tools"):
        self.process = subprocess.Popen([SBX, "mcp", "serve", "-s", session, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.next, self.buffer, self.notes = 0, b"", []

    def send(self, message):
        self.process.stdin.write((message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n")
        self.process.stdin.flush()

    def read(self, seconds=60):
        end = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            if not select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
                return None
            got = os.read(self.process.stdout.fileno(), 1 << 16)
            if not got:
                return None
            self.buffer += got
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def ask(self, method, parameters=None):
        self.next += 1
        self.send({"jsonrpc": "2.0", "id": self.next, "method": method, "params": parameters or {}})
        while True:
            message = self.read()
            if message is None or message.get("id") == self.next:
                return message
            self.notes.append(message)

    def call(self, tool, **arguments):
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        result = answer.get("result") or {"content": [{"text": json.dumps(answer)}], "isError": None}
        return result["content"][0]["text"], result["isError"]

    def end(self):
        self.process.stdin.close()
        return self.process.wait(30)


os.mkdir("sub")
for words in ([], ["-s", "x", "more"], ["-s", "x", "-C", "sub"], ["-s", "x", "--"]):
    said = sbx("mcp", "serve", *words)
    check(f"serve {' '.join(words)}: refused", said.returncode == 125 and "mcp serve takes options alone" in said.stderr, said.stderr)
client = Client()
text, bad = client.call("run", command="true")
check("a session that is not there is said", bad and "no session 'tools'" in text and "sbx session create tools" in text, text)
client.end()
check("the session is made", sbx("session", "create", "tools").returncode == 0)
client = Client("-e", "GIVEN=1")
for asked, got in (("2025-11-25", "2025-11-25"), ("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-11-25"), ("2025", "2025-11-25")):
    answer = client.ask("initialize", {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
    check(f"initialize with {asked}", answer["result"]["protocolVersion"] == got and answer["result"]["serverInfo"]["name"] == "sbx", answer)
client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
tools = client.ask("tools/list")["result"]["tools"]
check("the tools", [tool["name"] for tool in tools] == "run read write edit list diff apply why".split(), tools)
check("each with a schema and words for a model", all(tool["inputSchema"]["type"] == "object" and len(tool["description"]) > 20 for tool in tools))
check("ping", client.ask("ping")["result"] == {})
check("run: output, status, a variable of the server's options",
      client.call("run", command="echo $GIVEN; echo b >&2; exit 3") == ("1\nb\n\n[exit status 3]", True))
odd = "one\n$x \"q\" 'r' \\ %s *\n\u00e9\n"
check("write", client.call("write", path="d/e/new", content=odd) == ("", False))
check("read", client.call("read", path="d/e/new") == (odd, False))
check("read: a part", client.call("read", path="d/e/new", offset=4, limit=2) == ("$x", False))
check("the host has no such file", not os.path.exists("d"))
check("edit", client.call("edit", path="d/e/new", old="\"q\" 'r' \\", new="[*]$(touch made)`id`") == ("", False))
check("each byte of it", client.call("read", path="d/e/new")[0] == odd.replace("\"q\" 'r' \\", "[*]$(touch made)`id`"))
for old, why in (("none", "does not have this text"), ("e", "more than once"), ("\n", "more than once"), ("", "old is empty")):
    text, bad = client.call("edit", path="d/e/new", old=old, new="x")
    check(f"edit: {old!r} is refused", bad and why in text, text)
client.call("run", command="printf 'a\\0b' >binary; mkfifo fifo; ln -s / top")
check("edit: a binary file", "is not text" in client.call("edit", path="binary", old="a", new="c")[0])
check("edit: a FIFO", "no such file" in client.call("edit", path="fifo", old="a", new="c")[0])
check("read: a NUL is shown as ?", client.call("read", path="binary")[0] == "a?b")
check("read: no file is an error", client.call("read", path="none")[1] and client.call("read")[1])
check("a command that is too long is said", "Argument list too long" in client.call("run", command=":" + "x" * 200000)[0])
check("'@' is a word as any other", client.call("read", path="@")[1] and client.call("run", command="@")[0].count("@") == 1)
client.send({"jsonrpc": "2.0", "id": "busy", "method": "tools/call", "params": {"name": "run", "arguments": {"command": "sleep 2"}}})
time.sleep(0.7)
check("apply while a call runs: who uses the session is said", "is in use by process" in client.call("apply")[0])
check("and that call is answered", client.read()["id"] == "busy")
check("read: a directory", "is a directory; use list" in client.call("read", path="d")[0])
check("list", " new" in client.call("list", path="d/e")[0] and " .git" in client.call("list")[0])
for path in (secret, "../secret", "top" + secret, "/proc/1/root" + secret, f"/proc/{os.getpid()}/root{secret}", "/proc/self/cwd/../secret"):
    text, _ = client.call("read", path=path)
    check(f"read {path.replace(work, '')}: not outside", text == "written" or re.search("No such file|Permission denied", text), text)
    client.call("write", path=path, content="written")
    client.call("edit", path=path, old="outside", new="written")
with open(secret) as file:
    check("and nothing of it was written", file.read() == "outside\n")
check("a name that begins with '-'", client.call("write", path="-rf", content="x") == ("", False) and client.call("read", path="-rf")[0] == "x")
check("an option as a command is one", "--help" in client.call("run", command="--help")[0])
check("what is refused is said in lines for a model", "sbx: blocked refused.invalid:443" in client.call("run", command="curl -s -m 9 https://refused.invalid/")[0])
text, _ = client.call("diff", path="d")
check("diff: the names that changed, and no text of the host's", "d/e/new" in text and "[*]" not in text, text)
check("diff: nothing there", client.call("diff", path="none")[0] == "" or "nothing" in client.call("diff", path="none")[0])
check("apply: no name can be chosen", client.call("apply", path=".envrc")[1])
text, bad = client.call("apply")
check("apply", not bad and "applied" in text and os.path.exists("d/e/new"), text)
client.call("write", path=".git/hooks/post-merge", content="#!/bin/sh\n")
client.call("write", path=".envrc", content="x\n")
text, _ = client.call("apply")
check("apply leaves out what the host would run", not os.path.exists(".git/hooks/post-merge") and not os.path.exists(".envrc"), text)
check("why: a host", "cannot be reached" in client.call("why", word="github.com")[0])
check("why: an error text", "the box does not show it" in client.call("why", word="cat: /x/y: No such file or directory")[0].replace("\n", " "))
for word in (secret, "~/secret", "./x", "$HOME", "HOME", "..", "a/../../secret", ""):
    text, bad = client.call("why", word=word)
    check(f"why {word.replace(work, '')!r} tells nothing of the host", bad and "why is for hosts" in text, text)
client.call("write", path="a b/x", content="x")
client.call("apply")
for word in ("a b/../" + "../" * 20 + "etc/shadow", "a b/" + "../" * 20 + "nothere", "d"):
    check(f"why {word[:12]!r}: nor by a name that a client made", client.call("why", word=word)[1])
check("why: no option", "Usage" not in client.call("why", word="--help")[0] and "sbx why [" not in client.call("why", word="--help")[0])
for tool, arguments, why in (("nothing", {}, "no tool 'nothing'"), ("run", {}, "argument 'command' is missing"), ("run", {"command": 3}, "is not a string"),
                             ("run", {"command": "true", "profile": "x"}, "'profile' is not an argument"), ("read", {"path": "x", "limit": -1}, "is not a whole number"),
                             ("read", {"path": "x", "limit": 1e99}, "is not a whole number"), ("read", {"output": 7}, "output 7 is not stored")):
    text, bad = client.call(tool, **arguments)
    check(f"{tool} {arguments}: {why}", bad and why in text, text)

# --- outputs, many calls, cancelling
text, _ = client.call("run", command="seq 1 20000")
check("a long output is cut, with the way to the rest", text.endswith("[78894 more bytes; the next: tool read, output 1, offset 30000]"), text[-200:])
whole, offset = text.rsplit("\n[", 1)[0], 30000
while True:
    text, _ = client.call("read", output=1, offset=offset)
    part = text.rsplit("\n[", 1)[0] if "more bytes; the next" in text else text
    whole, offset = whole + part, offset + len(part)
    if part == text:
        break
check("which has each byte", whole == "".join(f"{i}\n" for i in range(1, 20001)), (len(whole), whole[-20:]))
text, _ = client.call("run", command="head -c 100000000 /dev/zero | tr '\\0' x")
check("100 MB: the first 4 MiB are stored", "[4164304 more bytes; the next: tool read, output 2, offset 30000]" in text, text[-200:])
check("and it is said that the rest is not", "what follows these bytes was not stored" in client.call("read", output=2, offset=4194000)[0])
client.call("run", command="head -c 40000 /dev/zero | tr '\\0' '\\200'")
check("what is no text is cut as well", "offset 29997]" in client.call("run", command="head -c 40000 /dev/zero | tr '\\0' '\\200'")[0][-80:] and
      "next: tool read, output 4, offset 29998]" in client.call("read", output=4, offset=29997, limit=1)[0])
check("a cut is between characters", "\ufffd" not in client.call("run", command="yes \u00e9\u20ac | head -c 90001")[0])
client.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "write", "arguments": {"path": "big", "content": "x" * (5 << 20)}}})
answer = client.read()
check("a message over 1 MiB is refused", answer["id"] is None and "not a JSON text of at most 1 MiB" in answer["error"]["message"], answer)
check("and the next one is answered", client.call("write", path="big", content="y" * 900000) == ("", False))
many = b"\n".join(json.dumps({"jsonrpc": "2.0", "id": f"many{i}", "method": "tools/call", "params": {
    "name": "run", "arguments": {"command": f"echo n{i}"}}}).encode() for i in range(1000))
threading.Thread(target=client.send, args=(many,), daemon=True).start()
answers = {}
while len(answers) < 1000:
    message = client.read()
    if message is None:
        break
    answers[message["id"]] = message["result"]["content"][0]["text"]
check("a thousand calls at once: each is answered", all(answers.get(f"many{i}") == f"n{i}\n" for i in range(1000)), len(answers))
client.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": {
    "name": "run", "arguments": {"command": f"trap '' TERM; echo begun; sleep 986{OWN}; sleep 985"}, "_meta": {"progressToken": "p"}}})
note = client.read()
check("progress", note and note["method"] == "notifications/progress" and note["params"]["progressToken"] == "p" and note["params"]["progress"] >= 1, note)
client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}})
check("a call that is cancelled is ended", gone("sleep 986" + OWN))
check("and has no answer", client.ask("ping")["result"] == {} and not [each for each in client.notes if each.get("id") == "slow"], client.notes)
apply = {"jsonrpc": "2.0", "id": "apply", "method": "tools/call", "params": {"name": "apply", "arguments": {}}}
cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "apply"}}
client.call("write", path="cancelled", content="x")
client.send(f"{json.dumps(apply)}\n{json.dumps(cancel)}".encode())  # one read: the call has hardly begun
check("an apply that is cancelled ends whole", comes("cancelled"))
stopped = 0
for i in range(20):  # until one is stopped in time
    client.end()
    client = Client()
    while client.call("write", path=f"killed{i}", content="x")[1]:  # the apply before holds the session
        time.sleep(0.05)
    client.send(apply)
    with contextlib.suppress(ProcessLookupError):
        stopped = stop_child(client.process.pid, f"killed{i}")
    if stopped:
        break
client.process.kill()
client.process.wait()
if stopped:
    with contextlib.suppress(ProcessLookupError):
        os.kill(stopped, signal.SIGCONT)
check("and so does one whose server is killed", stopped and comes(f"killed{i}"), stopped)
client = Client()
client.send({"jsonrpc": "2.0", "id": "left", "method": "tools/call", "params": {"name": "run", "arguments": {"command": "sleep 984" + OWN}}})
time.sleep(0.5)
check("a client that goes: the server ends", client.end() == 0)
check("and its calls", gone("sleep 984" + OWN))
client = Client("--network", "none", "-p", "offline")
check("the profile is that of the start", client.call("run", command="curl -s -m 9 https://refused.invalid/ || echo none")[0].startswith("none"))
client.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run", "arguments": {"command": "sleep 983" + OWN}}})
time.sleep(0.5)
client.process.kill()
check("a server that is killed leaves no call", gone("sleep 983" + OWN))

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
client = Client()
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
check("a client that ignores SIGCHLD: a status is that of the call", client.call("run", command="exit 3") == ("\n[exit status 3]", True))
client.end()
client = Client()
for i in range(40):
    client.send({"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {"name": "run", "arguments": {"command": "sleep 981" + OWN}}})
time.sleep(1.5)
client.process.stdin.close()
check("a client that goes while calls wait for others: the server ends, and all of them", client.process.wait(30) == 0 and gone("sleep 981" + OWN))

# --- a hostile client
chance = random.Random(SEED)
samples = [b'{"jsonrpc":"2.0","id":1,"method":"ping"}', b'{"jsonrpc":"2.0","id":"x","method":"tools/list","params":{}}',
           b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{"output":1,"offset":3}}}',
           b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"why","arguments":{"word":"/x"}}}',
           b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}', b'[]', b'{}', b'nul', b'""',
           b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"nothing","arguments":{"a":[[[{}]]]},"_meta":{"progressToken":[]}}}',
           b'{"jsonrpc":"2.0","id":{"a":1},"method":"initialize","params":{"protocolVersion":3}}', b'{"id":1,"result":{}}', b"[" * 2000]


def hostile():
    text = bytearray(chance.choice(samples))
    for _ in range(chance.choice((0, 0, 1, 2, 5))):
        at = chance.randrange(len(text) + 1)
        what = chance.randrange(4)
        if what == 0:
            text[at:at + 1] = bytes([chance.randrange(256)])
        elif what == 1:
            text[at:at + chance.randrange(9)] = b""
        elif what == 2:
            text[at:at] = chance.choice([b'"', b"{", b"}", b"\\u0000", b"\\", b",", b"\xff\xfe", b"null", b"1e999", b"-", b"/*", b"]"])
        else:
            text[at:at] = bytes(text[:chance.randrange(60)])
    return bytes(text).replace(b"\n", b" ")


client = Client()
wrong, sent = [], 0
while sent < MESSAGES and not wrong:
    batch = min(500, MESSAGES - sent)
    text = b"\n".join(hostile() for _ in range(batch)) + b'\n{"jsonrpc":"2.0","id":"mark","method":"ping"}'
    writer = threading.Thread(target=client.send, args=(text,), daemon=True)
    writer.start()
    sent += batch
    while True:
        try:
            message = client.read()
        except ValueError as error:
            wrong.append(str(error))
            break
        if message is None or message.get("jsonrpc") != "2.0" or ("result" in message) == ("error" in message):
            wrong.append((message, client.process.poll()))
            break
        if message["id"] == "mark":
            writer.join()
            break
check(f"{sent} messages of a hostile client, seed {SEED}: each answer is one, and the last is answered", not wrong, wrong)
check("it ends as ever", client.end() == 0)
if MESSAGES > 10000:  # tests/suites: nightly
    shutil.rmtree(work, ignore_errors=True)
    finish()

# --- sbx agent --mcp
tool = os.path.join(work, "own", "sbx")
os.mkdir(os.path.dirname(tool))
shutil.copy(SBX, tool)
os.symlink("sbx", tool + "-shell")
FILES = {
    "claude-code": (".claude.json", '{ "a": 1, // mine\n  "projects": {"/x": {"mcpServers": {"p": {"command": "npx","args":["-y", "a"]}}}, "/y": {}},\n'
                    '  "mcpServers": {\n    "m": { "type": "stdio", "command": "npx", "args": [\n      "-y", /* z */ "pkg"\n    ], "env": {"A": "b"} },\n'
                    '    "n": {"command": "/my serv"},\n    "e": {"args": [], "command": "uvx"}, "f": {"args": [ "x", ], "command": "u\\u0076x"},\n'
                    '    "http": {"url": "http://x"}\n  }\n}\n', 5),
    "gemini": (".gemini/settings.json", '{"hooks": {}, "mcpServers": {"a": {"command": "npx", "args": ["-y", "x"]}}}', 1),
    "opencode": (".config/opencode/opencode.json", '{"mcp": {"a": {"type": "local", "command": ["npx", "-y", "x"]}, "r": {"type": "remote", "url": "u"}}}\n', 1),
    "codex": (".codex/config.toml", 'model = "x" # [mcp_servers.no]\ntext = """\n[mcp_servers.fake]\ncommand = "a"\n"""\n[mcp_servers.memory]\n'
              'command = "npx" # the runner\nargs = [\n  "-y",\n  "pkg",\n]\n[mcp_servers.memory.env]\nB = "c"\n[mcp_servers.one]\ncommand = "/x"\n'
              '[mcp_servers.http]\nurl = "https://x"\n[tui]\ncommand = "no"\n', 2),
    "vscode": (".config/Code/User/mcp.json", '{\r\n\t"servers": {\r\n\t\t"a": {"type": "stdio", "command": "npx", "args": ["-y", "x"]}\r\n\t}\r\n}', 1),
}


def agent(*words):
    said = subprocess.run([tool, "agent", *words], capture_output=True, text=True, timeout=60)
    return said.returncode, said.stdout + said.stderr


def place(name):
    return os.path.join(home, FILES[name][0])


def put(name, text):
    os.makedirs(os.path.dirname(place(name)), exist_ok=True)
    with open(place(name), "w", newline="") as file:
        file.write(text)


def now(name):
    with open(place(name), newline="") as file:
        return file.read()


for name, (_, text, count) in FILES.items():
    put(name, text)
    status, said = agent("install", name, "--mcp", "--dry-run")
    check(f"{name}: a dry run shows it and writes nothing", status == 0 and '"mcp", "wrap"' in said and now(name) == text, said)
    status, said = agent("install", name, "--mcp")
    check(f"{name}: {count} servers", status == 0 and f"{count} server" in said and now(name).count('"mcp", "wrap"') == count, said + now(name))
    once = now(name)
    status, said = agent("install", name, "--mcp")
    check(f"{name}: again, nothing is to do", status == 0 and "names no server that is started outside a box" in said and now(name) == once, said)
    check(f"{name}: what is no server stays", all(part in once for part in ("/* z */", "// mine", "# the runner", "fake", "http", "remote") if part in text))
    status, said = agent("remove", name, "--mcp")
    check(f"{name}: each byte is back", status == 0 and now(name) == text, said + now(name))
    agent("install", name, "--mcp")
    more = now(name).replace("npx", "bunx").replace('"x"', '"z"').replace("pkg", "other")
    put(name, more)
    agent("remove", name, "--mcp")
    check(f"{name}: what was edited since stays", now(name) == text.replace("npx", "bunx").replace('"x"', '"z"').replace("pkg", "other"), now(name))
for args in (["mcp", "wrap", "-p", "node", "npx", "-y", "srv"], ["mcp", "wrap", "npx", "srv", "--", "x"], ["mcp", "serve", "-s", "x"], ["run", "--", "srv"]):
    put("gemini", json.dumps({"mcpServers": {"a": {"command": "sbx", "args": args}, "b": {"command": "npx", "args": ["x"]}}}))
    before = now("gemini")
    agent("remove", "gemini", "--mcp")
    kept = now("gemini") == before
    agent("install", "gemini", "--mcp")
    check(f"an entry of somebody's that is sbx stays: {' '.join(args)}", kept and json.dumps(args) in now("gemini") and '"wrap", "--", "npx"' in now("gemini"), now("gemini"))
for name in ("claude-code", "gemini", "opencode", "vscode"):
    data = json.loads(FILES[name][1].replace("// mine", "").replace("/* z */", "").replace('"x", ]', '"x" ]'))
    put(name, json.dumps(data))
    agent("install", name, "--mcp")
    put(name, json.dumps(json.loads(now(name)), indent=4))  # as agents write their files again
    agent("remove", name, "--mcp")
    check(f"{name}: also out of a file that was written anew", json.loads(now(name)) == data and "sbx" not in now(name), now(name))
put("codex", 'args = ["a"]\n[mcp_servers.one]\nargs = ["b"]\ncommand = "c"\n')
agent("install", "codex", "--mcp")
check("codex: arguments before the command", '\nargs = ["mcp", "wrap", "--", "c", "b"]\ncommand = ' in now("codex") and now("codex").startswith('args = ["a"]\n'), now("codex"))
for text in ("[mcp_servers]\na = {command = 'x'}\n", "mcp_servers.a.command = 'x'\n", "[mcp_servers.a]\ncommand = 'x'\n", '[mcp_servers."a.b"]\ncommand = "x"\n',
             '[mcp_servers.a]\n"command" = "x"\n', '[mcp_servers.a]\ncommand = "x"\nargs = ["a", # c\n]\n', '[mcp_servers.a]\ncommand = ["x"]\n',
             '[mcp_servers.a]\ncommand = "x\n', '[mcp_servers.a]\ncommand = "x""" # c\n', 'a = "" # """\n[mcp_servers.a]\ncommand = "x"\n'):
    put("codex", text)
    status, said = agent("install", "codex", "--mcp")
    check(f"codex: {text!r}: refused, unchanged", status == 125 and "nothing was written" in said and now("codex") == text, said)
for text in ('{"mcpServers": {"a": {"command": 3}}}', '{"mcpServers": {"a": {"command": "x", "args": "y"}}}', '{"mcpServers": {"a": {"command": "x"}, "b": {"command": []}}}',
             '{"mcpServers": {', '[]'):
    put("gemini", text)
    status, said = agent("install", "gemini", "--mcp")
    check(f"gemini: {text!r}: refused, unchanged", status == 125 and "nothing was written" in said and now("gemini") == text, said)
for text in ("{}", "", '{"mcpServers": {}}', '{"mcpServers": []}', '{"mcpServers": 3}'):
    put("gemini", text)
    status, said = agent("install", "gemini", "--mcp")
    check(f"gemini: {text!r}: no server", status == 0 and "names no server" in said and now("gemini") == text, said)
# two agents that share one file, and hooks in the same
put("gemini", FILES["gemini"][1])
os.remove(place("claude-code"))
os.symlink(place("gemini"), place("claude-code"))
agent("install", "gemini")
agent("install", "gemini", "--mcp")
status, said = agent("install", "claude-code", "--mcp")
check("two agents that share a file: the second finds them in boxes", status == 0 and "names no server that is started outside a box" in said, said)
check("it stays a link", os.path.islink(place("claude-code")) and "agent hook gemini" in now("gemini"), now("gemini"))
agent("remove", "claude-code", "--mcp")
check("out for one is out for both; the hook stays", '"mcp", "wrap"' not in now("gemini") and "agent hook gemini" in now("gemini"), now("gemini"))
agent("remove", "gemini")
agent("install", "gemini", "--mcp")
os.remove(place("claude-code"))
put("claude-code", FILES["claude-code"][1])
agent("install", "claude-code", "--mcp")
agent("remove", "--all", "--mcp")
check("remove --all --mcp", (now("gemini"), now("claude-code")) == (FILES["gemini"][1], FILES["claude-code"][1]), now("gemini"))
check("again: there is none", agent("remove", "--all", "--mcp") == (0, "no agent is installed\n"))
# without --mcp both parts go, in whichever order they came
for name in ("claude-code", "gemini", "opencode"):
    for order in (([], ["--mcp"]), (["--mcp"], [])):
        for words in ((name,), ("--all",)):
            put(name, FILES[name][1])
            statuses = [agent("install", name, *option)[0] for option in order]
            wrapped = '"mcp", "wrap"' in now(name)
            status, said = agent("remove", *words)
            again = agent("remove", *words)
            check(f"{name}: remove {' '.join(words)} takes commands and servers, installed {order}", statuses == [0, 0] and wrapped and status == 0 and now(name) == FILES[name][1]
                  and "as they did before sbx" in said and "as before sbx" in said, said + now(name))
            check(f"{name}: again: there is nothing", "no agent is installed" in again[1] if words[0] == "--all" else "has nothing of sbx" in again[1], again[1])
for name in ("claude-code", "vscode"):
    put(name, FILES[name][1])
    agent("install", name, "--mcp")
    dry = agent("remove", name, "--dry-run")
    kept = '"mcp", "wrap"' in now(name)
    status, said = agent("remove", name)
    check(f"{name}: with servers alone, they go", dry[0] == 0 and '"mcp", "wrap"' in dry[1] and kept and status == 0 and now(name) == FILES[name][1], said + now(name))
# a server that is a file of the home: the words that are printed let it start
script = os.path.join(home, "my servers", "s.py")
os.makedirs(os.path.dirname(script))
with open(script, "w") as file:
    file.write("print('the server ran')\n")
for name, entry in (("gemini", {"mcpServers": {"a": {"command": "python3", "args": [script, "/usr/share"]}}}), ("opencode", {"mcp": {"a": {"type": "local", "command": ["python3", script]}}})):
    put(name, json.dumps(entry))
    status, said = agent("install", name, "--mcp")
    printed = " ".join(said.split())
    advice = re.search(r'a server names (\S+ \S+), .* write behind "wrap" in its entry: (".*?",) *$', printed)
    check(f"{name}: a path of the home is named, and no other", advice is not None and advice.group(1) == script and printed.count("a server names") == 1, said)
    put(name, now(name).replace('"wrap",', '"wrap", ' + (advice.group(2) if advice else "")))
    wrapped = list(json.loads(now(name)).values())[0]["a"]
    words = wrapped["command"] if isinstance(wrapped["command"], list) else [wrapped["command"]] + wrapped["args"]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=60)
    without = subprocess.run([word for word in words if word not in ("-r", os.path.dirname(script))], capture_output=True, text=True, timeout=60)
    check(f"{name}: with what is printed the server starts", ran.stdout == "the server ran\n" and without.stdout == "", ran.stdout + ran.stderr + without.stdout)
    check(f"{name}: and comes out whole", agent("remove", name)[0] == 0 and json.loads(now(name)) == entry, now(name))
status, said = agent("install", "qwen", "--mcp")
check("an agent whose servers are not known", status == 125 and "expected one of claude-code gemini opencode codex vscode" in said, said)

# --- learn: a profile for another server
os.environ["XDG_CONFIG_HOME"] = os.path.join(work, "config")
server = subprocess.Popen([SBX, "learn", "-o", "mine", "--", "sh", "-c", f"read a; cat {secret} 2>/dev/null; echo answered; read b"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
out, err = server.communicate("a\n", timeout=60)
with open(os.path.join(work, "config", "sbx", "mine.ini")) as file:
    text = file.read()
check("learn with a server on stdio: its output is its own, the profile is written", out == "answered\n" and "read = ?~/secret" in text, (out, err, text))
said = subprocess.run([SBX, "mcp", "wrap", "-p", "mine", "--", "cat", secret], capture_output=True, text=True, timeout=60)
check("with it the server has what it needs", said.stdout == "outside\n", said)
shutil.rmtree(work, ignore_errors=True)
finish()
