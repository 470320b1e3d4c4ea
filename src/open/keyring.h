// Secrets as the opener holds them, and what their rules say.
//
// The room open owns what happens to bytes in a connection that is opened: pure, no I/O. The
// program that does it is the room opener. Uses: base net/parse report text. Begin with dialogue.h.
#pragma once

#include "text/destination.h"

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
