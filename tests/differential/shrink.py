"""Makes a stream that reaches the forbidden name smaller while it still does."""
import concurrent.futures
import time

SECONDS = 40
AT_ONCE = 24  # candidates that are tried at the same time


def fires(place, some, named):
    """Which of these reach the forbidden name, each with a number of its own; `named`: by that name."""
    fresh = [stream.with_token(place.token()) for stream in some]
    return [found.named if named else bool(found) for found in place.fire(fresh)]


def without_steps(stream):
    for at in range(len(stream.steps)):
        yield stream.copy(stream.steps[:at] + stream.steps[at + 1:])
    for at, (one, two) in enumerate(zip(stream.steps, stream.steps[1:])):
        if one[0] == two[0] == "send":
            yield stream.copy(stream.steps[:at] + [("send", one[1] + two[1])] + stream.steps[at + 2:])


def without_bytes(stream, size):
    for at, (what, value) in enumerate(stream.steps):
        if what != "send" or (size > 1 and len(value) < size):
            continue
        for begin in range(0, len(value), size):
            yield stream.copy(stream.steps[:at] + [("send",
                                                    value[:begin] + value[begin + size:])] + stream.steps[at + 1:])


def first_that_fires(place, candidates, named, end):
    batch = []
    for candidate in candidates:
        if time.monotonic() > end:
            return None
        batch.append(candidate)
        if len(batch) == AT_ONCE:
            for one, fired in zip(batch, fires(place, batch, named)):
                if fired:
                    return one
            batch = []
    for one, fired in zip(batch, fires(place, batch, named) if batch else []):
        if fired:
            return one
    return None


def smaller(place, stream, named):
    end = time.monotonic() + SECONDS
    if not any(fires(place, [stream] * 3, named)):
        return stream  # by a name that cannot be numbered anew, or by chance: as it is
    while True:
        better = first_that_fires(place, without_steps(stream), named, end)
        if not better:
            break
        stream = better
    size = max((len(value) for what, value in stream.steps if what == "send"), default=1) // 2 or 1
    while size >= 1 and time.monotonic() < end:
        if len(stream.sent()) // size > 400:
            break
        better = first_that_fires(place, without_bytes(stream, size), named, end)
        if better:
            stream = better
        else:
            size //= 2
    return stream


def all_at_once(place, some):
    """Each is a stream, and whether the forbidden name was served by that name."""
    if not some:
        return []
    with concurrent.futures.ThreadPoolExecutor(len(some)) as pool:
        return list(pool.map(lambda row: smaller(place, *row), some))
