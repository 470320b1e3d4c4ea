// libFuzzer: the canonicaliser against libc. What inet_aton or inet_pton take for an address must
// be that address here, or be refused: never a name. And what is written in flags around hosts: a
// destination up to the first newline, and a host behind it that it may match.
#include <arpa/inet.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "text/destination.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What matches is a host of that kind, on a port that is listed; a name below another is longer.
static void check_matches(char *text)
{
	struct destination destination;
	struct host host;
	uint16_t port = 443;
	char *name = strchr(text, '\n');
	if (!name)
		return;
	*name++ = '\0';
	if (!destination_parse(text, &destination) ||
	    !host_parse_port(name, strlen(name), &host, &port) ||
	    !destination_matches(&destination, &host, port))
		return;
	if ((host.kind == HOST_ADDRESS) != (destination.kind == DESTINATION_NETWORK) ||
	    (destination.kind == DESTINATION_BELOW &&
	     strlen(host.name) <= strlen(destination.name)))
		__builtin_trap();
	const char *suffix = destination_suffix(destination.suffix);
	size_t length = strlen(text), end = strlen(suffix);
	if (length < end || strcmp(text + length - end, suffix) != 0)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct host host, again;
	struct in_addr v4;
	struct in6_addr v6;
	struct destination destination;
	char *text = malloc(size + 1), canonical[HOST_NAME_BYTES_MAX + 1];
	char shown[64];
	uint16_t port = 0, outside;
	uint64_t most;
	bool for_all;
	memcpy(text, data, size);
	text[size] = '\0';
	bool good = host_parse(text, size, &host), whole = strlen(text) == size;
	if (good) {
		host_text(&host, canonical);
		if (!host_parse(canonical, strlen(canonical), &again) || !host_equal(&host, &again))
			__builtin_trap();
		// inet_aton stops at a space, which no host has.
		if (whole && inet_aton(text, &v4) &&
		    (host.kind != HOST_ADDRESS || memcmp(host.address.bytes + 12, &v4, 4) != 0))
			__builtin_trap();
		if (whole && inet_pton(AF_INET6, text, &v6) == 1 && host.kind != HOST_ADDRESS)
			__builtin_trap();
		if (host.kind == HOST_ADDRESS)
			address_reach(&host.address);
	}
	host_parse_port(text, size, &host, &port);
	if (destination_parse(text, &destination) && good)
		destination_matches(&destination, &host, port);
	destination_budget(text, &destination, &for_all, &most);
	destination_publish(text, &port, &outside);
	if (units_size(text, &most) || units_time(text, &most) || units_processors(text, &most)) {
		units_text(shown, sizeof(shown), most, UNIT_SIZE);
		units_rough(shown, sizeof(shown), most, UNIT_SIZE);
		units_rough(shown, sizeof(shown), most, UNIT_TIME);
	}
	check_matches(text);
	free(text);
	return 0;
}
