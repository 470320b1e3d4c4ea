#!/usr/bin/env python3
"""A client that sends what honest ones do not, from inside the box.
  raw.py HOST PORT TEXT...    connects, sends each TEXT (escapes as in Python, @N waits N seconds, HEAR
                              prints what comes next, DONE ends, HELLO:NAME is a TLS hello that asks for
                              NAME), prints what comes until the end, or "reset", "timeout", "refused"
"""
import socket
import ssl
import sys
import time

got = b""
try:
    link = socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=100)
    for text in sys.argv[3:]:
        if text.startswith("@"):
            time.sleep(float(text[1:]))
        elif text == "HEAR":
            print(link.recv(65536).decode("latin1"), flush=True)
        elif text == "DONE":
            sys.exit(0)
        elif text.startswith("HELLO:"):
            hello = ssl.MemoryBIO()
            client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), hello, server_hostname=text[6:])
            try:
                client.do_handshake()
            except ssl.SSLWantReadError:
                link.sendall(hello.read())
        elif text == "EOF":
            link.shutdown(socket.SHUT_WR)
        else:
            link.sendall(text.encode("latin1").decode("unicode_escape").encode("latin1"))
    while True:
        part = link.recv(65536)
        if not part:
            break
        got += part
        if len(got) > 100000:
            break
except ConnectionRefusedError:
    print("refused")
    sys.exit(1)
except ConnectionError:
    sys.stdout.buffer.write(got)
    print("reset")
    sys.exit(1)
except TimeoutError:
    sys.stdout.buffer.write(got)
    print("timeout")
    sys.exit(1)
except OSError as problem:
    print(problem)
    sys.exit(1)
sys.stdout.buffer.write(got)
