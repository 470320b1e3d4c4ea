// The room secrets/opener owns decrypted connections: TLS on both sides, and certificates. Uses:
// base, net/parse, net/setup, secrets/dialogue, report, text. Begin with opener.c.
#pragma once

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "secrets/dialogue/dialogue.h"

// Certificates of one run: an authority, valid only for hosts of rules, and the leaves that it
// signed.
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

bool mint_begin(struct mint *mint, const struct keyring *ring);
// Writes the authority as PEM. Returns its length, or 0 if it does not fit.
size_t mint_text(const struct mint *mint, char *text, size_t size);
// Returns a leaf for `name`, a host of a rule, or NULL.
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
	char problem[SWAP_WHY]; // about the server, or ""
	int64_t deadline;       // milliseconds; 0: none
	bool closing;
	bool cut;
	bool drains;
	uint32_t generation;
};

struct opener {
	struct keyring ring;
	struct mint mint;
	const char *roots; // trusted roots, PEM
	size_t roots_length;
	struct opener_record *record;
	SSL_CTX *contexts[2];
	int epoll;
	struct bridge *bridges[BRIDGES_MAX];
	uint32_t generation;
	int64_t now; // milliseconds
};

// Owns both descriptors from now on. Closes them if the host has no rule.
void bridge_begin(struct opener *opener, const struct opener_pair *pair, int client, int server);
void bridge_event(struct opener *opener, uint64_t tag);
// Returns the milliseconds until the next deadline, or -1.
int bridge_wait(const struct opener *opener);
void bridge_expire(struct opener *opener);

// Reads the trusted roots, which takes milliseconds: called at the first connection.
bool contexts_begin(struct opener *opener);
SSL *contexts_new(struct opener *opener, struct bridge *bridge, enum bridge_side side);

// `failed`: a failure of the connection, not a refusal.
void notes_refusal(struct opener *opener, const struct bridge *bridge, const char *why,
		   bool failed);
void notes_uses(struct opener *opener, struct exchange *exchange);
