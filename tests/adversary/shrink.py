"""Makes a sequence smaller while it still shows the same finding."""
import copy
import subprocess
import time

SECONDS = 25


def candidates(sequence):
    steps = sequence["steps"]
    for at in range(len(steps)):
        yield {**sequence, "steps": steps[:at] + steps[at + 1:]}
    if sequence["tree"] != "plain":
        yield {**sequence, "tree": "plain"}
    for size in (8, 4, 2, 1):
        for number, step in enumerate(steps):
            if not isinstance(step[-1], list):
                continue
            ops = step[-1]
            for at in range(0, len(ops), size):
                if size > 1 and len(ops) - at < size:
                    continue
                smaller = copy.copy(steps)
                smaller[number] = step[:-1] + [ops[:at] + ops[at + size:]]
                yield {**sequence, "steps": smaller}


def shows(player, sequence, finding, index):
    try:
        return any(core(text) == core(finding) for text in player.play(sequence, index))
    except (OSError, subprocess.SubprocessError):  # a box that cannot begin, such as one without its session
        return False


def smaller(player, sequence, finding, index=0):
    """`finding` is the text without the manner, which may change."""
    end = time.monotonic() + SECONDS
    again = True
    while again and time.monotonic() < end:
        again = False
        for candidate in candidates(sequence):
            if time.monotonic() > end:
                break
            if shows(player, candidate, finding, index):
                sequence, again = candidate, True
                break
    return sequence


def core(finding):
    return finding.partition(": ")[2]
