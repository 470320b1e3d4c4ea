#!/usr/bin/env python3
"""Streams to a server that sends back what comes, at once: each with bytes of its own, most of them read in pauses.
  streams.py HOST PORT COUNT BYTES    prints how many came back as they were sent"""
import random
import socket
import sys
import threading
import time

host, port, count, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
whole = []


def stream(number):
    sent = random.Random(number).randbytes(size)
    got = bytearray()
    with socket.create_connection((host, port), timeout=60) as conn:

        def send():
            conn.sendall(sent)
            conn.shutdown(socket.SHUT_WR)

        sender = threading.Thread(target=send)
        sender.start()
        while part := conn.recv(1 << 20):
            got += part
            if number % 3 and random.random() < 0.02:
                time.sleep(0.01)
        sender.join()
    whole.append(bytes(got) == sent)


threads = [threading.Thread(target=stream, args=(number,)) for number in range(count)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sum(whole))
