// What a parser of hostile bytes answers.
//
// The room net/parse owns the readers of protocols, on which nothing depends but their bytes: pure
// functions of (bytes, length), each with a target in tests/fuzz. Uses: base text. Begin with
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

// Who says anything else than an answer has said no. Pure, without memory.

enum answered {
	ANSWERED_NO,
	ANSWERED_ONCE,
	ANSWERED_RUN,
	ANSWERED_PROJECT,
};
enum { ANSWERS = ANSWERED_PROJECT + 1, ANSWER_BYTES_MAX = 1024 };

extern const char *const answer_words[ANSWERS];
extern const char answer_letters[ANSWERS + 1];

// {"answer":"WORD"}, with or without a newline; other members are passed over. text[length] must be
// NUL.
bool answer_json(const char *text, size_t length, enum answered *ret_answer);

// A letter and Enter. Escape and control characters, or more letters, make a line invalid: so a
// terminal's reply to a box is no answer.
struct answer_line {
	char letter; // 0: none yet
	bool bad;
	unsigned length; // bytes
};
enum answer_step {
	ANSWER_MORE,
	ANSWER_AGAIN, // the line ended without an answer
	ANSWER_GIVEN,
	ANSWER_LEFT, // ^C, or ^D on an empty line: no
};
// `letters`: those that are offered ("orpn").
enum answer_step answer_byte(struct answer_line *line, unsigned char byte, const char *letters,
			     char *ret_letter);

// Letters, digits and ._+- stay, all else is '?'. Never empty.
void answer_claim(const char *name, char *to, size_t size);

// RFC 1035. Pure.

enum { DNS_ANSWER_MAX = 512, DNS_TYPE_A = 1, DNS_TYPE_AAAA = 28, DNS_CLASS_IN = 1 };

struct dns_question {
	bool valid;
	char name[HOST_NAME_BYTES_MAX + 1];
	uint16_t type, class;
	size_t end;
};

enum dns_code { DNS_OK = 0, DNS_FORMAT = 1, DNS_FAILED = 2, DNS_NO_NAME = 3, DNS_NOT_DONE = 4 };

// False: not a query, gets no reply. `ret_code`: DNS_OK, or the reply's code.
bool dns_parse(const uint8_t *message, size_t length, struct dns_question *ret,
	       enum dns_code *ret_code);

// With one record for `address` (IPv4), else without records.
size_t dns_answer(const uint8_t *message, const struct dns_question *question, enum dns_code code,
		  const struct address *address, uint8_t answer[DNS_ANSWER_MAX]);

// hosts(5), resolv.conf(5). Pure.

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
// Without a server libc uses 127.0.0.1.
void resolv_parse(const char *text, size_t length, struct resolv *ret);
bool resolv_is_short(const struct resolv *resolv, const char *name);
// The name with search domain number `domain`, from 1 on; 0: the name itself. False: none, or too
// long.
bool resolv_name(const struct resolv *resolv, const char *name, unsigned domain,
		 char ret[HOST_NAME_BYTES_MAX + 1]);
// Walks the forms of a name, from `number` on: 0 the name itself, up to RESOLV_FORMS_MAX an added
// search domain, above it a removed one.
bool resolv_next(const struct resolv *resolv, const char *name, unsigned *number,
		 char ret[HOST_NAME_BYTES_MAX + 1]);
bool resolv_same(const struct resolv *resolv, const struct host *left, const struct host *right);

// RFC 9110, 9112, strictly: ambiguous text is bad. Pure.

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

// Of a method or a field's name.
bool is_token(uint8_t c);
// Where the laxest reader finds the end. `searched`: bytes without an end so far.
bool http_has_end(const char *bytes, size_t length, uint32_t *searched);
enum parse http_request(const char *bytes, size_t length, struct http_request *ret);
// The response to HEAD has no body.
enum parse http_response(const char *bytes, size_t length, bool asks_head,
			 struct http_response *ret);

enum http_chunk { CHUNK_SIZE, CHUNK_DATA, CHUNK_END, CHUNK_TRAILER, CHUNK_DONE };
// The state is in `at`. For CHUNK_SIZE `ret_data` is the length of the data.
enum parse http_chunk(const char *bytes, size_t length, enum http_chunk *at, size_t *ret_used,
		      uint64_t *ret_data);

// The next field of a head that was read, behind its first line. False at its end.
bool http_field(struct piece *rest, struct piece *ret_name, struct piece *ret_value);

// For a server: drops fields for a proxy, and upgrades other than websocket. For another proxy:
// with `place` and `field`. `to` must hold both.
size_t http_rewrite(const char *from, const struct http_request *request, const char *place,
		    const char *field, char *to);

enum opening {
	OPENING_MORE, // too few bytes to say
	OPENING_TLS,
	OPENING_HTTP,  // well-formed or not
	OPENING_SSH,   // RFC 4253 4.2
	OPENING_OTHER, // none of them
};

// Where the last read line ended, for the next call. Zeros begin a new line.
struct opening_read {
	uint32_t start, word, target, end, version;
};

// Text that begins with a word counts as HTTP: malformed text is refused.
enum opening opening_client(const uint8_t *bytes, size_t length);

// RFC 4253 4.2
enum parse opening_ssh(const uint8_t *line, size_t length);

// In a tunnel: text that a lenient server could read as a request line, also behind white space.
enum opening opening_burst(const uint8_t *bytes, size_t length, struct opening_read *read);

// DONE: a server that skips the body would read it as the next request.
enum parse opening_body(const uint8_t *bytes, size_t length, struct opening_read *read);

enum greeting {
	GREETING_MORE,
	GREETING_SSH,
	GREETING_KNOWN,
	GREETING_LEAVING, // HTTP or TLS, which no server begins with
	GREETING_OTHER,
};
enum greeting opening_server(const uint8_t *bytes, size_t length);

// IPv4 is ::ffff:a.b.c.d.

// As connect(2) and bind(2) want it.
socklen_t sockaddr_fill(const struct address *address, uint16_t port, struct sockaddr_storage *ret);
void sockaddr_read(const struct sockaddr_storage *from, struct address *ret_address,
		   uint16_t *ret_port);
// Alternates families, beginning with the first one's.
enum { ADDRESSES_MAX = 8 };
void address_interleave(const struct address *addresses, unsigned count, struct address *to);

struct ends {
	struct address from, to;
	uint16_t from_port, to_port;
};

// The first segment of a connection (SYN), and a refusal (RST). Pure.
enum { SEGMENT_MAX = 60, PACKET_MAX = 40 + SEGMENT_MAX };
struct segment {
	struct ends ends;
	uint32_t length; // 0: none
	uint8_t bytes[SEGMENT_MAX];
};
// Parses IPv4 with its header. segment_v6(): without one, the caller knows both addresses.
bool segment_v4(const uint8_t *bytes, size_t length, struct segment *ret);
bool segment_v6(const uint8_t *bytes, size_t length, struct segment *ret);
void segment_refuse(const struct segment *first, struct segment *ret);
size_t segment_packet(const struct segment *segment, uint8_t ret_packet[PACKET_MAX]);

// RFC 1928: CONNECT without authentication. Pure.

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

// `ret_open`: the client accepts no authentication.
enum parse socks_greeting(const uint8_t *bytes, size_t length, size_t *ret_used, bool *ret_open);
enum parse socks_request(const uint8_t *bytes, size_t length, struct socks_request *ret);

// RFC 8446 4.1.2, 4.1.4 (HelloRetryRequest), RFC 6066 3. Pure.

enum {
	TLS_CHANGE_CIPHER = 0x14,
	TLS_ALERT = 0x15,
	TLS_HANDSHAKE = 0x16,
	TLS_DATA = 0x17,
	TLS_RECORD_HEADER = 5,
	TLS_HELLO_MAX = 16 * 1024
};

struct tls_hello {
	// bytes up to the end of the last record; MORE: at least so many are needed
	size_t used;
	bool named;
	bool encrypted; // encrypted hello: it may hold another name
	bool shaped;    // BAD, but a server could accept it
	struct host host;
};

// BAD: a name that is not a host, or a message that ends inside of a record.
enum parse tls_hello(const uint8_t *bytes, size_t length, struct tls_hello *ret);

// Its type, and bytes with the header. BAD: not TLS.
enum parse tls_record(const uint8_t *bytes, size_t length, uint8_t *ret_type, size_t *ret_size);

// `ret_retry`: it asks for a second hello.
enum parse tls_answer(const uint8_t *bytes, size_t length, bool *ret_retry);

// Fatal alert access_denied (49), which clients show by name.
extern const uint8_t tls_denied[7];
