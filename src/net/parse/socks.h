// SOCKS 5 (RFC 1928): no authentication, CONNECT by name or address. Pure.
#pragma once

#include "net/parse/parse.h"
#include "text/host.h"

enum { SOCKS_VERSION = 5 };
enum socks_reply {
	SOCKS_OK = 0,
	SOCKS_FAILED = 1,
	SOCKS_DENIED = 2,
	SOCKS_UNREACHABLE = 4,
	SOCKS_REFUSED = 5,
	SOCKS_NO_COMMAND = 7,
};

struct socks_request {
	size_t used; // bytes of the message
	bool connect;
	struct host host;
	uint16_t port;
};

// `ret_used` bytes; `ret_open` when the client takes a server without authentication.
enum parse socks_greeting(const uint8_t *bytes, size_t length, size_t *ret_used, bool *ret_open);
enum parse socks_request(const uint8_t *bytes, size_t length, struct socks_request *ret);
