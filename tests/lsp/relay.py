#!/usr/bin/env python3
"""sbx run --lsp: a server in a box, an editor outside, and what passes between them. TAP."""
import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from tap import check, finish, skip  # noqa: E402

SBX = os.environ["SBX"]
HERE = os.path.dirname(os.path.abspath(__file__))
top = os.path.realpath(tempfile.mkdtemp(prefix="sbx-lsp"))
os.chmod(top, 0o755)
project, outside = os.path.join(top, "project"), os.path.join(top, "outside")


def frame(body):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def frames(data):
    """The bodies of whole messages, and what is behind them."""
    bodies = []
    while b"\r\n\r\n" in data:
        head, rest = data.split(b"\r\n\r\n", 1)
        length = int(head.split(b":")[1])
        if len(rest) < length:
            break
        bodies.append(rest[:length])
        data = rest[length:]
    return bodies, data


INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": os.getpid(), "rootUri": "file://" + project, "capabilities": {}}}


def run(play, options=("--lsp",), more=b"", server=None, first=INITIALIZE):
    """Returns the server's messages after the first, what the server noted, stderr, the status."""
    with open(os.path.join(project, "play.json"), "w", encoding="utf-8") as file:
        json.dump(play, file)
    shutil.copy(os.path.join(HERE, "server.py"), project)
    notes = os.path.join(project, "notes")
    open(notes, "w").close()
    words = server or ["python3", "server.py", "play.json", "notes"]
    done = subprocess.run([SBX, "run", *options, "--", *words], cwd=project, input=frame(first) + more, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120)
    bodies, rest = frames(done.stdout)
    return [json.loads(body) for body in bodies[1:]] + ([rest] if rest else []), open(notes).read().splitlines(), done.stderr.decode(), done.returncode


def uri(path):
    return "file://" + os.path.join(project, path)


def apply(edit, number=5):
    return {"jsonrpc": "2.0", "id": number, "method": "workspace/applyEdit", "params": {"edit": edit}}


def answer(result, number=9):
    return {"jsonrpc": "2.0", "id": number, "result": result}


def changes(where):
    return {"changes": {where: [{"range": {}, "newText": "x"}]}}


def documents(*ops):
    return {"documentChanges": list(ops)}


def raw(text):
    return base64.b64encode(frame(text.encode())).decode()


for directory in (project, outside, os.path.join(project, "src"), os.path.join(project, "sub")):
    os.makedirs(directory)
subprocess.run(["git", "init", "-q", project], check=True)
os.symlink(outside, os.path.join(project, "out"))
os.symlink("src", os.path.join(project, "in"))
os.symlink("/etc/passwd", os.path.join(project, "file-out"))
os.symlink("loop", os.path.join(project, "loop"))
os.symlink("../../outside", os.path.join(project, "src", "up"))
os.symlink(project, os.path.join(top, "other-name"))
for name in ("secret", "src/a.c"):
    open(os.path.join(project, name), "w").close()

# The editor's first message, and what follows it.
noise = os.urandom(300000)
got, notes, errors, status = run([], more=noise)
check("the server has no processId to watch", notes and json.loads(notes[0])["params"]["processId"] is None, notes)
wanted = json.loads(json.dumps(INITIALIZE))
wanted["params"]["processId"] = None
check("and all else of the message", json.loads(notes[0]) == wanted, notes)
check("what follows passes unread, whatever it is", notes[-1] == str(len(noise)), notes)
check("the server's status is that of the run", status == 7, (status, errors))
# A run that fails names the links that lead out of the project.
check("nothing was refused", all(line.startswith("sbx: the link out leads to") for line in errors.splitlines()), errors)
got, notes, errors, status = run([], options=())
check("without --lsp nothing is read", json.loads(notes[0])["params"]["processId"] == os.getpid(), notes)
for name, first in (("a processId of null", dict(INITIALIZE, params={"processId": None})), ("no params", {"jsonrpc": "2.0", "id": "x", "method": "initialize"}),
                    ("nested ones", dict(INITIALIZE, params={"x": {"processId": 3}, "processId": None}))):
    got, notes, errors, status = run([], first=first)
    check(f"a first message with {name} stays as it is", json.loads(notes[0]) == first and status == 7, (notes, errors))

# What the server may have the editor do.
passing = {
    "an edit in the project": apply(changes(uri("src/a.c"))),
    "a new file": apply(documents({"kind": "create", "uri": uri("src/new/deeper.c")})),
    "a rename": answer(documents({"kind": "rename", "oldUri": uri("src/a.c"), "newUri": uri("src/b.c")})),
    "a removal": answer(documents({"kind": "delete", "uri": uri("src/a.c")})),
    "an edit through a link in the project": apply(changes(uri("in/a.c"))),
    "the project by another name": apply(changes("file://" + os.path.join(top, "other-name", "a.c"))),
    "a name with blanks and letters": apply(changes(uri("src/a%20b%C3%A9.c"))),
    "no edit": answer([{"title": "x", "edit": {"changes": {}}}]),
    "a file that is shown": {"jsonrpc": "2.0", "id": 3, "method": "window/showDocument", "params": {"uri": uri("src/a.c"), "external": False}},
    "a place outside to look at": answer([{"uri": "file:///usr/include/stdio.h", "range": {}}]),
    "a link to the web": answer([{"range": {}, "target": "https://example.org/x"}]),
    "a command of its own": answer([{"title": "x", "command": "own.command", "arguments": []}]),
    "what shows something at the cursor": answer([{"label": "x", "command": {"title": "", "command": "editor.action.triggerSuggest"}}]),
    "a question": {"jsonrpc": "2.0", "id": "q", "method": "workspace/configuration", "params": {"items": [{}]}},
    "diagnostics": {"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": {"uri": "file:///usr/include/stdio.h", "diagnostics": []}},
    "what only the server reads": answer([{"label": "x", "data": {"command": "x.y", "changes": {"/etc/passwd": []}}}]),
    "a large answer": answer({"data": list(range(600000))}),
}
got, notes, errors, status = run(list(passing.values()))
for index, (name, message) in enumerate(passing.items()):
    check(f"passes: {name}", index < len(got) and got[index] == message, (got[index:index + 1], errors))
check("and nothing is reported", errors == "" and len(got) == len(passing), errors)

refused = {
    "an edit outside": changes("file:///etc/passwd"),
    "beside the project": changes("file://" + project + "-2/x"),
    "of the project's name in another case": changes("file://" + project.replace("project", "PROJECT") + "/x"),
    "with ..": changes(uri("../outside/x")),
    "with escaped ..": changes(uri("%2e%2e/outside/x")),
    "with escaped slashes": changes("file:///etc%2Fpasswd"),
    "through a link to outside": changes(uri("out/x")),
    "through a link to a file outside": changes(uri("file-out")),
    "through a link that goes up": changes(uri("src/up/x")),
    "through both": changes(uri("in/up/x")),
    "through a loop": changes(uri("loop/x")),
    "of no file": changes("untitled:x"),
    "with an authority": changes("file://host" + project + "/x"),
    "with a query": changes(uri("x?../../etc/passwd")),
    "with a NUL": changes(uri("x%00")),
    "a new file outside": documents({"kind": "create", "uri": "file://" + outside + "/x"}),
    "a rename to outside": documents({"kind": "rename", "oldUri": uri("src/a.c"), "newUri": "file://" + outside + "/a.c"}),
    "a rename from outside": documents({"kind": "rename", "oldUri": "file:///etc/passwd", "newUri": uri("src/p")}),
    "a removal outside": documents({"kind": "delete", "uri": "file://" + outside}),
    "the second of two": documents({"textDocument": {"uri": uri("src/a.c")}, "edits": []}, {"textDocument": {"uri": "file:///etc/passwd"}, "edits": []}),
    "the project itself": documents({"kind": "delete", "uri": "file://" + project}),
    "git's hooks": changes(uri(".git/hooks/pre-commit")),
    "git's index": changes(uri(".git/index")),
    "a repository below": documents({"kind": "create", "uri": uri("sub/.git/config")}),
    "in another case": changes(uri(".GIT/config")),
    "tasks of an editor": changes(uri(".vscode/tasks.json")),
    "in another case, too": changes(uri(".VsCode/tasks.json")),
    "a directory's environment": changes(uri("sub/.envrc")),
    "a rename to a protected name": documents({"kind": "rename", "oldUri": uri("sub"), "newUri": uri(".vscode")}),
    "the directory of git": documents({"kind": "delete", "uri": uri(".git")}),
    "sbx's own file": changes(uri(".sbx.ini")),
    "a hidden file": changes(uri("secret")),
    "a protected file": changes(uri("mine/kept")),
    "what holds it": documents({"kind": "rename", "oldUri": uri("mine"), "newUri": uri("yours")}),
}
os.makedirs(os.path.join(project, "mine"))
open(os.path.join(project, "mine/kept"), "w").close()
options = ("--lsp", "--hide", "./secret", "--protect", "./mine/kept", "--report", "full")
for form in ("request", "answer", "action"):
    made = {"request": apply, "answer": answer, "action": lambda edit, number: answer([{"title": "x", "edit": edit}], number)}[form]
    got, notes, errors, status = run([made(edit, 100 + index) for index, edit in enumerate(refused.values())], options=options)
    bad = {one.get("id"): one for one in got if isinstance(one, dict)}
    for index, name in enumerate(refused):
        one = bad.get(100 + index, {})
        good = one.get("method") == "sbx/refused" and "params" not in one if form == "request" else one.get("error", {}).get("code") == -32803 and "result" not in one
        check(f"refused, as {form}: {name}", good, (one, errors[-300:]))
    check(f"{form}: each is reported", sum(int((re.search(r", (\d+) times: ", line) or [0, 1])[1]) for line in errors.splitlines()
                                                if line.startswith("sbx: blocked an edit of ")) +
          int((re.search(r"(\d+) more refusals", errors) or [0, 0])[1]) == len(refused), errors)

got, notes, errors, status = run([apply(edit, 100 + index) for index, edit in enumerate(refused.values())], options=())
check("without --lsp all of them pass: it is the filter that refuses", got == [apply(edit, 100 + index) for index, edit in enumerate(refused.values())], got)
got, notes, errors, status = run([apply(changes(uri(".vscode/tasks.json")))], options=("--lsp", "--no-protect"))
check("--no-protect lets protected names be edited", got == [apply(changes(uri(".vscode/tasks.json")))], (got, errors))

# The same hidden in other writings of the same JSON.
hidden = {
    "escapes in a name": '{"jsonrpc":"2.0","id":5,"method":"workspace/applyEdit","params":{"edit":{"document\\u0043hanges":[{"kind":"create","uri":"file:///etc/x"}]}}}',
    "escapes in a URI": '{"jsonrpc":"2.0","id":5,"method":"workspace/applyEdit","params":{"edit":{"changes":{"file:///\\u0065tc/x":[]}}}}',
    "a second member of the same name": '{"jsonrpc":"2.0","id":5,"method":"workspace/applyEdit","params":{"edit":{"changes":{"file:///etc/x":[]},"changes":{}}}}',
    "another case": '{"jsonrpc":"2.0","id":5,"method":"workspace/applyEdit","params":{"edit":{"Changes":{"file:///etc/x":[]}}}}',
    "a letter that folds to s": '{"jsonrpc":"2.0","id":5,"method":"workspace/applyEdit","params":{"edit":{"change\\u017f":{"file:///etc/x":[]}}}}',
    "no string": '{"jsonrpc":"2.0","id":5,"method":"workspace/applyEdit","params":{"edit":{"documentChanges":[{"kind":"create","uri":["file:///etc/x"]}]}}}',
}
got, notes, errors, status = run([raw(text) for text in hidden.values()])
for index, name in enumerate(hidden):
    check(f"refused: {name}", index < len(got) and got[index] == {"jsonrpc": "2.0", "id": 5, "method": "sbx/refused"}, got[index:index + 1])
dropped = {
    "a comment": '{"jsonrpc":"2.0",/**/"id":5,"result":null}',
    "two texts": '{"jsonrpc":"2.0","id":5,"result":null}{}',
    "a batch": '[{"jsonrpc":"2.0","id":5,"result":null}]',
    "two methods": '{"jsonrpc":"2.0","id":5,"method":"window/logMessage","method":"workspace/applyEdit"}',
    "two ids": '{"jsonrpc":"2.0","id":5,"id":6,"result":null}',
    "no end": '{"jsonrpc":"2.0","id":5',
    "neither": '{"jsonrpc":"2.0"}',
}
got, notes, errors, status = run([raw(text) for text in dropped.values()] + [base64.b64encode(frame(b'{"id":5,"result":"\xc0\xa2"}')).decode()])
check("what readers read in two ways is dropped", got == [], got)
check("and reported", "sbx: blocked a message (its text)" in errors, errors)

# Other things that an editor carries out.
shows = [{"uri": uri("src/a.c"), "external": True}, {"uri": "https://example.org"}, {"uri": "file:///etc/passwd"}, {"uri": uri("out/x")}, {}, {"uri": uri("src/a.c"), "external": 1}]
got, notes, errors, status = run([{"jsonrpc": "2.0", "id": 1, "method": "window/showDocument", "params": params} for params in shows])
check("what opens something outside is refused", got == [{"jsonrpc": "2.0", "id": 1, "method": "sbx/refused"}] * len(shows), got)
check("and reported", "sbx: blocked showing " in errors, errors)
got, notes, errors, status = run([answer([{"range": {}, "target": "command:workbench.action.terminal.sendSequence"}]),
                                  answer({"items": [{"codeDescription": {"href": "vscode://x/y"}}]})])
check("links that run commands are refused", [one.get("error", {}).get("code") for one in got] == [-32803] * 2, got)
got, notes, errors, status = run([answer([{"label": "x", "command": {"title": "", "command": "workbench.action.terminal.sendSequence"}}, {"label": "y"}])])
check("a command of the editor has no name any more, and all else is there", got == [answer([
    {"label": "x", "command": {"title": "", "command": "sbx.refused" + "_" * 27}}, {"label": "y"}])], got)
check("and is reported", "sbx: blocked the editor's command workbench.action.terminal.sendSequence" in errors, errors)
later = {"jsonrpc": "2.0", "id": 1, "result": {"capabilities": {"executeCommandProvider": {"commands": ["late"]}}}}
got, notes, errors, status = run([later, answer({"command": "late"})])
check("only the first answer to initialize names the server's commands", got[1:] == [answer({"command": "sbx."})], got)
got, notes, errors, status = run([{"jsonrpc": "2.0", "id": 8, "method": "workspace/executeClientCommand", "params": {"x": "y"}},
                                  {"jsonrpc": "2.0", "method": "metals/executeClientCommand", "params": {}},
                                  {"jsonrpc": "2.0", "method": "workspace/applyEdit", "params": {}}])
check("messages that LSP does not have are refused or dropped", got == [{"jsonrpc": "2.0", "id": 8, "method": "sbx/refused"}], got)
check("and reported", "sbx: blocked the message workspace/executeClientCommand: LSP 3.17 does not have it" in errors, errors)
done = subprocess.run([SBX, "run", "--lsp", "--report", "json", "--", "python3", "server.py", "play.json", "notes"], cwd=project, input=frame(INITIALIZE),
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
report = json.loads(done.stderr.decode().splitlines()[-1])
check("JSON has them as well", {"method"} == {one["kind"] for one in report["denied"]}, report["denied"])

# Ends, and what is no server.
got, notes, errors, status = run([answer("x" * 4000000), answer(1)], more=b"")
check("the last message arrives whole", got == [answer("x" * 4000000), answer(1)], len(got))
got, notes, errors, status = run([], server=["sh", "-c", "echo hello; exec cat >/dev/null"])
check("what is no head of a message ends it", "sbx: blocked a message (the server's output): LSP has no such head" in errors and got == [], (got, errors))
got, notes, errors, status = run([], server=["sh", "-c", "printf 'Content-Length: 99999999\\r\\n\\r\\n'; exec cat >/dev/null"])
check("nor a message without measure", "(the server's output)" in errors, errors)
done = subprocess.run([SBX, "run", "--lsp", "--", "cat"], cwd=project, input=b"hello\n", stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
check("an editor that does not speak LSP is told", done.stdout == b"" and b"(the editor's first)" in done.stderr, done)
done = subprocess.run([SBX, "run", "-s", "none-such", "--lsp", "--", "true"], cwd=project, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
check("a session has no --lsp", done.returncode == 125, done)
main_end, other_end = os.openpty()
done = subprocess.run([SBX, "run", "--lsp", "--", "true"], cwd=project, stdin=other_end, stderr=subprocess.PIPE, check=False)
check("nor a terminal", done.returncode == 125 and b"stdin is a terminal" in done.stderr, done)
got, notes, errors, status = run([apply(changes("file:///etc/passwd"))], options=("-p", "lsp"))
check("the profile lsp sets it", got == [{"jsonrpc": "2.0", "id": 5, "method": "sbx/refused"}], (got, errors))

# Who reads is out of the box's reach, and locked.
look = "import os; print([os.stat(f'/proc/self/fd/{n}').st_ino for n in os.listdir('/proc/self/fd') if n in '012'], file=open('inodes', 'w'))"
reader, writer = os.pipe()
done = subprocess.run([SBX, "run", "--lsp", "--", "python3", "-c", look], cwd=project, stdin=subprocess.DEVNULL, stdout=writer, check=False)
inside = json.loads(open(os.path.join(project, "inodes")).read())
check("the box never has the editor's descriptors", os.fstat(writer).st_ino not in inside and len(inside) == 3, inside)
os.close(reader)
os.close(writer)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def field(pid, name):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith(name + ":")), "")


def namespace(pid):
    try:
        return os.stat(f"/proc/{pid}/ns/pid").st_ino
    except OSError:
        return None


def begin():
    open(os.path.join(project, "notes"), "w").close()
    with open(os.path.join(project, "play.json"), "w", encoding="utf-8") as file:
        json.dump([None], file)
    process = subprocess.Popen([SBX, "run", "--lsp", "--", "python3", "server.py", "play.json", "notes"], cwd=project,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdin.write(frame(INITIALIZE))
    process.stdin.flush()
    head = process.stdout.readline()
    process.stdout.read(int(head.split(b":")[1]) + 2)
    return process


process = begin()
relays = [pid for pid in children(process.pid) if field(pid, "Seccomp") == "2" and field(pid, "NSpid").split() == [str(pid)]]
check("two processes read, with no capability, no way to one and a filter", len(relays) == 2 and all(
    field(pid, "NoNewPrivs") == "1" and int(field(pid, "CapEff"), 16) == 0 for pid in relays), [(pid, field(pid, "NSpid")) for pid in children(process.pid)])
os.kill(process.pid, signal.SIGKILL)
end = time.time() + 60
while any(os.path.exists(f"/proc/{pid}") and field(pid, "State")[:1] != "Z" for pid in relays) and time.time() < end:
    time.sleep(0.05)
check("they end with sbx, also when it is killed", time.time() < end)
check("and the editor sees the end", process.stdout.read() == b"")
process.wait()
process = begin()
process.stdin.close()
check("when the editor ends the server does", process.wait(60) == 7)
if subprocess.run([SBX, "run", "--isolation", "landlock", "--no-protect", "--", "true"], cwd=project, stdin=subprocess.DEVNULL,
                  capture_output=True, check=False).returncode == 0:
    got, notes, errors, status = run([apply(changes("file:///etc/passwd")), answer(1)], options=("--isolation", "landlock", "--no-protect", "--lsp"))
    check("the same in tier landlock", got == [{"jsonrpc": "2.0", "id": 5, "method": "sbx/refused"}, answer(1)] and status == 7 and
          json.loads(notes[0])["params"]["processId"] is None, (got, errors))
else:
    skip("tier landlock", "this kernel has it not")

# A real server.
if shutil.which("clangd"):
    source = os.path.join(project, "real.cc")
    text = "int first(int a) { return a; }\nint main() { return first(1); }\n"
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    clangd = subprocess.Popen([SBX, "run", "--lsp", "--", "clangd", "--background-index=false"], cwd=project, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ask(message):
        clangd.stdin.write(frame(message))
        clangd.stdin.flush()

    def hear(number):
        while True:
            head = clangd.stdout.readline()
            if not head:
                return {"ended": clangd.wait()}
            clangd.stdout.readline()
            one = json.loads(clangd.stdout.read(int(head.split(b":")[1])))
            if one.get("id") == number:
                return one

    place = {"textDocument": {"uri": "file://" + source}, "position": {"line": 0, "character": 5}}
    ask(INITIALIZE)
    check("clangd: begins", "capabilities" in hear(1).get("result", {}))
    ask({"jsonrpc": "2.0", "method": "initialized", "params": {}})
    ask({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file://" + source, "languageId": "cpp", "version": 1, "text": text}}})
    ask({"jsonrpc": "2.0", "id": 2, "method": "textDocument/hover", "params": place})
    check("clangd: hover", "first" in json.dumps(hear(2).get("result")))
    ask({"jsonrpc": "2.0", "id": 3, "method": "textDocument/rename", "params": dict(place, newName="second")})
    renamed = hear(3)
    check("clangd: a rename in the project passes", json.dumps(renamed.get("result")).count("second") == 2, renamed)
    ask({"jsonrpc": "2.0", "id": 4, "method": "textDocument/completion", "params": {"textDocument": place["textDocument"], "position": {"line": 1, "character": 22}}})
    check("clangd: completion", "result" in hear(4))
    ask({"jsonrpc": "2.0", "id": 5, "method": "shutdown"})
    hear(5)
    ask({"jsonrpc": "2.0", "method": "exit"})
    check("clangd: ends", clangd.wait(60) == 0)
    check("clangd: nothing was refused", b"sbx: blocked" not in clangd.stderr.read())
else:
    skip("clangd", "it is not installed: tests/setup")

shutil.rmtree(top, ignore_errors=True)
finish()
