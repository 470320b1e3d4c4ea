"""Streams of bytes that a client in a box may send: requests, hellos and preludes, whole and odd, in pieces.
Each names the forbidden host somewhere, by a name with its own number, so that a server's log says whose it was.
Everything follows from a seed. A stream is also a text file (see corpus/):
  server NAME, port N, proxy yes, send "bytes", pause MILLISECONDS, wait MILLISECONDS, end"""
import ast
import random
import re
import struct
import zlib

SERVERS = {"nginx": 1, "apache": 2, "node": 3, "python": 4, "go": 5, "starttls": 6}
SHARES = ("nginx", "apache", "node", "python", "go") * 2 + ("starttls",)
PLAIN, SECURE, H2C = (80, 80, 8080), (443, 443, 8443), {"nginx": 8081, "node": 8081}
PRELUDE_PORTS = (25, 143, 110, 21, 5222, 389, 3306, 5432)
FAILED = "a stream failed:"
TOKEN = re.compile(rb"[eE](\d{7})\.")


class Stream:
    def __init__(self, server, port, kind):
        self.server, self.port, self.kind, self.proxy, self.steps = server, port, kind, False, []

    def copy(self, steps=None):
        other = Stream(self.server, self.port, self.kind)
        other.proxy, other.steps = self.proxy, list(self.steps if steps is None else steps)
        return other

    def sent(self):
        return b"".join(value for what, value in self.steps if what == "send")

    def with_token(self, number):
        """The same with another number in the forbidden name, also where pieces cut it."""
        sent = TOKEN.sub(lambda found: b"%s%07d." % (found[0][:1], number), self.sent())
        steps, at = [], 0
        for what, value in self.steps:
            if what == "send":
                value, at = sent[at:at + len(value)], at + len(value)
            steps.append((what, value))
        return self.copy(steps)

    def text(self):
        lines = [f"# {self.kind}", f"server {self.server}", f"port {self.port}"]
        lines += ["proxy yes"] if self.proxy else []
        for what, value in self.steps:
            lines.append("send " + run_lengths(value) if what == "send" else f"{what} {value}".strip())
        return "\n".join(lines) + "\n"


def run_lengths(data):
    """As Python would write it, but long runs of a few bytes as "..." * count."""
    parts, at, begin = [], 0, 0
    while at < len(data):
        for size in (1, 2):
            unit, count = data[at:at + size], 1
            while data[at + count * size:at + (count + 1) * size] == unit:
                count += 1
            if count >= 40:
                parts += [repr(data[begin:at])[1:]] if at > begin else []
                parts.append(f"{repr(unit)[1:]} * {count}")
                at = begin = at + count * size
                break
        else:
            at += 1
    parts += [repr(data[begin:])[1:]] if at > begin or not data else []
    return " + ".join(parts)


def from_text(text):
    stream = Stream("", 0, "corpus")
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "#":
            stream.kind = rest
        elif word == "server":
            stream.server = rest
        elif word == "port":
            stream.port = int(rest)
        elif word == "proxy":
            stream.proxy = True
        elif word == "send":
            data = b""
            for part in re.findall(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?: \* (\d+))?""", rest):
                data += ast.literal_eval("b" + part[0]) * int(part[1] or 1)
            stream.steps.append(("send", data))
        elif word in ("pause", "wait", "end"):
            stream.steps.append((word, int(rest or 0)))
        elif word:
            raise ValueError(f"'{line}' is no line of a stream")
    return stream


class Maker:
    """What one stream is made of."""

    def __init__(self, seed, index, token):
        self.r = random.Random(zlib.crc32(b"%d %d" % (seed, index)) << 32 | index)
        self.token, self.early = token, index < 300
        self.server = SHARES[index % len(SHARES)]
        number = SERVERS[self.server]
        self.good = b"www%d.allowed.test" % number
        self.bad = b"e%07d.evil%d.test" % (token, number)
        self.marks = []  # places in the bytes that are interesting to cut at

    def odd(self, share):
        return self.r.random() < share

    def pick(self, usual, others, share=0.12):
        return self.r.choice(others) if self.odd(share) else usual

    # --- HTTP

    def nothing(self):
        """What may stand before a request."""
        eol = self.r.choice((b"\r\n", b"\n", b" ", b"\t", b"\r", b"\x00", b"\x0b", b"\x0c", b"\r\n", b"\xff",
                             b"\xef\xbb\xbf", b"\xc2\xa0", b"\x85", b"\x1c"))
        count = self.r.choice((1, 1, 1, 2, 3, 8, 60, 4090, 4096, 4097, 4200, 8190, 8192, 8193, 8400, 16384))
        return eol * min(count, 17000 // len(eol))

    def line(self):
        r, bad, good = self.r, self.bad, self.good
        method = self.pick(b"GET", (b"POST", b"HEAD", b"OPTIONS", b"PUT", b"get", b"FOO", b"G\x00T", b"GET\x00", b"",
                                    b"PRI", b"CONNECT", b"GET" * 3000, b"M-SEARCH", b"SOURCE", b"\x0cGET", b"DESCRIBE"))
        gap = self.pick(b" ", (b"  ", b"\t", b"\x0b", b"\x0c", b"\xa0", b"\r", b"", b"\x1c", b"\x85", b" \t "), 0.08)
        target = self.pick(b"/", (
            b"*", b"/x", b"http://" + bad + b"/", b"http://" + good + b"/", b"//" + bad + b"/", b"/\x01", b"/\x7f",
            b"/\xff", b"/ x", b"", bad + b":80", b"http://" + good + b"@" + bad + b"/", b"https://" + bad + b"/",
            b"/?" + b"a" * r.choice((8180, 8190, 8194, 12000, 4000)), b"http:/" + bad, b"HTTP://" + bad + b"/",
            b"http://" + bad + b"#@" + good + b"/", b"http://" + bad + b"\\@" + good + b"/", b"/\t", b"/#http/1.1",
            b"/http/", b"/\x00", b"http:" + bad, b"ws://" + bad + b"/", b"?", b"\\", b"x"), 0.2)
        version = self.pick(b"HTTP/1.1", (
            b"HTTP/1.0", b"", b"HTTP/0.9", b"HTTP/1.2", b"HTTP/2.0", b"http/1.1", b"HTTP/1.1 ", b"HTTP/01.1",
            b"HTTP/1.1.1", b"HTTP/1", b"HTTP /1.1", b"HTTP\x01/1.1", b"ICY/1.1", b"HTTPS/1.1", b"HTTP/1.1\x00",
            b"HTTP/+1.1", b"HTTP/1.10", b"HTTP/3", b"HTTP 1.1", b"\x01HTTP/1.1", b"HT", b"RTSP/1.0", b"HTTP/1.\xb9"),
            0.2)
        if not version:
            return method + gap + target + self.eol()
        return method + gap + target + gap + version + self.eol()

    def eol(self):
        return self.pick(b"\r\n", (b"\n", b"\r", b"\r\r\n", b"\n\r", b"\x0b\r\n", b"\r\n ", b"\x00\r\n"), 0.05)

    def host(self):
        bad, good = self.bad, self.good
        forms = (
            b"Host: " + good + b"\r\nHost: " + bad, b"Host: " + bad + b"\r\nHost: " + good, b"Host : " + bad,
            b"Host:" + bad, b"Host:\t" + bad, b"hOST: " + bad, b"Host: " + good + b"\r\n " + bad,
            b"X: y\r\n Host: " + bad + b"\r\nHost: " + good, b"X: y\nHost: " + bad + b"\r\nHost: " + good,
            b"X: y\rHost: " + bad + b"\r\nHost: " + good, b"\x00Host: " + bad + b"\r\nHost: " + good,
            b"Host: " + good + b", " + bad, b"Host: " + good + b"\x00" + bad, b"Host: " + bad + b":80",
            b"Host: " + good + b"@" + bad, b"Host: " + bad + b"#" + good, b"Host: " + bad + b"\\@" + good,
            b"Host: " + good + b":80@" + bad, b"Host\x00: " + bad + b"\r\nHost: " + good,
            b"Host: " + good + b"\r\nX-Forwarded-Host: " + bad, b"Host: " + bad + b"\r\n: x\r\nHost: " + good,
            b"Host: " + good + b"." + bad, b"Host: " + bad + b"%00." + good, b"Host: \r\nHost: " + bad,
            b"Host: " + good + b".\r\nHost: " + bad, b"Host:\r\n " + bad, b"Host: " + good + b" " + bad,
            b"Host: " + good + b"\t" + bad, b"Host\t: " + bad, b"Host: " + good, b"Host: " + bad.upper(),
            b"Host: " + good + b"\x0b", b"Host: " + good + b"..", b"X-A: b", b"Host : " + bad + b"\r\nHost: " + good,
            b" Host: " + bad + b"\r\nHost: " + good, b"Host: " + good + b"\nHost: " + bad,
            b"Host: " + good + b":65616", b"Host: " + good + b":80:80", b"Host: " + good + b"/",
            b"Host: " + good + b"%2e", b"Host: " + good + b",",
            b"Host: [" + good + b"]", b"Host: " + good + b"\\", b"Host: ." + good,
            b"Host: " + good + b"\r\nHost: " + good, b"Host: " + good + b"\xad",
            b"Host: " + good + b":080", b"Host: " + good + b":", b"Host\xa0: " + bad + b"\r\nHost: " + good)
        return self.pick(b"Host: " + bad, forms, 0.45)

    def head(self, host=None, fields=b""):
        end = self.eol()
        line, host = self.line(), self.host() if host is None else host
        if self.odd(0.08):  # the target says one name, the field another
            names = self.r.sample((self.bad, self.good), 2)
            line, host = b"GET http://" + names[0] + b"/ HTTP/1.1" + self.eol(), b"Host: " + names[1]
        fields = b"".join(self.r.sample((host + end, fields, b"A: b" + end),
                                        3)) if self.odd(0.2) else host + end + fields
        return line + fields + self.pick(b"\r\n", (b"\n", b"", b"\r", b" \r\n", b"\x00\r\n"), 0.05)

    def good_head(self, fields=b"", method=b"POST"):
        return method + b" /a HTTP/1.1\r\nHost: " + self.good + b"\r\n" + fields + b"\r\n"

    def evil(self):
        return b"GET / HTTP/1.1\r\nHost: " + self.bad + b"\r\n\r\n"

    def request(self):
        before = self.nothing() if self.odd(0.4) else b""
        self.marks += [len(before), 8192, len(before) + 8192]
        whole = before + self.head()
        if self.odd(0.15):
            whole += self.head()
        return [("send", whole)]

    def smuggle(self):
        """An allowed request with a body that another reader would end elsewhere."""
        evil, r = self.evil(), self.r
        size = b"%d" % len(evil)
        chunk = b"%x\r\n%s\r\n0\r\n\r\n" % (len(evil), evil)
        lengths = (size, b"0", b"+" + size, size + b", " + size, b"0" + size, b"-1", size + b"\x00", size + b" 0",
                   b"0x10",
                   b"1_0", b"", b"\x0b0", b"18446744073709551616", b"4294967296", size + b"\r\nContent-Length: 0",
                   b"0\r\nContent-Length: " + size, b"1e1", b"\xb2")
        codings = (b"chunked", b"chunked, identity", b"identity", b"xchunked", b"\x0bchunked",
                   b"chunked\r\nTransfer-Encoding: x",
                   b"x\r\nTransfer-Encoding: chunked", b"identity, chunked", b"Chunked", b"chunked\x00", b"\"chunked\"",
                   b"chunked;a=b", b",chunked", b"\r\n chunked", b"gzip, chunked", b"chunked\r\n\tx", b"chunked,", b"")
        name = self.pick(b"Transfer-Encoding", (b"Transfer-Encoding ", b"Transfer_Encoding", b"transfer-encoding",
                                                b"TE",
                                                b"Transfer-Encoding\x00", b"X: y\nTransfer-Encoding",
                                                b"\tTransfer-Encoding"), 0.3)
        name2 = self.pick(b"Content-Length", (b"Content-Length ", b"Content_Length", b"content-length",
                                              b"X: y\nContent-Length",
                                              b"\tContent-Length", b"Content-Length\x00"), 0.2)
        fields = b""
        if self.odd(0.35):  # as it should be: the request inside is a body, and nobody's
            counted = self.odd(0.5)
            body = evil if counted else chunk
            fields = b"Content-Length: " + size + b"\r\n" if counted else b"Transfer-Encoding: chunked\r\n"
            return [("send", self.good_head(fields) + body + self.r.choice((b"", evil,
                self.good_head(method=b"GET") + evil)))]
        if self.odd(0.6):
            fields += name2 + b": " + r.choice(lengths) + b"\r\n"
        if self.odd(0.6) or not fields:
            fields += name + b": " + r.choice(codings) + b"\r\n"
        if self.odd(0.15):
            fields += b"Expect: " + r.choice((b"100-continue", b"100-continue\r\nExpect: x", b"x")) + b"\r\n"
        if self.odd(0.1):
            fields += b"Connection: " + r.choice((b"close", b"Content-Length", b"Transfer-Encoding, close",
                                                  b"keep-alive", b"Host")) + b"\r\n"
        version = self.pick(b"HTTP/1.1", (b"HTTP/1.0",), 0.15)
        head = self.good_head(fields, r.choice((b"POST", b"POST", b"GET", b"HEAD", b"OPTIONS",
                                                b"PUT"))).replace(b"HTTP/1.1", version, 1)
        self.marks.append(len(head))
        sizes = (b"0", b"0x0", b"00", b"0;a=b", b"0 ", b" 0", b"+0", b"-0", b"", b"0\n", b"0;\x00", b"0;a\n",
                 b"0\x0b", b"10000000000000000",
                 b"ffffffffffffffff", b"0_0", b"0\r", b"0;a=\"\r\n\"", b"%x" % (len(evil) + 2), b"1\r\nAA0")
        odd = r.choice(sizes) + b"\r\n" + r.choice((b"\r\n", b"Host: " + self.bad + b"\r\n\r\n", b"\n", b"")) + evil
        body = r.choice((chunk, odd, evil, b"0\r\n\r\n" + evil, b"\r\n" + evil,
                         b"5\r\nabcde" + r.choice((b"", b"\n", b"\r", b"xx")) + b"0\r\n\r\n" + evil))
        return [("send", head + body)]

    def pipeline(self):
        parts = [self.good_head(method=self.r.choice((b"GET", b"HEAD", b"OPTIONS"))) for _ in range(self.r.choice((1,
            1, 2, 20)))]
        last = self.r.choice((self.evil(), self.head(), self.nothing() + self.head(), self.h2()))
        self.marks.append(len(b"".join(parts)))
        return [("send", b"".join(parts))] + ([("wait", 1200)] if self.odd(0.4) else []) + [("send", last)]

    def frame(self, kind, flags, number, data):
        return struct.pack("!I", len(data))[1:] + bytes((kind, flags)) + struct.pack("!I", number) + data

    def h2(self, number=1):
        """HTTP/2's preface and a request."""
        preface = self.pick(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                            (b"PRI * HTTP/2.0\n\nSM\n\n", b"pri * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"",
                             b"PRI  * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 0.1)
        fields = b"\x82\x86\x84\x41" + bytes((len(self.bad),)) + self.bad
        if self.odd(0.2):
            fields = b"\x82\x86\x84\x41" + bytes((len(self.good),
                                                  )) + self.good + b"\x40\x04host" + bytes((len(self.bad),)) + self.bad
        return preface + self.frame(4, 0, 0, b"") + self.frame(1, 5, number, fields)

    def upgrade(self):
        r = self.r
        words = [r.choice((b"h2c", b"websocket")) if self.odd(0.8) else r.choice((b"h2c, websocket",
            b"websocket, h2c", b"h2c,websocket", b"TLS/1.2", b"H2C",
                           b"h2c\x00", b"websocket/13", b"",
                           b"h2c\r\n ,websocket")) for _ in range(r.choice((1, 2, 2, 3)))]
        name = lambda: self.pick(b"Upgrade", (b"upgrade", b"Upgrade ", b"UPGRADE", b"X: y\nUpgrade"), 0.1)
        lines = [name() + b": " + word for word in words] + [
            b"Connection: " + self.pick(b"Upgrade, HTTP2-Settings",
                                        (b"upgrade", b"Upgrade\r\nConnection: HTTP2-Settings",
                                        b"keep-alive, Upgrade, HTTP2-Settings", b"HTTP2-Settings, Upgrade, close"),
                                        0.3),
            b"HTTP2-Settings: " + self.pick(b"AAMAAABkAAQAAP__", (b"", b"AAMAAABkAARAAAAAAAIAAAAA"))]
        if self.odd(0.4):
            lines += [b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", b"Sec-WebSocket-Version: 13"]
        r.shuffle(lines)
        head = self.good_head(b"".join(line + b"\r\n" for line in lines), b"GET")
        between = [("wait", 1500)] if self.odd(0.5) else []
        last = self.h2(3) if self.odd(0.8) else self.r.choice((self.evil(), self.records(self.hello())))
        return [("send", head)] + between + [("send", last)]

    # --- TLS

    def extension(self, kind, body):
        return struct.pack("!HH", kind, len(body)) + body

    def server_name(self, names):
        listed = b"".join(bytes((kind,)) + struct.pack("!H", len(name)) + name for kind, name in names)
        return self.extension(0, struct.pack("!H", len(listed)) + listed)

    def hello(self, names=None, same=None, share=0x1d, early=False):
        """A ClientHello that servers take; `same` is the random and session of an earlier one."""
        r, bad, good = self.r, self.bad, self.good
        if names is None:
            names = [(0, self.pick(bad, (bad + b".", bad.upper(), bad + b"\x00", good + b"\x00" + bad,
                                         good + b"." + bad, b" " + bad,
                                         good, b"203.0.113.21", good + b".", good.upper(), bad + b":443"), 0.15))]
            names = self.pick(names, ([], [(0, good), (0, bad)], [(0, bad), (0, good)], [(1, good), (0, bad)],
                                      [(0, good), (1, bad)],
                                      [(0, b"")]), 0.2)
        nonce, session = same or (r.randbytes(32), r.randbytes(r.choice((0, 32, 32))))
        old = same is None and self.odd(0.35)  # TLS 1.2, whose certificate is in plain text
        suites = bytes.fromhex("130113021303c02bc02cc02fc030cca9cca8009c002f00ff")
        groups = [0x7a7a, 0x1d, 0x17, 0x18] if share == 0x7a7a else [0x1d, 0x17, 0x18]
        all_groups = b"".join(struct.pack("!H", group) for group in groups)
        schemes = bytes.fromhex("0403080404010503080505010806060102010203")
        parts = [self.server_name(names)] if names else []
        parts += [self.extension(10, struct.pack("!H", len(all_groups)) + all_groups), self.extension(11, b"\1\0"),
                  self.extension(13, struct.pack("!H", len(schemes)) + schemes), self.extension(23, b"")]
        if not old:
            key = r.randbytes(32)
            parts += [self.extension(43, b"\4\3\4\3\3"), self.extension(45, b"\1\1"),
                      self.extension(51, struct.pack("!HHH", 36, share, 32) + key)]
        if self.odd(0.2):
            parts.append(self.extension(16, b"\0\x0c\2h2\x08http/1.1"))
        if self.odd(0.06):
            parts.append(self.extension(0xfe0d, b"\0\0\1\0\1\7\0\x20" + r.randbytes(32) + b"\0\x80" + r.randbytes(128)))
        if self.odd(0.06):
            parts.append(self.server_name([(0, r.choice((good, bad)))]))  # a second field of the kind
        if self.odd(0.1):
            parts.append(self.extension(21, bytes(r.choice((10, 200, 1500, 9000, 15900, 16300, 40000)))))
        if self.odd(0.5) and same is None:
            r.shuffle(parts)
        if early:
            parts.append(self.extension(42, b""))
            parts.append(self.extension(41,
                                        b"\0\x16\0\x10" + r.randbytes(16) + b"\0\0\0\0" + b"\0\x21\x20" + r.randbytes(32)))
        body = b"\3\3" + nonce + bytes((len(session),)) + session + struct.pack("!H", len(suites)) + suites + b"\1\0"
        listed = b"".join(parts)
        body += struct.pack("!H", len(listed)) + listed
        self.last = (nonce, session)
        return b"\1" + struct.pack("!I", len(body))[1:] + body

    def record(self, kind, data, version=None):
        version = version or self.pick(b"\3\1", (b"\3\3", b"\3\0", b"\3\4", b"\3\3", b"\2\0", b"\3\xff", b"\4\1"), 0.15)
        return bytes((kind,)) + version + struct.pack("!H", len(data)) + data

    def records(self, message):
        """The message over one record or some."""
        cuts = sorted(self.r.randrange(1, len(message)) for _ in range(self.pick(0, (1, 1, 2, 5, 40), 0.25)))
        cuts = sorted({0, *cuts, *range(16384, len(message), 16384), len(message)})
        made = []
        for begin, end in zip(cuts, cuts[1:]):
            made.append(self.record(22, message[begin:end]))
            if self.odd(0.02):
                made.append(self.before_hello())
        return b"".join(made)

    def before_hello(self):
        """A record that comes where a hello is due."""
        r = self.r
        if self.odd(0.3):
            return self.record(21, bytes((1, r.choice((90, 100, 112)))))
        return r.choice((
            lambda: self.record(21, bytes((1, r.choice((90, 100, 112, 0, 41, r.randrange(256)))))),
            lambda: self.record(21, bytes((2, r.randrange(120)))), lambda: self.record(20, b"\1"),
            lambda: self.record(22, b""),
            lambda: self.record(21, b""), lambda: self.record(23, b""), lambda: self.record(23, r.randbytes(20)),
            lambda: self.record(24, b"\1\0\1a"), lambda: self.record(22, b"\0\0\0\0"),
            lambda: self.record(r.randrange(256), b"")))()

    def ssl2(self):
        """A hello in SSL 2's form: no names, so the server's first."""
        body = b"\1\3\1\0\6\0\0\0\x10" + b"\0\0\x2f\0\0\xff" + self.r.randbytes(16)
        return struct.pack("!H", 0x8000 | len(body)) + body

    def secured(self):
        r = self.r
        if self.odd(0.03):
            return [("send", self.ssl2() + (self.records(self.hello()) if self.odd(0.5) else b""))]
        if self.odd(0.1):  # several messages in one record, or in several
            first, second = self.hello([(0, self.good)]), self.hello([(0, self.bad)])
            both = r.choice((self.record(22, (first + second)[:65535]), self.records(first) + self.records(second),
                             self.record(22, first + second[:20]) + self.record(22, second[20:])))
            return [("send", both)]
        before = b"".join(self.before_hello() for _ in range(self.pick(0, (1, 1, 2, 5), 0.35)))
        self.marks += [len(before), len(before) + 5]
        return [("send", before + self.records(self.hello()))]

    def second_hello(self):
        """A hello that the server answers with HelloRetryRequest, then one of another name."""
        r = self.r
        early = self.odd(0.2)
        first = self.hello([(0, self.good)], (r.randbytes(32), r.randbytes(32)), 0x7a7a, early)
        second = self.hello(self.pick([(0, self.bad)], ([], [(0, self.good)]), 0.1), self.last)
        between = b""
        if early or self.odd(0.1):
            between += self.record(23, r.randbytes(60), b"\3\3")
        if self.odd(0.4):
            between += self.record(20, b"\1", b"\3\3")
        if self.odd(0.1):
            between += self.before_hello()
        if self.odd(0.1):
            return [("send", self.record(22, (first + second)[:65535]))]
        wait = [("wait", 1500)] if self.odd(0.8) else []
        return [("send", self.records(first))] + wait + [("send", between + self.records(second))]

    # --- preludes and mixtures

    def prelude(self):
        """Plain text that ends with the wish for TLS, then a hello."""
        port = self.r.choice(PRELUDE_PORTS)
        self.prelude_port = port + self.r.choice((0, 0, 10000))
        asks = {5432: [bytes.fromhex("0000000804d2162f")], 25: [b"EHLO x\r\n", b"STARTTLS\r\n"],
                143: [b"a STARTTLS\r\n"],
                110: [b"STLS\r\n"], 21: [b"AUTH TLS\r\n"],
                389: [bytes.fromhex("301d02010177188016") + b"1.3.6.1.4.1.1466.20037"],
                5222: [b"<stream:stream to='x'>", b"<starttls/>"],
                3306: [bytes.fromhex("200000010d8e0000000000012100") + bytes(22)]}[port]
        waits = self.odd(0.7)
        steps = [("wait", 1200)] if port in (25, 143, 110, 21, 3306) and self.odd(0.8) else []
        for ask in asks:
            steps.append(("send", ask))
            steps += [("wait", 1200)] if waits else []
        if self.odd(0.3):
            return steps + self.second_hello()
        return steps + [("send", self.records(self.hello()))]

    def cover(self):
        """Something that is no HTTP and no TLS, then something that is."""
        r = self.r
        first = r.choice((b"\x00", b"QUIT\r\n", b"PING\r\n", b"SSH-2.0-x\r\n", b"SSH-1.99-x\r\n", b"SSH-2.0-",
                          b"*1\r\n$4\r\nPING\r\n",
                          b"EHLO x\r\n", b"PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\n", b"PROXY UNKNOWN\r\n",
                          b"\r\n\r\n\0\r\nQUIT\n" + bytes((0x21, 0x11, 0, 12)) + bytes(12),
                          bytes.fromhex("0000000804d2162f"), b"@RSYNCD: 31.0\n", b"\x05\1\0", b"\x10\x0e\0\4MQTT",
                          b"USER x\r\n",
                          r.randbytes(r.randrange(1, 40)), self.before_hello(), bytes(8192), b"a" * 8193,
                          b"a" * 16384, b"get k\r\n"))
        last = r.choice((self.evil(), self.head(), self.h2(), self.records(self.hello()),
                         self.good_head(method=b"GET") + self.evil()))
        self.marks.append(len(first))
        return [("send", first)] + ([("wait", 800)] if self.odd(0.4) else []) + [("send", last)]

    def through(self, steps, port):
        """The same by sbx's own proxy."""
        r, good = self.r, self.good
        wait = [("wait", 1500)] if self.odd(0.85) else []
        if self.odd(0.4):
            name = bytes((len(good),)) + good
            return [("send", b"\5\1\0"), *wait, ("send", b"\5\1\0\3" + name + struct.pack("!H", port)), *wait] + steps
        target = good + b":%d" % port
        fields = self.pick(b"Host: " + target + b"\r\n", (b"", b"Host: " + self.bad + b"\r\n",
                                                          b"Host: " + target + b"\r\nContent-Length: 3\r\n"), 0.15)
        version = self.pick(b"HTTP/1.1", (b"HTTP/1.0",), 0.2)
        return [("send", b"CONNECT " + target + b" " + version + b"\r\n" + fields + b"\r\n"), *wait] + steps

    def absolute(self):
        """Requests that name their server themselves, for sbx's own proxy."""
        first = b"GET http://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n" % (self.good, self.good)
        forms = (b"GET http://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n" % (self.good, self.bad),
                 b"GET http://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n" % (self.bad, self.good),
                 b"GET http://%s@%s/ HTTP/1.1\r\nHost: %s\r\n\r\n" % (self.good, self.bad, self.good),
                 first + self.evil(),
                 first + first + self.evil(), b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % self.bad, self.head(),
                 self.nothing() + self.head(),
                 b"GET http://%s/ HTTP/1.1\r\n%s\r\n\r\n" % (self.good, self.host()),
                 b"GET http://%s\\@%s/ HTTP/1.1\r\nHost: %s\r\n\r\n" % (self.good, self.bad, self.good))
        return [("send", self.r.choice(forms))]

    def mutate(self, data):
        r, data = self.r, bytearray(data)
        for _ in range(r.choice((1, 1, 2, 4))):
            at = r.randrange(len(data) + 1)
            what = r.randrange(5)
            if what == 0:
                data[at:at] = r.choice((b"\r", b"\n", b"\0", b" ", b"\t", b":", b"\r\n", b"\x16\3\1", b"HTTP/1.1",
                                        b"\r\n\r\n", b"\xff"))
            elif what == 1 and data:
                del data[at:at + r.choice((1, 1, 2, 5, 20))]
            elif what == 2 and at < len(data):
                data[at] = r.randrange(256)
            elif what == 3:
                data[at:at] = data[max(0, at - r.choice((1, 4, 30))):at]
            elif at < len(data):
                data[at] ^= 1 << r.randrange(8)
        return bytes(data)

    def cut(self, steps):
        """Into pieces with pauses, or as it is."""
        if self.odd(0.45):
            return steps
        made = []
        for what, value in steps:
            if what != "send" or len(value) < 2 or self.odd(0.4):
                made.append((what, value))
                continue
            places = {mark for mark in self.marks if 0 < mark < len(value) and self.odd(0.5)}
            places |= {self.r.randrange(1, len(value)) for _ in range(self.r.choice((0, 1, 1, 2, 3)))}
            places = [0, *sorted(places), len(value)]
            for begin, end in zip(places, places[1:]):
                made.append(("send", value[begin:end]))
                if end < len(value) and self.early and self.odd(0.05):  # past a deadline of the proxy
                    made.append(("pause", self.r.choice((2500, 11000, 11000, 31000))))
                elif end < len(value):
                    made.append(("pause", self.r.choice((0, 0, 0, 20, 20, 20, 20, 150, 150, 400))))
        return made

    def stream(self):
        kinds = {"request": (self.request, 24, 0), "smuggle": (self.smuggle, 16, 0), "pipeline": (self.pipeline, 5, 0),
                 "h2": (lambda: [("send", (self.nothing() if self.odd(0.2) else b"") + self.h2())], 4, 0),
                 "upgrade": (self.upgrade, 9, 0),
                 "hello": (self.secured, 18, 1), "second hello": (self.second_hello, 9, 1),
                 "cover": (self.cover, 6, 2), "absolute": (self.absolute, 3, 0)}
        if self.server == "starttls":
            kind, steps = "prelude", self.prelude()
            port = self.prelude_port
        else:
            kind = self.r.choices(list(kinds), [row[1] for row in kinds.values()])[0]
            make, _, layer = kinds[kind]
            steps = make()
            port = self.r.choice((PLAIN, SECURE, PLAIN + SECURE)[layer])
            if kind in ("h2", "pipeline", "cover") and self.server in H2C and self.odd(0.5):
                port = H2C[self.server]
        made = Stream(self.server, port, kind)
        if self.odd(0.15):
            at = self.r.choice([i for i, step in enumerate(steps) if step[0] == "send"])
            steps[at] = ("send", self.mutate(steps[at][1]))
            made.kind += ", mutated"
        made.proxy = kind == "absolute"
        if not made.proxy and self.odd(0.12):
            steps, made.proxy = self.through(steps, port), True
            made.kind += ", by the proxy"
        made.steps = self.cut(steps)
        if self.odd(0.2):
            made.steps.append(("end", 0))
        return made


def make(seed, index, token):
    return Maker(seed, index, token).stream()
