// What of TLS is readable without keys: the first message of a client (RFC 8446 4.1.2, RFC 6066 3),
// and whether a server asks for another one (HelloRetryRequest, 4.1.4). Pure.
#pragma once

#include "net/parse/parse.h"
#include "text/host.h"

enum {
	TLS_CHANGE_CIPHER = 0x14,
	TLS_ALERT = 0x15,
	TLS_HANDSHAKE = 0x16,
	TLS_DATA = 0x17,
	TLS_RECORD_HEADER = 5,
	TLS_HELLO_MAX = 16 * 1024
};

struct tls_hello {
	// Bytes, to the end of the hello's last record; of MORE, without which it stays so
	size_t used;
	bool named;     // `host` is the server name
	bool encrypted; // encrypted_client_hello: another name may be inside
	bool shaped;    // BAD, but a hello that a server could take
	struct host host;
};

// BAD for a name in a form that is no host, and for a message that does not end with its record:
// what follows in it would be read by nobody here.
enum parse tls_hello(const uint8_t *bytes, size_t length, struct tls_hello *ret);

// One record, by its header: type, and bytes with the header. BAD is no TLS.
enum parse tls_record(const uint8_t *bytes, size_t length, uint8_t *ret_type, size_t *ret_size);

// The server's first handshake record. `ret_retry`: it asks for a second hello.
enum parse tls_answer(const uint8_t *bytes, size_t length, bool *ret_retry);

// Fatal alert access_denied (49), which clients show by name.
extern const uint8_t tls_denied[7];
