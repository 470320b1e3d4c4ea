// The head of a request on its way to a server: placeholders become secrets where they may.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "net/parse/http.h"
#include "open/keyring.h"

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
