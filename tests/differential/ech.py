"""A hello whose true name is encrypted: BoringSSL's client and server, where they are there."""
import os
import re
import shutil
import subprocess
import time

import honest

PEER, PORT = 8, 8444
TOOLS = ("bssl-tool", "bssl")


def results(place, addresses):
    """Name, good or None for not tried, and why or what was printed."""
    tool = next(filter(None, map(shutil.which, TOOLS)), None)
    name = "a hidden name does not reach the server"
    if not tool:
        yield name, None, "there is no " + " or ".join(TOOLS) + ", a server with Encrypted Client Hello"
        return
    ech = place.work + "/ech"
    allowed = f"www{PEER}.allowed.test"
    subprocess.run((tool, "generate-ech", "-out-ech-config-list", ech + ".list", "-out-ech-config", ech + ".config",
                    "-out-private-key", ech + ".private",
                    "-public-name", allowed, "-config-id", "1", "-max-name-length", "32"), check=True,
                    capture_output=True)
    place.outside(tool, "server", "-accept", str(PORT), "-loop", "-cert", place.work + "/forbidden.pem", "-key",
                  place.work + "/forbidden.key",
                  "-ech-key", ech + ".private", "-ech-config", ech + ".config")
    log = f"{place.work}/{os.path.basename(tool)}-{len(place.started) - 1}.log"
    if not honest.listens(addresses[PEER - 1], PORT):
        yield name, False, "the server does not begin: " + open(log).read()[-300:]
        return
    client = lambda hidden: [tool, "client", "-connect", f"{allowed}:{PORT}", "-server-name", hidden,
                             "-ech-config-list", ech + ".list"]

    def seen(command, hidden):
        done = subprocess.run(command, capture_output=True, timeout=30, stdin=subprocess.DEVNULL)
        time.sleep(0.5)
        return re.search(hidden, open(log).read()), (done.stdout + done.stderr).decode("utf-8", "replace")[-500:]

    found, text = seen(client("control.evil8.test"), "control.evil8.test")
    yield "control: without sbx a server gets a hidden name", bool(found), text
    found, text = seen([*place.box(PEER), "--", *client("hidden.evil8.test")], "hidden.evil8.test")
    yield name, not found, text
