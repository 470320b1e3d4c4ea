// What [network] allow and deny name: host[:port[,port]...], *.domain, *, address, network/prefix.
// A rule that allows can end with /tcp or /ech.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One form for every spelling: matched, logged, dialled. Rule 8.

struct address {
	uint8_t bytes[16];
};

enum { HOST_NAME_BYTES_MAX = 253, ADDRESS_TEXT_MAX = 48 };

struct host {
	enum host_kind { HOST_NAME, HOST_ADDRESS } kind;
	char name[HOST_NAME_BYTES_MAX + 1];
	struct address address;
};

// Takes any spelling of libc's resolvers and browsers: 127.1, 0x7f.1, 2130706433, ::ffff:1.2.3.4,
// [::1]. False: other bytes, empty or long labels, zones.
bool host_parse(const char *text, size_t length, struct host *ret_host);
// Without a port `ret_port` stays.
bool host_parse_port(const char *text, size_t length, struct host *ret_host, uint16_t *ret_port);

bool host_equal(const struct host *left, const struct host *right);
// "a.example.com", not "badexample.com".
bool host_within(const char *name, const char *domain);

struct address address_v4(const void *four_bytes);
bool address_is_v4(const struct address *address);
bool address_within(const struct address *address, const struct address *network, unsigned prefix);
void address_text(const struct address *address, char text[ADDRESS_TEXT_MAX]);
void host_text(const struct host *host, char text[HOST_NAME_BYTES_MAX + 1]);
// "host:port" as a rule has it; without a port 0.
enum { HOST_PORT_TEXT_MAX = HOST_NAME_BYTES_MAX + 16 };
void host_port_text(const struct host *host, uint16_t port, char text[HOST_PORT_TEXT_MAX]);

// Looks into NAT64 and 6to4 addresses, too.
enum reach {
	REACH_PUBLIC,
	REACH_PRIVATE, // RFC 1918, RFC 6598, unique local: only when the profile says so
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
