#!/usr/bin/env python3
"""A TLS hello with encrypted_client_hello in it, as browsers send it; prints the beginning of the answer.
  ech.py HOST PORT"""
import socket
import ssl
import sys

out = ssl.MemoryBIO()
context = ssl.create_default_context()
client = context.wrap_bio(ssl.MemoryBIO(), out, server_hostname=sys.argv[1])
try:
    client.do_handshake()
except ssl.SSLWantReadError:
    pass
hello = bytearray(out.read())
inner = b"\0\0\1\0\1\x2a\0\x20" + bytes(32) + b"\0\x20" + bytes(32)
extension = b"\xfe\x0d" + len(inner).to_bytes(2, "big") + inner
at = 5 + 4 + 34
at += 1 + hello[at]
at += 2 + int.from_bytes(hello[at : at + 2], "big")
at += 1 + hello[at]
size = int.from_bytes(hello[at : at + 2], "big") + len(extension)
hello[at : at + 2] = size.to_bytes(2, "big")
# pre_shared_key has to be last; there is none in a first hello.
hello += extension
hello[3:5] = (len(hello) - 5).to_bytes(2, "big")
hello[6:9] = (len(hello) - 9).to_bytes(3, "big")
with socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=5) as link:
    link.sendall(hello)
    try:
        print(link.recv(100).hex())
    except OSError as problem:
        print(problem)
