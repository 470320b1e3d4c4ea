// The room net/parse owns the readers of protocols, on which nothing depends but their bytes: pure
// functions of (bytes, length), each with a target in tests/fuzz. Uses: base, text. Begin with
// parse.h and opening.c: which protocol it is.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "text/destination.h"
#include "text/piece.h"

enum parse {
	PARSE_MORE,
	PARSE_BAD,
	PARSE_DONE,
};

static inline uint16_t read16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

// Answers to --ask. Callers take an unknown one for REPLY_NO.

enum reply {
	REPLY_NO,
	REPLY_ONCE,
	REPLY_RUN,
	REPLY_PROJECT,
};
enum { REPLIES = REPLY_PROJECT + 1, REPLY_BYTES_MAX = 1024 };

extern const char *const reply_words[REPLIES];
extern const char reply_letters[REPLIES + 1];

// Reads {"answer":"WORD"} with an optional newline. Ignores other members. text[length] must be
// NUL.
bool reply_json(const char *text, size_t length, enum reply *ret_answer);

// Reads a letter and Enter. Control characters and further letters make the line invalid: a
// terminal's reply to an escape sequence is no answer.
struct reply_line {
	char letter; // 0: none yet
	bool bad;
	unsigned length; // bytes
};
enum reply_step {
	REPLY_MORE,
	REPLY_AGAIN, // the line ended without an answer
	REPLY_GIVEN,
	REPLY_LEFT, // ^C, or ^D on an empty line
};
// `letters`: the offered ones, such as "orpn".
enum reply_step reply_byte(struct reply_line *line, unsigned char byte, const char *letters,
			   char *ret_letter);

// Copies a program's name. Bytes other than letters, digits and ._+- become '?'. Never empty.
void reply_claim(const char *name, char *to, size_t size);

// DNS messages (RFC 1035).

enum { DNS_ANSWER_MAX = 512, DNS_TYPE_A = 1, DNS_TYPE_AAAA = 28, DNS_CLASS_IN = 1 };

struct dns_question {
	bool valid;
	char name[HOST_NAME_BYTES_MAX + 1];
	uint16_t type, class;
	size_t end;
};

enum dns_code { DNS_OK = 0, DNS_FORMAT = 1, DNS_FAILED = 2, DNS_NO_NAME = 3, DNS_NOT_DONE = 4 };

// Returns false if the message is no query and gets no reply. *ret_code: DNS_OK, or the code of the
// reply.
bool dns_parse(const uint8_t *message, size_t length, struct dns_question *ret,
	       enum dns_code *ret_code);

// Writes an answer with one record for an IPv4 `address`, or without records for NULL.
size_t dns_answer(const uint8_t *message, const struct dns_question *question, enum dns_code code,
		  const struct address *address, uint8_t answer[DNS_ANSWER_MAX]);

struct hosts_entry {
	uint32_t hash, line, word;
};
unsigned hosts_read(const char *text, size_t length, struct hosts_entry *entries, unsigned most);
unsigned hosts_find(const char *text, size_t length, const struct hosts_entry *entries,
		    unsigned count, const char *name, struct address *addresses, unsigned most);

enum {
	RESOLV_SERVERS_MAX = 3,
	RESOLV_SEARCH_MAX = 6,
	RESOLV_FORMS_MAX = RESOLV_SEARCH_MAX + 1,
	RESOLV_ALIKE_MAX = RESOLV_FORMS_MAX * RESOLV_FORMS_MAX
};
struct resolv {
	struct address servers[RESOLV_SERVERS_MAX];
	unsigned server_count;
	char search[RESOLV_SEARCH_MAX][HOST_NAME_BYTES_MAX + 1];
	unsigned search_count;
	unsigned ndots;
};
// Without a nameserver line uses 127.0.0.1, like libc.
void resolv_parse(const char *text, size_t length, struct resolv *ret);
bool resolv_is_short(const struct resolv *resolv, const char *name);
// Appends search domain number `domain`, counted from 1; 0: none. Returns false if there is no such
// domain or the name becomes too long.
bool resolv_name(const struct resolv *resolv, const char *name, unsigned domain,
		 char ret[HOST_NAME_BYTES_MAX + 1]);
// Walks the names that the search list equates with `name`, from `number` on. Each has domain
// number / RESOLV_FORMS_MAX appended and number % RESOLV_FORMS_MAX removed; 0: none.
bool resolv_next(const struct resolv *resolv, const char *name, unsigned *number,
		 char ret[HOST_NAME_BYTES_MAX + 1]);
bool resolv_same(const struct resolv *resolv, const struct host *left, const struct host *right);

// HTTP/1 (RFC 9110, 9112), read strictly: ambiguous text is bad.

enum http_body { BODY_NONE, BODY_LENGTH, BODY_CHUNKED, BODY_UNTIL_CLOSE };

struct http_request {
	size_t head;
	bool connect, asks_head;
	bool absolute;
	bool secure;
	bool has_host; // `host` and `port` (0: none given) are set
	struct host host;
	uint16_t port;
	size_t target, path;
	bool keep_alive;
	bool upgrade, other_upgrade;
	enum http_body body;
	uint64_t length;
};

struct http_response {
	size_t head;
	unsigned status;
	bool keep_alive;
	bool upgrade;
	enum http_body body;
	uint64_t length;
};

enum { HTTP_HEAD_MAX = 16 * 1024 };

// Whether `c` may be in a method or a field's name.
bool is_token(uint8_t c);
// Whether the laxest reader finds an end of the head. `searched`: bytes of earlier calls.
bool http_has_end(const char *bytes, size_t length, uint32_t *searched);
enum parse http_request(const char *bytes, size_t length, struct http_request *ret);
// `asks_head`: the response to HEAD has no body.
enum parse http_response(const char *bytes, size_t length, bool asks_head,
			 struct http_response *ret);

enum http_chunk { CHUNK_SIZE, CHUNK_DATA, CHUNK_END, CHUNK_TRAILER, CHUNK_DONE };
// Reads a line in state `at`, and sets the next state. After CHUNK_SIZE *ret_data is the length of
// the data.
enum parse http_chunk(const char *bytes, size_t length, enum http_chunk *at, size_t *ret_used,
		      uint64_t *ret_data);

// Reads the next field of a valid head, after its first line. Returns false at the end.
bool http_field(struct piece *rest, struct piece *ret_name, struct piece *ret_value);

// Drops Proxy-* fields, and upgrades other than websocket. For an upstream proxy `place` precedes
// the path, and `field` follows the first line. `to` must have room for both.
size_t http_rewrite(const char *from, const struct http_request *request, const char *place,
		    const char *field, char *to);

enum opening {
	OPENING_MORE,
	OPENING_TLS,
	OPENING_HTTP, // well-formed or not
	OPENING_SSH,
	OPENING_OTHER,
};

// Progress in a line between calls. Zeros begin a new line.
struct opening_read {
	uint32_t start, word, target, end, version;
};

// Bytes that begin like a method count as HTTP: malformed requests are refused.
enum opening opening_client(const uint8_t *bytes, size_t length);

// Reads an SSH identification line (RFC 4253 4.2).
enum parse opening_ssh(const uint8_t *line, size_t length);

// Whether a lenient server could read a tunnel's data as a request line, even after white space.
enum opening opening_burst(const uint8_t *bytes, size_t length, struct opening_read *read);

// PARSE_DONE: a server that ignores the body would read it as the next request.
enum parse opening_body(const uint8_t *bytes, size_t length, struct opening_read *read);

enum greeting {
	GREETING_MORE,
	GREETING_SSH,
	GREETING_KNOWN,
	GREETING_LEAVING, // HTTP or TLS, whose servers wait for the client
	GREETING_OTHER,
};
enum greeting opening_server(const uint8_t *bytes, size_t length);

// Converts for connect(2) and bind(2). A struct address has IPv4 as ::ffff:a.b.c.d.
socklen_t sockaddr_fill(const struct address *address, uint16_t port, struct sockaddr_storage *ret);
void sockaddr_read(const struct sockaddr_storage *from, struct address *ret_address,
		   uint16_t *ret_port);
// Alternates families, beginning with the first address's.
enum { ADDRESSES_MAX = 8 };
void address_interleave(const struct address *addresses, unsigned count, struct address *to);

struct ends {
	struct address from, to;
	uint16_t from_port, to_port;
};

// TCP segments: the first of a connection (SYN), and a refusal (RST).
enum { SEGMENT_MAX = 60, PACKET_MAX = 40 + SEGMENT_MAX };
struct segment {
	struct ends ends;
	uint32_t length; // 0: no segment
	uint8_t bytes[SEGMENT_MAX];
};
// segment_v4() reads the IP header. segment_v6() has none: the caller sets both addresses.
bool segment_v4(const uint8_t *bytes, size_t length, struct segment *ret);
bool segment_v6(const uint8_t *bytes, size_t length, struct segment *ret);
void segment_refuse(const struct segment *first, struct segment *ret);
size_t segment_packet(const struct segment *segment, uint8_t ret_packet[PACKET_MAX]);

// SOCKS 5 (RFC 1928): only CONNECT, without authentication.

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
	size_t used;
	bool connect;
	struct host host;
	uint16_t port;
};

// *ret_open: the client offers the method "no authentication".
enum parse socks_greeting(const uint8_t *bytes, size_t length, size_t *ret_used, bool *ret_open);
enum parse socks_request(const uint8_t *bytes, size_t length, struct socks_request *ret);

// TLS hellos: RFC 8446 4.1.2, 4.1.4, RFC 6066 3.

enum {
	TLS_CHANGE_CIPHER = 0x14,
	TLS_ALERT = 0x15,
	TLS_HANDSHAKE = 0x16,
	TLS_DATA = 0x17,
	TLS_RECORD_HEADER = 5,
	TLS_HELLO_MAX = 16 * 1024
};

struct tls_hello {
	// The size of the hello's records. PARSE_MORE: at least so many bytes are needed.
	size_t used;
	bool named;
	bool encrypted; // ECH: the encrypted part may have another name
	bool shaped;    // with PARSE_BAD: a server could accept it
	struct host host;
};

// Returns PARSE_BAD also for a name that is no host, and for a hello that ends inside a record.
enum parse tls_hello(const uint8_t *bytes, size_t length, struct tls_hello *ret);

// *ret_size includes the header. PARSE_BAD: not TLS.
enum parse tls_record(const uint8_t *bytes, size_t length, uint8_t *ret_type, size_t *ret_size);

// Reads a server's answer. *ret_retry: it is a HelloRetryRequest.
enum parse tls_answer(const uint8_t *bytes, size_t length, bool *ret_retry);

// Fatal alert access_denied (49), which clients show by name.
extern const uint8_t tls_denied[7];
