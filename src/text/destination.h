// What [network] allow and deny name: host[:port[,port]...], *.domain, *, address, network/prefix.
// A rule that allows can end with /tcp or /ech.
#pragma once

#include "text/host.h"

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
