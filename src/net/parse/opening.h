// Which protocol the first bytes of a connection begin, of those that are read here. Pure.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "net/parse/parse.h"

enum opening {
	OPENING_MORE,  // too few bytes to say
	OPENING_TLS,   // a record of the handshake
	OPENING_HTTP,  // a request line, well-formed or not
	OPENING_SSH,   // an identification line (RFC 4253 4.2)
	OPENING_OTHER, // none of them
};

// Where the parts of a line ended that was read before: with more bytes it is read from there on.
// Zeros for another line.
struct opening_read {
	uint32_t start, word, target, end, version;
};

// Of a client. HTTP is whatever begins with a word: what then does not parse is refused.
enum opening opening_client(const uint8_t *bytes, size_t length);

// Of a line of SSH, or its beginning: identification, then printable ASCII (RFC 4253 4.2).
enum parse opening_ssh(const uint8_t *line, size_t length);

// Of a burst in a tunnel, where other protocols of text are at home: HTTP is what a lenient server
// could take for a request line. White space before it counts for nothing.
enum opening opening_burst(const uint8_t *bytes, size_t length, struct opening_read *read);

// Of a body: DONE where a server that passes over the body would take it for the next request, BAD
// where none would.
enum parse opening_body(const uint8_t *bytes, size_t length, struct opening_read *read);

// Of a server that speaks before its client does.
enum greeting {
	GREETING_MORE,
	GREETING_SSH,
	GREETING_KNOWN,   // SMTP, FTP, POP3, IMAP, NNTP, RFB, MySQL and the like
	GREETING_LEAVING, // HTTP or TLS: nothing that a server begins with
	GREETING_OTHER,
};
enum greeting opening_server(const uint8_t *bytes, size_t length);
