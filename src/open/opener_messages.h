// Messages to and from the opener, and the memory that it shares with the supervisor.
#pragma once

#include <stdint.h>

#include "open/keyring.h"
#include "report/refused.h"

// Descriptors that the opener begins with: messages of the supervisor; connections of the workers.
enum { OPENER_CONTROL = 3, OPENER_CHANNEL = 4 };

// From the supervisor, once, with two descriptors: the texts of the trusted roots, and the record.
struct opener_begin {
	unsigned locks; // of net/setup/confine.h
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
