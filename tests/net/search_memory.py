#!/usr/bin/env python3
"""Where a text stands in the memory of a process and of all below it; needs root.
  search_memory.py PID TEXT    prints a line for each process: its name and how often the text was found"""
import os
import sys


def below(pid):
    yield pid
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
            for child in file.read().split():
                yield from below(int(child))


def count(pid, text):
    found = 0
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in maps:
            words = line.split()
            begin, end = (int(word, 16) for word in words[0].split("-"))
            if "r" not in words[1] or words[-1] in ("[vvar]", "[vsyscall]", "[vvar_vclock]"):
                continue
            before = b""
            for at in range(begin, end, 1 << 24):
                try:
                    memory.seek(at)
                    part = memory.read(min(1 << 24, end - at))
                except OSError:
                    break
                found += (before + part).count(text)
                before = part[-len(text) + 1 :]
    return found


for number in below(int(sys.argv[1])):
    with open(f"/proc/{number}/comm", encoding="utf-8") as file:
        name = file.read().strip()
    print(name, count(number, sys.argv[2].encode()))
