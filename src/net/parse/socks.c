// Owns the two messages of a SOCKS client.
#include "net/parse/parse.h"

#include <string.h>

enum parse socks_greeting(const uint8_t *bytes, size_t length, size_t *ret_used, bool *ret_open)
{
	if (length >= 1 && bytes[0] != SOCKS_VERSION)
		return PARSE_BAD;
	if (length >= 2 && bytes[1] == 0)
		return PARSE_BAD;
	if (length < 2 || length < 2U + bytes[1])
		return PARSE_MORE;
	*ret_used = 2U + bytes[1];
	*ret_open = memchr(bytes + 2, 0, bytes[1]) != NULL;
	return PARSE_DONE;
}

enum { KIND_V4 = 1, KIND_NAME = 3, KIND_V6 = 4 };

static size_t address_size(const uint8_t *bytes)
{
	switch (bytes[3]) {
	case KIND_V4:
		return 4;
	case KIND_NAME:
		return 1U + bytes[4];
	case KIND_V6:
		return 16;
	default:
		return 0;
	}
}

enum parse socks_request(const uint8_t *bytes, size_t length, struct socks_request *ret)
{
	enum { HEAD = 4, COMMAND_CONNECT = 1 };
	struct socks_request request = { 0 };
	if (length >= 1 && bytes[0] != SOCKS_VERSION)
		return PARSE_BAD;
	if (length < HEAD + 1)
		return PARSE_MORE;
	size_t size = address_size(bytes);
	if (size == 0 || bytes[2] != 0)
		return PARSE_BAD;
	if (length < HEAD + size + 2)
		return PARSE_MORE;
	const uint8_t *address = bytes + HEAD;
	request.host.kind = HOST_ADDRESS;
	if (bytes[3] == KIND_V4) {
		request.host.address = address_v4(address);
	} else if (bytes[3] == KIND_V6) {
		memcpy(request.host.address.bytes, address, 16);
	} else if (!host_parse((const char *)address + 1, size - 1, &request.host)) {
		return PARSE_BAD;
	}
	request.port = read16(address + size);
	request.connect = bytes[1] == COMMAND_CONNECT;
	request.used = HEAD + size + 2;
	if (request.port == 0)
		return PARSE_BAD;
	*ret = request;
	return PARSE_DONE;
}
