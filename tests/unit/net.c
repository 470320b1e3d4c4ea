// The parsers of the way out: hosts, destinations, HTTP, TLS, SOCKS, DNS, the host's tables,
// netlink.
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ask/ask.h"
#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "git/gitconfig.h"
#include "net/host/destinations.h"
#include "net/host/proxy.h"
#include "net/parse/parse.h"
#include "net/rules/local_address.h"
#include "net/rules/rules.h"
#include "net/setup/netns.h"
#include "plan.h"
#include "run.h"
#include "text/sha.h"
#include "text/destination.h"

static void spellings(void **state)
{
	static const struct {
		const char *text, *canonical; // NULL: refused
	} rows[] = {
		{ "Example.COM", "example.com" },
		{ "example.com.", "example.com" },
		{ "a-b.c1", "a-b.c1" },
		{ "xn--bcher-kva.example", "xn--bcher-kva.example" },
		{ "localhost", "localhost" },
		{ "1.2.3.4", "1.2.3.4" },
		{ "127.1", "127.0.0.1" },
		{ "0x7f.1", "127.0.0.1" },
		{ "2130706433", "127.0.0.1" },
		{ "017700000001", "127.0.0.1" },
		{ "0x7f000001", "127.0.0.1" },
		{ "1.2.3.4.", "1.2.3.4" },
		{ "[::1]", "::1" },
		{ "::ffff:1.2.3.4", "1.2.3.4" },
		{ "::ffff:7f00:1", "127.0.0.1" },
		{ "::127.0.0.1", "127.0.0.1" },
		{ "[2001:DB8::1]", "2001:db8::1" },
		{ "0", "0.0.0.0" },
		{ "1.2.3", "1.2.0.3" },
		{ "a.0x1", NULL },
		{ "", NULL },
		{ ".", NULL },
		{ "..", NULL },
		{ "a..b", NULL },
		{ ".a", NULL },
		{ "-a.b", NULL },
		{ "a-.b", NULL },
		{ "a+b", NULL },
		{ "A_b.c", "a_b.c" },
		{ "b\xc3\xbc"
		  "cher",
		  NULL },
		{ "a b", NULL },
		{ "a/b", NULL },
		{ "a:80", NULL },
		{ "256.1.1.1", NULL },
		{ "1.2.3.4.5", NULL },
		{ "1.2.3.256", NULL },
		{ "1.2.65536", NULL },
		{ "4294967296", NULL },
		{ "08.1.1.1", NULL },
		{ "example.1", NULL },
		{ "fe80::1%lo", NULL },
		{ "[::1", NULL },
		{ "::1]", NULL },
		{ "[1.2.3.4]", NULL },
		{ "a\n", NULL },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct host host;
		char text[HOST_NAME_BYTES_MAX + 1];
		bool good = host_parse(rows[i].text, strlen(rows[i].text), &host);
		if (good != (rows[i].canonical != NULL))
			fail_msg("'%s' was %s", rows[i].text, good ? "taken" : "refused");
		if (!good)
			continue;
		host_text(&host, text);
		assert_string_equal(text, rows[i].canonical);
	}
	struct host host;
	assert_false(host_parse("a\0b", 3, &host));
}

static void reaches(void **state)
{
	static const struct {
		const char *text;
		enum reach reach;
	} rows[] = {
		{ "8.8.8.8", REACH_PUBLIC },
		{ "203.0.113.1", REACH_PUBLIC },
		{ "2606:4700::1", REACH_PUBLIC },
		{ "10.0.0.1", REACH_PRIVATE },
		{ "172.16.0.1", REACH_PRIVATE },
		{ "172.31.255.255", REACH_PRIVATE },
		{ "172.32.0.1", REACH_PUBLIC },
		{ "192.168.1.1", REACH_PRIVATE },
		{ "100.64.0.1", REACH_PRIVATE },
		{ "fd00::1", REACH_PRIVATE },
		{ "127.0.0.1", REACH_NEVER },
		{ "0.0.0.0", REACH_NEVER },
		{ "169.254.169.254", REACH_NEVER },
		{ "100.100.100.200", REACH_NEVER },
		{ "168.63.129.16", REACH_NEVER },
		{ "192.0.0.192", REACH_NEVER },
		{ "198.18.0.1", REACH_NEVER },
		{ "198.19.255.255", REACH_NEVER },
		{ "224.0.0.1", REACH_NEVER },
		{ "255.255.255.255", REACH_NEVER },
		{ "::1", REACH_NEVER },
		{ "::", REACH_NEVER },
		{ "fe80::1", REACH_NEVER },
		{ "ff02::1", REACH_NEVER },
		{ "fd00:ec2::254", REACH_NEVER },
		{ "64:ff9b::a9fe:a9fe", REACH_NEVER },
		{ "64:ff9b::808:808", REACH_PUBLIC },
		{ "2002:7f00:1::", REACH_NEVER },
		{ "2002:a00:1::", REACH_PRIVATE },
		{ "64:ff9b::10.0.0.1", REACH_PRIVATE },
		{ "fd20:ce::254", REACH_NEVER },
		{ "fec0::1", REACH_PRIVATE },
		{ "2001::1", REACH_NEVER }, // GCE, site-local, Teredo
		{ "100::1", REACH_NEVER },
		{ "2001:4860::1", REACH_PUBLIC },
		{ "64:ff9b:1::7f00:1", REACH_NEVER },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct host host;
		assert_true(host_parse(rows[i].text, strlen(rows[i].text), &host));
		if (address_reach(&host.address) != rows[i].reach)
			fail_msg("%s: %d", rows[i].text, (int)address_reach(&host.address));
	}
}

static void destinations(void **state)
{
	static const struct {
		const char *rule, *host;
		uint16_t port;
		int matches; // -1: the rule is refused
	} rows[] = {
		{ "example.com", "example.com", 443, 1 },
		{ "example.com", "a.example.com", 443, 0 },
		{ "example.com:443", "example.com", 443, 1 },
		{ "example.com:443", "example.com", 80, 0 },
		{ "example.com:80,443", "example.com", 80, 1 },
		{ "*.example.com", "a.b.example.com", 1, 1 },
		{ "*.example.com", "example.com", 1, 0 },
		{ "*.example.com", "badexample.com", 1, 0 },
		{ "*", "x.y", 5, 1 },
		{ "*", "1.2.3.4", 5, 0 },
		{ "*:443", "x.y", 80, 0 },
		{ "10.0.0.0/8", "10.1.2.3", 1, 1 },
		{ "10.0.0.0/8", "11.1.2.3", 1, 0 },
		{ "10.0.0.0/8:22", "10.1.2.3", 22, 1 },
		{ "1.2.3.4", "1.2.3.4", 1, 1 },
		{ "0x1020304", "1.2.3.4", 1, 1 },
		{ "2001:db8::/32", "2001:db8:1::1", 1, 1 },
		{ "::/0", "2001:db8::1", 1, 1 },
		{ "::/0", "1.2.3.4", 1, 0 },
		{ "0.0.0.0/0", "2001:db8::1", 1, 0 },
		{ "0.0.0.0/0", "::ffff:1.2.3.4", 1, 1 },
		{ "[2001:db8::1]:443", "2001:db8::1", 443, 1 },
		{ "::1", "::1", 1, 1 },
		{ "10.1.2.3/8", "", 0, -1 },
		{ "1.2.3.4/33", "", 0, -1 },
		{ "1.2.3.4/", "", 0, -1 },
		{ "*.", "", 0, -1 },
		{ "*.1.2.3.4", "", 0, -1 },
		{ "a.*.b", "", 0, -1 },
		{ "a:0", "", 0, -1 },
		{ "a:65536", "", 0, -1 },
		{ "a:", "", 0, -1 },
		{ "a:80,", "", 0, -1 },
		{ "http://a", "", 0, -1 },
		{ "a/b", "", 0, -1 },
		{ "", "", 0, -1 },
		{ "a:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "", 0, -1 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct destination destination;
		struct host host;
		bool good = destination_parse(rows[i].rule, &destination);
		if (good != (rows[i].matches >= 0))
			fail_msg("'%s' was %s", rows[i].rule, good ? "taken" : "refused");
		if (!good)
			continue;
		assert_true(host_parse(rows[i].host, strlen(rows[i].host), &host));
		if (destination_matches(&destination, &host, rows[i].port) != rows[i].matches)
			fail_msg("'%s' against %s:%u", rows[i].rule, rows[i].host, rows[i].port);
	}
	struct destination destination;
	bool for_all;
	uint64_t most;
	assert_true(destination_budget("10M", &destination, &for_all, &most) && for_all &&
		    most == 10 << 20);
	assert_true(destination_budget("a.b 1K", &destination, &for_all, &most) && !for_all &&
		    most == 1024);
	assert_false(destination_budget("a.b", &destination, &for_all, &most));
	assert_false(destination_budget("unlimited", &destination, &for_all, &most));
}

// What two readers could read in two ways. Rule 29.
static void ambiguous(void **state)
{
#define HEAD_OF "GET / HTTP/1.1\r\nHost: a.b\r\n"
	static const char *const rows[] = {
		"GET / HTTP/1.1\r\n\r\n", // no host
		"GET / HTTP/1.1\r\nHost: a.b\r\nHost: c.d\r\n\r\n",
		"GET http://c.d/ HTTP/1.1\r\nHost: a.b\r\n\r\n",
		"GET / HTTP/2.0\r\nHost: a.b\r\n\r\n",
		"GET / HTTP/1.1 x\r\nHost: a.b\r\n\r\n",
		"GET  / HTTP/1.1\r\nHost: a.b\r\n\r\n",
		"GET / HTTP/1.1\nHost: a.b\r\n\r\n", // a bare LF
		"G@T / HTTP/1.1\r\nHost: a.b\r\n\r\n",
		"GET / HTTP/1.1\r\nHost : a.b\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
		"GET http://a.b/ HTTP/1.0\r\n\r\n", // without its target it names nobody
		HEAD_OF "Connection: close, Host\r\n\r\n",
		HEAD_OF "Connection: transfer-encoding\r\n\r\n",
		HEAD_OF "Proxy-Connection: Content-Length\r\n\r\n",
		HEAD_OF " folded: x\r\n\r\n",
		HEAD_OF "X\r\n\r\n",
		HEAD_OF "Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
		HEAD_OF "Content-Length: +5\r\n\r\n",
		HEAD_OF "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
		HEAD_OF "Transfer-Encoding: gzip\r\n\r\n",
		HEAD_OF "Transfer-Encoding: chunked, chunked\r\n\r\n",
		"GET / HTTP/1.0\r\nHost: a.b\r\nTransfer-Encoding: chunked\r\n\r\n",
		"CONNECT a.b:443 HTTP/1.1\r\nHost: a.b:443\r\nContent-Length: 5\r\n\r\n",
		"CONNECT a.b HTTP/1.1\r\nHost: a.b\r\n\r\n",
	};
	struct http_request request;
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (http_request(rows[i], strlen(rows[i]), &request) != PARSE_BAD)
			fail_msg("not refused: %s", rows[i]);
}

static void requests(void **state)
{
	struct http_request request;
	char to[1024];
	static const char plain[] =
		"POST /a HTTP/1.1\r\nHost: A.B:81\r\nContent-Length: 5\r\n\r\nhello";
	static const char absolute[] = "GET http://a.b:80/x?y HTTP/1.1\r\nHost: "
				       "a.b\r\nProxy-Connection: close\r\nX: y\r\n\r\n";
	static const char bare[] = "GET http://a.b HTTP/1.0\r\nHost: a.b\r\n\r\n";
	(void)state;
	for (size_t length = 0; length < strlen(plain) - 5; length++)
		assert_int_equal(http_request(plain, length, &request), PARSE_MORE);
	assert_int_equal(http_request(plain, strlen(plain), &request), PARSE_DONE);
	assert_string_equal(request.host.name, "a.b");
	assert_int_equal(request.port, 81);
	assert_int_equal(request.head, strlen(plain) - 5);
	assert_true(request.body == BODY_LENGTH && request.length == 5 && request.keep_alive);
	assert_int_equal(http_request(absolute, strlen(absolute), &request), PARSE_DONE);
	assert_true(request.absolute && !request.keep_alive);
	size_t length = http_rewrite(absolute, &request, "", "", to);
	to[length] = '\0';
	assert_string_equal(to, "GET /x?y HTTP/1.1\r\nHost: a.b\r\nX: y\r\n\r\n");
	to[http_rewrite(absolute, &request, "http://a.b:80", "P: q\r\n", to)] = '\0';
	assert_string_equal(to,
			    "GET http://a.b:80/x?y HTTP/1.1\r\nP: q\r\nHost: a.b\r\nX: y\r\n\r\n");
	assert_int_equal(http_request(bare, strlen(bare), &request), PARSE_DONE);
	to[http_rewrite(bare, &request, "", "", to)] = '\0';
	assert_string_equal(to, "GET / HTTP/1.0\r\nHost: a.b\r\n\r\n");
	static const char tunnel[] = "CONNECT a.b:443 HTTP/1.1\r\nHost: a.b:443\r\n\r\n";
	assert_int_equal(http_request(tunnel, strlen(tunnel), &request), PARSE_DONE);
	assert_true(request.connect && request.port == 443);
}

static void responses(void **state)
{
	static const struct {
		const char *text;
		bool head;
		enum parse result;
		enum http_body body;
		bool keep;
	} rows[] = {
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", false, PARSE_DONE, BODY_LENGTH,
		  true },
		{ "HTTP/1.1 200 OK\r\n\r\n", false, PARSE_DONE, BODY_UNTIL_CLOSE, false },
		{ "HTTP/1.1 204\r\n\r\n", false, PARSE_DONE, BODY_NONE, true },
		{ "HTTP/1.1 304 Not\r\nContent-Length: 5\r\n\r\n", false, PARSE_DONE, BODY_NONE,
		  true },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true, PARSE_DONE, BODY_NONE,
		  true },
		{ "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n", false, PARSE_DONE, BODY_LENGTH,
		  false },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", false, PARSE_DONE,
		  BODY_CHUNKED, true },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", false, PARSE_BAD,
		  BODY_NONE, false },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n", false, PARSE_BAD, BODY_NONE,
		  false },
		{ "HTTP/2 200 OK\r\n\r\n", false, PARSE_BAD, BODY_NONE, false },
		{ "ICY 200 OK\r\n\r\n", false, PARSE_BAD, BODY_NONE, false },
		{ "HTTP/1.1 20 OK\r\n\r\n", false, PARSE_BAD, BODY_NONE, false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct http_response response;
		assert_int_equal(
			http_response(rows[i].text, strlen(rows[i].text), rows[i].head, &response),
			rows[i].result);
		if (rows[i].result == PARSE_DONE)
			assert_true(response.body == rows[i].body &&
				    response.keep_alive == rows[i].keep);
	}
}

static void chunks(void **state)
{
	enum http_chunk at = CHUNK_SIZE;
	size_t used;
	uint64_t data;
	(void)state;
	assert_int_equal(http_chunk("1a;x=y\r\n", 8, &at, &used, &data), PARSE_DONE);
	assert_true(at == CHUNK_DATA && data == 26 && used == 8);
	at = CHUNK_END;
	assert_int_equal(http_chunk("x\r\n", 3, &at, &used, &data), PARSE_BAD);
	at = CHUNK_END;
	assert_int_equal(http_chunk("\r\n", 2, &at, &used, &data), PARSE_DONE);
	assert_int_equal(at, CHUNK_SIZE);
	assert_int_equal(http_chunk("0\r\n", 3, &at, &used, &data), PARSE_DONE);
	assert_int_equal(at, CHUNK_TRAILER);
	assert_int_equal(http_chunk("a: b\r\n", 6, &at, &used, &data), PARSE_DONE);
	assert_int_equal(http_chunk("\r\n", 2, &at, &used, &data), PARSE_DONE);
	assert_int_equal(at, CHUNK_DONE);
	assert_int_equal(http_chunk("\r\n", 2, &at, &used, &data), PARSE_BAD);
	static const char *const trailers[] = {
		"Host: a.b\r\n",    "content-length: 1\r\n", "Transfer-Encoding: x\r\n",
		"Upgrade: h2c\r\n", " folded\r\n",           "a\r\n",
	};
	for (size_t i = 0; i < sizeof(trailers) / sizeof(*trailers); i++) {
		at = CHUNK_TRAILER;
		assert_int_equal(http_chunk(trailers[i], strlen(trailers[i]), &at, &used, &data),
				 PARSE_BAD);
	}
	static const char *const bad[] = { "\r\n",
					   "5;a /b HTTP/1.1\r\n",
					   "-1\r\n",
					   "0x1\r\n",
					   "1 \r\n",
					   "fffffffffffffffff\r\n",
					   "ffffffffffffffff\r\n",
					   "1\n" };
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		at = CHUNK_SIZE;
		assert_int_equal(http_chunk(bad[i], strlen(bad[i]), &at, &used, &data), PARSE_BAD);
	}
}

// A hello with the extensions in `extensions`, in records of `record` bytes.
static size_t make_hello(uint8_t *to, const uint8_t *extensions, size_t size, size_t record)
{
	uint8_t hello[8192] = { 1, 0, 0, 0, 3, 3 };
	size_t used = 4 + 2 + 32, out = 0;
	static const uint8_t rest[] = { 0, 0, 2, 0x13, 1, 1, 0 };
	memcpy(hello + used, rest, sizeof(rest));
	used += sizeof(rest);
	hello[used++] = (uint8_t)(size >> 8);
	hello[used++] = (uint8_t)size;
	memcpy(hello + used, extensions, size);
	used += size;
	hello[2] = (uint8_t)((used - 4) >> 8);
	hello[3] = (uint8_t)(used - 4);
	for (size_t at = 0; at < used; at += record) {
		size_t part = used - at < record ? used - at : record;
		const uint8_t head[] = { 0x16, 3, 1, (uint8_t)(part >> 8), (uint8_t)part };
		memcpy(to + out, head, sizeof(head));
		memcpy(to + out + sizeof(head), hello + at, part);
		out += sizeof(head) + part;
	}
	return out;
}

static void hellos(void **state)
{
	static const uint8_t named[] = { 0, 0, 0, 8, 0, 6, 0, 0, 3, 'A', '.', 'b' };
	static const uint8_t twice[] = { 0, 0, 0, 8, 0, 6, 0, 0, 3, 'A', '.', 'b',
					 0, 0, 0, 8, 0, 6, 0, 0, 3, 'A', '.', 'c' };
	static const uint8_t more[] = { 0, 0, 0, 9, 0, 6, 0, 0, 3, 'A', '.', 'b', 0 };
	static const uint8_t dotted[] = { 0, 0, 0, 9, 0, 7, 0, 0, 4, 'A', '.', 'b', '.' };
	static const uint8_t hidden[] = { 0xfe, 0x0d, 0, 1, 0 };
	static const uint8_t odd[] = { 0, 0, 0, 8, 0, 6, 0, 0, 3, 'A', 0, 'b' };
	uint8_t bytes[4096];
	struct tls_hello hello;
	(void)state;
	for (size_t record = 1; record < 80; record++) {
		size_t length = make_hello(bytes, named, sizeof(named), record);
		for (size_t part = 0; part < length; part++)
			assert_int_equal(tls_hello(bytes, part, &hello), PARSE_MORE);
		assert_int_equal(tls_hello(bytes, length, &hello), PARSE_DONE);
		assert_true(hello.named && !hello.encrypted);
		assert_string_equal(hello.host.name, "a.b");
		assert_int_equal(hello.used, length);
	}
	size_t length = make_hello(bytes, twice, sizeof(twice), 999);
	assert_int_equal(tls_hello(bytes, length, &hello), PARSE_BAD);
	length = make_hello(bytes, odd, sizeof(odd), 999);
	assert_int_equal(tls_hello(bytes, length, &hello), PARSE_BAD);
	assert_true(hello.shaped); // in a tunnel it is refused, not passed over
	length = make_hello(bytes, more, sizeof(more), 999);
	assert_int_equal(tls_hello(bytes, length, &hello), PARSE_BAD);
	length = make_hello(bytes, dotted, sizeof(dotted), 999);
	assert_int_equal(tls_hello(bytes, length, &hello), PARSE_BAD);
	// Records between those of the hello: empty ones belong to it, others make it unreadable.
	for (int type = 0x14; type <= 0x17; type++) {
		length = make_hello(bytes, named, sizeof(named), 2);
		memmove(bytes + 12, bytes + 7, length - 7);
		memcpy(bytes + 7, (uint8_t[]){ (uint8_t)type, 3, 3, 0, 0 }, 5);
		assert_int_equal(tls_hello(bytes, length + 5, &hello),
				 type == 0x16 ? PARSE_DONE : PARSE_BAD);
		assert_true(hello.shaped);
	}
	length = make_hello(bytes, hidden, sizeof(hidden), 999);
	assert_int_equal(tls_hello(bytes, length, &hello), PARSE_DONE);
	assert_true(hello.encrypted);
	length = make_hello(bytes, named, 0, 999);
	assert_int_equal(tls_hello(bytes, length, &hello), PARSE_DONE);
	assert_false(hello.named);
	// Another message in the hello's record would be read by the server alone.
	bytes[4]++;
	assert_int_equal(tls_hello(bytes, length + 1, &hello), PARSE_BAD);
	assert_true(hello.shaped);
	length = make_hello(bytes, named, 0, 999);
	bytes[5 + 4 + 2 + 32] = 0xff; // a session id that is longer than all that follows
	assert_int_equal(tls_hello(bytes, length, &hello), PARSE_BAD);
	assert_int_equal(tls_hello((const uint8_t *)"\x16\x12", 2, &hello), PARSE_BAD);
	assert_int_equal(tls_hello((const uint8_t *)"\x15\3\1\0\2\1\x5a", 7, &hello), PARSE_BAD);
	assert_int_equal(tls_hello((const uint8_t *)"\x16\3\1\0\4\2\0\0\0", 9, &hello), PARSE_BAD);
	// It ends where its session's id should begin.
	uint8_t cut[5 + 4 + 2 + 32] = "\x16\3\1\0\x26\1\0\0\x22\3\3";
	assert_int_equal(tls_hello(cut, sizeof(cut), &hello), PARSE_BAD);
}

// Byte by byte a hello is read once for each of its records and a few times more; one of 65 records
// is refused.
static void hello_pieces(void **state)
{
	enum { PIECES = 8 };
	static const uint8_t padding[4000] = { 0, 21, 0x0f, 0x9c };
	static uint8_t bytes[32768];
	struct tls_hello hello;
	(void)state;
	for (size_t record = 32; record < sizeof(bytes); record *= 2) {
		size_t length = make_hello(bytes, padding, sizeof(padding), record), needs = 0;
		unsigned runs = 0, records = (unsigned)((length + record + 4) / (record + 5));
		enum parse result = PARSE_MORE;
		for (size_t part = 1; part <= length && result == PARSE_MORE; part++) {
			if (part < needs)
				continue;
			runs++;
			result = tls_hello(bytes, part, &hello);
			assert_true(result != PARSE_MORE || hello.used > part);
			needs = hello.used;
		}
		assert_int_equal(result, records <= 64 ? PARSE_DONE : PARSE_BAD);
		assert_true(runs < PIECES * (records + 1));
		assert_true(result == PARSE_DONE || hello.shaped);
	}
}

// Each byte of a head is searched once, wherever its end is cut.
static void head_pieces(void **state)
{
	static const struct {
		const char *text;
		bool whole;
	} rows[] = {
		{ "GET / HTTP/1.1\r\nHost: x\r\n\r\n", true },
		{ "GET /\n\n", true },
		{ "GET /\r\n\n", true },
		{ "GET /\n\r\n", true },
		{ "GET /\r\nHost: x\r\n\r", false },
		{ "GET /\r\n\r \n", false },
		{ "\n\r\r\n", false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint32_t searched = 0;
		size_t length = strlen(rows[i].text);
		for (size_t part = 0; part < length; part++) {
			assert_false(http_has_end(rows[i].text, part, &searched));
			assert_int_equal(searched, part);
		}
		assert_int_equal(http_has_end(rows[i].text, length, &searched), rows[i].whole);
	}
}

static void answers(void **state)
{
	uint8_t plain[64] = "\x16\3\3\0\x3b\2\0\0\x37\3\3";
	static const uint8_t random[] =
		"\xcf\x21\xad\x74\xe5\x9a\x61\x11\xbe\x1d\x8c\x02\x1e\x65\xb8\x91\xc2\xa2\x11\x16"
		"\x7a\xbb\x8c\x5e\x07\x9e\x09\xe2\xc8\xa8\x33\x9c";
	bool retry = true;
	(void)state;
	for (size_t part = 0; part < 43; part++)
		assert_int_equal(tls_answer(plain, part, &retry), PARSE_MORE);
	assert_int_equal(tls_answer(plain, 43, &retry), PARSE_DONE);
	assert_false(retry);
	memcpy(plain + 11, random, 32);
	assert_int_equal(tls_answer(plain, 43, &retry), PARSE_DONE);
	assert_true(retry);
	assert_int_equal(tls_answer((const uint8_t *)"HTTP/1.1 400", 12, &retry), PARSE_BAD);
	plain[5] = 1; // a ServerHello only
	assert_int_equal(tls_answer(plain, 64, &retry), PARSE_BAD);
	plain[4] = 37; // too short for one
	assert_int_equal(tls_answer(plain, 64, &retry), PARSE_BAD);
}

static enum opening client(const char *text)
{
	return opening_client((const uint8_t *)text, strlen(text));
}

// Piece by piece as at once.
static enum opening burst(const char *text)
{
	const uint8_t *bytes = (const uint8_t *)text;
	size_t length = strlen(text);
	struct opening_read read = { 0 };
	for (size_t part = 0; part < length; part++)
		assert_int_equal(opening_burst(bytes, part, &read),
				 opening_burst(bytes, part, &(struct opening_read){ 0 }));
	assert_int_equal(opening_burst(bytes, length, &read),
			 opening_burst(bytes, length, &(struct opening_read){ 0 }));
	return opening_burst(bytes, length, &read);
}

static void openings(void **state)
{
	static const struct {
		const char *text;
		enum opening burst;
	} rows[] = {
		{ "", OPENING_MORE },
		{ "GE", OPENING_MORE },
		{ "GET /\r\nHost: x\r\n\r\n", OPENING_HTTP },
		{ "\r\n\r\n  GET /", OPENING_HTTP },
		{ "GET\x0b/\x0bHTTP/1.1", OPENING_HTTP },
		{ "\x0cGET / HTTP/1.1", OPENING_HTTP },
		{ "\xa0GET\x85/x", OPENING_HTTP },
		{ "GET http://a/", OPENING_HTTP },
		{ "OPTIONS * HTTP/1.1", OPENING_HTTP },
		{ "CONNECT a.b:443 HTTP/1.1\r\n", OPENING_HTTP },
		{ "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", OPENING_HTTP },
		{ "anything x http/1.1", OPENING_HTTP },
		{ "AMETHODTHATISMUCHLONGERTHANANYTHATHASEVERBEENUSED / HTTP/1.1", OPENING_HTTP },
		{ "GET key\r\n", OPENING_OTHER },
		{ "EHLO x\r\n", OPENING_OTHER },
		{ "*1\r\n$4\r\nPING\r\n", OPENING_OTHER },
		{ "get key", OPENING_MORE },
		{ "T\x01user", OPENING_OTHER },
		{ "0033git-upload-pack /a", OPENING_MORE },
		{ "0033git-upload-pack / HTTP/1.1\r\n", OPENING_HTTP },
		{ "0033git-upload-pack /\n", OPENING_OTHER },
		{ "CWD /pub\r\n", OPENING_OTHER },
		{ "get /key\r\n", OPENING_OTHER },
		{ "UNLOCK /", OPENING_HTTP },
		{ "M-SEARCH http://a", OPENING_HTTP },
		{ "x * HTTP/2.0", OPENING_HTTP },
		{ "GET HTTP/1.1", OPENING_HTTP },
		{ "\x10\x16\0\x04MQTT", OPENING_OTHER },
	};
	static const struct {
		const char *text;
		enum greeting greeting;
	} servers[] = {
		{ "22", GREETING_MORE },
		{ "220 mail ESMTP", GREETING_KNOWN },
		{ "220-mail ESMTP", GREETING_KNOWN },
		{ "* OK IMAP4rev1", GREETING_KNOWN },
		{ "* PREAUTH", GREETING_KNOWN },
		{ "200 news", GREETING_KNOWN },
		{ "201 news", GREETING_KNOWN },
		{ "RFB 003.008", GREETING_KNOWN },
		{ "INFO {\"server_id\"", GREETING_KNOWN },
		{ "( success ( 2 2", GREETING_KNOWN },
		{ "OK MPD 0.23", GREETING_KNOWN },
		{ "SSH-1.99-x", GREETING_SSH },
		{ "\x15\3\3", GREETING_LEAVING },
		{ "+OK", GREETING_KNOWN },
		{ "SSH-2.0-x", GREETING_SSH },
		{ "J", GREETING_MORE },
		{ "HTTP/1.1 408 Request Timeout", GREETING_LEAVING },
		{ "hello there", GREETING_OTHER },
		{ "\x16\3\3", GREETING_OTHER },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(burst(rows[i].text), rows[i].burst);
	for (size_t i = 0; i < sizeof(servers) / sizeof(*servers); i++)
		assert_int_equal(
			opening_server((const uint8_t *)servers[i].text, strlen(servers[i].text)),
			servers[i].greeting);
	static const char git[] = "0033git-upload-pack /a\0host=b";
	assert_int_equal(
		opening_burst((const uint8_t *)git, sizeof(git), &(struct opening_read){ 0 }),
		OPENING_OTHER);
	// A frame of HTTP/2: node's server speaks first.
	assert_int_equal(opening_server((const uint8_t *)"\0\0\x06\4\0\0\0\0\0", 9),
			 GREETING_OTHER);
	assert_int_equal(opening_server((const uint8_t *)"J\0\0\0\n8.0.36", 11), GREETING_KNOWN);
	assert_int_equal(client("SSH-2.0-OpenSSH\r\n"), OPENING_SSH);
	assert_int_equal(client("SSH-"), OPENING_MORE);
	assert_int_equal(opening_ssh((const uint8_t *)"SSH-2", 5), PARSE_MORE);
	assert_int_equal(opening_ssh((const uint8_t *)"SSH-2.0-x y\r", 12), PARSE_DONE);
	assert_int_equal(opening_ssh((const uint8_t *)"SSH-2.0-\x16\3", 10), PARSE_BAD);
	assert_int_equal(opening_ssh((const uint8_t *)"SSH-1.5-x", 9), PARSE_BAD);
	assert_int_equal(client("\x16"), OPENING_TLS);
	assert_int_equal(client("\x15\3\1"), OPENING_OTHER);
	assert_int_equal(client("\r\nGET / HTTP/1.1"), OPENING_OTHER);
	assert_int_equal(client(" GET"), OPENING_OTHER);
	assert_int_equal(client("GET"), OPENING_HTTP);
	assert_int_equal(client("\x80\x2e"), OPENING_OTHER);
}

static void upgrades(void **state)
{
	static const char head[] = "GET / HTTP/1.1\r\nHost: a.b\r\n";
	static const struct {
		const char *fields;
		enum parse result;
		bool upgrade, other;
	} rows[] = {
		{ "Upgrade: websocket\r\n\r\n", PARSE_DONE, true, false },
		{ "Upgrade: h2c\r\n\r\n", PARSE_DONE, false, true },
		{ "Upgrade: websocket, h2c\r\n\r\n", PARSE_DONE, false, true },
		{ "Upgrade: h2c\r\nUpgrade: websocket\r\n\r\n", PARSE_BAD, false, false },
		{ "\r\n", PARSE_DONE, false, false },
	};
	struct http_request request;
	struct http_response response;
	char text[256], to[256];
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(text, sizeof(text), "%s%s", head, rows[i].fields);
		assert_int_equal(http_request(text, strlen(text), &request), rows[i].result);
		if (rows[i].result == PARSE_BAD)
			continue;
		assert_int_equal(request.upgrade, rows[i].upgrade);
		assert_int_equal(request.other_upgrade, rows[i].other);
	}
	static const char asked[] =
		"GET / HTTP/1.1\r\nHost: a.b\r\nConnection: Upgrade, HTTP2-Settings\r\n"
		"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n";
	assert_int_equal(http_request(asked, strlen(asked), &request), PARSE_DONE);
	to[http_rewrite(asked, &request, "", "", to)] = '\0';
	assert_string_equal(to, "GET / HTTP/1.1\r\nHost: a.b\r\n"
				"Connection: Upgrade, HTTP2-Settings\r\n\r\n");
	static const char switching[] = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n";
	assert_int_equal(http_response(switching, strlen(switching), false, &response), PARSE_DONE);
	assert_false(response.upgrade);
}

// What a server that passes over the body would take for a request, at each length of its
// beginning.
static void bodies(void **state)
{
	static const struct {
		const char *text;
		enum parse result;
	} rows[] = {
		{ "GET / HTTP/1.1\r\n", PARSE_DONE },
		{ "\r\n\r\n get", PARSE_MORE },
		{ "GET /", PARSE_DONE }, // HTTP/0.9 with fields behind it
		{ "GET http://a", PARSE_DONE },
		{ "FROB /a\n", PARSE_DONE },
		{ "GET 1\nHost:", PARSE_DONE },
		{ "GET 1 2\n", PARSE_BAD },
		{ "FROB a HTTP/1.0", PARSE_DONE },
		{ "FROB\v/a\x1fhttp/1.1", PARSE_DONE },
		{ "FROB a\n", PARSE_BAD },
		{ "Once upon a time", PARSE_BAD },
		{ "Once upon", PARSE_MORE },
		{ "a=b&c=d", PARSE_BAD },
		{ "{\"query\": 1}", PARSE_BAD },
		{ "--boundary\r\nContent-Type: a\r\n", PARSE_BAD },
		{ "word\nGET / HTTP/1.1", PARSE_BAD },
		{ "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5",
		  PARSE_MORE },
		{ "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5 /a\n",
		  PARSE_DONE },
	};
	static uint8_t upload[16 * 1024];
	(void)state;
	// One long word, as base64 is, passes before the buffer is full; so does its end.
	memset(upload, 'Q', sizeof(upload));
	memcpy(upload + sizeof(upload) - 4, " /a\n", 4);
	for (size_t length = sizeof(upload) - 100; length <= sizeof(upload); length++)
		assert_int_equal(opening_body(upload, length, &(struct opening_read){ 0 }),
				 PARSE_BAD);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const uint8_t *bytes = (const uint8_t *)rows[i].text;
		size_t length = strlen(rows[i].text);
		assert_int_equal(opening_body(bytes, length, &(struct opening_read){ 0 }),
				 rows[i].result);
		// What was decided of a part stays decided, and pieces are judged as the whole.
		struct opening_read read = { 0 };
		for (size_t part = 0; part < length; part++) {
			enum parse result = opening_body(bytes, part, &(struct opening_read){ 0 });
			assert_int_equal(opening_body(bytes, part, &read), result);
			assert_true(result == PARSE_MORE || result == rows[i].result);
		}
	}
}

// Of a packet's pseudo header and segment: 0xffff when its checksum is right.
static uint32_t packet_sum(const uint8_t *packet, size_t at, size_t addresses, size_t header,
			   size_t length)
{
	uint32_t sum = IPPROTO_TCP + (uint32_t)(length - header);
	for (size_t i = at; i < at + addresses; i += 2)
		sum += (uint32_t)packet[i] << 8 | packet[i + 1];
	for (size_t i = header; i < length; i += 2)
		sum += (uint32_t)packet[i] << 8 | packet[i + 1];
	return (sum & 0xffff) + (sum >> 16);
}

static void segments(void **state)
{
	static const uint8_t first[] = {
		0x46, 0, 0, 52, 0, 1, 0x40, 0, 64, 6, 0, 0, 198, 18, 0, 1, 10, 9, 9, 9, 1, 1, 1, 0,
		// from 40000 to 5432, with sequence ff:ff:ff:ff, and 4 bytes of options
		0x9c, 0x40, 0x15, 0x38, 255, 255, 255, 255, 0, 0, 0, 0, 0x60, 2, 0xff, 0xff, 0xab,
		0xcd, 0, 0, 2, 4, 0xff, 0xd7, 'd', 'a', 't', 'a'
	};
	struct segment segment, reset;
	uint8_t packet[PACKET_MAX];
	(void)state;
	for (size_t length = 0; length < sizeof(first) - 4; length++)
		assert_false(segment_v4(first, length, &segment));
	assert_true(segment_v4(first, sizeof(first), &segment));
	assert_int_equal(segment.length, 24);
	assert_int_equal(segment.ends.from_port, 40000);
	assert_int_equal(segment.ends.to_port, 5432);
	assert_true(address_is_v4(&segment.ends.from) && segment.ends.to.bytes[12] == 10);
	assert_int_equal(segment_packet(&segment, packet), 44);
	assert_memory_equal(packet + 12, first + 12, 8);
	assert_memory_equal(packet + 20, first + 24, 16);
	assert_int_equal(packet_sum(packet, 12, 8, 20, 44), 0xffff);
	segment_refuse(&segment, &reset);
	assert_int_equal(segment_packet(&reset, packet), 40);
	assert_memory_equal(packet + 20, "\x15\x38\x9c\x40\0\0\0\0\0\0\0\0\x50\x14", 14);
	assert_int_equal(packet_sum(packet, 12, 8, 20, 40), 0xffff);
	memset(&segment.ends, 0x20, sizeof(segment.ends));
	assert_true(segment_v6(first + 24, sizeof(first) - 24, &segment));
	assert_int_equal(segment_packet(&segment, packet), 64);
	assert_int_equal(packet_sum(packet, 8, 32, 40, 64), 0xffff);
	assert_false(segment_v6((const uint8_t *)"01234567890\0\x40", 20, &segment));
}

static void socks(void **state)
{
	struct socks_request request;
	size_t used;
	bool open;
	(void)state;
	assert_int_equal(socks_greeting((const uint8_t *)"\5\2\2\0", 4, &used, &open), PARSE_DONE);
	assert_true(open && used == 4);
	assert_int_equal(socks_greeting((const uint8_t *)"\5\1\2", 3, &used, &open), PARSE_DONE);
	assert_false(open);
	assert_int_equal(socks_greeting((const uint8_t *)"\5\2\0", 3, &used, &open), PARSE_MORE);
	assert_int_equal(socks_greeting((const uint8_t *)"\4\1", 2, &used, &open), PARSE_BAD);
	assert_int_equal(socks_request((const uint8_t *)"\5\1\0\3\3"
							"a.b\1\273x",
				       11, &request),
			 PARSE_DONE);
	assert_true(request.connect && request.port == 443 && request.used == 10);
	assert_string_equal(request.host.name, "a.b");
	assert_int_equal(socks_request((const uint8_t *)"\5\1\0\3\3"
							"a\0b\1\273",
				       10, &request),
			 PARSE_BAD);
	assert_int_equal(socks_request((const uint8_t *)"\5\1\0\1\1\2\3\4\0\120", 10, &request),
			 PARSE_DONE);
	assert_int_equal(request.host.kind, HOST_ADDRESS);
	assert_int_equal(socks_request((const uint8_t *)"\5\1\0\1\1\2\3\4\0\0", 10, &request),
			 PARSE_BAD);
	assert_int_equal(socks_request((const uint8_t *)"\5\1\0\2\1\2", 6, &request), PARSE_BAD);
	assert_int_equal(socks_request((const uint8_t *)"\5\1\0\4\1\2", 6, &request), PARSE_MORE);
}

static void questions(void **state)
{
	static const uint8_t good[] = "\x12\x34\1\0\0\1\0\0\0\0\0\0\3wWw\4test\0\0\1\0\1";
	static const uint8_t pointer[] = "\x12\x34\1\0\0\1\0\0\0\0\0\0\300\14\0\1\0\1";
	uint8_t copy[64], answer[DNS_ANSWER_MAX];
	struct dns_question question;
	struct address address = { { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 198, 18, 1, 2 } };
	enum dns_code code;
	(void)state;
	assert_true(dns_parse(good, sizeof(good) - 1, &question, &code));
	assert_true(code == DNS_OK && question.valid && question.type == DNS_TYPE_A);
	assert_string_equal(question.name, "www.test");
	size_t length = dns_answer(good, &question, code, &address, answer);
	assert_int_equal(length, sizeof(good) - 1 + 16);
	assert_memory_equal(answer + 12, good + 12,
			    sizeof(good) - 1 - 12); // the case of the question stays
	assert_memory_equal(answer + length - 4, "\306\22\1\2", 4);
	assert_true(answer[2] == 0x81 && answer[3] == 0x80 && answer[7] == 1);
	for (size_t part = 12; part < sizeof(good) - 1; part++) {
		assert_true(dns_parse(good, part, &question, &code));
		assert_int_equal(code, DNS_FORMAT);
		assert_int_equal(dns_answer(good, &question, code, NULL, answer), 12);
	}
	assert_false(dns_parse(good, 11, &question, &code));
	assert_true(dns_parse(pointer, sizeof(pointer) - 1, &question, &code));
	assert_int_equal(code, DNS_FORMAT);
	memcpy(copy, good, sizeof(good));
	copy[2] |= 0x80; // a response gets no answer
	assert_false(dns_parse(copy, sizeof(good) - 1, &question, &code));
	memcpy(copy, good, sizeof(good));
	copy[13] = '+';
	assert_true(dns_parse(copy, sizeof(good) - 1, &question, &code));
	assert_true(code == DNS_OK && !question.valid);
	copy[13] = '.';
	assert_true(dns_parse(copy, sizeof(good) - 1, &question, &code) && !question.valid);
}

static void tables(void **state)
{
	static const char hosts[] =
		"# x\n127.0.0.1 localhost\n10.1.2.3\tDB.corp db # c\n::1 db\nbad db\n";
	static const char resolv[] = "nameserver 1.2.3.4\nnameserver ::1\nsearch a.b c.d\noptions "
				     "x ndots:2 ndots:99\nnameserver fe80::1%eth0\n"
				     "nameserver 9.9.9.9\nnameserver 8.8.8.8\n";
	struct address addresses[4];
	struct resolv parsed;
	struct hosts_entry entries[8];
	(void)state;
	unsigned count = hosts_read(hosts, strlen(hosts), entries, 8);
	assert_int_equal(count, 4);
	assert_int_equal(hosts_read(hosts, strlen(hosts), entries, 2), 2);
	count = hosts_read(hosts, strlen(hosts), entries, 8);
	assert_int_equal(hosts_find(hosts, strlen(hosts), entries, count, "db", addresses, 4), 2);
	assert_int_equal(hosts_find(hosts, strlen(hosts), entries, count, "db", addresses, 1), 1);
	assert_int_equal(hosts_find(hosts, strlen(hosts), entries, count, "db.corp", addresses, 4),
			 1);
	assert_int_equal(hosts_find(hosts, strlen(hosts), entries, count, "x", addresses, 4), 0);
	resolv_parse(resolv, strlen(resolv), &parsed);
	assert_true(parsed.server_count == 3 && parsed.search_count == 2);
	assert_string_equal(parsed.search[1], "c.d");
	assert_int_equal(parsed.ndots, 2);
	static const struct {
		const char *left, *right;
		bool same;
	} pairs[] = {
		{ "db", "db", true },          { "db", "db.a.b", true },
		{ "db.a.b", "db", true },      { "db", "db.c.d", true },
		{ "db.x", "db.x.c.d", true },  { "db.x.y", "db.x.y.c.d", false },
		{ "db.c.d", "db.a.b", false }, { "db", "xdb.a.b", false },
		{ "a.b", "db.a.b", false },    { "db", "db.a", false },
		{ "db.a", "db", false },
	};
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		struct host left, right;
		assert_true(host_parse(pairs[i].left, strlen(pairs[i].left), &left));
		assert_true(host_parse(pairs[i].right, strlen(pairs[i].right), &right));
		assert_int_equal(resolv_same(&parsed, &left, &right), pairs[i].same);
	}
	resolv_parse("", 0, &parsed);
	assert_int_equal(parsed.server_count, 1);
	assert_int_equal(parsed.ndots, 1);
}

static void kernel_texts(void **state)
{
	uint8_t bytes[64] = { 0 };
	struct nlmsghdr header = { .nlmsg_len = 36, .nlmsg_type = NLMSG_ERROR, .nlmsg_seq = 7 };
	int error = -95, got;
	uint32_t sequence;
	size_t used;
	(void)state;
	unsigned long long inode = 0;
	struct nlmsghdr diag = { .nlmsg_len = 88, .nlmsg_type = 20, .nlmsg_seq = 3 };
	uint8_t socket[88] = { [84] = 0x39, [85] = 0x30 };
	memcpy(socket, &diag, sizeof(diag));
	assert_int_equal(owner_parse_socket(socket, 88, 3, &inode), PARSE_DONE);
	assert_int_equal(inode, 12345);
	assert_int_equal(owner_parse_socket(socket, 87, 3, &inode), PARSE_BAD);
	assert_int_equal(owner_parse_socket(socket, 15, 3, &inode), PARSE_BAD);
	assert_int_equal(owner_parse_socket(socket, 88, 4, &inode), PARSE_MORE);
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), &error, sizeof(error));
	assert_int_equal(netns_parse_ack(bytes, 36, &used, &sequence, &got), PARSE_DONE);
	assert_true(used == 36 && sequence == 7 && got == 95);
	assert_int_equal(netns_parse_ack(bytes, 35, &used, &sequence, &got), PARSE_BAD);
	assert_int_equal(netns_parse_ack(bytes, 10, &used, &sequence, &got), PARSE_MORE);
}

static void whose(void **state)
{
	struct {
		struct nlmsghdr header;
		struct rtmsg route;
	} answer = { { sizeof(answer), RTM_NEWROUTE, 0, 7, 0 }, { .rtm_type = RTN_LOCAL } };
	struct nlmsghdr header = { .nlmsg_len = 20, .nlmsg_type = NLMSG_ERROR, .nlmsg_seq = 7 };
	int error = -101, got;
	uint8_t bytes[sizeof(answer)];
	unsigned type;
	(void)state;
	memcpy(bytes, &answer, sizeof(answer));
	assert_int_equal(local_parse(bytes, sizeof(bytes), 7, &type, &got), PARSE_DONE);
	assert_true(type == RTN_LOCAL && got == 0);
	assert_int_equal(local_parse(bytes, sizeof(bytes), 8, &type, &got), PARSE_MORE);
	assert_int_equal(local_parse(bytes, sizeof(bytes) - 1, 7, &type, &got), PARSE_BAD);
	assert_int_equal(local_parse(bytes, 10, 7, &type, &got), PARSE_BAD);
	bytes[0] = 24; // shorter than a route
	assert_int_equal(local_parse(bytes, sizeof(bytes), 7, &type, &got), PARSE_BAD);
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), &error, sizeof(error));
	assert_int_equal(local_parse(bytes, 20, 7, &type, &got), PARSE_DONE);
	assert_true(type == RTN_UNSPEC && got == 101);
	memset(bytes + sizeof(header), 0x7f, sizeof(error)); // no error that there is
	assert_int_equal(local_parse(bytes, 20, 7, &type, &got), PARSE_DONE);
	assert_true(got > 0);
	// Who cannot ask does not dial.
	struct host loopback;
	assert_true(host_parse("127.0.0.1", 9, &loopback));
	assert_int_equal(local_ask(-1, &loopback.address), LOCAL_UNKNOWN);
	bytes[4] = RTM_NEWLINK;
	assert_int_equal(local_parse(bytes, sizeof(bytes), 7, &type, &got), PARSE_BAD);
}

static void coded(void **state)
{
	char text[64];
	(void)state;
	base64_url_user("user:p%40ss", strlen("user:p%40ss"), text, sizeof(text));
	assert_string_equal(text, "dXNlcjpwQHNz");
	base64_url_user("a", 1, text, sizeof(text));
	assert_string_equal(text, "YQ==");
	base64_url_user("ab", 2, text, sizeof(text));
	assert_string_equal(text, "YWI=");
	base64_url_user("abcdefghijk", 11, text, 8);
	assert_string_equal(text, "YWJj");
}

// --- the locks -----------------------------------------------------------------------------------

enum { FAMILIES = 46, TYPES = 7, DIED = -1 };

struct call {
	long number, arguments[6];
};

// 0 or the errno of this call in a process with these locks, or DIED by them.
static int ends_with(enum confined who, unsigned locks, int below, const struct call *call)
{
	int status = -1;
	const long *all = call->arguments;
	pid_t child = fork();
	if (child == 0) {
		if (confine_below(who, locks, &below, below >= 0) < 0)
			_exit(255);
		long result = syscall(call->number, all[0], all[1], all[2], all[3], all[4], all[5]);
		// Before _exit() ASan makes a call that is locked.
		syscall(SYS_exit_group, result < 0 ? errno : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
		return DIED;
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 255);
	return WEXITSTATUS(status);
}

static int ends(enum confined who, const struct call *call)
{
	return ends_with(who, CONFINE_FILES | CONFINE_CALLS, -1, call);
}

static int makes(enum confined who, long number, long family, long type, long protocol)
{
	int pair[2];
	return ends(who, &(struct call){ number, { family, type, protocol, (long)pair } });
}

static bool is_internet(int family)
{
	return family == AF_INET || family == AF_INET6;
}

// Every family and type: those that the row names are made, and of no other does the kernel hear.
static void families(void **state)
{
	static const int flags[] = { 0, SOCK_CLOEXEC, SOCK_NONBLOCK, SOCK_CLOEXEC | SOCK_NONBLOCK };
	(void)state;
	for (int family = 0; family <= FAMILIES; family++)
		for (int type = 0; type < TYPES; type++) {
			int flag = flags[(family + type) % 4];
			bool stream = type == SOCK_STREAM, local = family == AF_UNIX;
			bool worker = is_internet(family) && (stream || type == SOCK_DGRAM);
			assert_int_equal(makes(CONFINED_WORKER, SYS_socket, family, type | flag, 0),
					 worker ? 0 : EACCES);
			assert_int_equal(
				makes(CONFINED_WORKER, SYS_socketpair, family, type | flag, 0),
				local && stream ? 0 : EACCES);
			assert_int_equal(
				makes(CONFINED_CONNECTOR, SYS_socket, family, type | flag, 0),
				local && stream ? 0 : EACCES);
		}
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		int type = SOCK_STREAM | flags[i];
		assert_int_equal(makes(CONFINED_WORKER, SYS_socket, AF_INET, type, 0), 0);
		assert_int_equal(makes(CONFINED_WORKER, SYS_socket, AF_INET6, type, 6), 0);
		assert_int_equal(makes(CONFINED_WORKER, SYS_socket, AF_UNIX, type, 0), EACCES);
		assert_int_equal(makes(CONFINED_WORKER, SYS_socketpair, AF_UNIX, type, 0), 0);
		assert_int_equal(makes(CONFINED_CONNECTOR, SYS_socket, AF_UNIX, type, 0), 0);
		assert_int_equal(makes(CONFINED_CONNECTOR, SYS_socket, AF_INET, type, 0), EACCES);
	}
	// Of an int the kernel reads the lower half.
	const long high = 1L << 32;
	assert_int_equal(makes(CONFINED_WORKER, SYS_socket, high | AF_UNIX, SOCK_STREAM, 0),
			 EACCES);
	assert_int_equal(makes(CONFINED_WORKER, SYS_socket, high | AF_INET, high | SOCK_STREAM, 0),
			 0);
	assert_int_equal(makes(CONFINED_WORKER, SYS_socketpair, AF_UNIX, high | SOCK_DGRAM, 0),
			 EACCES);
	for (int protocol = 1; protocol < 300; protocol++)
		if (protocol != IPPROTO_TCP)
			assert_int_equal(
				makes(CONFINED_WORKER, SYS_socket, AF_INET, SOCK_STREAM, protocol),
				protocol == IPPROTO_UDP ? EPROTONOSUPPORT : EACCES);
}

// The calls by which a process reaches another one, and the rows that may make them.
static void reaching(void **state)
{
	enum {
		WORKER = 1 << CONFINED_WORKER,
		OPENER = 1 << CONFINED_OPENER,
		FILTER = 1 << CONFINED_FILTER,
		CONNECTOR = 1 << CONFINED_CONNECTOR,
		READER = 1 << CONFINED_READER,
	};
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	socklen_t length = sizeof(name);
	struct msghdr message = { 0 };
	int stream[2], datagram[2], listener = socket(AF_UNIX, SOCK_STREAM, 0);
	(void)state;
	// The kernel finds a name.
	assert_int_equal(bind(listener, (struct sockaddr *)&name, sizeof(sa_family_t)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&name, &length), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, stream), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, datagram), 0);
	const long to = (long)&name, fd = stream[0], size = length, high = 1L << 32;
	const struct {
		unsigned may;
		int result; // of who may
		struct call call;
	} rows[] = {
		{ WORKER | CONNECTOR, EACCES, { SYS_socket, { AF_MAX } } },
		{ WORKER, EACCES, { SYS_socketpair, { AF_MAX } } },
		{ WORKER | CONNECTOR, EISCONN, { SYS_connect, { fd, to, size } } },
		{ WORKER | CONNECTOR, 0, { SYS_sendmsg, { fd, (long)&message } } },
		{ WORKER | FILTER, 0, { SYS_sendto, { fd, to, 1 } } },
		{ WORKER | FILTER, EINVAL, { SYS_accept4, { fd } } },
		{ WORKER | OPENER | FILTER | CONNECTOR | READER,
		  EAGAIN,
		  { SYS_recvmsg, { fd, (long)&message, MSG_DONTWAIT } } },
		{ ~0U, 0, { SYS_write, { fd, to, 1 } } },
		{ 0, 0, { SYS_bind, { fd, to, size } } },
		{ 1U << CONFINED_CHECK, ENOENT, { SYS_newfstatat, { AT_FDCWD, (long)"/none" } } },
		{ 0, 0, { SYS_pipe2, { to } } },
		{ 0, 0, { SYS_splice, { fd, 0, fd, 0, 1 } } },
		{ 0, 0, { SYS_listen, { fd } } },
		{ 0, 0, { SYS_sendmmsg, { fd, to, 1 } } },
		{ 0, 0, { SYS_io_uring_setup, { 1, to } } },
		{ 0, 0, { SYS_pidfd_getfd, { fd, fd } } },
#ifdef __x86_64__
		{ 0, 0, { 0x40000000 | SYS_socket, { AF_INET, SOCK_STREAM } } },
		{ 0, 0, { 0x40000000 | SYS_connect, { fd, to, size } } },
#endif
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (unsigned who = 0; who < CONFINED_ALL; who++) {
			int result = ends(who, &rows[i].call);
			int otherwise = who != CONFINED_CHECK ? DIED
					: rows[i].call.number == SYS_sendmsg ||
							rows[i].call.number == SYS_sendto
						? EACCES // but by one descriptor
						: ENOSYS;
			if (result != (rows[i].may & (1U << who) ? rows[i].result : otherwise))
				fail_msg("row %zu of process %u: %d", i, who, result);
		}
	// A box may pass the filter a socket that is not connected.
	const struct call named[] = { { SYS_sendto, { datagram[0], to, 1, 0, to, size } },
				      { SYS_sendto, { datagram[0], to, 1, 0, high, size } } };
	assert_int_equal(ends(CONFINED_FILTER, &named[0]), EACCES);
	assert_int_equal(ends(CONFINED_FILTER, &named[1]), EACCES);
	close(listener);
	close(stream[0]);
	close(stream[1]);
	close(datagram[0]);
	close(datagram[1]);
}

// A way out: how it ends with the locks, and in the twin without them.
struct way_out {
	const char *what;
	int locked, free;
	struct call call;
};

static void try_ways(enum confined who, int below, const struct way_out *ways, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int locked = ends_with(who, CONFINE_FILES | CONFINE_CALLS, below, &ways[i].call);
		int free = ends_with(who, 0, below, &ways[i].call);
		if (locked != ways[i].locked || (ways[i].free >= 0 && free != ways[i].free))
			fail_msg("%s by %u: %d, without locks %d", ways[i].what, who, locked, free);
	}
}

// Its reader was born before, and answers by descriptor 0.
static void check_asks(int below)
{
	static const char text[] = "[a \"b\"]\n\tc = d\n";
	int status;
	struct arena *arena = arena_new_of((size_t)16 << 20);
	assert_int_equal(apart_begin(), 0);
	pid_t child = fork();
	if (child == 0) {
		struct gitconfig config;
		int result = apart_inherit();
		result |= confine_below(CONFINED_CHECK, CONFINE_FILES | CONFINE_CALLS, &below, 1);
		result |= gitconfig_ask(arena, text, strlen(text), &config);
		bool good = result == 0 && config.count == 1 && config.section_count == 1 &&
			    strcmp(config.entries[0].name, "a.b.c") == 0 &&
			    strcmp(config.entries[0].value, "d") == 0 &&
			    config.entries[0].end == strlen(text);
		syscall(SYS_exit_group, !good);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	apart_reap();
	arena_free(arena);
}

// It changes files where it may, and does nothing else to anybody.
static void reader(void **state)
{
	char top[] = "/tmp/sbx-reader-XXXXXX";
	char *const words[] = { top, NULL };
	int pipes[2];
	(void)state;
	int abi = sys_landlock_create(NULL, 0, SYS_LANDLOCK_VERSION);
	if (abi < 2)
		skip();
	const int cuts = abi < 3 ? 0 : EACCES; // before Linux 6.2 no rule is about truncation
	assert_non_null(mkdtemp(top));
	assert_int_equal(pipe(pipes), 0);
	int above = open(top, O_RDONLY | O_DIRECTORY);
	assert_int_equal(mkdirat(above, "in", 0700), 0);
	assert_int_equal(mkdirat(above, "out", 0700), 0);
	int in = openat(above, "in", O_PATH), out = openat(above, "out", O_PATH);
	close(openat(in, "file", O_WRONLY | O_CREAT, 0600));
	close(openat(out, "file", O_WRONLY | O_CREAT, 0600));
	const long file = (long)"file", program = (long)"/bin/true", self = getpid();
	const struct way_out ways[] = {
		{ "read", 0, 0, { SYS_openat, { out, file, O_RDONLY } } },
		{ "write there", 0, 0, { SYS_openat, { in, file, O_WRONLY } } },
		{ "write", EACCES, 0, { SYS_openat, { out, file, O_WRONLY } } },
		{ "cut", cuts, 0, { SYS_openat, { out, file, O_RDONLY | O_TRUNC } } },
		{ "make", EACCES, 0, { SYS_mkdirat, { out, (long)"new", 0700 } } },
		{ "remove", EACCES, 0, { SYS_unlinkat, { out, (long)"new", AT_REMOVEDIR } } },
		{ "move out", EACCES, 0, { SYS_renameat, { in, file, out, (long)"moved" } } },
		{ "execute", ENOSYS, 0, { SYS_execve, { program, (long)words, 0 } } },
		{ "make a socket", ENOSYS, 0, { SYS_socket, { AF_UNIX, SOCK_STREAM } } },
		{ "connect", ENOSYS, EBADF, { SYS_connect, { -1, program, 2 } } },
		{ "signal", ENOSYS, 0, { SYS_kill, { self, 0 } } },
		{ "trace", ENOSYS, 0, { SYS_ptrace, { PTRACE_TRACEME } } },
		{ "read memory", ENOSYS, 0, { SYS_process_vm_readv, { self } } },
		{ "fork", ENOSYS, -1, { SYS_clone, { SIGCHLD } } },
		{ "a filter", ENOSYS, -1, { SYS_seccomp, { 1 } } },
		{ "send by another descriptor", EACCES, -1, { SYS_sendto, { in, file, 1 } } },
		{ "make it its reader's", EACCES, -1, { SYS_fcntl, { in, F_DUPFD, 0 } } },
		{ "unshare", ENOSYS, 0, { SYS_unshare, { 0 } } },
		{ "limits", ENOSYS, 0, { SYS_prlimit64, { self, RLIMIT_CORE } } },
		{ "io_uring", ENOSYS, -1, { SYS_io_uring_setup, { 1, 0 } } },
	};
	try_ways(CONFINED_CHECK, in, ways, sizeof(ways) / sizeof(*ways));
	check_asks(in);
	assert_int_equal(unlinkat(out, "file", 0) | unlinkat(out, "moved", 0), 0);
	assert_int_equal(unlinkat(above, "in", AT_REMOVEDIR), 0);
	assert_int_equal(unlinkat(above, "out", AT_REMOVEDIR), 0);
	assert_int_equal(rmdir(top), 0);
	const int all[] = { above, in, out, pipes[0], pipes[1] };
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		close(all[i]);
}

static int supervisor_ends(int left, const struct call *call)
{
	int status = -1;
	const long *all = call->arguments;
	pid_t child = fork();
	if (child == 0) {
		if (left >= 0 && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
				  confine_supervisor((unsigned)left) < 0))
			_exit(255);
		long result = syscall(call->number, all[0], all[1], all[2], all[3], all[4], all[5]);
		syscall(SYS_exit_group, result < 0 ? errno : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 255);
	return WEXITSTATUS(status);
}

// What the supervisor may call with each part left open, and its twin without a filter.
static void supervisor(void **state)
{
	enum { I = LEFT_INTERNET, W = LEFT_WALLS, A = LEFT_ANSWERS, B = LEFT_BPF, ALWAYS = 16 };
	char program[] = "/bin/true", *const words[] = { program, NULL };
	int pair[2];
	const struct {
		unsigned may;
		int otherwise, free; // -1: as the machine has it
		struct call call;
	} rows[] = {
		{ 0, EPERM, 0, { SYS_execve, { (long)program, (long)words, 0 } } },
		{ 0, EPERM, EFAULT, { SYS_execveat, { -1 } } },
		{ 0, EPERM, 0, { SYS_ptrace, { PTRACE_TRACEME } } },
		{ A, EPERM, 0, { SYS_process_vm_readv, { getpid() } } },
		{ 0, EPERM, 0, { SYS_process_vm_writev, { getpid() } } },
		{ A, EPERM, EBADF, { SYS_pidfd_getfd, { -1 } } },
		{ 0, EPERM, 0, { SYS_clone, { CLONE_NEWUSER | SIGCHLD } } },
		{ ALWAYS, 0, 0, { SYS_clone, { SIGCHLD } } },
		{ 0, ENOSYS, EINVAL, { SYS_clone3, { 0 } } },
		{ W, EPERM, EBADF, { SYS_setns, { -1, CLONE_NEWUSER } } },
		{ W, EPERM, EBADF, { SYS_setns, { -1, CLONE_NEWNS } } },
		{ 0, EPERM, EBADF, { SYS_setns, { -1, CLONE_NEWNET } } },
		{ 0, EPERM, EBADF, { SYS_setns, { -1, 0 } } },
		{ W, EPERM, -1, { SYS_open_tree, { -1 } } },
		{ A, EPERM, 0, { SYS_unshare, { CLONE_FS } } },
		{ 0, EPERM, 0, { SYS_unshare, { CLONE_FILES } } },
		{ 0, EPERM, EFAULT, { SYS_add_key, { 0 } } },
		{ 0, EPERM, EOPNOTSUPP, { SYS_keyctl, { -1 } } },
		{ 0, EPERM, EINVAL, { SYS_shmat, { -1 } } },
		{ 0, EPERM, EBADF, { SYS_ioctl, { -1, TIOCSTI } } },
		{ ALWAYS, 0, 0, { SYS_prctl, { PR_SET_DUMPABLE, 0 } } },
		{ ALWAYS, 0, 0, { SYS_mprotect, { 0, 0, PROT_READ } } },
		{ 0, EPERM, 0, { SYS_mprotect, { 0, 0, PROT_READ | PROT_EXEC } } },
		{ 0, EPERM, EBADF, { SYS_mmap, { 0, 1, PROT_EXEC, MAP_PRIVATE, -1 } } },
		{ A, EPERM, 0, { SYS_socket, { AF_UNIX, SOCK_STREAM } } },
		{ I, EPERM, 0, { SYS_socket, { AF_INET, SOCK_STREAM } } },
		{ I, EPERM, -1, { SYS_socket, { AF_INET6, SOCK_DGRAM } } },
		{ I, EPERM, 0, { SYS_socket, { AF_NETLINK, SOCK_RAW } } },
		{ 0, EPERM, -1, { SYS_socket, { AF_PACKET, SOCK_RAW } } },
		{ ALWAYS, 0, 0, { SYS_socketpair, { AF_UNIX, SOCK_STREAM, 0, (long)pair } } },
		{ 0, EPERM, EAFNOSUPPORT, { SYS_socketpair, { AF_MAX, 1, 0, (long)pair } } },
		{ 0, ENOSYS, -1, { 463, { -1 } } },
#ifdef __x86_64__
		{ 0, ENOSYS, -1, { 0x40000000 | SYS_socket, { AF_INET, SOCK_STREAM } } },
#endif
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int free = supervisor_ends(-1, &rows[i].call);
		if (rows[i].free >= 0 && free != rows[i].free)
			fail_msg("row %zu without a filter: %d", i, free);
		for (unsigned left = 0; left < ALWAYS; left++) {
			bool may = rows[i].may & (left | ALWAYS);
			int result = supervisor_ends((int)left, &rows[i].call);
			if (result != (may ? free : rows[i].otherwise))
				fail_msg("row %zu with %u left open: %d", i, left, result);
		}
	}
}

#ifdef __x86_64__
// socketcall(2) of i386.
static void other_machine(void **state)
{
	(void)state;
	for (unsigned who = 0; who < CONFINED_ALL; who++) {
		int status = -1;
		pid_t child = fork();
		if (child == 0) {
			signal(SIGSEGV, SIG_DFL); // not the test's
			if (confine(who, CONFINE_CALLS) < 0)
				_exit(255);
			long result;
			__asm__ volatile("int $0x80"
					 : "=a"(result)
					 : "a"(102L), "b"(1L)
					 : "memory");
			syscall(SYS_exit_group, 0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status)); // SIGSEGV where the kernel has no i386
	}
}
#endif

// A worker that was taken over writes in the table while it changes.
static void rules_alone(void **state)
{
	static struct profile profile;
	struct plan plan = { .profile = &profile, .arena = arena_new_of(1 << 16) };
	struct shared *shared = shared_new();
	struct list more = { 0 };
	(void)state;
	list_add(&plan.egress.allow, plan.arena, "a.test", (struct origin){ 0 });
	list_add(&more, plan.arena, "b.test:8080", (struct origin){ 0 });
	pid_t child = fork();
	volatile unsigned most = 40000000;
	while (child == 0)
		for (int i = 0; i < 2; i++) {
			shared->generation = most;
			shared->rules[i].allow_count = shared->rules[i].deny_count = most;
			shared->rules[i].budget_count = shared->rules[i].raw_count = most;
			shared->rules[i].opened_count = most;
		}
	for (unsigned generation = 0; generation < 2000; generation++)
		assert_int_equal(rules_change(&plan, &more, &more, shared, generation), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(rules_change(&plan, &more, &more, shared, 3), 0);
	const struct rules *rules = rules_current(shared);
	assert_ptr_equal(rules, &shared->rules[1]);
	assert_true(rules->allow_count == 2 && rules->deny_count == 1 && !rules->budget_count);
	assert_string_equal(rules->allow[1].text, "b.test:8080");
	assert_string_equal(rules->deny[0].text, "b.test:8080");
	arena_free(plan.arena);
}

static int hear_bytes(struct proxy *proxy, const struct worker_event *event, size_t size)
{
	static struct plan plan;
	struct worker_event said = *event;
	struct run run = { .proxy = proxy };
	int ends[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	proxy->orders = orders_new(ends[0]);
	proxy->pidfd = -1;
	assert_int_equal(fd_send(ends[1], &said, size, NULL, 0), 0);
	struct pollfd ready = { .fd = ends[0], .revents = POLLIN };
	int result = proxy_handle(&plan, &run, &ready, 1);
	orders_free(proxy->orders);
	close(ends[0]);
	close(ends[1]);
	return result;
}

static int hear(struct proxy *proxy, const struct worker_event *event)
{
	return hear_bytes(proxy, event,
			  event->count > RECORDS_AT_ONCE ? sizeof(*event) : event_size(event));
}

// What a worker that was taken over may say of a connection, one thing at a time.
static void events(void **state)
{
	const struct worker_event good = {
		.kind = EVENT_RECORD,
		.count = 2,
		.records = { { .host.name = "b.test", .port = 80, .count = 1, .up = 7 },
			     { .host.name = "a.test",
			       .port = 80,
			       .rule = "a.test",
			       .why = "a (b)" } },
	};
	struct worker_event event;
	struct proxy proxy = { .control = -1, .connections = seen_new(-1, NULL) };
	(void)state;
	proxy.connections->audit.fd = -2;
	proxy.shared = shared_new();
	assert_int_equal(hear(&proxy, &good), 0);
	assert_int_equal(proxy.connections->allowed.count, 2);
#define BAD(member, value)                                                                         \
	do {                                                                                       \
		event = good;                                                                      \
		memcpy(&event.member, &(int){ value }, sizeof(event.member) < 4 ? 1 : 4);          \
		assert_int_equal(hear(&proxy, &event), -1);                                        \
		assert_string_equal(err_taken(), "the proxy said something unknown");              \
	} while (0)
	BAD(kind, EVENT_SOCKETS + 1);
	BAD(kind, -1);
	BAD(records[1].host.kind, 2);
	BAD(records[1].host.name[0], '\033');
	BAD(records[1].host.name[1], '/');
	BAD(records[1].verdict, 100000);
	BAD(records[1].verdict, -1);
	BAD(records[1].fix, 1000000);
	BAD(records[1].rule[0], '\n');
	BAD(records[1].why[1], '\n');
	BAD(records[1].why[1], 0x9b);
	BAD(records[1].explicit_proxy, 2);
	BAD(records[1].dialled, 255);
	BAD(count, RECORDS_AT_ONCE + 1);
	BAD(count, 15000);
	BAD(count, -1);
	for (int count = 0; count <= RECORDS_AT_ONCE; count++) {
		event = good;
		event.count = (unsigned)count;
		assert_int_equal(hear_bytes(&proxy, &event, event_size(&good)),
				 count == 2 ? 0 : -1);
		err_taken();
	}
	assert_int_equal(hear_bytes(&proxy, &good, 8), -1);
	assert_string_equal(err_taken(), "the proxy died");
	event = good;
	event.records[1].time = INT64_MAX;
	assert_int_equal(hear(&proxy, &event), -1);
	event.records[1].time = -1;
	assert_int_equal(hear(&proxy, &event), -1);
	for (int i = 0; i < 3; i++) {
		struct conn_record *record = &event.records[1];
		char *const texts[] = { record->host.name, record->rule, record->why };
		const size_t sizes[] = { sizeof(record->host.name), sizeof(record->rule),
					 sizeof(record->why) };
		event = good;
		memset(texts[i], 'a', sizes[i]);
		assert_int_equal(hear(&proxy, &event), -1);
		err_taken();
	}
	assert_int_equal(proxy.connections->allowed.count + proxy.connections->refused.count, 2);
	free(proxy.connections);
	// Whatever the list of questions holds, none of it acts on a terminal.
	struct host_question question = { .host.name = "\033[2J\033[Hgood.example" };
	const struct host_question *all[] = { &question, &question };
	for (unsigned count = 1; count <= 2; count++) {
		struct out out = { 0 };
		question_text(all, count, "orn", 9, &out);
		assert_non_null(strstr(out.text, "good.example"));
		assert_null(memchr(out.text, '\033', out.used));
		out_free(&out);
	}
}

static void names_kept(struct shared *shared, const struct address *address, const char *name)
{
	char text[HOST_NAME_BYTES_MAX + 1];
	uint32_t place = names_enter(shared, address, text);
	assert_true(place > 0);
	assert_string_equal(text, name);
	names_leave(shared, &place);
	assert_int_equal(place, 0);
}

// More names than there are places: those that the rules know, those with a connection and the
// newest stay.
static void places(void **state)
{
	struct shared *shared = shared_new();
	struct address known, open, other, newest;
	char text[HOST_NAME_BYTES_MAX + 1];
	(void)state;
	assert_true(names_address(shared, "known.test", true, &known));
	assert_true(names_address(shared, "open.test", false, &open));
	uint32_t place = names_enter(shared, &open, text);
	assert_true(place > 0);
	for (int i = 0; i < 300000; i++) {
		snprintf(text, sizeof(text), "n%d.test", i);
		assert_true(names_address(shared, text, false, &newest));
		assert_true(names_is_synthetic(&newest) && !names_is_own(&newest));
	}
	names_kept(shared, &known, "known.test");
	names_kept(shared, &open, "open.test");
	names_kept(shared, &newest, text);
	assert_true(names_address(shared, "another.test", true, &other));
	names_kept(shared, &other, "another.test");
	names_leave(shared, &place);
	// With so many that the rules know, too, the one without a connection goes.
	for (int i = 0; i < 300000; i++) {
		snprintf(text, sizeof(text), "k%d.test", i);
		assert_true(names_address(shared, text, true, &newest));
	}
	names_kept(shared, &newest, text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spellings),     cmocka_unit_test(reaches),
		cmocka_unit_test(destinations),  cmocka_unit_test(ambiguous),
		cmocka_unit_test(requests),      cmocka_unit_test(responses),
		cmocka_unit_test(chunks),        cmocka_unit_test(hellos),
		cmocka_unit_test(answers),       cmocka_unit_test(openings),
		cmocka_unit_test(upgrades),      cmocka_unit_test(bodies),
		cmocka_unit_test(socks),         cmocka_unit_test(segments),
		cmocka_unit_test(questions),     cmocka_unit_test(tables),
		cmocka_unit_test(kernel_texts),  cmocka_unit_test(whose),
		cmocka_unit_test(coded),         cmocka_unit_test(families),
		cmocka_unit_test(reaching),      cmocka_unit_test(reader),
		cmocka_unit_test(rules_alone),   cmocka_unit_test(events),
		cmocka_unit_test(places),        cmocka_unit_test(hello_pieces),
		cmocka_unit_test(head_pieces),   cmocka_unit_test(supervisor),
#ifdef __x86_64__
		cmocka_unit_test(other_machine),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
