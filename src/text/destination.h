// What [network] allow and deny name: host[:port[,port]...], *.domain, *, address, network/prefix.
// A rule that allows can end with /tcp or /ech.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One form for every spelling of a host: used to match, to log and to dial. Rule 8.

// 16 bytes as in6_addr; IPv4 as ::ffff:a.b.c.d.
struct address {
	uint8_t bytes[16];
};

enum { HOST_NAME_BYTES_MAX = 253, ADDRESS_TEXT_MAX = 48 };

struct host {
	enum host_kind { HOST_NAME, HOST_ADDRESS } kind;
	char name[HOST_NAME_BYTES_MAX + 1]; // HOST_NAME: lower case, no final dot
	struct address address;             // HOST_ADDRESS
};

// Reads a name or an address in any spelling that the resolvers of libc and browsers take:
// 127.1, 0x7f.1, 2130706433, ::ffff:1.2.3.4, [::1]. False for everything else: bytes other than
// letters, digits, '-' and '_' (NUL and UTF-8 among them), empty or long labels, zones, numbers
// that are no address.
bool host_parse(const char *text, size_t length, struct host *ret_host);
// "name" or "name:80" or "[::1]:80"; without a port `ret_port` stays as it was.
bool host_parse_port(const char *text, size_t length, struct host *ret_host, uint16_t *ret_port);

bool host_equal(const struct host *left, const struct host *right);
// True for "a.example.com" and "example.com", not for "badexample.com".
bool host_within(const char *name, const char *domain);

bool address_is_v4(const struct address *address);
bool address_within(const struct address *address, const struct address *network, unsigned prefix);
// 1.2.3.4 or ::1.
void address_text(const struct address *address, char text[ADDRESS_TEXT_MAX]);
void host_text(const struct host *host, char text[HOST_NAME_BYTES_MAX + 1]);

// Where an address lies, for who resolves a name to it. Also looks into NAT64 and 6to4.
enum reach {
	REACH_PUBLIC,
	REACH_PRIVATE, // RFC 1918, RFC 6598, unique local: only when the profile says so
	REACH_NEVER,   // this host, this link, metadata services, multicast, reserved
};
enum reach address_reach(const struct address *address);

enum { DESTINATION_PORTS_MAX = 16, DESTINATION_TEXT_MAX = 128 };

struct destination {
	enum destination_kind {
		DESTINATION_NAME,    // this very name
		DESTINATION_BELOW,   // every name below `name`
		DESTINATION_ANY,     // every name; no literal address
		DESTINATION_NETWORK, // literal addresses
	} kind;
	char name[HOST_NAME_BYTES_MAX + 1];
	struct address network;
	unsigned prefix;     // of 128 bits
	unsigned port_count; // 0: every port
	uint16_t ports[DESTINATION_PORTS_MAX];
	enum suffix {
		SUFFIX_NONE,
		SUFFIX_RAW, // "/tcp": in any protocol
		SUFFIX_ECH, // "/ech": TLS may hide the server name (encrypted client hello)
	} suffix;           // of rules that allow; elsewhere an error
};

bool destination_parse(const char *text, struct destination *ret);
const char *destination_suffix(enum suffix suffix);
// "10M" or "example.com 10M": `ret_for_all` without a destination.
bool destination_budget(const char *text, struct destination *ret, bool *ret_for_all,
			uint64_t *ret_most);
// "3000", "3000:8080", or "3000:auto": then *ret_outside is 0.
bool destination_publish(const char *text, uint16_t *ret_inside, uint16_t *ret_outside);
bool destination_matches(const struct destination *destination, const struct host *host,
			 uint16_t port);
