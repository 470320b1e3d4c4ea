// Certificates of one run: an authority that signs for the names of its rules alone, and what it
// signs.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "open/keyring.h"

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
