"""A language server for tests/lsp/relay.py: it writes what PLAY says, and notes what it gets.

    server.py PLAY NOTES

PLAY is a JSON list: of a message it is the object, of raw bytes a text in base64, null waits for a message. The answer to
`initialize` comes first, with the processId that was given in it."""
import base64
import json
import sys

play, notes = json.load(open(sys.argv[1])), open(sys.argv[2], "w", buffering=1)
given, to = sys.stdin.buffer, sys.stdout.buffer


def read():
    length = 0
    while (line := given.readline()) not in (b"\r\n", b""):
        length = int(line.split(b":")[1])
    return given.read(length) if line else b""


def write(body):
    to.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    to.flush()


first = json.loads(read())
notes.write(json.dumps(first) + "\n")
write(json.dumps({"jsonrpc": "2.0", "id": first["id"], "result": {
    "capabilities": {"executeCommandProvider": {"commands": ["own.command"]}}}}).encode())
for one in play:
    if one is None:
        notes.write(read().decode() + "\n")
    elif isinstance(one, str):
        to.write(base64.b64decode(one))
        to.flush()
    else:
        write(json.dumps(one).encode())
rest = given.read()
notes.write(json.dumps(len(rest)) + "\n")
sys.exit(7)
