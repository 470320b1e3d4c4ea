// The connections that are opened: TLS on both sides, and HTTP between.
//
// The room opener owns TLS on both sides of an opened connection, and the certificates. Uses: base
// net/parse net/setup open report text. Begin with opener.c.
#pragma once

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "open/dialogue.h"

// Certificates of one run: an authority for the rules' names only, and its certificates.
enum { LEAVES_MAX = 64 };

struct mint {
	EVP_PKEY *authority_key, *key;
	X509 *authority;
	struct {
		char name[HOST_NAME_BYTES_MAX + 1];
		X509 *certificate;
	} leaves[LEAVES_MAX];
	unsigned leaf_count;
};

// Valid 30 days; a leaf 7.
bool mint_begin(struct mint *mint, const struct keyring *ring);
// PEM; the bytes written, 0 when they do not fit.
size_t mint_text(const struct mint *mint, char *text, size_t size);
// `name`: of a rule. NULL: cannot be made.
X509 *mint_leaf(struct mint *mint, const char *name);

enum { BRIDGES_MAX = 512 };

enum bridge_side { TO_CLIENT, TO_SERVER };

struct leg {
	int fd;
	SSL *ssl;
	bool shaken;
	bool ended;
	bool broken;
	char in[EXCHANGE_IN];
	size_t in_used;
	char out[EXCHANGE_OUT];
	size_t out_start, out_end;
};

struct bridge {
	struct leg legs[2];
	struct exchange exchange;
	char problem[SWAP_WHY]; // with the server; "": none
	int64_t deadline;       // milliseconds; 0: none
	bool closing;
	bool cut;
	bool drains;
	uint32_t generation;
};

struct opener {
	struct keyring ring;
	struct mint mint;
	const char *roots; // PEM
	size_t roots_length;
	struct opener_record *record;
	SSL_CTX *contexts[2]; // NULL until the first connection
	int epoll;
	struct bridge *bridges[BRIDGES_MAX];
	uint32_t generation;
	int64_t now; // milliseconds
};

// Takes both descriptors. Closes a host without a rule at once.
void bridge_begin(struct opener *opener, const struct opener_pair *pair, int client, int server);
void bridge_event(struct opener *opener, uint64_t tag);
// -1: none is due.
int bridge_wait(const struct opener *opener);
void bridge_expire(struct opener *opener);

// Made at the first connection: reading the roots takes milliseconds.
bool contexts_begin(struct opener *opener);
// A TLS of one side of a bridge, over its descriptor; NULL when there is no memory.
SSL *contexts_new(struct opener *opener, struct bridge *bridge, enum bridge_side side);

// `failed`: impossible rather than refused.
void notes_refusal(struct opener *opener, const struct bridge *bridge, const char *why,
		   bool failed);
void notes_uses(struct opener *opener, struct exchange *exchange);
