#!/usr/bin/env python3
"""Servers that begin in plain text and go on with TLS by SNI, on their own ports and 10000 above; bytes that
come along with the plain text are the beginning of TLS, as with servers that share one buffer.
  starttls.py LAB ADDRESS N"""
import asyncio
import ssl
import sys

lab, address, number = sys.argv[1:]
ALLOWED = f"www{number}.allowed.test"
log = open(lab + "/starttls.seen", "a", buffering=1)
# port: greeting, the end of each message, what asks for TLS, the answer, the answer to all else
LINES = {
    25: (b"220 mail ESMTP\r\n", b"starttls", b"220 go ahead\r\n", b"250-mail\r\n250 STARTTLS\r\n"),
    143: (b"* OK [CAPABILITY IMAP4rev1 STARTTLS] ready\r\n", b"starttls", b"%s OK begin\r\n",
          b"* CAPABILITY IMAP4rev1 STARTTLS\r\n%s OK done\r\n"),
    110: (b"+OK ready\r\n", b"stls", b"+OK begin\r\n", b"+OK\r\n"),
    21: (b"220 ftp\r\n", b"auth tls", b"234 go\r\n", b"500 what\r\n"),
    5222: (b"", b"<starttls", b"<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>",
           b"<stream:stream><stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:features>"),
}
PG_ASK = bytes.fromhex("0000000804d2162f")
LDAP_ASK = bytes.fromhex("301d02010177188016") + b"1.3.6.1.4.1.1466.20037"
LDAP_ANSWER = bytes.fromhex("300c02010178070a010004000400")
MYSQL = b"\x0a" + b"8.0.36\0" + bytes.fromhex("01000000") + b"abcdefgh\0" + \
    bytes.fromhex("ffff0802000f00150000000000000000000000") + b"ijklmnopqrst\0mysql_native_password\0"
MYSQL_GREETING = len(MYSQL).to_bytes(3, "little") + b"\0" + MYSQL


def context(name):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(f"{lab}/{name}.pem", f"{lab}/{name}.key")
    return made


good, bad = context("allowed"), context("forbidden")


def choose(link, name, _):
    if (name or "").lower().rstrip(".") == ALLOWED:
        link.context = good
    else:
        log.write(f"{name}\n")


bad.sni_callback = choose


async def secure(reader, writer, data):
    """TLS from here on, and a page for who completes it."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    link = bad.wrap_bio(incoming, outgoing, server_side=True)
    incoming.write(data)
    while True:
        try:
            link.do_handshake()
            link.write(b"ALLOWED-starttls\n" if link.context is good else b"FORBIDDEN-starttls-[]-;\n")
            writer.write(outgoing.read())
            return await writer.drain()
        except ssl.SSLWantReadError:
            writer.write(outgoing.read())
            data = await reader.read(65536)
            if not data:
                return
            incoming.write(data)
        except ssl.SSLError:
            return writer.write(outgoing.read())


async def talk(port, reader, writer):
    data = b""
    if port == 3306:
        writer.write(MYSQL_GREETING)
    greeting, ask, yes, other = LINES.get(port, (b"", b"", b"", b""))
    writer.write(greeting)
    while True:
        more = await asyncio.wait_for(reader.read(65536), 40)
        if not more:
            return
        data += more
        if port == 5432:
            while data.startswith(PG_ASK):
                writer.write(b"S")
                data = data[8:]
                if data[:1] == b"\x16" or not data:
                    return await secure(reader, writer, data)
        elif port == 389 and data.startswith(LDAP_ASK):
            writer.write(LDAP_ANSWER)
            return await secure(reader, writer, data[len(LDAP_ASK):])
        elif port == 3306 and len(data) >= 36 and data[4 + 1] & 8:
            return await secure(reader, writer, data[36:])
        end = b">" if port == 5222 else b"\n"
        while port in LINES and end in data:
            line, data = data.split(end, 1)
            tag = line.split(b" ")[0]  # IMAP's answers begin as what they answer
            if ask in line.lower():
                writer.write(yes.replace(b"%s", tag))
                return await secure(reader, writer, data)
            writer.write(other.replace(b"%s", tag))


def server(port):
    async def connected(reader, writer):
        try:
            await talk(port, reader, writer)
        except (ConnectionError, asyncio.TimeoutError, TimeoutError):
            pass
        finally:
            writer.close()
    return connected


async def main():
    for port in [*LINES, 389, 3306, 5432]:
        for above in (0, 10000):
            await asyncio.start_server(server(port), address, port + above, backlog=2048)
    await asyncio.Event().wait()

asyncio.run(main())
