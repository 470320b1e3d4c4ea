#!/usr/bin/env python3
"""Every server that the tests of the network talk to, on addresses of network namespaces that the
test made: DNS with good and evil answers, HTTP, TLS, echo, banner, a proxy.
  servers.py DIRECTORY outside|host    certificates are read from there; "ready" is printed when all listen
"""
import asyncio
import base64
import hashlib
import os
import socket
import ssl
import struct
import sys

WEB, WEB2, PRIVATE, META = "203.0.113.10", "203.0.113.11", "10.9.9.9", "169.254.169.254"
WEB6 = "2001:db8::10"
HOST, HOST_PRIVATE, HOST6 = "198.51.100.7", "10.9.9.8", "2001:db8::7"
# name: (IPv4 addresses, IPv6 addresses)
NAMES = {
    "www.allowed.test": ([WEB], []),
    "six.allowed.test": ([], [WEB6]),
    "dual.allowed.test": ([WEB], ["2001:db8::dead"]),  # nobody answers at the IPv6 address
    "two.allowed.test": (["203.0.113.99", WEB], []),  # nor at the first
    "other.test": ([WEB], []),
    "denied.test": ([WEB], []),
    "private.test": ([PRIVATE], []),
    "meta.test": ([META], []),
    "fake.test": (["198.18.0.5"], []),  # as a proxy of the host answers, which takes names
    "fake-host.test": (["198.18.0.6"], []),
    "loop.test": (["127.0.0.1"], ["::1"]),
    "mapped.test": ([], ["::ffff:127.0.0.1"]),
    "nat64.test": ([], ["64:ff9b::a9fe:a9fe"]),
    "mixed.test": ([PRIVATE, WEB], []),
    "host.test": ([HOST], []),
    "host-private.test": ([HOST_PRIVATE], []),
    "host-six.test": ([], [HOST6]),
    "host-network.test": (["198.51.100.70"], []),  # no device has this address
    "half-host.test": ([HOST, WEB], []),
    "db.corp.test": ([WEB], []),
    "proxy.corp.test": ([WEB2], []),
    "my_bucket.allowed.test": ([WEB], []),
    "empty.test": ([], []),
}
asked = []  # names that were looked up
rebind = [0]


def lookup(name, kind):
    asked.append(name)
    if name == "rebind.test":  # public first, then private
        rebind[0] += 1
        return ([WEB] if rebind[0] == 1 else ["127.0.0.1"]) if kind == 1 else []
    if name.startswith("crowd") and name.endswith(".allowed.test"):  # a name of many
        return [WEB] if kind == 1 else []
    if name.endswith(".invalid") and os.path.exists(os.path.join(sys.argv[1], "made-up")):
        return ["198.18.0.9"] if kind == 1 else []
    if name not in NAMES:
        return None
    return NAMES[name][0] if kind == 1 else NAMES[name][1] if kind == 28 else []


def dns(query):
    at, labels = 12, []
    while query[at]:
        labels.append(query[at + 1 : at + 1 + query[at]].decode("latin1"))
        at += 1 + query[at]
    kind = struct.unpack("!H", query[at + 1 : at + 3])[0]
    name = ".".join(labels).lower()
    if name == "slow.test":
        return None
    found = lookup(name, kind)
    code = 3 if found is None else 0
    head = query[:2] + struct.pack("!HHHHH", 0x8180 | code, 1, len(found or []), 0, 0)
    answer = head + query[12 : at + 5]
    for address in found or []:
        data = socket.inet_pton(socket.AF_INET if kind == 1 else socket.AF_INET6, address)
        answer += struct.pack("!HHHIH", 0xC00C, kind, 1, 1, len(data)) + data
    return answer


class Dns(asyncio.DatagramProtocol):
    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, address):
        answer = dns(data)
        if answer:
            self.transport.sendto(answer, address)


async def read_head(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.decode("latin1").split("\r\n")
    fields = {k.strip().lower(): v.strip() for k, v in (l.split(":", 1) for l in lines[1:] if l)}
    return lines[0], fields


async def read_body(reader, fields):
    if fields.get("transfer-encoding") == "chunked":
        body = b""
        while True:
            size = int((await reader.readline()).split(b";")[0], 16)
            body += await reader.readexactly(size)
            if size == 0:
                while (await reader.readline()).strip():
                    pass
                return body
            await reader.readline()
    return await reader.readexactly(int(fields.get("content-length", 0)))


async def websocket(reader, writer, fields):
    key = fields["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
    writer.write(f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n".encode())
    while data := await reader.read(65536):  # whatever comes is sent back
        writer.write(data)


async def http(reader, writer):
    try:
        while True:
            line, fields = await read_head(reader)
            method, path, _ = line.split(" ")
            if fields.get("upgrade", "").lower() == "websocket":
                return await websocket(reader, writer, fields)
            if fields.get("expect") == "100-continue":
                writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            body = await read_body(reader, fields)
            text = f"{method} {path} host={fields.get('host')} body={len(body)} auth={fields.get('proxy-authorization')}\n".encode()
            if path == "/asked":
                text = "\n".join(asked).encode() + b"\n"
            if path == "/chunked":
                writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                for part in (b"one ", b"two ", b"x" * 70000, b"\n"):
                    writer.write(b"%x\r\n%s\r\n" % (len(part), part))
                writer.write(b"0\r\n\r\n")
            elif path == "/close":
                writer.write(b"HTTP/1.0 200 OK\r\n\r\n" + b"until the end\n")
                return
            elif path == "/endless":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n")
                while True:
                    writer.write(b"z" * 65536)
                    await writer.drain()
            elif path == "/reset":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")
                await writer.drain()
                link = writer.get_extra_info("socket")
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            elif path == "/cut":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
                return
            elif path == "/both":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
            elif path.startswith("/size/"):
                size = int(path[6:])
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
                for _ in range(size // 65536):
                    writer.write(b"y" * 65536)
                    await writer.drain()
                writer.write(b"y" * (size % 65536))
            else:
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(text) + (b"" if method == "HEAD" else text))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError, ValueError):
        pass
    finally:
        writer.close()


async def echo(reader, writer):  # also one direction of the proxy below
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    writer.close()


async def banner(reader, writer):  # the server speaks first
    writer.write(b"220 hello\r\n")
    try:
        line = await reader.readline()
        writer.write(b"250 " + line)
        await writer.drain()
    except ConnectionError:
        pass
    writer.close()


async def odd_banner(reader, writer):  # in a protocol that nobody knows
    writer.write(b"hello there\n")
    await echo(reader, writer)


async def early_answer(reader, writer):  # HTTP before a request
    writer.write(b"HTTP/1.1 200 OK\r\n\r\nearly\n")
    await echo(reader, writer)


async def ssh_banner(reader, writer):  # reads the client's line, then echoes
    writer.write(b"SSH-2.0-server\r\n")
    await reader.readline()
    await echo(reader, writer)


async def proxy(reader, writer):
    """A caller's own proxy: wants a password, resolves by the table."""
    line, fields = await read_head(reader)
    wanted = "Basic " + base64.b64encode(b"user:p@ss").decode()
    method, target, _ = line.split(" ")
    while method != "CONNECT" and fields.get("proxy-authorization") == wanted:
        body = (await reader.readexactly(int(fields.get("content-length", 0)))).decode()
        word = f"proxied {line} {body}\n".encode()
        writer.write(b"HTTP/1.1 200 fine\r\nContent-Length: %d\r\n\r\n" % len(word) + word)
        line, fields = await read_head(reader)
        method, target, _ = line.split(" ")
    if fields.get("proxy-authorization") != wanted:
        writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        return writer.close()
    host, port = target.rsplit(":", 1)
    asked.append("by-proxy:" + host)
    away, out = await asyncio.open_connection((NAMES.get(host) or ([host],))[0][0], int(port))
    writer.write(b"HTTP/1.1 200 fine\r\nX-Word: yes\r\n\r\n")
    await asyncio.gather(echo(reader, out), echo(away, writer))


async def serve_names():
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(Dns, local_addr=("203.0.113.53", 53))

    async def dns_stream(reader, writer):
        try:
            size = struct.unpack("!H", await reader.readexactly(2))[0]
            answer = dns(await reader.readexactly(size)) or b""
            writer.write(struct.pack("!H", len(answer)) + answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()

    await asyncio.start_server(dns_stream, "203.0.113.53", 53)
    await asyncio.start_server(proxy, WEB2, 3128)


async def main(directory, place):
    outside = place == "outside"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(directory, "server.pem"), os.path.join(directory, "server.key"))
    for address in (WEB, WEB2, PRIVATE, META, WEB6, "198.18.0.5") if outside else (HOST, HOST_PRIVATE, HOST6, "127.0.0.1", "::1"):
        await asyncio.start_server(http, address, 80, backlog=4096)
        await asyncio.start_server(http, address, 443, ssl=context)
        await asyncio.start_server(echo, address, 7000)
        await asyncio.start_server(banner, address, 2525)
        await asyncio.start_server(odd_banner, address, 2526)
        await asyncio.start_server(ssh_banner, address, 2527)
        await asyncio.start_server(early_answer, address, 2528)
    if outside:
        await serve_names()
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
