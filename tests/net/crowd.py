#!/usr/bin/env python3
"""Many connections at once, in a box: crowd.py names|ports|one COUNT SECONDS
names   to COUNT names of *.allowed.test, ports to as many ports of a name that is refused, one to one name.
Prints how many were answered, then whether fresh requests beside them were within SECONDS, 99 of 100: to the proxy
alone, for the test's server has one thread."""
import os
import resource
import select
import socket
import sys
import time

kind, count, patience = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
hosts = {"names": lambda i: f"crowd{i}.allowed.test", "ports": lambda i: "denied.test", "one": lambda i: "www.allowed.test"}


def request(host):
    return f"GET /crowd HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()


def fresh(end):
    """Until the other end of the pipe is closed."""
    times = []
    while not times or not select.select([end], [], [], 0.005)[0]:
        begin = time.monotonic()
        try:
            with socket.create_connection(("fresh.test", 80), 60) as connection:
                connection.sendall(request("fresh.test"))
                if connection.recv(12) == b"HTTP/1.1 403":
                    times.append(time.monotonic() - begin)
        except OSError:
            pass
    times.sort()
    slow = times[len(times) * 99 // 100 - (len(times) >= 100)]
    print("in time" if slow < patience else f"late: {slow:.2f} s")
    print(f"{len(times)} fresh, 99 of 100 within {slow * 1000:.0f} ms", file=sys.stderr)


waiting, good = {}, 0
addresses = [socket.getaddrinfo(hosts[kind](i), 80, socket.AF_INET, socket.SOCK_STREAM)[0][4][0]
             for i in range(count if kind == "names" else 1)]
poll = select.epoll()
read_end, write_end = os.pipe()
child = os.fork()
if child == 0:
    os.close(write_end)
    fresh(read_end)
    sys.exit(0)
time.sleep(0.1)
for i in range(count):
    connection = socket.socket()
    connection.setblocking(False)
    connection.connect_ex((addresses[i % len(addresses)], i + 2000 if kind == "ports" else 80))
    waiting[connection.fileno()] = [connection, request(hosts[kind](i))]
    poll.register(connection, select.EPOLLIN | select.EPOLLOUT)
end = time.monotonic() + 60
while waiting and time.monotonic() < end:
    for number, events in poll.poll(1):
        connection, text = waiting[number]
        try:
            if events & select.EPOLLIN:
                said = connection.recv(12)
                good += said[9:] in (b"200", b"403", b"502")  # 502: the test's name server was late
            elif events & select.EPOLLOUT:
                connection.send(text)
                poll.modify(number, select.EPOLLIN)
                continue
        except OSError as error:
            # Who says nothing in time is refused so; or the test's name server was late.
            good += kind == "ports" or kind == "names" and isinstance(error, ConnectionRefusedError)
        connection.close()
        del waiting[number]
print(good, end=" ", flush=True)
os.close(write_end)
os.waitpid(child, 0)
