// HTTP/1.1 between a client and a server, in the clear: requests one after the other, placeholders
// swapped in their heads, secrets scrubbed from the answers. Pure.
#pragma once

#include "net/parse/http.h"
#include "open/scrub.h"
#include "open/swap.h"

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
