// Owns the grammar of destinations.
#include "text/destination.h"

#include <string.h>

#include "base/base.h"

static bool parse_ports(const char *text, struct destination *destination)
{
	for (;;) {
		unsigned long long port;
		size_t length = strcspn(text, ",");
		if (destination->port_count == DESTINATION_PORTS_MAX ||
		    !str_number(text, length, 1, 65535, &port))
			return false;
		destination->ports[destination->port_count++] = (uint16_t)port;
		if (text[length] == '\0')
			return true;
		text += length + 1;
	}
}

static bool parse_network(const char *text, size_t length, const char *slash,
			  struct destination *destination)
{
	struct host host;
	unsigned long long prefix;
	size_t address = (size_t)(slash - text);
	if (!host_parse(text, address, &host) || host.kind != HOST_ADDRESS)
		return false;
	unsigned base = address_is_v4(&host.address) ? 96 : 0;
	if (!str_number(slash + 1, length - address - 1, 0, 128 - base, &prefix))
		return false;
	destination->kind = DESTINATION_NETWORK;
	destination->network = host.address;
	destination->prefix = base + (unsigned)prefix;
	// Refuses 10.1.2.3/8, which is ambiguous: an address, or its network.
	struct address rest = host.address;
	for (unsigned bit = destination->prefix; bit < 128; bit++)
		rest.bytes[bit / 8] &= (uint8_t)~(0x80 >> bit % 8);
	return memcmp(&rest, &host.address, sizeof(rest)) == 0;
}

static bool parse_host(const char *text, size_t length, struct destination *destination)
{
	struct host host;
	const char *slash = memchr(text, '/', length);
	if (slash)
		return parse_network(text, length, slash, destination);
	if (length == 1 && text[0] == '*') {
		destination->kind = DESTINATION_ANY;
		return true;
	}
	bool below = length > 2 && text[0] == '*' && text[1] == '.';
	if (!host_parse(text + 2 * below, length - 2 * (size_t)below, &host))
		return false;
	if (host.kind == HOST_ADDRESS) {
		destination->kind = DESTINATION_NETWORK;
		destination->network = host.address;
		destination->prefix = 128;
		return !below;
	}
	destination->kind = below ? DESTINATION_BELOW : DESTINATION_NAME;
	memcpy(destination->name, host.name, sizeof(host.name));
	return true;
}

static const char *find_ports(const char *text)
{
	const char *colon = strrchr(text, ':'), *first = strchr(text, ':');
	if (text[0] == '[')
		return colon && colon[-1] == ']' ? colon : NULL;
	return colon == first ? colon : NULL;
}

static const char *const suffixes[] = { "", [SUFFIX_RAW] = "/tcp", [SUFFIX_ECH] = "/ech" };

const char *destination_suffix(enum suffix suffix)
{
	return suffixes[suffix];
}

bool destination_parse(const char *text, struct destination *ret)
{
	struct destination destination = { .suffix = str_ends(text, suffixes[SUFFIX_RAW])
							     ? SUFFIX_RAW
						     : str_ends(text, suffixes[SUFFIX_ECH])
							     ? SUFFIX_ECH
							     : SUFFIX_NONE };
	char plain[HOST_NAME_BYTES_MAX + DESTINATION_TEXT_MAX + 1];
	size_t all = strlen(text) - strlen(suffixes[destination.suffix]);
	if (all >= sizeof(plain))
		return false;
	memcpy(plain, text, all);
	plain[all] = '\0';
	text = plain;
	const char *ports = find_ports(text);
	size_t length = ports ? (size_t)(ports - text) : all;
	if (length == 0 || (ports && !parse_ports(ports + 1, &destination)) ||
	    !parse_host(text, length, &destination))
		return false;
	*ret = destination;
	return true;
}

bool destination_budget(const char *text, struct destination *ret, bool *ret_for_all,
			uint64_t *ret_most)
{
	char host[HOST_NAME_BYTES_MAX + DESTINATION_TEXT_MAX + 1];
	size_t length = strcspn(text, " ");
	*ret_for_all = text[length] == '\0';
	if (!*ret_for_all) {
		if (length >= sizeof(host))
			return false;
		memcpy(host, text, length);
		host[length] = '\0';
		text += length + strspn(text + length, " ");
		if (!destination_parse(host, ret) || ret->suffix)
			return false;
	}
	return units_size(text, ret_most) && *ret_most != UNLIMITED;
}

bool destination_publish(const char *text, uint16_t *ret_inside, uint16_t *ret_outside)
{
	unsigned long long inside, outside;
	size_t length = strcspn(text, ":");
	if (!str_number(text, length, 1, 65535, &inside))
		return false;
	outside = inside;
	if (str_equal(text + length, ":auto"))
		outside = 0;
	else if (text[length] &&
		 !str_number(text + length + 1, strlen(text + length + 1), 1, 65535, &outside))
		return false;
	*ret_inside = (uint16_t)inside;
	*ret_outside = (uint16_t)outside;
	return true;
}

static bool matches_host(const struct destination *destination, const struct host *host)
{
	switch (destination->kind) {
	case DESTINATION_NAME:
		return host->kind == HOST_NAME && str_equal(host->name, destination->name);
	case DESTINATION_BELOW:
		return host->kind == HOST_NAME && host_within(host->name, destination->name) &&
		       !str_equal(host->name, destination->name);
	case DESTINATION_ANY:
		return host->kind == HOST_NAME;
	case DESTINATION_NETWORK:
		// ::/0 does not include IPv4, which is ::ffff:0:0/96.
		return host->kind == HOST_ADDRESS &&
		       address_is_v4(&host->address) == address_is_v4(&destination->network) &&
		       address_within(&host->address, &destination->network, destination->prefix);
	}
	return false;
}

bool destination_matches(const struct destination *destination, const struct host *host,
			 uint16_t port)
{
	bool listed = destination->port_count == 0;
	for (unsigned i = 0; i < destination->port_count; i++)
		listed = listed || destination->ports[i] == port;
	return listed && matches_host(destination, host);
}
