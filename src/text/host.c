// Owns the canonical form of hosts.
#include "text/destination.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/base.h"

static const uint8_t mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

static void set_v4(struct address *address, uint32_t number)
{
	memcpy(address->bytes, mapped, sizeof(mapped));
	for (int i = 0; i < 4; i++)
		address->bytes[12 + i] = (uint8_t)(number >> (24 - 8 * i));
}

struct address address_v4(const void *four_bytes)
{
	struct address address;
	memcpy(address.bytes, mapped, sizeof(mapped));
	memcpy(address.bytes + sizeof(mapped), four_bytes, 4);
	return address;
}

bool address_is_v4(const struct address *address)
{
	return memcmp(address->bytes, mapped, sizeof(mapped)) == 0;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

// Reads a number like inet_aton(3).
static bool parse_part(const char *text, size_t length, uint64_t *ret)
{
	int base = 10;
	if (length > 1 && text[0] == '0') {
		bool hex = text[1] == 'x' || text[1] == 'X';
		base = hex ? 16 : 8;
		text += hex ? 2 : 1;
		length -= hex ? 2 : 1;
	}
	uint64_t number = 0;
	for (size_t i = 0; i < length; i++) {
		int digit = digit_of(text[i]);
		if (digit >= base)
			return false;
		number = number * (unsigned)base + (unsigned)digit;
		if (number > UINT32_MAX)
			return false;
	}
	*ret = number;
	return true;
}

// Parses like inet_aton(3): the last part fills all remaining bytes.
static bool parse_v4(const char *text, size_t length, struct address *ret)
{
	uint64_t parts[4];
	unsigned count = 0;
	for (size_t at = 0; at <= length; count++) {
		const char *dot = memchr(text + at, '.', length - at);
		size_t part = dot ? (size_t)(dot - text) - at : length - at;
		if (count == 4 || part == 0 || !parse_part(text + at, part, &parts[count]))
			return false;
		at += part + 1;
	}
	uint64_t number = parts[count - 1];
	if (number >> (8 * (5 - count)))
		return false;
	for (unsigned i = 0; i + 1 < count; i++) {
		if (parts[i] > 255)
			return false;
		number |= parts[i] << (24 - 8 * i);
	}
	set_v4(ret, (uint32_t)number);
	return true;
}

static bool parse_v6(const char *text, size_t length, struct address *ret)
{
	char copy[ADDRESS_TEXT_MAX];
	if (length >= sizeof(copy) || memchr(text, '\0', length))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	if (inet_pton(AF_INET6, copy, ret->bytes) != 1)
		return false;
	// Some programs connect to ::1.2.3.4, an old spelling, as IPv4.
	static const uint8_t zero[12];
	uint32_t low = (uint32_t)ret->bytes[12] << 24 | (uint32_t)ret->bytes[13] << 16 |
		       (uint32_t)ret->bytes[14] << 8 | ret->bytes[15];
	if (memcmp(ret->bytes, zero, sizeof(zero)) == 0 && low > 0xffff)
		set_v4(ret, low);
	return true;
}

// Whether a name with this last label must be an address (WHATWG URL, "ends in a number").
static bool looks_numeric(const char *label, size_t length)
{
	uint64_t number;
	bool digits = true;
	for (size_t i = 0; i < length; i++)
		digits = digits && label[i] >= '0' && label[i] <= '9';
	return digits || (length >= 2 && label[0] == '0' && (label[1] == 'x' || label[1] == 'X') &&
			  parse_part(label, length, &number));
}

static bool parse_name(const char *text, size_t length, char name[HOST_NAME_BYTES_MAX + 1])
{
	enum { LABEL_MAX = 63 };
	size_t label = 0;
	if (length > 0 && text[length - 1] == '.')
		length--;
	if (length == 0 || length > HOST_NAME_BYTES_MAX)
		return false;
	for (size_t i = 0; i < length; i++) {
		char c = text[i];
		c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
		name[i] = c;
		if (c == '.') {
			if (label == 0 || name[i - 1] == '-')
				return false;
			label = 0;
			continue;
		}
		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_') ||
		    (c == '-' && label == 0) || ++label > LABEL_MAX)
			return false;
	}
	name[length] = '\0';
	return label > 0 && name[length - 1] != '-';
}

bool host_parse(const char *text, size_t length, struct host *ret_host)
{
	struct host host = { .kind = HOST_ADDRESS };
	if (length > 1 && text[0] == '[' && text[length - 1] == ']') {
		if (!parse_v6(text + 1, length - 2, &host.address))
			return false;
	} else if (length > 0 && memchr(text, ':', length)) {
		if (!parse_v6(text, length, &host.address))
			return false;
	} else {
		size_t dotless = length > 1 && text[length - 1] == '.' ? length - 1 : length;
		const char *dot = dotless ? memrchr(text, '.', dotless) : NULL;
		const char *last = dot ? dot + 1 : text;
		if (looks_numeric(last, dotless - (size_t)(last - text))) {
			if (!parse_v4(text, dotless, &host.address))
				return false;
		} else {
			host.kind = HOST_NAME;
			if (!parse_name(text, length, host.name))
				return false;
		}
	}
	*ret_host = host;
	return true;
}

bool host_parse_port(const char *text, size_t length, struct host *ret_host, uint16_t *ret_port)
{
	unsigned long long port = 0;
	const char *colon = length ? memrchr(text, ':', length) : NULL;
	bool bracket = length > 0 && text[0] == '[';
	if (colon && bracket && colon > text && colon[-1] != ']')
		colon = NULL;
	if (colon && !bracket && memchr(text, ':', (size_t)(colon - text)))
		colon = NULL;
	size_t host = colon ? (size_t)(colon - text) : length;
	if (colon && !str_number(colon + 1, length - host - 1, 1, 65535, &port))
		return false;
	if (!host_parse(text, host, ret_host))
		return false;
	if (colon)
		*ret_port = (uint16_t)port;
	return true;
}

bool host_equal(const struct host *left, const struct host *right)
{
	if (left->kind != right->kind)
		return false;
	return left->kind == HOST_NAME ? str_equal(left->name, right->name)
				       : memcmp(&left->address, &right->address, 16) == 0;
}

bool host_within(const char *name, const char *domain)
{
	size_t length = strlen(name), tail = strlen(domain);
	if (length < tail || !str_equal(name + length - tail, domain))
		return false;
	return length == tail || name[length - tail - 1] == '.';
}

bool address_within(const struct address *address, const struct address *network, unsigned prefix)
{
	unsigned whole = prefix / 8, rest = prefix % 8;
	if (memcmp(address->bytes, network->bytes, whole) != 0)
		return false;
	uint8_t mask = (uint8_t)(0xff00 >> rest);
	return rest == 0 || ((address->bytes[whole] ^ network->bytes[whole]) & mask) == 0;
}

void address_text(const struct address *address, char text[ADDRESS_TEXT_MAX])
{
	if (address_is_v4(address))
		inet_ntop(AF_INET, address->bytes + 12, text, ADDRESS_TEXT_MAX);
	else
		inet_ntop(AF_INET6, address->bytes, text, ADDRESS_TEXT_MAX);
}

void host_text(const struct host *host, char text[HOST_NAME_BYTES_MAX + 1])
{
	if (host->kind == HOST_ADDRESS)
		address_text(&host->address, text);
	else
		memcpy(text, host->name, sizeof(host->name));
}

void host_port_text(const struct host *host, uint16_t port, char text[HOST_PORT_TEXT_MAX])
{
	char name[HOST_NAME_BYTES_MAX + 1];
	host_text(host, name);
	if (!port)
		str_put(text, HOST_PORT_TEXT_MAX, "%s", name);
	else
		str_put(text, HOST_PORT_TEXT_MAX, strchr(name, ':') ? "[%s]:%u" : "%s:%u", name,
			port);
}

// IANA's special-purpose registries (RFC 6890), and the metadata services of the clouds.
static const struct {
	const char *network;
	unsigned prefix;
	enum reach reach;
} special[] = {
	{ "::ffff:0.0.0.0", 104, REACH_NEVER },
	{ "::ffff:10.0.0.0", 104, REACH_PRIVATE },
	{ "::ffff:100.100.100.200", 128, REACH_NEVER },
	{ "::ffff:100.64.0.0", 106, REACH_PRIVATE },
	{ "::ffff:127.0.0.0", 104, REACH_NEVER },
	{ "::ffff:169.254.0.0", 112, REACH_NEVER },
	{ "::ffff:168.63.129.16", 128, REACH_NEVER },
	{ "::ffff:172.16.0.0", 108, REACH_PRIVATE },
	{ "::ffff:192.0.0.0", 120, REACH_NEVER },
	{ "::ffff:192.168.0.0", 112, REACH_PRIVATE },
	{ "::ffff:198.18.0.0", 111, REACH_NEVER },
	{ "::ffff:224.0.0.0", 99, REACH_NEVER },
	{ "::", 127, REACH_NEVER },
	{ "fd00:ec2::254", 128, REACH_NEVER },
	{ "fd20:ce::254", 128, REACH_NEVER },
	{ "fc00::", 7, REACH_PRIVATE },
	{ "fe80::", 10, REACH_NEVER },
	{ "fec0::", 10, REACH_PRIVATE },
	{ "ff00::", 8, REACH_NEVER },
	{ "2001::", 32, REACH_NEVER },
	{ "100::", 64, REACH_NEVER },
};

enum reach address_reach(const struct address *address)
{
	static const struct address nat64 = { { 0, 0x64, 0xff, 0x9b } };
	static const struct address nat64_local = { { 0, 0x64, 0xff, 0x9b, 0, 1 } };
	static const struct address six_to_four = { { 0x20, 0x02 } };
	struct address inner, network;
	const uint8_t *embedded = NULL;
	if (address_within(address, &nat64, 96) || address_within(address, &nat64_local, 48))
		embedded = address->bytes + 12;
	else if (address_within(address, &six_to_four, 16))
		embedded = address->bytes + 2;
	if (embedded) {
		inner = address_v4(embedded);
		address = &inner;
	}
	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		if (inet_pton(AF_INET6, special[i].network, network.bytes) == 1 &&
		    address_within(address, &network, special[i].prefix))
			return special[i].reach;
	return REACH_PUBLIC;
}
