// The connections that are opened: TLS on both sides, and HTTP between.
//
// The room opener owns TLS on both sides of an opened connection, and the certificates. Uses: base
// net/parse net/setup open report text. Begin with opener.c.
#pragma once

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "open/dialogue.h"

// Certificates of one run: an authority that signs for the names of its rules alone, and what it
// signs.
enum { LEAVES_MAX = 64 };

struct mint {
	EVP_PKEY *authority_key, *key; // of the authority, and of all leaves
	X509 *authority;
	struct {
		char name[HOST_NAME_BYTES_MAX + 1];
		X509 *certificate;
	} leaves[LEAVES_MAX];
	unsigned leaf_count;
};

// False when OpenSSL cannot make it. The certificate is valid for 30 days from now, a leaf for 7.
bool mint_begin(struct mint *mint, const struct keyring *ring);
// PEM; the bytes written, 0 when they do not fit.
size_t mint_text(const struct mint *mint, char *text, size_t size);
// The certificate of this name, which is a rule's; NULL when it cannot be made.
X509 *mint_leaf(struct mint *mint, const char *name);

enum { BRIDGES_MAX = 512 };

enum bridge_side { TO_CLIENT, TO_SERVER };

struct leg {
	int fd;
	SSL *ssl;
	bool shaken; // the handshake is done
	bool ended;  // nothing more comes, and the peer said so
	bool broken; // nothing more comes, or goes
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
	bool closing;           // what is in `out` is the last
	bool cut;               // without a word that it is all: the answer is not whole
	bool drains;            // and was written: what the client says is thrown away
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

// Takes both descriptors. A host that no rule names is closed at once.
void bridge_begin(struct opener *opener, const struct opener_pair *pair, int client, int server);
void bridge_event(struct opener *opener, uint64_t tag);
// Milliseconds until one of them is due, or -1.
int bridge_wait(const struct opener *opener);
void bridge_expire(struct opener *opener);

// What both sides of TLS have in common for all connections.

// Made with the first connection: reading the roots takes milliseconds. False when they cannot be.
bool contexts_begin(struct opener *opener);
// A TLS of one side of a bridge, over its descriptor; NULL when there is no memory.
SSL *contexts_new(struct opener *opener, struct bridge *bridge, enum bridge_side side);

// What the opener tells the supervisor: which secret went where, and refusals.

// `failed`: it was not refused, it could not be done.
void notes_refusal(struct opener *opener, const struct bridge *bridge, const char *why,
		   bool failed);
// Takes the uses that the exchange has counted since the last call.
void notes_uses(struct opener *opener, struct exchange *exchange);
