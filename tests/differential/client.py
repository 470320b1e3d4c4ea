#!/usr/bin/env python3
"""Sends streams of bytes from where it runs: one a line of standard input, as a text of streams.py or as the
numbers that make one; its outcome is a line of standard output. Many at once, each with its number.
  client.py HOST      where a stream goes to is HOST, or sbx's own proxy"""
import asyncio
import json
import re
import socket
import sys

import streams

AT_ONCE = 160
FIRST, QUIET = 6, 0.2  # seconds: a server that said nothing for so long, at first and then, has nothing to say
MOST = 65536
PROXY = ("198.18.0.1", 3128)
FORBIDDEN = re.compile(rb"FORBIDDEN-[^;]{0,300};?")


class Link(asyncio.Protocol):
    def __init__(self):
        self.got, self.ended, self.fresh = bytearray(), asyncio.Event(), asyncio.Event()

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        if len(self.got) < MOST:
            self.got += data
        self.fresh.set()

    def eof_received(self):
        self.fresh.set()
        return False

    def connection_lost(self, problem):
        self.ended.set()
        self.fresh.set()


async def wait(event, seconds):
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except asyncio.TimeoutError:
        return False
    return True


async def send(stream, address):
    loop = asyncio.get_running_loop()
    to = PROXY if stream.proxy else (address, stream.port)
    try:
        transport, link = await loop.create_connection(Link, *to)
    except OSError as problem:
        return {"how": str(problem)}
    for what, value in stream.steps:
        if link.ended.is_set():
            break
        if what == "send":
            link.fresh.clear()
            transport.write(value)
        elif what == "pause":
            await asyncio.sleep(value / 1000)
        elif what == "wait":
            await wait(link.fresh, value / 1000)
        elif what == "end" and transport.can_write_eof():
            try:
                transport.write_eof()
            except OSError:
                break
    if not link.got:
        await wait(link.fresh, FIRST)
    length = -1
    while len(link.got) > length and not link.ended.is_set():
        length = len(link.got)
        await wait(link.ended, QUIET)
    how = "closed" if link.ended.is_set() else "open"
    transport.abort()
    return {"how": how, "port": stream.port, "allowed": b"ALLOWED-" in link.got,
            "first": bytes(link.got[:80]).decode("latin1"),
            "forbidden": [hit.decode("latin1") for hit in FORBIDDEN.findall(link.got)[:4]]}


async def main():
    loop, room = asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE)
    reader = asyncio.StreamReader(limit=1 << 24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    address = socket.getaddrinfo(sys.argv[1], 80, socket.AF_INET)[0][4][0]
    running = set()

    async def one(order):
        try:
            stream = streams.from_text(order["text"]) if "text" in order else streams.make(*order["make"])
            outcome = await send(stream, address)
        except Exception as problem:  # whoever waits for this one is to hear of it
            outcome = {"how": f"{streams.FAILED} {order}: {problem!r}"}
        finally:
            room.release()
        sys.stdout.write(json.dumps({"id": order["id"], **outcome}) + "\n")
        sys.stdout.flush()

    while line := await reader.readline():
        if line == b"\n":
            continue
        await room.acquire()
        task = loop.create_task(one(json.loads(line)))
        running.add(task)
        task.add_done_callback(running.discard)
    await asyncio.gather(*running)

asyncio.run(main())
