#!/usr/bin/env python3
"""A server of HTTPS that sends back what it was asked, for the tests of [secret NAME]; on 203.0.113.10.
  echo_tls.py DIRECTORY    server.pem, server.key and others are read from there; "ready" is written to
                           DIRECTORY/echo.ready when all listen, each request to DIRECTORY/echo.seen
Ports: 8443 a good certificate, 8444 self-signed, 8445 expired, 8446 of another name, 8447 no TLS."""
import asyncio
import gzip
import os
import ssl
import sys

place = sys.argv[1]
seen = open(f"{place}/echo.seen", "ab", buffering=0)


async def body_of(reader, fields):
    if fields.get("transfer-encoding") == "chunked":
        body = bytearray()  # grows in place: 20 MB come in small chunks
        while size := int((await reader.readline()).split(b";")[0], 16):
            body += await reader.readexactly(size)
            await reader.readline()
        while (await reader.readline()).strip():
            pass
        return body
    return await reader.readexactly(int(fields.get("content-length", 0)))


async def answer(writer, path, text, fields, body):
    """What the request held, in many forms. N of /split/N: where the text is cut in two."""
    word, _, number = path.strip("/").partition("/")
    number = int(number or 0)
    ok = b"HTTP/1.1 200 OK\r\n"
    if word == "challenge" and "authorization" not in fields:
        writer.write(b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n")
    elif word == "header":
        writer.write(ok + b"X-Echo: " + fields.get("authorization", "").encode() + b"\r\nContent-Length: 0\r\n\r\n")
    elif word == "split":
        value = fields.get("authorization", "").encode()
        writer.write(ok + b"Content-Length: %d\r\n\r\n" % len(value) + value[:number])
        await writer.drain()
        await asyncio.sleep(0.01)
        writer.write(value[number:])
    elif word == "chunks":
        value = fields.get("authorization", "").encode()
        writer.write(ok + b"Transfer-Encoding: chunked\r\n\r\n")
        for at in range(0, len(value), number):
            part = value[at : at + number]
            writer.write(b"%x\r\n%s\r\n" % (len(part), part))
        writer.write(b"0\r\nX-Trailer: " + value + b"\r\n\r\n")
    elif word == "gzip":
        packed = gzip.compress(text)
        writer.write(ok + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed) + packed)
    elif word == "close":
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + text)
        return False
    elif word == "cut":
        writer.write(ok + b"Content-Length: 1000\r\n\r\nhalf")
        return False
    elif word == "silent":
        return False
    elif word == "events":
        writer.write(ok + b"Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for i in range(3):
            line = b"data: %d\n\n" % i
            writer.write(b"%x\r\n%s\r\n" % (len(line), line))
            await writer.drain()
            await asyncio.sleep(0.3)
        writer.write(b"0\r\n\r\n")
    elif word == "both":
        writer.write(ok + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
    elif word == "size":
        writer.write(ok + b"Content-Length: %d\r\n\r\n" % number)
        for _ in range(0, number, 65536):
            writer.write(b"z" * min(65536, number))
            await writer.drain()
    elif word == "length":
        text = b"%d\n" % len(body)
        writer.write(ok + b"Content-Length: %d\r\n\r\n" % len(text) + text)
    else:
        text += body
        writer.write(ok + b"Content-Length: %d\r\n\r\n" % len(text) + text)
    return True


async def plain(reader, writer):
    await reader.read(5)
    writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    writer.close()


async def serve(reader, writer):
    try:
        while True:
            text = await reader.readuntil(b"\r\n\r\n")
            seen.write(text)
            lines = text.decode("latin1").split("\r\n")
            fields = {k.lower(): v.strip() for k, v in (l.split(":", 1) for l in lines[1:] if l)}
            if fields.get("expect") == "100-continue":
                writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            body = await body_of(reader, fields)
            if not await answer(writer, lines[0].split()[1], text, fields, body):
                break
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError, ValueError):
        pass
    writer.close()


async def main():
    for port, name in ((8443, "server"), (8444, "self"), (8445, "expired"), (8446, "other"), (8447, None)):
        context = None
        if name:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(f"{place}/{name}.pem", f"{place}/server.key")
        await asyncio.start_server(serve if name else plain, "203.0.113.10", port, ssl=context, limit=1 << 20)
    with open(f"{place}/echo.ready", "w", encoding="ascii") as file:
        file.write("ready\n")
    await asyncio.Event().wait()


os.umask(0o022)
asyncio.run(main())
