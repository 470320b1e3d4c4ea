// The first message of a TLS client (RFC 8446 4.1.2, RFC 6066 3): only the name it asks for. Pure.
#pragma once

#include "base/host.h"
#include "net/parse.h"

enum { TLS_HANDSHAKE = 0x16, TLS_HELLO_MOST = 16 * 1024 };

// `ret_named` is false for a hello without a server name. A name in a form that is no host is bad.
enum parse tls_hello(const uint8_t *bytes, size_t length, bool *ret_named, struct host *ret_host);

// Fatal alert access_denied (49), which clients show by name.
extern const uint8_t tls_denied[7];
