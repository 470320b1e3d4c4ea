// HTTP/1.1 between a client and a server, in the clear: requests one after the other, placeholders
// swapped in their heads, secrets scrubbed from the answers. Pure.
//
// The room open owns what happens to bytes in a connection that is opened: pure, no I/O. The
// program that does it is the room opener. Uses: base net/parse report text. Begin with dialogue.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/parse/parse.h"
#include "report/findings.h"
#include "text/destination.h"

// Secrets as the opener holds them, and what their rules say.

enum {
	SECRETS_MAX = 16,
	SECRET_HOSTS_MAX = 8,
	SECRET_HEADERS_MAX = 8,
	SECRET_NAME_MAX = 32,
	SECRET_HEADER_MAX = 64,
	SECRET_LETTERS_LEAST = 16, // letters and digits that a placeholder draws anew
	SECRET_BYTES_MAX = 4096
};

struct key_rule {
	char name[SECRET_NAME_MAX + 1];
	unsigned host_count, header_count;
	bool only; // no other credential goes to its hosts
	struct destination hosts[SECRET_HOSTS_MAX];
	char headers[SECRET_HEADERS_MAX]
		    [SECRET_HEADER_MAX + 1]; // in lower case, beside the usual ones
};

struct secret {
	struct key_rule rule;
	size_t length;
	const char *value, *placeholder; // of the same length, NUL-terminated
};

struct keyring {
	unsigned count;
	struct secret secrets[SECRETS_MAX];
};

bool secret_goes_to(const struct key_rule *rule, const struct host *host, uint16_t port);
// Whether a field of this name carries it: Authorization and its kin, and those of the rule.
bool secret_in_header(const struct key_rule *rule, const char *name, size_t length);

// Of the secrets for this host, one beside which no other credential goes there; NULL: none.
const struct key_rule *keyring_only(const struct keyring *ring, const struct host *host,
				    uint16_t port);
// Whether a field carries a credential of some service's; Cookie is none of these.
bool is_credential_header(const char *name, size_t length);
// The name of a part of the query in a request's line that carries a credential, or NULL.
const char *credential_in_query(const char *line, size_t length);

// Why these bytes are no secret that a header can carry, or NULL.
const char *secret_problem(const char *value, size_t length);
// A placeholder of the same length: a known prefix stays, letters and digits are drawn anew from
// `random` (16-bit numbers, one a byte of the value), everything else stays.
void placeholder_make(const char *value, size_t length, const uint16_t *random, char *ret);

// What must not come back to a box is replaced in bytes that pass: a key as it is, in hexadecimal
// and in base64 (anywhere in a longer text, in both alphabets, in lines), and each of these in
// UTF-16 or with any of its characters escaped as in addresses (%67), JSON (\u0067), C (\x67), mail
// (=67) and HTML (&#103;). Pure.

struct needle {
	const char *from, *to; // of the same length
	size_t length;
};

struct scrubber {
	struct needle whole;                // found as it is alone; length 0: none
	struct needle needles[SECRETS_MAX]; // the longest first
	unsigned count;
	bool first[256];     // bytes that one can begin with
	uint8_t pairs[8192]; // bits: two bytes that can stand within the first ones of one
};

// Makes it of these secrets, without `whole`.
void scrub_begin(struct scrubber *scrubber, const struct keyring *ring);
void scrub_whole(struct scrubber *scrubber, const struct needle *needle);

// Replaces every needle in `bytes`, in place. Returns how many bytes may pass: what comes behind
// them is the beginning of a needle, and is given again with what follows. `last`: nothing follows.
size_t scrub(const struct scrubber *scrubber, char *bytes, size_t length, bool last);

// The head of a request on its way to a server: placeholders become secrets where they may.

enum { SWAP_HEAD_MAX = HTTP_HEAD_MAX + 64, SWAP_WHY = 160, SWAP_BASIC_MAX = 8192 };

struct swapped {
	unsigned used; // bits: which secrets went
	size_t length; // of the head that goes
	// Of Basic, as it was written and as it went: an answer may hold it again. 0: none.
	size_t basic_length;
	char basic_placeholder[SWAP_BASIC_MAX + 1], basic_value[SWAP_BASIC_MAX + 1];
	char why[SWAP_WHY]; // it is refused
};

// Copies the head, which http_request() has read, for the server of `host`: a placeholder that is
// the whole of a field that carries its secret is replaced. Answers are asked for as they are,
// whole and in HTTP/1.1: Accept-Encoding, Range, TE and Upgrade do not pass. False when a
// placeholder stands anywhere else in the head: `why` says where. `out` holds SWAP_HEAD_MAX bytes.
bool swap_head(const struct keyring *ring, const struct host *host, uint16_t port, const char *head,
	       const struct http_request *request, char *out, struct swapped *ret);

enum {
	EXCHANGE_IN = HTTP_HEAD_MAX,       // bytes that are looked at together
	EXCHANGE_OUT = SWAP_HEAD_MAX + 64, // room that a head may need
	EXCHANGE_BODY = 12 * 1024,         // of an answer: more than the longest secret in base64
};

enum exchange_turn {
	EXCHANGE_WAIT,    // for bytes, or for room
	EXCHANGE_MOVED,   // bytes were used or written
	EXCHANGE_REFUSED, // `why` and `status` are the answer to the client; nothing more is read
	EXCHANGE_OVER,    // the last answer was written; the connection ends
	EXCHANGE_BROKEN,  // the answer is cut: the client must see that it is
};

struct exchange {
	const struct keyring *ring;
	struct host host;
	uint16_t port;
	enum { UP_HEAD, UP_LENGTH, UP_CHUNKED, UP_DONE } up;
	enum { DOWN_HEAD, DOWN_LENGTH, DOWN_CHUNKED, DOWN_CLOSE, DOWN_DONE } down;
	uint64_t up_left, down_left; // of the body, or of the chunk
	enum http_chunk up_chunk, down_chunk;
	bool asks_head, keep_alive;
	bool answered;  // some of an answer was written
	unsigned used;  // bits: secrets of the last request
	unsigned fresh; // bits: the same, until who counts them has taken them
	struct scrubber scrubber;
	struct swapped swapped;
	char body[EXCHANGE_BODY];
	size_t body_length;
	int status;
	char why[SWAP_WHY];
};

// One direction of bytes: `in` that came, `out` where they go.
struct passage {
	const char *in;
	size_t length, used;
	char *out;
	size_t room, wrote;
	bool ended; // nothing comes behind `in`, and the sender said so
};

void exchange_begin(struct exchange *exchange, const struct keyring *ring, const struct host *host,
		    uint16_t port);
enum exchange_turn exchange_up(struct exchange *exchange, struct passage *stream);
enum exchange_turn exchange_down(struct exchange *exchange, struct passage *stream);
// The refusal that the client gets instead of an answer, whole, in HTTP. Returns its length.
size_t exchange_refusal(const struct exchange *exchange, int status, const char *why, char *out,
			size_t size);

// Messages to and from the opener, and the memory that it shares with the supervisor.

// Descriptors that the opener begins with: messages of the supervisor; connections of the worker.
enum { OPENER_CONTROL = 3, OPENER_CHANNEL = 4 };

// From the supervisor, once, with two descriptors: the texts of the trusted roots, and the record.
struct opener_begin {
	unsigned locks; // of net/setup/netns.h
	unsigned secrets;
	uint32_t roots_length;
};
// Then one for each secret, with a descriptor from which its value is read.
struct opener_secret {
	struct key_rule rule;
};
// The answers: one for each secret, then one when the certificate stands in the record.
struct opener_answer {
	char problem[160]; // "": none
	char placeholder[SECRET_BYTES_MAX + 1];
};

// From a worker, with two descriptors: where the client is, and where the server is.
struct opener_pair {
	struct host host;
	uint16_t port;
};

// Written by the opener, which reads hostile bytes: nothing of it is believed.
enum { OPENER_USES_MAX = 64 };
struct opener_record {
	char certificate[64 * 1024]; // PEM, of the box's authority
	struct {
		uint32_t secret, times;
		char host[HOST_NAME_BYTES_MAX + 1];
	} uses[OPENER_USES_MAX];
	struct refused_table refused;
};
