#!/usr/bin/env python3
"""A port of the loopback that answers by NAT alone, as docker's published ports: no program listens at it.
  redirect.py PORT TO    in this network namespace, as its root
"""
import socket
import struct
import sys

NFTABLES, TABLE, CHAIN, RULE, CREATE, ACK = 10, 0, 3, 6, 0x400, 4


def attribute(kind, value, nested=False):
    value = struct.pack("!I", value) if isinstance(value, int) else value
    return struct.pack("=HH", 4 + len(value), kind | 0x8000 * nested) + value + b"\0" * (-len(value) % 4)


def message(kind, flags, family, more=b"", subsystem=0):
    return struct.pack("=IHHIIBBH", 20 + len(more), kind, 1 | flags, 1, 0, family, 0, socket.htons(subsystem)) + more


def expression(name, *attributes):
    return attribute(1, attribute(1, name + b"\0") + attribute(2, b"".join(attributes), True), True)


def value(kind, data):
    return attribute(kind, attribute(1, data), True)


port, to = (struct.pack("!H", int(word)) for word in sys.argv[1:])
rule = (expression(b"meta", attribute(1, 1), attribute(2, 16)) + expression(b"cmp", attribute(1, 1), attribute(2, 0), value(3, b"\6"))
        + expression(b"payload", attribute(1, 1), attribute(2, 2), attribute(3, 2), attribute(4, 2))
        + expression(b"cmp", attribute(1, 1), attribute(2, 0), value(3, port))
        + expression(b"immediate", attribute(1, 1), value(2, to)) + expression(b"redir", attribute(1, 1)))
hook = attribute(1, 3) + attribute(2, struct.pack("!i", -100))
batch = (message(16, 0, 0, b"", NFTABLES)
         + message(NFTABLES << 8 | TABLE, CREATE, socket.AF_INET, attribute(1, b"lab\0"))
         + message(NFTABLES << 8 | CHAIN, CREATE, socket.AF_INET,
                   attribute(1, b"lab\0") + attribute(3, b"out\0") + attribute(4, hook, True) + attribute(7, b"nat\0"))
         + message(NFTABLES << 8 | RULE, CREATE | ACK, socket.AF_INET,
                   attribute(1, b"lab\0") + attribute(2, b"out\0") + attribute(4, rule, True))
         + message(17, 0, 0, b"", NFTABLES))
with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12) as netlink:
    netlink.send(batch)
    sys.exit(struct.unpack_from("=i", netlink.recv(4096), 16)[0] and "the kernel has no NAT")
