#!/usr/bin/env python3
"""Messages of language servers, judged by sbx and by Python's json. TAP.

    tests/lsp/agree.py [COUNT [SEED]]

Random messages, of which many are cut, changed or escaped: what is JSON to Python must be JSON to sbx and the
other way round, and each file that a reader of that JSON would edit or show must be asked about by its path."""
import json
import os
import random
import re
import string
import subprocess
import sys
from urllib.parse import unquote_to_bytes

sys.setrecursionlimit(100000)
sys.set_int_max_str_digits(0)
JUDGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(os.environ["SBX"]))), "tests", "lsp-judge")
DEPTH = 1024
FOLD = str.maketrans({"\u017f": "s", "\u212a": "k", **{c: c.lower() for c in string.ascii_uppercase}})
URIS = ["file:///p/a.c", "file:///p/a%20b", "file:///p/%2e%2e/x", "file:///p/../x", "file:///etc/passwd", "FILE:///p/A",
        "file:///p%2fq", "file:///p/a%00b", "file:///p/a?b", "file:///p/a#b", "file://host/p/a", "http://x/p", "/p/a", "",
        "file:///p//a", "file:///p/a/", "file:///p/%zz", "file:///p/%C3%A9", "file:///p/%ff", "file:///p/\u00e9", "file:///p/.",
        "untitled:x", "file:///p/%252e%252e/x", "file:///", "file:///p/a\nb", "file:///p/...", "file:///p/\U0001f600"]
METHODS = ["workspace/applyEdit", "window/showDocument", "window/logMessage", "textDocument/publishDiagnostics", "x/y", "$/progress"]
KEYS = ["changes", "documentChanges", "uri", "newUri", "oldUri", "edit", "command", "data", "target", "href", "x", "textDocument",
        "edits", "external", "params", "result", "method", "id", "document\u0441hanges", "CHANGES", "documentChange\u017f", "a\u0000b", "changes\u0000b"]
chance = random.Random()


class Pairs(list):
    """An object with all of its members, also those of one name."""


def value(depth=0):
    kind = chance.random()
    if depth > 5 or kind < 0.3:
        return chance.choice([*URIS, *URIS, 1, -0.5, 1e9, True, False, None, "command:x", "a.b", "https://x"])
    if kind < 0.75:
        return Pairs((chance.choice(KEYS + URIS[:8]), value(depth + 1)) for _ in range(chance.randrange(4)))
    return [value(depth + 1) for _ in range(chance.randrange(4))]


def edit():
    return Pairs([chance.choice([
        ("changes", Pairs((chance.choice(URIS), [value(5)]) for _ in range(chance.randrange(1, 4)))),
        ("documentChanges", [Pairs([("kind", "rename"), ("oldUri", chance.choice(URIS)), ("newUri", chance.choice(URIS))]),
                             Pairs([("textDocument", Pairs([("uri", chance.choice(URIS))])), ("edits", [])])]),
        (chance.choice(KEYS), value())])])


def message():
    members = [("jsonrpc", "2.0")]
    kind = chance.random()
    if kind < 0.7:
        members.append(("id", chance.choice([1, "a", None, 0, [], "b" * 300])))
    if kind < 0.4:
        members.append(("result", chance.choice([edit(), [Pairs([("title", "t"), ("edit", edit())])], value()])))
    else:
        members.append(("method", chance.choice(METHODS)))
        members.append(("params", chance.choice([Pairs([("edit", edit())]), value(),
                                                 Pairs([("uri", chance.choice(URIS)), ("external", chance.choice([True, False, 0]))])])))
    if chance.random() < 0.2:
        members.append((chance.choice(KEYS), value()))
    if chance.random() < 0.3:
        chance.shuffle(members)
    return Pairs(members)


def quoted(text):
    out = []
    for character in text:
        if chance.random() < 0.15:
            units = character.encode("utf-16-be")
            out += [f"\\u{units[i]:02{chance.choice('xX')}}{units[i + 1]:02x}" for i in range(0, len(units), 2)]
        else:
            out.append(json.dumps(character, ensure_ascii=False)[1:-1])
    return '"' + "".join(out) + '"'


def blank():
    return chance.choice([" ", "\n", "\t", "\r"]) if chance.random() < 0.05 else ""


def written(item):
    if isinstance(item, Pairs):
        return "{" + blank() + ",".join(f"{quoted(k)}{blank()}:{blank()}{written(v)}" for k, v in item) + "}" + blank()
    if isinstance(item, list):
        return "[" + ",".join(blank() + written(one) + blank() for one in item) + "]"
    return quoted(item) if isinstance(item, str) else json.dumps(item)


def text():
    made = bytearray(written(message()).encode("utf-8", "surrogatepass"))
    kind = chance.random()
    if kind < 0.15 and made:
        for _ in range(chance.randrange(1, 3)):
            made[chance.randrange(len(made))] = chance.choice(b'"\\{}[]:,0x\x00\x1f\x80\xff\xc0 -.eu')
    elif kind < 0.2:
        del made[chance.randrange(len(made)):]
    elif kind < 0.25:
        made += chance.choice([b" ", b"\n\n", b"x", b"{}", b"\x00", b",", b"\xef\xbb\xbf"])
    elif kind < 0.3:
        place = chance.randrange(len(made))
        made[place:place] = chance.choice([b"//x\n", b"/**/", b",", b"NaN", b"\\ud800", b"\\u12", b"00", b"1e", b"\xed\xa0\x80", b"\xc0\xa2", b"[" * 1100])
    return bytes(made)


def no_word(_):
    raise ValueError


def read(raw):
    """As Python reads it, with all members of each object; None when it is no JSON."""
    try:
        return json.loads(raw.decode("utf-8"), object_pairs_hook=Pairs, parse_constant=no_word)
    except (ValueError, RecursionError):
        return None


def depth_of(item):
    """How many objects and arrays lie in each other."""
    deepest, level = 0, [item]
    while level := [around for around in level if isinstance(around, list)]:
        level = [one[1] if isinstance(around, Pairs) else one for around in level for one in around]
        deepest += 1
    return deepest


def count(item):
    whole, level = 0, [item]
    while level:
        whole += len(level)
        level = [one[1] if isinstance(around, Pairs) else one for around in level if isinstance(around, list) for one in around]
    return whole


def path_of(uri):
    """The path that each editor takes the URI for, or None when they could differ."""
    if not isinstance(uri, str) or not uri.lower().startswith("file://") or re.search("[?#]", uri):
        return None
    if re.search("%(?![0-9a-fA-F]{2})", uri):
        return None
    try:
        path = unquote_to_bytes(uri[7:].encode("utf-8")).decode("utf-8")
    except UnicodeError:
        return None
    path = path[:-1] if len(path) > 1 and path.endswith("/") else path
    parts = path.split("/")
    if parts[0] or any(part in ("", ".", "..") for part in parts[1:]) or re.search("[\x00-\x1f\x7f-\x9f]", path):
        return None
    return path if len(path.encode()) < 4096 else None


def fixed(text_):
    """Half pairs are U+FFFD to sbx."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text_)


def edits(item, around=None):
    """Each URI that an editor would act on."""
    if isinstance(item, Pairs):
        for key, inner in item:
            name = fixed(key).split("\0")[0].translate(FOLD)
            if around == "changes":
                yield fixed(key)
                yield from edits(inner)
                continue
            if around == "documents" and name in ("uri", "olduri", "newuri"):
                yield fixed(inner) if isinstance(inner, str) else inner
            inside = around if around in ("documents", "data") else None
            if inside is None and around == "message" and name in ("params", "result"):
                inside = None
            elif inside is None and name == "changes" and isinstance(inner, Pairs):
                inside = "changes"
            elif inside is None and name == "documentchanges":
                inside = "documents"
            elif inside is None and name == "data":
                inside = "data"
            yield from edits(inner, inside)
    elif isinstance(item, list):
        for inner in item:
            yield from edits(inner, around if around in ("documents", "data") else None)


def judged(texts):
    given = b"".join(b"%d\n%s" % (len(one), one) for one in texts)
    answers, one = [], []
    for line in subprocess.run([JUDGE], input=given, stdout=subprocess.PIPE, check=True).stdout.decode().splitlines():
        one.append(line.split())
        if line.startswith(("pass ", "refuse ")):
            answers.append(one)
            one = []
    return answers


def problem(raw, answer):
    item = read(raw)
    is_json, values = answer[0][1] == "1", int(answer[0][2])
    deep = item is not None and depth_of(item) > DEPTH
    if is_json != (item is not None and not deep):
        return f"JSON to sbx: {is_json}, to Python: {item is not None}"
    if not is_json:
        return None if answer[-1][0] == "refuse" else "no JSON, and passed on"
    if values != count(item):
        return f"{values} values to sbx, {count(item)} to Python"
    if not isinstance(item, Pairs):
        return None if answer[-1][0] == "refuse" else "no object, and passed on"
    wanted = list(edits(item, "message"))
    paths = [path_of(uri) for uri in wanted]
    asked = [bytes.fromhex(word[1]).decode() for word in answer if word[0] == "edit"]
    if sorted(path for path in paths if path) != sorted(asked):
        return f"asked about {asked}, wanted {paths}"
    bad = any(path is None or not (path + "/").startswith("/p/") for path in paths)
    if bad and answer[-1][0] == "pass":
        return f"passed on with {wanted}"
    return None


def main():
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    chance.seed(seed)
    texts = [text() for _ in range(wanted)]
    # Without edits that pass, and those that are refused, nothing was compared.
    answers = judged(texts)
    wrong = [(why, raw) for raw, answer in zip(texts, answers) if (why := problem(raw, answer))]
    for why, raw in wrong[:10]:
        print(f"# {why}: {raw!r}")
    passed = sum(answer[-1][0] == "pass" for answer in answers)
    asked = sum(word[0] == "edit" for answer in answers for word in answer)
    good = not wrong and len(answers) == wanted
    print(f"{'ok' if good else 'not ok'} 1 - {wanted} messages by seed {seed} are read as Python reads them, {len(wrong)} differ")
    enough = passed > wanted / 20 and asked > wanted / 5
    print(f"{'ok' if enough else 'not ok'} 2 - many pass, and many paths are asked about: {passed}, {asked}")
    print("1..2")
    return int(not good or not enough)


sys.exit(main())
