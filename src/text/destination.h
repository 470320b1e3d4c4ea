// Destinations of [network] allow and deny: host[:port[,port]...], *.domain, *, address,
// network/prefix. A destination of `allow` can end with /tcp or /ech.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An IPv6 address, or ::ffff:a.b.c.d for IPv4: one form for every spelling.

struct address {
	uint8_t bytes[16];
};

enum { HOST_NAME_BYTES_MAX = 253, ADDRESS_TEXT_MAX = 48 };

struct host {
	enum host_kind { HOST_NAME, HOST_ADDRESS } kind;
	char name[HOST_NAME_BYTES_MAX + 1];
	struct address address;
};

// Takes any spelling that libc's resolvers and browsers take: 127.1, 0x7f.1, 2130706433,
// ::ffff:1.2.3.4, [::1]. Returns false for other bytes, empty or long labels, and zones.
bool host_parse(const char *text, size_t length, struct host *ret_host);
// Without a port *ret_port is unchanged.
bool host_parse_port(const char *text, size_t length, struct host *ret_host, uint16_t *ret_port);

bool host_equal(const struct host *left, const struct host *right);
// Whether `name` is `domain` or below it: "a.example.com", not "badexample.com".
bool host_within(const char *name, const char *domain);

struct address address_v4(const void *four_bytes);
bool address_is_v4(const struct address *address);
bool address_within(const struct address *address, const struct address *network, unsigned prefix);
void address_text(const struct address *address, char text[ADDRESS_TEXT_MAX]);
void host_text(const struct host *host, char text[HOST_NAME_BYTES_MAX + 1]);
// Writes "host:port" as a rule has it; port 0: only the host.
enum { HOST_PORT_TEXT_MAX = HOST_NAME_BYTES_MAX + 16 };
void host_port_text(const struct host *host, uint16_t port, char text[HOST_PORT_TEXT_MAX]);

// A NAT64 or 6to4 address has the reach of the IPv4 address in it.
enum reach {
	REACH_PUBLIC,
	REACH_PRIVATE, // RFC 1918, RFC 6598, unique local
	REACH_NEVER,   // this host, this link, metadata services, multicast, reserved
};
enum reach address_reach(const struct address *address);

enum { DESTINATION_PORTS_MAX = 16, DESTINATION_TEXT_MAX = 128 };

struct destination {
	enum destination_kind {
		DESTINATION_NAME,
		DESTINATION_BELOW,
		DESTINATION_ANY,
		DESTINATION_NETWORK,
	} kind;
	char name[HOST_NAME_BYTES_MAX + 1];
	struct address network;
	unsigned prefix;
	unsigned port_count; // 0: every port
	uint16_t ports[DESTINATION_PORTS_MAX];
	enum suffix {
		SUFFIX_NONE,
		SUFFIX_RAW,
		SUFFIX_ECH, // "/ech": TLS may hide the name
	} suffix;
};

bool destination_parse(const char *text, struct destination *ret);
const char *destination_suffix(enum suffix suffix);
bool destination_budget(const char *text, struct destination *ret, bool *ret_for_all,
			uint64_t *ret_most);
bool destination_publish(const char *text, uint16_t *ret_inside, uint16_t *ret_outside);
bool destination_matches(const struct destination *destination, const struct host *host,
			 uint16_t port);
