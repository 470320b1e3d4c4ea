// The room secrets/dialogue owns HTTP/1.1 in a decrypted connection: it swaps placeholders for
// secrets in request heads, and scrubs secrets from answers. It is pure; the room secrets/opener
// does the I/O. Uses: base, net/parse, report, text. Begin with dialogue.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/parse/parse.h"
#include "report/findings.h"
#include "text/destination.h"

enum {
	SECRETS_MAX = 16,
	SECRET_HOSTS_MAX = 8,
	SECRET_HEADERS_MAX = 8,
	SECRET_NAME_MAX = 32,
	SECRET_HEADER_MAX = 64,
	SECRET_LETTERS_LEAST = 16,
	SECRET_BYTES_MAX = 4096
};

struct key_rule {
	char name[SECRET_NAME_MAX + 1];
	unsigned host_count, header_count;
	bool only;
	struct destination hosts[SECRET_HOSTS_MAX];
	char headers[SECRET_HEADERS_MAX][SECRET_HEADER_MAX + 1];
};

struct secret {
	struct key_rule rule;
	size_t length;
	const char *value, *placeholder;
};

struct keyring {
	unsigned count;
	struct secret secrets[SECRETS_MAX];
};

bool secret_goes_to(const struct key_rule *rule, const struct host *host, uint16_t port);
bool secret_in_header(const struct key_rule *rule, struct piece name);

// Returns a rule that forbids other credentials (`only`) to this host, or NULL.
const struct key_rule *keyring_only(const struct keyring *ring, const struct host *host,
				    uint16_t port);
// True for headers with credentials, but not for Cookie.
bool is_credential_header(struct piece name);
// Returns the credential's name, or NULL.
const char *credential_in_query(const char *line, size_t length);

const char *secret_problem(const char *value, size_t length);
// Makes a placeholder: keeps a known prefix of `value`, and replaces letters and digits by `random`
// (16 bits for each byte).
void placeholder_make(const char *value, size_t length, const uint16_t *random, char *ret);

// A needle is a text to replace: a secret becomes its placeholder.

struct needle {
	const char *from, *to;
	size_t length;
};

struct scrubber {
	struct needle whole; // the request's Basic value; length 0: none
	struct needle needles[SECRETS_MAX];
	unsigned count;
	bool first[256];     // possible first bytes of a needle
	uint8_t pairs[8192]; // a bit for each pair of adjacent bytes in a needle's beginning
};

void scrub_begin(struct scrubber *scrubber, const struct keyring *ring);
void scrub_whole(struct scrubber *scrubber, const struct needle *needle);

// Replaces needles in place. Returns how many bytes may pass. The others may begin a needle: give
// them again with the next bytes. `last`: no bytes follow.
size_t scrub(const struct scrubber *scrubber, char *bytes, size_t length, bool last);

enum { SWAP_HEAD_MAX = HTTP_HEAD_MAX + 64, SWAP_WHY = 160, SWAP_BASIC_MAX = 8192 };

struct swapped {
	unsigned used;
	size_t length;
	// The Basic value as the client wrote it, and as the server gets it. Length 0: none.
	size_t basic_length;
	char basic_placeholder[SWAP_BASIC_MAX + 1], basic_value[SWAP_BASIC_MAX + 1];
	char why[SWAP_WHY];
};

// Writes `head`, which http_request() has read, with secrets in place of placeholders, and without
// some headers, such as Range. Returns false with the reason in `why`. `out` has SWAP_HEAD_MAX
// bytes.
bool swap_head(const struct keyring *ring, const struct host *host, uint16_t port, const char *head,
	       const struct http_request *request, char *out, struct swapped *ret);

enum {
	EXCHANGE_IN = HTTP_HEAD_MAX, // bytes of one read
	EXCHANGE_OUT = SWAP_HEAD_MAX + 64,
	EXCHANGE_BODY = 12 * 1024, // longer than any secret in base64
};

enum exchange_turn {
	EXCHANGE_WAIT,    // needs bytes, or room in `out`
	EXCHANGE_MOVED,   // bytes were used or written
	EXCHANGE_REFUSED, // with `why` and `status`; nothing more is read
	EXCHANGE_OVER,
	EXCHANGE_BROKEN, // the answer is incomplete: the client must see this
};

struct exchange {
	const struct keyring *ring;
	struct host host;
	uint16_t port;
	enum { UP_HEAD, UP_LENGTH, UP_CHUNKED, UP_DONE } up;
	enum exchange_answer { DOWN_HEAD, DOWN_LENGTH, DOWN_CHUNKED, DOWN_CLOSE, DOWN_DONE } down;
	struct exchange_body {
		uint64_t left;
		enum http_chunk chunk;
	} up_body, down_body;
	bool asks_head, keep_alive;
	bool answered;
	unsigned used;
	unsigned fresh; // bits of secrets whose use is not counted yet
	struct scrubber scrubber;
	struct swapped swapped;
	char body[EXCHANGE_BODY];
	size_t body_length;
	int status;
	char why[SWAP_WHY];
};

struct passage {
	const char *in;
	size_t length, used;
	char *out;
	size_t room, wrote;
	bool ended;
};

void exchange_begin(struct exchange *exchange, const struct keyring *ring, const struct host *host,
		    uint16_t port);
enum exchange_turn exchange_up(struct exchange *exchange, struct passage *stream);
enum exchange_turn exchange_down(struct exchange *exchange, struct passage *stream);
size_t exchange_refusal(const struct exchange *exchange, int status, const char *why, char *out,
			size_t size);

// The opener's sockets to the supervisor and the worker.
enum { OPENER_CONTROL = 3, OPENER_CHANNEL = 4 };

// The supervisor's first message, with two descriptors: trusted root certificates, and memory for
// struct opener_record.
struct opener_begin {
	unsigned locks;
	unsigned secrets;
	uint32_t roots_length;
};
// A struct key_rule for each secret follows, with a descriptor to read the value from.

// The opener sends one answer for each secret, and a last one when opener_record.certificate is
// written.
struct opener_answer {
	char problem[160]; // "": none
	char placeholder[SECRET_BYTES_MAX + 1];
};

// A worker's message, with the descriptors of a client and a server.
struct opener_pair {
	struct host host;
	uint16_t port;
};

// Memory that the opener writes. Hostile bytes may control the opener: the supervisor checks all of
// this memory.
enum { OPENER_USES_MAX = 64 };
struct opener_record {
	char certificate[64 * 1024];
	struct {
		uint32_t secret, times;
		char host[HOST_NAME_BYTES_MAX + 1];
	} uses[OPENER_USES_MAX];
	struct refused_table refused;
};
