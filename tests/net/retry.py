#!/usr/bin/env python3
"""A TLS client whose first hello makes the server ask for a second one (HelloRetryRequest): its key share is of a
group that nobody knows. The second hello may ask for another name; before it may come other records.
  retry.py HOST PORT SECOND-NAME [HEX]    prints "hello" when the server went on, "reset" or "alert" when not"""
import socket
import ssl
import sys


HYBRID = b"\x11\xec"  # X25519MLKEM768 (OpenSSL 3.5)
SHARE = 4 + 1216


def without_hybrid(hello):
    """Without the share of that group: a second hello has one alone."""
    at = hello.find(HYBRID + b"\x04\xc0")
    if at < 0:
        return hello
    hello = bytearray(hello)
    extensions = 5 + 4 + 34
    extensions += 1 + hello[extensions]
    extensions += 2 + int.from_bytes(hello[extensions : extensions + 2], "big")
    extensions += 1 + hello[extensions]
    # the record, the message, its extensions, the extension, its list
    for place, size in ((3, 2), (6, 3), (extensions, 2), (at - 4, 2), (at - 2, 2)):
        length = int.from_bytes(hello[place : place + size], "big") - SHARE
        hello[place : place + size] = length.to_bytes(size, "big")
    return bytes(hello[:at] + hello[at + SHARE :])


def hello(name):
    out = ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), out, server_hostname=name)
    try:
        client.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return out.read()


def read_exactly(link, size):
    got = b""
    while len(got) < size:
        part = link.recv(size - len(got))
        if not part:
            raise ConnectionError
        got += part
    return got


def read_record(link):
    head = read_exactly(link, 5)
    return head + read_exactly(link, int.from_bytes(head[3:], "big"))


first = hello(sys.argv[1])
at = first.index(b"\x00\x1d\x00\x20")  # the share of X25519, 32 bytes
first = first[:at] + b"\x7a\x7a" + first[at + 2 :]
groups = first.index(b"\x00\x0a\x00")
at = first.index(b"\x00\x1e", groups + 6)  # X448: a share has to be of a group that is listed
first = first[:at] + b"\x7a\x7a" + first[at + 2 :]
for at in first.find(HYBRID + b"\x04\xc0"), first.find(HYBRID, groups + 6):
    if at >= 0:
        first = first[:at] + b"\x7a\x7b" + first[at + 2 :]
link = socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=60)
try:
    link.sendall(first)
    answer = read_record(link)
    assert answer[5:6] == b"\x02" and answer[11:13] == b"\xcf\x21", answer[:16].hex()
    link.sendall(bytes.fromhex("".join(sys.argv[4:])) + without_hybrid(hello(sys.argv[3])))
    answer = read_record(link)
    while answer[:1] == b"\x14":
        answer = read_record(link)
    print("hello" if answer[5:6] == b"\x02" and answer[:1] == b"\x16" else "alert" if answer[:1] == b"\x15" else "reset")
except ConnectionError:
    print("reset")
