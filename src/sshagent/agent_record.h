// What the two processes and the supervisor share: the rules, which they only read, and what was
// refused.
#pragma once

#include <stdint.h>

#include "sshagent/signing.h"

enum { AGENT_REFUSALS_MAX = 64 };

struct agent_record {
	struct agent_rules rules;
	unsigned count;
	uint64_t lost; // refusals that have no room
	struct agent_refused {
		struct agent_refusal refusal;
		unsigned times;
	} refusals[AGENT_REFUSALS_MAX];
};
