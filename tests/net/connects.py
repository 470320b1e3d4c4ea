#!/usr/bin/env python3
"""connects.py [+PORT] HOST,PORT...    prints for each whether connect(2) succeeded: "connected", "refused", or its
error. +PORT: with a server of the box's own at that port of every address, whose name is printed in place of
"connected" when it was reached."""
import socket
import sys
import threading

words = sys.argv[1:]
if words[0].startswith("+"):
    own = socket.create_server(("::", int(words.pop(0)[1:])), family=socket.AF_INET6, dualstack_ipv6=True)

    def serve():
        while True:
            own.accept()[0].sendall(b"own")

    threading.Thread(target=serve, daemon=True).start()
for word in words:
    host, port = word.rsplit(",", 1)
    try:
        with socket.create_connection((host, int(port)), timeout=60) as link:
            link.settimeout(0.3)
            try:
                print(link.recv(3).decode() or "connected")
            except OSError:
                print("connected")
    except ConnectionRefusedError:
        print("refused")
    except OSError as problem:
        print(problem)
