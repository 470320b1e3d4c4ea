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

enum parse {
	PARSE_MORE, // not yet whole: read on
	PARSE_BAD,  // never: say so and close
	PARSE_DONE,
};

// Answers to a question of --ask-program and --ask: hostile bytes to one of four words. Pure, and
// without memory: who says anything else than an answer has said no.

// A field that nothing was written to says no.
enum answered {
	ANSWERED_NO,
	ANSWERED_ONCE,    // the connections that wait for this answer
	ANSWERED_RUN,     // this destination, until the end of the run
	ANSWERED_PROJECT, // and in later runs of the project that ask
};
enum { ANSWERS = ANSWERED_PROJECT + 1, ANSWER_BYTES_MAX = 1024 };

// "no", "once", "run", "project".
extern const char *const answer_words[ANSWERS];
// Their letters, in this order.
extern const char answer_letters[ANSWERS + 1];

// One line of JSON, {"answer":"WORD"}, with or without its newline: nothing behind it, the member
// once, other members passed over. text[length] must be NUL. False when it is malformed.
bool answer_json(const char *text, size_t length, enum answered *ret_answer);

// A line that is typed, byte by byte. An answer is one letter and Enter. A line with an escape
// character, another control character or more than one letter is none: terminals answer a box's
// questions with such bytes.
struct answer_line {
	char letter;     // 0: none yet
	bool bad;        // nothing but Enter ends it
	unsigned length; // bytes
};
enum answer_step {
	ANSWER_MORE,  // the line goes on
	ANSWER_AGAIN, // it has ended, and was none
	ANSWER_GIVEN,
	ANSWER_LEFT, // ^C, or ^D on an empty line: no
};
// `letters` are those that are offered, in small letters ("orpn").
enum answer_step answer_byte(struct answer_line *line, unsigned char byte, const char *letters,
			     char *ret_letter);

// A name that a box gave, for a question: letters, digits and ._+- stay, all else is '?'. At most
// `size` - 1 bytes, and never empty.
void answer_claim(const char *name, char *to, size_t size);

// DNS messages (RFC 1035): a question of the box in, our answer out. Pure.

enum { DNS_ANSWER_MAX = 512, DNS_TYPE_A = 1, DNS_TYPE_AAAA = 28, DNS_CLASS_IN = 1 };

struct dns_question {
	bool valid;                         // the name is one that hosts may have
	char name[HOST_NAME_BYTES_MAX + 1]; // lower case
	uint16_t type, class;
	size_t end; // of the question in the message
};

enum dns_code { DNS_OK = 0, DNS_FORMAT = 1, DNS_FAILED = 2, DNS_NO_NAME = 3, DNS_NOT_DONE = 4 };

// False: not a query at all, which gets no answer. `ret_code` is DNS_OK for one question of a
// kind that can be answered, else the code to answer with.
bool dns_parse(const uint8_t *message, size_t length, struct dns_question *ret,
	       enum dns_code *ret_code);

// The answer to a message that dns_parse took: with `address` (IPv4), else no records. Returns its
// length, at most DNS_ANSWER_MAX.
size_t dns_answer(const uint8_t *message, const struct dns_question *question, enum dns_code code,
		  const struct address *address, uint8_t answer[DNS_ANSWER_MAX]);

// The host's two text files about names: hosts(5) and resolv.conf(5). Pure.

// A name of the table, by a hash of it: where its line and the name begin.
struct hosts_entry {
	uint32_t hash, line, word;
};
// Reads the table once; returns how many names it has, at most `most`.
unsigned hosts_read(const char *text, size_t length, struct hosts_entry *entries, unsigned most);
// Addresses that the table that was read gives a name; returns how many, at most `most`.
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
	unsigned ndots; // a name of fewer dots is sought in the search list first
};
// Lines that are not understood are passed over; no server means 127.0.0.1, as libc does.
void resolv_parse(const char *text, size_t length, struct resolv *ret);
bool resolv_is_short(const struct resolv *resolv, const char *name);
// The name with a domain of the search list behind it, counted from 1; 0 is the name itself. False:
// there is none, or it is too long.
bool resolv_name(const struct resolv *resolv, const char *name, unsigned domain,
		 char ret[HOST_NAME_BYTES_MAX + 1]);
// The names that mean the same here as short and long forms of one: the next from `number` on,
// which becomes its number; 0 is the name itself. By RESOLV_FORMS_MAX it is the domain that was
// added (resolv_name); the rest is the one that was then cut off. False: there is none.
bool resolv_next(const struct resolv *resolv, const char *name, unsigned *number,
		 char ret[HOST_NAME_BYTES_MAX + 1]);
bool resolv_same(const struct resolv *resolv, const struct host *left, const struct host *right);

// HTTP/1.1 heads and framing (RFC 9110, 9112), strictly: what two readers could take in two ways
// is bad. Pure. Rule 29.

enum http_body { BODY_NONE, BODY_LENGTH, BODY_CHUNKED, BODY_UNTIL_CLOSE };

struct http_request {
	size_t head;             // bytes up to and including the empty line
	bool connect, asks_head; // the methods CONNECT and HEAD
	bool absolute;           // http://host/path, or CONNECT's host:port
	bool secure;             // the absolute form says https
	bool has_host;           // `host` and `port` (0: none given) are set
	struct host host;
	uint16_t port;
	size_t target, path; // offsets: of the target, and of the path in an absolute one
	bool keep_alive;
	bool upgrade, other_upgrade; // to websocket; to anything else
	enum http_body body;
	uint64_t length;
};

struct http_response {
	size_t head;
	unsigned status;
	bool keep_alive;
	bool upgrade; // to websocket and nothing else
	enum http_body body;
	uint64_t length;
};

enum { HTTP_HEAD_MAX = 16 * 1024 };

// Whether these bytes hold the end of a head, as the laxest reader finds it: an empty line. Only
// what follows the first `searched` bytes is searched; they become all.
bool http_has_end(const char *bytes, size_t length, uint32_t *searched);
enum parse http_request(const char *bytes, size_t length, struct http_request *ret);
// `asks_head`: the response to HEAD has no body.
enum parse http_response(const char *bytes, size_t length, bool asks_head,
			 struct http_response *ret);

// Chunked coding: where a reader of the body is.
enum http_chunk { CHUNK_SIZE, CHUNK_DATA, CHUNK_END, CHUNK_TRAILER, CHUNK_DONE };
// Reads one line of the coding: its bytes, and for CHUNK_SIZE the data that follows.
enum parse http_chunk(const char *bytes, size_t length, enum http_chunk *at, size_t *ret_used,
		      uint64_t *ret_data);

// Copies the head for a server: path instead of the absolute form, without the fields meant for the
// proxy, and without an upgrade to another word than websocket; for another proxy with `place`
// before the path, and with `field`. `to` holds as much as these. Returns the bytes written.
size_t http_rewrite(const char *from, const struct http_request *request, const char *place,
		    const char *field, char *to);

// Which protocol the first bytes of a connection begin, of those that are read here. Pure.

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

// Socket addresses of the kernel and addresses of rules: IPv4 is ::ffff:a.b.c.d in these.

// Returns the length that connect(2) and bind(2) want.
socklen_t sockaddr_fill(const struct address *address, uint16_t port, struct sockaddr_storage *ret);
void sockaddr_read(const struct sockaddr_storage *from, struct address *ret_address,
		   uint16_t *ret_port);
// IPv6 and IPv4 in turn, the first kind first; at most ADDRESSES_MAX.
enum { ADDRESSES_MAX = 8 };
void address_interleave(const struct address *addresses, unsigned count, struct address *to);

// Both ends of a connection as the client has them.
struct ends {
	struct address from, to;
	uint16_t from_port, to_port;
};

// One segment of TCP without data: the first of a connection (SYN), and the answer that nobody is
// there. Pure.
enum { SEGMENT_MAX = 60, PACKET_MAX = 40 + SEGMENT_MAX };
struct segment {
	struct ends ends;
	uint32_t length; // 0: none
	uint8_t bytes[SEGMENT_MAX];
};
// Behind the header of IPv4, or without a header: then the caller knows both addresses.
bool segment_v4(const uint8_t *bytes, size_t length, struct segment *ret);
bool segment_v6(const uint8_t *bytes, size_t length, struct segment *ret);
void segment_refuse(const struct segment *first, struct segment *ret);
// With a header of IP; returns its length.
size_t segment_packet(const struct segment *segment, uint8_t ret_packet[PACKET_MAX]);

// SOCKS 5 (RFC 1928): no authentication, CONNECT by name or address. Pure.

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

// What of TLS is readable without keys: the first message of a client (RFC 8446 4.1.2, RFC 6066 3),
// and whether a server asks for another one (HelloRetryRequest, 4.1.4). Pure.

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
