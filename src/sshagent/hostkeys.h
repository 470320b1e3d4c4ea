// known_hosts (sshd(8)) and public key files, as text of the caller's. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sshagent/signing.h"

enum { KNOWN_HOSTS_MAX = 32 };

// A host that the agent may log in to, as known_hosts writes it: "name" or "[name]:port".
struct known_host {
	char name[AGENT_NAME];
	unsigned keys;     // of it, that were found
	bool by_authority; // a line @cert-authority matches it, which is not read
};

// HOST, HOST:PORT, ADDRESS or [ADDRESS]:PORT; port 22 without one. False: it is none of these.
bool known_host_parse(const char *text, struct known_host *ret_host);

// Adds the keys of a known_hosts file to the rules. The number of the line that cannot be taken: a
// line @revoked that is malformed, or one with which there are too many keys; 0: none. Other lines
// that are malformed are left out, as ssh does.
unsigned known_hosts_read(struct agent_rules *rules, struct known_host *hosts, unsigned host_count,
			  const char *text, size_t length);

// The hash of the key of a file NAME.pub: one line "TYPE BASE64 [COMMENT]".
bool known_public_key(const char *text, size_t length, uint8_t ret_hash[SHA256_BYTES]);

// "SHA256:..." as ssh-keygen -l writes it.
bool known_fingerprint(const char *text, uint8_t ret_hash[SHA256_BYTES]);
